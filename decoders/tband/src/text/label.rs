//! Names of slices, as the reference tool's converter gives them.

use spytui_plugin_api::{Activity, NONE, TaskState, TextWriter, Verb, batch::AttrId, info::Class};

use super::{Context, native::kind, number};
use crate::layout::{QUEUE_KINDS, reason, space};

/// Writes the name of an activity's slice, or nothing if the host's default will do.
pub(crate) fn label(ctx: &Context<'_, '_>, activity: &Activity, line: &mut TextWriter<'_>) {
    match activity.verb {
        Verb::RUN => {
            line.put(b"Running (core ");
            number::decimal(line, activity.core.into());
            line.byte(b')');
        }
        Verb::STATE => task_state(ctx, activity, line),
        Verb::DELETE => done_by(ctx, b"Deleted", activity, line),
        Verb::ISR_IN | Verb::ISR_OUT => entity(ctx, activity.sub_space, activity.sub, line),
        Verb::BEGIN | Verb::INSTANT => message(ctx, line),
        Verb::LEVEL | Verb::CLEARED => lock_state(ctx, activity, line),
        Verb::LOST => {
            number::grouped(line, activity.val);
            line.put(b" events dropped by the target (total ");
            number::grouped(line, activity.second);
            line.byte(b')');
        }
        _ => {}
    }
}

fn task_state(ctx: &Context<'_, '_>, activity: &Activity, line: &mut TextWriter<'_>) {
    match TaskState(activity.val) {
        TaskState::READY => line.put(b"Ready"),
        TaskState::SUSPENDED => done_by(ctx, b"Suspended", activity, line),
        TaskState::BLOCKED => {
            line.put(b"Blocked (");
            blocked(ctx, activity, line);
            line.byte(b')');
        }
        _ => {}
    }
}

fn blocked(ctx: &Context<'_, '_>, activity: &Activity, line: &mut TextWriter<'_>) {
    match activity.item {
        reason::DELAY => {
            line.put(b"Delay for ");
            number::decimal(line, activity.second);
            return line.put(b" ticks");
        }
        reason::UNTIL => {
            line.put(b"Delay until tick ");
            return number::decimal(line, activity.second);
        }
        reason::RECEIVE => line.put(b"Receive from "),
        reason::SEND => line.put(b"Send to "),
        reason::PEEK => line.put(b"Receive "),
        _ => {}
    }
    entity(ctx, activity.obj_space, activity.obj, line);
}

fn done_by(ctx: &Context<'_, '_>, what: &[u8], activity: &Activity, line: &mut TextWriter<'_>) {
    line.put(what);
    if activity.obj_space != NONE {
        line.put(b" (by ");
        entity(ctx, activity.obj_space, activity.obj, line);
        line.byte(b')');
    }
}

/// Text of the marker in the row.
fn message(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    if let Ok(record) = ctx.read(&mut Vec::new()) {
        line.put(record.text);
    }
}

/// Names a mutex event: a mutex is taken when it is empty.
fn lock_state(ctx: &Context<'_, '_>, activity: &Activity, line: &mut TextWriter<'_>) {
    if queue_kind(ctx, activity.obj).is_none_or(|(class, _)| class != Class::LOCK) {
        return;
    }
    if activity.val != 0 {
        return line.put(b"Available");
    }
    line.put(b"Taken");
    if activity.sub_space != NONE {
        line.put(b" by ");
        entity(ctx, activity.sub_space, activity.sub, line);
    }
}

/// `Task Mash (#1)`, `Marker #10`, `Counting Semaphore bottles (#7)`.
fn entity(ctx: &Context<'_, '_>, of: u16, key: u64, line: &mut TextWriter<'_>) {
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
            number::decimal(line, key);
            line.byte(b')');
        }
        None => {
            line.put(b" #");
            number::decimal(line, key);
        }
    }
}

/// Class and name of the kind of a queue, if reported by the target.
fn queue_kind<'d>(ctx: &Context<'_, 'd>, key: u64) -> Option<(Class, &'d [u8])> {
    let (class, name) = ctx.names.attr(space::QUEUES, key, 0, AttrId::KIND)?;
    Some((u16::try_from(class).map_or(QUEUE_KINDS[0].class, Class), name))
}
