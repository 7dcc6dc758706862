//! What is known of the target's filters.

use std::collections::{BTreeMap, BTreeSet};

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

    /// The kernel has executed a command, or may have, if not `is_sure`.
    pub(super) fn change(&mut self, kernel: &Kernel, release: u8, is_sure: bool) {
        let word = |at: usize| kernel.words.get(at).copied().unwrap_or(0);
        let (number, class) = (kernel.number, class::bits(word(0)));
        match number {
            ADD_ALL | DEL_ALL => self.switch(class::SWITCHED, number == ADD_ALL, is_sure),
            ADD_CLASS | DEL_CLASS => self.switch(class, number == ADD_CLASS, is_sure),
            ADD_EVENT | DEL_EVENT => {
                let event = (word(0), event_of(word(0), word(1), release));
                match (is_sure, number == ADD_EVENT) {
                    (true, is_on) => {
                        let class = if is_on { class } else { 0 };
                        (self.classes, self.on) = (self.classes | class, self.on | class);
                        self.events.insert(event, is_on);
                    }
                    (false, true) => self.switch(class, true, false),
                    (false, false) => drop(self.events.remove(&event)),
                }
            }
            SET_CLASS_PID | SET_CLASS_TID | CLR_CLASS_PID => {
                self.processes.retain(|of, _| of & class == 0);
                if is_sure && number != CLR_CLASS_PID && word(1) > 0 {
                    self.processes.insert(class, word(1));
                }
            }
            _ => {}
        }
    }

    /// Switches classes, which take their events along.
    fn switch(&mut self, classes: u32, is_on: bool, is_sure: bool) {
        self.classes = if is_sure { self.classes | classes } else { self.classes & !classes };
        self.on = if is_on { self.on | classes } else { self.on & !classes };
        self.events.retain(|(class, _), _| class::bits(*class) & classes == 0);
    }

    pub(super) fn states(&self, out: &mut Vec<FilterState>) {
        let state = |table, first, is_on| FilterState { table, is_on, is_known: true, first, last: first };
        for class in (0..=class::PMU).filter(|class| self.classes >> class & 1 == 1) {
            out.push(state(OF_CLASSES, class.into(), self.on >> class & 1 == 1));
        }
        out.extend(self.events.iter().map(|((class, event), is_on)| state(OF_EVENTS, switch(*class, *event), *is_on)));
        let processes: BTreeSet<u32> = self.processes.values().copied().collect();
        out.extend(processes.into_iter().map(|process| state(OF_PROCESSES, process.into(), true)));
    }
}
