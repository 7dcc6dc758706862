//! What an author declares about a protocol.

use spytui_plugin_api::{Class, Severity};

use crate::{Clock, Framing, Record, Split};

/// Maximum number of skipped bytes in a row.
pub(super) const MAX_JUNK: usize = 256;

/// A protocol. [`crate::decoder`] makes a decoder of it.
///
/// ```
/// use spytui_plugin_host::kit::{Sample, conform};
/// use spytui_plugin_layer::*;
///
/// /// COBS frames: a kind, then a temperature.
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
/// // A test that checks the rules of this API, also on damaged copies of a capture.
/// conform(decoder::<Oven>(), &[Sample { name: "noise", opts: Vec::new(), bytes: &[2, 1, 9, 0, 7, 0] }]);
/// ```
pub trait Protocol: Send + 'static {
    /// Name on the command line.
    const ID: &'static str;
    /// Name for display.
    const TITLE: &'static str;
    /// Where frames begin and end.
    const FRAMING: Framing = Framing::OWN;
    /// Checksum bits: a random frame passes once in 2 to this power; 0 = damage may go unnoticed.
    const CHECK_BITS: u32 = 8 * Self::FRAMING.check().bytes() as u32;
    /// The clock of its time stamps.
    const CLOCK: Clock = Clock::new(0);
    /// Spaces of its keys; calls refer to a space by its index here.
    const SPACES: &'static [Space] = &[];
    /// Its kinds of records.
    const KINDS: &'static [Kind];
    /// Length of the longest frame, in bytes.
    const MAX_FRAME: usize = 1024;

    /// Finds what `bytes` begins with; at most [`Protocol::MAX_FRAME`] bytes.
    fn split(bytes: &[u8]) -> Split {
        Self::FRAMING.split(bytes)
    }

    /// Reads a frame: its kind, then its fields in order. `None` = they don't fit. Called by both decoding and
    /// rendering, so it must depend only on the frame.
    fn read(frame: &[u8], record: &mut Record<'_>) -> Option<()>;
}

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

    pub const fn severity(self, severity: Severity) -> Kind {
        Kind { severity, ..self }
    }

    /// Declares names of fields that can't be found by reading frames of zeros.
    pub const fn fields(self, fields: &'static [&'static str]) -> Kind {
        Kind { fields, ..self }
    }

    /// Declares the spaces of these fields' keys, by index in [`Protocol::SPACES`]: filters by object and state only
    /// look for keys in these.
    pub const fn spaces(self, spaces: &'static [usize]) -> Kind {
        Kind { spaces, ..self }
    }
}

/// What a record means to views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Nothing beyond its fields.
    Nothing,
    /// Something happened at a point in time.
    Instant,
    /// The first number is a value of the object, or of the kind without an object.
    Value,
    /// The object went from one state to another: the first and second key.
    Transition,
    /// The object is in a state, the first key.
    State,
    /// A span of the object, or of the kind without an object, begins; the first key names it.
    Begin,
    /// The span ends.
    End,
    /// The object, a task, runs.
    Run,
    /// An interrupt, the object, is entered.
    IsrIn,
    /// The interrupt is left.
    IsrOut,
    /// The first number is the total of records that the target has dropped since it started.
    Drop,
    /// It names keys, see [`Record::names`].
    Name,
    /// The target starts: times, numbers and states start over.
    Reset,
    /// An assertion failed.
    Assert,
}

/// A space of keys.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    pub(super) name: &'static str,
    pub(super) class: Class,
}

impl Space {
    pub const fn objects(name: &'static str) -> Space {
        Space::of(name, Class::OBJECT)
    }

    /// A space of another class.
    pub const fn of(name: &'static str, class: Class) -> Space {
        Space { name, class }
    }
}
