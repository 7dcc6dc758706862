//! Sections of code on cores (interrupts, critical sections, scheduler locks, held locks, spans) and armed timers.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, NONE, Verb as V};

use super::{
    change::{Change, Section},
    entity::{Id, Operands},
    row::Stamp,
};

/// Maximum number of open sections; bounds memory on noisy input.
const MOST: usize = 1 << 14;
const DEEPEST: usize = 64;
/// Maximum number of interrupts handled at once on all cores.
const MOST_INTERRUPTS: usize = 256;

#[derive(Debug, Clone, Default)]
pub(crate) struct Sections {
    /// Beginnings of each section, innermost last; [`NONE`] for sections that may end on another core.
    open: FxHashMap<(Section, u16), Vec<Stamp>>,
    /// Interrupts being handled, with their cores, innermost last.
    interrupts: Vec<(u16, Id)>,
    /// Armed timers, and whether each fires once.
    timers: FxHashMap<Id, bool>,
}

impl Sections {
    /// The outermost beginning of each open section, with its core.
    pub(crate) fn open(&self) -> impl Iterator<Item = (Section, Option<u16>, Stamp)> {
        let all = self.open.iter();
        all.filter_map(|((section, core), open)| {
            Some((*section, Some(*core).filter(|core| *core != NONE), *open.first()?))
        })
    }

    /// The innermost interrupt that a core handles.
    pub(crate) fn interrupt(&self, core: u16) -> Option<Id> {
        self.interrupts.iter().rev().find(|(of, _)| *of == core).map(|(_, isr)| *isr)
    }

    pub(super) fn lost(&mut self) {
        self.interrupts.clear();
    }

    /// A section begins or ends; unbalanced ends are ignored.
    pub(super) fn apply(&mut self, activity: &Activity, who: Operands, here: Stamp, out: &mut Vec<Change>) {
        let Activity { verb, flags, core, .. } = *activity;
        let section = match (verb, who.sub, who.obj) {
            (V::ISR_IN | V::ISR_OUT, Some(isr), _) => Section::Isr(isr),
            (V::CRIT_IN | V::CRIT_OUT, ..) => Section::Critical,
            (V::SCHED_LOCK | V::SCHED_UNLOCK, ..) => Section::Locked,
            (V::TAKE | V::GIVE, _, Some(lock)) if !flags.contains(F::FAILED) => Section::Held(lock),
            (V::BEGIN | V::END, Some(of), _) => Section::Span(of),
            _ => return,
        };
        let begins = matches!(verb, V::ISR_IN | V::CRIT_IN | V::SCHED_LOCK | V::TAKE | V::BEGIN);
        if let Section::Isr(isr) = section {
            self.interrupts(core, isr, begins);
        }
        // A thread may leave a section on another core, and so may the task that holds a lock.
        let apart = flags.contains(F::APART);
        let core = if apart || matches!(section, Section::Held(_)) { NONE } else { core };
        if !begins {
            let Some(open) = self.open.get_mut(&(section, core)) else { return };
            if let Some(begin) = open.pop() {
                out.push(Change::Leaves { section, core, begin, is_nested: !open.is_empty() });
            }
            return;
        }
        if self.open.len() >= MOST {
            self.open.retain(|_, open| !open.is_empty());
            if self.open.len() >= MOST {
                self.open.clear();
            }
        }
        let open = self.open.entry((section, core)).or_default();
        if let Some(begin) = open.last().copied().filter(|begin| begin.is_cut(&here)) {
            open.clear();
            out.push(Change::Leaves { section, core, begin, is_nested: false });
        }
        out.push(Change::Enters { section, core, is_nested: !open.is_empty() });
        if matches!(section, Section::Isr(_)) || apart {
            // Nesting is impossible: the previous end was not seen.
            open.clear();
        }
        if open.len() < DEEPEST {
            open.push(here);
        }
    }

    fn interrupts(&mut self, core: u16, isr: Id, begins: bool) {
        let known = self.interrupts.iter().rposition(|known| *known == (core, isr));
        match known {
            None if begins && self.interrupts.len() < MOST_INTERRUPTS => self.interrupts.push((core, isr)),
            Some(at) if !begins => {
                // Nested interrupts have ended too, unseen.
                let mut number = 0..;
                self.interrupts.retain(|(of, _)| number.next().is_some_and(|number| number < at) || *of != core);
            }
            _ => {}
        }
    }

    /// A timer was armed, disarmed or has fired; a one-shot timer is then disarmed.
    pub(super) fn timer(&mut self, activity: &Activity, timer: Id, out: &mut Vec<Change>) {
        match activity.verb {
            V::ARM => {
                if self.timers.insert(timer, activity.second == 0).is_some() {
                    out.push(Change::Disarmed { timer });
                }
                out.push(Change::Armed { timer });
            }
            V::FIRE if self.timers.get(&timer) != Some(&true) => {}
            _ if self.timers.remove(&timer).is_some() => out.push(Change::Disarmed { timer }),
            _ => {}
        }
    }
}

/// Whether a verb sends or handles a message, is a step of a machine, reports a level, or begins or ends a section.
pub(crate) fn is_of_interval(verb: V) -> bool {
    matches!(verb, V::POST | V::SEND | V::PULSE | V::SIGNAL | V::GET | V::RECEIVE | V::DISPATCH)
        || matches!(verb, V::TRAN | V::INTERNAL | V::IGNORED | V::UNHANDLED | V::DONE)
        || matches!(verb, V::LEVEL | V::EMPTY | V::CLEARED)
        || is_of_section(verb)
}

/// Whether a verb begins or ends a section.
pub(crate) fn is_of_section(verb: V) -> bool {
    matches!(verb, V::ISR_IN | V::ISR_OUT | V::CRIT_IN | V::CRIT_OUT | V::SCHED_LOCK | V::SCHED_UNLOCK)
        || matches!(verb, V::TAKE | V::GIVE | V::BEGIN | V::END)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The changes of what is entered and left, apart from nested ones.
    fn applied(sections: &mut Sections, activity: &Activity, isr: u32, losses: u32) -> Vec<(bool, Section, u16)> {
        let (who, here) = (Operands { sub: Some(Id(isr)), obj: None }, Stamp { losses, ..Stamp::default() });
        let mut out = Vec::new();
        sections.apply(activity, who, here, &mut out);
        let seen = out.into_iter().filter_map(|change| match change {
            Change::Enters { section, core, is_nested: false } => Some((true, section, core)),
            Change::Leaves { section, core, is_nested: false, .. } => Some((false, section, core)),
            _ => None,
        });
        seen.collect()
    }

    #[test]
    fn an_interrupt_is_in_or_out_on_each_lane() {
        let mut sections = Sections::default();
        let activity = |verb, core| Activity { core, ..Activity::new(verb) };
        let all = [
            (V::ISR_OUT, 0, 7),
            (V::ISR_IN, 0, 7),
            (V::ISR_IN, 0, 7),
            (V::ISR_IN, 1, 7),
            (V::ISR_IN, 0, 8),
            (V::ISR_OUT, 0, 7),
            (V::ISR_OUT, 0, 7),
        ];
        let out: Vec<_> =
            all.iter().flat_map(|&(verb, core, id)| applied(&mut sections, &activity(verb, core), id, 0)).collect();
        let isr = |id| Section::Isr(Id(id));
        assert_eq!(out, [(true, isr(7), 0), (true, isr(7), 1), (true, isr(8), 0), (false, isr(7), 0)]);
        // The inner one has ended, unseen.
        assert_eq!([0, 1].map(|core| sections.interrupt(core)), [None, Some(Id(7))]);
    }

    #[test]
    fn what_began_before_a_loss_ends_where_it_begins_again() {
        let mut sections = Sections::default();
        applied(&mut sections, &Activity::new(V::ISR_IN), 7, 0);
        sections.lost();
        assert_eq!(sections.interrupt(0), None);
        let section = Section::Isr(Id(7));
        let expected = [(false, section, 0), (true, section, 0)];
        assert_eq!(applied(&mut sections, &Activity::new(V::ISR_IN), 7, 1), expected);
    }

    #[test]
    fn a_nested_section_ends_with_the_outermost_one() {
        let mut sections = Sections::default();
        let out: Vec<_> = [V::CRIT_IN, V::CRIT_IN, V::CRIT_OUT, V::CRIT_OUT]
            .iter()
            .map(|&verb| applied(&mut sections, &Activity::new(verb), 0, 0).len())
            .collect();
        assert_eq!(out, [1, 0, 0, 1]);
    }

    #[test]
    fn a_timer_armed_again_runs_anew() {
        let (mut sections, mut out) = (Sections::default(), Vec::new());
        for verb in [V::DISARM, V::ARM, V::ARM, V::FIRE, V::DISARM] {
            let activity = Activity { second: 10, ..Activity::new(verb) };
            sections.timer(&activity, Id(1), &mut out);
        }
        let (armed, disarmed) = (Change::Armed { timer: Id(1) }, Change::Disarmed { timer: Id(1) });
        assert_eq!(out, [armed, disarmed, armed, disarmed]);
    }

    #[test]
    fn a_timer_that_fires_once_ends_with_that() {
        let (mut sections, mut out) = (Sections::default(), Vec::new());
        for verb in [V::FIRE, V::ARM, V::FIRE, V::DISARM, V::FIRE] {
            sections.timer(&Activity::new(verb), Id(1), &mut out);
        }
        assert_eq!(out, [Change::Armed { timer: Id(1) }, Change::Disarmed { timer: Id(1) }]);
    }
}
