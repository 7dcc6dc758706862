//! 8-bit sequence numbers, and the totals of dropped records that a target reports: dropped records are also missing in
//! the numbers, so a gap hides multiples of 256 until a total reveals them. Finds the user record with the total by name
//! or option.

use std::collections::BTreeMap;

use spytui_plugin_api::{AttachmentId, Growth, Output, Row, batch::lost, info::Opt};
use spytui_plugin_layer::{
    Clock,
    sequence::{self, Decision, FramePlace, Lost, Numbered, Step, Taken},
};

/// Sequence numbers of a stream, and damage since the last valid frame.
#[derive(Clone, Debug)]
pub struct StreamSequence {
    pub numbers: sequence::Sequence,
    drops: DropTotals,
    /// Position of the last gap for which a loss is undecided.
    open: Option<u64>,
}

impl Default for StreamSequence {
    fn default() -> Self {
        StreamSequence { numbers: sequence::Sequence::new(8), drops: DropTotals::default(), open: None }
    }
}

impl StreamSequence {
    #[inline]
    pub fn expected(&self) -> Option<u8> {
        self.numbers.expected().map(|number| number as u8)
    }

    /// Whether a frame is the next one, which `numbers` may take as a plain one.
    #[inline]
    pub fn is_plain(&self, seq: u8) -> bool {
        self.numbers.is_plain(seq.into())
    }

    /// Distance from the expected number; `None` before the first valid frame.
    pub fn distance(&self, seq: u8) -> Option<u8> {
        self.expected().map(|e| seq.wrapping_sub(e))
    }

    /// Takes a valid frame classified as `step` and adds rows for what it reveals. `note` fills in what all rows of the
    /// stream share.
    pub fn take(
        &mut self,
        step: Step,
        frame: &Numbered<'_>,
        of_stream: (&Clock, impl Fn(Row) -> Row),
        out: &mut Output<'_>,
    ) -> FramePlace {
        let Taken { place, gap, settled } = self.numbers.take(step, frame, of_stream, out);
        let is_in_doubt = step == Step::Decided(Decision::Return);
        settled.iter().for_each(|growth| self.drops.changed(growth, is_in_doubt));
        self.add_to_drops(gap);
        place
    }

    fn add_to_drops(&mut self, gap: Option<Lost>) {
        if let Some(Lost { pos, lost, linked }) = gap {
            self.open = Some(pos).filter(|_| lost == 0);
            self.drops.gap(pos, u8::try_from(lost).unwrap_or(u8::MAX), linked);
        }
    }

    /// Starts the numbers at this one.
    pub fn begin(&mut self, seq: u8) {
        self.numbers.begin(seq.into());
    }

    /// Resets the drop total, because the target starts.
    pub fn start_drops(&mut self) {
        self.drops.start();
    }

    /// Whether a reported total proves that an out-of-order frame follows the loss of dropped records. Then it is in
    /// order.
    pub fn proves(&mut self, total: u32, out: &mut Output<'_>) -> bool {
        let lost = self.numbers.prove(self.drops.unexplained(total), out);
        self.add_to_drops(lost);
        lost.is_some()
    }

    /// Takes a reported drop total. Call it just before the row of the record is added. Returns whether it includes
    /// records that no gap had shown.
    pub fn drop_total(&mut self, total: u32, out: &mut Output<'_>) -> bool {
        let report = self.drops.total(total);
        if report.dropped.is_some_and(|dropped| dropped > 0) {
            self.numbers.proven();
        }
        for mut growth in report.settled {
            if growth.more > 0 && self.open == Some(growth.pos) {
                self.open = None;
                sequence::settle(Growth { how: lost::AT_LEAST, ..growth }, out);
                growth.more = 0;
            }
            sequence::settle(growth, out);
        }
        if let Some(dropped) = report.dropped {
            out.attachment(AttachmentId::DROPPED, dropped.into(), 0);
        }
        report.dropped.is_some()
    }
}

const NAME: &str = "STY_DROPS";

/// Option: the record with the total, if it has another name. Format files can set it (`drops(FIELD)`).
pub const DROPS: Opt<DropField> = Opt::text(
    "drops",
    DropField::parse,
    "user record with the total of dropped records, and the number of the element, such as MY_LOST(0); unset: STY_DROPS",
)
.never_guessed();

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropField {
    /// Name or number of the record.
    record: String,
    /// Index of the element; `None` = the only one.
    element: Option<usize>,
}

impl Default for DropField {
    fn default() -> Self {
        DropField { record: NAME.to_owned(), element: None }
    }
}

impl DropField {
    fn parse(text: &str) -> Result<DropField, String> {
        let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
        let field = parts.and_then(|(record, element)| Some((record, element.parse().ok()?)));
        match field {
            Some((record, element)) if !record.is_empty() => {
                Ok(DropField { record: record.to_owned(), element: Some(element) })
            }
            _ => Err("use the form RECORD(ELEMENT), elements from 0: MY_LOST(0)".to_owned()),
        }
    }

    /// Reads it from changed options, as `k=v` lines; `None` = not mentioned.
    pub fn in_options(text: &str) -> Option<DropField> {
        let value = text.lines().filter_map(|line| line.split_once('=')).rfind(|(key, _)| *key == DROPS.key)?.1;
        Some(DropField::parse(value.trim()).unwrap_or_default())
    }
}

#[derive(Clone, Debug, Default)]
pub struct DropRecord {
    field: DropField,
    /// Prefixes of the number of an unnamed user record.
    prefixes: &'static [&'static str],
    /// Its number, counted from the first user record, if declared by number.
    number: Option<u8>,
    /// Its id, if its name is known.
    id: Option<u8>,
    names: BTreeMap<u8, Vec<u8>>,
    /// Last number of each record that may be it, before its name arrives.
    unnamed: Vec<(u8, u32)>,
}

impl DropRecord {
    /// `prefixes` = prefixes of the number of an unnamed user record.
    pub fn new(field: DropField, prefixes: &'static [&'static str]) -> DropRecord {
        let names = BTreeMap::new();
        let mut record = DropRecord { field, prefixes, number: None, id: None, names, unnamed: Vec::new() };
        record.look_up();
        record
    }

    /// Looks for the total in another record from here on.
    pub fn declare(&mut self, field: DropField) {
        self.field = field;
        self.unnamed.clear();
        self.look_up();
    }

    fn look_up(&mut self) {
        let number = |prefix: &&str| self.field.record.strip_prefix(prefix)?.parse().ok();
        self.number = self.prefixes.iter().find_map(number);
        self.id =
            self.names.iter().find(|(_, name)| name.as_slice() == self.field.record.as_bytes()).map(|(id, _)| *id);
    }

    /// Takes the name of a user record; returns the total that it reported earlier, if it is the right record.
    pub fn name(&mut self, id: u8, name: &[u8]) -> Option<u32> {
        self.names.insert(id, name.to_vec());
        if name != self.field.record.as_bytes() {
            self.id = self.id.filter(|own| *own != id);
            return None;
        }
        self.id = Some(id);
        let unnamed = std::mem::take(&mut self.unnamed);
        unnamed.iter().find(|reported| reported.0 == id).map(|reported| reported.1)
    }

    /// Forgets the names, because they belong to another target.
    pub fn forget_names(&mut self) {
        self.names.clear();
        self.look_up();
    }

    /// Takes a user record with its id and the first user record's id; returns the total if it is the right record.
    /// `read` returns the number in an element; `None` = the only element.
    #[inline]
    pub fn record(&mut self, id: u8, first: u8, read: impl FnOnce(Option<usize>) -> Option<u32>) -> Option<u32> {
        let own = self.number.map_or(self.id, |number| first.checked_add(number));
        if own.is_some_and(|own| own != id) || (own.is_none() && self.number.is_some()) {
            return None;
        }
        let number = read(self.field.element)?;
        if own.is_some() {
            return Some(number);
        }
        match self.unnamed.iter_mut().find(|reported| reported.0 == id) {
            Some(reported) => reported.1 = number,
            None => self.unnamed.push((id, number)),
        }
        None
    }

    /// Forgets earlier reports, because the target starts.
    pub fn start(&mut self) {
        self.unnamed.clear();
    }
}

/// Range of the sequence numbers.
const ROUND: u64 = 256;
/// Whether a smaller total means a wrap: from near the maximum to near zero.
pub fn has_wrapped(last: u32, total: u32) -> bool {
    last >= 0xF000_0000 && total < 0x1000_0000
}

/// Maximum number of gaps that a total settles individually; more than a 100 kB/s line has per second.
const MOST: usize = 8192;

/// A target's last total, and the gaps since.
#[derive(Clone, Debug, Default)]
struct DropTotals {
    /// `None` = the start of the target was not seen, so its first total includes earlier drops.
    last: Option<u32>,
    /// The last total received; gaps may only be settled up to an earlier one.
    reported: Option<u32>,
    gaps: Gaps,
    /// Position of the last gap before the last total, unless it grew, and whether it is settled.
    earlier: Option<(u64, bool)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Report {
    /// Records dropped since the previous total; `None` = unknown.
    dropped: Option<u32>,
    settled: Vec<Growth>,
}

#[derive(Clone, Debug, Default)]
struct Gaps {
    /// Lost records according to sequence numbers.
    lost: u64,
    /// Records known to have been lost after leaving the target.
    linked: u64,
    /// Lost records in gaps without such a loss.
    clean: u64,
    /// Position of the gap to extend: the last one where the target may have dropped records.
    pos: Option<u64>,
    /// The target may have dropped records there; otherwise the link explains the gap.
    is_own: bool,
    /// Up to `MOST` gaps where the target may have dropped records: position, and how many records there were lost
    /// after leaving the target.
    own: Vec<(u64, u64)>,
    first: Option<u64>,
    /// In or before one of them, it is undecided whether records are lost.
    is_open: bool,
}

impl DropTotals {
    fn start(&mut self) {
        *self = DropTotals { last: Some(0), reported: Some(0), ..DropTotals::default() };
    }

    /// Takes a gap; `linked` of its lost records are known to be lost after leaving the target.
    fn gap(&mut self, pos: u64, lost: u8, linked: u64) {
        let lost = u64::from(lost);
        let linked = linked.min(lost);
        let is_own = lost > linked;
        let gaps = &mut self.gaps;
        gaps.first.get_or_insert(pos);
        gaps.is_open |= lost == 0;
        gaps.lost += lost;
        gaps.linked += linked;
        gaps.clean += if linked == 0 { lost } else { 0 };
        if is_own || !gaps.is_own {
            (gaps.pos, gaps.is_own) = (Some(pos), is_own);
        }
        if is_own && gaps.own.len() < MOST {
            gaps.own.push((pos, linked));
        }
    }

    /// Applies an update of a gap by later frames: records arrived late or, if `is_in_doubt`, were probably never sent.
    /// A total may still confirm such a gap.
    fn changed(&mut self, change: &Growth, is_in_doubt: bool) {
        let gaps = &mut self.gaps;
        if gaps.first.is_none_or(|first| change.pos < first) {
            return;
        }
        let other = if is_in_doubt { 0 } else { change.more };
        let linked = gaps.own.iter().find(|own| own.0 == change.pos).map_or(other, |own| own.1);
        gaps.take_away(change, linked);
        if linked > 0 && change.is_all() && !is_in_doubt {
            gaps.linked = gaps.linked.saturating_sub(linked);
        }
    }

    /// Number of records in a total that no gap shows.
    fn unexplained(&self, total: u32) -> u64 {
        self.new_since(self.last, total).map_or(0, |dropped| self.gaps.missing(dropped.into()))
    }

    /// Takes a total; returns what it reveals about earlier gaps.
    fn total(&mut self, total: u32) -> Report {
        let dropped = self.new_since(self.last, total);
        let reported = self.new_since(self.reported, total);
        self.reported = Some(total);
        let more = self.gaps.missing(dropped.unwrap_or(0).into());
        let gaps = std::mem::take(&mut self.gaps);
        self.gaps.is_open = gaps.is_open;
        if gaps.pos.is_none() && more > 0 && more.is_multiple_of(ROUND) {
            return Report { dropped: reported, settled: self.hidden(total, more) };
        }
        self.last = Some(total);
        let settled = match gaps.pos {
            Some(pos) if more > 0 => gaps.grown(pos, more),
            _ => gaps.settled(dropped.unwrap_or(0).into()),
        };
        if let Some(pos) = gaps.pos {
            let is_settled = settled.iter().any(|growth| growth.pos == pos);
            self.earlier = (more == 0).then_some((pos, is_settled));
        }
        Report { dropped: reported, settled }
    }

    /// Without a gap, the sequence numbers may hide all drops: then they belong to the previous gap, or to the next
    /// one.
    fn hidden(&mut self, total: u32, more: u64) -> Vec<Growth> {
        let Some((pos, was_settled)) = self.earlier.take() else { return Vec::new() };
        self.last = Some(total);
        vec![Growth { pos, more, how: if was_settled { lost::GREATER } else { lost::IN_SUM } }]
    }

    /// Number of records dropped between two totals.
    fn new_since(&self, before: Option<u32>, total: u32) -> Option<u32> {
        match before {
            Some(last) if total >= last || has_wrapped(last, total) => Some(total.wrapping_sub(last)),
            // After an unseen start, or for another target, the total applies to these gaps only if it agrees with
            // their numbers.
            _ => self.gaps.agree_with(total).then_some(total),
        }
    }
}

impl Gaps {
    /// Removes records that are not lost after all from a gap; `linked` of its records arrived damaged.
    fn take_away(&mut self, change: &Growth, linked: u64) {
        self.lost = self.lost.saturating_sub(change.more);
        if linked == 0 {
            self.clean = self.clean.saturating_sub(change.more);
        }
        if change.is_all() {
            self.is_open = true;
            self.own.retain(|own| own.0 != change.pos);
            self.is_own = !self.own.is_empty();
            self.pos = self.own.last().map(|own| own.0).or(self.pos);
        }
    }

    /// Whether exactly these gaps can account for `dropped` records.
    fn agree_with(&self, dropped: u32) -> bool {
        let hidden = u64::from(dropped).checked_sub(self.lost);
        self.lost > 0 && self.linked == 0 && hidden.is_some_and(|hidden| hidden.is_multiple_of(ROUND))
    }

    /// Number of dropped records that the gaps don't show.
    fn missing(&self, dropped: u64) -> u64 {
        let missing = (dropped + self.linked).saturating_sub(self.lost);
        let whole = (missing + ROUND / 2) / ROUND * ROUND;
        // The number of records lost after leaving the target is uncertain: a damaged flag joins two frames. Sequence
        // numbers are certain.
        if missing.abs_diff(whole) <= self.linked && !self.is_open { whole } else { missing }
    }

    /// Extends the gap at `pos`. If there are others, it is unknown which of them hides the additional records.
    fn grown(&self, pos: u64, more: u64) -> Vec<Growth> {
        let others = self.own.iter().filter(|own| own.0 != pos);
        let others = others.map(|own| Growth { pos: own.0, more: 0, how: lost::PART_OF_SUM });
        let mut list: Vec<Growth> = others.collect();
        let how = if list.is_empty() { lost::BY_TARGET } else { lost::IN_SUM };
        list.push(Growth { pos, more, how });
        list
    }

    /// The gaps that account for all drops, if they do. With damaged frames, only the sum shows how many of a gap's
    /// records the target dropped.
    fn settled(&self, dropped: u64) -> Vec<Growth> {
        let own = self.lost.saturating_sub(self.linked);
        let agrees = dropped > 0 && dropped >= self.clean && own.abs_diff(dropped) <= self.linked;
        let of_count = self.own.iter().filter(|(_, linked)| agrees && (*linked == 0 || own == dropped));
        of_count.map(|(pos, _)| Growth { pos: *pos, more: 0, how: lost::BY_TARGET }).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(record: &mut DropRecord, id: u8, number: u32) -> Option<u32> {
        record.record(id, 100, |_| Some(number))
    }

    #[test]
    fn a_name_may_come_later() {
        let mut record = DropRecord::new(DropField::default(), &[]);
        assert_eq!([(100, 7), (101, 9), (100, 8)].map(|(id, n)| number(&mut record, id, n)), [None; 3]);
        assert_eq!([record.name(101, b"TEMP"), record.name(100, NAME.as_bytes())], [None, Some(8)]);
        assert_eq!([(100, 9), (101, 9)].map(|(id, n)| number(&mut record, id, n)), [Some(9), None]);
        assert_eq!(record.name(100, b"TEMP"), None);
        assert_eq!(number(&mut record, 100, 10), None, "it is another record now");
    }

    #[test]
    fn a_record_is_declared_by_name_or_number() {
        let mut record = DropRecord::new(DropField::parse("MY_LOST(2)").unwrap(), &["USER+"]);
        assert_eq!([record.name(100, NAME.as_bytes()), record.name(101, b"MY_LOST")], [None; 2]);
        assert_eq!(record.record(101, 100, |element| element.map(|element| element as u32)), Some(2));
        assert_eq!(number(&mut record, 100, 7), None);
        record.declare(DropField::parse("USER+3(0)").unwrap());
        assert_eq!([(101, 7), (103, 8)].map(|(id, n)| number(&mut record, id, n)), [None, Some(8)]);
        assert_eq!(record.record(73, 70, |_| Some(9)), Some(9), "ids depend on the version");
        record.declare(DropField::parse("USER+200(0)").unwrap());
        assert_eq!([44, 100].map(|id| number(&mut record, id, 7)), [None; 2], "there is no such id");
        record.declare(DropField::default());
        assert_eq!(number(&mut record, 100, 7), Some(7), "its name came before");
    }

    #[test]
    fn the_option_has_record_and_element() {
        for text in ["", "MY_LOST", "MY_LOST()", "MY_LOST(x)", "MY_LOST(0", "(0)", "MY_LOST(-1)"] {
            assert!(DropField::parse(text).is_err(), "{text}");
        }
        assert_eq!(DropField::in_options("version=7\n"), None);
        assert_eq!(DropField::in_options("drops=\n"), Some(DropField::default()));
        assert_eq!(DropField::in_options("drops=A(1)"), DropField::parse("A(1)").ok());
    }

    /// A started target with gaps at positions 0, 1, …, given as lost records and how many of them are linked.
    fn started(gaps: &[(u8, u64)]) -> DropTotals {
        let mut totals = DropTotals::default();
        totals.start();
        with(totals, gaps)
    }

    fn with(mut totals: DropTotals, gaps: &[(u8, u64)]) -> DropTotals {
        (0..).zip(gaps).for_each(|(pos, &(lost, linked))| totals.gap(pos, lost, linked));
        totals
    }

    fn grown(mut totals: DropTotals, total: u32) -> Option<(u64, u64)> {
        grows(&mut totals, total)
    }

    /// The gap that a total extends, and by how much.
    fn grows(totals: &mut DropTotals, total: u32) -> Option<(u64, u64)> {
        totals.total(total).settled.iter().find(|growth| growth.more > 0).map(|growth| (growth.pos, growth.more))
    }

    /// Number of new drops in a total, and the gaps whose number becomes more certain.
    fn settles(mut totals: DropTotals, total: u32) -> (Option<u32>, Vec<(u64, u64)>) {
        let report = totals.total(total);
        (report.dropped, report.settled.iter().map(|growth| (growth.pos, growth.how)).collect())
    }

    #[test]
    fn a_total_settles_the_gaps_that_show_all_of_it() {
        let (exact, sum, part) = (lost::BY_TARGET, lost::IN_SUM, lost::PART_OF_SUM);
        assert_eq!(settles(started(&[(3, 0), (5, 0)]), 8), (Some(8), vec![(0, exact), (1, exact)]));
        assert_eq!(settles(started(&[(3, 0)]), 259), (Some(259), vec![(0, exact)]));
        // It is unknown which of them hides 256.
        assert_eq!(settles(started(&[(3, 0), (5, 0)]), 264), (Some(264), vec![(0, part), (1, sum)]));
        // Frames vanished in transit; it is unknown which.
        assert_eq!(settles(started(&[(3, 0), (5, 0)]), 5), (Some(5), vec![]));
        assert_eq!(settles(started(&[(3, 0)]), 0), (Some(0), vec![]));
    }

    #[test]
    fn gaps_by_damage_are_not_of_the_target() {
        let exact = lost::BY_TARGET;
        assert_eq!(settles(started(&[(1, 1), (5, 0), (4, 3)]), 6), (Some(6), vec![(1, exact), (2, exact)]));
        // A damaged flag joined two frames: the line lost one more than the number of damaged frames.
        assert_eq!(settles(started(&[(2, 1), (5, 0)]), 5), (Some(5), vec![(1, exact)]));
        // More than the damage explains.
        assert_eq!(settles(started(&[(1, 1), (5, 0), (6, 0)]), 6), (Some(6), vec![]));
    }

    #[test]
    fn a_settled_gap_may_grow_once() {
        let mut totals = started(&[(1, 0)]);
        assert_eq!(settles(totals.clone(), 1), (Some(1), vec![(0, lost::BY_TARGET)]));
        totals.total(1);
        assert_eq!(settles(totals, 3_841), (Some(3_840), vec![(0, lost::GREATER)]));
    }

    #[test]
    fn only_what_is_new_is_reported() {
        let mut totals = started(&[]);
        let mut dropped = |total| totals.total(total).dropped;
        assert_eq!([0, 3, 3, 259, 260].map(&mut dropped), [0, 3, 0, 256, 1].map(Some));
        assert_eq!([4, u32::MAX, 6].map(dropped), [None, Some(u32::MAX - 4), Some(7)], "it fell; it wrapped");
        let mut late = with(DropTotals::default(), &[(3, 0)]);
        assert_eq!([5_000, 5_007].map(|total| late.total(total).dropped), [None, Some(7)]);
    }

    #[test]
    fn the_list_of_gaps_is_bounded() {
        let mut totals = started(&[]);
        (0..20_000).for_each(|pos| totals.gap(pos, 1, 0));
        let report = totals.total(20_000);
        assert_eq!((report.dropped, report.settled.len()), (Some(20_000), MOST));
    }

    #[test]
    fn the_last_gap_grows_by_what_is_missing() {
        assert_eq!(grown(started(&[(160, 0)]), 4_000), Some((0, 3_840)));
        assert_eq!(grown(started(&[(3, 0), (5, 0)]), 264), Some((1, 256)));
        assert_eq!(grown(started(&[(3, 0)]), 10), Some((0, 7)), "even if the numbers do not agree");
        for reported in [0, 5, 8] {
            assert_eq!(grown(started(&[(3, 0), (5, 0)]), reported), None, "the gaps show {reported} and more");
        }
    }

    #[test]
    fn what_the_link_lost_is_not_of_the_target() {
        // Three frames were damaged before and after the burst, or within its gap.
        assert_eq!(grown(started(&[(2, 2), (160, 0), (1, 1)]), 4_000), Some((1, 3_840)));
        assert_eq!(grown(started(&[(163, 3)]), 4_000), Some((0, 3_840)));
        // Of the three damaged frames, one was two frames joined, or part of one.
        assert_eq!(grown(started(&[(4, 3), (160, 0)]), 4_000), Some((1, 3_840)));
        assert_eq!(grown(started(&[(101, 2)]), 100), None);
        // More were lost on the link than in the target.
        assert_eq!(grown(started(&[(250, 250), (250, 250), (44, 0)]), 300), Some((2, 256)));
        // The target dropped records only while the link was down.
        assert_eq!(grown(started(&[(94, 94)]), 300), Some((0, 256)));
    }

    #[test]
    fn each_total_is_for_the_gaps_since_the_last() {
        let mut totals = started(&[(160, 0)]);
        assert_eq!(grows(&mut totals, 4_000), Some((0, 3_840)));
        assert_eq!(grows(&mut totals, 4_000), None);
        totals.gap(9, 1, 0);
        assert_eq!(grows(&mut totals, 4_257), Some((9, 256)));
        totals.gap(12, 7, 0);
        assert_eq!(grows(&mut totals, 4_264), None);
    }

    #[test]
    fn a_new_start_counts_anew() {
        let mut totals = started(&[(160, 0)]);
        totals.total(4_000);
        totals.gap(5, 3, 0);
        totals.start();
        assert_eq!(grows(&mut totals, 9), None, "there is no gap since the start");
        totals.start();
        totals.gap(7, 4, 0);
        assert_eq!(grows(&mut totals, 260), Some((7, 256)));
    }

    #[test]
    fn what_was_dropped_before_the_host_came_is_in_no_gap() {
        let late = with(DropTotals::default(), &[(3, 0)]);
        assert_eq!(grown(late.clone(), 5_000), None);
        assert_eq!(grown(DropTotals::default(), 512), None);
        let mut late = late;
        late.total(5_000);
        late.gap(8, 44, 0);
        assert_eq!(grows(&mut late, 5_300), Some((8, 256)), "from then on it is known");
        assert_eq!(grown(with(DropTotals::default(), &[(160, 0)]), 4_000), Some((0, 3_840)), "the numbers agree");
    }

    #[test]
    fn a_total_that_fell_or_wrapped() {
        let mut totals = started(&[(160, 0)]);
        totals.total(4_000);
        totals.gap(5, 3, 0);
        assert_eq!(grows(&mut totals, 900), None, "another target, or a reset that was not seen");
        totals.gap(6, 3, 0);
        assert_eq!(grows(&mut totals, 1_159), Some((6, 256)));
        let mut totals = started(&[(255, 0)]);
        totals.total(u32::MAX);
        totals.gap(6, 4, 0);
        assert_eq!(grows(&mut totals, 259), Some((6, 256)));
    }

    #[test]
    fn a_drop_that_leaves_no_gap_is_of_another() {
        let mut totals = started(&[(3, 0)]);
        assert_eq!(grows(&mut totals, 3), None);
        assert_eq!(grows(&mut totals, 259), Some((0, 256)), "the gap before");
        assert_eq!(grows(&mut totals, 515), None, "a gap grows once");
        totals.gap(6, 1, 0);
        assert_eq!(grows(&mut totals, 516), Some((6, 256)), "the next one");
        let mut totals = started(&[]);
        assert_eq!(grows(&mut totals, 256), None);
        totals.gap(6, 1, 0);
        assert_eq!(grows(&mut totals, 257), Some((6, 256)));
        let mut totals = started(&[]);
        assert_eq!(grows(&mut totals, 44), None, "the target does not number what it drops");
        totals.gap(6, 3, 0);
        assert_eq!(grows(&mut totals, 47), None);
    }

    proptest! {
        /// Drops and lost frames in any order, reported after any of them: the final sum is right.
        #[test]
        fn the_sum_is_what_was_lost(
            steps in prop::collection::vec((0..2_000_u32, 0..3_u64, any::<bool>()), 1..30),
        ) {
            let (mut totals, mut dropped, mut linked, mut reported) = (started(&[]), 0, 0, 0);
            for (pos, (drops, damaged, reports)) in (0..).zip(steps) {
                // If no gap remains, nothing shows that a frame was damaged.
                let drops = drops + u32::from(damaged > 0 && (u64::from(drops) + damaged).is_multiple_of(ROUND));
                dropped += drops;
                linked += damaged;
                let lost = ((u64::from(drops) + damaged) % ROUND) as u8;
                if lost > 0 {
                    totals.gap(pos, lost, damaged);
                }
                reported += u64::from(lost);
                if reports {
                    reported += grows(&mut totals, dropped).map_or(0, |grown| grown.1);
                }
            }
            totals.gap(99, 1, 0);
            reported += 1 + grows(&mut totals, dropped + 1).map_or(0, |grown| grown.1);
            prop_assert_eq!(reported, u64::from(dropped) + 1 + linked);
        }
    }
}
