//! Line patterns: literal text with placeholders, parsed at compile time.
//!
//! `{name}` is a field in the default form of its type, `{name:form}` in another one; see [`Form`]. In native patterns,
//! `|` ends the kind word of records that have one of their own.

use spytui_decoder_kit::pattern::{LITERAL, NO_FIELD, equal, pad, split};

use super::{Field, MAX_FIELDS, Ty};

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Form {
    /// Nothing: the end of the pattern.
    Nothing,
    /// Nothing: the end of the kind word.
    KindWord,
    /// No form: decimal number.
    Number,
    /// No form: name of an object.
    Object,
    /// The same for `que`, which shares the reference host's text buffer with `obj`.
    SecondObject,
    /// No form: name of a function.
    Function,
    /// No form: name of a signal.
    Signal,
    /// No form: text.
    Text,
    /// `:3`, `:8`, `:10` decimal, zero-filled.
    Zero3,
    Zero8,
    Zero10,
    /// `:n` signed 32-bit decimal, 8 digits zero-filled.
    SignalNumber,
    /// `:i` signed 32-bit decimal.
    Signed,
    /// `:x` address of an object or function with the digits of its current size.
    ObjectAddress,
    FunctionAddress,
    /// `:h` high nibble as two hexadecimal digits.
    High,
    /// `:l` low nibble.
    Low,
    /// `:g` low three bits: group of enumerations.
    Group,
    /// `:r` name of a command to the target.
    Command,
    /// `:k` answer to a command, in the host's words.
    HostStatus,
    /// `:K` answer to a command, in ours.
    Status,
    /// `:d` number of a key.
    Key,
    /// `:a` address without leading zeros.
    ShortAddress,
    /// `:P` memory.
    Items,
    /// `:s` the sender with an arrow; empty if there is none.
    Sender,
    /// `:e` an interval; empty for 0.
    Every,
}

/// A literal, and the field that follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// The literal, padded so that it can be copied as one block.
    pub(crate) literal: [u8; LITERAL],
    pub(crate) len: u8,
    /// Index of the field, or [`NO_FIELD`] after the last literal.
    pub(crate) field: u8,
    pub(crate) form: Form,
}

const MAX_PIECES: usize = MAX_FIELDS + 3;
const NO_PIECE: Piece = Piece { literal: [0; LITERAL], len: 0, field: NO_FIELD, form: Form::Nothing };

/// A parsed pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pieces: [Piece; MAX_PIECES],
    len: usize,
}

impl Pattern {
    pub(crate) fn pieces(&self) -> &[Piece] {
        self.pieces.get(..self.len).unwrap_or(&[])
    }

    /// The form of each field where it stands first; [`Form::Nothing`] for one that does not.
    pub(crate) const fn forms(&self) -> [Form; MAX_FIELDS] {
        let (mut forms, mut i) = ([Form::Nothing; MAX_FIELDS], self.len);
        while i > 0 {
            i -= 1;
            let piece = self.pieces[i];
            if piece.field != NO_FIELD {
                forms[piece.field as usize] = piece.form;
            }
        }
        forms
    }

    /// Parses a pattern. An unknown field name fails the build.
    pub(crate) const fn new(text: &'static str, fields: &[Field]) -> Pattern {
        let mut pattern = Pattern { pieces: [NO_PIECE; MAX_PIECES], len: 0 };
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let part = split(rest, fields);
            let (word, behind) = split_word(part.literal);
            if let Some(word) = word {
                pattern = pattern.literal(word);
                pattern.pieces[pattern.len - 1].form = Form::KindWord;
            }
            pattern = pattern.literal(behind);
            if part.field != NO_FIELD {
                pattern.pieces[pattern.len - 1].field = part.field;
                pattern.pieces[pattern.len - 1].form = form_of(part.form, &fields[part.field as usize]);
            }
            rest = part.rest;
        }
        pattern
    }

    /// Appends a literal, even an empty one.
    const fn literal(mut self, mut literal: &[u8]) -> Pattern {
        loop {
            let len = if literal.len() < LITERAL { literal.len() } else { LITERAL };
            let (now, later) = literal.split_at(len);
            self.pieces[self.len].literal = pad(now);
            self.pieces[self.len].len = len as u8;
            self.len += 1;
            if later.is_empty() {
                return self;
            }
            literal = later;
        }
    }
}

/// Splits a literal at the end of the kind word, if it contains that.
const fn split_word(literal: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let mut i = 0;
    while i < literal.len() {
        if literal[i] == b'|' {
            let (word, behind) = literal.split_at(i);
            return (Some(word), behind.split_at(1).1);
        }
        i += 1;
    }
    (None, literal)
}

const fn form_of(text: &[u8], field: &Field) -> Form {
    match (text, field.ty) {
        ([], Ty::Obj) if equal(field.name.as_bytes(), b"que") => Form::SecondObject,
        ([], Ty::Obj) => Form::Object,
        ([], Ty::Fun) => Form::Function,
        ([], Ty::Sig) => Form::Signal,
        ([], Ty::Text) => Form::Text,
        ([], _) => Form::Number,
        ([b':', b'1', b'0'], _) => Form::Zero10,
        ([b':', b'3'], _) => Form::Zero3,
        ([b':', b'8'], _) => Form::Zero8,
        ([b':', b'n'], _) => Form::SignalNumber,
        ([b':', b'i'], _) => Form::Signed,
        ([b':', b'x'], Ty::Fun) => Form::FunctionAddress,
        ([b':', b'x'], _) => Form::ObjectAddress,
        ([b':', b'h'], _) => Form::High,
        ([b':', b'l'], _) => Form::Low,
        ([b':', b'g'], _) => Form::Group,
        ([b':', b'r'], _) => Form::Command,
        ([b':', b'k'], _) => Form::HostStatus,
        ([b':', b'K'], _) => Form::Status,
        ([b':', b'd'], _) => Form::Key,
        ([b':', b'a'], _) => Form::ShortAddress,
        ([b':', b'P'], _) => Form::Items,
        ([b':', b's'], _) => Form::Sender,
        ([b':', b'e'], _) => Form::Every,
        _ => panic!("unknown form"),
    }
}
