//! A filter to commands of the kernel.

use spytui_plugin_api::{FilterOp, FilterOpKind, NONE, Refusal};

use super::{
    filters::{ALL, CLASSES, OF_CLASSES, OF_EVENTS, event_of_switch, name_of},
    kernel::{
        ADD_ALL, ADD_CLASS, ADD_EVENT, CLR_CLASS_PID, DEL_ALL, DEL_CLASS, DEL_EVENT, Kernel, SET_CLASS_PID, class,
        event_word, has_vthreads,
    },
};

/// Most commands that a filter may become: each is acknowledged before the next one is sent.
const MOST: usize = 64;

/// The commands that make the changes, in order.
pub(super) fn commands(ops: &[FilterOp], release: u8) -> Result<Vec<Kernel>, Refusal> {
    let mut spec = Spec { release, commands: Vec::new(), process: None };
    for (at, op) in ops.iter().enumerate() {
        match op.table {
            _ if op.kind == FilterOpKind::CLEAR => spec.clear(op, ops.get(at + 1)),
            OF_CLASSES => spec.classes(op)?,
            OF_EVENTS => spec.events(op)?,
            _ => spec.processes(op)?,
        }
    }
    if spec.commands.len() > MOST {
        return Err(Refusal::new(0, &format!("more than {MOST} commands to the kernel: name classes")));
    }
    Ok(spec.commands)
}

struct Spec {
    release: u8,
    commands: Vec<Kernel>,
    /// The process that the filter names.
    process: Option<u64>,
}

impl Spec {
    fn push(&mut self, number: u32, words: &[u32]) {
        self.commands.push(Kernel::new(number, words));
    }

    /// All others off: only for classes and events, and not if all are switched on behind it.
    fn clear(&mut self, op: &FilterOp, next: Option<&FilterOp>) {
        let is_all = next.is_some_and(|next| next.group == ALL);
        match op.table {
            OF_CLASSES if is_all => {}
            OF_CLASSES | OF_EVENTS => self.push(DEL_ALL, &[]),
            _ => {}
        }
    }

    fn classes(&mut self, op: &FilterOp) -> Result<(), Refusal> {
        let is_on = op.kind == FilterOpKind::ON;
        let (all, one) = if is_on { (ADD_ALL, ADD_CLASS) } else { (DEL_ALL, DEL_CLASS) };
        if let Some(class) = CLASSES.get(usize::from(op.group)) {
            return self.class(one, class.number);
        }
        let first = match op.group {
            NONE => op.first,
            ALL => {
                self.push(all, &[]);
                return Ok(());
            }
            _ => class::CONTROL.into(),
        };
        if first <= class::CONTROL.into() {
            return Err(Refusal::new(0, "CTRL is always sent: it has the time and the numbers of the buffers"));
        }
        for class in op.first..=op.last.min(class::PMU.into()) {
            self.class(one, class as u32)?;
        }
        Ok(())
    }

    fn class(&mut self, number: u32, class: u32) -> Result<(), Refusal> {
        if class == class::VTHREAD && !has_vthreads(self.release) {
            return Err(Refusal::new(0, "release 8 has no virtual threads"));
        }
        self.push(number, &[class]);
        Ok(())
    }

    fn events(&mut self, op: &FilterOp) -> Result<(), Refusal> {
        let number = if op.kind == FilterOpKind::ON { ADD_EVENT } else { DEL_EVENT };
        for (class, event) in (op.first..=op.last).take(MOST + 1).map(event_of_switch) {
            let Some(word) = event_word(class, event, self.release) else {
                let name = name_of(class).unwrap_or_default();
                return Err(Refusal::new(0, &format!("events of {name} go from 0 to 31 before release 8")));
            };
            self.push(number, &[class, word]);
        }
        Ok(())
    }

    /// The kernel can send the events of all processes or of one.
    fn processes(&mut self, op: &FilterOp) -> Result<(), Refusal> {
        let is_all = op.group != NONE;
        if op.kind == FilterOpKind::OFF {
            return Err(Refusal::new(0, "no process can be left out: =pid:NAME for one alone, +pid:ALL for all"));
        }
        if !is_all && (op.first != op.last || self.process.is_some_and(|process| process != op.first)) {
            return Err(Refusal::new(0, "one process, or +pid:ALL: the kernel keeps one number for each class"));
        }
        self.process = Some(op.first);
        for class in [class::CALLS, class::THREAD, class::VTHREAD, class::SYSTEM, class::COMM] {
            if class == class::VTHREAD && !has_vthreads(self.release) {
                continue;
            }
            match is_all {
                true => self.push(CLR_CLASS_PID, &[class]),
                false => self.push(SET_CLASS_PID, &[class, op.first as u32]),
            }
        }
        Ok(())
    }
}
