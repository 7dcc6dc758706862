//! Fill levels with their low-water marks.

use spytui_plugin_api::{Activity, ActivityFlags as F, Verb as V};

use crate::replay::Key;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    pub fill: Fill,
    pub counts_free: bool,
    /// Fewest free elements, reported by the target or seen.
    pub fewest_free: Option<u64>,
    /// Most used elements seen.
    pub most_used: Option<u64>,
    /// Who last changed it, if known.
    pub by: Option<Key>,
    /// Losses before the level was reported.
    pub(super) said: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Number of used or free elements.
    Count(u64),
    /// It has no elements; the capacity may be unknown.
    Empty,
    Full,
}

impl Level {
    /// The level after an activity; `None` if the activity has no level.
    pub(super) fn after(before: Option<Level>, activity: &Activity, by: Option<Key>, said: u32) -> Option<Level> {
        let mut level = before.unwrap_or(Level {
            fill: Fill::Empty,
            counts_free: false,
            fewest_free: None,
            most_used: None,
            by: None,
            said,
        });
        match activity.verb {
            V::LEVEL => level.count(activity),
            V::EMPTY | V::CLEARED => level.fill = Fill::Empty,
            V::FULL => {
                level.fill = Fill::Full;
                level.fewest_free = Some(0);
            }
            _ => return None,
        }
        (level.by, level.said) = (by, said);
        Some(level)
    }

    fn count(&mut self, activity: &Activity) {
        self.counts_free = activity.flags.contains(F::FREE);
        let count = activity.val;
        self.fill = if count == 0 && !self.counts_free { Fill::Empty } else { Fill::Count(count) };
        // In a refused request the second value is the margin; 0 means no low-water mark.
        let reported = Some(activity.second).filter(|&low| low > 0 && !activity.flags.contains(F::FAILED));
        let least = |low: Option<u64>, more: Option<u64>| low.into_iter().chain(more).min();
        self.fewest_free = least(self.fewest_free, reported);
        if self.counts_free {
            self.fewest_free = least(self.fewest_free, Some(count));
        } else {
            self.most_used = self.most_used.max(Some(count));
        }
    }

    /// Used elements; `None` if the target counts free ones.
    pub fn used(&self) -> Option<u64> {
        match self.fill {
            Fill::Empty => Some(0),
            Fill::Count(count) if !self.counts_free => Some(count),
            Fill::Count(_) | Fill::Full => None,
        }
    }

    /// Free elements, if known.
    pub fn free(&self) -> Option<u64> {
        match self.fill {
            Fill::Full => Some(0),
            Fill::Count(count) if self.counts_free => Some(count),
            Fill::Count(_) | Fill::Empty => None,
        }
    }

    /// Used or free elements, as a state.
    pub(super) fn number(&self) -> u64 {
        match self.fill {
            Fill::Count(count) => count,
            Fill::Empty => {
                if self.counts_free {
                    u64::MAX
                } else {
                    0
                }
            }
            Fill::Full => {
                if self.counts_free {
                    0
                } else {
                    u64::MAX
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(activities: &[Activity]) -> Level {
        let levels = activities.iter().fold(None, |level, activity| Level::after(level, activity, None, 0));
        levels.expect("no level")
    }

    #[test]
    fn the_fewest_free_elements_are_reported_or_seen() {
        let free = |val, second| Activity::new(V::LEVEL).val(val).second(second).with(F::FREE);
        let level = after(&[free(7, 0), free(3, 0), free(5, 0)]);
        assert_eq!((level.fill, level.fewest_free), (Fill::Count(5), Some(3)));
        assert_eq!(after(&[free(7, 2), free(6, 0), Activity::new(V::EMPTY)]).fewest_free, Some(2));
        // The margin of a refused request is no low-water mark.
        assert_eq!(after(&[free(7, 1).with(F::FAILED)]).fewest_free, Some(7));
    }

    #[test]
    fn used_elements_have_a_maximum() {
        let used = |val| Activity::new(V::LEVEL).val(val);
        let level = after(&[used(2), used(4), used(0)]);
        assert_eq!((level.fill, level.most_used, level.fewest_free), (Fill::Empty, Some(4), None));
        let full = after(&[used(2), Activity::new(V::FULL)]);
        assert_eq!((full.fill, full.fewest_free), (Fill::Full, Some(0)));
        assert_eq!(Level::after(None, &Activity::new(V::POST), None, 0), None);
    }
}
