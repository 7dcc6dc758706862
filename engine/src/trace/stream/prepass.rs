//! A first pass over files, because a target may report late what applies to a whole epoch.

use std::{io, sync::Arc};

use spytui_plugin_api::{
    Row, Source,
    row::{NONE, RowFlags},
};

use crate::{
    decode::{Epochs, LearnedOptions, LogDecoding, RowContext},
    io::log::RawLog,
    open::{Decoder, Options},
    present::Clock,
    store::Dictionary,
    trace::order::Scales,
};

/// Results of a first pass over all sources of a target.
#[derive(Debug)]
pub struct Prepass {
    /// Clocks by source, then by epoch.
    clocks: Vec<Vec<Clock>>,
    /// Readings of each source, with their cores.
    readings: Vec<Vec<CoreFilter>>,
    /// Final names of all sources.
    pub names: Dictionary,
}

impl Prepass {
    pub fn knows_rate(&self) -> bool {
        self.clocks.iter().flatten().any(Clock::known)
    }

    /// Decodes these logs, in the order of the sources as learned options are, up to their current end.
    pub fn of(
        decoder: &Decoder,
        options: &Options,
        sources: &[Source],
        logs: &[Arc<RawLog>],
        learned: &[LearnedOptions],
    ) -> io::Result<Prepass> {
        let mut prepass =
            Prepass { clocks: Vec::new(), readings: Vec::new(), names: Dictionary::new(&decoder.info, false) };
        let mut learned = learned.iter();
        for (source, log) in sources.iter().zip(logs) {
            let mut decoding = LogDecoding::open(decoder, options, source, log, learned.next())?;
            let mut context = RowContext::default();
            let (mut epochs, mut cores) = (Epochs::default(), SourceCores::default());
            while let Some(batch) = decoding.next_batch()? {
                for row in &batch.rows {
                    if epochs.step(row) {
                        cores.reset();
                    }
                    cores.add(row);
                }
                context.begin_batch();
                context.advance(batch, usize::MAX, None);
                batch.dict.iter().for_each(|e| prepass.names.apply(e, e.text.of(&batch.bytes), 0, 0, 0));
            }
            // The last clock of an epoch applies to all of it, and the first one also to earlier epochs.
            prepass.clocks.push((0..=context.epochs.epoch).map(|epoch| context.clock_of(epoch)).collect());
            prepass.readings.push(cores.readings());
        }
        prepass.share();
        Ok(prepass)
    }

    /// A source without a clock rate uses that of the target's other sources.
    fn share(&mut self) {
        let epochs = self.clocks.iter().map(Vec::len).max().unwrap_or(0);
        for clocks in &mut self.clocks {
            clocks.resize(epochs, clocks.last().copied().unwrap_or_default());
        }
        for epoch in 0..epochs {
            let shared = self.clocks.iter().map(|c| c[epoch]).find(Clock::known);
            for clocks in self.clocks.iter_mut().filter(|c| !c[epoch].known()) {
                clocks[epoch] = shared.unwrap_or_default();
            }
        }
    }

    pub fn clocks(&self, source: usize) -> Vec<Clock> {
        self.clocks.get(source).cloned().unwrap_or_default()
    }

    /// Readings of a source: a single one if its rows are in time order.
    pub(super) fn readings(&self, source: usize) -> &[CoreFilter] {
        self.readings.get(source).map_or(&[], Vec::as_slice)
    }

    pub(super) fn scales(&self) -> Vec<Scales> {
        let epochs = self.clocks.first().map_or(0, Vec::len);
        let of_epoch = |epoch: usize| self.clocks.iter().map(|c| c[epoch]).collect::<Vec<_>>();
        (0..epochs).map(|epoch| Scales::new(&of_epoch(epoch))).collect()
    }
}

/// The first clock with a known rate that one of these logs reports, up to their current end.
pub fn first_clock(decoder: &Decoder, options: &Options, logs: &[Arc<RawLog>]) -> io::Result<Option<Clock>> {
    for log in logs {
        let mut decoding = LogDecoding::open(decoder, options, &Source::default(), log, None)?;
        while let Some(batch) = decoding.next_batch()? {
            if let Some(clock) = batch.clocks.iter().map(Clock::new).find(Clock::known) {
                return Ok(Some(clock));
            }
        }
    }
    Ok(None)
}

/// Maximum number of readings of a source; further cores share the last one. Noise may contain any core.
const MOST: usize = 32;

/// Detects the cores of a source, and whether their rows are in one order.
#[derive(Debug, Default)]
pub(super) struct SourceCores {
    cores: Vec<u16>,
    last: Option<u16>,
    /// Latest time in this epoch.
    latest: u64,
    /// A row is earlier than a previous one.
    disordered: bool,
}

impl SourceCores {
    pub(super) fn add(&mut self, row: &Row) {
        // A naming record is no event of the core.
        if !row.is_record() || !row.has(RowFlags::TIME_OWN) || row.has(RowFlags::NAMING) {
            return;
        }
        let is_other = self.last.replace(row.core) != Some(row.core);
        if is_other && row.core != NONE && self.cores.len() < MOST && !self.cores.contains(&row.core) {
            self.cores.push(row.core);
        }
        self.disordered |= row.time < self.latest;
        self.latest = self.latest.max(row.time);
    }

    pub(super) fn reset(&mut self) {
        self.latest = 0;
    }

    /// One reading per core if they must be put in order, otherwise one for all.
    pub(super) fn readings(mut self) -> Vec<CoreFilter> {
        if !self.disordered || self.cores.len() < 2 {
            return vec![CoreFilter::default()];
        }
        self.cores.sort_unstable();
        let rest = self.cores.pop();
        let mut readings: Vec<CoreFilter> =
            self.cores.iter().map(|core| CoreFilter { only: Some(*core), but: vec![] }).collect();
        readings.extend(rest.map(|_| CoreFilter { only: None, but: self.cores }));
        readings
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CoreFilter {
    /// Rows of this core only.
    only: Option<u16>,
    /// Otherwise rows of all cores except these.
    but: Vec<u16>,
}

impl CoreFilter {
    fn keeps(&self, core: u16) -> bool {
        self.only.map_or_else(|| !self.but.contains(&core), |only| only == core)
    }
}

#[derive(Debug, Default)]
pub(super) struct KeptRows {
    reading: CoreFilter,
    rows: Vec<bool>,
    last: bool,
    /// Records may be missing before the next selected row, as reported by a row of another reading.
    loses: bool,
}

impl KeptRows {
    /// `None` if all rows are selected. `first` = rows before the first known core belong to this reading.
    pub(super) fn new(reading: &CoreFilter, first: bool) -> Option<KeptRows> {
        let is_whole = *reading == CoreFilter::default();
        (!is_whole).then(|| KeptRows { reading: reading.clone(), last: first, ..KeptRows::default() })
    }

    /// Selects rows of the next batch. Rows that concern all cores go with their predecessor.
    pub(super) fn look(&mut self, rows: &mut [Row]) {
        self.rows.clear();
        for i in 0..rows.len() {
            // A row about the next record goes with that one.
            let about = rows[i..].iter().find(|row| !row.has(RowFlags::OF_NEXT)).unwrap_or(&rows[i]);
            if about.core != NONE {
                self.last = self.reading.keeps(about.core);
            }
            self.loses |= rows[i].may_hide_records();
            if self.last && std::mem::take(&mut self.loses) {
                rows[i].flags |= RowFlags::HIDES_RECORDS;
            }
            self.rows.push(self.last);
        }
    }

    /// All `rows` rows of a batch.
    pub(super) fn all(rows: usize) -> KeptRows {
        KeptRows { rows: vec![true; rows], last: true, ..KeptRows::default() }
    }

    pub(super) fn leave_out(&mut self, at: usize) {
        if let Some(kept) = self.rows.get_mut(at) {
            *kept = false;
        }
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.rows.get(at).copied().unwrap_or(true)
    }

    /// The first unselected row from `at` to before `upto`.
    pub(super) fn stop(&self, at: usize, upto: usize) -> usize {
        (at..upto).find(|at| !self.has(*at)).unwrap_or(upto)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(core: u16, time: u64) -> Row {
        Row { core, time, flags: RowFlags::TIME_OWN, ..Row::default() }
    }

    fn readings(rows: &[Row]) -> Vec<CoreFilter> {
        let mut cores = SourceCores::default();
        for row in rows {
            if row.has(RowFlags::EPOCH) {
                cores.reset();
            }
            cores.add(row);
        }
        cores.readings()
    }

    #[test]
    fn only_what_is_not_in_order_is_read_lane_by_lane() {
        let whole = [CoreFilter::default()];
        assert_eq!(readings(&[]), whole);
        assert_eq!(readings(&[row(0, 5), row(1, 5), row(0, 6)]), whole);
        assert_eq!(readings(&[row(0, 5), row(0, 3)]), whole);
        let named = Row { flags: RowFlags::TIME_OWN | RowFlags::NAMING, ..row(1, 0) };
        assert_eq!(readings(&[row(0, 5), named, row(1, 7)]), whole);
        let reset = Row { kind: spytui_plugin_api::RowKind::RESTART, flags: RowFlags::EPOCH, ..row(1, 0) };
        assert_eq!(readings(&[row(0, 5), reset, row(1, 3)]), whole);
        let only = |core| CoreFilter { only: Some(core), but: vec![] };
        let but = |cores: &[u16]| CoreFilter { only: None, but: cores.to_vec() };
        assert_eq!(readings(&[row(1, 5), row(0, 3)]), [only(0), but(&[0])]);
        assert_eq!(readings(&[row(2, 5), row(7, 3), row(0, 9)]), [only(0), only(2), but(&[0, 2])]);
    }

    #[test]
    fn each_row_is_kept_by_one_reading_however_many_lanes_there_are() {
        let rows: Vec<Row> = (0..200_u16).map(|i| row(i * 37 % 100, (1000 - i).into())).collect();
        let mut rows = rows;
        rows.insert(0, row(NONE, 0));
        rows.insert(70, row(NONE, 0));
        let readings = readings(&rows);
        assert_eq!(readings.len(), MOST);
        let mut kept: Vec<KeptRows> =
            readings.iter().enumerate().filter_map(|(i, reading)| KeptRows::new(reading, i == 0)).collect();
        for batch in rows.chunks_mut(64) {
            kept.iter_mut().for_each(|kept| kept.look(batch));
            let of = |at: usize| kept.iter().filter(|kept| kept.has(at)).count();
            assert!((0..batch.len()).all(|at| of(at) == 1));
        }
        assert!(KeptRows::new(&CoreFilter::default(), true).is_none());
    }

    #[test]
    fn a_loss_that_one_reading_keeps_stands_in_the_order_of_each() {
        let loss = Row { core: NONE, ..Row::gap(0) };
        let mut rows = [row(0, 9), loss, row(1, 3), row(1, 4), row(0, 12)];
        let mut kept = KeptRows::new(&CoreFilter { only: Some(1), but: vec![] }, false).unwrap();
        // Its next row may be in a later batch.
        let (first, second) = rows.split_at_mut(2);
        kept.look(first);
        kept.look(second);
        assert!(!kept.has(2) && kept.has(0) && kept.has(1));
        assert_eq!(rows.map(|row| row.may_hide_records()), [false, true, true, false, false]);
    }
}
