//! Selects the next source.

use super::sort_time::SortTime;
use crate::present::Clock;

/// Sort key of a row: epoch, then time; rows before the first time stamp first.
pub type SortKey = (u32, Option<i128>);

/// Head of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceHead {
    /// Its next row.
    Row(SortTime),
    /// No row yet; the next one may be earlier than those of the others.
    Waiting,
    /// No more rows.
    Ended,
}

/// Makes the ticks of different sources comparable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scales(Vec<Clock>);

impl Scales {
    /// From the clocks of all sources. If all clocks are alike, ticks are compared directly, so that a rate reported
    /// late does not change the order. A source without a rate uses that of the others.
    #[must_use]
    pub fn new(clocks: &[Clock]) -> Scales {
        let mut known = clocks.iter().copied().filter(Clock::known);
        let Some(first) = known.next() else { return Scales::default() };
        if clocks.iter().all(|c| !c.known() || c.runs_like(&first)) {
            return Scales::default();
        }
        Scales(clocks.iter().map(|&c| if c.known() { c } else { first }).collect())
    }

    /// Sort key of a source's sort time.
    #[must_use]
    pub fn key(&self, source: usize, stamp: SortTime) -> SortKey {
        let time = |ticks| self.0.get(source).map_or_else(|| i128::from(ticks), |clock| clock.position(ticks));
        (stamp.epoch, stamp.ticks.map(time))
    }
}

/// The source whose row is next: the one with the smallest key, the first of equals; `None` if there is none, or one
/// must be waited for. Rows that are `due` do not wait for a silent source.
pub fn next<K: Ord>(
    heads: &[SourceHead],
    key: impl Fn(usize, SortTime) -> K,
    due: impl FnOnce(usize) -> bool,
) -> Option<usize> {
    let mut first: Option<(K, usize)> = None;
    let mut silent = false;
    for (source, head) in heads.iter().enumerate() {
        match head {
            SourceHead::Row(stamp) => {
                let key = key(source, *stamp);
                if first.as_ref().is_none_or(|f| key < f.0) {
                    first = Some((key, source));
                }
            }
            SourceHead::Waiting => silent = true,
            SourceHead::Ended => {}
        }
    }
    first.map(|f| f.1).filter(|&source| !silent || due(source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use spytui_plugin_api::ClockEvent;

    fn at(ticks: u64) -> SourceHead {
        SourceHead::Row(SortTime { epoch: 0, ticks: Some(ticks) })
    }

    fn pick(heads: &[SourceHead], due: bool) -> Option<usize> {
        next(heads, |source, stamp| Scales::default().key(source, stamp), |_| due)
    }

    #[test]
    fn the_earliest_is_next_and_ties_go_by_source() {
        assert_eq!(pick(&[at(5), at(3), at(3)], false), Some(1));
        assert_eq!(pick(&[at(5), SourceHead::Ended, SourceHead::Row(SortTime::default())], false), Some(2));
        let later_epoch = SourceHead::Row(SortTime { epoch: 1, ticks: None });
        assert_eq!(pick(&[later_epoch, at(9)], false), Some(1));
        assert_eq!(pick(&[SourceHead::Ended, SourceHead::Ended], true), None);
    }

    #[test]
    fn a_silent_source_holds_up_only_what_is_not_due() {
        assert_eq!(pick(&[at(5), SourceHead::Waiting], false), None);
        assert_eq!(pick(&[at(5), SourceHead::Waiting], true), Some(0));
        assert_eq!(pick(&[SourceHead::Waiting, SourceHead::Ended], true), None);
    }

    fn clock(num: u64, den: u64, flags: u16, zero: i64) -> Clock {
        Clock::new(&ClockEvent { num, den, flags, zero, ..ClockEvent::default() })
    }

    #[test]
    fn ticks_compare_while_clocks_run_alike() {
        let unknown = Clock::default();
        assert_eq!(Scales::new(&[unknown, unknown]), Scales::default());
        assert_eq!(Scales::new(&[clock(25, 1, 0, 0), unknown, clock(50, 2, 0, 0)]), Scales::default());
        let scales = Scales::new(&[clock(10, 1, 0, 0), clock(25, 1, 0, 0), unknown]);
        let key = |source| scales.key(source, SortTime { epoch: 0, ticks: Some(100) }).1;
        assert_eq!([key(0), key(1), key(2)], [Some(1000), Some(2500), Some(1000)]);
    }

    #[test]
    fn a_clock_of_its_own_counts_from_its_own_zero() {
        let scales = Scales::new(&[clock(1, 1, 3, 1_000_000), clock(1, 1, 3, -5)]);
        let key = |source, ticks| scales.key(source, SortTime { epoch: 0, ticks: Some(ticks) }).1;
        assert_eq!((key(0, 7), key(1, 7)), (Some(1_000_007), Some(2)));
    }

    proptest! {
        /// Of sources that are in order the merge is what a stable sort gives.
        #[test]
        fn the_order_is_that_of_a_stable_sort(mut sources in prop::collection::vec(prop::collection::vec(0_u64..40, 0..30), 1..6)) {
            sources.iter_mut().for_each(|s| s.sort_unstable());
            let mut sorted: Vec<(u64, usize)> =
                sources.iter().enumerate().flat_map(|(i, s)| s.iter().map(move |&t| (t, i))).collect();
            sorted.sort_by_key(|&(time, _)| time);
            let mut places = vec![0; sources.len()];
            let mut merged = Vec::new();
            loop {
                let heads: Vec<SourceHead> = sources.iter().zip(&places).map(|(s, &p): (_, &usize)| s.get(p).map_or(SourceHead::Ended, |&t| at(t))).collect();
                let Some(source) = pick(&heads, false) else { break };
                merged.push((sources[source][places[source]], source));
                places[source] += 1;
            }
            prop_assert_eq!(merged, sorted);
        }
    }
}
