//! Puts the rows of the sources of a target in order, and with them the drops of the target.

use std::collections::VecDeque;

use spytui_plugin_api::{Attachment, AttachmentId, Info, Row, RowFlags, RowKind};

use super::{
    scales::{Scales, SortKey},
    sort_time::{SortTime, SortTimes},
    target_drops::{DropInOrder, TargetDrops},
};

/// Rows on their way into one order, in a queue for each input: a source, or one of its cores.
#[derive(Debug)]
pub struct Merge {
    queues: Vec<Queue>,
    /// Source of each queue.
    sources: Vec<usize>,
    /// By epoch, the last one for all later epochs.
    scales: Vec<Scales>,
    /// Drops in the order of all sources, where it makes a difference.
    drops: Option<TargetDrops>,
}

#[derive(Debug, Clone)]
struct Queue {
    times: SortTimes,
    waiting: VecDeque<Waiting>,
    /// Rows at its end that stand with the record behind them, which is yet to come.
    held: usize,
    has_ended: bool,
}

/// A row that is not in order yet.
#[derive(Debug, Clone)]
struct Waiting {
    time: SortTime,
    at: u64,
    row: Row,
    /// Its total of dropped records, if it has one.
    total: Option<Attachment>,
}

impl Merge {
    /// For queues of these sources.
    pub fn new(info: &Info, sources: Vec<usize>) -> Merge {
        let queue = Queue { times: SortTimes::new(info), waiting: VecDeque::new(), held: 0, has_ended: false };
        let count = sources.iter().max().map_or(0, |last| last + 1);
        Merge {
            queues: vec![queue; sources.len()],
            scales: vec![Scales::default()],
            drops: TargetDrops::new(info, count),
            sources,
        }
    }

    /// Source of each queue.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// Makes the ticks of the sources comparable, by epoch.
    pub fn set_scales(&mut self, scales: Vec<Scales>) {
        self.scales = scales;
    }

    /// Whether drops are those of the target, not of each source.
    pub fn orders_drops(&self) -> bool {
        self.drops.is_some()
    }

    /// Goes past a row that is in no order.
    pub fn pass(&mut self, queue: usize, row: &Row) {
        self.queues[queue].times.pass(row);
    }

    /// Adds the next row of a queue, with its number there.
    pub fn add(&mut self, queue: usize, at: u64, row: &Row, attachments: &[Attachment]) {
        let is_total = |attachment: &&Attachment| attachment.id == AttachmentId::DROP_TOTAL;
        let total = attachments.iter().find(is_total).filter(|_| self.drops.is_some()).copied();
        self.queues[queue].add(at, row, total);
    }

    /// No record follows those rows at the end of a queue that wait for one.
    pub fn release(&mut self, queue: usize) {
        self.queues[queue].held = 0;
    }

    /// No more rows come.
    pub fn end(&mut self, queue: usize) {
        self.queues[queue].has_ended = true;
    }

    /// Whether no more rows come.
    pub fn has_ended(&self, queue: usize) -> bool {
        self.queues[queue].has_ended
    }

    /// Whether a row of a queue waits for those of others.
    pub fn has_row(&self, queue: usize) -> bool {
        self.queues[queue].head().is_some()
    }

    /// Whether there are such rows.
    pub fn holds_back(&self) -> bool {
        self.queues.iter().any(|queue| queue.head().is_some())
    }

    /// Number in its queue of the first row that waits.
    pub fn first(&self, queue: usize) -> Option<u64> {
        self.queues[queue].waiting.front().map(|waiting| waiting.at)
    }

    /// The queue whose row is next: by time, then source, then number. A row of a queue that is `due` does not wait for
    /// silent ones, whose next row may be earlier.
    pub fn next(&self, due: impl Fn(usize) -> bool) -> Option<usize> {
        let heads = self.queues.iter().enumerate().filter_map(|(i, queue)| Some((i, queue.head()?)));
        let (first, _) = heads.min_by_key(|(queue, head)| self.key(*queue, head))?;
        let is_silent = |queue: &Queue| queue.head().is_none() && !queue.has_ended;
        (due(first) || !self.queues.iter().any(is_silent)).then_some(first)
    }

    fn key(&self, queue: usize, head: &Waiting) -> (SortKey, usize, u64) {
        let (source, time) = (self.sources[queue], head.time);
        let scales = self.scales.get(time.epoch as usize).or(self.scales.last());
        (scales.map_or((time.epoch, None), |scales| scales.key(source, time)), source, head.at)
    }

    /// Takes the next row of a queue and passes its number and kind to `each`. If it stands with the record behind it,
    /// all rows up to that one. Returns what a total of dropped records in the last one says in this order.
    pub fn take(&mut self, queue: usize, mut each: impl FnMut(u64, RowKind)) -> Option<DropInOrder> {
        let mut drop = None;
        while let Some(Waiting { at, row, total, .. }) = self.queues[queue].waiting.pop_front() {
            each(at, row.kind);
            if !row.has(RowFlags::OF_NEXT) {
                drop = self.drops.as_mut().and_then(|drops| drops.pass(&row, total.as_slice()));
                break;
            }
        }
        drop
    }
}

impl Queue {
    /// Its next row.
    fn head(&self) -> Option<&Waiting> {
        self.waiting.front().filter(|_| self.waiting.len() > self.held)
    }

    fn add(&mut self, at: u64, row: &Row, total: Option<Attachment>) {
        let time = self.times.of(row);
        self.waiting.push_back(Waiting { time, at, row: *row, total });
        if row.has(RowFlags::OF_NEXT) {
            self.held += 1;
            return;
        }
        // Rows that stand with the record behind them wait for its turn.
        let held = std::mem::take(&mut self.held);
        self.waiting.iter_mut().rev().skip(1).take(held).for_each(|waiting| waiting.time = time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn merge(sources: usize) -> Merge {
        Merge::new(&Info::default(), (0..sources).collect())
    }

    fn add(merge: &mut Merge, source: usize, at: u64, ticks: u64, flags: RowFlags) {
        let row = Row { time: ticks, flags: RowFlags::TIME_OWN | flags, ..Row::default() };
        merge.add(source, at, &row, &[]);
    }

    #[test]
    fn the_earliest_is_next_and_ties_go_by_source() {
        let mut merge = merge(3);
        for (source, ticks) in [5, 3, 3].into_iter().enumerate() {
            add(&mut merge, source, 0, ticks, RowFlags::empty());
        }
        let mut order = Vec::new();
        while let Some(source) = merge.next(|_| true) {
            merge.take(source, |_, _| order.push(source));
        }
        assert_eq!(order, [1, 2, 0]);
    }

    #[test]
    fn a_silent_source_holds_up_only_what_is_not_due() {
        let mut merge = merge(2);
        add(&mut merge, 0, 0, 5, RowFlags::empty());
        assert_eq!((merge.next(|_| false), merge.next(|_| true)), (None, Some(0)));
        merge.end(1);
        assert_eq!(merge.next(|_| false), Some(0));
    }

    #[test]
    fn a_row_about_the_record_behind_it_waits_for_that_one() {
        let mut merge = merge(2);
        merge.end(1);
        add(&mut merge, 0, 0, 3, RowFlags::OF_NEXT);
        assert_eq!(merge.next(|_| true), None);
        add(&mut merge, 0, 1, 9, RowFlags::empty());
        let mut taken = Vec::new();
        merge.take(0, |at, _| taken.push(at));
        assert_eq!(taken, [0, 1]);
        add(&mut merge, 0, 2, 10, RowFlags::OF_NEXT);
        merge.release(0);
        assert_eq!(merge.next(|_| true), Some(0));
    }

    proptest! {
        /// Of sources that are in order the merge is what a stable sort gives.
        #[test]
        fn the_order_is_that_of_a_stable_sort(mut sources in prop::collection::vec(prop::collection::vec(0_u64..40, 0..30), 1..6)) {
            let mut merge = merge(sources.len());
            for (source, times) in sources.iter_mut().enumerate() {
                times.sort_unstable();
                (0..).zip(times).for_each(|(at, ticks)| add(&mut merge, source, at, *ticks, RowFlags::empty()));
                merge.end(source);
            }
            let mut sorted: Vec<(u64, usize)> =
                sources.iter().enumerate().flat_map(|(i, s)| s.iter().map(move |&t| (t, i))).collect();
            sorted.sort_by_key(|&(time, _)| time);
            let mut merged = Vec::new();
            while let Some(source) = merge.next(|_| false) {
                merge.take(source, |at, _| merged.push((sources[source][at as usize], source)));
            }
            prop_assert_eq!(merged, sorted);
        }
    }
}
