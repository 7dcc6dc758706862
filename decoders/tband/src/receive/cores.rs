//! State of each core: its last time stamp and its running task.

use spytui_plugin_api::NONE;

/// Maximum number of cores kept. Targets have up to four, but damaged events may have any number.
const MOST: usize = 64;

/// Rows have 16 bits for the core; the greatest number means all cores.
const LAST_CORE: u64 = NONE as u64 - 1;

/// The core of a core event, as in rows.
pub(crate) fn core_of(core: u64) -> u16 {
    core.min(LAST_CORE) as u16
}

/// One core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Core {
    pub(crate) id: u16,
    /// Its last time stamp.
    pub(crate) stamp: Option<u64>,
    /// The task running on it.
    pub(crate) task: Option<u64>,
}

/// All cores, and the current one.
#[derive(Clone, Debug)]
pub(crate) struct Cores {
    pub(crate) now: Core,
    others: Vec<Core>,
    /// A core event may be missing since the last one.
    is_doubtful: bool,
}

impl Cores {
    pub(crate) fn new(id: u16) -> Cores {
        Cores { now: Core { id, ..Core::default() }, others: Vec::new(), is_doubtful: false }
    }

    /// Switches to another core.
    pub(crate) fn switch(&mut self, id: u16) {
        self.is_doubtful = false;
        if id == self.now.id {
            return;
        }
        let known = self.others.iter().position(|core| core.id == id);
        let next = known.map_or(Core { id, ..Core::default() }, |at| self.others.remove(at));
        if self.others.len() == MOST {
            self.others.remove(0);
        }
        self.others.push(std::mem::replace(&mut self.now, next));
    }

    /// The last time stamp of a core.
    pub(crate) fn stamp(&self, id: u16) -> Option<u64> {
        std::iter::once(&self.now).chain(&self.others).find(|core| core.id == id)?.stamp
    }

    /// Events may be missing: other tasks may run, and with several cores the events that follow may be of another one.
    pub(crate) fn lost(&mut self) {
        self.is_doubtful |= !self.others.is_empty();
        std::iter::once(&mut self.now).chain(&mut self.others).for_each(|core| core.task = None);
    }

    /// Whether it is known which core is the current one.
    pub(crate) fn is_certain(&self) -> bool {
        !self.is_doubtful
    }

    /// Forgets the state of all cores.
    pub(crate) fn forget(&mut self) {
        self.others.clear();
        self.now = Core { id: self.now.id, ..Core::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_keep_what_is_known_of_them() {
        let mut cores = Cores::new(0);
        cores.now.task = Some(7);
        cores.switch(1);
        assert_eq!(cores.now, Core { id: 1, ..Core::default() });
        cores.now.stamp = Some(5);
        cores.switch(0);
        assert_eq!((cores.now.task, cores.now.stamp), (Some(7), None));
        cores.switch(1);
        assert_eq!(cores.now.stamp, Some(5));
        assert_eq!([0, 1, 2].map(|id| cores.stamp(id)), [None, Some(5), None]);
        cores.now.task = Some(3);
        cores.lost();
        assert_eq!((cores.now.task, cores.is_certain()), (None, false));
        cores.switch(0);
        assert_eq!((cores.now.task, cores.is_certain()), (None, true));
        cores.forget();
        cores.switch(0);
        assert_eq!(cores.now, Core::default());
    }

    #[test]
    fn noise_does_not_fill_the_memory() {
        let mut cores = Cores::new(0);
        (0..u16::MAX).for_each(|id| cores.switch(id));
        assert!(cores.others.len() <= MOST);
    }
}
