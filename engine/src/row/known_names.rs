//! All names that a test may be about, to say why nothing matches.

use spytui_plugin_api::info::{Class, Info};

use super::in_force::Formatting;
use crate::{
    present::{
        sanitise,
        words::{kind_words, source_form},
    },
    query::{Expr, Name, absent},
    store::{Dictionary, dictionary::newest},
};

/// Names looked at: a stream of noise may bring millions.
const MOST: usize = 20_000;

/// `no object "AO(x)" here, nearest: motor`, if an expression names something that is not there. A field of records that
/// is called like the property is named, too.
pub fn why_nothing_matches(
    expr: &Expr,
    info: &Info,
    formatting: &Formatting,
    dictionaries: &[&Dictionary],
) -> Option<String> {
    let formatters = formatting.get();
    let of_formats = |name| formatters.as_ref().map(|formatters| formatters.track_names(name)).unwrap_or_default();
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
