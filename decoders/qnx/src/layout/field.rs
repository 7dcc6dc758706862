//! The words of an event's payload.

/// Type of a field, which says how many words it has and how it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    /// Signed.
    D32,
    /// Unsigned.
    U32,
    /// A process id: printed signed, a value without sign.
    Pid,
    /// Hexadecimal.
    X32,
    /// Hexadecimal, eight packed bytes.
    X64,
    /// A pointer.
    Ptr32,
    /// The first bytes of a message: three words, or one in fast mode.
    Message,
    /// The rest, up to its NUL.
    Text,
    /// Signed, low word first.
    Long,
    /// Hexadecimal, low word first.
    LongHex,
}

/// When a field is sent, and where it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// In fast and wide mode.
    Always,
    /// In wide mode.
    Wide,
    /// In wide mode, and shown by the reference text alone.
    Quiet,
}

/// A field of a payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: Ty,
    pub(crate) sent: Sent,
}

/// The name of words without a meaning.
const NOTHING: &str = "empty";

impl Field {
    const fn new(name: &'static str, ty: Ty) -> Field {
        Field { name, ty, sent: Sent::Always }
    }

    /// Sent in wide mode only.
    pub(super) const fn wide(self) -> Field {
        Field { sent: Sent::Wide, ..self }
    }

    /// Whether it is a value of the record, not only a word of the reference text.
    pub(crate) fn is_shown(&self) -> bool {
        self.sent != Sent::Quiet && self.name != NOTHING
    }
}

pub(super) const EMPTY: Field = Field::new(NOTHING, Ty::X32);
pub(super) const WIDE_EMPTY: Field = Field::new(NOTHING, Ty::D32).wide();
/// Not among the values, as the words after it.
pub(super) const SIGNAL_ERRNO: Field = Field { sent: Sent::Quiet, ..d("si_errno") };

pub(super) const fn d(name: &'static str) -> Field {
    Field::new(name, Ty::D32)
}

pub(super) const fn u(name: &'static str) -> Field {
    Field::new(name, Ty::U32)
}

pub(super) const fn pid(name: &'static str) -> Field {
    Field::new(name, Ty::Pid)
}

pub(super) const fn x(name: &'static str) -> Field {
    Field::new(name, Ty::X32)
}

pub(super) const fn xl(name: &'static str) -> Field {
    Field::new(name, Ty::X64)
}

pub(super) const fn p(name: &'static str) -> Field {
    Field::new(name, Ty::Ptr32)
}

pub(super) const fn b(name: &'static str) -> Field {
    Field::new(name, Ty::Message)
}

pub(super) const fn t(name: &'static str) -> Field {
    Field::new(name, Ty::Text)
}

pub(super) const fn long(name: &'static str) -> Field {
    Field::new(name, Ty::Long)
}

pub(super) const fn long_hex(name: &'static str) -> Field {
    Field::new(name, Ty::LongHex)
}

pub(super) const fn text_only(name: &'static str) -> Field {
    Field { sent: Sent::Quiet, ..x(name) }
}
