//! Receives the way the reference tool does: each record becomes a row, nothing else. It is silent about other bytes.

use spytui_plugin_api::{Output, batch::ClockEvent, row::RowFlags};

use crate::{
    command,
    config::{Config, Options, clock_of},
    receive::{FrameHandler, FrameStream},
    record::{self, Record, RowContext},
};

/// A stream received as by the reference tool.
pub(crate) type Reference = FrameStream<ReferenceReceiver>;

#[derive(Clone, Debug)]
pub(crate) struct ReferenceReceiver {
    config: Config,
    clock: ClockEvent,
    /// Core of the stream, and the last time stamp.
    context: RowContext,
    /// For the bytes of an event.
    room: Vec<u8>,
}

/// Begins to receive.
pub(crate) fn begin(options: &Options, core: u16) -> Reference {
    let context = RowContext { core, time: 0 };
    let clock = clock_of(options.resolution);
    let receiver = ReferenceReceiver { config: options.config, clock, context, room: Vec::new() };
    FrameStream::new(receiver, options.max_frame)
}

impl FrameHandler for ReferenceReceiver {
    fn open(&mut self, out: &mut Output<'_>) {
        out.cfg(0, &self.config.blob());
        out.clock(self.clock);
    }

    fn context(&self) -> RowContext {
        self.context
    }

    /// A record with invalid text counts as bad frame.
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

impl ReferenceReceiver {
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
