//! All names that a test may be about, to say why nothing matches.

use spytui_plugin_api::info::{Class, Info};

use crate::{
    present::{
        sanitise,
        words::{kind_words, source_form},
    },
    query::{Expr, Name, absent},
    store::Dictionary,
};

/// Names looked at: a stream of noise may bring millions.
const MOST: usize = 20_000;

/// `no object "AO(x)" here, nearest: motor`, if an expression names something that is not there.
#[must_use]
pub fn why_nothing_matches(expr: &Expr, info: &Info, dictionaries: &[&Dictionary]) -> Option<String> {
    absent(expr, &|name| known_names(name, info, dictionaries)).map(|absent| absent.to_string())
}

/// Whether something of this class may have the role.
pub(crate) fn may_play(name: Name, class: Class) -> bool {
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

/// Every form of the names, with the form that is shown.
fn known_names(name: Name, info: &Info, dictionaries: &[&Dictionary]) -> Vec<(String, String)> {
    match name {
        Name::Kind => {
            let kinds = info.kinds.iter().flat_map(|kind| {
                let words = kind_words(info, kind.first).into_iter().filter(|word| !word.is_empty());
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
                let Some(named) = names.iter().rev().find(|named| named.text.is_some()) else { continue };
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
