//! The undamaged stream, and contradictions to it from a damaged one.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
};

use spytui_engine::analysis::{
    Key,
    objects::{ObjectState, TrackedObject},
    statistics::{Statistics, measure, tally::Extreme},
};
use spytui_plugin_api::{Row, RowKind, row::RowFlags};

use super::{
    captures::{Capture, Groups, Whole},
    conclude::{Concluded, Known, Slice, slices},
    damage::{Damaged, Parts},
};

/// The undamaged stream, and the conclusions from it.
pub(super) struct Truth<'a> {
    capture: &'a Capture,
    pub(super) concluded: Concluded,
    /// The stream's records, by their last byte.
    by_end: HashMap<u64, usize>,
    slices: Vec<Slice>,
}

impl<'a> Truth<'a> {
    pub(super) fn of(capture: &'a Capture) -> Truth<'a> {
        let concluded = Concluded::of(&capture.decoder, &capture.options, &capture.bytes);
        let says_losses = capture.whole == Whole::Overflow;
        assert!(concluded.doubts == 0 || says_losses, "{} is damaged", capture.name);
        let end = |row: &Row| row.pos + u64::from(row.len) - 1;
        let by_end = concluded.records.iter().enumerate().map(|(i, come)| (end(&come.row), i)).collect();
        let slices = slices(&capture.decoder, &capture.options, &capture.bytes);
        Truth { capture, concluded, by_end, slices }
    }

    /// Its last two thirds. A missing unit is detected when the next one arrives, so the last one stays.
    pub(super) fn parts(&self) -> Parts {
        let records = &self.concluded.records;
        let frames: Vec<Row> = records[records.len() / 3..].iter().map(|come| come.row).collect();
        let begins = |at: &usize| match self.capture.whole {
            Whole::Buffer | Whole::BufferOfCore => self.begins_buffer(&frames[*at]),
            _ => true,
        };
        // The time may precede the beginning of a buffer.
        let start =
            |at: usize| if at > 0 && self.is_time(&frames[at - 1]) { frames[at - 1].pos } else { frames[at].pos };
        let starts: Vec<u64> = (0..frames.len()).filter(begins).map(start).collect();
        let wholes: Vec<Range<u64>> = starts.windows(2).map(|pair| pair[0]..pair[1]).collect();
        Parts { frames, wholes }
    }

    /// Whether a record is the first of a buffer.
    fn begins_buffer(&self, row: &Row) -> bool {
        self.is_control(row, 2)
    }

    fn is_time(&self, row: &Row) -> bool {
        self.is_control(row, 1) && self.capture.whole == Whole::BufferOfCore
    }

    /// Whether an event has this number in the class of times and buffers.
    fn is_control(&self, row: &Row, number: u32) -> bool {
        let is = |head: u32| head & 0x7FFF == 1 << 10 | number;
        let head = self.capture.bytes[row.pos as usize..].first_chunk().copied();
        head.is_some_and(|head| is(u32::from_le_bytes(head)) || is(u32::from_be_bytes(head)))
    }

    /// The original of each record in a damaged stream; `None` if a record has none, which is not detected.
    pub(super) fn places(&self, found: &Concluded, damaged: &Damaged) -> Option<Vec<usize>> {
        let mut shift = (0, 0);
        let place = |come: &super::conclude::Come| {
            let at = self.same(&come.row, damaged)?;
            let is_later = self.concluded.records[at].row.time.wrapping_sub(come.row.time);
            if self.capture.sums_times && come.doubts != shift.1 {
                shift = (is_later, come.doubts);
            }
            (shift.0 == is_later).then_some(at)
        };
        found.records.iter().map(place).collect()
    }

    /// The original of a record of the damaged stream, if it has the same content.
    fn same(&self, row: &Row, damaged: &Damaged) -> Option<usize> {
        let at = *self.by_end.get(&damaged.was(row.pos + u64::from(row.len) - 1)?)?;
        let said = |row: &Row| (row.kind, row.item, row.core);
        let was = &self.concluded.records[at].row;
        let raw = |bytes: &[u8], row: &Row| bytes[row.pos as usize..row.pos as usize + row.len as usize].to_vec();
        let is_same = said(was) == said(row) && raw(&self.capture.bytes, was) == raw(&damaged.bytes, row);
        is_same.then_some(at)
    }

    /// What a damaged stream claims that is untrue.
    pub(super) fn contradiction(&self, all: &[usize], found: &Concluded, traced: Option<&[Slice]>) -> Option<String> {
        let came: HashSet<usize> = all.iter().copied().collect();
        let in_order = || found.records.iter().zip(all).filter(|(come, _)| !come.row.has(RowFlags::OUT_OF_ORDER));
        if found.is_known_late || !in_order().is_sorted_by_key(|(_, at)| *at) {
            return None;
        }
        let last = in_order().next_back().map_or(0, |(_, at)| *at);
        // A frame that seems truncated by the end of the stream is still incomplete.
        let is_cut = found.last_notes.is_empty() || found.last_notes.contains(&RowKind::TAIL);
        let seen = if is_cut { last + 1 } else { self.concluded.records.len() };
        self.losses(&came, seen, found)
            .or_else(|| {
                in_order().find_map(|(come, at)| {
                    self.untrue(&self.concluded.records[*at].known, &come.known, Some(&come.row))
                })
            })
            .or_else(|| {
                let truth = if is_cut { self.concluded.records[last].known.clone() } else { self.concluded.known() };
                self.untrue(&truth, &found.known(), in_order().next_back().map(|(come, _)| &come.row))
            })
            .or_else(|| self.figures(found))
            .or_else(|| self.untrue_slice(traced?, is_cut))
    }

    /// Checks the losses reported among the first `seen` records.
    fn losses(&self, came: &HashSet<usize>, seen: usize, found: &Concluded) -> Option<String> {
        let records = &self.concluded.records;
        let has_buffers = matches!(self.capture.whole, Whole::Buffer | Whole::BufferOfCore);
        let is_missing = |at: &usize| !came.contains(at) && (!has_buffers || self.begins_buffer(&records[*at].row));
        // The next one in its sequence reveals a missing one.
        let is_shown = |at: &usize| {
            let Some((group, _)) = self.capture.groups else { return true };
            let is_numbered = |at: usize| !has_buffers || self.begins_buffer(&records[at].row);
            let mut later = (*at + 1..seen).filter(|later| came.contains(later) && is_numbered(*later));
            later.any(|later| group(&records[later].row) == group(&records[*at].row))
        };
        let missing = (0..records.len()).filter(is_missing).count() as u64;
        let missed = (0..seen).filter(is_missing).filter(is_shown).count() as u64;
        let lost = found.lost.saturating_sub(self.concluded.lost);
        if lost > missing {
            return Some(format!("{lost} lost, {missing} are"));
        }
        if found.is_exact && lost != missed {
            return Some(format!("exactly {lost} lost, {missed} are"));
        }
        let is_silent = found.doubts == 0 && (0..seen).filter(is_shown).any(|at| !came.contains(&at));
        is_silent.then(|| format!("{missed} are missing, and nothing says so"))
    }

    /// What is claimed to be known about objects after a record, or after the last row, but is untrue.
    fn untrue(&self, truth: &Known, known: &Known, row: Option<&Row>) -> Option<String> {
        let true_ones: HashMap<Key, &TrackedObject> = truth.iter().map(|(key, object, ..)| (*key, object)).collect();
        let at = row.map_or_else(|| "the end".to_owned(), |row| row.pos.to_string());
        for (key, object, is_sure, is_level_sure) in known {
            // Records that only report the time may precede what reveals a loss.
            let is_about = |row: &Row| {
                let is_same =
                    |(of_row, of_object): Groups| of_row(row) == of_object(key) && row.has(RowFlags::HAS_OBJECT);
                self.capture.groups.is_none_or(is_same)
            };
            if row.is_some_and(|row| !is_about(row)) {
                continue;
            }
            let truth = true_ones.get(key);
            if *is_sure && object.state != ObjectState::Unknown && truth.is_none_or(|truth| !agree(truth, object)) {
                let truth = truth.map(|truth| truth.state);
                return Some(format!("at {at}: {key:?} is {:?}, not {truth:?}", object.state));
            }
            let level = |object: &TrackedObject| object.level.map(|level| level.fill);
            if *is_level_sure && truth.is_some_and(|truth| level(truth) != level(object)) {
                return Some(format!("at {at}: the level of {key:?} is {:?}", level(object)));
            }
        }
        None
    }

    /// A figure that claims more than the truth.
    fn figures(&self, found: &Concluded) -> Option<String> {
        for of in measure::Measure::all().filter(|of| *of != measure::Measure::Rate) {
            let truth = sums(&self.concluded.statistics, of);
            for (subject, claimed) in sums(&found.statistics, of) {
                let is_true =
                    |truth: &(u64, u64, u64)| claimed.0 <= truth.0 && claimed.1 >= truth.1 && claimed.2 <= truth.2;
                if !truth.get(&subject).is_some_and(is_true) {
                    return Some(format!("{of:?} of {subject:?} is {claimed:?}, not {:?}", truth.get(&subject)));
                }
            }
        }
        None
    }

    /// A slice that no slice of the undamaged trace contains. The holder of a lock may be unknown.
    fn untrue_slice(&self, traced: &[Slice], is_cut: bool) -> Option<String> {
        let holds = |slice: &Slice, held: &Slice| {
            let end = |slice: &Slice| slice.end.unwrap_or(u64::MAX);
            let is_long = match (self.capture.sums_times, held.end) {
                (_, None) if is_cut => true,
                (true, _) => end(slice).saturating_sub(slice.begin) >= end(held).saturating_sub(held.begin),
                (false, _) => slice.begin <= held.begin && end(slice) >= end(held),
            };
            slice.track == held.track && slice.name.starts_with(held.name.as_str()) && is_long
        };
        // In QNX the name of a process may be missing, and its tracks with it.
        let is_named = |held: &Slice| self.slices.iter().any(|slice| slice.track == held.track);
        let certain = traced.iter().filter(|slice| !slice.name.starts_with('~') && is_named(slice));
        let mut untrue = certain.filter(|held| !self.slices.iter().any(|slice| holds(slice, held)));
        untrue.next().map(|slice| {
            let of_track = self.slices.iter().filter(|other| other.track == slice.track);
            let near: Vec<_> =
                of_track.filter(|other| other.end.is_none_or(|end| end >= slice.begin)).take(2).collect();
            format!("no slice {slice:?}, but {near:?}")
        })
    }
}

/// Number of values, the least and the greatest, by object and core.
type Sums = BTreeMap<(Option<Key>, u16), (u64, u64, u64)>;

fn sums(statistics: &Statistics, of: measure::Measure) -> Sums {
    let mut sums = Sums::new();
    for (subject, sum) in statistics.tally.sums(of) {
        let extreme = |extreme: Option<_>, none| extreme.map_or(none, |extreme: Extreme| extreme.value);
        let all = sums.entry((subject.object, subject.core)).or_insert((0, u64::MAX, 0));
        let (least, greatest) = (extreme(sum.least, u64::MAX), extreme(sum.greatest, 0));
        *all = (all.0 + sum.values.count, all.1.min(least), all.2.max(greatest));
    }
    sums
}

/// Whether states are equal, whatever record reported them.
fn agree(one: &TrackedObject, other: &TrackedObject) -> bool {
    match (one.state, other.state) {
        (ObjectState::Task(one), ObjectState::Task(other)) => one.doing == other.doing,
        // Levels are compared as such: an empty queue's state depends on what it counts.
        (ObjectState::Level(_), ObjectState::Level(_)) => true,
        (one, other) => one == other,
    }
}
