//! The shape of an application record: what it is called, and the types of a line that has its fields.

use std::borrow::Cow;

use spytui_plugin_api::{
    Class, Field, RowFlags,
    info::space,
    render::{FieldFlags, Tag},
};

use super::{RowView, record::Record, typed::without_zeros};

/// Fields of a line; what is behind them is one.
const MOST: usize = 64;
/// Bytes that are left.
pub(crate) const REST: &str = "bytes";

/// What a record looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordShape {
    /// How a line calls it: its name in the dictionary, else its id.
    pub(crate) called: String,
    /// Its id, as the list names it without a dictionary.
    pub(crate) id: String,
    /// Types of its fields, in the words of a line; `_:u8` is not to be shown.
    pub(crate) types: Vec<String>,
}

impl RecordShape {
    /// That of a row, rendered with fields and application bytes; `None` if it is no application record.
    pub(crate) fn of(view: &RowView<'_>) -> Option<RecordShape> {
        if !view.row.has(RowFlags::APPLICATION) || view.row.has(RowFlags::MALFORMED) {
            return None;
        }
        let (info, names) = (view.info, spytui_plugin_api::Dict::new(view.names.plain()));
        let record = Record { row: view.row, rendered: view.rendered, names, info };
        let space = |id: &str| info.spaces.iter().find(|space| id.split(':').next() == Some(&*space.name));
        // A task is whose record it is.
        let is_own =
            |id: &Cow<'_, str>| !space(id).is_some_and(|space| matches!(space.class, Class::TASK | Class::PROCESS));
        let id = record.called(view.labels).ids().find(is_own).unwrap_or_default().into_owned();
        let name = match (space(&id), id.rsplit_once(':').and_then(|(_, key)| key.parse().ok())) {
            (Some(space), Some(key)) => names.name(space.id, key, 0),
            _ => names.name(space::KINDS, view.row.kind.0.into(), 0),
        };
        let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
        let name = name.filter(|name| !name.is_empty() && !name.contains(char::is_control));
        Some(RecordShape { called: name.unwrap_or_else(|| id.clone()), id, types: types(view, &record.payload()) })
    }
}

fn types(view: &RowView<'_>, payload: &[u8]) -> Vec<String> {
    let elements = view.fields().filter(|(_, field)| field.flags.contains(FieldFlags::ELEMENT));
    let mut types: Vec<String> = elements.flat_map(|(_, field)| of_element(field)).collect();
    let is_text = |(_, field): (&[u8], &Field)| {
        field.tag == Tag::TEXT && field.text.of(view.rendered.blob) == without_zeros(payload)
    };
    let is_value = |(_, field): (&[u8], &Field)| field.tag == Tag::SIGNED && payload == field.num.to_le_bytes();
    if types.is_empty() {
        types = match payload.len() {
            _ if view.fields().any(is_text) => vec!["str".to_owned()],
            _ if view.fields().any(is_value) => vec!["i64".to_owned()],
            len if len % 4 == 0 => vec!["u32".to_owned(); len / 4],
            _ => vec![REST.to_owned()],
        };
    }
    if types.len() > MOST {
        types.truncate(MOST);
        types.push(REST.to_owned());
    }
    types
}

/// The fields that an element is; a block of memory begins with its length.
fn of_element(field: &Field) -> Vec<String> {
    // Without the byte of its format.
    let size = field.byte_len.saturating_sub(1);
    let letter = match field.tag {
        Tag::SIGNED => "i",
        Tag::F64 => "f",
        Tag::UNSIGNED if !field.flags.contains(FieldFlags::HEX) => "u",
        Tag::BOOL => "u",
        Tag::TEXT => return vec!["str".to_owned()],
        Tag::BYTES => {
            let bytes = format!("bytes[{}]", size.saturating_sub(1));
            return if size > 1 { vec!["_:u8".to_owned(), bytes] } else { vec!["_:u8".to_owned()] };
        }
        _ => "x",
    };
    match size {
        1 | 2 | 4 | 8 => vec![format!("{letter}{}", 8 * size)],
        _ => vec![format!("bytes[{}]", size.max(1))],
    }
}
