//! What events mean, for the host's reducer: tasks, interrupts, markers, values, queues, losses.

use spytui_plugin_api::{Activity, ActivityFlags as F, Output, Verb as V};

use crate::{
    event::Event,
    names::space::{ISRS, MARKERS, QUEUES, REASONS, TASK_MARKERS, TASK_VALUES, TASKS, VALUES},
    receive::{Core, News},
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
pub(crate) fn of_event(event: &Event<'_>, core: &Core, out: &mut Output<'_>) {
    let [key, second] = event.numbers;
    let activity = match event.layout.id {
        0x04 => Activity::new(V::ISR_IN).sub(ISRS, key),
        0x05 => Activity::new(V::ISR_OUT).sub(ISRS, key),
        0x07 => Activity::new(V::INSTANT).sub(MARKERS, key),
        0x08 => Activity::new(V::BEGIN).sub(MARKERS, key),
        0x09 => Activity::new(V::END).sub(MARKERS, key),
        0x0B => Activity::new(V::VALUE).sub(VALUES, key).val(second).with(F::SIGNED),
        0x54..=0x5E | 0x62 => task(event, core),
        0x63 => Activity::new(V::CREATE).obj(QUEUES, key),
        0x66..=0x6C | 0x70 => queue(event, core),
        0x6D..=0x6F => task(event, core),
        0x7B => local(Activity::new(V::INSTANT).sub(TASK_MARKERS, key), core),
        0x7C => local(Activity::new(V::BEGIN).sub(TASK_MARKERS, key), core),
        0x7D => local(Activity::new(V::END).sub(TASK_MARKERS, key), core),
        0x7F => local(Activity::new(V::VALUE).sub(TASK_VALUES, key).val(second).with(F::SIGNED), core),
        _ => return,
    };
    out.activity(Activity { core: core.id, ..activity });
}

fn task(event: &Event<'_>, core: &Core) -> Activity {
    let [key, second] = event.numbers;
    let becomes = |state: u64| Activity::new(V::STATE).sub(TASKS, key).val(state);
    match event.layout.id {
        0x54 => Activity::new(V::RUN).sub(TASKS, key),
        0x55 => becomes(state::READY).with(F::UNLESS_RUNNING),
        0x56 => becomes(state::READY),
        0x57 => becomes(state::READY).with(F::FROM_ISR),
        0x58 => by(becomes(state::SUSPENDED).with(F::WHEN_OUT), core),
        0x59 => blocks(reason::DELAY, core).second(key),
        0x5A => blocks(reason::UNTIL, core).second(key),
        0x5B..=0x5D => Activity::new(V::PRIO).sub(TASKS, key).val(second),
        0x5E => Activity::new(V::CREATE).sub(TASKS, key),
        0x62 => by(Activity::new(V::DELETE).sub(TASKS, key).with(F::WHEN_OUT), core),
        0x6D => blocks(reason::PEEK, core).obj(QUEUES, key).second(second),
        0x6E => blocks(reason::SEND, core).obj(QUEUES, key).second(second),
        _ => blocks(reason::RECEIVE, core).obj(QUEUES, key).second(second),
    }
}

/// The task that runs will be blocked when it is switched out.
fn blocks(reason: u64, core: &Core) -> Activity {
    current(Activity::new(V::STATE).val(state::BLOCKED).item(REASONS, reason).with(F::WHEN_OUT), core)
}

/// Done by the task that runs, which may not be known.
fn current(activity: Activity, core: &Core) -> Activity {
    let activity = activity.with(F::CURRENT);
    core.task.map_or(activity, |task| activity.sub(TASKS, task))
}

/// Done to a task by the one that runs.
fn by(activity: Activity, core: &Core) -> Activity {
    core.task.map_or(activity, |task| activity.obj(TASKS, task))
}

/// Of the task that runs; without an object where that is not known.
fn local(activity: Activity, core: &Core) -> Activity {
    by(activity, core)
}

fn queue(event: &Event<'_>, core: &Core) -> Activity {
    let [key, fill] = event.numbers;
    let level = Activity::new(V::LEVEL).obj(QUEUES, key).val(fill);
    match event.layout.id {
        0x67 | 0x69 | 0x6B => level.with(F::FROM_ISR),
        0x6C => current(Activity::new(V::CLEARED).obj(QUEUES, key), core),
        _ => current(level, core),
    }
}

/// Adds what a count of dropped events says. `first` = nothing is known yet in this epoch; later, a reset must not undo
/// what came since time went back.
pub(crate) fn of_drops(news: News, first: bool, total: u32, core: u16, out: &mut Output<'_>) {
    if let (News::Reset(_), true) = (news, first) {
        out.activity(Activity { core, ..Activity::new(V::RESET) });
    }
    if let News::Dropped(lost @ 1..) | News::Reset(lost @ 1..) = news {
        out.activity(Activity { core, ..Activity::new(V::LOST).val(lost.into()).second(total.into()) });
    }
}

/// Adds that so many frames were broken, as far as there are any.
pub(crate) fn of_bad_frames(frames: u64, core: u16, out: &mut Output<'_>) {
    if frames > 0 {
        out.activity(Activity { core, ..Activity::new(V::INFO).val(frames).with(F::FAILED) });
    }
}
