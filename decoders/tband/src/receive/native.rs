//! The native receiver: rows and activities of records, time that goes back, frames held because the target may have
//! restarted, text between frames.

use spytui_plugin_api::{
    Activity, ActivityFlags, AttachmentId, Output, Row, Verb, console,
    info::prop,
    row::{RowFlags, RowKind, Severity},
};
use spytui_plugin_layer::ClockNews;

use super::{CobsHandler, Core, Cores, FrameStream, core_of};
use crate::{
    command,
    config::{BARE_METAL, Config, TbandOptions, clock_of},
    frame::END,
    layout::{EventSubject, Role, space::TASKS},
    names,
    record::{self, BadFrames, CoreTime, Record},
    text::empty_frames_text,
};

const STAMP_BITS: u32 = 64;
/// Maximum time from the last event to one after text without a line end, in ticks.
const SOON: u64 = 1 << 32;

pub(crate) type Native = FrameStream<NativeReceiver>;

#[derive(Clone, Debug)]
pub(crate) struct NativeReceiver {
    config: Config,
    cores: Cores,
    /// The last time on any core, and that core.
    time: Option<u64>,
    timed_core: u16,
    /// The last drop total of this epoch.
    dropped: u64,
    pending: PendingStart,
    /// Nanoseconds per tick; 0 = unknown.
    tick_ns: u64,
    /// Set by an option, or by the target in this epoch.
    is_tick_given: bool,
    system: System,
    room: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct TimeBack {
    core: u16,
    from: u64,
    to: u64,
    /// Time stamps as counter values.
    shown: (u64, u64),
    /// The time stamps show that the counter wraps.
    wraps: bool,
    /// The drop total, if it fell together with the time: from, to.
    dropped: Option<(u64, u64)>,
}

impl TimeBack {
    /// Whether the target restarted, as opposed to a single wrong time stamp. At a start, time and drop total are 0.
    fn is_restart(&self) -> bool {
        let (from, to) = self.shown;
        (!self.wraps && to < from - to) || self.dropped.is_some()
    }
}

pub(crate) fn begin(options: &TbandOptions, core: u16) -> Native {
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

impl CobsHandler for NativeReceiver {
    fn open(&mut self, out: &mut Output<'_>) {
        out.cfg(0, &self.config.blob());
        out.clock(clock_of(self.tick_ns));
        // Until the first FreeRTOS event.
        out.prop(prop::SYSTEM, 0, BARE_METAL.as_bytes());
        names::built_in(out);
    }

    fn context(&self) -> CoreTime {
        CoreTime { core: self.cores.now.id, time: self.cores.now.stamp.or(self.time).unwrap_or(0) }
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
            add_bad_frames(bad.frames(), self.cores.now.id, out);
        }
        if bad.are_empty {
            out.attachment_bytes(AttachmentId::TEXT, &empty_frames_text(bad.frames()));
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
    /// Holds a frame if the target may have restarted; otherwise releases held frames.
    #[inline(never)]
    fn holds(&mut self, record: &Record<'_>, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool {
        let may_begin = record.is_bare() && self.time.is_some_and(|time| time > 0);
        if self.pending.holds(record, may_begin, pos, raw) {
            return true;
        }
        self.release(Some(record), out);
        false
    }

    /// Releases held frames. If they include metadata and the record after them goes back in time, the target restarted
    /// before them.
    fn release(&mut self, next: Option<&Record<'_>>, out: &mut Output<'_>) {
        if self.pending.is_empty() {
            return;
        }
        let releasing = PendingStart { releasing: true, ..PendingStart::default() };
        let mut held = std::mem::replace(&mut self.pending, releasing);
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
        // The buffer is kept, because core events can be frequent.
        held.bytes.clear();
        self.pending = PendingStart { bytes: held.bytes, ..PendingStart::default() };
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
                add_activity(record, core, task, out);
            }
            add_bad_frames(broken.into(), core, out);
        }
        out.row(row);
    }

    /// How far the time of a record lies before the last one of its core; `None` = it does not.
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
            EventSubject::First => Some(record.numbers[0]),
            EventSubject::Nothing => None,
            EventSubject::Current => self.cores.now.task,
            EventSubject::Owner => names::owner(record, self.cores.now.task),
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
        let is_timed = clock.stamp_plain(record.stamp, STAMP_BITS) || self.jump(record, pos, out);
        let now = Some(self.cores.now.clock.now());
        (self.time, self.timed_core, self.cores.now.stamp) = (now, self.cores.now.id, now);
        if is_timed { RowFlags::TIME_OWN } else { RowFlags::empty() }
    }

    /// Takes a time stamp that is not close to the last one of its core, and adds a note about it; returns `false` if
    /// the record's time is unknown.
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

    /// Applies the effects of an event before its row.
    #[inline(never)]
    fn control_event(&mut self, record: &Record<'_>, pos: u64, out: &mut Output<'_>) {
        if record.layout.rtos && !self.system.is_certain() {
            self.system.event(pos, out);
        }
        match record.layout.role {
            Role::Dropped => {
                self.dropped = record.numbers[0];
                out.attachment(AttachmentId::DROP_TOTAL, u64::from(record.numbers[0] as u32), self.tick_ns);
            }
            Role::Resolution => self.resolution_is(record.numbers[0], pos, out),
            Role::SwitchedIn => self.cores.now.task = Some(record.numbers[0]),
            _ => names::from_record(record, self.cores.now.id, self.cores.now.task, out),
        }
    }

    fn resolution_is(&mut self, ns: u64, pos: u64, out: &mut Output<'_>) {
        let last = self.tick_ns;
        if ns == 0 {
            return self.say(RowKind::CONFLICT, pos, "a resolution of 0 ns is ignored".to_owned(), out);
        }
        if ns != last && self.is_tick_given {
            self.say(RowKind::CONFLICT, pos, format!("resolution is {ns} ns per tick, was {last} ns"), out);
        }
        (self.tick_ns, self.is_tick_given) = (ns, true);
        out.clock(clock_of(ns));
    }

    /// Starts a new epoch at a time, because the target restarted.
    #[inline(never)]
    fn restart(&mut self, back: TimeBack, begin: u64, pos: u64, out: &mut Output<'_>) {
        self.cores.forget();
        self.is_tick_given = false;
        self.dropped = 0;
        self.time = Some(begin);
        if let Some((from, to)) = back.dropped {
            out.attachment(AttachmentId::TOTAL_FELL, from, to);
        }
        self.note_time_back(TimeBack { to: back.shown.1, ..back }, RowFlags::EPOCH, pos, out);
    }

    /// Adds a note that time goes back without a restart.
    #[inline(never)]
    fn time_back(&mut self, back: TimeBack, pos: u64, out: &mut Output<'_>) {
        let ticks = back.from - back.to;
        let text = format!("time goes back by {ticks} tick{}", if ticks == 1 { "" } else { "s" });
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        self.note_time_back(back, RowFlags::empty(), pos, out);
    }

    fn note_time_back(&mut self, back: TimeBack, flags: RowFlags, pos: u64, out: &mut Output<'_>) {
        out.attachment(AttachmentId::SPAN, back.from, back.to);
        let row = self.context().note(Row::note(RowKind::TIME_BACK, pos, 0));
        out.row(Row { flags: row.flags | flags, core: back.core, ..row });
    }

    fn say(&self, kind: RowKind, pos: u64, text: String, out: &mut Output<'_>) {
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        let row = self.context().note(Row::note(kind, pos, 0));
        out.row(Row { severity: Severity::WARNING, ..row });
    }
    /// Handles a frame without a record that is text, or text and a frame; returns `false` if it is neither. `raw`
    /// includes the frame end.
    #[cold]
    fn printed(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool {
        let body = raw.get(..raw.len().saturating_sub(1)).unwrap_or(raw);
        let text = body.get(..console::text_len(body)).unwrap_or(&[]);
        if let Some(start) = self.frame_after(text, body) {
            let (text, frame) = raw.split_at(start);
            self.text(pos, text, 0, out);
            return self.frame(pos + start as u64, frame, out);
        }
        // Frames contain text, too, so the rest of a damaged one may be text, but not a line.
        let is_text = text.len() == body.len() && console::is_text(text) && text.ends_with(b"\n");
        if is_text {
            self.text(pos, body, 1, out);
        }
        is_text
    }

    fn text(&mut self, pos: u64, text: &[u8], after: usize, out: &mut Output<'_>) {
        self.settle(out);
        for (start, len) in console::rows(text, 0, after) {
            out.row(self.context().note(Row::note(RowKind::CONSOLE, pos + start as u64, len)));
        }
    }

    /// Start of the frame after the text at the beginning of a body: after a line end, or else where an event follows
    /// soon after the last one.
    fn frame_after(&self, text: &[u8], body: &[u8]) -> Option<usize> {
        let mut starts = 1..=text.len();
        let is_line = |start: &usize| text.get(..*start).is_some_and(|text| text.ends_with(b"\n"));
        let after_line = starts.clone().filter(is_line).find(|start| self.reads(body, *start, false));
        after_line.or_else(|| starts.find(|start| self.reads(body, *start, true)))
    }

    /// Whether the bytes from a position on are a frame; if `soon`, one that follows soon after the last event.
    fn reads(&self, body: &[u8], start: usize, soon: bool) -> bool {
        let mut room = Vec::new();
        let Ok(record) = record::read(body.get(start..).unwrap_or(&[]), self.config.rtos, &mut room) else {
            return false;
        };
        let clock = &self.cores.now.clock;
        let ahead = clock.extend(record.stamp, 8).checked_sub(clock.now());
        let follows = record.layout.timed && ahead.is_some_and(|ticks| ticks < SOON);
        !record.is_broken() && (!soon || follows)
    }
}

/// Maximum number of held bytes: far more than the names that targets keep.
const MOST: usize = 64 * 1024;

/// Frames that are held because the target may have restarted with them.
#[derive(Clone, Debug, Default)]
struct PendingStart {
    pos: u64,
    bytes: Vec<u8>,
    /// Core in the last core event among them.
    core: u16,
    /// They include metadata: a recording starts, rather than only a core switch.
    has_metadata: bool,
    /// The held frames are being released and must not be held again.
    releasing: bool,
}

impl PendingStart {
    #[inline]
    fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Holds a frame if it belongs to held ones or `may_begin` a recording.
    fn holds(&mut self, record: &Record<'_>, may_begin: bool, pos: u64, raw: &[u8]) -> bool {
        let continues = !self.is_empty() && (record.is_bare() || !record.layout.timed);
        let fits = self.bytes.len() + raw.len() <= MOST;
        if self.releasing || !fits || !(may_begin || continues) {
            return false;
        }
        if self.is_empty() {
            self.pos = pos;
        }
        if record.layout.role == Role::Core {
            self.core = core_of(record.numbers[0]);
        }
        self.has_metadata |= !record.layout.timed;
        self.bytes.extend_from_slice(raw);
        true
    }
}

/// This many events ...
const ENOUGH: u8 = 8;
/// ... within this many bytes are proof.
const WITHIN: u64 = 1024;

#[derive(Clone, Copy, Debug, Default)]
struct System {
    seen: bool,
    since: u64,
    count: u8,
}

impl System {
    /// Whether FreeRTOS events add nothing new.
    #[inline]
    fn is_certain(self) -> bool {
        self.count >= ENOUGH
    }

    fn event(&mut self, pos: u64, out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.seen, true) {
            out.prop(prop::SYSTEM, 0, b"FreeRTOS");
        }
        if self.count == 0 || pos.saturating_sub(self.since) > WITHIN {
            self.since = pos;
            self.count = 0;
        }
        self.count += 1;
        if self.is_certain() {
            out.prop(prop::CERTAIN, 0, b"1");
        }
    }
}

/// Adds the activity of an event; `task` = the task running on the core.
pub(crate) fn add_activity(record: &Record<'_>, core: u16, task: Option<u64>, out: &mut Output<'_>) {
    let Some(meaning) = &record.layout.meaning else { return };
    let number = |field: u8| record.numbers.get(usize::from(field)).copied().unwrap_or(0);
    let mut activity = meaning.activity(core, number);
    if let Some(task) = task {
        if activity.flags.contains(ActivityFlags::CURRENT) {
            activity = activity.sub(TASKS, task);
        } else if record.layout.has_task {
            activity = activity.obj(TASKS, task);
        }
    }
    out.activity(activity);
}

pub(crate) fn add_bad_frames(frames: u64, core: u16, out: &mut Output<'_>) {
    if frames > 0 {
        out.activity(Activity { core, ..Activity::new(Verb::INFO).val(frames).with(ActivityFlags::FAILED) });
    }
}
