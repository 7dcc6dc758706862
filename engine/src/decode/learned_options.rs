//! Options that the target reports after records were already decoded without them. They hold from the start of the
//! epoch, so everything is decoded again with an options event there.

use std::sync::Arc;

use spytui_plugin_api::{
    Batch,
    batch::AttachmentId,
    row::{Row, RowFlags, RowKind},
};

use crate::{
    io::log::{LogEvent, kind},
    open::Options,
};

/// Additional stream events with learned options, by position.
pub type LearnedOptions = Arc<[LogEvent]>;

/// Maximum number of times that a stream is decoded again because of learned options.
const MOST: usize = 16;

/// Detects options that the target reports late.
#[derive(Debug)]
pub struct OptionLearner {
    /// Start of the current epoch.
    epoch: u64,
}

impl OptionLearner {
    /// For a stream that starts at `pos`.
    pub fn new(pos: u64) -> OptionLearner {
        OptionLearner { epoch: pos }
    }

    /// Options learned from this batch, as events at the start of their epoch, with those learned before; `None` if
    /// nothing new was learned.
    pub fn learn(&mut self, batch: &Batch, options: &Options, before: &LearnedOptions) -> Option<LearnedOptions> {
        let learned = learn(batch, self.epoch, options, before);
        self.epoch = epoch_at(&batch.rows, self.epoch);
        learned
    }
}

/// Start of the epoch in which `rows` end; `epoch` = start of the one in which they begin.
fn epoch_at(rows: &[Row], epoch: u64) -> u64 {
    rows.iter().rfind(|row| row.has(RowFlags::EPOCH)).map_or(epoch, |row| row.pos)
}

/// Options learned from a batch, as events at the start of their epoch; `None` if nothing new was learned. `epoch` =
/// start of the epoch in which the batch begins.
fn learn(batch: &Batch, epoch: u64, options: &Options, before: &LearnedOptions) -> Option<LearnedOptions> {
    if before.len() >= MOST || options.get("reference").is_some() {
        return None;
    }
    let reported = batch.attachments.iter().filter(|e| e.id == AttachmentId::OPTIONS && e.is_bytes);
    reported.into_iter().find_map(|reported| {
        let until = batch.rows.get(..reported.at as usize + 1)?;
        let is_note = until.last().is_some_and(|row| row.kind == RowKind::CONFIG);
        let text = String::from_utf8_lossy(reported.bytes(&batch.bytes)).into_owned();
        if is_note { with_options(&text, epoch_at(until, epoch), options, before) } else { None }
    })
}

/// Adds the options learned for an epoch.
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

/// Merges the stream events of a chunk with the learned options in its range; those before the start of the decoding
/// apply at its start.
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
    use super::*;
    use spytui_plugin_api::Attachment;

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
        let first = learn(&batch("width=2\n"), 0, &options, &LearnedOptions::default()).expect("new");
        assert_eq!(first[0].text, b"width=2\n");
        assert!(learn(&batch("width=2\n"), 0, &options, &first).is_none());
        let second = learn(&batch("width=2\n"), 500, &options, &first).expect("another epoch");
        assert_eq!(second.iter().map(|m| m.pos).collect::<Vec<_>>(), [0, 500]);
        assert!(learn(&Batch::default(), 0, &options, &first).is_none());
        assert!(learn(&batch("junk"), 0, &options, &first).is_none());
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
