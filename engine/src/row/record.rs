//! An application record as formatters see it: its ids, payload and fields.

use std::borrow::Cow;

use spytui_formats::{FieldRef, Fields};
use spytui_plugin_api::{
    Dict, Field, NONE, RenderedRow, Row, RowFlags,
    info::{Info, SpaceInfo, space},
    render::{FieldFlags, Tag},
    simple::{Value, named},
};

use super::in_force::{Formatters, Line};
use crate::present::{Labels, labels::Kind, words::key_word};

/// A record with what its decoder rendered.
pub(super) struct Record<'a, 'n> {
    pub(super) row: &'a Row,
    pub(super) rendered: RenderedRow<'a>,
    pub(super) names: Dict<'n>,
    pub(super) info: &'a Info,
}

/// How a record may be called: ids are written and names looked up when they are asked for.
pub(super) struct Called<'a, 'n> {
    /// Its first field, if that is a key, and its object.
    keys: [Option<RecordKey<'a>>; 2],
    kind: &'a Kind,
    row: &'a Row,
    names: Dict<'n>,
}

/// A key that a record may be called by.
#[derive(Clone, Copy)]
struct RecordKey<'a> {
    space: &'a SpaceInfo,
    key: u64,
    scope: u64,
}

impl RecordKey<'_> {
    fn id(&self) -> String {
        format!("{}:{}", self.space.name, self.key)
    }
}

impl<'n> Called<'_, 'n> {
    /// Its id as the list has it.
    pub(super) fn id(&self) -> Cow<'_, str> {
        let key = self.keys.iter().flatten().next();
        key.map_or_else(|| (*self.kind.tag).into(), |key| key.id().into())
    }

    /// Its name in the dictionary.
    pub(super) fn name(&self) -> Option<&'n [u8]> {
        self.names().next()
    }

    /// Its ids, the first one as the list has it.
    pub(super) fn ids(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let keys = self.keys.iter().flatten().map(|key| Cow::from(key.id()));
        let has_no_key = self.keys.iter().all(Option::is_none);
        let item = (has_no_key && self.row.has(RowFlags::HAS_ITEM)).then(|| self.row.item.to_string().into());
        keys.chain([(*self.kind.tag).into()]).chain(item).chain([(*self.kind.name).into()])
    }

    /// Its names in the dictionary.
    pub(super) fn names(&self) -> impl Iterator<Item = &'n [u8]> {
        let keys = self.keys.iter().flatten().map(|of| (of.space.id, of.key, of.scope));
        let kind = (space::KINDS, self.row.kind.0.into(), 0);
        keys.chain([kind]).filter_map(|(space, key, scope)| self.names.name(space, key, scope))
    }

    /// The line of a format file for the record: that for an id before that for a name.
    pub(super) fn line<'f>(&self, formatters: &'f Formatters) -> Option<&'f Line> {
        if !formatters.have_lines() {
            return None;
        }
        let by_name = || self.names().find_map(|name| formatters.line(&String::from_utf8_lossy(name)));
        self.ids().find_map(|id| formatters.line(&id)).or_else(by_name)
    }

    /// How messages call it.
    pub(super) fn shown(&self) -> String {
        self.name().map_or_else(|| self.id(), String::from_utf8_lossy).into_owned()
    }
}

impl<'a, 'n: 'a> Record<'a, 'n> {
    /// Ids and names, those of a marker before those of its kind.
    pub(super) fn called(&self, labels: &'a Labels) -> Called<'a, 'n> {
        let kind = labels.kind(self.info, self.row.kind);
        let has_object = self.row.has(RowFlags::HAS_OBJECT) && kind.object != NONE;
        let object = has_object.then_some((kind.object, self.row.obj, 0));
        let first = first_key(self.rendered.fields).map(|field| (field.space, field.num, field.scope));
        let described = |(space, key, scope)| Some(RecordKey { space: self.info.space(space)?, key, scope });
        // The marker of a task is its first field; the row's object is the task.
        let keys = [first, object].map(|of| of.and_then(described));
        Called { keys, kind, row: self.row, names: self.names }
    }

    /// The bytes that the program put in, without those with the format of elements.
    pub(super) fn payload(&self) -> Cow<'a, [u8]> {
        let payload = self.rendered.payload;
        let mut elements = self.rendered.fields.iter().filter(|field| is_element(field));
        let Some(first) = elements.next() else { return payload.into() };
        if elements.clone().next().is_none() {
            // What most records with a layout have: nothing is cut out behind its format byte.
            let end = first.byte_len as usize;
            return payload.get(end.min(1)..).filter(|_| end <= payload.len()).unwrap_or_default().into();
        }
        let (elements, begin) = (std::iter::once(first).chain(elements), first.byte_off);
        let (mut bytes, mut end) = (Cow::default(), 0);
        for element in elements {
            let at = element.byte_off.saturating_sub(begin) as usize;
            end = at.saturating_add(element.byte_len as usize);
            append(&mut bytes, payload.get(at.saturating_add(1)..end));
        }
        append(&mut bytes, payload.get(end..));
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
            FieldRef::Index(index) => {
                let own = |field: &&Field| name(field) != b"seq" && !field.flags.contains(FieldFlags::VALUE);
                fields.iter().filter(own).nth(*index)
            }
            FieldRef::Name(wanted) => fields.iter().find(|field| name(field) == wanted.as_bytes()),
        }
    }
}

/// The first field, if that is a key and no element: that of a marker.
pub(super) fn first_key(fields: &[Field]) -> Option<&Field> {
    fields.first().filter(|field| is_key(field) && !is_element(field))
}

/// Appends a piece; a first one is not copied.
fn append<'a>(bytes: &mut Cow<'a, [u8]>, piece: Option<&'a [u8]>) {
    match piece.unwrap_or_default() {
        [] => {}
        piece if bytes.is_empty() => *bytes = piece.into(),
        piece => bytes.to_mut().extend_from_slice(piece),
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
            Tag::F64 => match field.digits(self.rendered.blob) {
                Some(digits) => out.extend_from_slice(digits.as_bytes()),
                None => named("").put(float(f64::from_bits(field.num)), out),
            },
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

/// A number that may have been sent with single precision.
fn float(number: f64) -> Value {
    let single = number as f32;
    if f64::from(single) == number { Value::Single(single) } else { Value::Float(number) }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Rendered;

    use super::*;

    /// The payload of a record of these bytes, with elements at these offsets and of these lengths.
    fn payload(bytes: &[u8], elements: &[(u32, u32)]) -> Vec<u8> {
        let mut out = Rendered::default();
        out.payload.extend_from_copy_slice(bytes);
        let element = |(byte_off, byte_len): &(u32, u32)| Field {
            byte_off: *byte_off,
            byte_len: *byte_len,
            flags: FieldFlags::ELEMENT,
            ..Field::default()
        };
        out.fields.extend(elements.iter().map(element));
        out.push_text_row(b"");
        let (row, info) = (Row::default(), Info::default());
        let record = Record { row: &row, rendered: out.row(0), names: Dict::new(&()), info: &info };
        record.payload().into_owned()
    }

    #[test]
    fn a_payload_is_without_the_bytes_of_formats() {
        assert_eq!(payload(&[7, 1, 2], &[]), [7, 1, 2]);
        assert_eq!(payload(&[7, 1, 2], &[(4, 3)]), [1, 2]);
        assert_eq!(payload(&[7, 1, 2, 3], &[(4, 3)]), [1, 2, 3]);
        assert_eq!(payload(&[7, 1, 8, 2, 9], &[(4, 2), (6, 2)]), [1, 2, 9]);
        // A plugin may give any numbers.
        assert_eq!(payload(&[7, 1, 2], &[(4, 0)]), [7, 1, 2]);
        for nothing in [payload(&[7], &[(4, 1)]), payload(&[7, 1, 2], &[(4, 9)]), payload(&[], &[(4, u32::MAX)])] {
            assert!(nothing.is_empty());
        }
    }
}
