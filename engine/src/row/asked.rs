//! The fields that an expression is about, so that no others are rendered for it.

use spytui_plugin_api::{
    Info, RString, Request, Want,
    info::{KindInfo, SpaceInfo, space},
};

use super::known_names::may_play;
use crate::query::{Expr, Name, Property, Test};

/// Names of the fields whose objects act in a record.
pub(super) const ACTORS: [&str; 3] = ["sdr", "sender", "snr"];

/// The fields that decide an expression.
#[derive(Debug, Default)]
pub(super) struct AskedFields {
    names: Vec<RString>,
    spaces: Vec<u16>,
    /// Spaces whose names decide: these, and those of the objects that rows are about.
    named: Vec<u16>,
    /// The decoder is not known.
    all: bool,
    /// Some are no fields, but measured of records.
    are_measured: bool,
}

impl AskedFields {
    /// Any field may decide.
    pub(super) fn all() -> AskedFields {
        AskedFields { all: true, are_measured: true, ..AskedFields::default() }
    }

    /// Those of an expression, for the rows of a decoder.
    pub(super) fn of(expr: &Expr, info: &Info) -> AskedFields {
        let mut asked = AskedFields::default();
        for test in expr.tests() {
            match test {
                Test::Compare(Property::Field(field), ..) => {
                    asked.are_measured |= is_measured(field, info);
                    asked.names.push(field.as_str().into());
                }
                Test::Compare(Property::Name(name), ..) => {
                    asked.spaces.extend(info.spaces.iter().filter(|own| is_asked(*name, own, info)).map(|own| own.id));
                    asked.named.extend(info.kinds.iter().filter(|_| name.is_role()).map(|kind| kind.obj_space));
                    if matches!(name, Name::From | Name::To) {
                        asked.names.extend(ACTORS.map(RString::from));
                    }
                }
                Test::Word(_) | Test::Regex(_) => {}
            }
        }
        asked.spaces.sort_unstable();
        asked.spaces.dedup();
        asked.named.extend(&asked.spaces);
        asked
    }

    /// Whether names of a space may decide.
    pub(super) fn depend_on(&self, space: u16) -> bool {
        self.all || self.named.contains(&space)
    }

    /// Whether there are values among them that the decoder measured.
    pub(super) fn are_measured(&self) -> bool {
        self.are_measured
    }

    /// These parts, of the fields only these.
    pub(super) fn request(&self, want: Want) -> Request<'_> {
        Request {
            all_fields: self.all,
            names: self.names.as_slice().into(),
            spaces: self.spaces.as_slice().into(),
            ..want.into()
        }
    }
}

/// Whether keys of a space may have a role, or what they belong to.
fn is_asked(name: Name, own: &SpaceInfo, info: &Info) -> bool {
    let scope = info.space(own.scope_space).filter(|scope| scope.id != space::CORES);
    may_play(name, own.class) || name == Name::Obj && scope.is_some_and(|scope| may_play(name, scope.class))
}

/// Fields that the host adds to any row.
const OF_HOST: [&str; 9] = ["text", "total", "from", "to", "more_lost", "never_missing", "dropped", "gap", "missing"];

/// The field with the sequence number, which kinds do not declare.
const SEQUENCE: &str = "seq";

/// Whether a field is a value that the decoder measured, such as a response time.
pub(super) fn is_measured(field: &str, info: &Info) -> bool {
    info.attachments.iter().any(|spec| spec.id.is_own() && spec.name == field)
}

/// Whether no field of a kind decides a test.
pub(super) fn lacks(kind: &KindInfo, test: &Test, info: &Info) -> bool {
    let has = |name: &str| kind.fields.iter().any(|own| own == name);
    match test {
        Test::Compare(Property::Field(field), ..) => {
            // Elements of application records have numbers.
            let is_element = field.bytes().all(|byte| byte.is_ascii_digit());
            !is_element && !has(field) && field != SEQUENCE && !OF_HOST.contains(&field.as_str())
        }
        Test::Compare(Property::Name(name), ..) => {
            let acts = matches!(name, Name::From | Name::To) && ACTORS.iter().any(|actor| has(actor));
            // Object and item of the row were looked at for no other role.
            let own = if *name == Name::Obj { &[][..] } else { &[kind.obj_space, kind.item_space] };
            let mut keys = kind.spaces.iter().chain(own).filter_map(|id| info.space(*id));
            !acts && !keys.any(|own| may_play(*name, own.class))
        }
        Test::Word(_) | Test::Regex(_) => true,
    }
}
