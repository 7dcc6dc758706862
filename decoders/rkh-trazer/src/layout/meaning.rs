//! The activity of an event, as columns of the table.

use spytui_plugin_api::{ActivityFlags as F, NONE, Verb};

use super::{Field, NO_FIELD, named, space};

/// An operand of an activity: a field of the record, by name in the table of events and by index in a layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand<Id> {
    pub(crate) space: u16,
    pub(crate) field: Id,
    /// Added to the field's number.
    pub(crate) plus: u64,
    /// A zero stands for nothing.
    pub(crate) zero_is_none: bool,
}

/// The activity of an event. What a record does not have is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meaning<Id> {
    pub(crate) verb: Verb,
    pub(crate) flags: F,
    pub(crate) sub: Operand<Id>,
    pub(crate) obj: Operand<Id>,
    pub(crate) item: Operand<Id>,
    pub(crate) val: Id,
    pub(crate) second: Id,
    /// The verb where `second` is zero.
    pub(crate) verb_without_second: Option<Verb>,
    /// Low watermark, told with the activity, or with the level behind it.
    pub(crate) low: Id,
    /// What is left in the object afterwards: an activity of its own.
    pub(crate) level: Id,
}

type Named = &'static str;

const NOTHING: Operand<Named> = Operand { space: NONE, field: "", plus: 0, zero_is_none: false };

const fn object(field: Named) -> Operand<Named> {
    Operand { space: space::OBJECTS, field, ..NOTHING }
}

impl Meaning<Named> {
    pub(super) const fn new(verb: Verb) -> Meaning<Named> {
        Meaning {
            verb,
            flags: F::empty(),
            sub: NOTHING,
            obj: NOTHING,
            item: NOTHING,
            val: "",
            second: "",
            verb_without_second: None,
            low: "",
            level: "",
        }
    }

    /// A verb of the record's active object.
    pub(super) const fn of_ao(verb: Verb) -> Meaning<Named> {
        Meaning::new(verb).sub("ao")
    }

    /// An object acts.
    pub(super) const fn sub(self, field: Named) -> Meaning<Named> {
        Meaning { sub: object(field), ..self }
    }

    /// An object acts, where one is given.
    pub(super) const fn sub_or_none(self, field: Named) -> Meaning<Named> {
        Meaning { sub: Operand { zero_is_none: true, ..object(field) }, ..self }
    }

    /// Done to an object.
    pub(super) const fn to(self, field: Named) -> Meaning<Named> {
        Meaning { obj: object(field), ..self }
    }

    /// Done to an object, where one is given.
    pub(super) const fn to_or_none(self, field: Named) -> Meaning<Named> {
        Meaning { obj: Operand { zero_is_none: true, ..object(field) }, ..self }
    }

    /// Done to the event pool with this number; `plus` = 1 where numbers count from 0.
    pub(super) const fn pool(self, field: Named, plus: u64) -> Meaning<Named> {
        Meaning { obj: Operand { space: space::POOLS, field, plus, zero_is_none: true }, ..self }
    }

    /// Done to the event pool with this number, whatever it is.
    pub(super) const fn pool_number(self, field: Named) -> Meaning<Named> {
        Meaning { obj: Operand { space: space::POOLS, field, ..NOTHING }, ..self }
    }

    /// In a state.
    pub(super) const fn in_state(self, field: Named) -> Meaning<Named> {
        Meaning { obj: Operand { space: space::STATES, field, ..NOTHING }, ..self }
    }

    /// With a state.
    pub(super) const fn state(self, field: Named) -> Meaning<Named> {
        Meaning { item: Operand { space: space::STATES, field, ..NOTHING }, ..self }
    }

    /// With a function.
    pub(super) const fn function(self, field: Named) -> Meaning<Named> {
        Meaning { item: Operand { space: space::FUNCTIONS, field, ..NOTHING }, ..self }
    }

    /// With the record's signal.
    pub(super) const fn signal(self) -> Meaning<Named> {
        Meaning { item: Operand { space: space::SIGNALS, field: "sig", ..NOTHING }, ..self }
    }

    /// With a value.
    pub(super) const fn val(self, val: Named) -> Meaning<Named> {
        Meaning { val, ..self }
    }

    /// With a second value.
    pub(super) const fn second(self, second: Named) -> Meaning<Named> {
        Meaning { second, ..self }
    }

    /// With another verb where the second value is zero.
    pub(super) const fn without_second(self, verb: Verb) -> Meaning<Named> {
        Meaning { verb_without_second: Some(verb), ..self }
    }

    /// With the record's low watermark.
    pub(super) const fn low(self) -> Meaning<Named> {
        Meaning { low: "nmin", ..self }
    }

    /// Followed by a level of the object.
    pub(super) const fn level(self, level: Named) -> Meaning<Named> {
        Meaning { level, ..self }
    }

    /// With further flags.
    pub(super) const fn with(self, flags: F) -> Meaning<Named> {
        Meaning { flags: self.flags.union(flags), ..self }
    }

    /// The same with the fields of a record by index.
    pub(super) const fn resolve(self, fields: &[Field]) -> Meaning<u8> {
        Meaning {
            verb: self.verb,
            flags: self.flags,
            sub: self.sub.resolve(fields),
            obj: self.obj.resolve(fields),
            item: self.item.resolve(fields),
            val: named(fields, self.val),
            second: named(fields, self.second),
            verb_without_second: self.verb_without_second,
            low: named(fields, self.low),
            level: named(fields, self.level),
        }
    }
}

impl Operand<Named> {
    const fn resolve(self, fields: &[Field]) -> Operand<u8> {
        let field = if self.space == NONE { NO_FIELD } else { named(fields, self.field) };
        Operand { space: self.space, field, plus: self.plus, zero_is_none: self.zero_is_none }
    }
}
