//! Sections on cores (interrupts, critical sections, scheduler locks) and armed timers.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, Verb as V};

use super::{
    change::{Change, Section},
    entity::Id,
};

#[derive(Debug, Clone, Default)]
pub(crate) struct Nesting {
    /// Open sections, and whether their end may be missing.
    sections: FxHashMap<(u16, Section), bool>,
    /// Armed timers, and whether each fires once.
    timers: FxHashMap<Id, bool>,
}

impl Nesting {
    pub(super) fn lost(&mut self) {
        self.sections.values_mut().for_each(|is_doubtful| *is_doubtful = true);
    }

    /// A section begins or ends; unbalanced ends are ignored.
    pub(super) fn section(&mut self, activity: &Activity, isr: Option<Id>, out: &mut Vec<Change>) {
        let core = activity.core;
        let section = match activity.verb {
            V::ISR_IN | V::ISR_OUT => match isr {
                Some(isr) => Section::Isr(isr),
                None => return,
            },
            V::CRIT_IN | V::CRIT_OUT => Section::Critical,
            _ => Section::Locked,
        };
        if matches!(activity.verb, V::ISR_IN | V::CRIT_IN | V::SCHED_LOCK) {
            let open = self.sections.insert((core, section), false);
            if open == Some(true) {
                out.push(Change::Leaves { section, core });
            }
            if open != Some(false) {
                out.push(Change::Enters { section, core });
            }
        } else if self.sections.remove(&(core, section)).is_some() {
            out.push(Change::Leaves { section, core });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_is_in_or_out_on_each_lane() {
        let (mut nesting, mut out) = (Nesting::default(), Vec::new());
        let activity = |verb, core| Activity { core, ..Activity::new(verb) };
        for (verb, core, id) in [
            (V::ISR_OUT, 0, 7),
            (V::ISR_IN, 0, 7),
            (V::ISR_IN, 0, 7),
            (V::ISR_IN, 1, 7),
            (V::ISR_IN, 0, 8),
            (V::ISR_OUT, 0, 7),
            (V::ISR_OUT, 0, 7),
        ] {
            nesting.section(&activity(verb, core), Some(Id(id)), &mut out);
        }
        let isr = |id| Section::Isr(Id(id));
        assert_eq!(
            out,
            [
                Change::Enters { section: isr(7), core: 0 },
                Change::Enters { section: isr(7), core: 1 },
                Change::Enters { section: isr(8), core: 0 },
                Change::Leaves { section: isr(7), core: 0 },
            ]
        );
    }

    #[test]
    fn what_began_before_a_loss_ends_where_it_begins_again() {
        let (mut nesting, mut out) = (Nesting::default(), Vec::new());
        nesting.section(&Activity::new(V::ISR_IN), Some(Id(7)), &mut out);
        nesting.lost();
        out.clear();
        nesting.section(&Activity::new(V::ISR_IN), Some(Id(7)), &mut out);
        let section = Section::Isr(Id(7));
        assert_eq!(out, [Change::Leaves { section, core: 0 }, Change::Enters { section, core: 0 }]);
    }

    #[test]
    fn a_timer_armed_again_runs_anew() {
        let (mut nesting, mut out) = (Nesting::default(), Vec::new());
        for verb in [V::DISARM, V::ARM, V::ARM, V::FIRE, V::DISARM] {
            let activity = Activity { second: 10, ..Activity::new(verb) };
            nesting.timer(&activity, Id(1), &mut out);
        }
        let (armed, disarmed) = (Change::Armed { timer: Id(1) }, Change::Disarmed { timer: Id(1) });
        assert_eq!(out, [armed, disarmed, armed, disarmed]);
    }

    #[test]
    fn a_timer_that_fires_once_ends_with_that() {
        let (mut nesting, mut out) = (Nesting::default(), Vec::new());
        for verb in [V::FIRE, V::ARM, V::FIRE, V::DISARM, V::FIRE] {
            nesting.timer(&Activity::new(verb), Id(1), &mut out);
        }
        assert_eq!(out, [Change::Armed { timer: Id(1) }, Change::Disarmed { timer: Id(1) }]);
    }
}
