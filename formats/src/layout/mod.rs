//! Layouts: what the bytes of an application record are, field by field, and what they mean.
//!
//! | module | what is in it |
//! |---|---|
//! | `field` | one field: `rpm:u16*0.1"rpm"` |
//! | `line` | the words of a `record` line behind its id |
//! | `texts` | words of numbers and of bits |

mod field;
mod line;
mod texts;

use std::{collections::HashMap, sync::Arc};

pub(crate) use line::record_words;
pub use texts::{Mark, Texts, Worded};
pub(crate) use texts::{bits, words};

use crate::{Endian, template::Mistake};

/// What the bytes of an application record are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Its fields, in wire order.
    pub fields: Vec<LayoutField>,
    /// What they mean to the views.
    pub meanings: Vec<Meaning>,
    /// The line has a text of its own, which shows them.
    pub has_text: bool,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutField {
    /// Its name; `None` = it is not shown.
    pub name: Option<String>,
    pub ty: FieldType,
    /// Byte order of its number, if not that of the record.
    pub endian: Option<Endian>,
    /// What its number is multiplied by.
    pub scale: Option<f64>,
    /// Unit of its number; may be empty.
    pub unit: String,
    /// Words that stand for its numbers.
    pub texts: Option<Arc<Texts>>,
    /// Name of these words, and where it stands in the line.
    pub(crate) texts_name: Option<(String, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Unsigned, of so many bytes.
    Unsigned(usize),
    /// Unsigned and shown as hexadecimal, of so many bytes.
    Hex(usize),
    /// Signed, of so many bytes.
    Signed(usize),
    /// A float of 4 or 8 bytes.
    Float(usize),
    /// Text of so many bytes, with zeros as fill; `None` = up to a zero, or to the end.
    Text(Option<usize>),
    /// Bytes; `None` = all that are left.
    Bytes(Option<usize>),
}

impl FieldType {
    /// Its size in bytes; `None` = that depends on the record.
    pub fn size(self) -> Option<usize> {
        match self {
            FieldType::Unsigned(size) | FieldType::Hex(size) | FieldType::Signed(size) | FieldType::Float(size) => {
                Some(size)
            }
            FieldType::Text(size) | FieldType::Bytes(size) => size,
        }
    }

    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        matches!(self, FieldType::Unsigned(_) | FieldType::Hex(_) | FieldType::Signed(_))
    }
}

/// What a record means to the views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The field with this index is a state.
    State(usize),
    /// The field with this index is a value over time.
    Value(usize),
    /// A span of this name begins.
    Begin(String),
    End(String),
}

impl Layout {
    /// Whether records with it may be more severe than others, or feed the views.
    pub fn has_effects(&self) -> bool {
        !self.meanings.is_empty() || self.has_marks()
    }

    /// Whether records with it may be more severe than others.
    pub fn has_marks(&self) -> bool {
        self.fields.iter().any(|field| field.texts.as_ref().is_some_and(|texts| texts.has_marks()))
    }

    /// The names of its fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().filter_map(|field| field.name.as_deref())
    }

    /// The index of a field.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name.as_deref() == Some(name))
    }

    /// Bytes that a record has at least.
    pub fn least_size(&self) -> usize {
        self.fields.iter().filter_map(|field| field.ty.size()).sum()
    }

    /// Looks up its words; the mistake of the first field whose words are not known or do not fit it. Places are those of
    /// the line.
    pub(crate) fn resolve(&mut self, known: &HashMap<String, Arc<Texts>>) -> Result<(), Mistake> {
        for field in &mut self.fields {
            let Some((name, at)) = &field.texts_name else { continue };
            let wrong = |message| Mistake { at: *at, message };
            let texts = known.get(name).ok_or_else(|| wrong(unknown(name, known)))?;
            if let Some(message) = texts.exceeds(field.ty) {
                return Err(wrong(format!("{name} {message}")));
            }
            field.texts = Some(Arc::clone(texts));
        }
        Ok(())
    }
}

/// Names listed in a message.
const MOST_LISTED: usize = 12;

fn unknown(name: &str, known: &HashMap<String, Arc<Texts>>) -> String {
    let mut names: Vec<&str> = known.keys().map(String::as_str).collect();
    names.sort_unstable();
    names.truncate(MOST_LISTED);
    match names.as_slice() {
        [] => format!("no words or bits {name}; a line defines them: words {name} 0 off 1 on"),
        names => format!("no words or bits {name}; there are {}", names.join(" ")),
    }
}
