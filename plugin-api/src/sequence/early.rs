//! Frames that came before the start of the target. The target was running and has started again, or they have overtaken
//! its start: then they are missing after it, and the next frame is later than they are.

use crate::growth::Growth;

/// What came before the start of the target, if that was not much.
#[derive(Clone, Debug)]
pub(super) struct Early {
    /// Numbers of the frames.
    pub(super) numbers: Vec<u64>,
    /// What takes their gaps back.
    pub(super) gaps: Vec<Growth>,
    /// Their first time.
    pub(super) time: Option<u64>,
}

impl Early {
    /// How many of the `len` frames that are missing before one with a time these are; `next` = number of the first.
    pub(super) fn among(&self, next: u64, len: u64, mask: u64, time: Option<u64>) -> u64 {
        let missing = self.numbers.iter().filter(|&&number| number.wrapping_sub(next) & mask < len).count();
        let are_of_start = match self.time.zip(time) {
            Some((early, time)) => early <= time,
            None => missing == self.numbers.len() && missing as u64 == len,
        };
        if are_of_start { missing as u64 } else { 0 }
    }

    /// Their numbers, from `first` on.
    pub(super) fn in_order(&self, first: u64, mask: u64) -> impl Iterator<Item = u64> {
        let mut numbers = self.numbers.clone();
        numbers.sort_unstable_by_key(|number| number.wrapping_sub(first) & mask);
        numbers.into_iter()
    }
}
