//! What is known of each core: how far its time got, and which task runs on it.

use spytui_plugin_api::NONE;

/// Most cores that are remembered; a target has four at most, noise may name any.
const MOST: usize = 64;

/// Lanes have 16 bits, and the last number stands for all of them.
const LAST_LANE: u64 = NONE as u64 - 1;

/// The lane of a core.
pub(crate) fn lane_of(core: u64) -> u16 {
    core.min(LAST_LANE) as u16
}

/// One core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) id: u16,
    /// Its last time stamp.
    pub(crate) stamp: Option<u64>,
    /// The task that runs on it.
    pub(crate) task: Option<u64>,
}

/// All cores, and the one whose events come now.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    pub(crate) now: Lane,
    others: Vec<Lane>,
}

impl Lanes {
    pub(crate) fn new(id: u16) -> Lanes {
        Lanes { now: Lane { id, ..Lane::default() }, others: Vec::new() }
    }

    /// Events of another core come from here on.
    pub(crate) fn switch(&mut self, id: u16) {
        if id == self.now.id {
            return;
        }
        let known = self.others.iter().position(|lane| lane.id == id);
        let next = known.map_or(Lane { id, ..Lane::default() }, |at| self.others.remove(at));
        if self.others.len() == MOST {
            self.others.remove(0);
        }
        self.others.push(std::mem::replace(&mut self.now, next));
    }

    /// The last time stamp of a core.
    pub(crate) fn stamp(&self, id: u16) -> Option<u64> {
        std::iter::once(&self.now).chain(&self.others).find(|lane| lane.id == id)?.stamp
    }

    /// Whether no core said anything yet.
    pub(crate) fn are_blank(&self) -> bool {
        self.now.stamp.is_none() && self.others.is_empty()
    }

    /// Nothing is known of any core any more.
    pub(crate) fn forget(&mut self) {
        self.others.clear();
        self.now = Lane { id: self.now.id, ..Lane::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_keep_what_is_known_of_them() {
        let mut lanes = Lanes::new(0);
        lanes.now.task = Some(7);
        lanes.switch(1);
        assert_eq!(lanes.now, Lane { id: 1, ..Lane::default() });
        lanes.now.stamp = Some(5);
        lanes.switch(0);
        assert_eq!((lanes.now.task, lanes.now.stamp), (Some(7), None));
        lanes.switch(1);
        assert_eq!(lanes.now.stamp, Some(5));
        assert_eq!([0, 1, 2].map(|id| lanes.stamp(id)), [None, Some(5), None]);
        assert!(!lanes.are_blank());
        lanes.forget();
        assert!(lanes.are_blank());
        lanes.switch(0);
        assert_eq!(lanes.now, Lane::default());
    }

    #[test]
    fn noise_does_not_fill_the_memory() {
        let mut lanes = Lanes::new(0);
        (0..u16::MAX).for_each(|id| lanes.switch(id));
        assert!(lanes.others.len() <= MOST);
    }
}
