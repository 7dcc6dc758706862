//! Fields of records by name, and line patterns, parsed at compile time: literal text with placeholders for fields.

/// Most bytes of a literal that is copied as one block.
pub const LITERAL: usize = 16;
/// "No such field".
pub const NO_FIELD: u8 = 0xFF;

/// A field of a record; its type is the decoder's.
#[derive(Clone, Copy, Debug)]
pub struct Field<T> {
    /// Name.
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

/// Index of a byte; the length if there is none.
const fn find(text: &[u8], byte: u8) -> usize {
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
