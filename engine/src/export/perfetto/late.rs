//! Activities of records without a time stamp. They happened between two stamps and hold from the second one on, where
//! they are shown.

use crate::replay::Id;

/// Maximum number of deferred activities; only streams without time stamps exceed it.
const MOST: usize = 4096;

/// An activity waiting for the next time stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Late {
    /// A timer is no longer armed.
    Disarmed(Id),
    Tick(Id, u64),
}

#[derive(Debug, Default)]
pub(super) struct LateOnes {
    waiting: Vec<Late>,
    /// Number of ticks that share the time of another one.
    together: u64,
}

impl LateOnes {
    /// Adds an activity; `true` if too many are waiting.
    pub(super) fn add(&mut self, late: Late) -> bool {
        self.waiting.push(late);
        self.waiting.len() >= MOST
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn take(&mut self) -> Vec<Late> {
        let mut counts: Vec<(Id, u64)> = Vec::new();
        for late in &self.waiting {
            let Late::Tick(rate, _) = *late else { continue };
            match counts.iter_mut().find(|(of, _)| *of == rate) {
                Some((_, count)) => *count += 1,
                None => counts.push((rate, 1)),
            }
        }
        self.together += counts.iter().map(|(_, count)| *count).filter(|count| *count > 1).sum::<u64>();
        std::mem::take(&mut self.waiting)
    }

    /// Number of ticks that share the time of another one, because no stamp is between them.
    pub(super) fn together(&self) -> u64 {
        self.together
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_between_two_stamps_are_counted() {
        let mut late = LateOnes::default();
        for (ticks, together) in [(1, 0), (3, 3), (1, 3), (2, 5)] {
            assert!((0..ticks).all(|tick| !late.add(Late::Tick(Id(7), tick))));
            late.add(Late::Disarmed(Id(1)));
            late.add(Late::Tick(Id(8), 0));
            assert_eq!((late.take().len() as u64, late.together()), (ticks + 2, together));
        }
        assert!(late.is_empty() && !late.add(Late::Disarmed(Id(1))));
    }
}
