//! Distributions of values measured by a decoder: count, min, median, 95th percentile and max of an attachment, by object
//! and signal, and as a histogram. Enabled by [`AttachmentInfo::distribution`], which also titles the table (`post to get`).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use spytui_plugin_api::{AttachmentId, Batch, Class, Info, NONE, RowKind, info::AttachmentInfo, render::Lookup};

use crate::present::{sanitise, words::key_word};

/// Maximum of distinct values kept exactly; beyond it, values are rounded.
const MOST_VALUES: usize = 4096;
/// Maximum number of object and signal pairs; bounds memory on noisy input.
const MOST_KEYS: usize = 4096;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distribution {
    /// The values with their counts.
    values: BTreeMap<u64, u64>,
    pub count: u64,
    /// Significant bits that values are rounded to; `None` while they are exact.
    pub bits: Option<u32>,
    /// Minimum and maximum; `None` if empty.
    pub ends: Option<(u64, u64)>,
}

impl Distribution {
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        let (least, greatest) = self.ends.unwrap_or((value, value));
        self.ends = Some((least.min(value), greatest.max(value)));
        self.put(value, 1);
    }

    pub fn merge(&mut self, other: &Distribution) {
        let Some((least, greatest)) = other.ends else { return };
        let (own_least, own_greatest) = self.ends.unwrap_or((least, greatest));
        self.ends = Some((least.min(own_least), greatest.max(own_greatest)));
        self.count += other.count;
        if let Some(bits) = other.bits {
            self.coarsen(bits);
        }
        other.values.iter().for_each(|(value, n)| self.put(*value, *n));
    }

    #[inline]
    fn put(&mut self, value: u64, n: u64) {
        let value = self.bits.map_or(value, |bits| round(value, bits));
        *self.values.entry(value).or_default() += n;
        if self.bits.is_none() && self.values.len() > MOST_VALUES {
            self.coarsen(FINEST);
        }
    }

    /// Rounds all present and future values to at most this many significant bits.
    pub fn coarsen(&mut self, bits: u32) {
        if self.bits.is_some_and(|own| own <= bits) {
            return;
        }
        self.bits = Some(bits);
        std::mem::take(&mut self.values).into_iter().for_each(|(value, n)| self.put(value, n));
    }

    /// Number of distinct values kept.
    pub fn distinct(&self) -> usize {
        self.values.len()
    }

    /// Sorted values with their counts.
    pub fn values(&self) -> impl Iterator<Item = (u64, u64)> {
        self.values.iter().map(|(value, n)| (*value, *n))
    }

    /// Minimum; 0 if empty.
    pub fn least(&self) -> u64 {
        self.ends.map_or(0, |e| e.0)
    }

    /// Maximum; 0 if empty.
    pub fn greatest(&self) -> u64 {
        self.ends.map_or(0, |e| e.1)
    }

    /// Percentile by nearest rank; 0 if empty. Exact up to 4 096 distinct values, then accurate to 1/128.
    pub fn percentile(&self, percent: u64) -> u64 {
        let rank = (u128::from(self.count) * u128::from(percent)).div_ceil(100).max(1);
        let mut seen = 0_u128;
        let found = self.values.iter().find(|(_, n)| {
            seen += u128::from(**n);
            seen >= rank
        });
        found.map_or(0, |(value, _)| (*value).clamp(self.least(), self.greatest()))
    }
}

/// Significant bits used when there are first too many distinct values.
pub const FINEST: u32 = 8;

/// Rounds to this many significant bits, to the middle of the interval.
fn round(value: u64, bits: u32) -> u64 {
    let low = (u64::BITS - value.leading_zeros()).saturating_sub(bits);
    if low == 0 { value } else { value >> low << low | 1 << (low - 1) }
}

/// Attachment, kind, object, second key.
type DistributionKey = (AttachmentId, RowKind, u64, u64);

#[derive(Debug, Clone, Default)]
pub struct Distributions {
    ids: Vec<AttachmentId>,
    /// The first kind with the same spaces; their values share a distribution.
    likes: FxHashMap<RowKind, RowKind>,
    distributions: FxHashMap<DistributionKey, Distribution>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedDistribution {
    pub object: String,
    pub signal: String,
    pub distribution: Distribution,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistributionTable {
    /// Attachment name, for exports.
    pub name: String,
    pub title: String,
    pub unit: String,
    /// Headings of the two name columns: `object`, `signal`, or names of other spaces (`thread`, `call`).
    pub heads: [String; 2],
    /// Rows, sorted by object, then signal.
    pub rows: Vec<NamedDistribution>,
}

impl Distributions {
    pub fn new(info: &Info) -> Distributions {
        let mut firsts: FxHashMap<(u16, u16), RowKind> = FxHashMap::default();
        let single = info.kinds.iter().filter(|kind| kind.first == kind.last);
        let like =
            single.map(|kind| (kind.first, *firsts.entry((kind.obj_space, kind.item_space)).or_insert(kind.first)));
        let likes = like.collect();
        Distributions { ids: measured(info).map(|e| e.id).collect(), likes, ..Distributions::default() }
    }

    pub fn add(&mut self, batch: &Batch) {
        if self.ids.is_empty() {
            return;
        }
        for e in batch.attachments.iter().filter(|e| self.ids.contains(&e.id)) {
            let Some(row) = batch.rows.get(e.at as usize) else { continue };
            let kind = self.likes.get(&row.kind).copied().unwrap_or(row.kind);
            let key = (e.id, kind, row.obj, row.item);
            if self.distributions.len() >= MOST_KEYS && !self.distributions.contains_key(&key) {
                continue;
            }
            self.distributions.entry(key).or_default().add(e.a);
        }
    }

    /// Non-empty tables with names, sorted by name.
    pub fn tables(&self, info: &Info, names: &impl Lookup) -> Vec<DistributionTable> {
        let name = |space: u16, key: u64, scope: u64| match space {
            NONE => String::new(),
            _ => names.get(0, space, key, scope).map_or_else(|| key_word(info.space(space), key), sanitise),
        };
        let row = |(&(_, kind, obj, item), distribution): (&DistributionKey, &Distribution)| {
            let (object, signal) = spaces(info, kind);
            let is_scoped = info.space(signal).is_some_and(|space| space.scope_space != NONE);
            let signal = name(signal, item, if is_scoped { obj } else { 0 });
            NamedDistribution { object: name(object, obj, 0), signal, distribution: distribution.clone() }
        };
        let table = |spec: &AttachmentInfo| {
            let own = self.distributions.iter().filter(|(key, _)| key.0 == spec.id);
            let heads = own.clone().next().map(|(key, _)| heads(info, key.1)).unwrap_or_default();
            let mut rows: Vec<NamedDistribution> = own.map(row).collect();
            rows.sort_by(|a, b| (&a.object, &a.signal).cmp(&(&b.object, &b.signal)));
            let title = spec.distribution.to_string();
            DistributionTable { name: spec.name.to_string(), title, unit: spec.unit.to_string(), heads, rows }
        };
        measured(info).map(table).filter(|t| !t.rows.is_empty()).collect()
    }
}

fn measured(info: &Info) -> impl Iterator<Item = &AttachmentInfo> {
    info.attachments.iter().filter(|e| !e.distribution.is_empty())
}

/// Spaces of a kind's object and second key.
fn spaces(info: &Info, kind: RowKind) -> (u16, u16) {
    info.kind(kind).map_or((NONE, NONE), |k| (k.obj_space, k.item_space))
}

fn heads(info: &Info, kind: RowKind) -> [String; 2] {
    let word = |space: u16, usual: Class, word: &str| match info.space(space) {
        Some(space) if space.class == usual => word.to_owned(),
        Some(space) => space.name.to_string(),
        None => String::new(),
    };
    let (object, signal) = spaces(info, kind);
    [word(object, Class::OBJECT, "object"), word(signal, Class::SIGNAL, "signal")]
}

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
    if of.count == 0 {
        return Vec::new();
    }
    let finest = of.bits.unwrap_or(u64::BITS);
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
    use spytui_plugin_api::{Attachment, Row, info::KindInfo};

    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Distribution {
        let mut distribution = Distribution::default();
        values.into_iter().for_each(|v| distribution.add(v));
        distribution
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let distribution = of((1..=20).rev());
        assert_eq!(
            (distribution.least(), distribution.percentile(50), distribution.percentile(95), distribution.greatest()),
            (1, 10, 19, 20)
        );
        assert_eq!((of([7]).percentile(50), of([7]).percentile(95)), (7, 7));
        assert_eq!((of([]).percentile(50), of([]).greatest()), (0, 0));
    }

    #[test]
    fn many_values_are_rounded_and_the_ends_are_not() {
        let distribution = of((0..1_000_000).map(|v| v * 1000 + 3));
        assert!(distribution.values.len() < 2 * MOST_VALUES, "{}", distribution.values.len());
        assert_eq!((distribution.least(), distribution.greatest(), distribution.count), (3, 999_999_003, 1_000_000));
        let median = distribution.percentile(50);
        assert!(median.abs_diff(500_000_000) < 500_000_000 / 128, "{median}");
        let all = of([u64::MAX, 0].into_iter().chain((0..64).map(|b| 1 << b)));
        assert_eq!(all.percentile(100), u64::MAX);
    }

    #[test]
    fn parts_together_are_the_whole() {
        let values = |from: u64| (0..3000_u64).map(move |v| (v * 7919 + from) % 9001);
        let whole = of(values(0).chain(values(5)));
        let mut parts = of(values(0));
        parts.merge(&of(values(5)));
        parts.merge(&Distribution::default());
        assert_eq!(parts, whole);
        // Rounding twice gives the same result as rounding once.
        let (mut twice, mut once) = (whole.clone(), of([]));
        twice.coarsen(5);
        once.coarsen(5);
        values(0).chain(values(5)).for_each(|v| once.add(v));
        assert_eq!(twice, once);
        assert!(twice.distinct() < whole.distinct() && twice.count == whole.count);
    }

    #[test]
    fn values_are_distinguished_by_object_and_signal() {
        let mut info = Info::default();
        let measured = AttachmentInfo {
            id: AttachmentId(64),
            name: "rt".into(),
            unit: "ticks".into(),
            distribution: "post to get".into(),
            is_bound: false,
        };
        info.attachments.push(measured);
        let mut distributions = Distributions::new(&info);
        let attachment = |at, id, a| Attachment { at, id, is_bytes: false, a, b: 0 };
        let rows = [Row { obj: 1, ..Row::default() }, Row { obj: 2, ..Row::default() }];
        let attachments = [
            attachment(0, AttachmentId(64), 5),
            attachment(1, AttachmentId(65), 6),
            attachment(1, AttachmentId(64), 7),
            attachment(9, AttachmentId(64), 8),
        ];
        let batch = Batch {
            rows: rows.into_iter().collect(),
            attachments: attachments.into_iter().collect(),
            ..Batch::default()
        };
        distributions.add(&batch);
        let tables = distributions.tables(&info, &());
        assert_eq!((tables.len(), tables[0].rows.len(), tables[0].title.as_str()), (1, 2, "post to get"));
        // Kinds whose objects and signals share their spaces are counted together.
        info.kinds.extend([7, 8].map(|kind| KindInfo::new(RowKind(kind), "get", 0)));
        let mut distributions = Distributions::new(&info);
        let rows = [7, 8].map(|kind| Row { kind: RowKind(kind), obj: 1, ..Row::default() });
        let attachments = [attachment(0, AttachmentId(64), 5), attachment(1, AttachmentId(64), 6)];
        let batch = Batch { rows: rows.into_iter().collect(), attachments: attachments.into_iter().collect(), ..batch };
        distributions.add(&batch);
        let tables = distributions.tables(&info, &());
        assert_eq!((tables[0].rows.len(), tables[0].rows[0].distribution.count), (1, 2));
        assert!(Distributions::new(&Info::default()).tables(&Info::default(), &()).is_empty());
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
                assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), distribution.count);
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
