//! JSON Lines: a version line, then one object per row, with the same keys for every protocol; absent values are
//! omitted. `docs/output.md` and `docs/output.schema.json` describe them.

use std::io::Write;

use spytui_plugin_api::{
    Field, NONE, RString,
    batch::{Attachment, AttachmentId, LossCause, lost},
    info::Info,
    render::{FieldFlags, Tag, Want},
    row::RowFlags,
};

use super::{
    json::{self, KindNames, Object},
    lines::{LineForm, Lines},
};
use crate::{
    present::{clock::push_number, words::group_name},
    row::{PlannedRow, RowView, planned::ReadyField},
    store::View,
    trace::stream::RowLines,
};

/// Version of the lines; raised when a key is removed or changes its meaning. New keys may be added at any time.
const SCHEMA: u64 = 1;

/// Writes the rows that pass a filter.
pub type Jsonl<W> = Lines<W, JsonLine>;

impl<W: Write> Jsonl<W> {
    pub fn new(out: W) -> Jsonl<W> {
        Lines::of(out, JsonLine::default())
    }
}

/// A row as JSON object.
#[derive(Debug, Default, Clone)]
pub struct JsonLine {
    text: Vec<u8>,
}

impl LineForm for JsonLine {
    const WANT: Want = Want::TEXT.union(Want::FIELDS);
    const NAMES: (View, bool) = (View::AsOf, false);
    const IS_DIVIDED: bool = true;

    fn header(&self) -> String {
        format!("{{\"type\":\"schema\",\"version\":{SCHEMA}}}\n")
    }
}

impl RowLines for JsonLine {
    fn push(&mut self, item: &RowView<'_>, out: &mut Vec<u8>) {
        if item.row.is_record() {
            record(out, item);
        } else {
            self.text.clear();
            item.push_what(&mut self.text);
            note(out, item, &self.text);
        }
        out.push(b'\n');
    }
}

fn record(line: &mut Vec<u8>, item: &RowView<'_>) {
    line.extend_from_slice(b"{\"type\":\"record\"");
    number(line, ",\"source\":", item.source);
    number(line, ",\"n\":", item.n);
    number(line, ",\"pos\":", Some(item.pos()));
    number(line, ",\"len\":", Some(item.wire_len()));
    number(line, ",\"seq\":", item.seq());
    times(line, item);
    number(line, ",\"lane\":", item.core());
    if item.row.has(RowFlags::OUT_OF_ORDER) {
        line.extend_from_slice(b",\"out_of_order\":true");
    }
    line.extend_from_slice(item.kind().json.as_bytes());
    let mut object = Object::begun(line);
    if item.kind().json.is_empty() {
        let kind = KindNames::of(item);
        object.number("id", kind.id);
        object.string("kind", &kind.name);
    }
    let group = group_name(item.info, item.row.group);
    if !group.is_empty() {
        object.string("group", group.as_bytes());
    }
    let mut lossy = Lossy::default();
    fields(object.plain_key("fields"), item, &mut lossy);
    let flags = item.rendered.fields.iter().fold(FieldFlags::empty(), |all, field| all | field.flags);
    if flags.intersects(FieldFlags::VALUE | FieldFlags::UNIT) {
        values(&mut object, item);
    }
    if flags.contains(FieldFlags::OWNER) {
        owner(&mut object, item);
    }
    items(&mut object, item);
    names(&mut object, item, &mut lossy);
    lossy.write(&mut object);
    line.extend_from_slice(b",\"text\":\"");
    let start = line.len();
    item.push_text(line);
    json::escape_from(line, start);
    line.extend_from_slice(b"\"}");
}

/// Adds a number, if any, after other keys.
#[inline(always)]
fn number(line: &mut Vec<u8>, key: &'static str, number: Option<impl Into<u64>>) {
    if let Some(number) = number {
        line.extend_from_slice(key.as_bytes());
        push_number(number.into(), line);
    }
}

/// Names and raw bytes of fields whose text is not valid UTF-8.
#[derive(Default)]
struct Lossy<'a>(Vec<(&'a [u8], &'a [u8])>);

impl<'a> Lossy<'a> {
    fn add(&mut self, whole: bool, name: &'a [u8], bytes: &'a [u8]) {
        if !whole {
            self.0.push((name, bytes));
        }
    }

    /// Adds the raw bytes, if any.
    fn write(self, object: &mut Object<'_>) {
        if self.0.is_empty() {
            return;
        }
        let mut raw = Object::open(object.key(b"raw"));
        self.0.into_iter().for_each(|(name, bytes)| json::hex(raw.key(name), bytes));
        raw.close();
    }
}

/// Adds the owner of a record, which the record itself does not contain.
fn owner(object: &mut Object<'_>, item: &RowView<'_>) {
    let mut owner = Object::open(object.key(b"owner"));
    for (name, field) in item.fields().filter(|(_, field)| field.flags.contains(FieldFlags::OWNER)) {
        value(owner.key(name), field, item.rendered.blob);
    }
    if item.object_place().is_some() {
        let mut name = Vec::new();
        item.push_object(&mut name);
        owner.string("name", &name);
    }
    owner.close();
}

fn times(line: &mut Vec<u8>, item: &RowView<'_>) {
    if item.row.has(RowFlags::TIME_OWN) {
        number(line, ",\"time\":", Some(item.row.time));
        number(line, ",\"ns\":", item.ns());
    }
    number(line, ",\"host\":", item.host_ns);
}

fn fields<'a>(out: &mut Vec<u8>, item: &'a RowView<'_>, lossy: &mut Lossy<'a>) {
    let mut object = Object::open(out);
    for (field, number) in item.planned.iter().flat_map(PlannedRow::fields) {
        push_number(number, object.ready_key(&field.key));
    }
    let of_record = |f: &Field| !f.flags.intersects(FieldFlags::ELEMENT | FieldFlags::OWNER | FieldFlags::VALUE);
    add_fields(&mut object, item.fields().filter(|(_, f)| of_record(f)), item.rendered.blob, lossy);
    for spec in item.info.attachments.iter().filter(|s| !item.attachments.is_empty() && s.id.is_own()) {
        if let Some(e) = item.attachments.iter().find(|e| e.id == spec.id && !e.is_bytes) {
            json::number(object.key(spec.name.as_bytes()), e.a);
        }
    }
    object.close();
}

/// Adds units, and numbers of fields shown as words.
fn values(object: &mut Object<'_>, item: &RowView<'_>) {
    let blob = item.rendered.blob;
    let mut behind = item.fields().filter(|(_, field)| field.flags.contains(FieldFlags::VALUE)).peekable();
    if behind.peek().is_some() {
        let mut values = Object::open(object.key(b"values"));
        behind.for_each(|(name, field)| _ = value(values.key(name), field, blob));
        values.close();
    }
    let mut with_unit = item.fields().filter(|(_, field)| !field.unit(blob).is_empty()).peekable();
    if with_unit.peek().is_some() {
        let mut units = Object::open(object.key(b"units"));
        with_unit.for_each(|(name, field)| _ = json::string(units.key(name), field.unit(blob)));
        units.close();
    }
}

/// Adds fields; consecutive values of a list become an array.
fn add_fields<'a>(
    object: &mut Object<'_>,
    fields: impl Iterator<Item = (&'a [u8], &'a Field)>,
    blob: &'a [u8],
    lossy: &mut Lossy<'a>,
) {
    let mut fields = fields.peekable();
    while let Some((name, field)) = fields.next() {
        let out = object.key(name);
        if !field.flags.contains(FieldFlags::LIST) {
            lossy.add(value(out, field, blob), name, field.text.of(blob));
            continue;
        }
        out.push(b'[');
        value(out, field, blob);
        while let Some((_, field)) = fields.next_if(|next| next.0 == name && next.1.flags.contains(FieldFlags::LIST)) {
            out.push(b',');
            value(out, field, blob);
        }
        out.push(b']');
    }
}

fn items(object: &mut Object<'_>, item: &RowView<'_>) {
    if !item.row.has(RowFlags::APPLICATION) {
        return;
    }
    let elements = item.fields().filter(|(_, f)| f.flags.contains(FieldFlags::ELEMENT));
    json::objects(object.key(b"items"), elements, |element, (_, field)| {
        element_type(element, &item.info.element_types, field);
        let bytes = field.text.of(item.rendered.blob);
        if !value(element.key(b"v"), field, item.rendered.blob) {
            json::hex(element.key(b"raw"), bytes);
        }
        if let Some(scope) = scope_name(item.info, field) {
            json::number(element.key(scope.as_bytes()), field.scope);
        }
    });
}

/// Key under which an element's scope is written (the object of a signal); the scope is not a field of its own.
fn scope_name<'a>(info: &'a Info, field: &Field) -> Option<&'a str> {
    let space = info.space(field.space).filter(|_| field.tag == Tag::KEY && field.scope != 0)?;
    Some(info.space(space.scope_space)?.name.as_str())
}

/// Adds type and width of an element. A type without a name is written as a number.
fn element_type(element: &mut Object<'_>, types: &[RString], field: &Field) {
    let name = types.get(usize::from(field.element));
    match name {
        Some(name) => element.string("t", name.as_bytes()),
        None => element.number("t", field.element),
    }
    if name.is_none() || matches!(field.tag, Tag::UNSIGNED | Tag::SIGNED) {
        element.number("w", field.width);
    }
}

/// Adds the known names of fields that are keys.
fn names<'a>(object: &mut Object<'_>, item: &'a RowView<'_>, lossy: &mut Lossy<'a>) {
    let named = |field: &Field| {
        let is_own = !field.flags.contains(FieldFlags::OWNER);
        let key = is_own && matches!(field.tag, Tag::KEY | Tag::ENUM | Tag::POINTER) && field.space != NONE;
        if key { item.names.get(0, field.space, field.num, field.scope) } else { None }
    };
    let before = object.out.len();
    let mut names = Object::open(object.plain_key("names"));
    if let Some(planned) = &item.planned {
        for (ReadyField { field, key, .. }, number) in planned.fields().filter(|(own, _)| own.field.space != NONE) {
            let Some(text) = item.names.get(0, field.space, number, planned.scope(field)) else { continue };
            lossy.add(json::string(names.ready_key(key), text), field.name.as_bytes(), text);
        }
    }
    for (name, field) in item.fields() {
        let Some(text) = named(field) else { continue };
        lossy.add(json::string(names.key(name), text), name, text);
    }
    if names.out.ends_with(b"{") { names.out.truncate(before) } else { names.close() }
}

/// Appends a value; returns whether it is exactly what the target sent.
fn value(out: &mut Vec<u8>, field: &Field, blob: &[u8]) -> bool {
    match field.tag {
        Tag::TEXT => return json::string(out, field.text.of(blob)),
        Tag::SIGNED => json::number(out, field.num as i64),
        Tag::F64 => match field.digits(blob) {
            Some(digits) => out.extend_from_slice(digits.as_bytes()),
            None => json::double(out, f64::from_bits(field.num)),
        },
        Tag::BOOL => json::boolean(out, field.num != 0),
        Tag::BYTES => json::hex(out, field.text.of(blob)),
        _ => push_number(field.num, out),
    }
    true
}

fn note(line: &mut Vec<u8>, item: &RowView<'_>, text: &[u8]) {
    let mut object = Object::open(line);
    object.string("type", b"note");
    object.maybe("source", item.source);
    object.string("kind", &KindNames::of(item).name);
    object.number("pos", item.pos());
    if item.wire_len() > 0 {
        object.number("bytes", item.wire_len());
    }
    times(object.out, item);
    object.maybe("lane", item.core());
    let is_elsewhere = |a: &Attachment| matches!(a.id, AttachmentId::CAUSE | AttachmentId::DAMAGED);
    for e in item.attachments {
        match e.id {
            AttachmentId::EXPECTED => {
                object.number("expected", e.a);
                object.number("got", e.b);
            }
            AttachmentId::LOST => {
                object.number("lost", e.a);
                json::boolean(object.key(b"exact"), lost::is_exact(e.b));
                if lost::is_of_target(e.b) && !item.attachments.iter().any(is_elsewhere) {
                    object.string("cause", cause(LossCause::TARGET).as_bytes());
                }
            }
            AttachmentId::CAUSE => object.string("cause", cause(LossCause(e.a)).as_bytes()),
            _ => {}
        }
    }
    let mut lossy = Lossy::default();
    note_fields(&mut object, item, &mut lossy);
    lossy.write(&mut object);
    object.string("text", text);
    object.close();
}

/// Adds the decoder's fields of a note, except those contained in its text. Their names may come from the target.
fn note_fields<'a>(object: &mut Object<'_>, item: &'a RowView<'_>, lossy: &mut Lossy<'a>) {
    let mut own = item.fields().filter(|(name, _)| name != b"text").peekable();
    if own.peek().is_none() {
        return;
    }
    let mut fields = Object::open(object.key(b"fields"));
    add_fields(&mut fields, own, item.rendered.blob, lossy);
    fields.close();
}

pub(super) fn cause(cause: LossCause) -> &'static str {
    match cause {
        LossCause::TARGET => "target",
        LossCause::LINE => "line",
        LossCause::HOST => "host",
        _ => "unknown",
    }
}
