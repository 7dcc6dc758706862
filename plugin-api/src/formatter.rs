//! Formatters provide text, kind word and fields for application records of a protocol.
//!
//! After a decoder has rendered an application record, the host asks the formatters in order and uses the first that
//! knows the record. Anything a formatter omits stays as the decoder wrote it; its fields precede the decoder's. Like
//! rendering, formatting is pure: the same record yields the same text. Reference text is never formatted.
//!
//! A field may be a state or a value over time, and a number of it may raise the record's severity ([`FieldInfo`]).
//! Such records are also formatted during decoding, without dictionary names.

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RString, RVec},
};

use crate::{
    DecoderOptions, Dict, Fault, Field, Row, Severity, TextWriter, info::OptSpec, number::named_numbers,
    render::FieldFlags,
};

/// What a host needs to know about a formatter.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct FormatterInfo {
    /// Name, used in messages and commands. By convention, the record's name.
    pub id: RString,
    /// Id of the decoder whose records it formats.
    pub protocol: RString,
    /// Records that it formats, by name or by id (`USER+5`). It is not asked for others. Empty = all, which costs time
    /// for each record.
    pub records: RVec<RString>,
    /// Kind words that it may write; filters know them.
    pub kind_words: RVec<RString>,
    /// Fields that it may add; filters know their names.
    pub fields: RVec<FieldInfo>,
    /// Its options. Users set them with the decoder's options as `ID-KEY`: `motor-table` is the key `table` of the
    /// formatter `motor`.
    pub options: RVec<OptSpec>,
}

impl FormatterInfo {
    /// Allowed ids, in words.
    pub const ID_GRAMMAR: &'static str = "printable ASCII without spaces and =, at most 64";

    /// Whether a text can be an id.
    pub fn is_id(text: &str) -> bool {
        (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'=')
    }

    /// Whether it formats records with this id or name.
    pub fn is_for(&self, name: &[u8]) -> bool {
        self.records.is_empty() || self.records.iter().any(|record| record.as_bytes() == name)
    }

    /// A formatter that only writes text.
    pub fn new(id: &str, protocol: &str) -> FormatterInfo {
        FormatterInfo { id: id.into(), protocol: protocol.into(), ..FormatterInfo::default() }
    }

    /// Adds records to format.
    pub fn with_records<'a>(self, names: impl IntoIterator<Item = &'a str>) -> FormatterInfo {
        FormatterInfo { records: names.into_iter().map(RString::from).collect(), ..self }
    }

    /// Adds fields: names, or names with the meaning of their numbers.
    pub fn with_fields(self, fields: impl IntoIterator<Item = impl Into<FieldInfo>>) -> FormatterInfo {
        FormatterInfo { fields: fields.into_iter().map(Into::into).collect(), ..self }
    }

    /// Adds options.
    pub fn with_options(self, options: impl IntoIterator<Item = OptSpec>) -> FormatterInfo {
        FormatterInfo { options: options.into_iter().collect(), ..self }
    }
}

/// A field that a formatter may add.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct FieldInfo {
    /// Its name.
    pub name: RString,
    /// How views use its number.
    pub means: FieldMeans,
    /// Unit of its number; may be empty.
    pub unit: RString,
    /// Words for its numbers.
    pub words: RVec<NumberInfo>,
    /// Reserved for later minor versions, like the next two: see [`crate::info`].
    pub reserved_number: u64,
    #[doc(hidden)]
    pub reserved_text: RString,
    #[doc(hidden)]
    pub reserved_list: RVec<RString>,
}

/// The meaning of a number of a field.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct NumberInfo {
    /// The number.
    pub number: u64,
    /// Its word; may be empty.
    pub word: RString,
    /// Minimum severity of a record with this number.
    pub severity: Severity,
}

named_numbers! {
    /// How views use the number of a field.
    pub struct FieldMeans(u8) {
        /// Not used by views.
        NOTHING = 0,
        /// A state that lasts until the next record with this field.
        STATE = 1,
        /// A value over time.
        VALUE = 2,
    }
}

impl FieldInfo {
    /// Whether it raises severity or feeds views: then records are also formatted during decoding.
    pub fn has_effects(&self) -> bool {
        self.means != FieldMeans::NOTHING || self.words.iter().any(|word| word.severity != Severity::NORMAL)
    }
}

impl From<&str> for FieldInfo {
    fn from(name: &str) -> FieldInfo {
        FieldInfo { name: name.into(), ..FieldInfo::default() }
    }
}

/// An application record.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct AppRecord<'a> {
    /// The row.
    pub row: &'a Row,
    /// Its id as lists show it without a dictionary: `USER+2`, `marker:5`.
    pub id: RSlice<'a, u8>,
    /// Its name in the dictionary; empty if it has none.
    pub name: RSlice<'a, u8>,
    /// The program's data, in wire order, without time stamp and format bytes. Integers are little-endian unless the
    /// row has [`crate::RowFlags::BIG_ENDIAN`].
    pub payload: RSlice<'a, u8>,
    /// The decoder's fields; elements of the record have [`FieldFlags::ELEMENT`].
    pub fields: RSlice<'a, Field>,
    /// Arena of the fields' names and texts.
    pub blob: RSlice<'a, u8>,
}

impl<'a> AppRecord<'a> {
    /// The element with this index, from 0.
    pub fn element(&self, index: usize) -> Option<&'a Field> {
        let is_element = |field: &&Field| field.flags.contains(FieldFlags::ELEMENT);
        self.fields.as_slice().iter().filter(is_element).nth(index)
    }
}

/// Writes the text of application records. Several threads share one instance, which does not change after `open`.
///
/// ```
/// use spytui_plugin_api::{AppRecord, DecoderOptions, Dict, Fault, Formatter, FormatterInfo, TextWriter, formatter};
///
/// struct Oven;
///
/// impl Formatter for Oven {
///     fn open(_: &DecoderOptions<'_>) -> Result<Oven, Fault> {
///         Ok(Oven)
///     }
///
///     fn info() -> FormatterInfo {
///         FormatterInfo::new("oven", "qs").with_records(["USER+2"]).with_fields(["temp"])
///     }
///
///     fn format(&self, record: &AppRecord<'_>, _: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault> {
///         let &[temp] = record.payload.as_slice() else { return Ok(false) };
///         out.put(format!("{temp} °C").as_bytes());
///         out.unsigned("temp", temp.into(), 0, 1);
///         Ok(true)
///     }
/// }
///
/// // In a library: `spytui_plugin_api::library!("oven", decoders: [], formatters: [formatter::<Oven>()])`.
/// // A test that checks the rules of this API:
/// spytui_plugin_host::kit::conform_formatter(formatter::<Oven>(), "USER+2", &[23]);
/// ```
pub trait Formatter: Sized + Send + Sync + 'static {
    /// The description of the formatter.
    fn info() -> FormatterInfo;

    /// Opens it with its options, under their own keys. After an error, such as a malformed file, the host skips the
    /// formatter and shows the message.
    fn open(options: &DecoderOptions<'_>) -> Result<Self, Fault>;

    /// Writes kind word, text and fields of a record; returns `false` if it does not know the record. Anything omitted
    /// stays as the decoder wrote it, as does all of it after an error; then the row is flagged, and the message shown once.
    fn format(&self, record: &AppRecord<'_>, dict: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault>;
}
