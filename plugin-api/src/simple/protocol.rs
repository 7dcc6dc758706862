//! What an author declares of a protocol.

use crate::{
    Class, Clock, Severity,
    simple::{Framing, Record, Split},
};

/// Most bytes in a row of what is skipped in search of a frame.
pub(super) const MAX_JUNK: usize = 256;

/// A protocol. [`crate::simple::decoder`] makes a decoder of it.
///
/// ```
/// use spytui_plugin_api::{kit::{Sample, conform}, simple::*};
///
/// /// Frames in COBS: a kind, then a temperature.
/// struct Oven;
///
/// impl Protocol for Oven {
///     const ID: &'static str = "oven";
///     const TITLE: &'static str = "Oven";
///     const FRAMING: Framing = Framing::cobs(Check::CRC16);
///     const KINDS: &'static [Kind] = &[Kind::new(1, "TEMP", "VA", Means::Value)];
///
///     fn read(_: &[u8], r: &mut Record<'_>) -> Option<()> {
///         let kind = r.get::<u8>()?;
///         r.kind(kind.into());
///         r.number::<i16>(named("temp").scale(0.1).unit("°C"))
///     }
/// }
///
/// // Its test: the rules of this API hold, of damaged copies of a capture, too.
/// conform(decoder::<Oven>(), &[Sample { name: "noise", opts: Vec::new(), bytes: &[2, 1, 9, 0, 7, 0] }]);
/// ```
pub trait Protocol: Send + 'static {
    /// Name on the command line.
    const ID: &'static str;
    /// Name for display.
    const TITLE: &'static str;
    /// Where frames begin and end.
    const FRAMING: Framing = Framing::OWN;
    /// Bits of a check sum that a good frame has by chance once in 2 to this power; 0 = damage may go unnoticed.
    const CHECK_BITS: u32 = 8 * Self::FRAMING.check().bytes() as u32;
    /// The clock of its time stamps.
    const CLOCK: Clock = Clock::new(0);
    /// What its keys are keys of; calls name a space by its index here.
    const SPACES: &'static [Space] = &[];
    /// Its kinds of records.
    const KINDS: &'static [Kind];
    /// Length of the longest frame, in bytes.
    const MAX_FRAME: usize = 1024;

    /// What stands at the front of `bytes`, of which there are at most [`Protocol::MAX_FRAME`].
    fn split(bytes: &[u8]) -> Split {
        Self::FRAMING.split(bytes)
    }

    /// Reads a frame: its kind, then its fields in order. `None` = they don't fit. Decoding and rendering both call it,
    /// so it depends on the frame alone.
    fn read(frame: &[u8], record: &mut Record<'_>) -> Option<()>;
}

/// A kind of records.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub(super) id: u16,
    pub(super) name: &'static str,
    pub(super) group: &'static str,
    pub(super) means: Means,
    pub(super) severity: Severity,
    pub(super) fields: &'static [&'static str],
    pub(super) spaces: &'static [usize],
}

impl Kind {
    /// A kind with its number on the target, name, and group.
    pub const fn new(id: u16, name: &'static str, group: &'static str, means: Means) -> Kind {
        let severity = match means {
            Means::Reset => Severity::WARNING,
            Means::Assert => Severity::ERROR,
            _ => Severity::NORMAL,
        };
        Kind { id, name, group, means, severity, fields: &[], spaces: &[] }
    }

    /// The same with another severity.
    #[must_use]
    pub const fn severity(self, severity: Severity) -> Kind {
        Kind { severity, ..self }
    }

    /// The same with these names of fields, where they can't be found by reading frames of zeros.
    #[must_use]
    pub const fn fields(self, fields: &'static [&'static str]) -> Kind {
        Kind { fields, ..self }
    }

    /// The same with the spaces of these fields' keys, by their indexes in [`Protocol::SPACES`]: filters by object and state
    /// look for keys only in those.
    #[must_use]
    pub const fn spaces(self, spaces: &'static [usize]) -> Kind {
        Kind { spaces, ..self }
    }
}

/// What a record means to the views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Nothing but what it says.
    Nothing,
    /// Something happened at a point in time.
    Instant,
    /// The first number is a value of the object, or of the kind if there is none.
    Value,
    /// The object went from the first key, a state, to the second.
    Transition,
    /// The object is in the first key, a state.
    State,
    /// A span of the object, or of the kind if there is none, begins; the first key names it.
    Begin,
    /// It ends.
    End,
    /// The object, a task, runs.
    Run,
    /// The object, an interrupt, is entered.
    IsrIn,
    /// It is left.
    IsrOut,
    /// The first number is how many records the target has dropped since it started.
    Drop,
    /// It names keys, see [`Record::names`].
    Name,
    /// The target starts: times, numbers and states begin anew.
    Reset,
    /// An assertion failed.
    Assert,
}

/// What keys are keys of.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    pub(super) name: &'static str,
    pub(super) class: Class,
}

impl Space {
    /// Keys of objects.
    pub const fn objects(name: &'static str) -> Space {
        Space::of(name, Class::OBJECT)
    }

    /// Keys of another class.
    pub const fn of(name: &'static str, class: Class) -> Space {
        Space { name, class }
    }
}
