//! Numbers in frames, and field names with how to show a number and what it means.

use spytui_plugin_api::{FieldInfo, FieldMeans, NumberInfo, Severity};

/// A number in a frame: any integer or float type.
///
/// ```
/// use spytui_plugin_layer::{Number, Value};
///
/// let number = u16::read(&[0x34, 0x12, 0xFF], false);
/// assert_eq!(number.map(Number::value), Some(Value::Unsigned(0x1234)));
/// ```
pub trait Number: Copy {
    /// Its size in bytes.
    const BYTES: usize;

    /// The number at the start of `bytes`; `None` = too few bytes.
    fn read(bytes: &[u8], is_big_endian: bool) -> Option<Self>;

    /// The number with its type.
    fn value(self) -> Value;
}

/// A number with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Unsigned.
    Unsigned(u64),
    /// Signed.
    Signed(i64),
    /// A 32-bit float.
    Single(f32),
    /// A 64-bit float.
    Float(f64),
}

impl Value {
    /// The number as a key of a space, or as bits of flags.
    pub const fn bits(self) -> u64 {
        match self {
            Value::Unsigned(n) => n,
            Value::Signed(n) => n as u64,
            Value::Single(n) => n.to_bits() as u64,
            Value::Float(n) => n.to_bits(),
        }
    }

    /// The number as a float, rounded if necessary.
    pub const fn as_float(self) -> f64 {
        match self {
            Value::Unsigned(n) => n as f64,
            Value::Signed(n) => n as f64,
            Value::Single(n) => n as f64,
            Value::Float(n) => n,
        }
    }
}

macro_rules! number {
    ($($ty:ty => $variant:ident($wide:ty)),*) => {$(
        impl Number for $ty {
            const BYTES: usize = size_of::<$ty>();

            #[inline]
            fn read(bytes: &[u8], is_big_endian: bool) -> Option<Self> {
                let bytes = *bytes.first_chunk()?;
                Some(if is_big_endian { <$ty>::from_be_bytes(bytes) } else { <$ty>::from_le_bytes(bytes) })
            }

            #[inline]
            fn value(self) -> Value {
                Value::$variant(self as $wide)
            }
        }
    )*};
}

number! {
    u8 => Unsigned(u64), u16 => Unsigned(u64), u32 => Unsigned(u64), u64 => Unsigned(u64),
    i8 => Signed(i64), i16 => Signed(i64), i32 => Signed(i64), i64 => Signed(i64),
    f32 => Single(f32), f64 => Float(f64)
}

/// Name of a field, and how to show its number.
///
/// ```
/// use spytui_plugin_layer::{Named, named};
///
/// const RPM: Named = named("rpm").scale(0.1).unit("rpm");
/// const MODE: Named = named("mode").words(&[(0, "off"), (1, "run"), (7, "fault")]);
/// const FLAGS: Named = named("flags").bits(&[(0, "brake"), (1, "hot")]);
/// ```
///
/// In an application record, a field may be a state or a value over time, which views and exports then show:
///
/// ```
/// # use spytui_plugin_api::Severity;
/// # use spytui_plugin_layer::{Named, named};
/// const RPM: Named = named("rpm").scale(0.1).unit("rpm").value();
/// const MODE: Named = named("mode").words(&[(0, "off"), (1, "run"), (7, "fault")]).severe(&[(7, Severity::ERROR)]).state();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FieldName<'n> {
    pub(super) name: &'n str,
    pub(super) unit: &'n str,
    pub(super) scale: Option<f64>,
    pub(super) words: &'n [(u64, &'n str)],
    pub(super) bits: &'n [(u32, &'n str)],
    pub(super) is_hex: bool,
    pub(super) severe: &'n [(u64, Severity)],
    pub(super) means: FieldMeans,
}

/// A [`FieldName`] with names from the source code.
pub type Named = FieldName<'static>;

/// A field with this name.
pub const fn named(name: &str) -> FieldName<'_> {
    let means = FieldMeans::NOTHING;
    FieldName { name, unit: "", scale: None, words: &[], bits: &[], is_hex: false, severe: &[], means }
}

impl<'n> FieldName<'n> {
    /// Adds a unit, shown after the number.
    pub const fn unit(self, unit: &'n str) -> FieldName<'n> {
        FieldName { unit, ..self }
    }

    /// Multiplies the number by `scale`.
    pub const fn scale(self, scale: f64) -> FieldName<'n> {
        FieldName { scale: Some(scale), ..self }
    }

    /// Adds words for its numbers: an enumeration.
    pub const fn words(self, words: &'n [(u64, &'n str)]) -> FieldName<'n> {
        FieldName { words, ..self }
    }

    /// Adds words for its bits, numbered from 0.
    pub const fn bits(self, bits: &'n [(u32, &'n str)]) -> FieldName<'n> {
        FieldName { bits, ..self }
    }

    /// Shows it in hexadecimal, for example an address.
    pub const fn hex(self) -> FieldName<'n> {
        FieldName { is_hex: true, ..self }
    }

    /// Sets the minimum severity of records in which it has one of these numbers.
    pub const fn severe(self, severe: &'n [(u64, Severity)]) -> FieldName<'n> {
        FieldName { severe, ..self }
    }

    /// Makes it a state that lasts until the next record, in application records.
    pub const fn state(self) -> FieldName<'n> {
        FieldName { means: FieldMeans::STATE, ..self }
    }

    /// Makes it a value over time, in application records.
    pub const fn value(self) -> FieldName<'n> {
        FieldName { means: FieldMeans::VALUE, ..self }
    }

    /// Minimum severity of a record with this number.
    pub(super) fn severity_of(&self, number: u64) -> Option<Severity> {
        self.severe.iter().filter(|(own, _)| *own == number).map(|(_, severity)| *severity).max()
    }
}

impl From<FieldName<'_>> for FieldInfo {
    fn from(named: FieldName<'_>) -> FieldInfo {
        let word = |number: u64, word: &str| NumberInfo {
            number,
            word: word.into(),
            severity: named.severity_of(number).unwrap_or(Severity::NORMAL),
        };
        let has_word = |number: u64| named.words.iter().any(|(own, _)| *own == number);
        let without = named.severe.iter().filter(|(number, _)| !has_word(*number)).map(|(number, _)| word(*number, ""));
        let words = named.words.iter().map(|(number, text)| word(*number, text)).chain(without).collect();
        let unit = named.unit.into();
        FieldInfo { name: named.name.into(), means: named.means, unit, words, ..FieldInfo::default() }
    }
}

impl<'n> From<&'n str> for FieldName<'n> {
    fn from(name: &'n str) -> FieldName<'n> {
        named(name)
    }
}
