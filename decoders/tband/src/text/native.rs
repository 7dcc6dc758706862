//! Our text of an event: the *what* of its row. Time, core, group, kind and object have columns of their own.

use spytui_plugin_api::row::RowFlags;

use super::{
    Context,
    line::{Line, Sink},
};
use crate::{
    event::Event,
    layout::What,
    names::{QUEUE_KINDS, space},
};

/// Ticks that mean "for ever".
const FOR_EVER: u64 = u32::MAX as u64;

/// Writes the text of an event.
pub(crate) fn record<S: Sink>(ctx: &Context<'_, '_>, event: &Event<'_>, line: &mut Line<'_, S>) {
    let [key, second] = event.numbers;
    match event.layout.what {
        What::Nothing => {}
        What::Core => number(b"core ", key, line),
        What::Total => number(b"total ", key, line),
        What::Resolution => {
            line.decimal(key);
            line.put(b" ns a tick");
        }
        What::Naming => naming(event, line),
        What::IdleOf => number(b"idle task of core ", second, line),
        What::Timer => line.put(b"timer service task"),
        What::KindOf => line.put(kind(second)),
        What::Message => line.put(event.text),
        What::LocalMessage => {
            name(ctx, event, line);
            line.put(if event.text.is_empty() { b"" } else { b"  " });
            line.put(event.text);
        }
        What::Number => line.signed(second as i64),
        What::LocalNumber => {
            name(ctx, event, line);
            line.put(b" = ");
            line.signed(second as i64);
        }
        What::ForTicks => ticks(key, line),
        What::UntilTick => number(b"until tick ", key, line),
        What::Priority => number(b"priority ", second, line),
        What::Fill => number(b"fill ", second, line),
        What::QueueFill => {
            name(ctx, event, line);
            number(b"  fill ", second, line);
        }
        What::QueueEmptied => {
            name(ctx, event, line);
            line.put(b"  emptied");
        }
        What::Wait => {
            name(ctx, event, line);
            line.put(b"  ");
            ticks(second, line);
        }
    }
    if ctx.row.row.has(RowFlags::MALFORMED) {
        line.put(" · text is no UTF-8".as_bytes());
    }
}

fn number<S: Sink>(what: &[u8], number: u64, line: &mut Line<'_, S>) {
    line.put(what);
    line.decimal(number);
}

fn ticks<S: Sink>(ticks: u64, line: &mut Line<'_, S>) {
    if ticks == FOR_EVER {
        return line.put(b"for ever");
    }
    number(b"for ", ticks, line);
    line.put(if ticks == 1 { b" tick" } else { b" ticks" });
}

/// Name of a kind of queue, as people call it.
pub(super) fn kind(kind: u64) -> &'static [u8] {
    usize::try_from(kind).ok().and_then(|k| QUEUE_KINDS.get(k)).map_or(b"", |k| k.0.as_bytes())
}

/// Name of the key in the first field, or its word.
fn name<S: Sink>(ctx: &Context<'_, '_>, event: &Event<'_>, line: &mut Line<'_, S>) {
    let space = event.layout.fields.first().map_or(0, |f| f.space);
    match ctx.name(space, event.numbers[0]) {
        Some(name) if !name.is_empty() => line.put(name),
        _ => {
            line.put(word(space));
            line.decimal(event.numbers[0]);
        }
    }
}

/// What stands before the number of a key.
fn word(space: u16) -> &'static [u8] {
    match space {
        space::ISRS => b"isr ",
        space::TASKS => b"task ",
        space::QUEUES => b"queue ",
        space::VALUES | space::TASK_VALUES => b"value ",
        _ => b"marker ",
    }
}

/// `isr 7 = adc`, and whose it is where the target says so.
fn naming<S: Sink>(event: &Event<'_>, line: &mut Line<'_, S>) {
    let [key, owner] = event.numbers;
    number(word(event.layout.fields.first().map_or(0, |f| f.space)), key, line);
    if event.layout.is_local() && owner != 0 {
        number(b" of task ", owner, line);
    }
    line.put(b" = ");
    line.put(event.text);
}
