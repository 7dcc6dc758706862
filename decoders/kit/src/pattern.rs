//! Fields of records by name, and line patterns, parsed at compile time: literal text with placeholders for fields.

/// Most bytes of a literal that is copied as one block.
pub const LITERAL: usize = 16;
/// "No such field".
pub const NO_FIELD: u8 = 0xFF;

/// A field of a record; its type is the decoder's.
#[derive(Clone, Copy, Debug)]
pub struct Field<T> {
    pub name: &'static str,
    /// Type.
    pub ty: T,
}

/// Index of a field by its name, or [`NO_FIELD`].
pub const fn named<T>(fields: &[Field<T>], name: &str) -> u8 {
    index_of(fields, name.as_bytes())
}

const fn index_of<T>(fields: &[Field<T>], name: &[u8]) -> u8 {
    let mut i = 0;
    while i < fields.len() {
        if equal(fields[i].name.as_bytes(), name) {
            return i as u8;
        }
        i += 1;
    }
    NO_FIELD
}

/// Whether two texts are equal.
pub const fn equal(a: &[u8], b: &[u8]) -> bool {
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

/// Pads a text with zeros so that it can be copied as one block. An overlong text fails the build.
pub const fn pad<const N: usize>(text: &[u8]) -> [u8; N] {
    let (mut block, mut i) = ([0; N], 0);
    while i < text.len() {
        block[i] = text[i];
        i += 1;
    }
    block
}

/// The beginning of a pattern: a literal and the placeholder after it, `literal{name:form}`.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Text before the placeholder; may be empty.
    pub literal: &'a [u8],
    /// Index of the field, or [`NO_FIELD`] at the end of the pattern.
    pub field: u8,
    /// `:form`; may be empty.
    pub form: &'a [u8],
    /// The pattern after the placeholder.
    pub rest: &'a [u8],
}

/// Splits off the beginning of a pattern. An unknown field name fails the build.
pub const fn split<'a, T>(pattern: &'a [u8], fields: &[Field<T>]) -> Part<'a> {
    let (literal, tail) = pattern.split_at(find(pattern, b'{'));
    if tail.is_empty() {
        return Part { literal, field: NO_FIELD, form: tail, rest: tail };
    }
    let (inside, after) = tail.split_at(find(tail, b'}'));
    let (name, form) = inside.split_at(find(inside, b':'));
    let field = index_of(fields, name.split_at(1).1);
    assert!(field != NO_FIELD, "a pattern names a field that the record does not have");
    Part { literal, field, form, rest: if after.is_empty() { after } else { after.split_at(1).1 } }
}

/// A literal, and the field that follows it.
#[derive(Clone, Copy, Debug)]
pub struct Piece<F> {
    /// The literal, padded so that it can be copied as one block.
    pub literal: [u8; LITERAL],
    /// Its length.
    pub len: u8,
    /// Index of the field, or [`NO_FIELD`] after the last literal.
    pub field: u8,
    /// How the field is written.
    pub form: F,
}

/// A parsed pattern of at most `N` pieces; the forms of fields are the decoder's.
#[derive(Clone, Copy, Debug)]
pub struct Pattern<F, const N: usize> {
    pieces: [Piece<F>; N],
    len: usize,
}

impl<F: Copy, const N: usize> Pattern<F, N> {
    /// No pieces yet. `nothing` = form of a literal without a field.
    pub const fn new(nothing: F) -> Pattern<F, N> {
        Pattern { pieces: [Piece { literal: [0; LITERAL], len: 0, field: NO_FIELD, form: nothing }; N], len: 0 }
    }

    /// Appends a literal, even an empty one. A pattern that is too long fails the build.
    pub const fn literal(mut self, mut literal: &[u8]) -> Pattern<F, N> {
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

    /// Lets a field follow the last literal.
    pub const fn field(mut self, field: u8, form: F) -> Pattern<F, N> {
        self.pieces[self.len - 1].field = field;
        self.pieces[self.len - 1].form = form;
        self
    }

    #[inline]
    pub fn pieces(&self) -> &[Piece<F>] {
        self.pieces.get(..self.len).unwrap_or(&[])
    }

    /// The form of each field where it stands first; `nothing` for one that does not.
    pub const fn forms<const M: usize>(&self, nothing: F) -> [F; M] {
        let (mut forms, mut i) = ([nothing; M], self.len);
        while i > 0 {
            i -= 1;
            let piece = self.pieces[i];
            if piece.field != NO_FIELD {
                forms[piece.field as usize] = piece.form;
            }
        }
        forms
    }
}

/// Index of a byte; the length if there is none.
pub const fn find(text: &[u8], byte: u8) -> usize {
    let mut i = 0;
    while i < text.len() && text[i] != byte {
        i += 1;
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [Field<()>; 2] = [Field { name: "obj", ty: () }, Field { name: "sig", ty: () }];

    #[test]
    fn a_pattern_is_split_part_by_part() {
        let mut rest = &b"{sig} to {obj:x}{obj}, done"[..];
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let part = split(rest, &FIELDS);
            parts.push((part.literal, part.field, part.form));
            rest = part.rest;
        }
        let expected: [(&[u8], u8, &[u8]); 4] =
            [(b"", 1, b""), (b" to ", 0, b":x"), (b"", 0, b""), (b", done", NO_FIELD, b"")];
        assert_eq!(parts, expected);
    }

    #[test]
    #[should_panic(expected = "a field that the record does not have")]
    fn a_name_that_is_no_field_is_refused() {
        split(b"{que}", &FIELDS);
    }
}
