//! Rows of a decoding with their activities, which the store does not keep: decoded again, in order.

use std::sync::{Arc, PoisonError};

use spytui_plugin_api::{Activity, Batch, Row, RowFlags};

use super::{
    decoding::{CauseRange, Decoding, MARGIN, NOT_AGAIN},
    news::TappedRows,
};
use crate::{
    analysis::CauseFinder,
    decode::instance_host::InstanceHost,
    io::log::{Cursor, LogReader},
    replay::{FedRow, Moment},
};

/// Bytes decoded at once; small enough for the screen's thread to answer keys in between.
const CHUNK: u64 = 1 << 16;

#[derive(Debug, Clone, Copy)]
pub struct RowWithActivities<'a> {
    pub row: &'a Row,
    pub activities: &'a [Activity],
    /// Bytes on the wire.
    pub bytes: u64,
    /// Number of records up to it.
    pub n: u64,
    /// Its epoch, from 0.
    pub epoch: u32,
}

/// Reads decoded rows with their activities from the start of a segment. Recently decoded rows are not decoded again.
#[derive(Debug)]
pub struct ActivityReader {
    instance: InstanceHost,
    /// The instance has not seen all feeds.
    is_stale: bool,
    /// It takes feeds that others decoded again, until it has to catch up by itself.
    shares: bool,
    at: Cursor,
    batch: Batch,
    /// The present feed.
    fed: Arc<TappedRows>,
    /// Number of its first row.
    first: u64,
    /// Index in the feed of the next row and of its first activity.
    next: (usize, usize),
    /// Records before the next row.
    records: u64,
    epoch: u32,
    /// Counts it as a reader of its decoding.
    _counted: Arc<()>,
}

impl ActivityReader {
    /// Starts at the segment that contains a row.
    pub fn open(decoding: &Decoding, row: u64) -> Result<ActivityReader, String> {
        let state = decoding.read();
        let location = state.rows.location(row).ok_or_else(|| format!("there is no row {row}"))?;
        let segment = state.rows.segment(location);
        let start = state.rows.segment_start(segment).zip(state.checkpoints.get(segment).cloned().flatten());
        let Some(((first, at), checkpoint)) = start else { return Err(NOT_AGAIN.to_owned()) };
        let host = checkpoint.host.lock().unwrap_or_else(PoisonError::into_inner).fork();
        let mut instance = host.map_err(|fault| fault.to_string())?;
        instance.wants_activities = true;
        Ok(ActivityReader {
            instance,
            is_stale: false,
            shares: true,
            at,
            batch: Batch::default(),
            fed: Arc::default(),
            first,
            next: (0, 0),
            records: state.rows.records_before_segment(segment),
            epoch: state.dictionary.epoch_of(first),
            _counted: decoding.tap.readers.clone(),
        })
    }

    pub fn row(&self) -> u64 {
        self.first + self.next.0 as u64
    }

    /// Passes on the rows before `end`; `false` if not all of them are decoded yet.
    pub fn pass(
        &mut self,
        decoding: &Decoding,
        end: u64,
        mut take: impl FnMut(RowWithActivities<'_>),
    ) -> Result<bool, String> {
        while self.row() < end {
            if self.next.0 < self.fed.rows.len() {
                self.pass_fed(decoding, end, &mut take);
            } else if !self.feed(decoding)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn pass_fed(&mut self, decoding: &Decoding, end: u64, take: &mut impl FnMut(RowWithActivities<'_>)) {
        let fed = self.fed.clone();
        let (first, mut begin) = self.next;
        let count = usize::try_from(end - self.row()).unwrap_or(usize::MAX);
        let mut next = first;
        for row in fed.rows.iter().skip(first).take(count) {
            let own = fed.activities.get(begin..).unwrap_or_default();
            let own = &own[..own.iter().take_while(|activity| activity.at as usize <= next).count()];
            self.records += u64::from(row.is_record());
            if row.has(RowFlags::EPOCH) {
                self.epoch = decoding.read().dictionary.epoch_of(self.first + next as u64);
            }
            let bytes = fed.bytes(next, row);
            take(RowWithActivities { row, activities: own, bytes, n: self.records, epoch: self.epoch });
            (next, begin) = (next + 1, begin + own.len());
        }
        self.next = (next, begin);
    }

    /// Reads the next feed, up to the decoding's position; `false` if there is nothing new.
    fn feed(&mut self, decoding: &Decoding) -> Result<bool, String> {
        let end = decoding.read().end;
        if self.at == end {
            return Ok(false);
        }
        let first = self.row();
        if let Some(tapped) = decoding.tap.take(self.at, first, self.shares) {
            (self.at, self.is_stale) = (tapped.to, true);
            (self.fed, self.first, self.next) = (tapped, first, (0, 0));
            return Ok(true);
        }
        if self.is_stale {
            return self.begin_again(decoding, first);
        }
        self.decode(decoding, end)
    }

    /// Restarts at the segment of a row, and advances to that row.
    fn begin_again(&mut self, decoding: &Decoding, row: u64) -> Result<bool, String> {
        if row >= decoding.len() {
            return Ok(false);
        }
        *self = ActivityReader { shares: false, ..ActivityReader::open(decoding, row)? };
        let end = decoding.read().end;
        // Without the tap, which would leave the instance behind again.
        while self.row() < row {
            if self.next.0 == self.fed.rows.len() && !self.decode(decoding, end)? {
                return Ok(false);
            }
            self.pass_fed(decoding, row, &mut |_| {});
        }
        Ok(true)
    }

    fn decode(&mut self, decoding: &Decoding, end: Cursor) -> Result<bool, String> {
        let mut reader = LogReader::new(decoding.log.clone(), self.at);
        if !reader.next(end.pos.min(self.at.pos + CHUNK)).map_err(|error| error.to_string())? {
            return Ok(false);
        }
        self.first = self.row();
        self.next = (0, 0);
        self.fed = Arc::default();
        self.batch.clear();
        // Stream events at the end may not be decoded yet.
        let mut upto = reader.at;
        let over = if upto.pos == end.pos { upto.event.saturating_sub(end.event) } else { 0 };
        upto.event -= over;
        let kept = reader.events.len().saturating_sub(usize::try_from(over).unwrap_or(usize::MAX));
        self.instance.feed(reader.pos, &reader.bytes, &reader.events[..kept], &mut self.batch);
        self.fed = decoding.tap.add_again(&mut self.batch, (self.at, upto));
        self.at = upto;
        Ok(true)
    }
}

impl Decoding {
    /// Causes and effects around a row, found by decoding that range again; `None` if that is not possible.
    pub fn causes(&self, row: u64) -> Option<Arc<CauseRange>> {
        let (first, from, end, rows) = {
            let state = self.read();
            let kept = self.causes.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(range) = kept.as_ref().filter(|range| range.serves(row, state.rows.len())) {
                return Some(range.clone());
            }
            let (begin, end) = state.around(row)?;
            let (first, _) = state.rows.segment_start(begin)?;
            let before = begin.checked_sub(1).and_then(|before| state.checkpoints.get(before)?.as_ref());
            let from = if before.is_some() { first + MARGIN } else { first };
            (first, from, end, state.rows.len())
        };
        let mut finder = CauseFinder::new(&self.decoder.info);
        let take = |own: RowWithActivities<'_>| {
            let at = Moment { row: finder.rows(), ..Moment::default() };
            finder.row(&FedRow::new(own.row, at, own.epoch), own.activities);
        };
        ActivityReader::open(self, first).ok()?.pass(self, end, take).ok()?;
        let range = Arc::new(CauseRange { first, from, rows, causes: finder.finish() });
        *self.causes.lock().unwrap_or_else(PoisonError::into_inner) = Some(range.clone());
        Some(range)
    }
}

#[cfg(test)]
mod tests {
    use spytui_testing_decoder::frame::line;

    use super::*;
    use crate::{
        io::log::{LogOptions, RawLog},
        open::{Options, Origin, Registry},
        trace::session::thread::DecodeLoop,
    };

    const ROWS: u64 = 60_000;

    fn decoding() -> Arc<Decoding> {
        let mut registry = Registry::new();
        registry.add(spytui_testing_decoder::plugin(), &Origin::BuiltIn).expect("a decoder");
        let decoder = registry.find("toy").expect("there");
        let log = RawLog::new(&LogOptions::default());
        let decoding = Arc::new(Decoding::new(decoder, Options::default(), log.clone(), 0, 0, 64 << 20));
        let mut decode_loop = DecodeLoop::open(decoding.clone()).expect("it decodes");
        let frames = (0..ROWS).flat_map(|n| line(0, n as u8, &format!("S {n:x} 7 {n:x}")));
        log.append(&frames.collect::<Vec<u8>>(), 1);
        log.end(1);
        while decode_loop.step().expect("no fault") {}
        decoding
    }

    /// What a reader passes on up to a row.
    fn passed(reader: &mut ActivityReader, decoding: &Decoding, end: u64) -> Vec<(u64, u64, usize)> {
        let mut rows = Vec::new();
        let take = |row: RowWithActivities<'_>| rows.push((row.row.pos, row.n, row.activities.len()));
        assert!(reader.pass(decoding, end, take).expect("read"));
        rows
    }

    #[test]
    fn readers_that_advance_in_turn_decode_once() {
        let decoding = decoding();
        let open = || ActivityReader::open(&decoding, 0).expect("open");
        let expected = passed(&mut open(), &decoding, ROWS);
        let (mut first, mut second) = (open(), open());
        let (mut ones, mut others) = (Vec::new(), Vec::new());
        for end in (0..ROWS / 2).step_by(4096) {
            ones.extend(passed(&mut first, &decoding, end));
            others.extend(passed(&mut second, &decoding, end));
        }
        assert_eq!((first.is_stale, second.is_stale), (false, true));
        drop(first);
        others.extend(passed(&mut second, &decoding, ROWS));
        assert!(!second.is_stale);
        // The first feed is left of one that stops there.
        passed(&mut open(), &decoding, 1);
        assert!(passed(&mut open(), &decoding, ROWS) == expected);
        assert!(others == expected && expected.starts_with(&ones));
    }
}
