//! Line patterns: literal text with places for fields, split up at compile time.
//!
//! `{name}` is a field in the form of its type, `{name:form}` in another one; see [`form`].

use super::{Field, MAX_FIELDS, NO_FIELD};

/// Forms of a place.
pub(crate) mod form {
    /// As the type asks: key by its name, number in decimals.
    pub(crate) const PLAIN: u8 = 0;
    /// `:3`, `:8`, `:10` decimal, zero-filled.
    pub(crate) const ZERO_3: u8 = 3;
    pub(crate) const ZERO_8: u8 = 8;
    pub(crate) const ZERO_10: u8 = 10;
    /// `:n` signed 32-bit decimal, 8 digits zero-filled.
    pub(crate) const SIGNAL: u8 = b'n';
    /// `:i` signed 32-bit decimal.
    pub(crate) const SIGNED: u8 = b'i';
    /// `:x` address with the digits of its present size.
    pub(crate) const ADDRESS: u8 = b'x';
    /// `:h` high nibble as two hexadecimal digits.
    pub(crate) const HIGH: u8 = b'h';
    /// `:l` low nibble.
    pub(crate) const LOW: u8 = b'l';
    /// `:r` name of a command to the target.
    pub(crate) const COMMAND: u8 = b'r';
    /// `:g` low three bits: group of enumerations.
    pub(crate) const GROUP: u8 = b'g';
    /// `:k` answer to a command, in the host's words; `:K` in ours.
    pub(crate) const STATUS: u8 = b'k';
    pub(crate) const NATIVE_STATUS: u8 = b'K';
    /// `:a` address without leading zeros.
    pub(crate) const SHORT_ADDRESS: u8 = b'a';
    /// `:P` memory.
    pub(crate) const NATIVE_ITEMS: u8 = b'P';
    /// `:s` the sender, with an arrow; nothing where there is none.
    pub(crate) const SENDER: u8 = b's';
    /// `:e` an interval, nothing when 0.
    pub(crate) const EVERY: u8 = b'e';
}

/// Longest literal of a piece; longer ones take several.
pub(crate) const LITERAL: usize = 16;

/// A literal, and the field that follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// The literal, filled up, so that it can be copied as one block.
    pub(crate) literal: [u8; LITERAL],
    pub(crate) len: u8,
    /// Index of the field; [`NO_FIELD`] after the last literal.
    pub(crate) field: u8,
    pub(crate) form: u8,
}

const MAX_PIECES: usize = MAX_FIELDS + 3;
const NO_PIECE: Piece = Piece { literal: [0; LITERAL], len: 0, field: NO_FIELD, form: form::PLAIN };

/// A pattern, split up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pieces: [Piece; MAX_PIECES],
    len: usize,
}

impl Pattern {
    pub(crate) fn pieces(&self) -> &[Piece] {
        self.pieces.get(..self.len).unwrap_or(&[])
    }

    /// Splits `text` up. A name that is no field stops the build.
    pub(crate) const fn new(text: &'static str, fields: &[Field]) -> Pattern {
        let mut pattern = Pattern { pieces: [NO_PIECE; MAX_PIECES], len: 0 };
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (literal, tail) = rest.split_at(find(rest, b'{'));
            let (inside, after) = tail.split_at(find(tail, b'}'));
            pattern = pattern.literal(literal);
            if !inside.is_empty() {
                let (name, form) = inside.split_at(find(inside, b':'));
                pattern.pieces[pattern.len - 1].field = index_of(name.split_at(1).1, fields);
                pattern.pieces[pattern.len - 1].form = form_of(form);
            }
            rest = if after.is_empty() { after } else { after.split_at(1).1 };
        }
        pattern
    }

    /// Adds a literal, even an empty one.
    const fn literal(mut self, mut literal: &[u8]) -> Pattern {
        loop {
            let len = if literal.len() < LITERAL { literal.len() } else { LITERAL };
            let (now, later) = literal.split_at(len);
            let mut i = 0;
            while i < len {
                self.pieces[self.len].literal[i] = now[i];
                i += 1;
            }
            self.pieces[self.len].len = len as u8;
            self.len += 1;
            if later.is_empty() {
                return self;
            }
            literal = later;
        }
    }
}

const fn form_of(text: &[u8]) -> u8 {
    match text {
        [] => form::PLAIN,
        [b':', b'1', b'0'] => form::ZERO_10,
        [b':', b'3'] => form::ZERO_3,
        [b':', b'8'] => form::ZERO_8,
        [b':', letter] => *letter,
        _ => panic!("unknown form"),
    }
}

const fn find(text: &[u8], wanted: u8) -> usize {
    let mut i = 0;
    while i < text.len() && text[i] != wanted {
        i += 1;
    }
    i
}

const fn index_of(name: &[u8], fields: &[Field]) -> u8 {
    let mut i = 0;
    while i < fields.len() {
        if equal(name, fields[i].name.as_bytes()) {
            return i as u8;
        }
        i += 1;
    }
    panic!("a pattern names a field that the record does not have")
}

pub(crate) const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
