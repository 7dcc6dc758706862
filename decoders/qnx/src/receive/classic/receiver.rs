//! The receiver of a classic trace log: what comes next, and its state.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use spytui_formats::Table;
use spytui_plugin_api::{
    AttachmentId, NONE, Output, Row, RowKind,
    batch::{ClockEvent, ClockFlags},
    info::prop,
};

use crate::{
    config::{Config, Format, Options},
    frame::Chain,
    layout::{counter, note},
    receive::{
        Ending,
        companion::Companion,
        counts::Counts,
        search::{Search, hiding_records},
    },
    record::{Read, What},
    text::classic::Lines,
};

/// Nanoseconds since 1970.
pub(super) const CLOCK: ClockEvent =
    ClockEvent { at: 0, flags: ClockFlags::ZERO, num: 1, den: 1, zero: 0, res_ns: 10, first: 0 };

/// A classic trace log.
#[derive(Clone, Debug)]
pub(crate) struct ClassicLog {
    pub(super) format: Format,
    pub(super) table: Arc<Table>,
    /// Kernel profile events that are disabled, by opcode.
    pub(super) masked: [u8; 32],
    pub(super) reference: bool,
    /// Kinds that were named so far, by what they are called after, each with its code.
    pub(super) kinds: FxHashMap<(u8, u32), (RowKind, What)>,
    pub(super) counts: Counts,
    /// Second of the last record.
    pub(super) last: Option<u32>,
    pub(super) now: u64,
    /// The search that is under way.
    pub(super) search: Option<Search>,
    pub(super) text: Vec<u8>,
    /// Streams have no header that says whether there is one: its first answer does.
    pub(super) companion: Companion,
}

impl ClassicLog {
    pub(crate) fn new(options: &Options, format: Format, pos: u64, out: &mut Output<'_>) -> ClassicLog {
        let profile = format.profile();
        let Options { reference, exception, .. } = *options;
        out.cfg(0, &Config { reference, big: format.is_big(), profile, exception, release: None }.blob());
        out.clock(CLOCK);
        out.prop(prop::SYSTEM, 0, profile.name().as_bytes());
        let log = ClassicLog {
            format,
            table: options.formats.clone(),
            masked: options.masked,
            reference,
            kinds: FxHashMap::default(),
            counts: Counts::default(),
            last: None,
            now: 0,
            search: None,
            text: Vec::new(),
            companion: Companion::default(),
        };
        log.report_faults(options, pos, out);
        log
    }

    fn report_faults(&self, options: &Options, pos: u64, out: &mut Output<'_>) {
        for fault in options.faults.iter() {
            out.attachment_bytes(AttachmentId::TEXT, fault.as_bytes());
            self.note(Row::note(RowKind::HINT, pos, 0), out);
        }
    }

    pub(crate) fn change_formats(&mut self, options: &Options, pos: u64, out: &mut Output<'_>) {
        self.table = options.formats.clone();
        for (kind, what) in self.kinds.values() {
            self.put_name(*kind, *what, out);
        }
        self.report_faults(options, pos, out);
    }

    /// Makes rows of the first bytes; returns their number.
    pub(crate) fn take(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> usize {
        let mut used = 0;
        while used < bytes.len() {
            let (at, rest) = (pos + used as u64, bytes.get(used..).unwrap_or(&[]));
            let taken = match self.search {
                Some(search) => self.search(at, rest, search, ending, out),
                None => self.next(at, rest, ending, out),
            };
            used += taken;
            if taken == 0 {
                break;
            }
        }
        if let Some(kind) = ending {
            let left = bytes.len() - used;
            if left > 0 {
                self.counts.add(counter::TAIL_BYTES, left as u64);
                self.skipped(Row::skipped(kind, pos + used as u64, left), bytes.get(used..).unwrap_or(&[]), out);
            }
            used = bytes.len();
            self.search = None;
        }
        self.counts.report(out);
        used
    }

    /// Takes what the bytes begin with; 0 = it is not complete.
    fn next(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> usize {
        match self.format.read(bytes) {
            Read::Record(record) => match self.fits(&record, bytes, ending) {
                Chain::Enough => {
                    self.record(pos, &record, out);
                    return record.len;
                }
                Chain::Open => return 0,
                Chain::TooFew => {}
            },
            Read::Null => {
                self.counts.add(counter::NULL_EVENTS, 1);
                self.note(Row::note(note::NULL, pos, 2), out);
                return 2;
            }
            Read::Incomplete if ending.is_none() || self.is_cut(bytes) => return 0,
            _ => {}
        }
        self.search(pos, bytes, Search::default(), ending, out)
    }

    pub(super) fn lines(&self) -> Lines<'_> {
        Lines { table: &self.table, format: self.format }
    }

    pub(super) fn note(&self, note: Row, out: &mut Output<'_>) {
        out.row(Row { time: self.now, core: NONE, ..note });
    }

    /// Adds the rows of bytes that are no record, the first ones of `bytes`, and of lines of text in them.
    pub(super) fn skipped(&self, row: Row, bytes: &[u8], out: &mut Output<'_>) {
        let bytes = bytes.get(..row.len as usize).unwrap_or(bytes);
        out.skipped(Row { time: self.now, core: NONE, ..hiding_records(row) }, 0, bytes);
    }
}
