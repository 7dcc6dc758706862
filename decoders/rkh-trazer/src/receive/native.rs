//! The native receiver: every flag ends a frame, fused frames are separated, and every loss gets a row where it occurs.
//! Text printed on the trace line runs into the next frame, because frames begin without a flag; complete lines are
//! shown earlier if no frame can have begun in them.

use std::sync::Arc;

use spytui_decoder_kit::{DropField, DropRecord, Elements, RowBuilder};
use spytui_hdlc::{
    ESCAPE, FLAG, FrameHandler, HdlcStream, LineHandler, LineState, Segment, Suffix, suffixes, unstuff, unstuffed,
};
use spytui_plugin_api::{
    Output, Row, RowFlags,
    chunk::{StreamEvent, StreamEventKind},
    console,
    row::RowKind,
};

use super::{ReceiverBase, add_activities, add_user_activity, posts::Queues};
use crate::{
    command,
    config::{Key, Settings, Tcfg, bit},
    frame::{LONGEST, overlong},
    layout::{ACK, Layout, Role, USER, Values, layout, private_attachment},
    names::{Naming, Symbols, properties},
    record::{self, Record, RecordFrame, UI32, X32},
};

pub(crate) type Native = HdlcStream<NativeReceiver>;

#[derive(Clone, Debug)]
pub(crate) struct NativeReceiver {
    pub(super) base: ReceiverBase,
    pub(super) line: LineState,
    /// The target's configuration, from options and its own records.
    pub(super) target: TargetSettings,
    pub(super) queues: Queues,
    symbols: Option<Arc<Symbols>>,
}

/// Minimum number of misfits before the sizes are reported as wrong.
const MISFITS: u32 = 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct TargetSettings {
    /// Settings from options, as bits.
    pub(super) given: u16,
    /// Settings of the target's last configuration record.
    pub(super) tcfg: Option<Settings>,
    /// The last valid frame was a configuration record.
    pub(super) tcfg_came: bool,
    pub(super) record: Option<Tcfg>,
    /// The ticks per second are set by an option.
    pub(super) rate: bool,
    /// Number of records in this epoch, and how many did not fit.
    pub(super) records: u32,
    pub(super) misfits: u32,
    reported: bool,
}

impl TargetSettings {
    pub(crate) fn new(given: u16, rate: bool) -> TargetSettings {
        TargetSettings { given, rate, ..TargetSettings::default() }
    }

    /// Whether the settings come from the target or from options: only then is a record invalid if its arguments don't
    /// fit.
    pub(super) fn is_configured(&self) -> bool {
        self.tcfg.is_some() || self.given & !bit(Key::Version) != 0
    }

    pub(super) fn version(&self) -> Option<u16> {
        self.tcfg.map(|t| t.get(Key::Version))
    }

    #[inline]
    pub(super) fn check_sizes(&mut self, base: &ReceiverBase, pos: u64, out: &mut Output<'_>) {
        if self.misfits >= MISFITS && !self.reported && self.tcfg.is_none() && self.misfits > self.records / 4 {
            self.reported = true;
            let text = format!(
                "{} of {} records don't fit the sizes in use, and the target did not report its own: give those that differ (-o signal=2), and sender, queue-lwm and pool-lwm, or a configuration (-o cfg=FILE)",
                self.misfits, self.records
            );
            base.say(out, Row::note(RowKind::HINT, pos, 0), &text);
        }
    }
}

pub(crate) fn begin(
    base: ReceiverBase,
    target: TargetSettings,
    symbols: Option<Arc<Symbols>>,
    drops: DropField,
) -> Native {
    let mut drops = DropRecord::new(drops, &["USR+", "USR.", ""]);
    if let Some(symbols) = &symbols {
        symbols.name_events(&mut drops);
    }
    HdlcStream::new(NativeReceiver { base, line: LineState::new(drops), target, queues: Queues::default(), symbols })
}

impl FrameHandler for NativeReceiver {
    fn open(&mut self, out: &mut Output<'_>) {
        self.base.configure(out, self.base.settings);
        self.base.properties(false, out);
        if let Some(symbols) = &self.symbols {
            symbols.report(out);
        }
    }

    #[inline]
    fn segment(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let is_plain = segment.body().get(1).is_some_and(|seq| self.line.sequence.is_plain(*seq));
        if is_plain || !self.base.config.nseq { self.frames(segment, out) } else { self.watched(segment, out) }
    }

    fn give_up(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>) {
        self.end_line(kind, held, out);
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        self.line.sequence.numbers.event(event.kind);
        match event.kind {
            StreamEventKind::TIME => self.base.clock.host_time(event),
            StreamEventKind::LINK_UP => {
                (self.line.fresh, self.base.is_cut) = (true, self.base.started);
                self.queues.records_lost();
            }
            StreamEventKind::HOST_LOSS => self.line.overlong = true,
            StreamEventKind::OPTIONS => self.options(text, out),
            _ => {}
        }
    }
}

impl NativeReceiver {
    /// Handles a segment that is not simply the next frame; returns the number of bytes consumed.
    #[cold]
    fn watched(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let beside = if self.line.held_start.is_empty() { None } else { self.beside_start(segment, out) };
        beside.unwrap_or_else(|| {
            let is_next = segment.body().get(1).copied() == self.line.sequence.expected();
            if is_next { self.frames(segment, out) } else { self.unexpected(segment, out) }
        })
    }

    /// Handles a segment with frames, damaged or not, or waits for its end.
    #[inline]
    pub(super) fn frames(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let mut so_far = self.line.overlong;
        let done = overlong(segment, &mut so_far, |kind, piece| self.damaged(kind, piece, out));
        self.line.overlong = so_far;
        done.unwrap_or_else(|| {
            self.line.scanned = 0;
            self.validate(segment, out);
            segment.raw.len()
        })
    }

    /// Adds the row of a valid record, preceded by names, properties and activities.
    #[inline]
    pub(super) fn record(&mut self, frame: &RecordFrame<'_>, row: Row, out: &mut Output<'_>) {
        let news = self.base.clock.take_news();
        let hidden = news.map_or(RowFlags::empty(), |news| self.base.clock_news(news, row.pos, out));
        let row = Row { flags: row.flags - hidden, ..row };
        if row.flags.intersects(RowFlags::OUT_OF_ORDER) {
            return self.out_of_order(frame, row, out);
        }
        let layout = frame.layout();
        let role = layout.map_or(Role::Plain, |layout| layout.role);
        let plain = role == Role::Plain && !out.wants_activities();
        if role == Role::Plain {
            self.queues.other_record();
            if matches!(frame.record, Record::User) {
                self.drop_event(frame, row, out);
            }
            if frame.id() == ACK {
                command::answer(frame, &self.base.config, row, out);
                // A filter change hides posts and gets.
                self.queues.records_lost();
            }
        }
        if plain || row.flags.intersects(RowFlags::MALFORMED) {
            return out.row(row);
        }
        if let (Some(layout), Some(values)) = (layout, frame.values()) {
            self.known_event(layout, values, row, out);
        } else {
            add_user_activity(row, out);
        }
        out.row(row);
    }

    /// Adds the row of a valid out-of-order record, which can only name things and answer commands.
    #[cold]
    fn out_of_order(&mut self, frame: &RecordFrame<'_>, row: Row, out: &mut Output<'_>) {
        self.queues.records_lost();
        if frame.id() == ACK {
            command::answer(frame, &self.base.config, row, out);
        }
        if let (Some(layout), Some(values)) = (frame.layout(), frame.values()) {
            match layout.role {
                Role::Name(_) => Naming::of(layout, values).iter().for_each(|naming| naming.report(out)),
                Role::Property => properties(layout, values, out),
                _ => {}
            }
        }
        out.row(row);
    }

    #[inline(never)]
    fn known_event(&mut self, layout: &'static Layout, values: &Values<'_>, row: Row, out: &mut Output<'_>) {
        match layout.role {
            Role::Name(_) => {
                if let Some(naming) = Naming::of(layout, values) {
                    naming.report(out);
                    // An event may have reported a total before it was named.
                    let total = naming.user_event().and_then(|event| self.line.drops.name(event, &naming.name));
                    total.into_iter().for_each(|total| self.total(total, out));
                }
            }
            Role::Property => properties(layout, values, out),
            Role::QueueInit => {
                properties(layout, values, out);
                self.queues.owner(values.number(0), values.number(1));
            }
            Role::QueueLevel => self.queues.level(values.number(0), values.number(1)),
            Role::QueueEmpty => self.queues.level(values.number(0), 0),
            Role::QueueCleared => self.queues.cleared(values.number(0)),
            Role::Fifo | Role::Lifo | Role::Get => self.post_or_get(layout, values, row, out),
            Role::Plain | Role::Function | Role::Tcfg => {}
        }
        if out.wants_activities() {
            add_activities(layout, values, row, out);
        }
    }

    /// Pairs posts and gets; attaches the response time to the get.
    fn post_or_get(&mut self, layout: &Layout, values: &Values<'_>, row: Row, out: &mut Output<'_>) {
        let (object, signal) = (values.number(0), values.number(1));
        let place = layout.place("nelem");
        let length = values.has(place).then(|| values.number(place));
        if layout.role != Role::Get {
            return self.queues.post(object, signal, row.time, length, layout.role == Role::Lifo);
        }
        let posted = self.queues.get(object, signal, length).filter(|_| row.has(RowFlags::TIME_OWN));
        if let Some(time) = posted.and_then(|posted| row.time.checked_sub(posted)) {
            out.attachment(private_attachment::RT, time, 0);
        }
    }

    /// Handles a segment without the expected sequence number, possibly incomplete: first lines of text. Returns the
    /// number of bytes consumed.
    #[cold]
    pub(super) fn unexpected(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let mut done = 0;
        while let Some(lines) = self.lines(segment, done, out) {
            done = lines;
        }
        if done == 0 {
            return self.frames(segment, out);
        }
        let rest = segment.raw.get(done..).unwrap_or(&[]);
        if rest.len() <= usize::from(segment.ended) {
            // The flag leads the next segment.
            return done;
        }
        done + self.frames(Segment::new(segment.pos + done as u64, rest, 0, segment.ended), out)
    }

    /// Takes lines of text after the first `done` bytes of a segment; returns where they end.
    fn lines(&mut self, segment: Segment<'_>, done: usize, out: &mut Output<'_>) -> Option<usize> {
        if self.line.overlong || self.line.sequence.expected().is_none() || self.line.held_text.has_frame() {
            return None;
        }
        let lead = if done == 0 { segment.leading_flags } else { 0 };
        let start = done + lead;
        let body = segment.raw.get(start..segment.raw.len() - usize::from(segment.ended))?;
        let body = body.get(..LONGEST).unwrap_or(body);
        let fewest = self.line.held_text.fewest();
        let mut scanned = self.line.scanned;
        let end = console::live_line(body, &mut scanned, fewest, |lines| self.may_hold_frame(lines));
        self.line.scanned = scanned;
        let end = end?;
        let lines = body.get(..end)?;
        self.text(segment.pos + done as u64, lead, lines, 0, out);
        (self.line.scanned, self.line.fresh) = (0, false);
        Some(start + end)
    }

    /// Whether a frame may have begun in lines of text: one with the expected sequence number or, after a loss, with a
    /// time stamp close to the last one.
    fn may_hold_frame(&self, lines: &[u8]) -> bool {
        let (expected, config) = (self.line.sequence.expected(), &self.base.config);
        let is_escaped = matches!(expected, Some(ESCAPE | FLAG));
        let is_next = |seq: u8| Some(seq) == expected || is_escaped && seq == ESCAPE;
        let stamped = config.stamp == 4 && self.base.clock.is_known();
        let begins = |at: usize| match lines.get(at..).unwrap_or(&[]) {
            [id, ..] if !self.base.knows(*id) => false,
            [_, seq, ..] if is_next(*seq) => true,
            [_, _, a, b, c, d, ..] if stamped => self.is_near([*a, *b, *c, *d]),
            // Without a time stamp, only the first bytes are in doubt. Stuffing at most doubles a frame's length.
            [id, _, ..] => at == 0 && !stamped && lines.len() < self.longest(*id),
            // The sequence number has not arrived yet.
            [_] => true,
            [] => false,
        };
        (0..lines.len()).any(begins)
    }

    fn longest(&self, id: u8) -> usize {
        let config = &self.base.config;
        layout(id, config.era).and_then(|layout| record::length(layout, config)).map_or(usize::MAX, |len| 2 * len)
    }

    /// Whether these stuffed bytes may be a time stamp close to the last one.
    fn is_near(&self, stamp: [u8; 4]) -> bool {
        let ticks = self.base.clock.extend(u32::from_le_bytes(stamp).into(), 4).abs_diff(self.base.clock.now());
        ticks < NEAR || stamp.contains(&ESCAPE)
    }

    /// Handles a segment without a frame: text, text and a frame, or damage.
    #[cold]
    pub(super) fn no_frame(&mut self, kind: RowKind, segment: Segment<'_>, out: &mut Output<'_>) {
        if !self.printed(segment, out) && !self.holds_text(segment, Some(kind), false, out) {
            self.damaged(kind, segment, out);
        }
    }

    /// Handles a damaged segment that is text, or text and a frame; returns `false` if it is neither.
    #[cold]
    pub(super) fn printed(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> bool {
        let body = segment.body();
        if let Some(start) = self.frame_after_text(body, false) {
            self.text_and_frame(segment, start, out);
            return true;
        }
        let is_text = self.line.held_text.is_text(body);
        if is_text && !self.holds_text(segment, Some(RowKind::BAD_FRAME), true, out) {
            self.text(segment.pos, segment.leading_flags, body, 1, out);
        }
        is_text
    }

    /// Handles a segment whose frame begins within its body.
    fn text_and_frame(&mut self, segment: Segment<'_>, start: usize, out: &mut Output<'_>) {
        let lead = segment.leading_flags;
        let (text, frame) = segment.body().split_at(start);
        let mut raw = frame.to_vec();
        raw.push(FLAG);
        let mut head = unstuffed(frame).skip(1);
        if self.line.held_text.has_frame() && head.next() == self.line.sequence.expected() {
            self.settle_text(Some(0), out);
        }
        self.text(segment.pos, lead, text, 0, out);
        self.line.fresh = false;
        self.validate(Segment::new(segment.pos + (lead + start) as u64, &raw, 0, true), out);
    }

    /// Number of frames missing before this one, according to its number.
    pub(super) fn missing(&self, frame: &RecordFrame<'_>) -> Option<usize> {
        let distance = self.line.sequence.distance(frame.nseq(&self.base.config)?)?;
        (distance < 0x80).then_some(distance.into())
    }

    /// Handles a frame with an unexpected number if it is text with a valid sum by chance: either it contains the next
    /// frame, or it is held until the next frame decides.
    #[cold]
    pub(super) fn is_printed(&mut self, frame: &RecordFrame<'_>, segment: Segment<'_>, out: &mut Output<'_>) -> bool {
        let distance = frame.nseq(&self.base.config).and_then(|seq| self.line.sequence.distance(seq));
        if distance.is_none_or(|distance| distance == 0) || self.line.held_text.is_settled {
            return false;
        }
        let start = self.frame_after_text(segment.body(), true).filter(|_| self.base.config.checksum);
        if let Some(start) = start {
            self.text_and_frame(segment, start, out);
        }
        start.is_some() || self.holds_text(segment, None, false, out)
    }

    /// Start of the frame after the text at the beginning of a segment. `is_next` = only accept the expected number.
    fn frame_after_text(&self, body: &[u8], is_next: bool) -> Option<usize> {
        let text = console::text_len(body);
        if text == 0 {
            return None;
        }
        let shortest = self.base.config.header() + self.base.config.trailer();
        let checked = self.base.config.checksum;
        let mut frame = Vec::new();
        let mut found = None;
        for Suffix { start, stuffed, sum, len } in suffixes(body) {
            if start > text || len < shortest || checked && sum != 0 {
                continue;
            }
            frame.clear();
            unstuff(stuffed, &mut frame);
            if Tcfg::find(&frame, self.target.version()).is_some() {
                return Some(start);
            }
            let front = body.get(..start).unwrap_or(&[]);
            if self.is_frame(&frame) && self.is_likely(front, &frame, is_next) {
                found = Some(start);
            }
        }
        found
    }

    /// Whether a frame is likely to follow this text: either it has the next sequence number, or there is a checksum
    /// together with a close number or enough text. Without sequence numbers, the text must end a line.
    fn is_likely(&self, text: &[u8], frame: &[u8], is_next: bool) -> bool {
        let seq = self.base.read(frame).and_then(|frame| frame.nseq(&self.base.config));
        let missing = seq.and_then(|seq| self.line.sequence.distance(seq));
        let is_near = missing.is_some_and(|missing| missing < NEAR_TEXT);
        let evident = self.base.config.checksum && (is_near || self.line.held_text.is_text(text));
        missing == Some(0) || !is_next && (evident || seq.is_none() && text.ends_with(b"\n"))
    }

    /// Takes an event that may report a drop total; call it just before its row is added.
    pub(super) fn drop_event(&mut self, frame: &RecordFrame<'_>, row: Row, out: &mut Output<'_>) {
        if let Some(total) = self.reported(frame, &row) {
            self.total(total, out);
        }
    }

    /// Whether an out-of-order event reports a total which proves that it is in order.
    pub(super) fn proves(&mut self, frame: &RecordFrame<'_>, row: &Row, out: &mut Output<'_>) -> bool {
        self.reported(frame, row).is_some_and(|total| self.line.sequence.proves(total, out))
    }

    fn reported(&mut self, frame: &RecordFrame<'_>, row: &Row) -> Option<u32> {
        if row.flags.intersects(RowFlags::MALFORMED) || !matches!(frame.record, Record::User) {
            return None;
        }
        let config = &self.base.config;
        self.line
            .drops
            .record(frame.id(), USER, |element| Elements::new(frame.args(config), config).total(element, &[UI32, X32]))
    }

    fn total(&mut self, total: u32, out: &mut Output<'_>) {
        if self.line.sequence.drop_total(total, out) {
            self.queues.records_lost();
        }
    }
}

/// Number of ticks around the last time stamp within which four bytes count as a time stamp.
const NEAR: u64 = 1 << 24;
/// Maximum number of frames missing before a frame after text, plus 1.
const NEAR_TEXT: u8 = 16;

impl LineHandler for NativeReceiver {
    fn line(&mut self) -> &mut LineState {
        &mut self.line
    }

    fn note(&self, note: Row) -> Row {
        self.base.note(note)
    }

    fn damage(&self, kind: RowKind, pos: u64, len: usize) -> Row {
        self.base.damage(kind, pos, len)
    }

    fn skipped(&mut self, is_damage: bool) {
        self.line.fresh = false;
        if is_damage {
            self.queues.records_lost();
        }
    }

    fn is_valid(&self, frame: &[u8], _: u8) -> bool {
        self.is_frame(frame) || Tcfg::find(frame, self.target.version()).is_some()
    }

    fn take_frame(&mut self, segment: Segment<'_>, out: &mut Output<'_>) {
        self.validate(segment, out);
    }
}
