//! Rows of the stream as rows of the tables `records` and `losses`.

use spytui_plugin_api::{
    AttachmentId, Class, Field, Info, NONE, RowFlags,
    batch::{LossCause, lost},
    info::AttachmentInfo,
    render::{FieldFlags, Tag},
};

use super::column::{NamedNumber, NamedTexts, RowGroup};
use crate::{
    export::{
        csv,
        findings::severity_word,
        json::{self, KindNames},
        jsonl::cause,
    },
    present::words::{group_name, key_word},
    row::RowView,
};

/// Makes cells of rows; its memory is used again for each.
#[derive(Debug, Default)]
pub(super) struct RowCells {
    text: Vec<u8>,
    fields: NamedTexts,
    numbers: Vec<NamedNumber>,
    units: NamedTexts,
    /// The first signal and the last state among the fields.
    signal: Option<NamedKey>,
    state: Option<NamedKey>,
}

#[derive(Debug, Clone)]
struct NamedKey {
    key: u64,
    /// Index of its text among the fields.
    text: usize,
}

impl RowCells {
    pub(super) fn record(&mut self, item: &RowView<'_>, recording: &[u8], row: u64, out: &mut RowGroup) {
        self.read_fields(item);
        let kind = KindNames::of(item);
        let group = group_name(item.info, item.row.group);
        out.text(recording);
        out.int(i32::from(item.source.unwrap_or(0)));
        out.long(row);
        out.long(item.n.unwrap_or(0));
        out.int(int(item.epoch.into()));
        place_and_times(item, out);
        out.bool(item.row.has(RowFlags::OUT_OF_ORDER));
        out.long(item.seq());
        out.int(item.core().map(i32::from));
        out.text(&kind.name);
        out.long(kind.id);
        out.maybe_text(Some(group.as_bytes()).filter(|group| !group.is_empty()));
        out.text(severity_word(item.severity).as_bytes());
        self.object(item, out);
        for named in [&self.signal, &self.state] {
            out.maybe_text(named.as_ref().map(|named| self.fields.text(named.text)));
            out.long(named.as_ref().map(|named| named.key));
        }
        self.text.clear();
        item.push_text(&mut self.text);
        out.text(&self.text);
        out.texts(&self.fields);
        out.numbers(&self.fields, &self.numbers);
        out.texts(&self.units);
        out.end_row();
    }

    pub(super) fn loss(&mut self, item: &RowView<'_>, recording: &[u8], row: u64, out: &mut RowGroup) {
        self.read_fields(item);
        let attachment = |id| item.attachments.iter().find(|attachment| attachment.id == id);
        let lost = attachment(AttachmentId::LOST);
        let expected = attachment(AttachmentId::EXPECTED);
        out.text(recording);
        out.int(i32::from(item.source.unwrap_or(0)));
        out.long(row);
        out.int(int(item.epoch.into()));
        place_and_times(item, out);
        out.int(item.core().map(i32::from));
        out.text(&KindNames::of(item).name);
        out.text(severity_word(item.severity).as_bytes());
        out.long(expected.map(|expected| expected.a));
        out.long(expected.map(|expected| expected.b));
        out.long(lost.map(|lost| lost.a));
        out.bool(lost.map(|lost| lost::is_exact(lost.b)));
        let unit = if item.info.loss_unit.is_empty() { "record" } else { &item.info.loss_unit };
        out.maybe_text(lost.map(|_| unit.as_bytes()));
        out.maybe_text(loss_cause(item).map(|of| cause(of).as_bytes()));
        self.text.clear();
        item.push_what(&mut self.text);
        out.text(&self.text);
        out.texts(&self.fields);
        out.numbers(&self.fields, &self.numbers);
        out.end_row();
    }

    fn object(&mut self, item: &RowView<'_>, out: &mut RowGroup) {
        let place = item.object_place();
        self.text.clear();
        item.push_object(&mut self.text);
        out.maybe_text(place.map(|_| self.text.as_slice()));
        out.long(place.map(|_| item.row.obj));
    }

    fn read_fields(&mut self, item: &RowView<'_>) {
        self.fields.clear();
        self.numbers.clear();
        self.units.clear();
        (self.signal, self.state) = (None, None);
        let mut elements = 0;
        for (name, field) in item.fields() {
            let mut number = Vec::new();
            let name = if field.flags.contains(FieldFlags::ELEMENT) && name.is_empty() {
                json::number(&mut number, elements);
                elements += 1;
                &*number
            } else {
                name
            };
            self.field(item, name, field);
        }
        // What the decoder found out about the row.
        let own = |spec: &&AttachmentInfo| !item.attachments.is_empty() && spec.id.is_own();
        for spec in item.info.attachments.iter().filter(own) {
            let found = item.attachments.iter().find(|found| found.id == spec.id && !found.is_bytes);
            found.iter().for_each(|found| self.number(&spec.name, found.a));
        }
    }

    fn number(&mut self, name: &str, number: u64) {
        self.numbers.push(NamedNumber {
            name: self.fields.count(),
            f64: number as f64,
            i64: i64::try_from(number).ok(),
        });
        self.fields.add(name.as_bytes(), |out| json::number(out, number));
    }

    fn field(&mut self, item: &RowView<'_>, name: &[u8], field: &Field) {
        let blob = item.rendered.blob;
        let is_key = matches!(field.tag, Tag::KEY | Tag::ENUM | Tag::POINTER) && field.space != NONE;
        // The number behind the text before it.
        let behind = field.flags.contains(FieldFlags::VALUE).then(|| self.fields.find(name)).flatten();
        let at = behind.unwrap_or(self.fields.count());
        let text = |out: &mut Vec<u8>| match field.tag {
            Tag::TEXT => out.extend_from_slice(field.text.of(blob)),
            Tag::BOOL => out.extend_from_slice(if field.num == 0 { b"false" } else { b"true" }),
            _ if is_key => match item.names.get(0, field.space, field.num, field.scope) {
                Some(name) => out.extend_from_slice(name),
                None => out.extend_from_slice(key_word(item.info.space(field.space), field.num).as_bytes()),
            },
            _ => csv::plain(out, field, blob),
        };
        if behind.is_none() {
            self.fields.add(name, text);
        }
        let number = match field.tag {
            Tag::TEXT | Tag::BYTES => None,
            Tag::F64 => Some((f64::from_bits(field.num), None)),
            Tag::SIGNED => Some((field.num as i64 as f64, Some(field.num as i64))),
            _ => Some((field.num as f64, i64::try_from(field.num).ok())),
        };
        self.numbers.extend(number.map(|(f64, i64)| NamedNumber { name: at, f64, i64 }));
        if !field.unit(blob).is_empty() {
            self.units.add(name, |out| out.extend_from_slice(field.unit(blob)));
        }
        match class_of(item.info, field.space) {
            Class::SIGNAL if is_key && self.signal.is_none() => {
                self.signal = Some(NamedKey { key: field.num, text: at })
            }
            Class::STATE if is_key => self.state = Some(NamedKey { key: field.num, text: at }),
            _ => {}
        }
    }
}

fn class_of(info: &Info, space: u16) -> Class {
    info.space(space).map_or(Class::OTHER, |space| space.class)
}

fn place_and_times(item: &RowView<'_>, out: &mut RowGroup) {
    let is_timed = item.row.has(RowFlags::TIME_OWN);
    out.long(item.pos());
    out.long(item.wire_len());
    out.long(item.host_ns.map(|ns| ns / 1_000));
    out.long(item.host_ns);
    out.long(is_timed.then_some(item.row.time));
    out.long(item.ns().filter(|_| is_timed));
}

/// The cause of a loss, as in jsonl.
fn loss_cause(item: &RowView<'_>) -> Option<LossCause> {
    let attachment = |id| item.attachments.iter().find(|attachment| attachment.id == id);
    let said = attachment(AttachmentId::CAUSE).map(|said| LossCause(said.a));
    let is_of_target = attachment(AttachmentId::LOST).is_some_and(|lost| lost::is_of_target(lost.b));
    let target = (is_of_target && attachment(AttachmentId::DAMAGED).is_none()).then_some(LossCause::TARGET);
    said.or(target)
}

/// Numbers of epochs are small.
fn int(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
