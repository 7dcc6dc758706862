//! What is known of the target's filters.

use std::collections::BTreeMap;

use spytui_plugin_api::FilterState;

use super::{
    filters::{OF_CLASSES, OF_EVENTS, OF_PROCESSES, switch},
    kernel::{
        ADD_ALL, ADD_CLASS, ADD_EVENT, CLR_CLASS_PID, DEL_ALL, DEL_CLASS, DEL_EVENT, Kernel, SET_CLASS_PID,
        SET_CLASS_TID, class, event_of,
    },
};

/// What is known of the target's filters.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Bits of the classes that are known.
    classes: u32,
    /// Those of them that are on.
    on: u32,
    /// Events that were switched since their class was, by class and number.
    events: BTreeMap<(u32, u32), bool>,
    /// Bits of the classes that send only one process, each with its number.
    processes: BTreeMap<u32, u32>,
}

impl Known {
    /// The target has said which classes are on.
    pub(super) fn read(&mut self, classes: u32) {
        self.classes = class::SWITCHED;
        self.on = classes;
    }

    /// The kernel has executed a command.
    pub(super) fn executed(&mut self, kernel: &Kernel, release: u8) {
        let word = |at: usize| kernel.words.get(at).copied().unwrap_or(0);
        match kernel.number {
            ADD_ALL | DEL_ALL => self.switch(class::SWITCHED, kernel.number == ADD_ALL),
            ADD_CLASS | DEL_CLASS => self.switch(class::bits(word(0)), kernel.number == ADD_CLASS),
            ADD_EVENT | DEL_EVENT => {
                let is_on = kernel.number == ADD_EVENT;
                if is_on {
                    self.classes |= class::bits(word(0));
                    self.on |= class::bits(word(0));
                }
                self.events.insert((word(0), event_of(word(0), word(1), release)), is_on);
            }
            SET_CLASS_PID | SET_CLASS_TID | CLR_CLASS_PID => {
                self.forget_processes(class::bits(word(0)));
                if kernel.number != CLR_CLASS_PID && word(1) > 0 {
                    self.processes.insert(class::bits(word(0)), word(1));
                }
            }
            _ => {}
        }
    }

    /// Whether the kernel has executed a command is unknown.
    pub(super) fn doubt(&mut self, kernel: &Kernel, release: u8) {
        let word = |at: usize| kernel.words.get(at).copied().unwrap_or(0);
        let classes = match kernel.number {
            ADD_ALL | DEL_ALL => class::SWITCHED,
            ADD_CLASS | DEL_CLASS => class::bits(word(0)),
            ADD_EVENT | DEL_EVENT => {
                self.events.remove(&(word(0), event_of(word(0), word(1), release)));
                if kernel.number == ADD_EVENT { class::bits(word(0)) } else { 0 }
            }
            SET_CLASS_PID | SET_CLASS_TID | CLR_CLASS_PID => {
                self.forget_processes(class::bits(word(0)));
                0
            }
            _ => 0,
        };
        self.classes &= !classes;
        self.forget_events(classes);
    }

    fn switch(&mut self, classes: u32, is_on: bool) {
        self.classes |= classes;
        self.on = if is_on { self.on | classes } else { self.on & !classes };
        self.forget_events(classes);
    }

    /// A class that is switched takes its events along.
    fn forget_events(&mut self, classes: u32) {
        self.events.retain(|(class, _), _| class::bits(*class) & classes == 0);
    }

    fn forget_processes(&mut self, classes: u32) {
        self.processes.retain(|of, _| of & classes == 0);
    }

    /// All that is known.
    pub(super) fn states(&self, out: &mut Vec<FilterState>) {
        let state = |table, first, is_on| FilterState { table, is_on, is_known: true, first, last: first };
        for class in (0..=class::PMU).filter(|class| self.classes >> class & 1 == 1) {
            out.push(state(OF_CLASSES, class.into(), self.on >> class & 1 == 1));
        }
        out.extend(self.events.iter().map(|((class, event), is_on)| state(OF_EVENTS, switch(*class, *event), *is_on)));
        let mut processes: Vec<u32> = self.processes.values().copied().collect();
        processes.sort_unstable();
        processes.dedup();
        out.extend(processes.into_iter().map(|process| state(OF_PROCESSES, process.into(), true)));
    }
}
