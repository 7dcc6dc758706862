//! Application records as formatters see them: which ones match, how their decoder renders them, and their ids and
//! names. Effects of formatters during decoding: severity from words, and activities for states, values and spans.

use std::{borrow::Cow, collections::HashMap, ops::Range, sync::Arc};

use rustc_hash::FxHashMap;
use spytui_formats::FieldRef;
use spytui_plugin_api::{
    Activity, AppRecord, Attachment, AttachmentId, Batch, Dict, DictEvent, Fault, Field, NONE, Rendered, RenderedRow,
    Request, Row, RowFlags, RowIn, RowKind, Severity, Want,
    batch::{AttrId, DictOp, attachments_of},
    info::{Info, SpaceInfo, space},
    render::{FieldFlags, Lookup, Tag},
};
use spytui_plugin_host::{self as host, FormattedRows, NamesOf};
use spytui_plugin_layer::{Value, named};

use super::{
    in_force::{FormatLine, Formatters, Formatting, OpenedFormatter},
    typed::Typed,
};
use crate::present::{
    Labels,
    words::{KindWords, key_word},
};

pub(super) struct RenderedRecord<'a, 'n> {
    pub(super) row: &'a Row,
    pub(super) rendered: RenderedRow<'a>,
    pub(super) names: Dict<'n>,
    pub(super) info: &'a Info,
}

/// The ids and names of a record, created on demand.
pub(super) struct Called<'a, 'n> {
    /// Its first field if that is a key, and its object.
    keys: [Option<RecordKey<'a>>; 2],
    kind: &'a KindWords,
    row: &'a Row,
    names: Dict<'n>,
}

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
    /// The record's id as shown in the list.
    pub(super) fn id(&self) -> Cow<'_, str> {
        let key = self.keys.iter().flatten().next();
        key.map_or_else(|| (*self.kind.tag).into(), |key| key.id().into())
    }

    /// The record's name in the dictionary.
    pub(super) fn name(&self) -> Option<&'n [u8]> {
        self.names().next()
    }

    /// The record's ids, first the one shown in the list.
    pub(super) fn ids(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let keys = self.keys.iter().flatten().map(|key| Cow::from(key.id()));
        let has_no_key = self.keys.iter().all(Option::is_none);
        let item = (has_no_key && self.row.has(RowFlags::HAS_ITEM)).then(|| self.row.item.to_string().into());
        keys.chain([(*self.kind.tag).into()]).chain(item).chain([(*self.kind.name).into()])
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'n [u8]> {
        let keys = self.keys.iter().flatten().map(|of| (of.space.id, of.key, of.scope));
        let kind = (space::KINDS, self.row.kind.0.into(), 0);
        keys.chain([kind]).filter_map(|(space, key, scope)| self.names.name(space, key, scope))
    }

    /// The line of a format file for the record; lines for ids take precedence over names.
    pub(super) fn line<'f>(&self, formatters: &'f Formatters) -> Option<&'f FormatLine> {
        if formatters.lines.is_empty() {
            return None;
        }
        let by_name = || self.names().find_map(|name| formatters.line(&String::from_utf8_lossy(name)));
        self.ids().find_map(|id| formatters.line(&id)).or_else(by_name)
    }

    /// The record's id for messages.
    pub(super) fn shown(&self) -> String {
        self.name().map_or_else(|| self.id(), String::from_utf8_lossy).into_owned()
    }
}

impl<'a, 'n: 'a> RenderedRecord<'a, 'n> {
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

    /// The program's bytes, without the format bytes of elements.
    pub(super) fn payload(&self) -> Cow<'a, [u8]> {
        let payload = self.rendered.payload;
        let mut elements = self.rendered.fields.iter().filter(|field| is_element(field));
        let Some(first) = elements.next() else { return payload.into() };
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

    /// Whether an element may be a total of dropped records: an unsigned integer wide enough not to wrap unnoticed.
    pub(super) fn has_total(&self, element: usize) -> bool {
        let found = self.rendered.fields.iter().filter(|field| is_element(field)).nth(element);
        // Includes the format byte.
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

    /// Appends the text of a field of the decoder; returns `false` if it does not exist.
    pub(super) fn put(&self, field: &FieldRef, out: &mut Vec<u8>) -> bool {
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

/// The first field if it is a key and not an element, as for a marker.
fn first_key(fields: &[Field]) -> Option<&Field> {
    fields.first().filter(|field| is_key(field) && !is_element(field))
}

/// Appends a piece; the first one is not copied.
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

/// A number that may have been sent with single precision.
fn float(number: f64) -> Value {
    let single = number as f32;
    if f64::from(single) == number { Value::Single(single) } else { Value::Float(number) }
}

/// What formatters need of a record.
const WANT: Want = Want::FIELDS.union(Want::PAYLOAD);

/// Renders records that share one configuration for formatters.
pub(super) struct RecordDecoder<'a, 'n> {
    pub(super) plain: &'a host::Renderer,
    pub(super) configuration: &'a [u8],
    pub(super) names: Dict<'n>,
}

impl RecordDecoder<'_, '_> {
    /// The records among these rows that formatters may match, each with its index.
    pub(super) fn candidates<'r>(&self, rows: &'r [RowIn<'r>], formatters: &Formatters) -> Vec<(usize, &'r RowIn<'r>)> {
        let is_application = |(_, row): &(usize, &RowIn<'_>)| row.row.has(RowFlags::APPLICATION);
        let mut records: Vec<(usize, &RowIn<'_>)> = rows.iter().enumerate().filter(is_application).collect();
        if !formatters.all.all {
            let kinds = self.kinds(&records, formatters);
            // A kind with only malformed records is not known.
            let is_any = |row: &Row| row.has(RowFlags::MALFORMED) || *kinds.get(&row.kind).unwrap_or(&true);
            let is_named = |index, row| is_named(row, formatters, &self.names.at(index));
            records.retain(|(index, row)| is_any(row.row) || is_named(*index as u32, row.row));
        }
        records
    }

    /// For each kind, whether formatters may match any of its records; otherwise they match by name of kind or object.
    fn kinds(&self, records: &[(usize, &RowIn<'_>)], formatters: &Formatters) -> FxHashMap<RowKind, bool> {
        let (mut kinds, mut samples) = (FxHashMap::default(), Vec::new());
        for (index, row) in records.iter().filter(|(_, row)| !row.row.has(RowFlags::MALFORMED)) {
            kinds.entry(row.row.kind).or_insert_with(|| {
                samples.push((*index, *row));
                formatters.all.may_have(row.row.kind, &[], &formatters.info, &formatters.labels)
            });
        }
        samples.retain(|(_, row)| kinds.insert(row.row.kind, true) == Some(false));
        // Records of a kind have the same first field, which may name them.
        for (_, row, rendered) in self.decode(&samples).iter() {
            kinds.insert(row.row.kind, rendered.fields.is_empty() || first_key(rendered.fields).is_some());
        }
        kinds
    }

    /// Renders these records, each with its index in the block.
    pub(super) fn decode<'r>(&self, records: &'r [(usize, &'r RowIn<'r>)]) -> DecodedRecords<'r> {
        let rows: Vec<RowIn<'_>> = records.iter().map(|(_, row)| **row).collect();
        let (mut decoded, mut failed, none) = (Rendered::default(), Vec::new(), FormattedRows::default());
        while let Some(rest) = rows.get(decoded.rows.len()..).filter(|rest| !rest.is_empty()) {
            let first = decoded.rows.len();
            let index = |row| records.get(first + row as usize).map_or(row, |(index, _)| *index as u32);
            let own = NamesOf::new(self.names, index);
            let (names, request) = (Dict::new(&own), Request::from(WANT));
            if self.plain.render(self.configuration, rest, &names, request, none.from(0), &mut decoded).is_ok() {
                break;
            }
            failed.push(decoded.rows.len());
            decoded.push_text_row(b"");
        }
        DecodedRecords { records, decoded, failed }
    }
}

/// Whether a formatter matches the dictionary's name of a record's kind or object.
fn is_named(row: &Row, formatters: &Formatters, names: &Dict<'_>) -> bool {
    let is_known = |space, key| {
        let name = names.name(space, key, 0);
        name.is_some_and(|name| formatters.all.has(&String::from_utf8_lossy(name)))
    };
    let object = formatters.labels.kind(&formatters.info, row.kind).object;
    is_known(space::KINDS, row.kind.0.into())
        || row.has(RowFlags::HAS_OBJECT) && object != NONE && is_known(object, row.obj)
}

/// Application records that share one configuration.
pub(super) struct DecodedRecords<'r> {
    /// The records, with their indexes in the block.
    records: &'r [(usize, &'r RowIn<'r>)],
    decoded: Rendered,
    /// Records on which their decoder failed: formatters have nothing to read there.
    failed: Vec<usize>,
}

impl<'r> DecodedRecords<'r> {
    /// Records on which the decoder did not fail, each with its index.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &'r RowIn<'r>, RenderedRow<'_>)> {
        let decoded = self.records.iter().enumerate().filter(|(at, _)| self.failed.binary_search(at).is_err());
        decoded.map(|(at, (index, row))| (*index, *row, self.decoded.row(at)))
    }
}

/// The first matching formatter of a plugin, with its result.
pub(super) struct MatchingFormatter<'f> {
    pub(super) formatter: &'f OpenedFormatter,
    /// `Err` if the formatter failed.
    pub(super) said: Result<(), Fault>,
}

/// Asks the formatters of plugins in order; `None` if none matches. `is_for_severity` = also for fields, if their words
/// raise the severity.
pub(super) fn ask<'f>(
    formatters: &'f Formatters,
    record: &RenderedRecord<'_, '_>,
    called: &Called<'_, '_>,
    want: Want,
    is_for_severity: bool,
    out: &mut Rendered,
) -> Option<MatchingFormatter<'f>> {
    if formatters.plugins.is_empty() {
        return None;
    }
    let id = called.id();
    let (id, name) = (id.as_bytes(), called.name().unwrap_or_default());
    let is_for = |one: &&OpenedFormatter| one.plugin.info.is_for(id) || one.plugin.info.is_for(name);
    let mut asked = formatters.plugins.iter().filter(is_for).peekable();
    asked.peek()?;
    let payload = record.payload();
    let app = AppRecord {
        row: record.row,
        id: id.into(),
        name: name.into(),
        payload: (&*payload).into(),
        fields: record.rendered.fields.into(),
        blob: record.rendered.blob.into(),
    };
    for formatter in asked {
        let Some(opened) = formatter.usable() else { continue };
        let want = if is_for_severity && formatter.makes_severe { want | Want::FIELDS } else { want };
        match opened.format(&app, &record.names, want, out) {
            Ok(false) => {}
            answer => return Some(MatchingFormatter { formatter, said: answer.map(drop) }),
        }
    }
    None
}

/// The formatters in force for a stream, with what reading its records needs.
#[derive(Debug, Clone)]
pub struct RecordEffects {
    formatting: Arc<Formatting>,
    plain: host::Renderer,
    formatters: Option<Arc<Formatters>>,
    version: Option<u64>,
    configurations: Configurations,
    names: NamedRecords,
    /// Position and bytes of the stream's end that are not yet in a row.
    held: (u64, Vec<u8>),
}

impl RecordEffects {
    /// At the start of a stream; `plain` renders its rows.
    pub fn new(formatting: Arc<Formatting>, plain: host::Renderer) -> RecordEffects {
        let (configurations, names, held) = Default::default();
        RecordEffects { formatting, plain, formatters: None, version: None, configurations, names, held }
    }

    /// Ignores what a feed added to a batch.
    pub fn leave_out(&mut self, batch: &Batch) {
        self.held = (0, Vec::new());
        self.configurations.next = 0;
        self.configurations.apply(batch, usize::MAX);
    }

    /// Processes what a feed of `bytes` at `pos` added to a batch. Bytes from `oldest` on are not yet in a row.
    pub fn apply(&mut self, (pos, bytes): (u64, &[u8]), oldest: u64, wants_activities: bool, batch: &mut Batch) {
        self.refresh();
        let Some(formatters) = self.formatters.clone() else {
            return self.leave_out(batch);
        };
        let (begin, mut window) = std::mem::take(&mut self.held);
        // Bytes before a hole in the stream are useless.
        let goes_on = !window.is_empty() && begin + window.len() as u64 == pos;
        let begin = if goes_on { begin } else { pos };
        let fed = if goes_on {
            window.extend_from_slice(bytes);
            &window
        } else {
            bytes
        };
        let activities = self.rows(&formatters, (begin, fed), wants_activities, batch);
        if !activities.is_empty() {
            batch.activities.extend(activities);
            batch.activities.sort_by_key(|activity| activity.at);
        }
        let kept = usize::try_from(oldest.saturating_sub(begin)).unwrap_or(usize::MAX);
        self.held = (begin.max(oldest), fed.get(kept..).unwrap_or_default().to_vec());
    }

    fn refresh(&mut self) {
        let version = Some(self.formatting.version());
        if std::mem::replace(&mut self.version, version) != version {
            self.formatters = self.formatting.get().filter(|formatters| !formatters.effective.is_empty());
        }
    }

    /// Processes the records among the new rows; returns their activities.
    fn rows(
        &mut self,
        formatters: &Formatters,
        bytes: (u64, &[u8]),
        wants_activities: bool,
        batch: &mut Batch,
    ) -> Vec<Activity> {
        let named = self.names.with(batch, formatters);
        let mut kinds = FxHashMap::default();
        let is_read = wants_activities || formatters.make_severe;
        let Formatters { effective, info, labels, .. } = formatters;
        let mut may_have = |kind| *kinds.entry(kind).or_insert_with(|| effective.may_have(kind, &named, info, labels));
        let may_be = |row: &Row| is_read && may_have(row.kind);
        let raw = RawRecords::of(batch, bytes, may_be);
        self.configurations.next = 0;
        let mut found = Found { wants_activities, ..Found::default() };
        let mut rest = raw.records.as_slice();
        while let Some(first) = rest.first() {
            self.configurations.apply(batch, first.at + 1);
            let next = batch.cfgs.get(self.configurations.next).map_or(usize::MAX, |event| event.at as usize);
            let cfg = |record: &RawRecord| batch.rows.get(record.at).map(|row| row.cfg);
            let is_with_first = |record: &&RawRecord| cfg(record) == cfg(first) && record.at < next;
            let (together, behind) = rest.split_at(rest.iter().take_while(is_with_first).count().max(1));
            self.records(formatters, &raw, together, batch, &mut found);
            rest = behind;
        }
        self.names.learn(batch, found.next_name, usize::MAX, formatters);
        self.configurations.apply(batch, usize::MAX);
        for (at, severity) in found.severities {
            if let Some(row) = batch.rows.get_mut(at) {
                row.severity = row.severity.max(severity);
            }
        }
        found.activities
    }

    /// Processes records that share one configuration.
    fn records(
        &mut self,
        formatters: &Formatters,
        raw: &RawRecords,
        together: &[RawRecord],
        batch: &Batch,
        found: &mut Found,
    ) {
        let inputs = raw.inputs(together, batch);
        let configuration = self.configurations.get(inputs.first().map_or(0, |row| row.row.cfg));
        let records: Vec<_> = inputs.iter().enumerate().collect();
        let decoder = RecordDecoder { plain: &self.plain, configuration, names: Dict::new(&()) };
        let mut formatted = Rendered::default();
        for (index, row, rendered) in decoder.decode(&records).iter() {
            let Some(RawRecord { at, .. }) = together.get(index) else { continue };
            found.next_name = self.names.learn(batch, found.next_name, *at, formatters);
            let record =
                RenderedRecord { row: row.row, rendered, names: Dict::new(&self.names), info: &formatters.info };
            let called = record.called(&formatters.labels);
            formatted.clear();
            if let Some(MatchingFormatter { formatter, said }) =
                ask(formatters, &record, &called, Want::FIELDS, false, &mut formatted)
            {
                // A fault is reported when the row is shown.
                if said.is_ok() && formatter.has_effects() {
                    let given = formatted.row(0);
                    found.take(*at, row.row, formatter.severity(given), formatter.activities(given));
                }
            } else if let Some(line) = called.line(formatters)
                && let Some(layout) = line.layout.as_ref().filter(|layout| layout.has_effects())
            {
                let (bytes, is_big_endian) = (record.payload(), row.row.has(RowFlags::BIG_ENDIAN));
                let typed = Typed { layout, bytes: &bytes, is_big_endian };
                found.take(*at, row.row, typed.severity(), line.activities(typed));
            }
        }
    }
}

/// Configurations in force, by id.
#[derive(Debug, Clone, Default)]
pub struct Configurations {
    all: Vec<Vec<u8>>,
    /// Index of the next event of the batch.
    pub next: usize,
}

impl Configurations {
    /// Applies the events of a batch that are valid from rows before `end`.
    pub fn apply(&mut self, batch: &Batch, end: usize) {
        while let Some(event) = batch.cfgs.get(self.next).filter(|event| (event.at as usize) < end) {
            self.next += 1;
            let id = usize::from(event.id);
            if id >= self.all.len() {
                self.all.resize(id + 1, Vec::new());
            }
            self.all[id] = event.blob.of(&batch.bytes).to_vec();
        }
    }

    pub fn get(&self, id: u16) -> &[u8] {
        self.all.get(usize::from(id)).map_or(&[], Vec::as_slice)
    }
}

/// Effects found in a feed.
#[derive(Default)]
struct Found {
    wants_activities: bool,
    /// Raised severities, with the index of the row.
    severities: Vec<(usize, Severity)>,
    activities: Vec<Activity>,
    next_name: usize,
}

impl Found {
    /// Adds the effects of the record in row `at`.
    fn take(&mut self, at: usize, row: &Row, severity: Option<Severity>, activities: impl Iterator<Item = Activity>) {
        self.severities.extend(severity.map(|severity| (at, severity)));
        // An out-of-order record does not describe the state at its place.
        if self.wants_activities && !row.has(RowFlags::OUT_OF_ORDER) {
            self.activities.extend(activities.map(|one| Activity { at: at as u32, core: row.core, ..one }));
        }
    }
}

/// The application records of a feed with their bytes.
struct RawRecords {
    bytes: Vec<u8>,
    records: Vec<RawRecord>,
}

struct RawRecord {
    /// Index of its row in the batch.
    at: usize,
    bytes: Range<usize>,
}

impl RawRecords {
    /// The records from row `first` on that may have an effect; `fed` = bytes of the stream from `begin` on.
    fn of(batch: &Batch, (begin, fed): (u64, &[u8]), mut may_be: impl FnMut(&Row) -> bool) -> RawRecords {
        let mut raw = RawRecords { bytes: Vec::new(), records: Vec::new() };
        for (at, row) in batch.rows.iter().enumerate().filter(|(_, row)| row.has(RowFlags::APPLICATION) && may_be(row))
        {
            let from = raw.bytes.len();
            gather(row, attachments_of(&batch.attachments, at), &mut raw.bytes, |pos, len, out| {
                let from = usize::try_from(pos.wrapping_sub(begin)).unwrap_or(usize::MAX);
                let to = from.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
                out.extend_from_slice(fed.get(from..to).unwrap_or_default());
            });
            raw.records.push(RawRecord { at, bytes: from..raw.bytes.len() });
        }
        raw
    }

    fn inputs<'r>(&'r self, records: &[RawRecord], batch: &'r Batch) -> Vec<RowIn<'r>> {
        let input = |record: &RawRecord| {
            let row = batch.rows.get(record.at)?;
            let raw = self.bytes.get(record.bytes.clone()).unwrap_or_default();
            let attachments = attachments_of(&batch.attachments, record.at);
            Some(RowIn { row, raw: raw.into(), attachments: attachments.into(), blob: batch.bytes.as_slice().into() })
        };
        records.iter().filter_map(input).collect()
    }
}

/// Names given by the target to records that formatters with effects match.
#[derive(Debug, Clone, Default)]
struct NamedRecords(HashMap<(u16, u64, u64), String>);

impl NamedRecords {
    /// Spaces and keys of these names, including those in a feed.
    fn with(&self, batch: &Batch, formatters: &Formatters) -> Vec<(u16, u64)> {
        let is_wanted = |event: &&DictEvent| {
            let is_name = event.op == DictOp::SET && event.attr == AttrId::NAME;
            is_name && formatters.effective.has(&String::from_utf8_lossy(event.text.of(&batch.bytes)))
        };
        let new = batch.dict.iter().filter(is_wanted).map(|event| (event.space, event.key));
        self.0.keys().map(|(space, key, _)| (*space, *key)).chain(new).collect()
    }

    /// Adds names valid from row `at` on; returns the next event.
    fn learn(&mut self, batch: &Batch, first: usize, at: usize, formatters: &Formatters) -> usize {
        let mut next = first;
        while let Some(event) = batch.dict.get(next).filter(|event| event.at as usize <= at) {
            next += 1;
            let key = (event.space, event.key, event.scope);
            match event.op {
                DictOp::SET if event.attr == AttrId::NAME => {
                    let text = String::from_utf8_lossy(event.text.of(&batch.bytes));
                    match formatters.effective.has(&text) {
                        true => _ = self.0.insert(key, text.into_owned()),
                        false => _ = self.0.remove(&key),
                    }
                }
                DictOp::REMOVE => _ = self.0.remove(&key),
                DictOp::CLEAR => self.0.retain(|(space, ..), _| *space != event.space),
                _ => {}
            }
        }
        next
    }
}

impl Lookup for NamedRecords {
    fn get(&self, _: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        self.0.get(&(space, key, scope)).map(String::as_bytes)
    }
}

/// Appends the fragments of a row; `read` appends a range of the stream.
pub fn gather(row: &Row, attachments: &[Attachment], out: &mut Vec<u8>, mut read: impl FnMut(u64, u64, &mut Vec<u8>)) {
    if row.has(RowFlags::FRAGMENTED) {
        for piece in attachments.iter().filter(|e| e.id == AttachmentId::FRAGMENT) {
            read(piece.a, piece.b, out);
        }
    }
    if row.len > 0 {
        read(row.pos, row.len.into(), out);
    }
}

#[cfg(test)]
mod tests {
    use spytui_formats::{FormatTable, Loader};
    use spytui_plugin_api::{
        Class, Decoder, DecoderOptions, Formatter, FormatterInfo, Output, Source, TextWriter, decoder, formatter,
        guard,
        info::{KeyFormat, KindInfo},
    };

    use super::*;
    use crate::row::PluginFormatter;

    /// The payload of a record of these bytes, with elements at these offsets and lengths.
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
        let record = RenderedRecord { row: &row, rendered: out.row(0), names: Dict::new(&()), info: &info };
        record.payload().into_owned()
    }

    #[test]
    fn a_payload_is_without_the_bytes_of_formats() {
        assert_eq!(payload(&[7, 1, 2], &[]), [7, 1, 2]);
        assert_eq!(payload(&[7, 1, 2], &[(4, 3)]), [1, 2]);
        assert_eq!(payload(&[7, 1, 2, 3], &[(4, 3)]), [1, 2, 3]);
        assert_eq!(payload(&[7, 1, 8, 2, 9], &[(4, 2), (6, 2)]), [1, 2, 9]);
        // A plugin may return any numbers.
        assert_eq!(payload(&[7, 1, 2], &[(4, 0)]), [7, 1, 2]);
        for nothing in [payload(&[7], &[(4, 1)]), payload(&[7, 1, 2], &[(4, 9)]), payload(&[], &[(4, u32::MAX)])] {
            assert!(nothing.is_empty());
        }
    }

    const MARKERS: u16 = 20;

    const TASKS: u16 = 21;

    /// Records of four kinds: plain ones, markers, those of tasks, and a range of the user's.
    const PLAIN: RowKind = RowKind(1);

    const MARKER: RowKind = RowKind(2);

    const OF_TASK: RowKind = RowKind(3);

    const USER: RowKind = RowKind(100);

    #[derive(Clone)]
    struct Toy;

    impl Decoder for Toy {
        fn info() -> Info {
            let space = |id, name| SpaceInfo::new(id, name, "", Class::OTHER, KeyFormat::DECIMAL);
            let marker = KindInfo { spaces: vec![MARKERS].into(), ..KindInfo::new(MARKER, "MARK", 1) };
            let of_task = KindInfo { obj_space: TASKS, ..KindInfo::new(OF_TASK, "TASK", 1) };
            let user = KindInfo { last: RowKind(109), ..KindInfo::new(USER, "USER", 1) };
            Info {
                id: "toy".into(),
                kinds: vec![KindInfo::new(PLAIN, "PLAIN", 1), marker, of_task, user].into(),
                spaces: vec![space(MARKERS, "marker"), space(TASKS, "task")].into(),
                ..Info::default()
            }
        }

        fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Toy, Fault> {
            Ok(Toy)
        }

        fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

        fn render(_: &[u8], row: &RowIn<'_>, _: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
            let (tag, space) = if row.row.kind == MARKER { (Tag::KEY, MARKERS) } else { (Tag::UNSIGNED, NONE) };
            out.field("first", Field { tag, space, ..Field::default() });
        }
    }

    struct Any;

    impl Formatter for Any {
        fn info() -> FormatterInfo {
            FormatterInfo::default()
        }

        fn open(_: &DecoderOptions<'_>) -> Result<Any, Fault> {
            Ok(Any)
        }

        fn format(&self, _: &AppRecord<'_>, _: &Dict<'_>, _: &mut TextWriter<'_>) -> Result<bool, Fault> {
            Ok(true)
        }
    }

    /// Task 7 is named `idle`, kind `PLAIN` is named `boot`.
    struct Names;

    impl Lookup for Names {
        fn get(&self, _: u32, space: u16, key: u64, _: u64) -> Option<&[u8]> {
            match (space, key) {
                (TASKS, 7) => Some(b"idle"),
                (space::KINDS, 1) => Some(b"boot"),
                _ => None,
            }
        }
    }

    /// Indexes of the candidates among these: 0 is a plain record, 1 a marker, 2 one of task 7, 3 one of task 8, 4
    /// `USER+5`, 5 `USER+6`, 6 and 7 the same as 4, but malformed and not an application record.
    fn asked(plugins: &[PluginFormatter], table: &FormatTable) -> Vec<usize> {
        let row = |kind, obj, flags| Row { kind, obj, flags: RowFlags::APPLICATION | flags, ..Row::default() };
        let (none, of_task, user) = (RowFlags::empty(), RowFlags::HAS_OBJECT, RowKind(105));
        let rows = [
            row(PLAIN, 0, none),
            row(MARKER, 0, none),
            row(OF_TASK, 7, of_task),
            row(OF_TASK, 8, of_task),
            row(user, 0, none),
            row(RowKind(106), 0, none),
            row(user, 0, RowFlags::MALFORMED),
            Row { flags: none, ..row(user, 0, none) },
        ];
        let input = |row| RowIn { row, raw: [][..].into(), attachments: [][..].into(), blob: [][..].into() };
        let inputs: Vec<RowIn<'_>> = rows.iter().map(input).collect();
        let plain = host::Renderer::new(decoder::<Toy>(), &Toy::info(), false);
        let formatters = Formatters::new(&Toy::info(), plugins, table).unwrap();
        let decoder = RecordDecoder { plain: &plain, configuration: b"", names: Dict::new(&Names) };
        let candidates = decoder.candidates(&inputs, &formatters);
        candidates.into_iter().map(|(index, _)| index).collect()
    }

    fn asked_by_plugin(records: &[&str]) -> Vec<usize> {
        let info = FormatterInfo::new("any", "toy").with_records(records.iter().copied());
        let (origin, version) = Default::default();
        asked(&[PluginFormatter { info, table: formatter::<Any>(), origin, version }], &FormatTable::default())
    }

    /// A marker may be named by its first field, and a malformed record by anything.
    const ALWAYS: [usize; 2] = [1, 6];

    fn with_always(others: &[usize]) -> Vec<usize> {
        let mut all = [&ALWAYS[..], others].concat();
        all.sort_unstable();
        all
    }

    #[test]
    fn no_formatter_is_asked_about_records_that_it_can_not_know() {
        assert_eq!(asked_by_plugin(&["OTHER"]), with_always(&[]));
    }

    #[test]
    fn formatters_are_asked_by_id_and_by_name() {
        assert_eq!(asked_by_plugin(&["PLAIN"]), with_always(&[0]));
        assert_eq!(asked_by_plugin(&["boot"]), with_always(&[0]));
        assert_eq!(asked_by_plugin(&["idle"]), with_always(&[2]));
        assert_eq!(asked_by_plugin(&["task:8"]), with_always(&[2, 3]));
        assert_eq!(asked_by_plugin(&["marker:5"]), with_always(&[]));
        assert_eq!(asked_by_plugin(&["TASK", "idle"]), with_always(&[2, 3]));
    }

    #[test]
    fn formatters_are_asked_by_the_number_of_a_kind_in_its_range() {
        assert_eq!(asked_by_plugin(&["USER+5"]), with_always(&[4]));
        assert_eq!(asked_by_plugin(&["USER+6", "USER+7"]), with_always(&[5]));
    }

    #[test]
    fn one_that_is_for_all_is_asked_about_every_application_record() {
        assert_eq!(asked_by_plugin(&[]), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn lines_of_format_files_are_asked_as_plugins_are() {
        let of = |lines: &str| {
            let mut loader = Loader::new();
            loader.add_text(lines.as_bytes());
            asked(&[], &loader.finish().table)
        };
        assert_eq!(of("record toy USER+5 \"%hhd\"\n"), with_always(&[4]));
        assert_eq!(of("record toy idle \"%hhd\"\n"), with_always(&[2]));
        assert_eq!(of("record toy OTHER \"%hhd\"\n"), with_always(&[]));
    }

    /// Renders each row with its name as a field; fails on `!`.
    #[derive(Clone)]
    struct Named;

    impl Decoder for Named {
        fn info() -> Info {
            Info::default()
        }

        fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Named, Fault> {
            Ok(Named)
        }

        fn bytes(&mut self, _: u64, _: &[u8], _: &mut Output<'_>) {}

        fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, _: Want, out: &mut TextWriter<'_>) {
            assert_ne!(row.raw.as_slice(), b"!");
            out.unsigned(&String::from_utf8_lossy(dict.name(7, 0, 0).unwrap_or_default()), 0, 0, 0);
        }
    }

    /// Names rows by their indexes.
    struct Indexes;

    impl Lookup for Indexes {
        fn get(&self, row: u32, _: u16, _: u64, _: u64) -> Option<&[u8]> {
            [b"0", b"1", b"2", b"3", b"4", b"5"].get(row as usize).map(|name| &name[..])
        }
    }

    #[test]
    fn records_have_the_names_that_hold_at_their_place_in_the_block() {
        guard::install_hook();
        let row = Row::default();
        let input =
            |raw: &'static [u8]| RowIn { row: &row, raw: raw.into(), attachments: [][..].into(), blob: [][..].into() };
        let (empty, failing) = (input(b""), input(b"!"));
        let records = [(1, &empty), (2, &failing), (3, &empty), (5, &empty)];
        let plain = host::Renderer::new(decoder::<Named>(), &Info::default(), false);
        let decoder = RecordDecoder { plain: &plain, configuration: b"", names: Dict::new(&Indexes) };
        let decoded = decoder.decode(&records);
        let named: Vec<(usize, &[u8])> =
            decoded.iter().map(|(index, _, row)| (index, row.fields[0].name.of(row.blob))).collect();
        assert_eq!(named, [(1, &b"1"[..]), (3, b"3"), (5, b"5")]);
    }
}
