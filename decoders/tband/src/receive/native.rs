//! Our own reading: rows for records, time that goes back, and frames held back because the target may have restarted.

use spytui_plugin_api::{
    AttachmentId, ClockNews, Output, Row,
    info::prop,
    row::{RowFlags, Severity},
};

use super::{
    cores::{Core, Cores, core_of},
    pending_start::PendingStart,
    stream::{FrameHandler, FrameStream},
    system::System,
};
use crate::{
    activity, command,
    config::{BARE_METAL, Config, Options, clock_of},
    frame::END,
    layout::{Role, Subject},
    names,
    record::{self, BadFrames, Record, RowContext},
    text::notes::empty_frames_text,
};

/// Bits of a time stamp.
const STAMP_BITS: u32 = 64;

/// A stream received in our own way.
pub(crate) type Native = FrameStream<NativeReceiver>;

#[derive(Clone, Debug)]
pub(crate) struct NativeReceiver {
    pub(super) config: Config,
    pub(super) cores: Cores,
    /// The last time of all cores, and the core that had it.
    pub(super) time: Option<u64>,
    timed_core: u16,
    /// The last drop count of this epoch.
    pub(super) dropped: u64,
    pending: PendingStart,
    /// Nanoseconds per tick; 0 = unknown.
    pub(super) tick_ns: u64,
    /// Given by an option, or by the target in this epoch.
    pub(super) is_tick_given: bool,
    pub(super) system: System,
    /// For the bytes of an event.
    room: Vec<u8>,
}

/// Time that went back.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeBack {
    pub(super) core: u16,
    /// Time of the core.
    pub(super) from: u64,
    pub(super) to: u64,
    /// Time stamps, as the counter shows them.
    pub(super) shown: (u64, u64),
    /// The counter wrapped, as far as the time stamps show.
    pub(super) wraps: bool,
    /// The drop count, if it fell together with the time: from, to.
    pub(super) dropped: Option<(u64, u64)>,
}

impl TimeBack {
    /// Whether the target restarted, rather than one time stamp being wrong. Time begins with 0 at a start, and so does
    /// the drop count.
    fn is_restart(&self) -> bool {
        let (from, to) = self.shown;
        (!self.wraps && to < from - to) || self.dropped.is_some()
    }
}

/// Begins to receive.
pub(crate) fn begin(options: &Options, core: u16) -> Native {
    let receiver = NativeReceiver {
        config: options.config,
        cores: Cores::new(core, options.clock.clone()),
        time: None,
        timed_core: core,
        dropped: 0,
        pending: PendingStart::default(),
        tick_ns: options.resolution,
        is_tick_given: options.resolution != 0,
        system: System::default(),
        room: Vec::new(),
    };
    FrameStream::new(receiver, options.max_frame)
}

impl FrameHandler for NativeReceiver {
    fn open(&mut self, out: &mut Output<'_>) {
        out.cfg(0, &self.config.blob());
        out.clock(clock_of(self.tick_ns));
        // Until an event of a system comes.
        out.prop(prop::SYSTEM, 0, BARE_METAL.as_bytes());
        names::built_in(out);
    }

    /// The current core and its time.
    fn context(&self) -> RowContext {
        RowContext { core: self.cores.now.id, time: self.cores.now.stamp.or(self.time).unwrap_or(0) }
    }

    /// The text of a valid record may be invalid.
    fn frame(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool {
        let mut room = std::mem::take(&mut self.room);
        let record = record::read(raw, self.config.rtos, &mut room);
        if let Ok(record) = &record {
            let may_be_held = record.layout.role == Role::Core || !self.pending.is_empty();
            if !(may_be_held && self.holds(record, pos, raw, out)) {
                self.record(record, pos, raw.len(), out);
            }
        }
        let is_valid = record.is_ok();
        self.room = room;
        is_valid || self.printed(pos, raw, out)
    }

    #[inline(never)]
    fn bad_frames(&mut self, bad: BadFrames, first: bool, out: &mut Output<'_>) -> Row {
        self.settle(out);
        if out.wants_activities() {
            activity::of_bad_frames(bad.frames, self.cores.now.id, out);
        }
        if bad.are_empty {
            out.attachment_bytes(AttachmentId::TEXT, &empty_frames_text(bad.frames));
        }
        self.context().bad_frames(bad, first, out)
    }

    fn skipped(&mut self, row: Row, body: &[u8], out: &mut Output<'_>) {
        out.skipped(row, 0, body);
    }

    fn settle(&mut self, out: &mut Output<'_>) {
        self.release(None, out);
    }

    fn lost(&mut self) {
        self.cores.lost();
    }
}

impl NativeReceiver {
    /// Holds a frame back if the target may have restarted. Otherwise releases those held before.
    #[inline(never)]
    fn holds(&mut self, record: &Record<'_>, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool {
        let may_begin = record.is_bare() && self.time.is_some_and(|time| time > 0);
        if self.pending.holds(record, may_begin, pos, raw) {
            return true;
        }
        self.release(Some(record), out);
        false
    }

    /// Makes rows of the frames held back. If there is metadata among them and the record after them goes back in time, the target
    /// restarted before them.
    fn release(&mut self, next: Option<&Record<'_>>, out: &mut Output<'_>) {
        let Some(held) = self.pending.begin_release() else { return };
        if let Some(record) = next.filter(|record| record.layout.timed && !record.is_bare()) {
            let core = if record.layout.role == Role::Core { core_of(record.numbers[0]) } else { held.core };
            if let Some(back) = self.step_back(record, core).filter(|back| held.has_metadata || back.is_restart()) {
                self.restart(back, 0, held.pos, out);
            }
        }
        let mut pos = held.pos;
        for raw in held.bytes.split_inclusive(|byte| *byte == END) {
            self.frame(pos, raw, out);
            pos += raw.len() as u64;
        }
        self.pending.end_release(held);
    }

    #[inline]
    fn record(&mut self, record: &Record<'_>, pos: u64, len: usize, out: &mut Output<'_>) {
        let broken = record.is_broken();
        let layout = record.layout;
        if layout.role == Role::Core {
            self.cores.switch(core_of(record.numbers[0]));
        }
        let timed = if layout.timed { self.stamp(record, pos, out) } else { RowFlags::empty() };
        if layout.role != Role::Plain || layout.rtos && !self.system.is_certain() {
            self.control_event(record, pos, out);
        }
        command::answer(record, out);
        let mut row = self.row_of(record, pos, len);
        row.flags |= timed;
        if broken {
            row.flags |= RowFlags::MALFORMED;
            row.severity = Severity::WARNING;
        }
        if out.wants_activities() {
            let Core { id: core, task, .. } = self.cores.now;
            if self.cores.is_certain() {
                activity::of_record(record, core, task, out);
            }
            activity::of_bad_frames(broken.into(), core, out);
        }
        out.row(row);
    }

    /// How far the time of a record is before the last one of its core, if it is.
    #[inline(never)]
    fn step_back(&self, record: &Record<'_>, core: u16) -> Option<TimeBack> {
        let clock = self.cores.clock(core)?;
        let from = clock.now();
        let shown = (clock.shown(from), clock.shown(record.stamp));
        if shown.1 >= shown.0 {
            return None;
        }
        let mut next = clock.clone();
        next.stamp_bits(record.stamp, STAMP_BITS);
        let (to, wraps) = match next.take_news() {
            Some(ClockNews::Back { to, .. }) => (to, false),
            _ => (record.stamp, true),
        };
        let counts = record.layout.role == Role::Dropped && record.numbers[0] < self.dropped;
        let dropped = counts.then_some((self.dropped, record.numbers[0]));
        Some(TimeBack { core, from, to, shown, wraps, dropped })
    }

    #[inline(always)]
    fn row_of(&mut self, record: &Record<'_>, pos: u64, len: usize) -> Row {
        let mut row = self.context().record(record, pos, len);
        let object = match record.layout.subject {
            Subject::First => Some(record.numbers[0]),
            Subject::Nothing => None,
            Subject::Current => self.cores.now.task,
            Subject::Owner => names::owner(record, self.cores.now.task),
        };
        if let Some(key) = object {
            row.obj = key;
            row.flags |= RowFlags::HAS_OBJECT;
        }
        row
    }

    /// Takes a time stamp; returns the flags of its row. A core event without a time keeps the core's last time.
    #[inline]
    fn stamp(&mut self, record: &Record<'_>, pos: u64, out: &mut Output<'_>) -> RowFlags {
        if record.is_bare() {
            let is_first = self.cores.now.stamp.is_none();
            self.cores.now.stamp.get_or_insert(record.stamp);
            return if is_first { RowFlags::TIME_OWN } else { RowFlags::empty() };
        }
        let clock = &mut self.cores.now.clock;
        let is_timed = if clock.is_plain(record.stamp, STAMP_BITS) {
            clock.stamp_bits(record.stamp, STAMP_BITS);
            true
        } else {
            self.jump(record, pos, out)
        };
        let now = Some(self.cores.now.clock.now());
        (self.time, self.timed_core, self.cores.now.stamp) = (now, self.cores.now.id, now);
        if is_timed { RowFlags::TIME_OWN } else { RowFlags::empty() }
    }

    /// Takes a time stamp that is not soon after the last one of its core, and adds the note of what it shows; `false` if
    /// it does not say when its record was made.
    #[inline(never)]
    fn jump(&mut self, record: &Record<'_>, pos: u64, out: &mut Output<'_>) -> bool {
        let core = &mut self.cores.now;
        let other = self.time.filter(|_| core.id != self.timed_core);
        if other.is_some_and(|now| core.clock.stamp_near(record.stamp, STAMP_BITS, now)) {
            return true;
        }
        let back = self.step_back(record, self.cores.now.id).filter(|back| !back.wraps || back.dropped.is_some());
        match back {
            Some(back) if back.is_restart() => self.restart(back, record.stamp, pos, out),
            Some(back) => self.time_back(back, pos, out),
            None => {}
        }
        let clock = &mut self.cores.now.clock;
        clock.stamp_bits(record.stamp, STAMP_BITS);
        let news = clock.take_news();
        if let Some(news) = news.filter(|_| back.is_none()) {
            self.cores.share_counter();
            if let Some(note) = news.note(pos, out) {
                out.row(self.context().note(note));
            }
        }
        !news.is_some_and(|news| news.hides_time())
    }
}
