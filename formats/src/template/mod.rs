//! Templates: compiled once, rendered onto data often.
//!
//! | module | what is in it |
//! |---|---|
//! | `compile` | text to pieces |
//! | `render` | pieces and data to text, integers as `printf` writes them |

mod compile;
mod render;

use std::{collections::HashMap, sync::Arc};

pub(crate) use compile::{Mistake, Syntax, compile};

/// A compiled template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
    /// Whether ` [+K]` at the end gives the number of bytes not reached.
    reports_rest: bool,
}

/// Texts of values.
pub(crate) type Enum = HashMap<i128, String>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Integer(Integer),
    /// `%s`.
    Text(Layout),
    /// `%b`, of so many bytes.
    Bytes(Layout),
    /// `%n`, of so many bytes.
    Skip(Option<usize>),
    /// `%@N`.
    Place(usize),
    /// `{N}` or `{NAME}`.
    Field(FieldRef),
}

/// How `printf` lays something out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Layout {
    /// `-`: to the left.
    left: bool,
    /// `0`: filled with zeros.
    zeros: bool,
    /// `#`: with the prefix of its base.
    prefix: bool,
    /// `+`: with a sign.
    plus: bool,
    /// Blank: with a blank in place of a sign.
    blank: bool,
    width: usize,
    precision: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Integer {
    layout: Layout,
    /// Size in bytes; that of the record without one.
    size: Option<usize>,
    form: Form,
    /// Behind `{`.
    texts: Option<EnumRef>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Signed,
    Unsigned,
    Hex { upper: bool },
    Octal,
    Character,
}

/// An enum by name, and its texts once they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EnumRef {
    name: String,
    /// Where the name stands in the template.
    at: usize,
    texts: Arc<Enum>,
    /// A value without a text has the form of the conversion.
    keeps_form: bool,
}

/// Names a field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldRef {
    /// The element with this index, from 0.
    Index(usize),
    /// The field with this name.
    Name(String),
}

/// The fields of a record.
pub trait Fields {
    /// Appends the text of a field; `false` if there is none.
    fn put(&self, field: &FieldRef, out: &mut Vec<u8>) -> bool;
}

/// A record without fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFields;

impl Fields for NoFields {
    fn put(&self, _: &FieldRef, _: &mut Vec<u8>) -> bool {
        false
    }
}

impl Template {
    /// Whether it shows a field.
    pub(crate) fn uses_fields(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Field(_)))
    }

    /// The names of the fields that it shows.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field(FieldRef::Name(name)) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether it is one integer, with any text around it.
    pub(crate) fn is_one_integer(&self) -> bool {
        let mut others = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_)));
        matches!((others.next(), others.next()), (Some(Piece::Integer(_)), None))
    }

    /// Whether its conversions read this element, from 0, as something else than an unsigned integer of 4 or 8 bytes; not
    /// where fields or `%@` leave open which conversion reads it.
    pub(crate) fn shows_no_total(&self, element: usize) -> bool {
        let is_wide = |size: &Option<usize>| size.is_none_or(|size| size >= 4);
        let mut read = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_)));
        if read.clone().any(|piece| matches!(piece, Piece::Field(_) | Piece::Place(_))) {
            return false;
        }
        match read.nth(element) {
            Some(Piece::Integer(Integer { size, form, .. })) => {
                !is_wide(size) || matches!(form, Form::Signed | Form::Character)
            }
            Some(Piece::Skip(size)) => !is_wide(size),
            Some(_) => true,
            None => false,
        }
    }

    /// Number of its conversions and fields.
    pub(crate) fn conversions(&self) -> usize {
        self.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_))).count()
    }

    /// The same, without ` [+K]` at its end.
    pub(crate) fn silent(self) -> Template {
        Template { reports_rest: false, ..self }
    }

    /// Looks up its enums; the mistake of the first that is not known.
    pub(crate) fn resolve(&mut self, enums: &HashMap<String, Arc<Enum>>) -> Result<(), Mistake> {
        for piece in &mut self.pieces {
            if let Piece::Integer(Integer { texts: Some(wanted), .. }) = piece {
                wanted.keeps_form = !enums.contains_key(&wanted.name);
                let name = wanted.name.strip_suffix('?').filter(|_| wanted.keeps_form).unwrap_or(&wanted.name);
                let Some(texts) = enums.get(name) else {
                    return Err(Mistake { at: wanted.at, message: format!("no enum {name}") });
                };
                wanted.texts = Arc::clone(texts);
            }
        }
        Ok(())
    }
}
