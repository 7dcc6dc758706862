//! Rows of a decoding with their activities, which the store does not keep: decoded again, in order.

use std::sync::Arc;

use spytui_plugin_api::{Activity, Batch, Row, RowFlags};

use super::{
    decoding::{Decoding, SegmentAgain},
    news::TappedRows,
};
use crate::{
    decode::instance_host::InstanceHost,
    io::log::{Cursor, LogReader},
};

/// Bytes decoded at once; small enough for the screen's thread to answer keys in between.
const CHUNK: u64 = 1 << 16;

/// A row with its activities.
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
    /// Start of the next feed.
    at: Cursor,
    batch: Fed,
    /// Number of the batch's first row.
    first: u64,
    /// Indices in the batch of the next row and of its first activity.
    next: (usize, usize),
    /// Records before the next row.
    records: u64,
    epoch: u32,
}

/// The rows of a feed.
#[derive(Debug, Default)]
struct Fed {
    again: Batch,
    /// Set if they were decoded just now.
    tapped: Option<Arc<TappedRows>>,
}

impl Fed {
    fn rows(&self) -> &[Row] {
        self.tapped.as_ref().map_or(&self.again.rows, |tapped| &tapped.rows)
    }

    fn activities(&self) -> &[Activity] {
        self.tapped.as_ref().map_or(&self.again.activities, |tapped| &tapped.activities)
    }

    /// Bytes of a row on the wire.
    fn bytes(&self, at: usize, row: &Row) -> u64 {
        match &self.tapped {
            None => self.again.len_of(at),
            Some(tapped) => {
                let far = tapped.far.binary_search_by_key(&(at as u32), |far| far.0).ok();
                far.and_then(|far| tapped.far.get(far)).map_or(row.len.into(), |far| far.1)
            }
        }
    }
}

impl ActivityReader {
    /// Starts at the segment that contains a row.
    ///
    /// # Errors
    /// If there is no such row, or its segment can't be decoded again.
    pub fn open(decoding: &Decoding, row: u64) -> Result<ActivityReader, String> {
        let SegmentAgain { host, first, records, at, epoch } = decoding.segment_again(row)?;
        let batch = Fed::default();
        Ok(ActivityReader { instance: host, is_stale: false, at, batch, first, next: (0, 0), records, epoch })
    }

    pub fn row(&self) -> u64 {
        self.first + self.next.0 as u64
    }

    /// Passes on the rows before `end`; `false` if not all of them are decoded yet.
    ///
    /// # Errors
    /// If the log can't be read.
    pub fn pass(
        &mut self,
        decoding: &Decoding,
        end: u64,
        mut take: impl FnMut(RowWithActivities<'_>),
    ) -> Result<bool, String> {
        while self.row() < end {
            if self.next.0 < self.batch.rows().len() {
                self.pass_fed(decoding, end, &mut take);
            } else if !self.feed(decoding)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Passes on the rows of the present feed.
    fn pass_fed(&mut self, decoding: &Decoding, end: u64, take: &mut impl FnMut(RowWithActivities<'_>)) {
        let activities = self.batch.activities();
        let (first, mut begin) = self.next;
        let count = usize::try_from(end - self.row()).unwrap_or(usize::MAX);
        let mut next = first;
        for row in self.batch.rows().iter().skip(first).take(count) {
            let own = activities.get(begin..).unwrap_or_default();
            let own = &own[..own.iter().take_while(|activity| activity.at as usize <= next).count()];
            self.records += u64::from(row.is_record());
            if row.has(RowFlags::EPOCH) {
                self.epoch = decoding.read().dictionary.epoch_of(self.first + next as u64);
            }
            let bytes = self.batch.bytes(next, row);
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
        if let Some(tapped) = decoding.tap.take(self.at, first) {
            (self.at, self.is_stale) = (tapped.to, true);
            (self.batch.tapped, self.first, self.next) = (Some(tapped), first, (0, 0));
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
        *self = ActivityReader::open(decoding, row)?;
        self.pass(decoding, row, |_| {})
    }

    /// Decodes the next chunk.
    fn decode(&mut self, decoding: &Decoding, end: Cursor) -> Result<bool, String> {
        let mut reader = LogReader::new(decoding.log.clone(), self.at);
        if !reader.next(end.pos.min(self.at.pos + CHUNK)).map_err(|error| error.to_string())? {
            return Ok(false);
        }
        self.first = self.row();
        self.next = (0, 0);
        self.batch.tapped = None;
        self.batch.again.clear();
        // Stream events at the end may not be decoded yet.
        let mut upto = reader.at;
        let over = if upto.pos == end.pos { upto.event.saturating_sub(end.event) } else { 0 };
        upto.event -= over;
        let kept = reader.events.len().saturating_sub(usize::try_from(over).unwrap_or(usize::MAX));
        self.instance.feed(reader.pos, &reader.bytes, &reader.events[..kept], &mut self.batch.again);
        self.at = upto;
        Ok(true)
    }
}
