//! The activity of a record, as columns of its table: a verb, with fields of the record as operands.

use spytui_plugin_api::{Activity, ActivityFlags, NONE, Verb};

use crate::pattern::{Field, NO_FIELD, named};

/// An operand: a field of the record, by name in the table and by index in a layout.
#[derive(Clone, Copy, Debug)]
struct Operand<Id> {
    /// Space of the key; [`NONE`] = no operand.
    space: u16,
    field: Id,
    /// Added to the field's number.
    plus: u64,
    /// No operand if the number is 0.
    zero_is_none: bool,
}

/// The activity of a record. Fields are names in the table (`Meaning<&str>`) and indices in a layout (`Meaning<u8>`).
#[derive(Clone, Copy, Debug)]
pub struct Meaning<Id> {
    verb: Verb,
    flags: ActivityFlags,
    sub: Operand<Id>,
    obj: Operand<Id>,
    item: Operand<Id>,
    val: Id,
    second: Id,
    second_space: u16,
    verb_without_second: Option<Verb>,
}

type FieldName = &'static str;

const NOTHING: Operand<FieldName> = Operand { space: NONE, field: "", plus: 0, zero_is_none: false };

impl Meaning<FieldName> {
    /// A verb without operands.
    pub const fn new(verb: Verb) -> Self {
        Meaning {
            verb,
            flags: ActivityFlags::empty(),
            sub: NOTHING,
            obj: NOTHING,
            item: NOTHING,
            val: "",
            second: "",
            second_space: NONE,
            verb_without_second: None,
        }
    }

    /// Subject. Without a field name: key 0.
    pub const fn sub(self, space: u16, field: FieldName) -> Self {
        Meaning { sub: Operand { space, field, ..NOTHING }, ..self }
    }

    /// Subject, unless the field is 0.
    pub const fn sub_or_none(self, space: u16, field: FieldName) -> Self {
        Meaning { sub: Operand { space, field, zero_is_none: true, ..NOTHING }, ..self }
    }

    /// Object.
    pub const fn obj(self, space: u16, field: FieldName) -> Self {
        Meaning { obj: Operand { space, field, ..NOTHING }, ..self }
    }

    /// Object, unless the field is 0.
    pub const fn obj_or_none(self, space: u16, field: FieldName) -> Self {
        Meaning { obj: Operand { space, field, zero_is_none: true, ..NOTHING }, ..self }
    }

    /// Object by its number from 0; its key counts from 1.
    pub const fn obj_from_zero(self, space: u16, field: FieldName) -> Self {
        Meaning { obj: Operand { space, field, plus: 1, ..NOTHING }, ..self }
    }

    pub const fn item(self, space: u16, field: FieldName) -> Self {
        Meaning { item: Operand { space, field, ..NOTHING }, ..self }
    }

    /// Value.
    pub const fn val(self, val: FieldName) -> Self {
        Meaning { val, ..self }
    }

    pub const fn second(self, second: FieldName) -> Self {
        Meaning { second, ..self }
    }

    pub const fn second_key(self, second_space: u16, second: FieldName) -> Self {
        Meaning { second, second_space, ..self }
    }

    /// Another verb if the second value is 0.
    pub const fn without_second(self, verb: Verb) -> Self {
        Meaning { verb_without_second: Some(verb), ..self }
    }

    /// Further flags.
    pub const fn with(self, flags: ActivityFlags) -> Self {
        Meaning { flags: self.flags.union(flags), ..self }
    }

    /// The same with another verb.
    pub const fn verb(self, verb: Verb) -> Self {
        Meaning { verb, ..self }
    }

    /// Replaces names by indices into the fields of a record. Names that the record does not have are left out.
    pub const fn resolve<T>(self, fields: &[Field<T>]) -> Meaning<u8> {
        Meaning {
            verb: self.verb,
            flags: self.flags,
            sub: self.sub.resolve(fields),
            obj: self.obj.resolve(fields),
            item: self.item.resolve(fields),
            val: named(fields, self.val),
            second: named(fields, self.second),
            second_space: self.second_space,
            verb_without_second: self.verb_without_second,
        }
    }

    /// The same; `None` if the record does not have the value.
    pub const fn resolve_with_val<T>(self, fields: &[Field<T>]) -> Option<Meaning<u8>> {
        if named(fields, self.val) == NO_FIELD { None } else { Some(self.resolve(fields)) }
    }

    /// The same; a name that the record does not have stops the build.
    pub const fn resolve_all<T>(self, fields: &[Field<T>]) -> Meaning<u8> {
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

impl Meaning<u8> {
    /// The activity of a record; `number` gives the number of a field, 0 for [`NO_FIELD`].
    pub fn activity(&self, core: u16, number: impl Fn(u8) -> u64) -> Activity {
        let second = number(self.second);
        let verb = self.verb_without_second.filter(|_| second == 0).unwrap_or(self.verb);
        let mut activity = Activity { core, flags: self.flags, ..Activity::new(verb) };
        activity = activity.val(number(self.val)).second_key(self.second_space, second);
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
