//! Templates: compiled once, rendered often.
//!
//! | module | what is in it |
//! |---|---|
//! | `compile` | text to pieces |
//! | `render` | pieces and data to text, with integers as in `printf` |

mod compile;
mod render;

use std::{collections::HashMap, sync::Arc};

pub(crate) use compile::{Mistake, Syntax, compile};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
    /// Whether to append ` [+K]`, the number of bytes not reached.
    reports_rest: bool,
}

pub(crate) type Enum = HashMap<i128, String>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Integer(Integer),
    Text(Layout),
    /// `%b` and the number of bytes.
    Bytes(Layout),
    /// `%n` and the size in bytes.
    Skip(Option<usize>),
    Place(usize),
    Field(FieldRef),
}

/// Layout of a `printf` conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Layout {
    /// `-`: align left.
    left: bool,
    /// `0`: pad with zeros.
    zeros: bool,
    /// `#`: prefix with the base.
    prefix: bool,
    /// `+`: always show the sign.
    plus: bool,
    /// Blank: show a blank instead of `+`.
    blank: bool,
    width: usize,
    precision: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Integer {
    layout: Layout,
    /// Size in bytes; `None` = the record's integer size.
    size: Option<usize>,
    form: Form,
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

/// An enum's name, and its texts once resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EnumRef {
    name: String,
    /// Offset of the name in the template.
    at: usize,
    texts: Arc<Enum>,
    /// Values without a text keep the form of the conversion.
    keeps_form: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldRef {
    Index(usize),
    Name(String),
}

pub trait Fields {
    /// Appends the text of a field; returns `false` if it does not exist.
    fn put(&self, field: &FieldRef, out: &mut Vec<u8>) -> bool;
}

#[derive(Clone, Copy, Debug, Default)]
pub struct NoFields;

impl Fields for NoFields {
    fn put(&self, _: &FieldRef, _: &mut Vec<u8>) -> bool {
        false
    }
}

impl Template {
    pub(crate) fn uses_fields(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Field(_)))
    }

    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field(FieldRef::Name(name)) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether it contains exactly one integer, with any text around it.
    pub(crate) fn is_one_integer(&self) -> bool {
        let mut others = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_)));
        matches!((others.next(), others.next()), (Some(Piece::Integer(_)), None))
    }

    /// Whether its conversions read this element as something other than an unsigned integer of 4 or 8 bytes; `false`
    /// if fields or `%@` make it uncertain which conversion reads it.
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

    pub(crate) fn conversions(&self) -> usize {
        self.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_))).count()
    }

    /// Removes ` [+K]` at its end.
    pub(crate) fn silent(self) -> Template {
        Template { reports_rest: false, ..self }
    }

    /// Looks up its enums; fails at the first unknown one.
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
