//! Formatters: they give application records of a protocol their text, kind word and fields.
//!
//! After a decoder has rendered an application record, the host asks the formatters of its protocol in order; the first
//! that knows the record is used. What a formatter leaves out stays as the decoder has it; its fields are put before the
//! decoder's. Like rendering, formatting is pure: the same record gives the same text. Reference text is never formatted.
//!
//! ```
//! use spytui_plugin_api::{AppRecord, DecoderOptions, Dict, Fault, Formatter, FormatterInfo, TextWriter, formatter};
//!
//! struct Oven;
//!
//! impl Formatter for Oven {
//!     fn open(_: &DecoderOptions<'_>) -> Result<Oven, Fault> {
//!         Ok(Oven)
//!     }
//!
//!     fn info() -> FormatterInfo {
//!         FormatterInfo::new("oven", "qs").with_fields(["temp"])
//!     }
//!
//!     fn format(&self, record: &AppRecord<'_>, _: &Dict<'_>, out: &mut TextWriter<'_>) -> Result<bool, Fault> {
//!         let (b"USER+2", Some(temp)) = (record.id(), record.element(0)) else { return Ok(false) };
//!         out.put(format!("{} °C", temp.num as i64).as_bytes());
//!         out.unsigned("temp", temp.num, 0, 0);
//!         Ok(true)
//!     }
//! }
//!
//! // In a library: `spytui_plugin_api::library!("oven", decoders: [], formatters: [formatter::<Oven>()])`.
//! assert_eq!(formatter::<Oven>().info().unwrap().protocol, "qs");
//! ```

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RString, RVec},
};

use crate::{
    guard::Fault,
    info::{DecoderOptions, OptSpec},
    render::{Dict, Field, FieldFlags},
    row::Row,
    text::TextWriter,
};

/// What a host needs to know about a formatter.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct FormatterInfo {
    /// Name, for messages.
    pub id: RString,
    /// Id of the decoder whose records it knows.
    pub protocol: RString,
    /// Kind words that it may give; filters know them.
    pub kind_words: RVec<RString>,
    /// Names of the fields that it may add; filters know them.
    pub fields: RVec<RString>,
    /// Its options. The user gives them with those of the decoder, as `ID-KEY`: `motor-table` for the key `table` of the
    /// formatter `motor`.
    pub options: RVec<OptSpec>,
}

impl FormatterInfo {
    /// A formatter that gives text alone.
    #[must_use]
    pub fn new(id: &str, protocol: &str) -> FormatterInfo {
        FormatterInfo { id: id.into(), protocol: protocol.into(), ..FormatterInfo::default() }
    }

    /// The same with these kind words.
    #[must_use]
    pub fn with_kind_words<'a>(self, words: impl IntoIterator<Item = &'a str>) -> FormatterInfo {
        FormatterInfo { kind_words: words.into_iter().map(RString::from).collect(), ..self }
    }

    /// The same with these fields.
    #[must_use]
    pub fn with_fields<'a>(self, names: impl IntoIterator<Item = &'a str>) -> FormatterInfo {
        FormatterInfo { fields: names.into_iter().map(RString::from).collect(), ..self }
    }

    /// The same with these options.
    #[must_use]
    pub fn with_options(self, options: impl IntoIterator<Item = OptSpec>) -> FormatterInfo {
        FormatterInfo { options: options.into_iter().collect(), ..self }
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
    #[must_use]
    pub fn id(&self) -> &'a [u8] {
        self.id.as_slice()
    }

    /// See [`AppRecord::name`].
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.name.as_slice()
    }

    /// The element with this index, from 0.
    #[must_use]
    pub fn element(&self, index: usize) -> Option<&'a Field> {
        let is_element = |field: &&Field| field.flags.contains(FieldFlags::ELEMENT);
        self.fields.as_slice().iter().filter(is_element).nth(index)
    }

    /// The field with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'a Field> {
        self.fields.as_slice().iter().find(|field| field.name.of(self.blob.as_slice()) == name.as_bytes())
    }
}

/// Gives application records their text. Several threads use it at once; what it knows, it knows when it is opened.
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
