//! Reproduces the reference tool byte for byte: its receiver and its output. Only `decoder` imports it.

use spytui_plugin_api::{
    Output, TextWriter,
    batch::ClockEvent,
    row::{RowFlags, RowKind},
};

use crate::{
    command,
    config::{Config, TbandOptions, clock_of},
    layout::{Layout, Ty},
    receive::{CobsHandler, FrameStream},
    record::{self, CoreTime, FrameFault, Record, VarintError},
    text::{Context, number, text_fault},
};

pub(crate) type Reference = FrameStream<ReferenceDecoder>;

#[derive(Clone, Debug)]
pub(crate) struct ReferenceDecoder {
    config: Config,
    clock: ClockEvent,
    /// Core of the stream, and the last time stamp.
    context: CoreTime,
    room: Vec<u8>,
}

pub(crate) fn begin(options: &TbandOptions, core: u16) -> Reference {
    let context = CoreTime { core, time: 0 };
    let clock = clock_of(options.resolution);
    let receiver = ReferenceDecoder { config: options.config, clock, context, room: Vec::new() };
    FrameStream::new(receiver, options.max_frame)
}

impl CobsHandler for ReferenceDecoder {
    fn open(&mut self, out: &mut Output<'_>) {
        out.cfg(0, &self.config.blob());
        out.clock(self.clock);
    }

    fn context(&self) -> CoreTime {
        self.context
    }

    /// A record with invalid text counts as a bad frame.
    #[inline]
    fn frame(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool {
        let mut room = std::mem::take(&mut self.room);
        let record = record::read(raw, self.config.rtos, &mut room).ok().filter(|record| !record.is_broken());
        if let Some(record) = &record {
            self.reference_row(record, pos, raw.len(), out);
        }
        let is_valid = record.is_some();
        self.room = room;
        is_valid
    }
}

impl ReferenceDecoder {
    /// The row of a record: its time, and its first number as the object.
    #[inline]
    fn reference_row(&mut self, record: &Record<'_>, pos: u64, len: usize, out: &mut Output<'_>) {
        let mut flags = RowFlags::HAS_OBJECT;
        if record.layout.timed {
            self.context.time = record.stamp;
            flags |= RowFlags::TIME_OWN;
        }
        let mut row = self.context.record(record, pos, len);
        row.obj = record.numbers[0];
        row.flags |= flags;
        command::answer(record, out);
        out.row(row);
    }
}

const QUEUE_KINDS: [&str; 6] =
    ["FrqkQueue", "FrqkCountingSemphr", "FrqkBinarySemphr", "FrqkMutex", "FrqkRecursiveMutex", "FrqkQueueSet"];

/// Writes the line of an event: an object in JSON.
pub(crate) fn record(record: &Record<'_>, line: &mut TextWriter<'_>) {
    let Layout { rtos, timed, pascal, fields, .. } = *record.layout;
    line.put(if rtos { b"{\"FreeRTOS" } else { b"{\"Base" });
    if timed {
        number::labelled(line, b"\":{\"ts\":", record.stamp);
        line.put(b",\"kind\":{\"");
    } else {
        line.put(b"Metadata\":{\"");
    }
    line.put(pascal.as_bytes());
    for (i, field) in fields.iter().enumerate() {
        line.put(if i > 0 { b",\"" } else { b"\":{\"" });
        line.put(field.name.as_bytes());
        let number = record.numbers.get(i).copied().unwrap_or(0);
        match field.ty {
            Ty::Text => {
                line.put(b"\":\"");
                string(record.text, line);
                line.byte(b'"');
            }
            Ty::QueueKind => {
                line.put(b"\":\"");
                line.put(queue_kind(number));
                line.byte(b'"');
            }
            Ty::S64 => {
                line.put(b"\":");
                number::signed(line, number as i64, 0);
            }
            Ty::U32 | Ty::Key(_) | Ty::U64 => number::labelled(line, b"\":", number),
        }
    }
    line.put(if timed { b"}}}}\n" } else { b"}}}\n" });
}

fn queue_kind(kind: u64) -> &'static [u8] {
    usize::try_from(kind).ok().and_then(|kind| QUEUE_KINDS.get(kind)).map_or(b"", |name| name.as_bytes())
}

fn string(text: &[u8], line: &mut TextWriter<'_>) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&b| b < 0x20 || matches!(b, b'"' | b'\\')) {
        line.put(rest.get(..at).unwrap_or(&[]));
        escape(rest.get(at).copied().unwrap_or(0), line);
        rest = rest.get(at + 1..).unwrap_or(&[]);
    }
    line.put(rest);
}

fn escape(byte: u8, line: &mut TextWriter<'_>) {
    match byte {
        b'"' => line.put(b"\\\""),
        b'\\' => line.put(b"\\\\"),
        8 => line.put(b"\\b"),
        12 => line.put(b"\\f"),
        b'\n' => line.put(b"\\n"),
        b'\r' => line.put(b"\\r"),
        b'\t' => line.put(b"\\t"),
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            line.put(b"\\u00");
            line.put(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}

/// Writes the lines of a note: one per bad frame.
pub(crate) fn note(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    if ctx.row.row.kind != RowKind::BAD_FRAME {
        return;
    }
    match ctx.read(&mut Vec::new()) {
        Err(FrameFault::Empty) => ctx.row.raw.as_slice().iter().for_each(|_| invalid(ctx, &FrameFault::Empty, line)),
        Err(why) => invalid(ctx, &why, line),
        Ok(record) => invalid(ctx, &record.text_fault().unwrap_or(FrameFault::NoId), line),
    }
}

fn invalid(ctx: &Context<'_, '_>, why: &FrameFault, line: &mut TextWriter<'_>) {
    line.put(b"{\"Invalid\":{\"ts\":");
    if ctx.row.row.has_time() {
        number::decimal(line, ctx.row.row.time);
    } else {
        line.put(b"null");
    }
    line.put(b",\"err\":\"");
    cause(why, line);
    line.put(b"\"}}\n");
}

/// Writes the reference tool's words, none of which need escaping in JSON.
pub(crate) fn cause(cause: &FrameFault, line: &mut TextWriter<'_>) {
    match cause {
        FrameFault::Empty => line.put(b"Empty COBS frame"),
        FrameFault::Cobs => line.put(b"Invalid COBS frame: Pointer past end of block! Are bytes missing?"),
        FrameFault::NoId => line.put(b"Insufficient bytes left in event to decode a u8"),
        FrameFault::UnknownId(id) => {
            line.put(b"Invalid event id 0x");
            number::hex(line, u64::from(*id), 1);
            line.byte(b'!');
        }
        FrameFault::Stamp(VarintError::Missing) => line.put(b"Insufficient bytes left in event to decode a u64"),
        FrameFault::Stamp(VarintError::Unterminated) => line.put(b"Unterminated u64"),
        FrameFault::Stamp(VarintError::TooLong) => line.put(b"u64 too long!"),
        FrameFault::Field(field) => {
            line.put(b"Failed to decode '");
            line.put(field.name.as_bytes());
            line.put(b"' ");
            line.put(type_name(field.ty));
            line.put(b" field.");
        }
        FrameFault::Loose(layout) => {
            line.put(b"Loose bytes at end of '");
            line.put(layout.pascal.as_bytes());
            line.put(b"' event.");
        }
        FrameFault::Text(at, len) => text_fault(*at, *len, line),
    }
}

fn type_name(ty: Ty) -> &'static [u8] {
    match ty {
        Ty::U32 | Ty::Key(_) => b"u32",
        Ty::U64 => b"u64",
        Ty::S64 => b"s64",
        Ty::QueueKind => b"u8 enum",
        Ty::Text => b"str",
    }
}
