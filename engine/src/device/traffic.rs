//! Samples the traffic of a source: which kinds of records came in the last seconds, and what was lost.

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

const EVERY: Duration = Duration::from_secs(1);
/// A starting target reports its names first, once.
const STARTS: Duration = Duration::from_secs(2);
/// Intervals kept. Traces come in bursts, which a target's buffer evens out.
const KEPT: usize = 40;
const BURST: usize = 10;

/// Minimum number of intervals to measure.
const SHORT: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindCount {
    pub kind: RowKind,
    pub records: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    pub span: Duration,
    /// Sorted by kind.
    pub kinds: Vec<KindCount>,
    /// Records produced by the target but not received.
    pub lost: u64,
    /// Frames damaged by the line.
    pub damaged: u64,
    /// Traffic since the target started while nothing was lost. It shows the true mix of kinds, because a full buffer
    /// favours short records and the first ones of a burst.
    pub clean: Vec<KindCount>,
    /// Highest rate, bytes per second.
    pub busiest: u64,
    /// Bytes per second carried while the link lost records, since it was opened; 0 = no losses.
    pub measured: u64,
}

impl Window {
    pub fn records(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.records).sum()
    }

    pub fn bytes(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.bytes).sum()
    }

    pub fn per_second(&self, amount: u64) -> u64 {
        let rate = u128::from(amount) * 1000 / self.span.as_millis().max(1);
        u64::try_from(rate).unwrap_or(u64::MAX)
    }
}

#[derive(Debug)]
struct Sample {
    at: Instant,
    kinds: KindSums,
    /// Bytes received, decoded or not.
    received: u64,
    lost: u64,
    damaged: u64,
    /// Losses of any kind.
    losses: u64,
}

#[derive(Debug, Default)]
pub struct Traffic {
    /// The decoding whose rows are counted; another one counts from 0.
    of: Weak<Decoding>,
    since: Option<Instant>,
    samples: VecDeque<Sample>,
    /// Number of samples from before the target started or its filter changed, which advice ignores.
    before: usize,
    clean: KindSums,
    /// Bytes per second carried while records were lost.
    measured: u64,
}

impl Traffic {
    /// Samples the sums if due; returns whether it did.
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

    /// Discards the traffic so far, because the target's filter changed.
    pub fn restart(&mut self) {
        self.before = self.samples.len();
    }

    /// Records and bytes per second of each kind over the last 4 s.
    pub fn rates(&self) -> KindSums {
        let newest = self.samples.len().saturating_sub(1);
        let window = self.part(newest.saturating_sub(SHORT), newest).unwrap_or_default();
        let rate = |count: &KindCount| (count.kind, (window.per_second(count.records), window.per_second(count.bytes)));
        window.kinds.iter().map(rate).collect()
    }

    /// Traffic of the last 40 s. If records were lost, of those 10 s in which the target produced most.
    pub fn busiest(&self) -> Window {
        let whole = self.last(KEPT);
        if whole.lost == 0 {
            return self.complete(whole);
        }
        let parts = (self.before..self.samples.len()).filter_map(|at| self.part(at, at + BURST));
        // If losses have just begun, earlier traffic is no guide.
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

/// Records produced but not received, as far as the protocol reports them; excludes damaged ones.
pub fn records_not_sent(info: &Info, counters: &Counters) -> u64 {
    let drops = info.counters.iter().filter(|counter| counter.counts_drops && counter.unit == "events");
    let of_target: u64 = drops.filter_map(|counter| counters.own.get(&counter.id)).sum();
    // Losses in other units, such as buffers, are also reported in records, or not at all.
    let are_records = matches!(info.loss_unit.as_str(), "" | "event");
    let in_gaps = if are_records { counters.rows.lost } else { 0 };
    // Different counts of the same records: those counted by the target also cause gaps if records have numbers.
    counters.rows.dropped.max(of_target).max(in_gaps.saturating_sub(counters.bad()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(kind: u16, records: u64, bytes: u64) -> KindCount {
        KindCount { kind: RowKind(kind), records, bytes }
    }

    fn sample(start: Instant, s: u64, kinds: &[(u16, u64, u64)], lost: u64) -> Sample {
        let received = kinds.iter().map(|kind| kind.2).sum();
        let kinds = kinds.iter().map(|&(kind, records, bytes)| (RowKind(kind), (records, bytes))).collect();
        Sample { at: start + Duration::from_secs(s), kinds, received, lost, damaged: 0, losses: lost }
    }

    fn of_last(traffic: &Traffic, seconds: usize) -> Window {
        traffic.complete(traffic.last(seconds))
    }

    #[test]
    fn what_came_is_the_difference() {
        let (start, mut traffic) = (Instant::now(), Traffic::default());
        assert_eq!(traffic.busiest(), Window::default());
        traffic.add(sample(start, 0, &[(1, 1000, 9000)], 7));
        traffic.add(sample(start, 2, &[(1, 1010, 9100), (2, 10, 300)], 27));
        let window = of_last(&traffic, 20);
        assert_eq!((window.span, window.lost, window.busiest), (Duration::from_secs(2), 20, 200));
        assert_eq!(window.kinds, [count(1, 10, 100), count(2, 10, 300)]);
        assert_eq!(window.clean, []);
        traffic.add(sample(start, 3, &[(1, 1010, 9100), (2, 11, 330)], 27));
        assert_eq!(of_last(&traffic, 1).clean, [count(2, 1, 30)]);
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
        assert_eq!((of_last(&traffic, 20).span, of_last(&traffic, 20).lost), (Duration::from_secs(20), 200));
        assert_eq!(of_last(&traffic, 4).lost, 0);
        let busiest = traffic.busiest();
        assert_eq!((busiest.span, busiest.lost, busiest.busiest), (Duration::from_secs(10), 200, 100));
        assert_eq!(busiest.clean, [count(1, 350, 3500)]);
    }
}
