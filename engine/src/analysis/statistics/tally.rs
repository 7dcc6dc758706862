//! Sums of the measured values, in bounded memory.

use std::hash::{Hash, Hasher};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use spytui_plugin_api::{NONE, RowKind};

use super::measure::{Measure, SubjectColumn, SubjectColumns};
use crate::{
    analysis::distribution::{Distribution, FINEST},
    replay::{Entities, Id, Key, Moment, Seen, Stamp},
};

/// Maximum number of subjects with their own sum; bounds memory on noisy input.
const MOST: usize = 1 << 13;
/// Maximum number of sums without object and signal, which collect the subjects beyond `MOST`.
const MOST_RESTS: usize = 1 << 10;
/// Distinct values kept in all sums together; beyond it, values are rounded.
const MOST_VALUES: usize = 1 << 20;
/// Fewest significant bits that values are rounded to.
const COARSEST: u32 = 3;

/// Object of a core that runs no task.
pub const IDLE: Key = Key { space: NONE, key: 0, scope: 0 };
/// Object of subjects without their own sum.
pub const REST: Key = Key { space: NONE, key: 1, scope: 0 };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    pub kind: RowKind,
    pub group: u8,
    pub core: u16,
    /// [`IDLE`] or [`REST`] if it is not one of the target's objects.
    pub object: Option<Key>,
    /// The signal, or another second key.
    pub signal: Option<Key>,
}

impl Hash for Subject {
    /// Hashes in one step, as every value causes a lookup.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let own = |key: Option<Key>| key.map_or(0, |key| key.key ^ key.scope.rotate_left(32));
        let kind = u64::from(self.kind.0) << 16 ^ u64::from(self.core);
        state.write_u64(kind.rotate_left(32) ^ own(self.object) ^ own(self.signal).rotate_left(20));
    }
}

/// The bits of a number that are in its place when all are sorted.
pub(super) fn key_of_number(number: f64) -> u64 {
    let bits = number.to_bits();
    if number.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

pub fn number_of_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 0 { !key } else { key & !(1 << 63) })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extreme {
    pub value: u64,
    pub at: Moment,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sum {
    pub values: Distribution,
    pub total: u128,
    /// The first of several.
    pub least: Option<Extreme>,
    /// The first of several.
    pub greatest: Option<Extreme>,
}

impl Sum {
    #[inline]
    fn add(&mut self, value: u64, at: &Moment) {
        self.values.add(value);
        self.total += u128::from(value);
        self.lower(Extreme { value, at: *at });
        self.raise(Extreme { value, at: *at });
    }

    fn lower(&mut self, other: Extreme) {
        if self.least.is_none_or(|least| (other.value, other.at.row) < (least.value, least.at.row)) {
            self.least = Some(other);
        }
    }

    fn raise(&mut self, other: Extreme) {
        let is_more = |own: Extreme| other.value > own.value || other.value == own.value && other.at.row < own.at.row;
        if self.greatest.is_none_or(is_more) {
            self.greatest = Some(other);
        }
    }

    pub fn merge(&mut self, other: &Sum) {
        self.values.merge(&other.values);
        self.total += other.total;
        other.least.into_iter().for_each(|least| self.lower(least));
        other.greatest.into_iter().for_each(|greatest| self.raise(greatest));
    }
}

#[derive(Debug, Clone, Default)]
pub struct Tally {
    sums: [IndexMap<Subject, Sum, FxBuildHasher>; Measure::COUNT],
    count: usize,
    /// Distinct values of all sums.
    distinct: usize,
    /// Significant bits that all values are rounded to.
    bits: Option<u32>,
    /// Number of values summed up without object and signal, because there are too many subjects.
    pub rest: u64,
    counts: [MeasureCounts; Measure::COUNT],
    /// What was measured since it was last taken, if somebody takes it.
    pub kept: Option<Vec<Measurement>>,
}

/// One value of a measure, measured at the last row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    pub measure: Measure,
    pub subject: Subject,
    /// Where the interval began, if it is one.
    pub begin: Option<Stamp>,
    /// Of an interval its ticks, 0 if it has no times.
    pub value: u64,
}

impl Tally {
    pub(super) fn keep(&mut self, measure: Measure, subject: &Subject, begin: Option<Stamp>, value: u64) {
        if let Some(kept) = &mut self.kept {
            kept.push(Measurement { measure, subject: *subject, begin, value });
        }
    }

    pub(super) fn add(&mut self, measure: Measure, subject: &Subject, value: u64, at: &Moment) {
        let Some(sum) = self.sum(measure, subject) else { return };
        let before = sum.values.distinct();
        sum.add(value, at);
        let more = sum.values.distinct();
        self.distinct = self.distinct + more - before;
        while self.distinct > MOST_VALUES && self.bits.is_none_or(|bits| bits > COARSEST) {
            self.coarsen();
        }
    }

    /// The sum of a subject; `None` if there are too many.
    #[inline]
    fn sum(&mut self, measure: Measure, subject: &Subject) -> Option<&mut Sum> {
        let known = self.sums[measure as usize].get_index_of(subject);
        let at = known.or_else(|| self.open(measure, *subject))?;
        self.sums[measure as usize].get_index_mut(at).map(|(_, sum)| sum)
    }

    /// Index of a new sum for a subject.
    fn open(&mut self, measure: Measure, mut subject: Subject) -> Option<usize> {
        let sums = &mut self.sums[measure as usize];
        if self.count >= MOST {
            self.rest += 1;
            subject = Subject { object: Some(REST), signal: None, ..subject };
            if let Some(at) = sums.get_index_of(&subject) {
                return Some(at);
            }
            if self.count >= MOST + MOST_RESTS {
                return None;
            }
        }
        self.count += 1;
        let mut sum = Sum::default();
        if let Some(bits) = self.bits {
            sum.values.coarsen(bits + above(measure));
        }
        Some(sums.insert_full(subject, sum).0)
    }

    /// The target itself reports the least value.
    pub(super) fn reported_least(&mut self, measure: Measure, subject: &Subject, value: u64, at: Moment) {
        if let Some(sum) = self.sum(measure, subject) {
            sum.lower(Extreme { value, at });
        }
    }

    fn coarsen(&mut self) {
        let bits = self.bits.map_or(FINEST, |bits| bits - 1);
        self.bits = Some(bits);
        for measure in Measure::all() {
            self.sums[measure as usize].values_mut().for_each(|sum| sum.values.coarsen(bits + above(measure)));
        }
        self.distinct = self.sums.iter().flat_map(IndexMap::values).map(|sum| sum.values.distinct()).sum();
    }

    pub fn sums(&self, measure: Measure) -> impl Iterator<Item = (&Subject, &Sum)> {
        self.sums[measure as usize].iter()
    }

    pub fn counts(&self, measure: Measure) -> MeasureCounts {
        self.counts[measure as usize]
    }

    pub(super) fn count(&mut self, measure: Measure) -> &mut MeasureCounts {
        &mut self.counts[measure as usize]
    }
}

/// Bits of a measure's values above those that are significant: the sign and the exponent of a number.
fn above(measure: Measure) -> u32 {
    if measure == Measure::Value { 12 } else { 0 }
}

impl SubjectColumns {
    /// A subject reduced to these columns.
    pub(super) fn only(self, subject: &Subject) -> Subject {
        Subject {
            kind: if self.has(SubjectColumn::Kind) { subject.kind } else { RowKind::default() },
            group: if self.has(SubjectColumn::Group) { subject.group } else { 0 },
            core: if self.has(SubjectColumn::Core) { subject.core } else { 0 },
            object: subject.object.filter(|_| self.has(SubjectColumn::Object)),
            signal: subject.signal.filter(|_| self.has(SubjectColumn::Signal)),
        }
    }
}

/// An activity, and the tally that the intervals it ends are added to.
pub(super) struct TalliedActivity<'a> {
    pub(super) seen: &'a Seen<'a>,
    pub(super) entities: &'a Entities,
    pub(super) tally: &'a mut Tally,
}

impl TalliedActivity<'_> {
    pub(super) fn subject(&self, object: Option<Key>, signal: Option<Key>) -> Subject {
        let row = &self.seen.row.row;
        Subject { kind: row.kind, group: row.group, core: self.seen.activity.core, object, signal }
    }

    /// A number of an object, as of here.
    pub(super) fn number(&mut self, measure: Measure, subject: &Subject, value: u64) {
        self.tally.keep(measure, subject, None, value);
        self.tally.add(measure, subject, value, &self.at());
    }

    /// The row with its own time, not that of an earlier row.
    pub(super) fn at(&self) -> Moment {
        Moment { time: self.seen.stamp.time, ..self.seen.row.at }
    }

    /// An interval of an object ends here.
    pub(super) fn ends(&mut self, measure: Measure, begin: Stamp, object: Id, signal: Option<Key>) {
        self.ends_of(measure, begin, &self.subject(Some(self.entities.key(object)), signal));
    }

    pub(super) fn ends_of(&mut self, measure: Measure, begin: Stamp, subject: &Subject) {
        let (here, at) = (self.seen.stamp, self.at());
        self.tally.keep(measure, subject, Some(begin), begin.until(here).unwrap_or(0));
        match begin.until(here) {
            _ if begin.is_cut(here) => self.tally.count(measure).cut += 1,
            Some(ticks) => self.tally.add(measure, subject, ticks, &at),
            None => self.tally.count(measure).untimed += 1,
        }
    }
}

/// An interval that has not ended.
#[derive(Debug, Clone, Copy)]
pub struct OpenInterval {
    pub measure: Measure,
    pub object: Option<Id>,
    pub signal: Option<Key>,
    /// The core, if the interval stays on it.
    pub core: Option<u16>,
    pub begin: Stamp,
}

/// Beginnings of a measure, and those that could not be measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeasureCounts {
    pub begun: u64,
    /// Records were lost between begin and end.
    pub cut: u64,
    /// Begin or end has no time stamp, or the clock went back.
    pub untimed: u64,
    /// The end matches several beginnings.
    pub unsure: u64,
}

/// An interval still open, with its length so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StillOpen {
    pub value: u64,
    pub row: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(key: u64) -> Subject {
        let object = Some(Key { space: 16, key, scope: 0 });
        Subject { kind: RowKind(1), group: 0, core: 0, object, signal: None }
    }

    #[test]
    fn noise_takes_bounded_memory_and_nothing_goes_missing() {
        let mut tally = Tally::default();
        for key in 0..100_000 {
            tally.add(Measure::Step, &subject(key), key, &Moment { row: key, ..Moment::default() });
        }
        assert_eq!(tally.count, MOST + 1);
        let count: u64 = tally.sums(Measure::Step).map(|(_, sum)| sum.values.count).sum();
        assert_eq!((count, tally.rest), (100_000, 100_000 - MOST as u64));
        let rest = tally.sums(Measure::Step).find(|(subject, _)| subject.object == Some(REST)).unwrap().1;
        assert_eq!(rest.greatest.map(|most| (most.value, most.at.row)), Some((99_999, 99_999)));
    }

    #[test]
    fn values_are_rounded_where_all_together_are_too_many() {
        let mut tally = Tally::default();
        let values = 2 * MOST_VALUES as u64;
        for value in 0..values {
            tally.add(Measure::Step, &subject(value % 1000), value * 7919 % 1_000_003, &Moment::default());
        }
        assert!(tally.distinct <= MOST_VALUES && tally.bits.is_some(), "{}", tally.distinct);
        let greatest = tally.sums(Measure::Step).filter_map(|(_, sum)| sum.greatest).map(|most| most.value).max();
        assert_eq!(greatest, Some(1_000_002));
    }

    #[test]
    fn of_equal_values_the_first_record_is_kept() {
        let mut sum = Sum::default();
        let at = |row| Moment { row, ..Moment::default() };
        sum.add(5, &at(3));
        sum.add(5, &at(4));
        let mut other = Sum::default();
        other.add(5, &at(1));
        other.add(2, &at(9));
        sum.merge(&other);
        assert_eq!((sum.greatest.unwrap().at.row, sum.least.unwrap().at.row, sum.total), (1, 9, 17));
    }
}
