//! The text of an event. Time, core, group, kind and object have columns of their own.

use spytui_companion::Ack;
use spytui_plugin_api::{TextWriter, row::RowFlags};

use super::{Context, number};
use crate::{
    command,
    layout::{What, queue_kind, space},
    record::Record,
};

/// Number of ticks that means "forever".
const FOR_EVER: u64 = u32::MAX as u64;

/// A time in the largest unit that it is a whole number of.
fn of_a_tick(ns: u64) -> (u64, &'static [u8]) {
    let units: [(u64, &[u8]); 3] = [(1_000_000_000, b" s"), (1_000_000, b" ms"), (1_000, b" us")];
    let largest = units.into_iter().find(|(size, _)| ns > 0 && ns.is_multiple_of(*size));
    largest.map_or((ns, b" ns"), |(size, unit)| (ns / size, unit))
}

/// Writes the text of a record.
pub(crate) fn record(ctx: &Context<'_, '_>, record: &Record<'_>, line: &mut TextWriter<'_>) {
    let [key, second] = record.numbers;
    match record.layout.what {
        What::Nothing => {}
        What::Core => numbered(b"core ", key, line),
        What::Total => numbered(b"total ", key, line),
        What::Resolution => {
            let (n, unit) = of_a_tick(key);
            number::decimal(line, n);
            line.put(unit);
            line.put(b" a tick");
        }
        What::Naming => naming(record, line),
        What::IdleOf => numbered(b"idle task of core ", second, line),
        What::Timer => line.put(b"timer service task"),
        What::KindOf => line.put(kind(second)),
        What::Message => line.put(record.text),
        What::LocalMessage => {
            name(ctx, record, line);
            line.put(if record.text.is_empty() { b"" } else { b"  " });
            line.put(record.text);
        }
        What::Number if key == command::ACK && is_answer(ctx) && command::text(second, line) => {}
        What::Number => number::signed(line, second as i64, 0),
        What::LocalNumber => {
            name(ctx, record, line);
            line.put(b" = ");
            number::signed(line, second as i64, 0);
        }
        What::ForTicks => ticks(key, line),
        What::UntilTick => numbered(b"until tick ", key, line),
        What::Priority => numbered(b"priority ", second, line),
        What::Fill => numbered(b"fill ", second, line),
        What::QueueFill => {
            name(ctx, record, line);
            numbered(b"  fill ", second, line);
        }
        What::QueueEmptied => {
            name(ctx, record, line);
            line.put(b"  emptied");
        }
        What::Wait => {
            name(ctx, record, line);
            line.put(b"  ");
            ticks(second, line);
        }
    }
    if ctx.row.row.has(RowFlags::MALFORMED) {
        line.put(" · text is not UTF-8".as_bytes());
    }
}

/// Whether the target calls the marker of answers so.
fn is_answer(ctx: &Context<'_, '_>) -> bool {
    ctx.name(space::VALUES, command::ACK) == Some(Ack::NAME)
}

fn numbered(what: &[u8], number: u64, line: &mut TextWriter<'_>) {
    line.put(what);
    number::decimal(line, number);
}

fn ticks(ticks: u64, line: &mut TextWriter<'_>) {
    if ticks == FOR_EVER {
        return line.put(b"no timeout");
    }
    numbered(b"for ", ticks, line);
    line.put(if ticks == 1 { b" tick" } else { b" ticks" });
}

/// Common name of a kind of queue.
pub(super) fn kind(kind: u64) -> &'static [u8] {
    queue_kind(kind).map_or(b"", |kind| kind.name.as_bytes())
}

/// Writes the name of the key in the first field, or the fallback.
fn name(ctx: &Context<'_, '_>, record: &Record<'_>, line: &mut TextWriter<'_>) {
    let space = record.layout.first_space();
    match ctx.name(space, record.numbers[0]) {
        Some(name) if !name.is_empty() => line.put(name),
        _ => {
            line.put(word(space));
            number::decimal(line, record.numbers[0]);
        }
    }
}

/// Word before the number of a key.
fn word(space: u16) -> &'static [u8] {
    match space {
        space::ISRS => b"isr ",
        space::TASKS => b"task ",
        space::QUEUES => b"queue ",
        space::VALUES | space::TASK_VALUES => b"value ",
        _ => b"marker ",
    }
}

/// Writes `isr 7 = adc`, and the owner, if reported.
fn naming(record: &Record<'_>, line: &mut TextWriter<'_>) {
    let [key, owner] = record.numbers;
    numbered(word(record.layout.first_space()), key, line);
    if record.layout.is_local() && owner != 0 {
        numbered(b" of task ", owner, line);
    }
    line.put(b" = ");
    line.put(record.text);
}
