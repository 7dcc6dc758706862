//! What events mean, for the host's reducer: tasks, interrupts, markers, values, queues, losses.

use spytui_plugin_api::{Act, ActFlags as F, Out, Verb as V};

use crate::{
    event::Event,
    names::space::{ISRS, MARKERS, QUEUES, REASONS, TASK_MARKERS, TASK_VALUES, TASKS, VALUES},
    receive::{Lane, News},
};

/// States of a task, as the contract numbers them.
pub(crate) mod state {
    pub(crate) const READY: u64 = 2;
    pub(crate) const BLOCKED: u64 = 3;
    pub(crate) const SUSPENDED: u64 = 4;
}

/// Keys of space `REASONS`.
pub(crate) mod reason {
    pub(crate) const DELAY: u64 = 1;
    pub(crate) const UNTIL: u64 = 2;
    pub(crate) const RECEIVE: u64 = 3;
    pub(crate) const SEND: u64 = 4;
    pub(crate) const PEEK: u64 = 5;
}

/// Adds the activities of an event on a core.
pub(crate) fn of_event(event: &Event<'_>, lane: &Lane, out: &mut Out<'_>) {
    let [key, second] = event.numbers;
    let act = match event.layout.id {
        0x04 => Act::new(V::ISR_IN).sub(ISRS, key),
        0x05 => Act::new(V::ISR_OUT).sub(ISRS, key),
        0x07 => Act::new(V::INSTANT).sub(MARKERS, key),
        0x08 => Act::new(V::BEGIN).sub(MARKERS, key),
        0x09 => Act::new(V::END).sub(MARKERS, key),
        0x0B => Act::new(V::VALUE).sub(VALUES, key).val(second).with(F::SIGNED),
        0x54..=0x5E | 0x62 => task(event, lane),
        0x63 => Act::new(V::CREATE).obj(QUEUES, key),
        0x66..=0x6C | 0x70 => queue(event, lane),
        0x6D..=0x6F => task(event, lane),
        0x7B => local(Act::new(V::INSTANT).sub(TASK_MARKERS, key), lane),
        0x7C => local(Act::new(V::BEGIN).sub(TASK_MARKERS, key), lane),
        0x7D => local(Act::new(V::END).sub(TASK_MARKERS, key), lane),
        0x7F => local(Act::new(V::VALUE).sub(TASK_VALUES, key).val(second).with(F::SIGNED), lane),
        _ => return,
    };
    out.act(Act { lane: lane.id, ..act });
}

fn task(event: &Event<'_>, lane: &Lane) -> Act {
    let [key, second] = event.numbers;
    let becomes = |state: u64| Act::new(V::STATE).sub(TASKS, key).val(state);
    match event.layout.id {
        0x54 => Act::new(V::RUN).sub(TASKS, key),
        0x55 => becomes(state::READY).with(F::UNLESS_RUNNING),
        0x56 => becomes(state::READY),
        0x57 => becomes(state::READY).with(F::FROM_ISR),
        0x58 => by(becomes(state::SUSPENDED).with(F::WHEN_OUT), lane),
        0x59 => blocks(reason::DELAY, lane).aux(key),
        0x5A => blocks(reason::UNTIL, lane).aux(key),
        0x5B..=0x5D => Act::new(V::PRIO).sub(TASKS, key).val(second),
        0x5E => Act::new(V::CREATE).sub(TASKS, key),
        0x62 => by(Act::new(V::DELETE).sub(TASKS, key).with(F::WHEN_OUT), lane),
        0x6D => blocks(reason::PEEK, lane).obj(QUEUES, key).aux(second),
        0x6E => blocks(reason::SEND, lane).obj(QUEUES, key).aux(second),
        _ => blocks(reason::RECEIVE, lane).obj(QUEUES, key).aux(second),
    }
}

/// The task that runs will be blocked when it is switched out.
fn blocks(reason: u64, lane: &Lane) -> Act {
    current(Act::new(V::STATE).val(state::BLOCKED).item(REASONS, reason).with(F::WHEN_OUT), lane)
}

/// Done by the task that runs, which may not be known.
fn current(act: Act, lane: &Lane) -> Act {
    let act = act.with(F::CURRENT);
    lane.task.map_or(act, |task| act.sub(TASKS, task))
}

/// Done to a task by the one that runs.
fn by(act: Act, lane: &Lane) -> Act {
    lane.task.map_or(act, |task| act.obj(TASKS, task))
}

/// Of the task that runs; without an object where that is not known.
fn local(act: Act, lane: &Lane) -> Act {
    by(act, lane)
}

fn queue(event: &Event<'_>, lane: &Lane) -> Act {
    let [key, fill] = event.numbers;
    let level = Act::new(V::LEVEL).obj(QUEUES, key).val(fill);
    match event.layout.id {
        0x67 | 0x69 | 0x6B => level.with(F::FROM_ISR),
        0x6C => current(Act::new(V::CLEARED).obj(QUEUES, key), lane),
        _ => current(level, lane),
    }
}

/// Adds what a count of dropped events says. `first` = nothing is known yet in this epoch; later, a reset must not undo
/// what came since time went back.
pub(crate) fn of_drops(news: News, first: bool, total: u32, lane: u16, out: &mut Out<'_>) {
    if let (News::Reset(_), true) = (news, first) {
        out.act(Act { lane, ..Act::new(V::RESET) });
    }
    if let News::Dropped(lost @ 1..) | News::Reset(lost @ 1..) = news {
        out.act(Act { lane, ..Act::new(V::LOST).val(lost.into()).aux(total.into()) });
    }
}

/// Adds that so many frames were broken, as far as there are any.
pub(crate) fn of_bad_frames(frames: u64, lane: u16, out: &mut Out<'_>) {
    if frames > 0 {
        out.act(Act { lane, ..Act::new(V::INFO).val(frames).with(F::FAILED) });
    }
}
