//! Names of slices and tracks, as the reference tool's converter gives them.

use spytui_plugin_api::{
    Act, ActFlags, NONE, Verb,
    batch::attr,
    render::{Ask, ask},
};

use super::{
    Context, event_of,
    line::{Line, Sink},
    native::kind,
};
use crate::{
    activity::{reason, state},
    cobs::Room,
    names::{queue_class, space},
};
use spytui_plugin_api::info::class;

/// What is to be named.
mod what {
    pub(super) const SLICE: u16 = 0;
    pub(super) const TRACK: u16 = 1;
}

/// Writes the name of an activity's slice or track; nothing where the host's own is as good.
pub(crate) fn label<S: Sink>(ctx: &Context<'_, '_>, act: &Act, asked: u16, line: &mut Line<'_, S>) {
    match asked {
        what::SLICE => slice(ctx, act, line),
        what::TRACK => track(ctx, act, line),
        _ => {}
    }
}

fn slice<S: Sink>(ctx: &Context<'_, '_>, act: &Act, line: &mut Line<'_, S>) {
    match act.verb {
        Verb::RUN => {
            line.put(b"Running (core ");
            line.decimal(act.lane.into());
            line.byte(b')');
        }
        Verb::STATE => task_state(ctx, act, line),
        Verb::DELETE => done_by(ctx, b"Deleted", act, line),
        Verb::ISR_IN | Verb::ISR_OUT => entity(ctx, act.sub_space, act.sub, line),
        Verb::BEGIN | Verb::INSTANT => message(ctx, line),
        Verb::LEVEL | Verb::CLEARED => lock_state(ctx, act, line),
        Verb::LOST => {
            line.grouped(act.val);
            line.put(b" events dropped by the target (total ");
            line.grouped(act.aux);
            line.byte(b')');
        }
        _ => {}
    }
}

fn task_state<S: Sink>(ctx: &Context<'_, '_>, act: &Act, line: &mut Line<'_, S>) {
    match act.val {
        state::READY => line.put(b"Ready"),
        state::SUSPENDED => done_by(ctx, b"Suspended", act, line),
        state::BLOCKED => {
            line.put(b"Blocked (");
            blocked(ctx, act, line);
            line.byte(b')');
        }
        _ => {}
    }
}

fn blocked<S: Sink>(ctx: &Context<'_, '_>, act: &Act, line: &mut Line<'_, S>) {
    match act.item {
        reason::DELAY => {
            line.put(b"Delay for ");
            line.decimal(act.aux);
            return line.put(b" ticks");
        }
        reason::UNTIL => {
            line.put(b"Delay until tick ");
            return line.decimal(act.aux);
        }
        reason::RECEIVE => line.put(b"Receive from "),
        reason::SEND => line.put(b"Send to "),
        reason::PEEK => line.put(b"Receive "),
        _ => {}
    }
    entity(ctx, act.obj_space, act.obj, line);
}

fn done_by<S: Sink>(ctx: &Context<'_, '_>, what: &[u8], act: &Act, line: &mut Line<'_, S>) {
    line.put(what);
    if act.obj_space != NONE {
        line.put(b" (by ");
        entity(ctx, act.obj_space, act.obj, line);
        line.byte(b')');
    }
}

/// Text of the marker in the row.
fn message<S: Sink>(ctx: &Context<'_, '_>, line: &mut Line<'_, S>) {
    let mut room = Room::new();
    if let Ok(event) = event_of(ctx.row.raw.as_slice(), ctx.config.rtos, &mut room) {
        line.put(event.text);
    }
}

/// A mutex is taken when nothing is in it.
fn lock_state<S: Sink>(ctx: &Context<'_, '_>, act: &Act, line: &mut Line<'_, S>) {
    if queue_kind(ctx, act.obj).is_none_or(|(class, _)| class != class::LOCK) {
        return;
    }
    if act.val != 0 {
        return line.put(b"Available");
    }
    line.put(b"Taken");
    if act.sub_space != NONE && act.flags & ActFlags::FROM_ISR == 0 {
        line.put(b" by ");
        entity(ctx, act.sub_space, act.sub, line);
    }
}

fn track<S: Sink>(ctx: &Context<'_, '_>, act: &Act, line: &mut Line<'_, S>) {
    match act.verb {
        Verb::LEVEL | Verb::CLEARED => {
            entity(ctx, act.obj_space, act.obj, line);
            line.put(b" State");
        }
        _ => entity(ctx, act.sub_space, act.sub, line),
    }
}

/// `Task Mash (#1)`, `Marker #10`, `Counting Semaphore bottles (#7)`.
fn entity<S: Sink>(ctx: &Context<'_, '_>, of: u16, key: u64, line: &mut Line<'_, S>) {
    let word: &[u8] = match of {
        space::ISRS => b"ISR",
        space::MARKERS | space::TASK_MARKERS => b"Marker",
        space::VALUES | space::TASK_VALUES => b"Value",
        space::TASKS => b"Task",
        space::QUEUES => queue_kind(ctx, key).map_or(kind(0), |(_, name)| name),
        _ => return,
    };
    line.put(word);
    match ctx.name(of, key) {
        Some(name) => {
            line.byte(b' ');
            line.put(name);
            line.put(b" (#");
            line.decimal(key);
            line.byte(b')');
        }
        None => {
            line.put(b" #");
            line.decimal(key);
        }
    }
}

/// Class and name of the kind of a queue, where the target told.
fn queue_kind<'d>(ctx: &Context<'_, 'd>, key: u64) -> Option<(u16, &'d [u8])> {
    let question = Ask {
        op: ask::ATTR,
        attr: attr::KIND.into(),
        space: space::QUEUES,
        key,
        scope: 0,
        index: 0,
        name: [][..].into(),
    };
    let answer = ctx.names.ask(&question)?;
    Some((u16::try_from(answer.val).unwrap_or(queue_class(0)), answer.text.as_slice()))
}
