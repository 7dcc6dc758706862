//! The context of a row: configurations, names, clock, epoch and number. It advances from row to row through the events
//! of a batch: by batches in the store, by blocks in the stream output.

use spytui_plugin_api::{Batch, Row, row::RowFlags};

use crate::{present::Clock, row::Configurations, store::Dictionary};

#[derive(Debug, Default)]
pub struct RowContext {
    configurations: Configurations,
    pub clock: Clock,
    /// Clocks by epoch, if found by a prepass.
    epoch_clocks: Option<Vec<Clock>>,
    /// Clocks reported so far, each with its first epoch.
    reported: Vec<(u32, Clock)>,
    /// Epoch of this row, and number of records up to and including it.
    pub(crate) epochs: Epochs,
    applied: Applied,
}

#[derive(Debug, Default)]
struct Applied {
    rows: usize,
    names: usize,
    clocks: usize,
}

#[derive(Debug)]
pub struct NameTarget<'a> {
    pub dictionary: &'a mut Dictionary,
    pub first_row: u64,
    pub source: u16,
}

impl RowContext {
    /// Uses the clocks found by a prepass, by epoch, instead of reported ones.
    pub fn set_epoch_clocks(&mut self, clocks: Vec<Clock>) {
        self.clock = clocks.first().copied().unwrap_or_default();
        self.epoch_clocks = Some(clocks);
    }

    pub fn begin_batch(&mut self) {
        self.applied = Applied::default();
        self.configurations.next = 0;
    }

    /// Advances to row `at` of a batch, or to its end, and applies all events up to and including this row. Without a
    /// name target, names are ignored. Returns the reset rows passed.
    pub fn advance(&mut self, batch: &Batch, at: usize, mut names: Option<NameTarget<'_>>) -> Vec<usize> {
        let mut resets = Vec::new();
        let rows = batch.rows.as_slice();
        let end = at.saturating_add(1).min(rows.len());
        for (i, row) in rows[..end].iter().enumerate().skip(self.applied.rows) {
            if row.has(RowFlags::EPOCH) {
                resets.push(i);
                // Names and clocks reported with the reset belong to the new epoch.
                self.apply_names(batch, i, &mut names);
                self.apply_clocks(batch, i);
            }
            if self.epochs.step(row) {
                self.begin_epoch(i, &mut names);
            }
        }
        self.applied.rows = self.applied.rows.max(end);
        let behind = at.saturating_add(1);
        self.apply_names(batch, behind, &mut names);
        self.configurations.apply(batch, behind);
        self.apply_clocks(batch, behind);
        resets
    }

    fn begin_epoch(&mut self, row: usize, names: &mut Option<NameTarget<'_>>) {
        if let Some(clocks) = &self.epoch_clocks {
            self.clock = clocks.get(self.epochs.epoch as usize).copied().unwrap_or_default();
        }
        if let Some(names) = names {
            names.dictionary.begin_epoch(names.first_row + row as u64);
        }
    }

    /// Applies names valid from rows before `end`.
    fn apply_names(&mut self, batch: &Batch, end: usize, names: &mut Option<NameTarget<'_>>) {
        while let Some(event) = batch.dict.get(self.applied.names).filter(|e| (e.at as usize) < end) {
            self.applied.names += 1;
            if let Some(NameTarget { dictionary, first_row, source }) = names {
                let pos = batch.rows.get(event.at as usize).or(batch.rows.last()).map_or(0, |row| row.pos);
                let text = event.text.of(&batch.bytes);
                dictionary.apply(event, text, *first_row + u64::from(event.at), *source, pos);
            }
        }
    }

    fn apply_clocks(&mut self, batch: &Batch, end: usize) {
        while let Some(event) = batch.clocks.get(self.applied.clocks).filter(|e| (e.at as usize) < end) {
            self.applied.clocks += 1;
            if self.epoch_clocks.is_some() {
                continue;
            }
            self.clock = Clock::new(event);
            match self.reported.last_mut() {
                Some((epoch, last)) if *epoch == self.epochs.epoch => *last = self.clock,
                Some((_, last)) if *last == self.clock => {}
                _ => self.reported.push((self.epochs.epoch, self.clock)),
            }
        }
    }

    /// The next row before `end` at which a name (`names` so far), a configuration or the clock changes, or `end`.
    pub fn next_change(&self, batch: &Batch, end: usize, names: &Dictionary) -> usize {
        let coming = batch.dict.iter().skip(self.applied.names).take_while(|event| (event.at as usize) < end);
        let named = coming.filter(|event| names.would_change(event, event.text.of(&batch.bytes))).map(|e| e.at).next();
        let configurations = batch.cfgs.get(self.configurations.next).map(|e| e.at);
        let clocks = batch.clocks.get(self.applied.clocks).map(|e| e.at);
        [named, configurations, clocks].into_iter().flatten().map(|at| at as usize).min().unwrap_or(end).min(end)
    }

    pub fn configuration(&self, id: u16) -> &[u8] {
        self.configurations.get(id)
    }

    /// The clock of an epoch so far: the last one reported in or before it, otherwise the first known one.
    pub fn clock_of(&self, epoch: u32) -> Clock {
        let until = self.reported.partition_point(|(from, _)| *from <= epoch);
        let (before, after) = self.reported.split_at(until);
        let is_known = |reported: &&(u32, Clock)| reported.1.known();
        let reported =
            if before.iter().any(|reported| reported.1.known()) { before.last() } else { after.iter().find(is_known) };
        reported.map_or(self.clock, |reported| reported.1)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Epochs {
    pub records: u64,
    /// From 0.
    pub epoch: u32,
}

impl Epochs {
    /// Advances by a row; `true` if it starts an epoch.
    pub fn step(&mut self, row: &Row) -> bool {
        // A reset at the start of a stream starts the first epoch, not the second.
        let resets = row.has(RowFlags::EPOCH) && self.records > 1;
        self.records += u64::from(row.is_record());
        self.epoch += u32::from(resets);
        resets
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{ClockEvent, Row, RowKind};

    use super::*;

    /// A batch of records; those at `resets` start an epoch, and clocks that count from `first` are reported at `at`.
    fn batch(rows: usize, resets: &[usize], clocks: &[(u32, u64)]) -> Batch {
        let row = |i| Row {
            kind: RowKind(64),
            flags: if resets.contains(&i) { RowFlags::EPOCH } else { RowFlags::empty() },
            ..Row::default()
        };
        let clock = |&(at, num)| ClockEvent { at, num, den: 1, ..ClockEvent::default() };
        Batch { rows: (0..rows).map(row).collect(), clocks: clocks.iter().map(clock).collect(), ..Batch::default() }
    }

    #[test]
    fn each_epoch_has_the_clock_that_was_reported_last_in_it() {
        let mut context = RowContext::default();
        context.advance(&batch(12, &[4, 8], &[(2, 1), (3, 2), (4, 3), (10, 4)]), usize::MAX, None);
        let rates = |context: &RowContext| [0, 1, 2, 3].map(|epoch| context.clock_of(epoch).ns(1));
        assert_eq!(rates(&context), [Some(2), Some(3), Some(4), Some(4)]);
        // Late reports also apply to what came before.
        let mut context = RowContext::default();
        context.advance(&batch(12, &[4, 8], &[(0, 0), (9, 5)]), usize::MAX, None);
        assert_eq!(rates(&context), [Some(5); 4]);
        assert_eq!(RowContext::default().clock_of(3), Clock::default());
    }
}
