//! Effects of formatters on application records during decoding: severity from words, and activities for states, values
//! and spans.

use std::{collections::HashMap, ops::Range, sync::Arc};

use rustc_hash::FxHashMap;
use spytui_plugin_api::{
    Activity, Batch, Dict, DictEvent, Rendered, Row, RowFlags, RowIn, Severity,
    batch::{AttrId, DictOp},
    render::{Lookup, Want},
};
use spytui_plugin_host::Renderer;

use super::{
    in_force::{Formatters, Formatting},
    record::{self, DecodedRecords, Known, Record},
    typed::Typed,
    view::gather,
};

/// The formatters in force for a stream, with what reading its records needs.
#[derive(Debug, Clone)]
pub struct Effects {
    formatting: Arc<Formatting>,
    plain: Renderer,
    formatters: Option<Arc<Formatters>>,
    version: Option<u64>,
    configurations: Vec<Vec<u8>>,
    names: NamedRecords,
    /// Position and bytes of the stream's end that are not yet in a row.
    held: (u64, Vec<u8>),
}

impl Effects {
    /// At the start of a stream; `plain` renders its rows.
    pub fn new(formatting: Arc<Formatting>, plain: Renderer) -> Effects {
        let (configurations, names, held) = Default::default();
        Effects { formatting, plain, formatters: None, version: None, configurations, names, held }
    }

    /// Ignores what a feed added to a batch.
    pub fn leave_out(&mut self, batch: &Batch) {
        self.held = (0, Vec::new());
        self.configure(batch, 0, usize::MAX);
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
        let mut configuration = 0;
        let mut found = Found { wants_activities, ..Found::default() };
        let mut rest = raw.records.as_slice();
        while let Some(first) = rest.first() {
            configuration = self.configure(batch, configuration, first.at);
            let next = batch.cfgs.get(configuration).map_or(usize::MAX, |event| event.at as usize);
            let cfg = |record: &RawRecord| batch.rows.get(record.at).map(|row| row.cfg);
            let is_with_first = |record: &&RawRecord| cfg(record) == cfg(first) && record.at < next;
            let (together, behind) = rest.split_at(rest.iter().take_while(is_with_first).count().max(1));
            self.records(formatters, &raw, together, batch, &mut found);
            rest = behind;
        }
        self.names.learn(batch, found.next_name, usize::MAX, formatters);
        self.configure(batch, configuration, usize::MAX);
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
        let id = inputs.first().map_or(0, |row| usize::from(row.row.cfg));
        let settings = self.configurations.get(id).map_or(&[][..], Vec::as_slice);
        let records: Vec<_> = inputs.iter().enumerate().collect();
        let mut formatted = Rendered::default();
        for (index, row, rendered) in DecodedRecords::of(&records, &self.plain, settings, &Dict::new(&())).iter() {
            let Some(RawRecord { at, .. }) = together.get(index) else { continue };
            found.next_name = self.names.learn(batch, found.next_name, *at, formatters);
            let record = Record { row: row.row, rendered, names: Dict::new(&self.names), info: &formatters.info };
            let called = record.called(&formatters.labels);
            formatted.clear();
            if let Some(Known { formatter, said }) =
                record::ask(formatters, &record, &called, Want::FIELDS, false, &mut formatted)
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

    /// Applies configurations valid from row `at` on; returns the next event.
    fn configure(&mut self, batch: &Batch, first: usize, at: usize) -> usize {
        let mut next = first;
        while let Some(event) = batch.cfgs.get(next).filter(|event| event.at as usize <= at) {
            next += 1;
            let id = usize::from(event.id);
            if id >= self.configurations.len() {
                self.configurations.resize(id + 1, Vec::new());
            }
            self.configurations[id] = event.blob.of(&batch.bytes).to_vec();
        }
        next
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
    attachments: Range<usize>,
}

impl RawRecords {
    /// The records from row `first` on that may have an effect; `fed` = bytes of the stream from `begin` on.
    fn of(batch: &Batch, (begin, fed): (u64, &[u8]), mut may_be: impl FnMut(&Row) -> bool) -> RawRecords {
        let mut raw = RawRecords { bytes: Vec::new(), records: Vec::new() };
        let mut attachments = 0;
        for (at, row) in batch.rows.iter().enumerate().filter(|(_, row)| row.has(RowFlags::APPLICATION) && may_be(row))
        {
            let rest = batch.attachments.get(attachments..).unwrap_or_default();
            attachments += rest.iter().take_while(|one| (one.at as usize) < at).count();
            let rest = batch.attachments.get(attachments..).unwrap_or_default();
            let count = rest.iter().take_while(|one| one.at as usize == at).count();
            let own = attachments..attachments + count;
            let from = raw.bytes.len();
            gather(row, batch.attachments.get(own.clone()).unwrap_or_default(), &mut raw.bytes, |pos, len, out| {
                let from = usize::try_from(pos.wrapping_sub(begin)).unwrap_or(usize::MAX);
                let to = from.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
                out.extend_from_slice(fed.get(from..to).unwrap_or_default());
            });
            raw.records.push(RawRecord { at, bytes: from..raw.bytes.len(), attachments: own });
        }
        raw
    }

    fn inputs<'r>(&'r self, records: &[RawRecord], batch: &'r Batch) -> Vec<RowIn<'r>> {
        let input = |record: &RawRecord| {
            let row = batch.rows.get(record.at)?;
            let raw = self.bytes.get(record.bytes.clone()).unwrap_or_default();
            let attachments = batch.attachments.get(record.attachments.clone()).unwrap_or_default();
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
