//! Fields of records by name; line patterns parsed at compile time: literal text with placeholders for fields; and the
//! activity of a record as columns of its table: a verb, with fields as operands.

use spytui_plugin_api::{Activity, ActivityFlags, NONE, Verb};

/// Maximum length of a literal copied as one block.
pub const LITERAL: usize = 16;
/// "No such field".
pub const NO_FIELD: u8 = 0xFF;

/// A field of a record; the decoder defines its type.
#[derive(Clone, Copy, Debug)]
pub struct Field<T> {
    pub name: &'static str,
    pub ty: T,
}

pub const fn field<T: Copy>(name: &'static str, ty: T) -> Field<T> {
    Field { name, ty }
}

/// Index of the field with a name, or [`NO_FIELD`].
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

/// Pads a text with zeros so that it can be copied as one block. Too long a text fails the build.
pub const fn pad<const N: usize>(text: &[u8]) -> [u8; N] {
    let (mut block, mut i) = ([0; N], 0);
    while i < text.len() {
        block[i] = text[i];
        i += 1;
    }
    block
}

/// The start of a pattern: a literal and the placeholder after it, `literal{name:form}`.
#[derive(Clone, Copy, Debug)]
pub struct PatternStart<'a> {
    /// Text before the placeholder; may be empty.
    pub literal: &'a [u8],
    /// Index of the field, or [`NO_FIELD`] at the end of the pattern.
    pub field: u8,
    /// `:form`; may be empty.
    pub form: &'a [u8],
    /// The pattern after the placeholder.
    pub rest: &'a [u8],
}

/// Splits off the first part of a pattern. An unknown field name fails the build.
pub const fn split<'a, T>(pattern: &'a [u8], fields: &[Field<T>]) -> PatternStart<'a> {
    let (literal, tail) = pattern.split_at(find(pattern, b'{'));
    if tail.is_empty() {
        return PatternStart { literal, field: NO_FIELD, form: tail, rest: tail };
    }
    let (inside, after) = tail.split_at(find(tail, b'}'));
    let (name, form) = inside.split_at(find(inside, b':'));
    let field = index_of(fields, name.split_at(1).1);
    assert!(field != NO_FIELD, "a pattern names a field that the record does not have");
    PatternStart { literal, field, form, rest: if after.is_empty() { after } else { after.split_at(1).1 } }
}

/// A literal, and the field that follows it.
#[derive(Clone, Copy, Debug)]
pub struct PatternPiece<F> {
    /// The literal, padded so that it can be copied as one block.
    pub literal: [u8; LITERAL],
    pub len: u8,
    /// Index of the field, or [`NO_FIELD`] after the last literal.
    pub field: u8,
    pub form: F,
}

/// A parsed pattern of at most `N` pieces; the decoder defines the forms of fields.
#[derive(Clone, Copy, Debug)]
pub struct Pattern<F, const N: usize> {
    pieces: [PatternPiece<F>; N],
    len: usize,
}

impl<F: Copy, const N: usize> Pattern<F, N> {
    /// An empty pattern. `nothing` = form of a literal without a field.
    pub const fn new(nothing: F) -> Pattern<F, N> {
        Pattern { pieces: [PatternPiece { literal: [0; LITERAL], len: 0, field: NO_FIELD, form: nothing }; N], len: 0 }
    }

    /// Appends a literal, which may be empty. Too long a pattern fails the build.
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

    /// Adds a field after the last literal.
    pub const fn field(mut self, field: u8, form: F) -> Pattern<F, N> {
        self.pieces[self.len - 1].field = field;
        self.pieces[self.len - 1].form = form;
        self
    }

    #[inline]
    pub fn pieces(&self) -> &[PatternPiece<F>] {
        self.pieces.get(..self.len).unwrap_or(&[])
    }

    /// The form in which each field first appears; `nothing` = does not appear.
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

/// An operand: a record's field, by name in the table and by index in a layout.
#[derive(Clone, Copy, Debug)]
struct Operand<Id> {
    /// Space of the key; [`NONE`] = no operand.
    space: u16,
    field: Id,
    /// Offset added to the field's number.
    plus: u64,
    /// The number 0 means no operand.
    zero_is_none: bool,
}

/// The activity of a record. Fields are names in the table (`Meaning<&str>`) and indices in a layout (`Meaning<u8>`).
#[derive(Clone, Copy, Debug)]
pub struct ActivityMeaning<Id> {
    verb: Verb,
    flags: ActivityFlags,
    sub: Operand<Id>,
    obj: Operand<Id>,
    item: Operand<Id>,
    val: Id,
    /// Added to the value of the field.
    fixed_val: u64,
    second: Id,
    second_space: u16,
    verb_without_second: Option<Verb>,
}

type FieldName = &'static str;

const NOTHING: Operand<FieldName> = Operand { space: NONE, field: "", plus: 0, zero_is_none: false };

impl ActivityMeaning<FieldName> {
    /// A verb without operands.
    pub const fn new(verb: Verb) -> Self {
        ActivityMeaning {
            verb,
            flags: ActivityFlags::empty(),
            sub: NOTHING,
            obj: NOTHING,
            item: NOTHING,
            val: "",
            fixed_val: 0,
            second: "",
            second_space: NONE,
            verb_without_second: None,
        }
    }

    /// Sets the subject. Without a field name: key 0.
    pub const fn sub(self, space: u16, field: FieldName) -> Self {
        ActivityMeaning { sub: Operand { space, field, ..NOTHING }, ..self }
    }

    /// Sets the subject, unless the field is 0.
    pub const fn sub_or_none(self, space: u16, field: FieldName) -> Self {
        ActivityMeaning { sub: Operand { space, field, zero_is_none: true, ..NOTHING }, ..self }
    }

    pub const fn obj(self, space: u16, field: FieldName) -> Self {
        ActivityMeaning { obj: Operand { space, field, ..NOTHING }, ..self }
    }

    /// Sets the object, unless the field is 0.
    pub const fn obj_or_none(self, space: u16, field: FieldName) -> Self {
        ActivityMeaning { obj: Operand { space, field, zero_is_none: true, ..NOTHING }, ..self }
    }

    /// Sets the object by a zero-based number; its key is one-based.
    pub const fn obj_from_zero(self, space: u16, field: FieldName) -> Self {
        ActivityMeaning { obj: Operand { space, field, plus: 1, ..NOTHING }, ..self }
    }

    pub const fn item(self, space: u16, field: FieldName) -> Self {
        ActivityMeaning { item: Operand { space, field, ..NOTHING }, ..self }
    }

    /// Sets the item to the same key for all records.
    pub const fn fixed_item(self, space: u16, key: u64) -> Self {
        ActivityMeaning { item: Operand { space, plus: key, ..NOTHING }, ..self }
    }

    pub const fn val(self, val: FieldName) -> Self {
        ActivityMeaning { val, ..self }
    }

    /// Sets the same value for all records.
    pub const fn fixed_val(self, fixed_val: u64) -> Self {
        ActivityMeaning { fixed_val, ..self }
    }

    pub const fn second(self, second: FieldName) -> Self {
        ActivityMeaning { second, ..self }
    }

    pub const fn second_key(self, second_space: u16, second: FieldName) -> Self {
        ActivityMeaning { second, second_space, ..self }
    }

    /// Sets the verb used if the second value is 0.
    pub const fn without_second(self, verb: Verb) -> Self {
        ActivityMeaning { verb_without_second: Some(verb), ..self }
    }

    pub const fn with(self, flags: ActivityFlags) -> Self {
        ActivityMeaning { flags: self.flags.union(flags), ..self }
    }

    pub const fn verb(self, verb: Verb) -> Self {
        ActivityMeaning { verb, ..self }
    }

    /// Replaces names by indices into the fields of a record. Names that the record lacks are dropped.
    pub const fn resolve<T>(self, fields: &[Field<T>]) -> ActivityMeaning<u8> {
        ActivityMeaning {
            verb: self.verb,
            flags: self.flags,
            sub: self.sub.resolve(fields),
            obj: self.obj.resolve(fields),
            item: self.item.resolve(fields),
            val: named(fields, self.val),
            fixed_val: self.fixed_val,
            second: named(fields, self.second),
            second_space: self.second_space,
            verb_without_second: self.verb_without_second,
        }
    }

    /// Like [`ActivityMeaning::resolve`]; `None` if the record lacks the value.
    pub const fn resolve_with_val<T>(self, fields: &[Field<T>]) -> Option<ActivityMeaning<u8>> {
        if named(fields, self.val) == NO_FIELD { None } else { Some(self.resolve(fields)) }
    }

    /// Like [`ActivityMeaning::resolve`]; a name that the record lacks fails the build.
    pub const fn resolve_all<T>(self, fields: &[Field<T>]) -> ActivityMeaning<u8> {
        let names = [self.sub.field, self.obj.field, self.item.field, self.val, self.second];
        let mut i = 0;
        while i < names.len() {
            let known = names[i].is_empty() || named(fields, names[i]) != NO_FIELD;
            assert!(known, "an activity names a field that the record does not have");
            i += 1;
        }
        self.resolve(fields)
    }
}

impl Operand<FieldName> {
    const fn resolve<T>(self, fields: &[Field<T>]) -> Operand<u8> {
        let field = named(fields, self.field);
        let missing = field == NO_FIELD && !self.field.is_empty();
        Operand {
            space: if missing { NONE } else { self.space },
            field,
            plus: self.plus,
            zero_is_none: self.zero_is_none,
        }
    }
}

impl ActivityMeaning<u8> {
    /// The activity of a record; `number` returns the number of a field, 0 for [`NO_FIELD`].
    pub fn activity(&self, core: u16, number: impl Fn(u8) -> u64) -> Activity {
        let second = number(self.second);
        let verb = self.verb_without_second.filter(|_| second == 0).unwrap_or(self.verb);
        let mut activity = Activity { core, flags: self.flags, ..Activity::new(verb) };
        activity = activity.val(number(self.val) + self.fixed_val).second_key(self.second_space, second);
        if let Some(key) = self.sub.key(&number) {
            activity = activity.sub(self.sub.space, key);
        }
        if let Some(key) = self.obj.key(&number) {
            activity = activity.obj(self.obj.space, key);
        }
        if let Some(key) = self.item.key(&number) {
            activity = activity.item(self.item.space, key);
        }
        activity
    }
}

impl Operand<u8> {
    fn key(&self, number: impl Fn(u8) -> u64) -> Option<u64> {
        let key = number(self.field) + self.plus;
        let none = self.space == NONE || (self.zero_is_none && key == 0);
        (!none).then_some(key)
    }
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
