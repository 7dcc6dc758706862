//! Histogram with bins of equal relative width, so that few bins show short and long times alike.

use super::distribution::Distribution;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bin {
    /// Least value, inclusive.
    pub from: u64,
    /// Greatest value, inclusive.
    pub to: u64,
    pub count: u64,
}

/// How values are grouped.
#[derive(Debug, Clone, Copy)]
enum Width {
    /// Values that agree in this many significant bits.
    Bits(u32),
    /// All values of this many powers of two.
    Octaves(u32),
}

impl Width {
    fn interval(self, value: u64) -> (u64, u64) {
        let octave = u64::BITS - value.leading_zeros();
        let low = match self {
            Width::Bits(bits) => octave.saturating_sub(bits),
            Width::Octaves(octaves) => {
                let first = octave / octaves * octaves;
                let last = first + octaves - 1;
                let from = if first == 0 { 0 } else { 1 << (first - 1) };
                return (from, 1_u64.checked_shl(last).map_or(u64::MAX, |end| end - 1));
            }
        };
        let from = value >> low << low;
        (from, from + ((1 << low) - 1))
    }

    /// The bins between two values; `None` if more than `most`.
    fn intervals(self, least: u64, greatest: u64, most: usize) -> Option<Vec<Bin>> {
        let mut bins = Vec::new();
        let mut next = least;
        loop {
            let (from, to) = self.interval(next);
            bins.push(Bin { from, to, count: 0 });
            if bins.len() > most {
                return None;
            }
            if to >= greatest {
                return Some(bins);
            }
            next = to + 1;
        }
    }
}

/// At least one and at most `most` bins, as narrow as possible; empty without values.
pub fn bins(of: &Distribution, most: usize) -> Vec<Bin> {
    if of.count() == 0 {
        return Vec::new();
    }
    let finest = of.bits().unwrap_or(u64::BITS);
    let widths = (1..=finest).rev().map(Width::Bits).chain((2..=u64::BITS + 1).map(Width::Octaves));
    let mut found = widths.filter_map(|width| width.intervals(of.least(), of.greatest(), most.max(1)));
    let Some(mut bins) = found.next() else { return Vec::new() };
    for (value, count) in of.values() {
        let value = value.clamp(of.least(), of.greatest());
        let at = bins.partition_point(|bin| bin.to < value);
        if let Some(bin) = bins.get_mut(at) {
            bin.count += count;
        }
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Distribution {
        let mut distribution = Distribution::default();
        values.into_iter().for_each(|value| distribution.add(value));
        distribution
    }

    #[test]
    fn few_intervals_take_all_values() {
        let cases = [
            of(0..10),
            of([0]),
            of([7; 9]),
            of((0..64).map(|bit| 1 << bit)),
            of([0, u64::MAX]),
            of((1..5000).map(|v| v * v)),
            of((0..9000).map(|v| 1_000_000 + v % 90)),
        ];
        for distribution in &cases {
            for most in [1, 2, 7, 8, 40] {
                let bins = bins(distribution, most);
                assert!(bins.len() <= most && !bins.is_empty(), "{most}: {bins:?}");
                assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), distribution.count());
                assert!(bins.windows(2).all(|pair| pair[0].to + 1 == pair[1].from), "{bins:?}");
                let (first, last) = (bins[0], bins[bins.len() - 1]);
                assert!(first.from <= distribution.least() && last.to >= distribution.greatest());
            }
        }
        assert!(bins(&Distribution::default(), 8).is_empty());
    }

    #[test]
    fn close_values_have_intervals_of_their_own() {
        let narrow = bins(&of([100_000, 100_003, 100_003, 100_007]), 8);
        assert_eq!(narrow.len(), 8);
        assert_eq!((narrow[3].from, narrow[3].to, narrow[3].count), (100_003, 100_003, 2));
        let wide: Vec<_> = bins(&of([5, 47, 710]), 8).iter().map(|bin| (bin.from, bin.count)).collect();
        assert_eq!(wide, [(4, 1), (8, 0), (16, 0), (32, 1), (64, 0), (128, 0), (256, 0), (512, 1)]);
    }
}
