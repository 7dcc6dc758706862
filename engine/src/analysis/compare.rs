//! Two runs side by side: records that say the same (kind, object, signal) are aligned in order; what is only in one run,
//! in another order, or at other times is a difference, unless records are missing there.
//!
//! Memory is bounded: both runs are read together, in windows.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// Where two runs may continue alike, in records.
const WINDOWS: [usize; 3] = [64, 512, 4096];
/// They do where this many records are alike.
const RUN: usize = 4;
/// Differences, losses and times that are kept.
pub const LISTED: usize = 50;
/// Records shown around the first difference, and the most of a difference.
pub const AROUND: usize = 3;
pub const SHOWN: usize = 8;
/// Labels that are counted.
const LABELS: usize = 100_000;
/// What the ends of both runs have in common.
const END: u64 = 0;

/// A record, as far as it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// Stands for kind, object and signal.
    pub label: u64,
    /// Its number in its run.
    pub n: u64,
    /// In ns, or in ticks of a clock with an unknown rate.
    pub time: Option<u64>,
    /// Records may be missing before it; the number, 0 if unknown.
    pub missing: Option<u64>,
}

impl Compared {
    /// The end of a run after `n` records.
    pub fn end(n: u64, missing: Option<u64>) -> Compared {
        Compared { label: END, n: n + 1, time: None, missing }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    OnlyIn(usize),
    Order,
    Other,
}

/// A place where the runs differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub sort: Sort,
    /// Number of the first record there, in each run.
    pub at: [u64; 2],
    /// Number of records there that the other run does not have there.
    pub count: [usize; 2],
    /// The first of these.
    pub records: [Vec<Compared>; 2],
    /// Records are missing there, so it may be more or less.
    pub is_unsure: bool,
}

/// A place where records are missing in a run: what they said is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    pub run: usize,
    pub at: [u64; 2],
    /// 0 if unknown.
    pub count: u64,
    /// Records that the other run has there.
    pub other: usize,
}

/// A record that followed the one before it much sooner or later than in the other run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shift {
    pub label: u64,
    pub at: [u64; 2],
    pub gaps: [u64; 2],
}

impl Shift {
    pub fn change(&self) -> u64 {
        self.gaps[0].abs_diff(self.gaps[1])
    }
}

/// What was found; lists are cut, counts are not.
#[derive(Debug, Default)]
pub struct Comparison {
    pub records: [u64; 2],
    /// Records alike, in order.
    pub same: u64,
    pub differences: Vec<Difference>,
    pub different: u64,
    pub missing: Vec<Missing>,
    pub losses: u64,
    /// Greatest changes first.
    pub shifts: Vec<Shift>,
    pub shifted: u64,
    /// Number of records of each label in each run.
    pub counts: FxHashMap<u64, [u64; 2]>,
    /// Alike before and after the first difference, in both runs.
    pub before: Vec<[Compared; 2]>,
    pub after: Vec<[Compared; 2]>,
}

impl Comparison {
    pub fn is_same(&self) -> bool {
        self.different == 0 && self.shifted == 0
    }
}

/// Compares two runs, each ended by [`Compared::end`]. A shift is at least `slack`, and a factor of 2.
pub fn compare<I: Iterator<Item = Compared>>(runs: [I; 2], slack: Option<u64>) -> Comparison {
    let windows = runs.map(|input| Window { input, records: VecDeque::new() });
    let mut runs = Runs { windows, found: Comparison::default(), last: None, slack };
    while let [Some(a), Some(b)] = runs.windows.each_mut().map(Window::first) {
        // Behind a loss in one run, like records may be others of a period.
        let is_behind_loss = a.missing.is_some() != b.missing.is_some();
        if a.label == b.label && !is_behind_loss { runs.alike([a, b]) } else { runs.differ() }
    }
    let mut found = runs.found;
    found.shifts.sort_by_key(|shift| std::cmp::Reverse(shift.change()));
    found
}

struct Window<I> {
    input: I,
    records: VecDeque<Compared>,
}

impl<I: Iterator<Item = Compared>> Window<I> {
    fn first(&mut self) -> Option<Compared> {
        self.fill(1).first().copied()
    }

    fn fill(&mut self, len: usize) -> &[Compared] {
        let more = len.saturating_sub(self.records.len());
        self.records.extend(self.input.by_ref().take(more));
        self.records.make_contiguous()
    }

    /// Takes the records before one, which keeps its place; also returns what is missing up to that one.
    fn take(&mut self, len: usize) -> (Vec<Compared>, Option<u64>) {
        let taken: Vec<Compared> = self.records.drain(..len).collect();
        let next = self.records.front_mut().and_then(|next| next.missing.take());
        let missing = taken.iter().filter_map(|record| record.missing).chain(next).reduce(|a, b| a + b);
        (taken, missing)
    }
}

struct Runs<I> {
    windows: [Window<I>; 2],
    found: Comparison,
    /// Times of the records alike just before.
    last: Option<[u64; 2]>,
    slack: Option<u64>,
}

impl<I: Iterator<Item = Compared>> Runs<I> {
    fn alike(&mut self, [a, b]: [Compared; 2]) {
        let found = &mut self.found;
        let at = [a.n, b.n];
        for (run, record) in [a, b].into_iter().enumerate() {
            if let Some(count) = record.missing {
                found.add_missing(Missing { run, at, count, other: 0 });
                self.last = None;
            }
        }
        let now = a.time.zip(b.time).map(|(a, b)| [a, b]);
        let gap = |run: usize| now?[run].checked_sub(self.last?[run]);
        if let (Some(slack), Some(first), Some(second)) = (self.slack, gap(0), gap(1)) {
            let shift = Shift { label: a.label, at, gaps: [first, second] };
            if shift.change() >= slack && first.max(second) / 2 >= first.min(second) {
                found.add_shift(shift);
            }
        }
        self.last = now.or(self.last);
        if a.label != END {
            found.same += 1;
            found.count(0, a);
            found.count(1, b);
            if found.different == 0 {
                found.before.push([a, b]);
                let old = found.before.len().saturating_sub(AROUND);
                found.before.drain(..old);
            } else if found.different == 1 && found.after.len() < AROUND {
                found.after.push([a, b]);
            }
        }
        self.windows.iter_mut().for_each(|window| _ = window.records.pop_front());
    }

    /// Takes what differs, up to where both continue alike.
    fn differ(&mut self) {
        let both = self.lost().or_else(|| {
            WINDOWS.iter().find_map(|&len| {
                let [a, b] = self.windows.each_mut().map(|window| window.fill(len));
                let is_alike = a.first().map(|a| a.label) == b.first().map(|b| b.label);
                if is_alike { Some((0, 0)) } else { continues(a, b) }
            })
        });
        let [a, b] = &mut self.windows;
        let at = [a.first(), b.first()].map(|first| first.map_or(0, |record| record.n));
        let all = |records: &VecDeque<Compared>| records.len() - usize::from(records.back().is_some_and(is_end));
        let (i, j) = both.unwrap_or((all(&a.records), all(&b.records)));
        let ((only_a, missing_a), (only_b, missing_b)) = (a.take(i), b.take(j));
        self.last = None;
        let (only, missing) = ([only_a, only_b], [missing_a, missing_b]);
        for run in 0..2 {
            only[run].iter().for_each(|record| self.found.count(run, *record));
            if let Some(count) = missing[run] {
                self.found.add_missing(Missing { run, at, count, other: only[1 - run].len() });
            }
        }
        if !is_explained(&only, missing) {
            self.found.add(&only, at, missing != [None, None]);
        }
    }

    /// Where both continue alike, if one has as many records as the other lost.
    fn lost(&mut self) -> Option<(usize, usize)> {
        let missing = self.windows.each_mut().map(|window| window.first().and_then(|first| first.missing));
        let most = missing.into_iter().flatten().max()?;
        let len = usize::try_from(most).unwrap_or(usize::MAX).min(WINDOWS[2]) + RUN;
        let [a, b] = self.windows.each_mut().map(|window| window.fill(len));
        lacks(b, a).map(|i| (i, 0)).or_else(|| lacks(a, b).map(|j| (0, j)))
    }
}

fn is_end(record: &Compared) -> bool {
    record.label == END
}

/// Whether all that a run has there may be among what is missing in the other.
fn is_explained(only: &[Vec<Compared>; 2], missing: [Option<u64>; 2]) -> bool {
    (0..2).all(|run| {
        let has = only[run].len() as u64;
        has == 0 || missing[1 - run].is_some_and(|count| count == 0 || has <= count)
    })
}

/// How many records the other run has in place of those that are missing at the start of one, if both continue alike
/// after them, up to where more are missing.
fn lacks(run: &[Compared], other: &[Compared]) -> Option<usize> {
    let missing = usize::try_from(run.first()?.missing?).ok()?.min(other.len());
    let known = run.iter().skip(1).take(RUN - 1).take_while(|record| record.missing.is_none()).count() + 1;
    let is_alike = |skipped: &usize| {
        let rest = &other[*skipped..];
        rest.len() >= known && rest.iter().zip(&run[..known]).all(|(a, b)| a.label == b.label)
    };
    (1..=missing).rev().find(is_alike)
}

/// The nearest place where both continue alike, by their distances from the start.
fn continues(a: &[Compared], b: &[Compared]) -> Option<(usize, usize)> {
    let mut places: FxHashMap<[u64; RUN], usize> = FxHashMap::default();
    for j in (0..b.len()).rev() {
        run_at(b, j).map(|run| places.insert(run, j));
    }
    let mut best: Option<(usize, usize)> = None;
    for i in 0..a.len() {
        if best.is_some_and(|(i_best, j_best)| i > i_best + j_best) {
            break;
        }
        let found = run_at(a, i).and_then(|run| places.get(&run));
        if let Some(&j) = found.filter(|j| best.is_none_or(|(i_best, j_best)| i + **j < i_best + j_best)) {
            best = Some((i, j));
        }
    }
    best
}

/// The labels from a place on, up to the end of the run.
fn run_at(records: &[Compared], at: usize) -> Option<[u64; RUN]> {
    let rest = records.get(at..)?;
    let is_whole = rest.len() >= RUN || rest.last().is_some_and(is_end);
    let mut run = [END; RUN];
    run.iter_mut().zip(rest).for_each(|(label, record)| *label = record.label);
    is_whole.then_some(run)
}

impl Comparison {
    fn count(&mut self, run: usize, record: Compared) {
        self.records[run] += 1;
        if self.counts.len() < LABELS || self.counts.contains_key(&record.label) {
            self.counts.entry(record.label).or_default()[run] += 1;
        }
    }

    fn add_missing(&mut self, missing: Missing) {
        self.losses += 1;
        if self.missing.len() < LISTED {
            self.missing.push(missing);
        }
    }

    fn add_shift(&mut self, shift: Shift) {
        self.shifted += 1;
        self.shifts.push(shift);
        if self.shifts.len() >= 2 * LISTED {
            self.shifts.sort_by_key(|shift| std::cmp::Reverse(shift.change()));
            self.shifts.truncate(LISTED);
        }
    }

    fn add(&mut self, only: &[Vec<Compared>; 2], at: [u64; 2], is_unsure: bool) {
        self.different += 1;
        if self.differences.len() >= LISTED {
            return;
        }
        let sorted = |run: usize| {
            let mut labels: Vec<u64> = only[run].iter().map(|record| record.label).collect();
            labels.sort_unstable();
            labels
        };
        let sort = match (only[0].is_empty(), only[1].is_empty()) {
            (false, true) => Sort::OnlyIn(0),
            (true, false) => Sort::OnlyIn(1),
            _ if sorted(0) == sorted(1) => Sort::Order,
            _ => Sort::Other,
        };
        let records = [0, 1].map(|run: usize| only[run].iter().take(SHOWN).copied().collect());
        let count = [only[0].len(), only[1].len()];
        self.differences.push(Difference { sort, at, count, records, is_unsure });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A run of records every 10 units; `None` = records are missing there.
    fn run(labels: &[u64]) -> Vec<Compared> {
        let record = |(at, label): (usize, &u64)| Compared {
            label: *label,
            n: at as u64 + 1,
            time: Some(at as u64 * 10),
            missing: None,
        };
        let end = Compared::end(labels.len() as u64, None);
        labels.iter().enumerate().map(record).chain([end]).collect()
    }

    fn found(a: &[Compared], b: &[Compared]) -> Comparison {
        compare([a, b].map(|run| run.iter().copied()), Some(1000))
    }

    /// A loop of a firmware: twelve records, over and over.
    fn periods(count: usize) -> Vec<u64> {
        (0..count).map(|at| at as u64 % 12 + 1).collect()
    }

    #[test]
    fn a_run_is_like_itself() {
        let one = run(&periods(10_000));
        let found = found(&one, &one);
        assert!(found.is_same());
        assert_eq!((found.same, found.losses, found.records), (10_000, 0, [10_000; 2]));
    }

    #[test]
    fn a_record_removed_added_changed_or_swapped_is_the_one_named() {
        let whole = periods(5_000);
        let changed = |change: &dyn Fn(&mut Vec<u64>)| {
            let mut labels = whole.clone();
            change(&mut labels);
            let found = found(&run(&whole), &run(&labels));
            assert_eq!(found.different, 1);
            assert_eq!(found.before.len(), AROUND);
            let Difference { sort, at, count, .. } = found.differences[0].clone();
            (sort, at, count)
        };
        assert_eq!(changed(&|labels| _ = labels.remove(700)), (Sort::OnlyIn(0), [701, 701], [1, 0]));
        assert_eq!(changed(&|labels| labels.insert(700, 99)), (Sort::OnlyIn(1), [701, 701], [0, 1]));
        assert_eq!(changed(&|labels| labels[700] = 99), (Sort::Other, [701, 701], [1, 1]));
        assert_eq!(changed(&|labels| labels.swap(700, 701)), (Sort::Order, [701, 701], [2, 2]));
        assert_eq!(changed(&|labels| labels.truncate(4_000)), (Sort::OnlyIn(0), [4_001, 4_001], [1_000, 0]));
    }

    #[test]
    fn a_record_that_came_later_is_named() {
        let one = run(&periods(100));
        let mut other = one.clone();
        other[50..].iter_mut().for_each(|record| record.time = record.time.map(|time| time + 5_000));
        let found = found(&one, &other);
        assert_eq!((found.different, found.shifted), (0, 1));
        assert_eq!((found.shifts[0].at, found.shifts[0].gaps), ([51, 51], [10, 5_010]));
    }

    #[test]
    fn what_may_be_among_missing_records_is_no_difference() {
        let whole = run(&periods(100));
        let mut cut = whole.clone();
        cut.drain(40..45);
        cut[40].missing = Some(5);
        let one = found(&whole, &cut);
        assert!(one.is_same());
        assert_eq!(one.missing, [Missing { run: 1, at: [41, 46], count: 5, other: 5 }]);
        // The record behind the loss is like the first of those lost.
        let mut stutters = run(&[1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9]);
        let all = stutters.clone();
        stutters.drain(2..4);
        stutters[2].missing = Some(2);
        let one = found(&all, &stutters);
        assert!(one.is_same());
        assert_eq!(one.missing, [Missing { run: 1, at: [3, 5], count: 2, other: 2 }]);
        // Two close together.
        let mut twice = whole.clone();
        twice.remove(43);
        twice[43].missing = Some(1);
        twice.remove(40);
        twice[40].missing = Some(1);
        let one = found(&whole, &twice);
        assert_eq!((one.different, one.losses), (0, 2));
        // Fewer are missing than the other run has.
        cut[40].missing = Some(4);
        let one = found(&whole, &cut);
        assert_eq!((one.different, one.differences[0].is_unsure), (1, true));
    }

    #[test]
    fn runs_that_have_nothing_in_common_are_read_once() {
        let (one, other) = (run(&periods(60_000)), run(&vec![77; 50_000]));
        let found = found(&one, &other);
        assert_eq!((found.same, found.records), (0, [60_000, 50_000]));
        assert!(found.different < 20);
    }

    proptest! {
        #[test]
        fn every_record_is_counted_and_no_order_is_invented(
            a in prop::collection::vec(1u64..5, 0..300),
            b in prop::collection::vec(1u64..5, 0..300),
        ) {
            let found = found(&run(&a), &run(&b));
            prop_assert_eq!(found.records, [a.len() as u64, b.len() as u64]);
            prop_assert_eq!(found.different == 0, a == b);
        }
    }
}
