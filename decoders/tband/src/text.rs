//! Native text and fields of rows; time, core, group, kind and object have separate columns.

pub(crate) use spytui_decoder_kit::number;

use spytui_companion::Ack;
use spytui_plugin_api::text::grouped;
use spytui_plugin_api::{
    Activity, Dict, Field, NONE, RowIn, TaskState, TextWriter, Verb,
    batch::AttrId,
    info::Class,
    render::Tag,
    row::{RowFlags, RowKind},
};

use crate::{
    command,
    config::Config,
    frame::END,
    layout::{QUEUE_KINDS, Ty, What, private_flag, queue_kind, reason, space},
    record::{self, FrameFault, Record, VarintError},
};

/// Everything besides its event that affects a row's text.
pub(crate) struct Context<'a, 'd> {
    pub(crate) config: Config,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) names: &'a Dict<'d>,
}

impl<'d> Context<'_, 'd> {
    /// Name of a key in a row; scoped by core or task, depending on the space.
    pub(crate) fn name(&self, space: u16, key: u64) -> Option<&'d [u8]> {
        self.names.name(space, key, self.scope(space))
    }

    /// Scope of a key in this row: the core for interrupts, the running task for its markers.
    pub(crate) fn scope(&self, space: u16) -> u64 {
        match space {
            space::ISRS => self.row.row.core.into(),
            space::TASK_MARKERS | space::TASK_VALUES => self.row.row.obj,
            _ => 0,
        }
    }
}

impl<'a> Context<'a, '_> {
    /// The event in the row's bytes, or why there is none.
    #[inline]
    pub(crate) fn read(&self, room: &'a mut Vec<u8>) -> Result<Record<'a>, FrameFault> {
        record::read(self.row.raw.as_slice(), self.config.rtos, room)
    }
}

const FOR_EVER: u64 = u32::MAX as u64;

/// Converts a time to the largest unit in which it is a whole number.
fn of_a_tick(ns: u64) -> (u64, &'static [u8]) {
    let units: [(u64, &[u8]); 3] = [(1_000_000_000, b" s"), (1_000_000, b" ms"), (1_000, b" us")];
    let largest = units.into_iter().find(|(size, _)| ns > 0 && ns.is_multiple_of(*size));
    largest.map_or((ns, b" ns"), |(size, unit)| (ns / size, unit))
}

pub(crate) fn record_text(ctx: &Context<'_, '_>, record: &Record<'_>, line: &mut TextWriter<'_>) {
    let [key, second] = record.numbers;
    match record.layout.what {
        What::Nothing => {}
        What::Core => number::labelled(line, b"core ", key),
        What::Total => number::labelled(line, b"total ", key),
        What::Resolution => {
            let (n, unit) = of_a_tick(key);
            number::decimal(line, n);
            line.put(unit);
            line.put(b" a tick");
        }
        What::Naming => naming(record, line),
        What::IdleOf => number::labelled(line, b"idle task of core ", second),
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
        What::UntilTick => number::labelled(line, b"until tick ", key),
        What::Priority => number::labelled(line, b"priority ", second),
        What::Fill => number::labelled(line, b"fill ", second),
        What::QueueFill => {
            name(ctx, record, line);
            number::labelled(line, b"  fill ", second);
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

fn is_answer(ctx: &Context<'_, '_>) -> bool {
    ctx.name(space::VALUES, command::ACK) == Some(Ack::NAME)
}

fn ticks(ticks: u64, line: &mut TextWriter<'_>) {
    if ticks == FOR_EVER {
        return line.put(b"no timeout");
    }
    number::labelled(line, b"for ", ticks);
    line.put(if ticks == 1 { b" tick" } else { b" ticks" });
}

fn kind(kind: u64) -> &'static [u8] {
    queue_kind(kind).map_or(b"", |kind| kind.name.as_bytes())
}

/// Writes the name of the key in the first field, or the fallback.
fn name(ctx: &Context<'_, '_>, record: &Record<'_>, line: &mut TextWriter<'_>) {
    let space = record.layout.first_space();
    let key = record.numbers[0];
    number::name_or(line, ctx.name(space, key).filter(|name| !name.is_empty()), word(space), key);
}

fn word(space: u16) -> &'static [u8] {
    match space {
        space::ISRS => b"isr ",
        space::TASKS => b"task ",
        space::QUEUES => b"queue ",
        space::VALUES | space::TASK_VALUES => b"value ",
        _ => b"marker ",
    }
}

/// Writes `isr 7 = adc`, and the owner if reported.
fn naming(record: &Record<'_>, line: &mut TextWriter<'_>) {
    let [key, owner] = record.numbers;
    number::labelled(line, word(record.layout.first_space()), key);
    if record.layout.is_local() && owner != 0 {
        number::labelled(line, b" of task ", owner);
    }
    line.put(b" = ");
    line.put(record.text);
}

fn cause(cause: &FrameFault, line: &mut TextWriter<'_>) {
    match cause {
        FrameFault::Empty => line.put(b"frame end without a frame"),
        FrameFault::Cobs => line.put(b"a code byte points past its end: bytes are missing or wrong"),
        FrameFault::NoId => line.put(b"no event"),
        FrameFault::UnknownId(id) => {
            line.put(b"no event has id ");
            number::prefixed_hex(line, u64::from(*id), 1);
        }
        FrameFault::Stamp(fault) => {
            line.put(b"time stamp ");
            line.put(varint(*fault));
        }
        FrameFault::Field(field) if field.ty == Ty::QueueKind => line.put(b"kind of queue missing or unknown"),
        FrameFault::Field(field) => {
            line.put(field.name.as_bytes());
            line.put(b" cut or too long");
        }
        FrameFault::Loose(layout) => {
            line.put(b"bytes left over after ");
            line.put(layout.name.as_bytes());
        }
        FrameFault::Text(at, len) => text_fault(*at, *len, line),
    }
}

fn varint(fault: VarintError) -> &'static [u8] {
    match fault {
        VarintError::Missing => b"missing",
        VarintError::Unterminated => b"cut",
        VarintError::TooLong => b"too long",
    }
}

/// Writes the position of invalid UTF-8, in the words of the standard library.
pub(crate) fn text_fault(at: usize, len: Option<usize>, line: &mut TextWriter<'_>) {
    match len {
        Some(len) => {
            number::labelled(line, b"invalid utf-8 sequence of ", len as u64);
            line.put(b" bytes from index ");
        }
        None => line.put(b"incomplete utf-8 byte sequence from index "),
    }
    number::decimal(line, at as u64);
}

pub(crate) fn note_text(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    if ctx.row.row.kind != RowKind::BAD_FRAME {
        return;
    }
    if ctx.row.row.has(private_flag::FIRST) {
        line.put(b"or the stream begins in the middle of one: ");
    }
    why(ctx, cause, line);
}

pub(crate) fn empty_frames_text(frames: u64) -> Vec<u8> {
    TextWriter::text_of(|line| {
        line.put(grouped(frames).as_bytes());
        line.put(if frames == 1 { b" empty frame" } else { b" empty frames" });
    })
}

fn empty_frames(ctx: &Context<'_, '_>) -> u64 {
    let only_ends = ctx.row.raw.as_slice().first() == Some(&END);
    if only_ends { ctx.row.row.len.into() } else { 0 }
}

/// Writes why a row's frame contains no event, in the given wording.
fn why(ctx: &Context<'_, '_>, words: fn(&FrameFault, &mut TextWriter<'_>), line: &mut TextWriter<'_>) {
    if let Err(cause) = ctx.read(&mut Vec::new()) {
        words(&cause, line);
    }
}

/// Maximum number of bytes in a damaged frame's field.
const MOST_SHOWN: usize = 256;

pub(crate) fn record_fields(ctx: &Context<'_, '_>, record: &Record<'_>, out: &mut TextWriter<'_>) {
    let places = record.offsets.windows(2).zip(record.numbers.into_iter().chain([0]));
    for (field, (place, num)) in record.layout.fields.iter().take(record.given).zip(places) {
        let &[byte_off, end] = place else { return };
        let plain = Field { num, byte_off, byte_len: end - byte_off, ..Field::default() };
        match field.ty {
            Ty::Text => out.field_text(field.name, Field { num: 0, tag: Tag::TEXT, ..plain }, record.text),
            Ty::S64 => out.field(field.name, Field { tag: Tag::SIGNED, ..plain }),
            Ty::QueueKind => out.field(field.name, Field { tag: Tag::ENUM, space: space::QUEUE_KINDS, ..plain }),
            Ty::Key(space) => {
                out.field(field.name, Field { tag: Tag::KEY, space, scope: ctx.scope(space), ..plain });
            }
            Ty::U32 | Ty::U64 => out.field(field.name, plain),
        }
    }
}

/// Writes why a frame contains no valid event.
pub(crate) type Words = fn(&FrameFault, &mut TextWriter<'_>);

/// Adds the fields of a note; `words` writes field `cause`.
pub(crate) fn note_fields(ctx: &Context<'_, '_>, words: Words, out: &mut TextWriter<'_>) {
    let row = ctx.row;
    let text = Field { tag: Tag::TEXT, ..Field::default() };
    if row.row.kind == RowKind::BAD_FRAME {
        let cause = TextWriter::text_of(|text| why(ctx, words, text));
        out.field_text("cause", text, &cause);
        out.field("frames", Field { num: empty_frames(ctx).max(1), ..Field::default() });
        let raw = row.raw.as_slice();
        let shown = raw.get(..MOST_SHOWN).unwrap_or(raw);
        out.field_text("raw", Field { tag: Tag::BYTES, ..text }, shown);
    }
}

/// Writes the name of an activity's slice, or nothing to use the host's default.
pub(crate) fn label(ctx: &Context<'_, '_>, activity: &Activity, line: &mut TextWriter<'_>) {
    match activity.verb {
        Verb::RUN => {
            number::labelled(line, b"Running (core ", activity.core.into());
            line.byte(b')');
        }
        Verb::STATE => task_state(ctx, activity, line),
        Verb::DELETE => done_by(ctx, b"Deleted", activity, line),
        Verb::ISR_IN | Verb::ISR_OUT => entity(ctx, activity.sub_space, activity.sub, line),
        Verb::BEGIN | Verb::INSTANT => message(ctx, line),
        Verb::LEVEL | Verb::CLEARED => lock_state(ctx, activity, line),
        Verb::LOST => {
            line.put(grouped(activity.val).as_bytes());
            line.put(b" events dropped by the target (total ");
            line.put(grouped(activity.second).as_bytes());
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
            number::labelled(line, b"Delay for ", activity.second);
            return line.put(b" ticks");
        }
        reason::UNTIL => return number::labelled(line, b"Delay until tick ", activity.second),
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

fn message(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    if let Ok(record) = ctx.read(&mut Vec::new()) {
        line.put(record.text);
    }
}

/// Names a mutex event: a mutex is taken when its queue is empty.
fn lock_state(ctx: &Context<'_, '_>, activity: &Activity, line: &mut TextWriter<'_>) {
    if reported_queue_kind(ctx, activity.obj).is_none_or(|(class, _)| class != Class::LOCK) {
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

/// Writes `Task Mash (#1)`, `Marker #10` or `Counting Semaphore bottles (#7)`.
fn entity(ctx: &Context<'_, '_>, of: u16, key: u64, line: &mut TextWriter<'_>) {
    let word: &[u8] = match of {
        space::ISRS => b"ISR",
        space::MARKERS | space::TASK_MARKERS => b"Marker",
        space::VALUES | space::TASK_VALUES => b"Value",
        space::TASKS => b"Task",
        space::QUEUES => reported_queue_kind(ctx, key).map_or(kind(0), |(_, name)| name),
        _ => return,
    };
    line.put(word);
    match ctx.name(of, key) {
        Some(name) => {
            line.byte(b' ');
            line.put(name);
            number::labelled(line, b" (#", key);
            line.byte(b')');
        }
        None => number::labelled(line, b" #", key),
    }
}

/// Class and name of a queue's kind, if reported by the target.
fn reported_queue_kind<'d>(ctx: &Context<'_, 'd>, key: u64) -> Option<(Class, &'d [u8])> {
    let (class, name) = ctx.names.attr(space::QUEUES, key, 0, AttrId::KIND)?;
    Some((u16::try_from(class).map_or(QUEUE_KINDS[0].class, Class), name))
}
