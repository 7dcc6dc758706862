//! Feeds the rows of a stream to an analysis: numbered, in merged order, with comparable times.

use std::{collections::VecDeque, io};

use spytui_plugin_api::{Info, RowFlags, Want};

use crate::{
    analysis::{
        findings::FindingTable,
        incident::{
            Incident, IncidentReader,
            page::{BEFORE, IncidentWording},
        },
        objects::{ObjectTable, Wording},
        statistics::Statistics,
    },
    open::Decoder,
    present::{Clock, sanitise::text_of},
    replay::{FedRow, Key, MissingRecords, Moment, Reader},
    row::RowView,
    store::{BlockNames, Dictionary, View},
    trace::stream::Sink,
};

pub type FindingsSink = ReplaySink<FindingTable>;
pub type ObjectsSink = ReplaySink<ObjectTable>;
pub type StatisticsSink = ReplaySink<Statistics>;

/// Replays a stream to its end or up to a record.
#[derive(Debug)]
pub struct ReplaySink<R> {
    pub replay: R,
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

impl<R: Reader> ReplaySink<R> {
    pub fn new(info: &Info) -> ReplaySink<R> {
        ReplaySink::until(info, None)
    }

    /// Stops at a record, if given.
    pub fn until(info: &Info, until: Option<RecordNumber>) -> ReplaySink<R> {
        ReplaySink {
            replay: R::new(info),
            until,
            is_there: false,
            records: Vec::new(),
            rows: 0,
            clock: Clock::default(),
            is_common: false,
        }
    }

    /// The replay so far; `None` if the record was not reached.
    pub fn reached(&self) -> Option<&R> {
        (self.until.is_none() || self.is_there).then_some(&self.replay)
    }

    pub fn records(&self) -> u64 {
        self.records.iter().sum()
    }

    pub fn clock(&self) -> Clock {
        if self.is_common && self.clock.known() { Clock::nanoseconds() } else { self.clock }
    }
}

impl<R: Reader> Sink for ReplaySink<R> {
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
        let needs_ns = R::NEEDS_NS || self.is_common;
        let ns = ticks.filter(|_| needs_ns).and_then(|ticks| view.clock.ns(ticks));
        // Sources may have different rates.
        let time = view.source.and(ns).or(ticks);
        let at = Moment { row: self.rows, n: *n, source, time };
        self.rows += 1;
        let missing = MissingRecords::of(view.attachments);
        let fed = FedRow { ns, missing, bytes: view.wire_len(), ..FedRow::new(view.row, at, view.epoch) };
        self.replay.row(&fed, view.activities);
        self.is_there = view.row.is_record() && self.until == Some(RecordNumber { source, n: *n });
        Ok(())
    }
}

/// Replays a stream to an incident: the last one, or a record.
#[derive(Debug)]
pub struct IncidentSink {
    all: ReplaySink<IncidentReader>,
    /// The last rows with their texts; the memory of the oldest is used for the next one.
    rows: VecDeque<(Moment, Vec<u8>)>,
    /// The rows of the incident.
    found: Vec<(Moment, String)>,
}

impl IncidentSink {
    /// `look_back` = how far it looks back, ns.
    pub fn new(info: &Info, until: Option<RecordNumber>, look_back: u64) -> IncidentSink {
        let replay = IncidentReader::from(ObjectTable::new(info), look_back);
        let all = ReplaySink { replay, ..ReplaySink::until(info, until) };
        IncidentSink { all, rows: VecDeque::new(), found: Vec::new() }
    }

    pub fn records(&self) -> u64 {
        self.all.records()
    }

    /// `None` if the record was not reached, or if nothing failed.
    pub fn incident(&self, wording: &Wording<'_>) -> Option<Incident> {
        let (reader, clock) = (&self.all.replay, self.all.clock());
        let (table, recent, count) = match (self.all.until, &reader.found) {
            (None, Some(found)) => (&found.table, &found.recent, reader.count),
            (Some(_), _) if self.all.is_there => (&reader.table, &reader.recent, 0),
            _ => return None,
        };
        let incident = IncidentWording { table, recent, wording, clock }.incident(&self.found);
        Some(Incident { count, ..incident })
    }
}

impl Sink for IncidentSink {
    fn want(&self) -> Want {
        Want::TEXT
    }

    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        if self.all.is_there {
            return self.all.row(view);
        }
        let (count, before) = (self.all.replay.count, self.all.replay.table.last());
        let is_reset = view.row.has(RowFlags::EPOCH) && view.epoch > 0;
        let number = view.n.map(|n| RecordNumber { source: view.source.unwrap_or(0), n });
        // A reset makes unknown what is asked for.
        self.all.is_there = is_reset && number.is_some() && number == self.all.until;
        self.all.row(view)?;
        let reader = &self.all.replay;
        let mut text =
            if self.rows.len() > BEFORE { self.rows.pop_front() } else { None }.map_or_else(Vec::new, |old| old.1);
        text.clear();
        view.push_words(&mut text);
        // A reset begins another time.
        let time = if is_reset { before.time } else { reader.table.last().time };
        let at = Moment { row: self.all.rows.saturating_sub(1), n: view.n.unwrap_or(before.n), time, ..before };
        self.rows.push_back((at, text));
        if self.all.is_there || self.all.until.is_none() && reader.count > count {
            self.found = self.rows.iter().map(|(at, text)| (*at, text_of(text.clone()))).collect();
        }
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
