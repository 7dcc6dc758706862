//! Activities of events, by their role in the table.

use spytui_plugin_api::{Activity, ActivityFlags, Output, TaskState, Verb};

use crate::{
    layout::{Role, space},
    record::Whole,
};

/// Adds the activity of an event; `owner` = the thread that runs on its CPU.
#[inline]
pub(crate) fn of_event(whole: &Whole<'_>, owner: Option<u64>, out: &mut Output<'_>) {
    let [first, second] = whole.event.words;
    let named = space::thread(first, second);
    let activity = |verb| Activity { core: whole.event.cpu().into(), ..Activity::new(verb) };
    let of = |verb, thread| activity(verb).sub(space::THREADS, thread);
    let by_owner = |verb| match owner {
        Some(thread) => of(verb, thread),
        None => activity(verb),
    };
    // A message has a number of its own for its receiver.
    let message = u64::from(second) << 32 | u64::from(first);
    let activity = match whole.layout.role {
        Role::State(TaskState::RUNNING) => of(Verb::RUN, named),
        Role::State(doing) => of(Verb::STATE, named).val(doing.0),
        Role::ThreadCreate => of(Verb::CREATE, named),
        Role::ThreadDestroy => of(Verb::DELETE, named),
        Role::Enter | Role::Leave if owner.is_none() => return,
        Role::Enter => by_owner(Verb::BEGIN).with(ActivityFlags::APART),
        Role::Leave => by_owner(Verb::END).with(ActivityFlags::APART),
        Role::IsrIn => activity(Verb::ISR_IN).sub(space::INTERRUPTS, first.into()),
        Role::IsrOut => activity(Verb::ISR_OUT).sub(space::INTERRUPTS, first.into()),
        Role::Send => by_owner(Verb::SEND).second(message),
        Role::Receive => by_owner(Verb::RECEIVE).second(message),
        Role::Pulse => by_owner(Verb::PULSE).second(message),
        Role::ReceivePulse => by_owner(Verb::RECEIVE).second(message),
        Role::Reply => by_owner(Verb::SEND).obj(space::THREADS, space::thread(second, first)),
        Role::Signal => by_owner(Verb::SIGNAL).val(first.into()),
        Role::User => by_owner(Verb::INSTANT).item(space::USER_EVENTS, whole.number().into()),
        _ => return,
    };
    out.activity(activity);
}

/// Adds the priority of the thread that an event is about. It takes that of who waits for it, of a client for instance.
pub(crate) fn of_priority(whole: &Whole<'_>, priority: u8, out: &mut Output<'_>) {
    let [pid, tid] = whole.event.words;
    let activity = Activity { core: whole.event.cpu().into(), ..Activity::new(Verb::PRIO) };
    let of_thread = activity.sub(space::THREADS, space::thread(pid, tid)).val(priority.into());
    out.activity(of_thread.with(ActivityFlags::FOR_NOW));
}
