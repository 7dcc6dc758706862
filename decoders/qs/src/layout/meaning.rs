//! The activities that a record stands for, as columns of the table.

use spytui_plugin_api::{ActivityFlags, NONE, Verb};

use super::{Field, NO_FIELD, named};

/// An operand of an activity: a field of the record, by name in the table and by index in a layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand<Id> {
    pub(crate) space: u16,
    pub(crate) field: Id,
    /// A zero stands for nothing.
    pub(crate) zero_is_none: bool,
}

/// An activity of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meaning<Id> {
    pub(crate) verb: Verb,
    pub(crate) flags: ActivityFlags,
    pub(crate) sub: Operand<Id>,
    pub(crate) obj: Operand<Id>,
    pub(crate) item: Operand<Id>,
    pub(crate) val: Id,
    pub(crate) second: Id,
}

type Named = &'static str;

const NOTHING: Operand<Named> = Operand { space: NONE, field: "", zero_is_none: false };

impl Meaning<Named> {
    pub(super) const fn new(verb: Verb) -> Meaning<Named> {
        Meaning { verb, flags: ActivityFlags::empty(), sub: NOTHING, obj: NOTHING, item: NOTHING, val: "", second: "" }
    }

    /// Done by. Without a field: by the only one of its space.
    pub(super) const fn sub(self, space: u16, field: Named) -> Meaning<Named> {
        Meaning { sub: Operand { space, field, ..NOTHING }, ..self }
    }

    /// Done by, where the field is not zero.
    pub(super) const fn sub_or_none(self, space: u16, field: Named) -> Meaning<Named> {
        Meaning { sub: Operand { space, field, zero_is_none: true }, ..self }
    }

    /// Done to.
    pub(super) const fn obj(self, space: u16, field: Named) -> Meaning<Named> {
        Meaning { obj: Operand { space, field, ..NOTHING }, ..self }
    }

    /// Done to, where the field is not zero.
    pub(super) const fn obj_or_none(self, space: u16, field: Named) -> Meaning<Named> {
        Meaning { obj: Operand { space, field, zero_is_none: true }, ..self }
    }

    /// Done with.
    pub(super) const fn item(self, space: u16, field: Named) -> Meaning<Named> {
        Meaning { item: Operand { space, field, ..NOTHING }, ..self }
    }

    /// With a value.
    pub(super) const fn val(self, val: Named) -> Meaning<Named> {
        Meaning { val, ..self }
    }

    /// With a second value.
    pub(super) const fn second(self, second: Named) -> Meaning<Named> {
        Meaning { second, ..self }
    }

    /// With further flags.
    pub(super) const fn with(self, flags: ActivityFlags) -> Meaning<Named> {
        Meaning { flags: self.flags.union(flags), ..self }
    }

    /// The same with the fields of a record by index. A name that is no field stops the build.
    pub(super) const fn resolve(self, fields: &[Field]) -> Meaning<u8> {
        Meaning {
            verb: self.verb,
            flags: self.flags,
            sub: self.sub.resolve(fields),
            obj: self.obj.resolve(fields),
            item: self.item.resolve(fields),
            val: index(fields, self.val),
            second: index(fields, self.second),
        }
    }
}

impl Operand<Named> {
    const fn resolve(self, fields: &[Field]) -> Operand<u8> {
        Operand { space: self.space, field: index(fields, self.field), zero_is_none: self.zero_is_none }
    }
}

const fn index(fields: &[Field], name: Named) -> u8 {
    let index = named(fields, name);
    assert!(index != NO_FIELD || name.is_empty(), "an activity names a field that the record does not have");
    index
}
