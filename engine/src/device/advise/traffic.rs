//! What came of a source over the last seconds, and what was lost meanwhile.

use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use spytui_plugin_api::{Info, RowKind};

use crate::{
    store::Counters,
    trace::session::{Decoding, KindSums},
};

/// Sampling interval.
const EVERY: Duration = Duration::from_secs(1);
/// A target that starts reports its names first, once.
const STARTS: Duration = Duration::from_secs(2);
/// Intervals that are kept. Traces come in bursts, which a target's buffer evens out.
const KEPT: usize = 40;
/// Intervals of a burst.
const BURST: usize = 10;

/// Intervals that are too few to measure.
const SHORT: usize = 4;

/// Records and bytes of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindCount {
    pub kind: RowKind,
    pub records: u64,
    pub bytes: u64,
}

/// What came in a time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// The time.
    pub span: Duration,
    /// The kinds of which records came, in order.
    pub kinds: Vec<KindCount>,
    /// Records that the target made, but that did not come.
    pub lost: u64,
    /// Damaged frames: what the line did to what the target sent.
    pub damaged: u64,
    /// What came, since the target started, while nothing was lost: what a target makes consists of. A full buffer takes
    /// short records rather than long ones, and the first ones of a burst.
    pub clean: Vec<KindCount>,
    /// Bytes a second when most came.
    pub busiest: u64,
    /// Bytes a second that the link carried when it lost records, ever since it was opened; 0 = it has lost none.
    pub measured: u64,
}

impl Window {
    /// Records that came.
    pub fn records(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.records).sum()
    }

    /// Bytes that came.
    pub fn bytes(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.bytes).sum()
    }

    /// An amount of the whole time as one of a second.
    pub fn per_second(&self, amount: u64) -> u64 {
        let rate = u128::from(amount) * 1000 / self.span.as_millis().max(1);
        u64::try_from(rate).unwrap_or(u64::MAX)
    }
}

/// Sums at a time.
#[derive(Debug)]
struct Sample {
    at: Instant,
    kinds: KindSums,
    /// Bytes received, whatever was made of them.
    received: u64,
    /// Records lost.
    lost: u64,
    /// Damaged frames.
    damaged: u64,
    /// Losses of any kind.
    losses: u64,
}

/// Samples what comes of a source.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Whose rows are counted: another decoding counts from 0.
    of: Weak<Decoding>,
    since: Option<Instant>,
    samples: VecDeque<Sample>,
    /// So many of them, the first ones, are from before what advice is about: the target started, or its filter changed.
    before: usize,
    clean: KindSums,
    /// What the link carried while records were lost.
    measured: u64,
}

impl Traffic {
    /// Samples the sums, if it is time to; whether it was.
    pub fn sample(&mut self, now: Instant, decoding: &Arc<Decoding>) -> bool {
        let of = Arc::downgrade(decoding);
        if !self.of.ptr_eq(&of) {
            *self = Traffic { of, ..Traffic::default() };
        }
        let since = *self.since.get_or_insert(now);
        if self.samples.back().is_some_and(|last| now.duration_since(last.at) < EVERY) {
            return false;
        }
        self.add(Sample::of(now, decoding));
        if now.duration_since(since) < STARTS {
            self.restart();
        }
        let last = self.last(BURST);
        if last.lost > 0 && last.span >= EVERY * SHORT as u32 {
            self.measured = self.measured.max(self.complete(last).busiest);
        }
        true
    }

    /// What came until now says nothing of what comes: the target's filter is another one.
    pub fn restart(&mut self) {
        self.before = self.samples.len();
    }

    /// Records and bytes a second of each kind that came in the last 4 s.
    pub fn rates(&self) -> KindSums {
        let newest = self.samples.len().saturating_sub(1);
        let window = self.part(newest.saturating_sub(SHORT), newest).unwrap_or_default();
        let rate = |count: &KindCount| (count.kind, (window.per_second(count.records), window.per_second(count.bytes)));
        window.kinds.iter().map(rate).collect()
    }

    /// What came over the last seconds; at most 40.
    pub fn window(&self, seconds: usize) -> Window {
        self.complete(self.last(seconds))
    }

    /// What came over the last 40 s. If records were lost in them, the 10 s of them in which the target made most.
    pub fn busiest(&self) -> Window {
        let whole = self.last(KEPT);
        if whole.lost == 0 {
            return self.complete(whole);
        }
        let parts = (self.before..self.samples.len()).filter_map(|at| self.part(at, at + BURST));
        // Where losses have just begun, what came before them says nothing.
        let losing =
            (self.before + 1..self.samples.len()).find(|at| self.samples[*at].lost > self.samples[*at - 1].lost);
        let newest = self.samples.len().saturating_sub(1);
        let begun =
            losing.and_then(|at| self.part((at - 1).min(newest.saturating_sub(SHORT)).max(self.before), newest));
        let begun = begun.filter(|part| part.span < EVERY * BURST as u32);
        let most = parts.chain(begun).max_by_key(|part| part.per_second(part.records() + part.lost));
        self.complete(most.unwrap_or(whole))
    }

    fn last(&self, seconds: usize) -> Window {
        let newest = self.samples.len().saturating_sub(1);
        self.part(newest.saturating_sub(seconds).max(self.before), newest).unwrap_or_default()
    }

    /// What came between two samples.
    fn part(&self, first: usize, last: usize) -> Option<Window> {
        Some(between(self.samples.get(first)?, self.samples.get(last)?))
    }

    fn complete(&self, window: Window) -> Window {
        let span = BURST.min(self.samples.len().saturating_sub(self.before + 1));
        let own = || self.samples.iter().skip(self.before);
        let ends = own().zip(own().skip(span));
        let rate = |(first, last): (&Sample, &Sample)| {
            let window = Window { span: last.at.saturating_duration_since(first.at), ..Window::default() };
            window.per_second(last.received.saturating_sub(first.received))
        };
        let busiest = ends.map(rate).max().unwrap_or(0);
        Window { busiest, clean: counts(&self.clean), measured: self.measured, ..window }
    }

    fn add(&mut self, sample: Sample) {
        let before = self.samples.back().filter(|_| self.samples.len() > self.before);
        if let Some(before) = before.filter(|before| before.losses == sample.losses) {
            for count in between(before, &sample).kinds {
                let sum = self.clean.entry(count.kind).or_default();
                *sum = (sum.0 + count.records, sum.1 + count.bytes);
            }
        }
        self.samples.push_back(sample);
        if self.samples.len() > KEPT + 1 {
            self.samples.pop_front();
            self.before = self.before.saturating_sub(1);
        }
    }
}

fn counts(sums: &KindSums) -> Vec<KindCount> {
    sums.iter().map(|(kind, (records, bytes))| KindCount { kind: *kind, records: *records, bytes: *bytes }).collect()
}

impl Sample {
    fn of(at: Instant, decoding: &Decoding) -> Sample {
        let state = decoding.read();
        let (counters, rows) = (&state.counters, &state.counters.rows);
        let lost = records_not_sent(&decoding.decoder.info, counters);
        let (kinds, received) = (state.kind_sums(), decoding.log.len());
        let damaged = counters.bad();
        Sample { at, kinds, received, lost, damaged, losses: lost + rows.lost + rows.gaps + damaged }
    }
}

fn between(first: &Sample, last: &Sample) -> Window {
    let kinds = last.kinds.iter().filter_map(|(kind, (records, bytes))| {
        let before = first.kinds.get(kind).copied().unwrap_or_default();
        let (records, bytes) = (records.saturating_sub(before.0), bytes.saturating_sub(before.1));
        (records > 0).then_some(KindCount { kind: *kind, records, bytes })
    });
    Window {
        span: last.at.saturating_duration_since(first.at),
        kinds: kinds.collect(),
        lost: last.lost.saturating_sub(first.lost),
        damaged: last.damaged.saturating_sub(first.damaged),
        ..Window::default()
    }
}

/// Records that were made but did not come, as far as the protocol says; those that came damaged aside.
pub fn records_not_sent(info: &Info, counters: &Counters) -> u64 {
    let drops = info.counters.iter().filter(|counter| counter.counts_drops && counter.unit == EVENTS);
    let of_target: u64 =
        drops.filter_map(|counter| counters.own().iter().find(|own| own.0 == counter.id)).map(|own| own.1).sum();
    // Losses in a unit of its own, as buffers, are reported in records too, or not at all.
    let are_records = matches!(info.loss_unit.as_str(), "" | "event");
    let in_gaps = if are_records { counters.rows.lost } else { 0 };
    // The same records in other ways: what the target counts is missing in gaps, too, where records have numbers.
    counters.rows.dropped.max(of_target).max(in_gaps.saturating_sub(counters.bad()))
}

/// Unit of counters that count records.
const EVENTS: &str = "events";

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(start: Instant, s: u64, kinds: &[(u16, u64, u64)], lost: u64) -> Sample {
        let received = kinds.iter().map(|kind| kind.2).sum();
        let kinds = kinds.iter().map(|&(kind, records, bytes)| (RowKind(kind), (records, bytes))).collect();
        Sample { at: start + Duration::from_secs(s), kinds, received, lost, damaged: 0, losses: lost }
    }

    fn count(kind: u16, records: u64, bytes: u64) -> KindCount {
        KindCount { kind: RowKind(kind), records, bytes }
    }

    #[test]
    fn what_came_is_the_difference() {
        let (start, mut traffic) = (Instant::now(), Traffic::default());
        assert_eq!(traffic.busiest(), Window::default());
        traffic.add(sample(start, 0, &[(1, 1000, 9000)], 7));
        traffic.add(sample(start, 2, &[(1, 1010, 9100), (2, 10, 300)], 27));
        let window = traffic.window(20);
        assert_eq!((window.span, window.lost, window.busiest), (Duration::from_secs(2), 20, 200));
        assert_eq!(window.kinds, [count(1, 10, 100), count(2, 10, 300)]);
        assert_eq!(window.clean, []);
        traffic.add(sample(start, 3, &[(1, 1010, 9100), (2, 11, 330)], 27));
        assert_eq!(traffic.window(1).clean, [count(2, 1, 30)]);
    }

    #[test]
    fn with_losses_the_part_counts_in_which_most_was_made() {
        let (start, mut traffic) = (Instant::now(), Traffic::default());
        let (mut records, mut lost) = (0, 0);
        for s in 0..40 {
            records += 10;
            lost += if (25..29).contains(&s) { 50 } else { 0 };
            traffic.add(sample(start, s, &[(1, records, records * 10)], lost));
        }
        assert_eq!((traffic.window(20).span, traffic.window(20).lost), (Duration::from_secs(20), 200));
        assert_eq!(traffic.window(4).lost, 0);
        let busiest = traffic.busiest();
        assert_eq!((busiest.span, busiest.lost, busiest.busiest), (Duration::from_secs(10), 200, 100));
        assert_eq!(busiest.clean, [count(1, 350, 3500)]);
    }
}
