//! Feeds the rows of a stream to an analysis: numbered, in merged order, with comparable times.

use std::io;

use spytui_plugin_api::Info;

use crate::{
    analysis::{
        findings::table::FindingRules,
        objects::{Wording, table::Objects},
        statistics::collect::Collector,
    },
    open::Decoder,
    present::Clock,
    replay::{FedRow, Key, Moment, Observed, Observer, Reader},
    row::RowView,
    store::{BlockNames, Dictionary, View},
    trace::stream::Sink,
};

pub type FindingsSink = ReplaySink<FindingRules>;
pub type ObjectsSink = ReplaySink<Objects>;
pub type StatisticsSink = ReplaySink<Collector>;

/// Replays a stream to its end or up to a record.
#[derive(Debug)]
pub struct ReplaySink<O> {
    pub replay: Observed<O>,
    until: Option<RecordNumber>,
    /// The record in `until` was reached.
    is_there: bool,
    /// Records of each source so far.
    records: Vec<u64>,
    rows: u64,
    clock: Clock,
    is_common: bool,
}

/// A record number, from 1, in one of several sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordNumber {
    /// 0 if there is only one.
    pub source: u16,
    pub n: u64,
}

impl RecordNumber {
    /// Parses `#17`, `17` or `#1:17`; the error shows the syntax.
    pub fn parse(text: &str) -> Result<RecordNumber, String> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        let (source, n) = digits.split_once(':').unwrap_or(("0", digits));
        let number = source.parse().ok().zip(n.parse().ok()).map(|(source, n)| RecordNumber { source, n });
        number
            .filter(|number| number.n > 0)
            .ok_or_else(|| format!("not a record number: `{text}`; use #744, or #1:744 of source 1"))
    }
}

impl<O: Observer> ReplaySink<O> {
    pub fn new(info: &Info) -> ReplaySink<O> {
        ReplaySink::until(info, None)
    }

    /// Stops at a record, if given.
    pub fn until(info: &Info, until: Option<RecordNumber>) -> ReplaySink<O> {
        ReplaySink {
            replay: Observed::new(info),
            until,
            is_there: false,
            records: Vec::new(),
            rows: 0,
            clock: Clock::default(),
            is_common: false,
        }
    }

    /// The replay so far; `None` if the record was not reached.
    pub fn reached(&self) -> Option<&Observed<O>> {
        (self.until.is_none() || self.is_there).then_some(&self.replay)
    }

    pub fn records(&self) -> u64 {
        self.records.iter().sum()
    }

    pub fn clock(&self) -> Clock {
        if self.is_common && self.clock.known() { Clock::nanoseconds() } else { self.clock }
    }
}

impl<O: Observer> Sink for ReplaySink<O> {
    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        let source = view.source.unwrap_or(0);
        if self.records.len() <= source.into() {
            self.records.resize(usize::from(source) + 1, 0);
        }
        let n = &mut self.records[usize::from(source)];
        *n += u64::from(view.row.is_record());
        if self.is_there {
            return Ok(());
        }
        if view.clock.known() {
            self.clock = view.clock;
        }
        self.is_common |= view.source.is_some();
        let ticks = view.row.has_time().then_some(view.row.time);
        let needs_ns = O::NEEDS_NS || self.is_common;
        let ns = ticks.filter(|_| needs_ns).and_then(|ticks| view.clock.ns(ticks));
        // Sources may have different rates.
        let time = view.source.and(ns).or(ticks);
        let at = Moment { row: self.rows, n: *n, source, time };
        self.rows += 1;
        let (loses, bytes) = (view.row.may_hide_records(), view.wire_len());
        self.replay.row(&FedRow { row: *view.row, at, ns, epoch: view.epoch, loses, bytes }, view.activities);
        self.is_there = view.row.is_record() && self.until == Some(RecordNumber { source, n: *n });
        Ok(())
    }
}

/// Calls `word` with the names known at the end of the stream.
pub fn in_words<T>(decoder: &Decoder, dictionary: &Dictionary, word: impl FnOnce(&Wording<'_>) -> T) -> T {
    let names = BlockNames::newest(dictionary, View::Effective, false);
    let of_formats = |key: Key| decoder.formatting.track_name(key.space, key.key);
    word(&Wording { info: &decoder.info, names: &names, of_formats: &of_formats })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_named_as_the_list_shows_it() {
        let of = |text| RecordNumber::parse(text).ok().map(|number| (number.source, number.n));
        assert_eq!([of("#744"), of("744"), of("#1:7")], [Some((0, 744)), Some((0, 744)), Some((1, 7))]);
        assert_eq!([of("#0"), of("#x"), of(""), of("-3")], [None; 4]);
    }
}
