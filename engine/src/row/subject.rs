//! A row as the subject of a filter expression, the fields that an expression uses, and why one matches nothing.

use spytui_plugin_api::{
    Field, Info, NONE, RString, RenderedRow, Request, Row, Want,
    info::{Class, KindInfo, SpaceInfo, space},
    render::{FieldFlags, Lookup, Tag},
    row::RowFlags,
};

use super::{RowView, in_force::Formatting};
use crate::{
    present::{
        sanitise,
        sanitise::text_of,
        words::{group_name, group_tag, key_word, kind_words, source_form},
    },
    query::{Expr, Fact, Name, Num, QueryProperty, QuerySubject, Test, absent},
    store::{BlockNames, Dictionary, RowNames, dictionary::newest},
};

/// Whether a row passes a filter. Losses always do.
pub fn passes(filter: &Expr, view: &RowView<'_>) -> bool {
    filter.is_everything() || passes_all(view.row) || filter.matches(view)
}

/// Whether a row passes every filter, as losses do.
pub(crate) fn passes_all(row: &Row) -> bool {
    row.kind.is_loss()
}

/// Whether a field has a role, by its name in the record and the class of its space.
fn plays(view: &RowView<'_>, name: Name, field_name: &[u8], field: &Field) -> bool {
    let Some(space) = view.info.space(field.space).filter(|_| field.space != NONE) else { return false };
    let acts = || is_owner(field) || ACTORS.iter().any(|actor| actor.as_bytes() == field_name);
    match name {
        Name::From => acts() && may_play(name, space.class),
        Name::To => !acts() && may_play(name, space.class),
        // A process stands for its threads.
        Name::Task if space.class == Class::PROCESS => {
            view.object_in_role(name).is_some() && (is_owner(field) || !view.has_owner())
        }
        _ => may_play(name, space.class),
    }
}

fn is_owner(field: &Field) -> bool {
    field.flags.contains(FieldFlags::OWNER)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Entity {
    pub(crate) space: u16,
    pub(crate) key: u64,
    pub(crate) scope: u64,
}

impl RowView<'_> {
    /// Passes entities with a role in the row to `find` until it returns `true`: the listed object, and fields.
    pub(crate) fn find_in_role(&self, name: Name, find: &mut dyn FnMut(Entity) -> bool) -> bool {
        let object = self.object_in_role(name);
        if object.is_some_and(|(space, scope)| find(Entity { space, key: self.row.obj, scope })) {
            return true;
        }
        let is_object = |field: &Field| object == Some((field.space, field.scope)) && field.num == self.row.obj;
        let mut fields = self.fields().filter(|(field_name, field)| plays(self, name, field_name, field));
        fields.any(|(_, field)| {
            !is_object(field) && find(Entity { space: field.space, key: field.num, scope: field.scope })
        }) || name == Name::Obj
            && self.second().into_iter().chain(self.scopes()).any(|(space, key)| find(Entity { space, key, scope: 0 }))
    }

    fn has_owner(&self) -> bool {
        self.rendered.fields.iter().any(is_owner)
    }

    /// Key and space of the row's second entity, such as the kernel call in a row about a thread.
    fn second(&self) -> Option<(u16, u64)> {
        if !self.row.has(RowFlags::HAS_ITEM) {
            return None;
        }
        let space = self.kind().item;
        let class = self.info.space(space).filter(|_| space != NONE)?.class;
        may_play(Name::Obj, class).then_some((space, self.row.item))
    }

    /// Owners of fields (signals belong to objects), without the listed object.
    fn scopes(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        let of_field = |field: &Field| {
            let space = self.info.space(field.space).filter(|_| field.space != NONE)?.scope_space;
            let class = self.info.space(space).filter(|_| space != NONE)?.class;
            let is_other = field.scope != 0 && field.scope != self.row.obj;
            (is_other && may_play(Name::Obj, class)).then_some((space, field.scope))
        };
        self.fields().filter_map(move |(_, field)| of_field(field))
    }

    /// Space and scope of the listed object, if it has this role.
    fn object_in_role(&self, name: Name) -> Option<(u16, u64)> {
        let is_task = |space| self.info.space(space).is_some_and(|space| space.class == Class::TASK);
        match name {
            Name::Obj => self.object_place(),
            // The owner of a record acts in it.
            Name::From if self.has_owner() => self.object_place(),
            Name::Task => self.object_place().filter(|(space, _)| is_task(*space)),
            _ => None,
        }
    }

    /// Whether a value measured by the decoder passes, such as a response time.
    fn measured(&self, wanted: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        let spec = self.info.attachments.iter().filter(|spec| spec.id.is_own() && spec.name == wanted);
        spec.flat_map(|spec| {
            self.attachments.iter().filter(move |e| e.id == spec.id && !e.is_bytes).map(move |e| (spec, e))
        })
        .any(|(spec, e)| {
            // Reference hosts print −1 for "none".
            let value = e.a as i64;
            let ns = match spec.unit.as_str() {
                _ if value < 0 => None,
                "ticks" => self.clock.ns(e.a).map(i128::from),
                "ns" => Some(value.into()),
                _ => None,
            };
            test(Fact { text: &value.to_string(), num: Some(Num::Int(value.into())), ns, unix: None })
        })
    }
}

/// Whether one of an entity's names passes: its key as written, its full and short name, its name in the source.
pub(super) fn find_name(
    info: &Info,
    names: &dyn RowNames,
    Entity { space, key, scope }: Entity,
    test: &mut dyn FnMut(Fact<'_>) -> bool,
) -> bool {
    let spec = info.space(space);
    if test(Fact::key(&key_word(spec, key), key)) {
        return true;
    }
    let Some(known) = names.get(0, space, key, scope) else { return false };
    let mut passes = |name: &[u8]| test(Fact::key(&sanitise(name), key));
    if passes(known) {
        return true;
    }
    // Other names of the same thing, if it has several.
    let Some(spec) = spec.filter(|spec| !spec.short.is_empty()) else { return false };
    let names = |short| BlockNames { short, ..*names.plain() };
    let (full, short) = (names(false), names(true));
    let Some(full) = full.get(0, space, key, scope) else { return false };
    let others = [Some(full), short.get(0, space, key, scope), source_form(spec, full)];
    others.into_iter().flatten().any(|name| name != known && passes(name))
}

/// Bytes of text that most rows have at most.
const USUAL_LENGTH: usize = 128;

impl QuerySubject for RowView<'_> {
    fn names(&self, name: Name, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        match name {
            Name::Kind => {
                let labels = self.kind();
                let kind = labels.id_of(self.row);
                let own = self.own_kind().map(sanitise);
                let mut words =
                    [&*labels.name, &*labels.family, &*labels.last, own.as_deref().unwrap_or(&labels.tag)].into_iter();
                words.any(|word| !word.is_empty() && test(Fact::key(word, kind)))
            }
            Name::Group => {
                let (name, tag) = (group_name(self.info, self.row.group), group_tag(self.info, self.row.group));
                test(Fact::text(name)) || tag != name && test(Fact::text(tag))
            }
            Name::Mark => self.marks.iter().any(|mark| test(Fact::text(mark))),
            _ => {
                self.find_in_role(name, &mut |entity| find_name(self.info, self.names, entity, test))
                    || self.track_names(name).any(|(text, key)| test(Fact::key(&text, key)))
            }
        }
    }

    fn number(&self, name: Name) -> Fact<'_> {
        let row = self.row;
        let plain = match name {
            Name::Time if row.has(RowFlags::TIME_OWN) => {
                let (ns, unix) = (self.clock.ns_shown(row.time), self.clock.unix_ns(row.time));
                return Fact { ns, unix, ..Fact::key("", row.time) };
            }
            Name::Dt if row.has(RowFlags::TIME_OWN) => {
                let ticks = self.before.map(|before| i128::from(row.time) - i128::from(before));
                let ns = ticks.and_then(|ticks| self.clock.ns(u64::try_from(ticks).ok()?));
                return Fact { num: ticks.map(Num::Int), ns: ns.map(i128::from), ..Fact::default() };
            }
            Name::Host => return Fact { ns: self.host_ns.map(i128::from), ..Fact::default() },
            Name::N => self.n,
            Name::Pos => Some(self.pos()),
            Name::Epoch => Some(u64::from(self.epoch) + 1),
            Name::Core => self.core().map(u64::from),
            Name::Sev => Some(self.severity.0.into()),
            _ => None,
        };
        plain.map_or_else(Fact::default, |number| Fact::key("", number))
    }

    fn field(&self, wanted: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        let RenderedRow { fields, blob, .. } = self.rendered;
        fields.iter().filter(|f| f.name.of(blob) == wanted.as_bytes()).any(|field| {
            let num = match field.tag {
                Tag::TEXT | Tag::BYTES => None,
                Tag::SIGNED => Some(Num::Int(i128::from(field.num as i64))),
                Tag::F64 => Some(float(field, blob)),
                _ => Some(Num::Int(i128::from(field.num))),
            };
            let name = self.names.get(0, field.space, field.num, field.scope);
            let text = match (field.tag, name) {
                (Tag::TEXT, _) => sanitise(field.text.of(blob)),
                (_, Some(name)) => sanitise(name),
                (Tag::SIGNED, _) => (field.num as i64).to_string(),
                (Tag::F64, _) => {
                    field.digits(blob).map_or_else(|| f64::from_bits(field.num).to_string(), str::to_owned)
                }
                _ => field.num.to_string(),
            };
            // The meaning of a number, if the decoder declares it.
            let meaning = match field.tag {
                Tag::UNSIGNED | Tag::SIGNED if !field.flags.intersects(FieldFlags::VALUE | FieldFlags::UNIT) => {
                    field.text.of(blob)
                }
                _ => b"",
            };
            let fact = |text| Fact { text, num, ns: None, unix: None };
            test(fact(&text)) || !meaning.is_empty() && test(fact(&sanitise(meaning)))
        }) || self.measured(wanted, test)
    }

    fn text(&self, test: &mut dyn FnMut(&str) -> bool) -> bool {
        let mut text = Vec::with_capacity(USUAL_LENGTH);
        self.push_text(&mut text);
        test(&text_of(text))
    }
}

/// A double that also matches digits beyond its precision.
fn float(field: &Field, blob: &[u8]) -> Num {
    let decimal = field.digits(blob).and_then(|digits| {
        let (whole, behind) = digits.split_once('.').unwrap_or((digits, ""));
        Some(Num::Decimal(format!("{whole}{behind}").parse().ok()?, u32::try_from(behind.len()).ok()?))
    });
    decimal.unwrap_or(Num::Float(f64::from_bits(field.num)))
}

/// Names of fields whose objects act in a record.
const ACTORS: [&str; 3] = ["sdr", "sender", "snr"];

/// The fields that decide an expression.
#[derive(Debug, Default)]
pub(super) struct AskedFields {
    names: Vec<RString>,
    spaces: Vec<u16>,
    /// Spaces whose names decide, besides those of the rows' objects.
    named: Vec<u16>,
    /// The decoder is unknown.
    all: bool,
    /// Some are measured values rather than fields.
    pub(super) are_measured: bool,
}

impl AskedFields {
    /// All fields are needed.
    pub(super) fn all() -> AskedFields {
        AskedFields { all: true, are_measured: true, ..AskedFields::default() }
    }

    pub(super) fn of(expr: &Expr, info: &Info) -> AskedFields {
        let mut asked = AskedFields::default();
        for test in expr.tests() {
            match test {
                Test::Compare(QueryProperty::Field(field), ..) => {
                    asked.are_measured |= is_measured(field, info);
                    asked.names.push(field.as_str().into());
                }
                Test::Compare(QueryProperty::Name(name), ..) => {
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

    /// A request for these parts, and only these fields.
    pub(super) fn request(&self, want: Want) -> Request<'_> {
        Request {
            all_fields: self.all,
            names: self.names.as_slice().into(),
            spaces: self.spaces.as_slice().into(),
            ..want.into()
        }
    }
}

/// Whether keys of a space or their owners may have a role.
fn is_asked(name: Name, own: &SpaceInfo, info: &Info) -> bool {
    let scope = info.space(own.scope_space).filter(|scope| scope.id != space::CORES);
    may_play(name, own.class) || name == Name::Obj && scope.is_some_and(|scope| may_play(name, scope.class))
}

/// Fields that the host adds to any row.
const OF_HOST: [&str; 9] = ["text", "total", "from", "to", "more_lost", "never_missing", "dropped", "gap", "missing"];

/// The field with the sequence number, which kinds do not declare.
const SEQUENCE: &str = "seq";

/// Whether a field is a value measured by the decoder, such as a response time.
pub(super) fn is_measured(field: &str, info: &Info) -> bool {
    info.attachments.iter().any(|spec| spec.id.is_own() && spec.name == field)
}

/// Whether no field of a kind decides a test.
pub(super) fn lacks(kind: &KindInfo, test: &Test, info: &Info) -> bool {
    let has = |name: &str| kind.fields.iter().any(|own| own == name);
    match test {
        Test::Compare(QueryProperty::Field(field), ..) => {
            // Elements of application records have numbers.
            let is_element = field.bytes().all(|byte| byte.is_ascii_digit());
            !is_element && !has(field) && field != SEQUENCE && !OF_HOST.contains(&field.as_str())
        }
        Test::Compare(QueryProperty::Name(name), ..) => {
            let acts = matches!(name, Name::From | Name::To) && ACTORS.iter().any(|actor| has(actor));
            // The row's object and item were examined for no other role.
            let own = if *name == Name::Obj { &[][..] } else { &[kind.obj_space, kind.item_space] };
            let mut keys = kind.spaces.iter().chain(own).filter_map(|id| info.space(*id));
            !acts && !keys.any(|own| may_play(*name, own.class))
        }
        Test::Word(_) | Test::Regex(_) => true,
    }
}

/// Maximum number of names examined; noise may bring millions.
const MOST: usize = 20_000;

/// `no object "AO(x)" here, nearest: motor`; mentions a field with the name of the property, too.
pub fn why_nothing_matches(
    expr: &Expr,
    info: &Info,
    formatting: &Formatting,
    dictionaries: &[&Dictionary],
) -> Option<String> {
    let formatters = formatting.get();
    let of_formats = |name| formatters.as_ref().map(|formatters| formatters.tracks.names(name)).unwrap_or_default();
    let known = |name| {
        let names = of_formats(name).into_iter().map(|name| (name.clone(), name));
        known_names(name, info, dictionaries).into_iter().chain(names).collect()
    };
    let absent = absent(expr, &known)?;
    let property = absent.name.word();
    let has_field =
        absent.nearest.is_none() && info.kinds.iter().any(|kind| kind.fields.iter().any(|field| field == property));
    let field = if has_field { format!("; for the field of records: field.{property}") } else { String::new() };
    Some(format!("{absent}{field}"))
}

/// Whether things of this class may have the role.
fn may_play(name: Name, class: Class) -> bool {
    match name {
        Name::Obj | Name::From | Name::To => {
            !matches!(class, Class::SIGNAL | Class::STATE | Class::FUNCTION | Class::ENUM)
        }
        Name::Sig => class == Class::SIGNAL,
        Name::State => matches!(class, Class::STATE | Class::FUNCTION),
        Name::Task => matches!(class, Class::TASK | Class::PROCESS),
        _ => false,
    }
}

/// All forms of the names, each with the form shown.
fn known_names(name: Name, info: &Info, dictionaries: &[&Dictionary]) -> Vec<(String, String)> {
    match name {
        Name::Kind => {
            let kinds = kind_words(info).flat_map(|(kind, words)| {
                let words = words.into_iter().filter(|word| !word.is_empty());
                words.map(|word| (word, kind.tag().to_owned()))
            });
            kinds.collect()
        }
        Name::Group => {
            let groups = info.groups.iter();
            groups.flat_map(|g| [&g.tag, &g.name].map(|word| (word.to_string(), g.tag.to_string()))).collect()
        }
        _ => in_dictionaries(name, info, dictionaries),
    }
}

fn in_dictionaries(name: Name, info: &Info, dictionaries: &[&Dictionary]) -> Vec<(String, String)> {
    let mut known = Vec::new();
    for spec in info.spaces.iter().filter(|space| may_play(name, space.class)) {
        for dictionary in dictionaries {
            for (_, _, names) in dictionary.of_space(spec.id).take(MOST) {
                let Some(named) = newest(names) else { continue };
                let full = named.text.as_deref().unwrap_or_default();
                let shown = sanitise(dictionary.short(spec.id, named));
                known.extend(source_form(spec, full).map(|source| (sanitise(source), shown.clone())));
                known.push((sanitise(full), shown.clone()));
                known.push((shown.clone(), shown));
            }
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{
        RowKind,
        info::{KeyFormat, KindInfo, SpaceInfo},
    };

    use super::*;
    use crate::{
        query::{Vocabulary, parse},
        store::dictionary::NameOrigin,
    };

    #[test]
    fn a_field_that_is_called_like_the_property_is_named() {
        let kind = KindInfo { fields: ["to".into()].to_vec().into(), ..KindInfo::new(RowKind(3), "STATE", 0) };
        let space = SpaceInfo::new(100, "object", "Objects", Class::OBJECT, KeyFormat::DECIMAL);
        let info = Info { kinds: [kind].to_vec().into(), spaces: [space].to_vec().into(), ..Info::default() };
        let mut dictionary = Dictionary::new(&info, false);
        dictionary.set(100, 7, 0, Some(b"pump"), 0, 0, NameOrigin::File);
        let why = |text: &str| {
            let expr = parse(text, &Vocabulary::of(&info)).unwrap();
            why_nothing_matches(&expr, &info, &Formatting::default(), &[&dictionary])
        };
        assert_eq!(
            why("to:run").as_deref(),
            Some("no object \"run\" here; there are pump; for the field of records: field.to")
        );
        assert_eq!(why("from:run").as_deref(), Some("no object \"run\" here; there are pump"));
    }
}
