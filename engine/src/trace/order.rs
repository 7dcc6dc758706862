//! Merge order of a target's sources: by sort time (the running maximum of a source's time), then source, then row.
//! Rows of one source are never reordered, and rows before the first time stamp come first.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use spytui_plugin_api::{
    Attachment, AttachmentId, Info, Row, RowFlags, RowKind, Verb,
    info::{DropTotals, Order},
    row::NONE,
};
use spytui_plugin_host::{DropNews, DropTracker};

use crate::{decode::Epochs, present::Clock};

/// How long rows of a live source wait for a silent source, so that rows arriving simultaneously over different links
/// are put in order. A longer time would make the screen lag.
pub const PATIENCE: Duration = Duration::from_millis(150);

/// Merges rows into one order, from a queue per input: a source, or one of its cores.
#[derive(Debug)]
pub struct Merge {
    queues: Vec<Queue>,
    /// Source of each queue.
    pub sources: Vec<usize>,
    /// Make the ticks of the sources comparable, by epoch; the last one applies to all later epochs.
    pub scales: Vec<Scales>,
    /// Drops in the order of all sources, if the order matters.
    drops: Option<DropTracker>,
}

#[derive(Debug, Clone)]
struct Queue {
    times: SortTimes,
    waiting: VecDeque<Waiting>,
    /// Number of last rows that belong to a record still to come.
    held: usize,
    has_ended: bool,
}

/// A row waiting to be merged.
#[derive(Debug, Clone)]
struct Waiting {
    time: SortTime,
    at: u64,
    row: Row,
    /// The row's total of dropped records, if any.
    total: Option<u64>,
}

impl Merge {
    pub fn new(info: &Info, sources: Vec<usize>) -> Merge {
        let queue = Queue { times: SortTimes::new(info), waiting: VecDeque::new(), held: 0, has_ended: false };
        let count = sources.iter().max().map_or(0, |last| last + 1);
        Merge {
            queues: vec![queue; sources.len()],
            scales: vec![Scales::default()],
            drops: (count > 1 && info.drop_totals == DropTotals::PER_TARGET).then(DropTracker::default),
            sources,
        }
    }

    /// Whether drops are counted by target, not by source.
    pub fn orders_drops(&self) -> bool {
        self.drops.is_some()
    }

    /// Skips a row that is not merged.
    pub fn pass(&mut self, queue: usize, row: &Row) {
        self.queues[queue].times.pass(row);
    }

    /// Adds the next row of a queue, with its number there.
    pub fn add(&mut self, queue: usize, at: u64, row: &Row, attachments: &[Attachment]) {
        let is_total = |attachment: &&Attachment| attachment.id == AttachmentId::DROP_TOTAL;
        let total = attachments.iter().find(is_total).filter(|_| self.drops.is_some()).map(|total| total.a);
        self.queues[queue].add(at, row, total);
    }

    /// The last rows of a queue no longer wait for their record.
    pub fn release(&mut self, queue: usize) {
        self.queues[queue].held = 0;
    }

    /// No more rows will be added.
    pub fn end(&mut self, queue: usize) {
        self.queues[queue].has_ended = true;
    }

    pub fn has_ended(&self, queue: usize) -> bool {
        self.queues[queue].has_ended
    }

    pub fn has_row(&self, queue: usize) -> bool {
        self.queues[queue].head().is_some()
    }

    /// Whether any queue has a row to merge.
    pub fn holds_back(&self) -> bool {
        self.queues.iter().any(|queue| queue.head().is_some())
    }

    /// Number of the queue's first waiting row.
    pub fn first(&self, queue: usize) -> Option<u64> {
        self.queues[queue].waiting.front().map(|waiting| waiting.at)
    }

    /// The queue with the next row: by time, then source, then number. Rows of a queue that is `due` do not wait for
    /// silent queues, whose next row may be earlier.
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

    /// Takes the next row of a queue and passes its number and kind to `each`, with all rows up to the record that it
    /// belongs to. Returns what the last one's total of dropped records says in this order.
    pub fn take(&mut self, queue: usize, mut each: impl FnMut(u64, RowKind)) -> Option<DropInOrder> {
        let mut drop = None;
        while let Some(Waiting { at, row, total, .. }) = self.queues[queue].waiting.pop_front() {
            each(at, row.kind);
            if !row.has(RowFlags::OF_NEXT) {
                drop = self.drops.as_mut().and_then(|drops| DropInOrder::of(drops, &row, total));
                break;
            }
        }
        drop
    }
}

impl Queue {
    fn head(&self) -> Option<&Waiting> {
        self.waiting.front().filter(|_| self.waiting.len() > self.held)
    }

    fn add(&mut self, at: u64, row: &Row, total: Option<u64>) {
        let time = self.times.of(row);
        self.waiting.push_back(Waiting { time, at, row: *row, total });
        if row.has(RowFlags::OF_NEXT) {
            self.held += 1;
            return;
        }
        // Rows that belong to the next record wait for its turn.
        let held = std::mem::take(&mut self.held);
        self.waiting.iter_mut().rev().skip(1).take(held).for_each(|waiting| waiting.time = time);
    }
}

/// Sort key of a row: epoch, then time; rows before the first time stamp first.
pub type SortKey = (u32, Option<i128>);

/// Makes the ticks of different sources comparable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scales(Vec<Clock>);

impl Scales {
    /// From the clocks of all sources. If all clocks are alike, ticks are compared directly, so that a rate reported
    /// late does not change the order. A source without a rate uses that of the others.
    pub fn new(clocks: &[Clock]) -> Scales {
        let mut known = clocks.iter().copied().filter(Clock::known);
        let Some(first) = known.next() else { return Scales::default() };
        if clocks.iter().all(|c| !c.known() || c.runs_like(&first)) {
            return Scales::default();
        }
        Scales(clocks.iter().map(|&c| if c.known() { c } else { first }).collect())
    }

    /// Whether times are in ticks of the sources, not in a common unit.
    pub fn are_plain(&self) -> bool {
        self.0.is_empty()
    }

    /// Sort key of a source's sort time.
    pub fn key(&self, source: usize, stamp: SortTime) -> SortKey {
        let time = |ticks| self.0.get(source).map_or_else(|| i128::from(ticks), |clock| clock.position(ticks));
        (stamp.epoch, stamp.ticks.map(time))
    }

    /// A source's time in the common unit; `None` if negative or too large.
    pub fn time(&self, source: usize, epoch: u32, ticks: u64) -> Option<u64> {
        if self.are_plain() {
            return Some(ticks);
        }
        let (_, time) = self.key(source, SortTime { epoch, ticks: Some(ticks) });
        u64::try_from(time?).ok()
    }
}

/// Sort time of a row. Sort times of different sources are comparable once their ticks have the same scale.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortTime {
    /// Epoch of the target, from 0; shared by all its sources.
    pub epoch: u32,
    /// Highest ticks so far in the epoch; `None` before the first time.
    pub ticks: Option<u64>,
}

/// Assigns sort times to the rows of one source, in order.
#[derive(Debug, Clone, Default)]
pub struct SortTimes {
    by_core: bool,
    epochs: Epochs,
    /// Highest ticks by core; one entry if the whole source is in time order.
    highest: BTreeMap<u16, u64>,
    last: SortTime,
}

impl SortTimes {
    /// The decoder declares whether rows are in time order by source or by core.
    pub fn new(info: &Info) -> SortTimes {
        SortTimes { by_core: info.order == Order::WITHIN_CORE, ..SortTimes::default() }
    }

    /// Sort time of the next row. A row without a time gets its predecessor's.
    pub fn of(&mut self, row: &Row) -> SortTime {
        self.pass(row);
        let of_all = self.by_core && row.core == NONE;
        if row.has_time() && !of_all {
            self.last.ticks = Some(self.highest(if self.by_core { row.core } else { 0 }, row.time));
        }
        self.last
    }

    /// Passes a row that needs no sort time, but may start an epoch.
    pub fn pass(&mut self, row: &Row) {
        if self.epochs.step(row) {
            self.highest.clear();
            self.last = SortTime { epoch: self.epochs.epoch, ticks: None };
        }
    }

    fn highest(&mut self, core: u16, ticks: u64) -> u64 {
        let highest = self.highest.entry(core).or_default();
        *highest = ticks.max(*highest);
        *highest
    }
}

/// What a total of dropped records says in the order of all sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DropInOrder {
    news: DropNews,
    /// The previous total.
    before: u64,
    /// The previous time.
    since: u64,
}

impl DropInOrder {
    /// Processes the next row of all sources; returns what its total says, if it has one.
    fn of(tracker: &mut DropTracker, row: &Row, total: Option<u64>) -> Option<DropInOrder> {
        let reported = total.map(|total| {
            let (before, since) = (tracker.total, tracker.time_before(row));
            DropInOrder { news: tracker.take(row, total), before, since }
        });
        tracker.follow(row);
        reported
    }

    pub fn lost(&self) -> u64 {
        self.news.lost()
    }

    /// Whether a row of this kind, which precedes its record in the source, is kept in the order of all sources.
    pub fn keeps(&self, kind: RowKind) -> bool {
        match kind {
            RowKind::DROP => self.lost() > 0,
            RowKind::RESET => matches!(self.news, DropNews::Reset(_)),
            RowKind::RESTART => self.news == DropNews::Fell,
            _ => true,
        }
    }

    /// Flags of the record with the total. `drop_row` = the source has a drop row for it.
    pub fn flags(&self, drop_row: bool) -> RowFlags {
        if self.lost() > 0 && !drop_row { RowFlags::empty() } else { self.news.flags() }
    }

    /// Whether an activity of the record applies in the order of all sources.
    pub fn keeps_activity(&self, verb: Verb) -> bool {
        match verb {
            Verb::LOST => self.lost() > 0,
            Verb::RESET => matches!(self.news, DropNews::Reset(_)),
            _ => true,
        }
    }

    /// Corrects an attachment of a row that precedes its record, for the order of all sources.
    pub fn corrected(&self, attachment: Attachment) -> Attachment {
        let a = match attachment.id {
            AttachmentId::LOST => self.lost(),
            AttachmentId::SPAN => self.since,
            AttachmentId::TOTAL_FELL => self.before,
            _ => attachment.a,
        };
        Attachment { a, ..attachment }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spytui_plugin_api::{ClockEvent, RowFlags, batch::ClockFlags};

    use super::*;

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
        /// For sources in order, merging equals a stable sort.
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

    fn clock(num: u64, den: u64, flags: u16, zero: i64) -> Clock {
        let flags = ClockFlags::from_bits_retain(flags);
        Clock::new(&ClockEvent { num, den, flags, zero, ..ClockEvent::default() })
    }

    #[test]
    fn ticks_compare_while_clocks_run_alike() {
        let unknown = Clock::default();
        assert_eq!(Scales::new(&[unknown, unknown]), Scales::default());
        assert_eq!(Scales::new(&[clock(25, 1, 0, 0), unknown, clock(50, 2, 0, 0)]), Scales::default());
        let scales = Scales::new(&[clock(10, 1, 0, 0), clock(25, 1, 0, 0), unknown]);
        let key = |source| scales.key(source, SortTime { epoch: 0, ticks: Some(100) }).1;
        assert_eq!([key(0), key(1), key(2)], [Some(1000), Some(2500), Some(1000)]);
    }

    #[test]
    fn a_clock_of_its_own_counts_from_its_own_zero() {
        let scales = Scales::new(&[clock(1, 1, 3, 1_000_000), clock(1, 1, 3, -5)]);
        let key = |source, ticks| scales.key(source, SortTime { epoch: 0, ticks: Some(ticks) }).1;
        assert_eq!((key(0, 7), key(1, 7)), (Some(1_000_007), Some(2)));
    }

    fn stamps(order: Order, rows: &[(u16, RowFlags, u64)]) -> Vec<(u32, Option<u64>)> {
        let mut stamps = SortTimes::new(&Info { order, ..Info::default() });
        let rows = rows.iter().map(|&(core, flags, time)| Row { core, flags, time, ..Row::default() });
        rows.map(|row| stamps.of(&row)).map(|s| (s.epoch, s.ticks)).collect()
    }

    const NONE: RowFlags = RowFlags::empty();

    const KNOWN: RowFlags = RowFlags::TIME_INHERITED;

    #[test]
    fn time_never_goes_back() {
        let rows = [(0, NONE, 0), (0, KNOWN, 5), (1, KNOWN, 3), (0, NONE, 0), (0, KNOWN, 9)];
        assert_eq!(
            stamps(Order::WITHIN_STREAM, &rows),
            [(0, None), (0, Some(5)), (0, Some(5)), (0, Some(5)), (0, Some(9))]
        );
    }

    #[test]
    fn lanes_have_times_of_their_own_where_the_decoder_says_so() {
        let rows = [(0, KNOWN, 5), (1, KNOWN, 3), (u16::MAX, KNOWN, 99), (0, KNOWN, 4), (1, KNOWN, 6)];
        assert_eq!(
            stamps(Order::WITHIN_CORE, &rows),
            [(0, Some(5)), (0, Some(3)), (0, Some(3)), (0, Some(5)), (0, Some(6))]
        );
    }

    #[test]
    fn a_reset_begins_again_unless_it_is_the_first_thing() {
        let reset = KNOWN | RowFlags::EPOCH;
        let rows = [(0, RowFlags::EPOCH, 0), (0, KNOWN, 500), (0, RowFlags::EPOCH, 0), (0, KNOWN, 7), (0, reset, 2)];
        assert_eq!(
            stamps(Order::WITHIN_STREAM, &rows),
            [(0, None), (0, Some(500)), (1, None), (1, Some(7)), (2, Some(2))]
        );
    }

    #[test]
    fn what_another_source_reported_is_no_news() {
        let info = Info { drop_totals: DropTotals::PER_TARGET, ..Info::default() };
        assert!(!Merge::new(&info, vec![0]).orders_drops() && Merge::new(&info, vec![0, 1]).orders_drops());
        let of_source = Info { drop_totals: DropTotals::PER_SOURCE, ..info };
        assert!(!Merge::new(&of_source, vec![0, 1]).orders_drops());
        let mut drops = DropTracker::default();
        let mut reported = |time, core, total| {
            let row = Row { time, core, flags: RowFlags::TIME_OWN, ..Row::default() };
            let total = Attachment { at: 0, id: AttachmentId::DROP_TOTAL, is_bytes: false, a: total, b: 0 };
            let reported = DropInOrder::of(&mut drops, &row, Some(total.a)).expect("a total");
            let span = reported.corrected(Attachment { id: AttachmentId::SPAN, ..total });
            (reported.lost(), reported.keeps(RowKind::DROP), span.a)
        };
        let rows = [reported(10, 0, 4), reported(20, 1, 5), reported(30, 0, 6), reported(40, 1, 6)];
        assert_eq!(rows, [(4, true, 0), (1, true, 10), (1, true, 20), (0, false, 30)]);
    }
}
