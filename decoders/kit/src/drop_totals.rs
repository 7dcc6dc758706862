//! Totals of dropped records. A target tells how many records it has dropped since it started; each of them is missing in
//! the sequence numbers, too. These have 8 bits: a gap hides multiples of 256, until a total tells.

use spytui_plugin_api::host::Growth;

/// What the numbers of a gap can't tell apart.
const ROUND: u64 = 256;
/// Totals from here on may wrap around; those below the second limit may follow a wrap.
const NEAR_WRAP: u32 = 0xF000_0000;
const BEHIND_WRAP: u32 = 0x1000_0000;

/// The last total of a target, and the gaps since then.
#[derive(Clone, Debug, Default)]
pub(crate) struct DropTotals {
    /// `None`: the start of the target was not seen, so its first total has what was dropped before.
    last: Option<u32>,
    gaps: Gaps,
    /// Position of the last gap before the last total, if it has not grown.
    earlier: Option<u64>,
}

/// Gaps since the last total.
#[derive(Clone, Copy, Debug, Default)]
struct Gaps {
    /// Records lost, as far as numbers tell.
    lost: u64,
    /// Those of them known to be lost behind the target.
    linked: u64,
    /// Position of the gap that grows: the last one in which the target may have dropped records.
    pos: Option<u64>,
    /// It is such a gap, not one that the link explains.
    is_own: bool,
}

impl DropTotals {
    /// The target starts.
    pub(crate) fn start(&mut self) {
        *self = DropTotals { last: Some(0), ..DropTotals::default() };
    }

    /// Takes a gap at a position; `linked` of its lost records are known to be lost behind the target.
    pub(crate) fn gap(&mut self, pos: u64, lost: u8, linked: u64) {
        let lost = u64::from(lost);
        let linked = linked.min(lost);
        let is_own = lost > linked;
        let gaps = &mut self.gaps;
        gaps.lost += lost;
        gaps.linked += linked;
        if is_own || !gaps.is_own {
            (gaps.pos, gaps.is_own) = (Some(pos), is_own);
        }
    }

    /// Takes a total; which gap has more losses than it told.
    pub(crate) fn total(&mut self, total: u32) -> Option<Growth> {
        let dropped = match self.last {
            Some(last) if total >= last || (last >= NEAR_WRAP && total < BEHIND_WRAP) => total.wrapping_sub(last),
            // A target whose start was not seen, or another one: the count is of these gaps only if their numbers agree.
            _ if self.gaps.agree_with(total) => total,
            _ => 0,
        };
        let more = self.gaps.missing(dropped.into());
        // Without a gap, numbers may hide all of them: the gap before has them, else the next one.
        let hidden = self.gaps.pos.is_none() && more > 0 && more.is_multiple_of(ROUND);
        if hidden && self.earlier.is_none() {
            return None;
        }
        self.last = Some(total);
        let gaps = std::mem::take(&mut self.gaps);
        let grows = if hidden { self.earlier } else { gaps.pos.filter(|_| more > 0) };
        self.earlier = if grows.is_some() { None } else { gaps.pos.or(self.earlier) };
        grows.map(|pos| Growth { pos, more })
    }
}

impl Gaps {
    /// Whether so many records may be lost here and nowhere else.
    fn agree_with(self, dropped: u32) -> bool {
        let hidden = u64::from(dropped).checked_sub(self.lost);
        self.lost > 0 && self.linked == 0 && hidden.is_some_and(|hidden| hidden.is_multiple_of(ROUND))
    }

    /// How many of the dropped records the gaps don't tell.
    fn missing(self, dropped: u64) -> u64 {
        let missing = dropped.saturating_sub(self.lost - self.linked);
        let whole = (missing + ROUND / 2) / ROUND * ROUND;
        // It is not certain how many records were lost behind the target: a damaged flag makes one frame of two. The
        // numbers are.
        if missing.abs_diff(whole) <= self.linked { whole } else { missing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A target that has started, with gaps at positions 0, 1, … of so many lost records, of which some are linked.
    fn started(gaps: &[(u8, u64)]) -> DropTotals {
        let mut totals = DropTotals::default();
        totals.start();
        with(totals, gaps)
    }

    fn with(mut totals: DropTotals, gaps: &[(u8, u64)]) -> DropTotals {
        (0..).zip(gaps).for_each(|(pos, &(lost, linked))| totals.gap(pos, lost, linked));
        totals
    }

    fn grown(totals: DropTotals, total: u32) -> Option<(u64, u64)> {
        totals.clone().total(total).map(|growth| (growth.pos, growth.more))
    }

    #[test]
    fn the_last_gap_grows_by_what_is_missing() {
        assert_eq!(grown(started(&[(160, 0)]), 4_000), Some((0, 3_840)));
        assert_eq!(grown(started(&[(3, 0), (5, 0)]), 264), Some((1, 256)));
        assert_eq!(grown(started(&[(3, 0)]), 10), Some((0, 7)), "even if the numbers do not agree");
        for told in [0, 5, 8] {
            assert_eq!(grown(started(&[(3, 0), (5, 0)]), told), None, "the gaps tell {told} and more");
        }
    }

    #[test]
    fn what_the_link_lost_is_not_of_the_target() {
        // Three frames came damaged before and behind the burst, or within its gap.
        assert_eq!(grown(started(&[(2, 2), (160, 0), (1, 1)]), 4_000), Some((1, 3_840)));
        assert_eq!(grown(started(&[(163, 3)]), 4_000), Some((0, 3_840)));
        // One of them was two frames, or part of one.
        assert_eq!(grown(started(&[(4, 3), (160, 0)]), 4_000), Some((1, 3_840)));
        assert_eq!(grown(started(&[(101, 2)]), 100), None);
        // More were lost on the link than in the target.
        assert_eq!(grown(started(&[(250, 250), (250, 250), (44, 0)]), 300), Some((2, 256)));
        // The target dropped while the link was away, only then.
        assert_eq!(grown(started(&[(94, 94)]), 300), Some((0, 256)));
    }

    #[test]
    fn each_total_is_for_the_gaps_since_the_last() {
        let mut totals = started(&[(160, 0)]);
        assert_eq!(totals.total(4_000).map(|growth| growth.more), Some(3_840));
        assert_eq!(totals.total(4_000), None);
        totals.gap(9, 1, 0);
        assert_eq!(totals.total(4_257), Some(Growth { pos: 9, more: 256 }));
        totals.gap(12, 7, 0);
        assert_eq!(totals.total(4_264), None);
    }

    #[test]
    fn a_new_start_counts_anew() {
        let mut totals = started(&[(160, 0)]);
        totals.total(4_000);
        totals.gap(5, 3, 0);
        totals.start();
        assert_eq!(totals.total(9), None, "there is no gap since the start");
        totals.start();
        totals.gap(7, 4, 0);
        assert_eq!(totals.total(260), Some(Growth { pos: 7, more: 256 }));
    }

    #[test]
    fn what_was_dropped_before_the_host_came_is_in_no_gap() {
        let late = with(DropTotals::default(), &[(3, 0)]);
        assert_eq!(grown(late.clone(), 5_000), None);
        assert_eq!(grown(DropTotals::default(), 512), None);
        let mut late = late;
        late.total(5_000);
        late.gap(8, 44, 0);
        assert_eq!(late.total(5_300), Some(Growth { pos: 8, more: 256 }), "from then on it is known");
        assert_eq!(grown(with(DropTotals::default(), &[(160, 0)]), 4_000), Some((0, 3_840)), "the numbers agree");
    }

    #[test]
    fn a_total_that_fell_or_wrapped() {
        let mut totals = started(&[(160, 0)]);
        totals.total(4_000);
        totals.gap(5, 3, 0);
        assert_eq!(totals.total(900), None, "another target, or a reset that was not seen");
        totals.gap(6, 3, 0);
        assert_eq!(totals.total(1_159), Some(Growth { pos: 6, more: 256 }));
        let mut totals = started(&[(255, 0)]);
        totals.total(u32::MAX);
        totals.gap(6, 4, 0);
        assert_eq!(totals.total(259), Some(Growth { pos: 6, more: 256 }));
    }

    #[test]
    fn a_drop_that_leaves_no_gap_is_of_another() {
        let mut totals = started(&[(3, 0)]);
        assert_eq!(totals.total(3), None);
        assert_eq!(totals.total(259), Some(Growth { pos: 0, more: 256 }), "the gap before");
        assert_eq!(totals.total(515), None, "a gap grows once");
        totals.gap(6, 1, 0);
        assert_eq!(totals.total(516), Some(Growth { pos: 6, more: 256 }), "the next one");
        let mut totals = started(&[]);
        assert_eq!(totals.total(256), None);
        totals.gap(6, 1, 0);
        assert_eq!(totals.total(257), Some(Growth { pos: 6, more: 256 }));
        let mut totals = started(&[]);
        assert_eq!(totals.total(44), None, "the target does not number what it drops");
        totals.gap(6, 3, 0);
        assert_eq!(totals.total(47), None);
    }

    proptest! {
        /// Drops and lost frames in any order, told after any of them: in the end nothing is missing.
        #[test]
        fn the_sum_is_what_was_lost(
            steps in prop::collection::vec((0..2_000_u32, 0..3_u64, any::<bool>()), 1..30),
        ) {
            let (mut totals, mut dropped, mut linked, mut told) = (started(&[]), 0, 0, 0);
            for (pos, (drops, damaged, tells)) in (0..).zip(steps) {
                // What leaves no gap hides that a frame came damaged, too.
                let drops = drops + u32::from(damaged > 0 && (u64::from(drops) + damaged).is_multiple_of(ROUND));
                dropped += drops;
                linked += damaged;
                let lost = ((u64::from(drops) + damaged) % ROUND) as u8;
                if lost > 0 {
                    totals.gap(pos, lost, damaged);
                }
                told += u64::from(lost);
                if tells {
                    told += totals.total(dropped).map_or(0, |growth| growth.more);
                }
            }
            totals.gap(99, 1, 0);
            told += 1 + totals.total(dropped + 1).map_or(0, |growth| growth.more);
            prop_assert_eq!(told, u64::from(dropped) + 1 + linked);
        }
    }
}
