//! Formatters: they give application records of a protocol their text, kind word and fields.
//!
//! After a decoder has rendered an application record, the host asks the formatters for it in order; the first that knows
//! the record is used. What a formatter leaves out stays as the decoder has it; its fields are put before the decoder's.
//! Like rendering, formatting is pure: the same record gives the same text. Reference text is never formatted.
//!
//! A field may be a state or a value over time, and a number of it may make the record severe ([`FieldInfo`]). Such
//! records are formatted while they are decoded, too, without names of the dictionary.

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RString, RVec},
};

use crate::{
    guard::Fault,
    info::{DecoderOptions, OptSpec},
    number::named_numbers,
    render::{Dict, Field, FieldFlags},
    row::{Row, Severity},
    text::TextWriter,
};

/// What a host needs to know about a formatter.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct FormatterInfo {
    /// Name, for messages and commands. Most are called as their record.
    pub id: RString,
    /// Id of the decoder whose records it knows.
    pub protocol: RString,
    /// The records that it knows, by name or as the list shows them without one: `USER+5`. It is asked for no others.
    /// Empty = it is asked for all, which takes time for each.
    pub records: RVec<RString>,
    /// Kind words that it may give; filters know them.
    pub kind_words: RVec<RString>,
    /// The fields that it may add; filters know their names.
    pub fields: RVec<FieldInfo>,
    /// Its options. The user gives them with those of the decoder, as `ID-KEY`: `motor-table` for the key `table` of the
    /// formatter `motor`.
    pub options: RVec<OptSpec>,
}

impl FormatterInfo {
    /// What an id is, in words.
    pub const ID_GRAMMAR: &'static str = "printable ASCII without spaces and =, at most 64";

    /// Whether a text can be an id.
    pub fn is_id(text: &str) -> bool {
        (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'=')
    }

    /// Whether it is asked for a record with this id or name.
    pub fn is_for(&self, name: &[u8]) -> bool {
        self.records.is_empty() || self.records.iter().any(|record| record.as_bytes() == name)
    }

    /// A formatter that gives text alone.
    pub fn new(id: &str, protocol: &str) -> FormatterInfo {
        FormatterInfo { id: id.into(), protocol: protocol.into(), ..FormatterInfo::default() }
    }

    /// The same with these kind words.
    #[must_use]
    pub fn with_kind_words<'a>(self, words: impl IntoIterator<Item = &'a str>) -> FormatterInfo {
        FormatterInfo { kind_words: words.into_iter().map(RString::from).collect(), ..self }
    }

    /// The same for these records alone.
    #[must_use]
    pub fn with_records<'a>(self, names: impl IntoIterator<Item = &'a str>) -> FormatterInfo {
        FormatterInfo { records: names.into_iter().map(RString::from).collect(), ..self }
    }

    /// The same with these fields: names, or names with what their numbers mean.
    #[must_use]
    pub fn with_fields(self, fields: impl IntoIterator<Item = impl Into<FieldInfo>>) -> FormatterInfo {
        FormatterInfo { fields: fields.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same with these options.
    #[must_use]
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
    /// What its number is for the views.
    pub means: FieldMeans,
    /// Unit of its number; empty = none.
    pub unit: RString,
    /// Words for its numbers.
    pub words: RVec<NumberInfo>,
}

/// What a number of a field says.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct NumberInfo {
    /// The number.
    pub number: u64,
    /// Its word; empty = none.
    pub word: RString,
    /// A record with this number is as severe as this at least.
    pub severity: Severity,
}

named_numbers! {
    /// What the number of a field is for the views.
    pub struct FieldMeans(u8) {
        /// Nothing but a field.
        NOTHING = 0,
        /// A state, up to the next record with this field.
        STATE = 1,
        /// A value over time.
        VALUE = 2,
    }
}

impl FieldInfo {
    /// Whether it makes records severe, or feeds the views: then its records are formatted while they are decoded, too.
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
    /// Its id as the list names it without a dictionary: `USER+2`, `marker:5`.
    pub id: RSlice<'a, u8>,
    /// Its name in the dictionary; empty if it has none.
    pub name: RSlice<'a, u8>,
    /// What the program put in, in wire order, without time stamp and format bytes. Integers are little-endian, or
    /// big-endian if the row has [`crate::RowFlags::BIG_ENDIAN`].
    pub payload: RSlice<'a, u8>,
    /// The decoder's fields; elements of the record have [`FieldFlags::ELEMENT`].
    pub fields: RSlice<'a, Field>,
    /// Arena of the fields' names and texts.
    pub blob: RSlice<'a, u8>,
}

impl<'a> AppRecord<'a> {
    /// See [`AppRecord::id`].
    pub fn id(&self) -> &'a [u8] {
        self.id.as_slice()
    }

    /// See [`AppRecord::name`].
    pub fn name(&self) -> &'a [u8] {
        self.name.as_slice()
    }

    /// The element with this index, from 0.
    pub fn element(&self, index: usize) -> Option<&'a Field> {
        let is_element = |field: &&Field| field.flags.contains(FieldFlags::ELEMENT);
        self.fields.as_slice().iter().filter(is_element).nth(index)
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&'a Field> {
        self.fields.as_slice().iter().find(|field| field.name.of(self.blob.as_slice()) == name.as_bytes())
    }
}

/// Gives application records their text. Several threads use it at once; what it knows, it knows when it is opened.
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
/// // Its test: the rules of this API hold.
/// spytui_plugin_api::kit::conform_formatter(formatter::<Oven>(), "USER+2", &[23]);
/// ```
pub trait Formatter: Sized + Send + Sync + 'static {
    /// The description of the formatter.
    fn info() -> FormatterInfo;

    /// Opens it with the values of its options, by their own keys.
    ///
    /// # Errors
    /// Options that it can't use, as a file that is not what it should be. The formatter is not asked then, and the
    /// message is shown.
    fn open(options: &DecoderOptions<'_>) -> Result<Self, Fault>;

    /// Writes kind word, text and fields of a record; `false` = not one that it knows. What is not written stays as the
    /// decoder has it.
    ///
    /// # Errors
    /// The record keeps the decoder's text, its row is marked, and the message is shown once.
    fn format(&self, record: &AppRecord<'_>, dict: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault>;
}
