//! What each kind of record takes of a link: bytes and records a second, over the last few seconds.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use spytui_engine::session::Decoding;
use spytui_plugin_api::RowKind;

/// Sampling interval.
const EVERY: Duration = Duration::from_secs(1);
/// Intervals that rates are averaged over.
const SPAN: usize = 4;

/// Records and bytes of each kind.
pub type KindSums = BTreeMap<RowKind, (u64, u64)>;

/// What a kind of record takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindRate {
    /// The kind.
    pub kind: RowKind,
    /// Records a second.
    pub records: u64,
    /// Bytes a second.
    pub bytes: u64,
}

/// Rates of the kinds of a source.
#[derive(Debug, Default)]
pub struct KindRates {
    /// Whose rows are counted: another decoding counts from 0.
    of: Weak<Decoding>,
    samples: VecDeque<(Instant, KindSums)>,
    list: Vec<KindRate>,
}

impl KindRates {
    /// The kinds of which records came in the last few seconds, in order.
    pub fn list(&self) -> &[KindRate] {
        &self.list
    }

    /// Time over which they are measured; zero before the first interval is over.
    pub fn span(&self) -> Duration {
        let ends = self.samples.front().zip(self.samples.back());
        ends.map_or(Duration::ZERO, |(first, last)| last.0.duration_since(first.0))
    }

    /// Samples the counts of all kinds, if it is time to.
    pub(super) fn sample(&mut self, now: Instant, decoding: &Arc<Decoding>) {
        let of = Arc::downgrade(decoding);
        if !self.of.ptr_eq(&of) {
            *self = KindRates { of, ..KindRates::default() };
        }
        if self.samples.back().is_some_and(|last| now.duration_since(last.0) < EVERY) {
            return;
        }
        self.add(now, kind_sums(decoding));
    }

    fn add(&mut self, now: Instant, sums: KindSums) {
        self.samples.push_back((now, sums));
        if self.samples.len() > SPAN + 1 {
            self.samples.pop_front();
        }
        let ms = self.span().as_millis();
        let Some((first, last)) = self.samples.front().zip(self.samples.back()) else { return };
        let per_second = |n: u64| u64::try_from(u128::from(n) * 1000 / ms.max(1)).unwrap_or(u64::MAX);
        let rate = |(kind, (records, bytes)): (&RowKind, &(u64, u64))| {
            let (records_before, bytes_before) = first.1.get(kind).copied().unwrap_or_default();
            let (records, bytes) = (records - records_before.min(*records), bytes - bytes_before.min(*bytes));
            KindRate { kind: *kind, records: per_second(records), bytes: per_second(bytes) }
        };
        let came = |rate: &KindRate| rate.records > 0 || rate.bytes > 0;
        self.list = if ms == 0 { Vec::new() } else { last.1.iter().map(rate).filter(came).collect() };
    }
}

/// Records and bytes of each kind so far.
pub fn kind_sums(decoding: &Decoding) -> KindSums {
    let mut sums = KindSums::new();
    for (shape, records, bytes) in decoding.read().rows.tables().shapes.tally() {
        if !shape.kind.is_note() {
            let sum = sums.entry(shape.kind).or_default();
            sum.0 += records;
            sum.1 += bytes;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_over_the_last_seconds() {
        let (start, mut rates) = (Instant::now(), KindRates::default());
        let mut add = |s: u64, each: &[(u16, u64, u64)]| {
            let sums = each.iter().map(|&(kind, records, bytes)| (RowKind(kind), (records, bytes)));
            rates.add(start + Duration::from_secs(s), sums.collect());
            rates.list().iter().map(|rate| (rate.kind.0, rate.records, rate.bytes)).collect::<Vec<_>>()
        };
        assert_eq!(add(0, &[(1, 1000, 9000)]), [], "what came before says nothing of now");
        assert_eq!(add(1, &[(1, 1010, 9100)]), [(1, 10, 100)]);
        assert_eq!(add(2, &[(1, 1010, 9100), (2, 4, 40)]), [(1, 5, 50), (2, 2, 20)]);
        for s in 3..7 {
            add(s, &[(1, 1010, 9100), (2, 4, 40)]);
        }
        assert_eq!(add(7, &[(1, 1010, 9100), (2, 12, 120)]), [(2, 2, 20)], "kind 1 is silent for long");
    }
}
