//! Conclusions from a stream: objects after each record, statistics, slices, and losses.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use spytui_engine::{
    analysis::{
        Key, Reader,
        objects::{FedRow, Moment, ObjectTable, TrackedObject},
        statistics::Statistics,
    },
    export::{
        capture::Inputs,
        perfetto::{export, proto::EventType},
    },
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options},
    row::RowView,
    trace::stream::Sink,
};
use spytui_plugin_api::{Row, RowFlags, RowKind, Source};

use crate::perfetto::summary;
use crate::pipeline::decode;

/// An object, and whether its state and level are certain.
pub(super) type Known = Vec<(Key, TrackedObject, bool, bool)>;

/// A record and what is known after it.
pub(super) struct Come {
    pub(super) row: Row,
    pub(super) known: Known,
    /// Number of earlier rows at which records may be missing.
    pub(super) doubts: usize,
}

/// Conclusions from a stream.
pub(super) struct Concluded {
    table: ObjectTable,
    pub(super) statistics: Statistics,
    rows: u64,
    pub(super) records: Vec<Come>,
    pub(super) lost: u64,
    pub(super) is_exact: bool,
    /// Number of rows at which records may be missing.
    pub(super) doubts: usize,
    /// A place where records may be missing is only known after later records: an event lacks its end.
    pub(super) is_known_late: bool,
    /// Kinds of the notes after the last record.
    pub(super) last_notes: Vec<RowKind>,
}

impl Concluded {
    pub(super) fn of(decoder: &Arc<Decoder>, options: &Options, bytes: &[u8]) -> Concluded {
        let mut sink = Concluded {
            table: ObjectTable::new(&decoder.info),
            statistics: Statistics::new(&decoder.info),
            rows: 0,
            records: Vec::new(),
            lost: 0,
            is_exact: false,
            doubts: 0,
            is_known_late: false,
            last_notes: Vec::new(),
        };
        let pipeline = decode(decoder, options, bytes, 1 << 16, &mut sink);
        let counters = pipeline.counters(0).unwrap();
        (sink.lost, sink.is_exact) = (counters.rows.lost, counters.is_lost_exact(&decoder.info));
        sink
    }

    /// What is known after the last row.
    pub(super) fn known(&self) -> Known {
        let is_sure = |level| !self.table.is_level_unsure(&level);
        let all = self.table.objects();
        all.map(|(key, object)| (key, object.clone(), !self.table.is_unsure(object), object.level.is_some_and(is_sure)))
            .collect()
    }
}

impl Sink for Concluded {
    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        let time = view.row.has_time().then_some(view.row.time);
        let at = Moment { row: self.rows, n: self.records.len() as u64, source: 0, time };
        let fed = FedRow::new(view.row, at, view.epoch);
        self.table.row(&fed, view.activities);
        self.statistics.row(&fed, view.activities);
        self.rows += 1;
        self.doubts += usize::from(view.row.may_hide_records());
        self.is_known_late |= view.row.kind == RowKind::ORPHANS && view.row.has(RowFlags::FRAGMENTED);
        if view.row.is_record() {
            self.records.push(Come { row: *view.row, known: self.known(), doubts: self.doubts });
            self.last_notes.clear();
        } else {
            self.last_notes.push(view.row.kind);
        }
        Ok(())
    }
}

/// A slice of a trace.
#[derive(Debug)]
pub(super) struct Slice {
    pub(super) track: String,
    pub(super) name: String,
    pub(super) begin: u64,
    /// `None` = open at the end.
    pub(super) end: Option<u64>,
}

pub(super) fn slices(decoder: &Arc<Decoder>, options: &Options, bytes: &[u8]) -> Vec<Slice> {
    let log = RawLog::new(&LogOptions::default());
    log.append(bytes, 1);
    log.end(1);
    let inputs = Inputs { decoder, options, sources: &[Source { index: 0, core: 0 }], logs: &[log] };
    let mut out = Vec::new();
    export(&inputs, &mut out, &AtomicBool::new(false)).unwrap();
    let mut slices = Vec::new();
    for track in summary::tracks(&out) {
        let slice = |(name, begin), end| Slice { track: track.path.clone(), name, begin, end };
        let mut open = Vec::new();
        for (ns, event) in &track.events {
            match event.r#type() {
                EventType::SliceBegin => open.push((event.name().to_owned(), *ns)),
                EventType::SliceEnd => slices.extend(open.pop().map(|began| slice(began, Some(*ns)))),
                _ => {}
            }
        }
        slices.extend(open.into_iter().map(|began| slice(began, None)));
    }
    slices
}
