//! Whether the fields that lines of format files show exist.

use spytui_formats::{Layout, Template};
use spytui_plugin_api::{Info, info::KindInfo};

use crate::nearest::nearest;

/// Fields that any record may have.
const OF_ALL: &str = "seq";
/// Names listed in a message.
const MOST_LISTED: usize = 12;

/// What is wrong with the fields that the line of an application record shows; `None` if all of them exist.
pub(crate) fn unknown_field(info: &Info, id: &str, template: &Template, layout: Option<&Layout>) -> Option<String> {
    let mut known: Vec<&str> = layout.into_iter().flat_map(Layout::names).collect();
    let of_decoder = kinds(info, id).into_iter().flat_map(|kind| kind.fields.iter().map(|field| field.as_str()));
    for name in of_decoder {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let unknown = template.field_names().find(|name| *name != OF_ALL && !known.contains(name))?;
    let near = nearest(unknown, known.iter().copied()).map(|near| format!("; nearest: {near}")).unwrap_or_default();
    let more = if known.len() > MOST_LISTED { " ..." } else { "" };
    known.truncate(MOST_LISTED);
    let there_are = match known.as_slice() {
        [] => "the record has only elements, {0} is the first; fields stand behind the text, as NAME:TYPE".to_owned(),
        known => format!("there are {}{more}", known.join(" ")),
    };
    Some(format!("no field {{{unknown}}}{near}; {there_are}"))
}

/// The kinds that records with this id may be of.
fn kinds<'i>(info: &'i Info, id: &str) -> Vec<&'i KindInfo> {
    let (before, space) = match (id.split_once('+'), id.split_once(':')) {
        (Some((kind, _)), _) => (Some(kind), None),
        (_, Some((space, _))) => (None, info.spaces.iter().find(|known| known.name == space)),
        _ => (None, None),
    };
    let is_own = |kind: &&KindInfo| {
        let is_called = before.is_some_and(|name| kind.name == name || kind.tag() == name);
        is_called || space.is_some_and(|space| kind.obj_space == space.id || kind.spaces.contains(&space.id))
    };
    let own: Vec<&KindInfo> = info.kinds.iter().filter(is_own).collect();
    if own.is_empty() { info.kinds.iter().collect() } else { own }
}

#[cfg(test)]
mod tests {
    use spytui_formats::Loader;
    use spytui_plugin_api::{
        Class, KeyFormat, RString, RowKind,
        info::{SpaceInfo, space},
    };

    use super::*;

    /// A decoder with records `USER+N`, which have no fields, and markers with a text.
    fn info() -> Info {
        let fields = |names: &[&str]| names.iter().copied().map(RString::from).collect();
        let user = KindInfo { fields: fields(&[]), ..KindInfo::new(RowKind(1), "USER", 0) };
        let (key, markers) = (space::OWN, RowKind(2));
        let marker = KindInfo { obj_space: key, fields: fields(&["id", "msg"]), ..KindInfo::new(markers, "MARK", 0) };
        let spaces = vec![SpaceInfo::new(key, "marker", "marker", Class::MARKER, KeyFormat::DECIMAL)];
        Info { id: "one".into(), kinds: vec![user, marker].into(), spaces: spaces.into(), ..Info::default() }
    }

    fn unknown(id: &str, line: &str) -> Option<String> {
        let mut loader = Loader::new();
        loader.add_text(format!("record one {id} {line}").as_bytes());
        let table = loader.finish().table;
        unknown_field(&info(), id, table.record("one", id).unwrap(), table.layout("one", id))
    }

    #[test]
    fn fields_of_the_line_of_the_decoder_and_elements_exist() {
        assert_eq!(unknown("USER+1", "\"{rpm} {0} {seq}\" rpm:u8"), None);
        assert_eq!(unknown("marker:3", "\"{msg}\""), None);
        // A name may be that of any record.
        assert_eq!(unknown("MOTOR", "\"{msg}\""), None);
    }

    #[test]
    fn a_field_that_is_missing_is_named_with_those_that_exist() {
        let missing = |id, line| unknown(id, line).unwrap_or_default();
        assert_eq!(missing("USER+1", "\"{rmp}\" rpm:u8 t:i8"), "no field {rmp}; nearest: rpm; there are rpm t");
        assert_eq!(missing("marker:3", "\"{mgs}\""), "no field {mgs}; nearest: msg; there are id msg");
        let only = "no field {msg}; the record has only elements, {0} is the first; fields stand behind the text, as NAME:TYPE";
        assert_eq!(missing("USER+1", "\"{msg}\""), only);
    }
}
