//! An application record as formatters see it: its ids, payload and fields.

use spytui_formats::{FieldRef, Fields};
use spytui_plugin_api::{
    Dict, Field, NONE, RenderedRow, Row, RowFlags,
    info::{Info, space},
    render::{FieldFlags, Tag},
};

use super::in_force::Formatters;
use crate::present::words::key_word;

/// A record with what its decoder rendered.
pub(super) struct Record<'a, 'n> {
    pub(super) row: &'a Row,
    pub(super) rendered: RenderedRow<'a>,
    pub(super) names: &'a Dict<'n>,
    pub(super) info: &'a Info,
}

/// How a record may be called.
pub(super) struct Called {
    /// Its ids, the first one as the list has it.
    pub(super) ids: Vec<String>,
    /// Its names in the dictionary.
    pub(super) names: Vec<Vec<u8>>,
}

impl<'a> Record<'a, '_> {
    /// Ids and names, those of a marker before those of its kind.
    pub(super) fn called(&self, formatters: &Formatters) -> Called {
        let mut called = Called { ids: Vec::new(), names: Vec::new() };
        let object_space = self.info.kind(self.row.kind).map_or(NONE, |kind| kind.obj_space);
        let object = (object_space, self.row.obj, 0);
        let has_object = self.row.has(RowFlags::HAS_OBJECT) && object_space != NONE;
        let first = self.rendered.fields.first().filter(|field| is_key(field) && !is_element(field));
        let first = first.map(|field| (field.space, field.num, field.scope));
        // The marker of a task is its first field; the row's object is the task.
        for (space, key, scope) in first.into_iter().chain(has_object.then_some(object)) {
            let Some(described) = self.info.space(space) else { continue };
            called.ids.push(format!("{}:{key}", described.name));
            called.names.extend(self.names.name(space, key, scope).map(<[u8]>::to_vec));
        }
        let kind = formatters.labels.kind(self.info, self.row.kind);
        called.ids.push(kind.tag.to_string());
        if called.ids.len() == 1 && self.row.has(RowFlags::HAS_ITEM) {
            called.ids.push(self.row.item.to_string());
        }
        called.ids.push(kind.name.to_string());
        called.names.extend(self.names.name(space::KINDS, self.row.kind.0.into(), 0).map(<[u8]>::to_vec));
        called
    }

    /// The bytes that the program put in, without those with the format of elements.
    pub(super) fn payload(&self) -> Vec<u8> {
        let payload = self.rendered.payload;
        let mut elements = self.rendered.fields.iter().filter(|field| is_element(field)).peekable();
        let Some(begin) = elements.peek().map(|first| first.byte_off) else { return payload.to_vec() };
        let mut bytes = Vec::with_capacity(payload.len());
        let mut end = 0;
        for element in elements {
            let at = element.byte_off.saturating_sub(begin) as usize;
            end = at.saturating_add(element.byte_len as usize);
            bytes.extend_from_slice(payload.get(at.saturating_add(1)..end).unwrap_or_default());
        }
        bytes.extend_from_slice(payload.get(end..).unwrap_or_default());
        bytes
    }

    /// Whether an element may be a total of dropped records: an unsigned integer that does not wrap around unseen.
    pub(super) fn has_total(&self, element: usize) -> bool {
        let found = self.rendered.fields.iter().filter(|field| is_element(field)).nth(element);
        // With the byte of its format.
        found.is_some_and(|field| field.tag == Tag::UNSIGNED && field.byte_len > 4)
    }

    fn find(&self, wanted: &FieldRef) -> Option<&'a Field> {
        let fields = self.rendered.fields;
        let name = |field: &Field| field.name.of(self.rendered.blob);
        match wanted {
            FieldRef::Index(index) if fields.iter().any(is_element) => {
                fields.iter().filter(|field| is_element(field)).nth(*index)
            }
            FieldRef::Index(index) => fields.iter().filter(|field| name(field) != b"seq").nth(*index),
            FieldRef::Name(wanted) => fields.iter().find(|field| name(field) == wanted.as_bytes()),
        }
    }
}

fn is_element(field: &Field) -> bool {
    field.flags.contains(FieldFlags::ELEMENT)
}

fn is_key(field: &Field) -> bool {
    matches!(field.tag, Tag::KEY | Tag::ENUM | Tag::POINTER) && field.space != NONE
}

impl Fields for Record<'_, '_> {
    fn put(&self, field: &FieldRef, out: &mut Vec<u8>) -> bool {
        let Some(field) = self.find(field) else { return false };
        match field.tag {
            Tag::TEXT => out.extend_from_slice(field.text.of(self.rendered.blob)),
            Tag::BYTES => {
                let hex: Vec<String> = field.text.of(self.rendered.blob).iter().map(|b| format!("{b:02X}")).collect();
                out.extend_from_slice(hex.join(" ").as_bytes());
            }
            Tag::SIGNED => out.extend_from_slice((field.num as i64).to_string().as_bytes()),
            Tag::F64 => out.extend_from_slice(float(f64::from_bits(field.num)).as_bytes()),
            Tag::BOOL => out.extend_from_slice(if field.num == 0 { b"false" } else { b"true" }),
            _ if is_key(field) => match self.names.name(field.space, field.num, field.scope) {
                Some(name) => out.extend_from_slice(name),
                None => out.extend_from_slice(key_word(self.info.space(field.space), field.num).as_bytes()),
            },
            _ => out.extend_from_slice(field.num.to_string().as_bytes()),
        }
        true
    }
}

/// The shortest text that means the number, which may have been sent with single precision.
fn float(number: f64) -> String {
    let single = number as f32;
    if f64::from(single) == number { single.to_string() } else { number.to_string() }
}
