//! State of each core: its time and running task.

use spytui_plugin_api::NONE;
use spytui_plugin_layer::Clock;

/// Maximum number of cores kept. Targets have up to four, but damaged events may contain any number.
const MOST: usize = 64;

/// Rows have 16 bits for the core; the maximum means all cores.
const LAST_CORE: u64 = NONE as u64 - 1;

/// Converts the core in a core event to a row's core.
pub(crate) fn core_of(core: u64) -> u16 {
    core.min(LAST_CORE) as u16
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Core {
    pub(crate) id: u16,
    pub(crate) stamp: Option<u64>,
    /// Its clock, only set by time stamps.
    pub(crate) clock: Clock,
    pub(crate) task: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Cores {
    pub(crate) now: Core,
    others: Vec<Core>,
    /// The clock of cores not seen yet. All cores read the same counter.
    clock: Clock,
    /// A core event may have been lost since the last one.
    is_doubtful: bool,
}

impl Cores {
    pub(crate) fn new(id: u16, clock: Clock) -> Cores {
        let now = Core { id, clock: clock.clone(), ..Core::default() };
        Cores { now, others: Vec::new(), clock, is_doubtful: false }
    }

    pub(crate) fn switch(&mut self, id: u16) {
        self.is_doubtful = false;
        if id == self.now.id {
            return;
        }
        let known = self.others.iter().position(|core| core.id == id);
        let new = || Core { id, clock: self.clock.clone(), ..Core::default() };
        let next = known.map_or_else(new, |at| self.others.remove(at));
        if self.others.len() == MOST {
            self.others.remove(0);
        }
        self.others.push(std::mem::replace(&mut self.now, next));
    }

    /// The clock of a core, if it has had a time stamp.
    pub(crate) fn clock(&self, id: u16) -> Option<&Clock> {
        let mut all = std::iter::once(&self.now).chain(&self.others);
        all.find(|core| core.id == id).map(|core| &core.clock).filter(|clock| clock.is_known())
    }

    /// Copies what is known about the counter from the current core to all cores.
    pub(crate) fn share_counter(&mut self) {
        let Cores { now, others, clock, .. } = self;
        others.iter_mut().map(|core| &mut core.clock).chain([clock]).for_each(|other| other.share_counter(&now.clock));
    }

    /// Notes that events may be missing: other tasks may run, and with several cores the next events may be from
    /// another one.
    pub(crate) fn lost(&mut self) {
        self.is_doubtful |= !self.others.is_empty();
        std::iter::once(&mut self.now).chain(&mut self.others).for_each(|core| core.task = None);
    }

    pub(crate) fn is_certain(&self) -> bool {
        !self.is_doubtful
    }

    pub(crate) fn forget(&mut self) {
        self.others.clear();
        self.now = Core { id: self.now.id, clock: self.clock.clone(), ..Core::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_keep_what_is_known_of_them() {
        let mut cores = Cores::new(0, Clock::new(0));
        cores.now.task = Some(7);
        cores.switch(1);
        assert_eq!((cores.now.id, cores.now.stamp, cores.now.task), (1, None, None));
        cores.now.stamp = Some(5);
        cores.switch(0);
        assert_eq!((cores.now.task, cores.now.stamp), (Some(7), None));
        cores.switch(1);
        assert_eq!(cores.now.stamp, Some(5));

        cores.now.task = Some(3);
        cores.lost();
        assert_eq!((cores.now.task, cores.is_certain()), (None, false));
        cores.switch(0);
        assert_eq!((cores.now.task, cores.is_certain()), (None, true));
        cores.forget();
        cores.switch(0);
        assert_eq!((cores.now.id, cores.now.stamp, cores.now.task), (0, None, None));
    }

    #[test]
    fn noise_does_not_fill_the_memory() {
        let mut cores = Cores::new(0, Clock::new(0));
        (0..u16::MAX).for_each(|id| cores.switch(id));
        assert!(cores.others.len() <= MOST);
    }
}
