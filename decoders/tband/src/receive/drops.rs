//! The target's count of dropped events: one for all cores, cumulative since the target started, repeated periodically.

/// Counts from here on may have wrapped around; below the second they may be what comes behind a wrap.
const NEAR_WRAP: u32 = 0xF000_0000;
const BEHIND_WRAP: u32 = 0x1000_0000;

/// What a count says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// Nothing: it is the one before.
    None,
    /// So many more were dropped.
    Dropped(u32),
    /// The target started again: the count fell since time went back. So many were dropped since.
    Reset(u32),
    /// The count fell, and nothing else speaks for a reset: that, or another target.
    Fell,
}

/// The count so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drops {
    count: u32,
    /// When it was told.
    stamp: u64,
    went_back: bool,
}

impl Drops {
    /// The last count.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Time went back.
    pub(crate) fn time_went_back(&mut self) {
        self.went_back = true;
    }

    /// Takes a count that was told at `stamp`.
    pub(crate) fn take(&mut self, count: u32, stamp: u64) -> News {
        let went_back = std::mem::take(&mut self.went_back);
        if count < self.count && stamp < self.stamp && !went_back {
            // Another core, whose events come later than they happened.
            return News::None;
        }
        self.stamp = stamp;
        let last = std::mem::replace(&mut self.count, count);
        if count == last {
            News::None
        } else if count > last {
            News::Dropped(count - last)
        } else if went_back {
            News::Reset(count)
        } else if last >= NEAR_WRAP && count < BEHIND_WRAP {
            News::Dropped(count.wrapping_sub(last))
        } else {
            News::Fell
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_news_when_it_changed() {
        let mut drops = Drops::default();
        let news = [0, 0, 44, 44, 45].map(|n| drops.take(n, 1));
        assert_eq!(news, [News::None, News::None, News::Dropped(44), News::None, News::Dropped(1)]);
    }

    #[test]
    fn a_lower_count_is_a_reset_a_wrap_or_another_target() {
        let mut drops = Drops::default();
        assert_eq!([5, 2, 9].map(|n| drops.take(n, 1)), [News::Dropped(5), News::Fell, News::Dropped(7)]);
        drops.time_went_back();
        assert_eq!([3, 3, 1].map(|n| drops.take(n, 1)), [News::Reset(3), News::None, News::Fell]);
        drops.take(u32::MAX - 1, 1);
        assert_eq!([2, 1].map(|n| drops.take(n, 1)), [News::Dropped(4), News::Fell]);
    }

    #[test]
    fn time_that_went_back_alone_is_no_loss() {
        let mut drops = Drops::default();
        drops.take(9, 1);
        drops.time_went_back();
        assert_eq!(drops.take(9, 1), News::None);
        assert_eq!(drops.take(4, 1), News::Fell);
    }

    #[test]
    fn what_another_core_said_before_is_no_news() {
        let mut drops = Drops::default();
        let news = [(5, 100), (2, 40), (5, 80), (7, 120), (3, 130)].map(|(n, at)| drops.take(n, at));
        assert_eq!(news, [News::Dropped(5), News::None, News::None, News::Dropped(2), News::Fell]);
    }
}
