//! Runs a decoder instance: passes on stream events, inserts the host's own rows (link up and down, bytes lost by the
//! host, commands to the target), and contains faults of plugins. Used by live decoding, re-decoding and streaming, so
//! that all produce the same rows.

use std::sync::Arc;

use spytui_plugin_api::{
    AttachmentId, Batch, ByteRange, Chunk, Fault, Info, Instance, Output, Row, RowFlags, RowKind, Severity,
    StreamEvent, StreamEventKind,
};
use spytui_plugin_host::HostedInstance;

use crate::{
    io::log::{LogEvent, format::grouped, kind, result},
    open::Options,
    present::{clock::date_and_time, sanitise::safe_fault},
    row::RecordEffects,
};

#[derive(Debug)]
pub struct InstanceHost {
    instance: HostedInstance,
    fault: Option<Fault>,
    /// Time of the last row, inherited by rows of the host.
    time: u64,
    pub wants_activities: bool,
    /// Formatters set severities when rows are rendered.
    pub leaves_effects: bool,
    learned: LearnedOptions,
    /// When the link went down, Unix ns; 0 = unknown.
    down_since: Option<u64>,
    effects: Option<RecordEffects>,
}

impl InstanceHost {
    /// `pos` = start of the stream.
    pub fn new(instance: Instance, info: &Info, pos: u64) -> InstanceHost {
        InstanceHost {
            instance: HostedInstance::new(instance, info, pos),
            fault: None,
            time: 0,
            wants_activities: true,
            leaves_effects: false,
            learned: LearnedOptions::default(),
            down_since: None,
            effects: None,
        }
    }

    /// Lets format lines raise severities and add activities.
    pub fn with_effects(self, effects: Option<RecordEffects>) -> InstanceHost {
        InstanceHost { effects, ..self }
    }

    pub fn without_activities(mut self) -> InstanceHost {
        self.wants_activities = false;
        self
    }

    /// Adds learned options before the first feed; those before the start of the stream are moved to its start.
    pub fn set_learned(&mut self, learned: &LearnedOptions) {
        let begin = self.instance.cover.end;
        let moved = learned.iter().map(|m| LogEvent { pos: m.pos.max(begin), ..m.clone() });
        self.learned = moved.collect();
    }

    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Number of bytes not yet in a row.
    pub fn pending(&self) -> u64 {
        self.instance.cover.pending()
    }

    /// Position of the first byte that a later row may need.
    pub fn oldest_pending(&self) -> u64 {
        self.instance.cover.oldest_pending()
    }

    pub fn fork(&self) -> Result<InstanceHost, Fault> {
        Ok(InstanceHost {
            instance: self.instance.fork()?,
            fault: self.fault.clone(),
            time: self.time,
            wants_activities: self.wants_activities,
            leaves_effects: self.leaves_effects,
            learned: self.learned.clone(),
            down_since: self.down_since,
            effects: self.effects.clone(),
        })
    }

    /// Feeds at most `MAX_CHUNK` bytes at `pos` with the stream events in `[pos, pos + len]`; appends to `batch`.
    pub fn feed(&mut self, pos: u64, bytes: &[u8], events: &[LogEvent], batch: &mut Batch) {
        let all = with_learned(events, &self.learned, pos, pos + bytes.len() as u64);
        let events = all.as_deref().unwrap_or(events);
        let mut done = 0;
        let mut first = 0;
        for (i, event) in events.iter().enumerate().filter(|(_, m)| host_row_kind(m).is_some()) {
            let upto = usize::try_from(event.pos.saturating_sub(pos)).unwrap_or(usize::MAX).clamp(done, bytes.len());
            self.part(pos + done as u64, &bytes[done..upto], &events[first..=i], batch);
            self.host_row(event, batch);
            (done, first) = (upto, i + 1);
        }
        self.part(pos + done as u64, &bytes[done..], &events[first..], batch);
        if let Some(effects) = &mut self.effects {
            if self.leaves_effects {
                return effects.leave_out(batch);
            }
            effects.apply((pos, bytes), self.instance.cover.oldest_pending(), self.wants_activities, batch);
        }
    }

    fn part(&mut self, pos: u64, bytes: &[u8], events: &[LogEvent], batch: &mut Batch) {
        if bytes.is_empty() && events.is_empty() {
            return;
        }
        if self.fault.is_none() {
            let first = batch.rows.len();
            let (events, texts) = converted(events);
            let (events, texts) = (events.as_slice().into(), texts.as_slice().into());
            let chunk = Chunk { pos, bytes: bytes.into(), events, texts, wants_activities: self.wants_activities };
            let answer = self.instance.feed(&chunk, batch);
            self.time = batch.rows.get(first..).and_then(<[Row]>::last).map_or(self.time, |row| row.time);
            if let Err(fault) = answer {
                self.fail(fault, batch);
            }
        } else if !bytes.is_empty() {
            self.instance.cover.feed(pos, pos + bytes.len() as u64);
            self.skipped_row(RowKind::FAULT, b"not decoded: the decoder failed", batch);
        }
    }

    fn fail(&mut self, fault: Fault, batch: &mut Batch) {
        let fault = safe_fault(fault);
        let text = format!("the decoder failed: {}", fault.text);
        self.fault = Some(fault);
        self.skipped_row(RowKind::FAULT, text.as_bytes(), batch);
    }

    /// Adds a row for all bytes without a row.
    fn skipped_row(&mut self, kind: RowKind, text: &[u8], batch: &mut Batch) {
        let (holes, (pos, end)) = self.instance.cover.give_up();
        let mut out = Output::new(batch, false);
        holes.iter().for_each(|(start, end)| out.attachment(AttachmentId::FRAGMENT, *start, end - start));
        let len = u32::try_from(end - pos).unwrap_or(u32::MAX);
        let mut flags = RowFlags::SKIPPED;
        flags.set(RowFlags::FRAGMENTED, !holes.is_empty());
        let row = Row { flags, severity: Severity::ERROR, time: self.time, ..Row::note(kind, pos, len as usize) };
        self.text_row(row, text, batch);
    }

    fn host_row(&mut self, event: &LogEvent, batch: &mut Batch) {
        let Some((kind, level)) = host_row_kind(event) else { return };
        // Positions never decrease and bytes may be pending, so the row is placed at the last row or at the event.
        let end = self.instance.cover.end;
        let pos = batch.rows.last().map_or(end, |r| r.pos).max(end.min(event.pos));
        let down_since = self.down_since.take();
        // Anything sent in between is missing.
        let is_back = event.kind == kind::LINK_UP && down_since.is_some() && !self.instance.has_sequence;
        let flags = if is_back { RowFlags::HIDES_RECORDS } else { RowFlags::empty() };
        let row = Row { flags, severity: level, time: self.time, core: 0xFFFF, ..Row::note(kind, pos, 0) };
        self.text_row(row, host_text(event, down_since).as_bytes(), batch);
        self.down_since = match event.kind {
            kind::LINK_UP => None,
            kind::LINK_DOWN => Some(event.host_ns),
            _ => down_since,
        };
    }

    fn text_row(&mut self, mut row: Row, text: &[u8], batch: &mut Batch) {
        self.instance.mark(std::slice::from_mut(&mut row));
        let mut out = Output::new(batch, false);
        out.attachment_bytes(AttachmentId::TEXT, text);
        out.row(row);
    }
}

/// Stream events for the decoder, and their texts.
fn converted(events: &[LogEvent]) -> (Vec<StreamEvent>, Vec<u8>) {
    let mut texts = Vec::new();
    let of_decoder = events.iter().filter(|event| !event.is_of_host()).map(|event| {
        let text = ByteRange { off: texts.len() as u32, len: event.text.len() as u32 };
        texts.extend_from_slice(&event.text);
        let LogEvent { pos, host_ns, kind, arg, .. } = *event;
        StreamEvent { pos, host_ns, kind: StreamEventKind(kind), arg, text }
    });
    (of_decoder.collect(), texts)
}

fn host_row_kind(event: &LogEvent) -> Option<(RowKind, Severity)> {
    match event.kind {
        kind::LINK_UP => Some((RowKind::LINK, Severity::INFO)),
        kind::LINK_DOWN => Some((RowKind::LINK, Severity::WARNING)),
        kind::HOST_LOSS => Some((RowKind::HOST_LOSS, Severity::ERROR)),
        kind::COMMAND => Some((RowKind::COMMAND, Severity::INFO)),
        kind::RESULT if event.arg == result::DONE => Some((RowKind::RESULT, Severity::INFO)),
        kind::RESULT => Some((RowKind::RESULT, Severity::WARNING)),
        kind::FRONT_END => Some((RowKind::FRONT_END, Severity(event.arg.min(u8::MAX.into()) as u8))),
        _ => None,
    }
}

/// `link up 22 Nov 02:15:42, down for 4.2 s: /dev/ttyUSB0`; `down_since` = Unix ns when the link went down.
fn host_text(event: &LogEvent, down_since: Option<u64>) -> String {
    let down_since = down_since.filter(|since| *since > 0 && event.kind == kind::LINK_UP);
    let text = String::from_utf8_lossy(&event.text);
    let at = |word: &str| {
        let date = if event.host_ns == 0 { String::new() } else { format!(" {}", date_and_time(event.host_ns)) };
        let down = down_since.and_then(|since| event.host_ns.checked_sub(since));
        let down = down.map_or_else(String::new, |ns| format!(", down for {}", seconds_text(ns)));
        let text = if text.is_empty() { String::new() } else { format!(": {text}") };
        format!("link {word}{date}{down}{text}")
    };
    match event.kind {
        kind::LINK_UP => at("up"),
        kind::LINK_DOWN => at("down"),
        kind::COMMAND | kind::RESULT | kind::FRONT_END => text.into_owned(),
        _ if event.arg == 0 => format!("bytes lost on this side, number unknown {text}"),
        _ => format!("{} bytes lost on this side {text}", grouped(event.arg.into())),
    }
}

/// `4.2 s`, `3 min`.
fn seconds_text(ns: u64) -> String {
    let tenths = ns / 100_000_000;
    if tenths < 1_200 { format!("{}.{} s", tenths / 10, tenths % 10) } else { format!("{} min", tenths / 600) }
}

/// Additional stream events with learned options, by position.
pub type LearnedOptions = Arc<[LogEvent]>;

/// Maximum number of times that a stream is decoded again because of learned options.
const MOST: usize = 16;

/// Detects options that the target reports late.
#[derive(Debug)]
pub struct OptionLearner {
    /// Log position of the start of the current epoch.
    pub epoch: u64,
}

impl OptionLearner {
    /// Adds options learned from this batch, as events at the start of their epoch; `None` if there are none.
    pub fn learn(&mut self, batch: &Batch, options: &Options, before: &LearnedOptions) -> Option<LearnedOptions> {
        let learned = self.first_new(batch, options, before);
        self.epoch = self.epoch_after(&batch.rows);
        learned
    }

    fn epoch_after(&self, rows: &[Row]) -> u64 {
        rows.iter().rfind(|row| row.has(RowFlags::EPOCH)).map_or(self.epoch, |row| row.pos)
    }

    fn first_new(&self, batch: &Batch, options: &Options, before: &LearnedOptions) -> Option<LearnedOptions> {
        if before.len() >= MOST || options.get("reference").is_some() {
            return None;
        }
        let mut reported = batch.attachments.iter().filter(|e| e.id == AttachmentId::OPTIONS && e.is_bytes);
        reported.find_map(|reported| {
            let until = batch.rows.get(..reported.at as usize + 1)?;
            let is_note = until.last().is_some_and(|row| row.kind == RowKind::CONFIG);
            let text = String::from_utf8_lossy(reported.bytes(&batch.bytes)).into_owned();
            if is_note { with_options(&text, self.epoch_after(until), options, before) } else { None }
        })
    }
}

fn with_options(text: &str, epoch: u64, options: &Options, before: &LearnedOptions) -> Option<LearnedOptions> {
    let unset = |line: &&str| line.split_once('=').is_some_and(|(key, _)| options.get(key).is_none());
    let text: String = text.lines().filter(unset).flat_map(|line| [line, "\n"]).collect();
    let known = |event: &LogEvent| event.pos == epoch && event.text == text.as_bytes();
    if text.is_empty() || before.iter().any(known) {
        return None;
    }
    let event = LogEvent { pos: epoch, host_ns: 0, kind: kind::OPTIONS, arg: 0, text: text.into_bytes() };
    let mut events = before.to_vec();
    events.insert(before.partition_point(|m| m.pos <= epoch), event);
    Some(events.into())
}

/// Adds the learned options to the events of a chunk; those before the start of the decoding apply at its start.
pub(super) fn with_learned(events: &[LogEvent], learned: &[LogEvent], pos: u64, end: u64) -> Option<Vec<LogEvent>> {
    let own = &learned[learned.partition_point(|m| m.pos < pos)..learned.partition_point(|m| m.pos < end)];
    if own.is_empty() {
        return None;
    }
    let mut all = [events, own].concat();
    // Events of the log first: a stream starts with its START event.
    all.sort_by_key(|m| m.pos);
    Some(all)
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Attachment;

    use super::*;

    fn batch(text: &str) -> Batch {
        let reported = Attachment { at: 0, id: AttachmentId::OPTIONS, is_bytes: true, a: 0, b: text.len() as u64 };
        Batch {
            rows: [Row { kind: RowKind::CONFIG, ..Row::default() }].into_iter().collect(),
            attachments: [reported].into_iter().collect(),
            bytes: text.bytes().collect(),
            ..Batch::default()
        }
    }

    #[test]
    fn each_text_is_learned_once_in_an_epoch() {
        let options = Options::default();
        let first =
            OptionLearner { epoch: 0 }.learn(&batch("width=2\n"), &options, &LearnedOptions::default()).expect("new");
        assert_eq!(first[0].text, b"width=2\n");
        assert!(OptionLearner { epoch: 0 }.learn(&batch("width=2\n"), &options, &first).is_none());
        let second = OptionLearner { epoch: 500 }.learn(&batch("width=2\n"), &options, &first).expect("another epoch");
        assert_eq!(second.iter().map(|m| m.pos).collect::<Vec<_>>(), [0, 500]);
        assert!(OptionLearner { epoch: 0 }.learn(&Batch::default(), &options, &first).is_none());
        assert!(OptionLearner { epoch: 0 }.learn(&batch("junk"), &options, &first).is_none());
    }

    #[test]
    fn marks_come_in_order_and_each_in_one_stretch() {
        let event = |pos, kind| LogEvent { pos, host_ns: 0, kind, arg: 0, text: Vec::new() };
        let learned = [event(0, kind::OPTIONS), event(100, kind::OPTIONS)];
        let log = [event(0, kind::START), event(50, kind::TIME)];
        let all = with_learned(&log, &learned, 0, 100).expect("one");
        assert_eq!(all.iter().map(|m| m.kind).collect::<Vec<_>>(), [kind::START, kind::OPTIONS, kind::TIME]);
        assert_eq!(with_learned(&[], &learned, 100, 101).expect("one").len(), 1);
        assert!(with_learned(&log, &learned, 0, 0).is_none() && with_learned(&log, &learned, 101, 999).is_none());
    }
}
