//! The native receiver: every flag ends a frame, valid frames are found after text and noise, nothing is limited, and
//! every loss gets a row where it occurs.

use std::sync::Arc;

use spytui_decoder_kit::{DropField, DropRecord, Fill, Posts, RowBuilder};
use spytui_hdlc::{ESCAPE, FrameHandler, HdlcStream, LineHandler, LineState, Segment, unstuffed};
use spytui_plugin_api::text::grouped;
use spytui_plugin_api::{
    AttachmentId, Output, Row, RowFlags,
    chunk::{StreamEvent, StreamEventKind},
    console,
    info::AnswerStage,
    row::{RowKind, Severity},
};

use super::{Base, TargetConfig, add_activities};
use crate::{
    command::rx,
    config::Config,
    frame::{FrameLocation, GOOD_SUM, LONGEST, SHORTEST},
    layout::{self, PAYLOAD, id, private_attachment},
    names::{self, DictionaryFile, NamingRecord},
    record,
};

pub(crate) type Native = HdlcStream<NativeReceiver>;

#[derive(Clone, Debug)]
pub(crate) struct NativeReceiver {
    pub(super) base: Base,
    pub(super) line: LineState,
    pub(super) posts: Posts,
    pub(super) ticks: Ticks,
    /// The target's configuration, from options and its own records.
    pub(super) target: TargetConfig,
    pub(super) start: Config,
    pub(super) dic: Option<Arc<DictionaryFile>>,
    /// The names of the dictionary file are in use, because no info from another build has arrived.
    pub(super) uses_dic: bool,
    pub(super) is_aside: bool,
}

pub(crate) fn begin(base: Base, target: TargetConfig, dic: Option<Arc<DictionaryFile>>, drops: DropField) -> Native {
    let mut dropped = DropRecord::new(drops, &["USER+"]);
    if let Some(dic) = &dic {
        names::drop_names(&mut dropped, dic);
    }
    HdlcStream::new(NativeReceiver {
        start: base.config,
        base,
        line: LineState::new(dropped),
        posts: Posts::default(),
        ticks: Ticks::default(),
        target,
        uses_dic: dic.is_some(),
        dic,
        is_aside: false,
    })
}

impl FrameHandler for NativeReceiver {
    fn open(&mut self, out: &mut Output<'_>) {
        self.base.configure(out, self.start);
        self.base.properties(out, None);
        if let Some(dic) = &self.dic {
            names::from_file(dic, &self.base.config, out);
        }
    }

    #[inline(always)]
    fn segment(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        if self.plain(&segment, out) { segment.raw.len() } else { self.other(segment, out) }
    }

    fn give_up(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>) {
        self.end_line(kind, held, out);
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        self.line.sequence.numbers.event(event.kind);
        match event.kind {
            StreamEventKind::TIME => self.base.clock.host_time(event),
            StreamEventKind::LINK_UP => {
                self.line.fresh = true;
                self.records_lost();
            }
            StreamEventKind::HOST_LOSS => {
                self.line.overlong = true;
                self.records_lost();
            }
            StreamEventKind::OPTIONS => self.options(text, out),
            _ => {}
        }
    }
}

impl NativeReceiver {
    /// Takes a segment if it is a frame with the expected sequence number that only makes a row; otherwise returns
    /// `false` and does nothing.
    #[inline(always)]
    fn plain(&mut self, segment: &Segment<'_>, out: &mut Output<'_>) -> bool {
        let frame = segment.body();
        let [seq, id, _, ..] = frame else { return false };
        let good = segment.ended && !segment.escaped && segment.sum == GOOD_SUM;
        if !good || !self.line.sequence.is_plain(*seq) || !self.base.plans.of(*id).is_plain(frame) {
            return false;
        }
        self.line.sequence.numbers.take_plain(frame);
        self.taken();
        let at = FrameLocation { pos: segment.pos, len: segment.raw.len(), escaped: false, fits: None };
        self.add_plain(frame, *id, at, out);
        true
    }

    /// Resets the state of the segment after a valid frame.
    #[inline]
    pub(super) fn taken(&mut self) {
        (self.line.fresh, self.line.held_text.in_text, self.line.overlong, self.line.scanned) =
            (false, false, false, 0);
    }

    /// Handles any other segment; returns the number of bytes consumed.
    #[inline(never)]
    fn other(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        if !self.line.held_start.is_empty()
            && let Some(consumed) = self.beside_start(segment, out)
        {
            return consumed;
        }
        let body = segment.body();
        if segment.ended && body.len() < LONGEST && self.is_next(body) {
            self.validate(segment, out);
            return segment.raw.len();
        }
        self.unusual(segment, out)
    }

    /// Handles a segment that is incomplete or has an unexpected sequence number: first text and overlong runs. Returns
    /// the number of bytes consumed.
    fn unusual(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let (mut done, mut leading_flags) = (0, segment.leading_flags);
        loop {
            let rest = segment.raw.get(done..).unwrap_or(&[]);
            let pos = segment.pos + done as u64;
            let rest = Segment { pos, raw: rest, leading_flags, ..segment };
            let Some(len) = self.early(rest, out) else {
                // The flag after text leads the next segment.
                if segment.ended && !(rest.body().is_empty() && done > 0) {
                    self.validate(Segment::new(pos, rest.raw, leading_flags, true), out);
                    return segment.raw.len();
                }
                return done;
            };
            done += leading_flags + len;
            (leading_flags, self.line.scanned) = (0, 0);
        }
    }

    /// Handles the beginning of an incomplete segment; returns the number of bytes consumed.
    fn early(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> Option<usize> {
        let (body, Segment { pos, raw, leading_flags, .. }) = (segment.body(), segment);
        let start = body.get(..LONGEST).unwrap_or(body);
        let fewest = self.line.held_text.fewest();
        let mut scanned = self.line.scanned;
        let line = match body.is_empty() || self.is_next(body) || self.line.held_text.has_frame() {
            true => None,
            false => console::live_line(start, &mut scanned, fewest, |lines| self.may_hold_frame(lines)),
        };
        self.line.scanned = scanned;
        if let Some(end) = line {
            self.text(pos, leading_flags, start.get(..end)?, 0, out);
            return Some(end);
        }
        if body.len() < LONGEST {
            return None;
        }
        if console::is_text(start) {
            self.text(pos, leading_flags, start, 0, out);
        } else {
            let kind =
                if std::mem::replace(&mut self.line.overlong, true) { RowKind::RESYNC } else { RowKind::TOO_LONG };
            self.damaged(kind, Segment::new(pos, raw.get(..leading_flags + LONGEST)?, leading_flags, false), out);
        }
        Some(LONGEST)
    }

    /// Takes a valid record: names and configuration first, then its row.
    #[inline(always)]
    pub(super) fn record(&mut self, frame: &[u8], id: u8, at: FrameLocation, out: &mut Output<'_>) {
        if !self.base.plans.of(id).is_plain(frame) {
            return self.special(frame, id, at, out);
        }
        self.add_plain(frame, id, at, out);
    }

    /// Adds the row of a record without other effects than pairing posts with gets and counting ticks. The row is built
    /// last, so that it is built in registers.
    #[inline(always)]
    fn add_plain(&mut self, frame: &[u8], id: u8, at: FrameLocation, out: &mut Output<'_>) {
        self.base.stamp(id, frame);
        if id::is_post_or_get(id) {
            self.post_or_get(id, frame, out);
        } else if id == id::TICK {
            self.tick(frame, at.pos, out);
        }
        let row = self.base.stamped(id, frame, at);
        self.push(row, frame, out);
    }

    /// Records may be missing here, so nothing is paired or counted across.
    pub(super) fn records_lost(&mut self) {
        self.posts.records_lost();
        self.ticks = Ticks::default();
    }

    /// Takes a tick just before its row is added; notes missing ticks.
    #[inline(never)]
    fn tick(&mut self, frame: &[u8], pos: u64, out: &mut Output<'_>) {
        let payload = frame.get(PAYLOAD..).filter(|_| !self.is_aside).unwrap_or_default();
        if let Some(text) = self.ticks.take(payload, self.base.config.sizes.tev) {
            let note = Row { flags: RowFlags::HIDES_RECORDS, ..Row::note(RowKind::HINT, pos, 0) };
            self.base.say(out, note, &text);
            self.posts.records_lost();
        }
    }

    /// Takes a record that has effects besides its row.
    #[inline(never)]
    fn special(&mut self, frame: &[u8], id: u8, at: FrameLocation, out: &mut Output<'_>) {
        if id < id::ENUM_DICT && id != id::EMPTY {
            if id::is_post_or_get(id) {
                // An unreadable post or get.
                self.posts.records_lost();
            }
            let row = self.base.record(frame, at);
            return self.push(row, frame, out);
        }
        if let Some(naming) = self.naming(id, frame) {
            naming.report(&self.base.config, out);
        }
        if let Some(total) = self.drop_total(id, frame) {
            return self.total(total, frame, at, out);
        }
        if id == id::INFO {
            return self.info(frame, at, out);
        }
        let mut row = self.base.record(frame, at);
        // Notes of the clock come before what the row carries.
        row.flags -= self.clock_news(row.pos, out);
        record(id, frame, out);
        if id == id::STATUS {
            // With a different filter, not everything that happens is recorded.
            self.records_lost();
        }
        if id == id::STATUS && matches!(frame, [.., status, _] if *status >= 0x80) {
            row.severity = Severity::WARNING;
        }
        if id == id::EMPTY && self.base.config.version < 550 && !self.is_aside {
            self.restart(&mut row);
        }
        self.push(row, frame, out);
    }

    /// The name in a record, if it is a dictionary record.
    fn naming<'f>(&self, id: u8, frame: &'f [u8]) -> Option<NamingRecord<'f>> {
        let [_, _, payload @ .., _] = frame else { return None };
        let is_naming = self.base.plans.of(id).flags.intersects(RowFlags::NAMING);
        if is_naming { NamingRecord::of(&self.base.config, id, payload) } else { None }
    }

    pub(super) fn restart(&mut self, row: &mut Row) {
        row.flags |= RowFlags::EPOCH;
        self.base.clock.restart();
        self.line.sequence.start_drops();
        self.line.drops.start();
        self.posts.start();
        self.ticks = Ticks::default();
        row.time = 0;
    }

    /// Reports news of the next row's time stamp; returns the flags that the row must not have.
    #[inline]
    pub(super) fn clock_news(&mut self, pos: u64, out: &mut Output<'_>) -> RowFlags {
        match self.base.clock.take_news() {
            // A frame that is out of order is reported as such.
            Some(news) if !self.is_aside => self.base.clock_news(news, pos, out),
            _ => RowFlags::empty(),
        }
    }

    /// Adds the row of a record with its activities. No reference to the row is passed on, so that it stays in
    /// registers until it is stored.
    #[inline(always)]
    pub(super) fn push(&mut self, row: Row, frame: &[u8], out: &mut Output<'_>) {
        let hidden = self.clock_news(row.pos, out);
        let order = if self.is_aside { RowFlags::OUT_OF_ORDER } else { RowFlags::empty() };
        let row = Row { flags: (row.flags - hidden) | order, ..row };
        if let (true, [_, id, ..]) = (out.wants_activities(), frame) {
            add_activities(&self.base.config, self.base.plans.of(*id), row, frame, out);
        }
        out.row(row);
    }

    fn options(&mut self, text: &[u8], out: &mut Output<'_>) {
        let text = String::from_utf8_lossy(text);
        if let Some(field) = DropField::in_options(&text) {
            self.line.drops.declare(field);
        }
        let config = self.target.apply(self.base.config, &text);
        self.base.configure(out, config);
        self.base.properties(out, None);
    }

    /// Whether stuffed bytes begin with the expected sequence number.
    #[inline]
    pub(super) fn is_next(&self, body: &[u8]) -> bool {
        self.line.sequence.expected().is_some() && unstuffed(body).next() == self.line.sequence.expected()
    }

    /// Whether a frame may have begun in lines of text: one with the expected sequence number or, after a loss, with a
    /// time stamp close to the last one.
    pub(super) fn may_hold_frame(&self, lines: &[u8]) -> bool {
        let first = lines.len().saturating_sub(2 * PRINTABLE);
        (first..lines.len()).any(|at| self.may_begin(lines.get(at..).unwrap_or(&[])))
    }

    fn may_begin(&self, bytes: &[u8]) -> bool {
        let mut plain = unstuffed(bytes);
        let (seq, Some(id)) = (plain.next(), plain.next()) else {
            // The record id has not arrived yet.
            return self.is_next(bytes) || bytes == [ESCAPE];
        };
        let plan = self.base.plans.of(id);
        let is_next = seq == self.line.sequence.expected();
        let is_likely = is_next || plan.flags.intersects(RowFlags::TIME_OWN) && self.is_near(plain);
        // No flag follows yet, so a frame would extend beyond these bytes.
        is_likely && unstuffed(bytes).count() <= plan.fixed.frame_len().unwrap_or(PRINTABLE)
    }

    /// Whether these bytes are a time stamp close to the last one.
    fn is_near(&self, plain: impl Iterator<Item = u8>) -> bool {
        let (size, clock) = (self.base.config.sizes.time, &self.base.clock);
        let bytes: Vec<u8> = plain.take(4).collect();
        let Some(stamp) = bytes.first_chunk().filter(|_| size == 4 && clock.is_known()) else { return false };
        clock.extend(u32::from_le_bytes(*stamp).into(), size).abs_diff(clock.now()) < NEAR
    }

    /// The drop total, if this record reports it or names the record that did.
    pub(super) fn drop_total(&mut self, id: u8, frame: &[u8]) -> Option<u32> {
        if id == id::USR_DICT {
            let naming = self.naming(id, frame)?;
            return self.line.drops.name(naming.user_record()?, naming.name);
        }
        if !self.base.plans.of(id).flags.intersects(RowFlags::APPLICATION) {
            return None;
        }
        let config = &self.base.config;
        let payload = frame.get(2..frame.len().saturating_sub(1))?;
        let first = layout::user_base(config.version, config.style);
        self.line.drops.record(id, first, |element| record::total(payload, config, element))
    }

    /// Adds the row of a record with a drop total.
    pub(super) fn total(&mut self, total: u32, frame: &[u8], at: FrameLocation, out: &mut Output<'_>) {
        let mut row = self.base.record(frame, at);
        row.flags -= self.clock_news(row.pos, out);
        self.is_aside = self.is_aside && !self.line.sequence.proves(total, out);
        if !self.is_aside && self.line.sequence.drop_total(total, out) {
            self.posts.records_lost();
        }
        self.push(row, frame, out);
    }

    /// Pairs posts and gets just before their rows are added; attaches the response time to the get.
    #[inline(never)]
    pub(super) fn post_or_get(&mut self, id: u8, frame: &[u8], out: &mut Output<'_>) {
        let (plan, time) = (self.base.plans.of(id), self.base.clock.now());
        if self.is_aside || !plan.flags.contains(RowFlags::TIME_OWN) {
            return self.posts.records_lost();
        }
        let (object, signal) = (plan.obj.read(frame), plan.sig.read(frame));
        let fill = if id == id::GET_LAST { Fill::Length(0) } else { Fill::Free(plan.free.read(frame)) };
        if matches!(id, id::POST | id::POST_LIFO) {
            return self.posts.post(object, signal, time, fill, id == id::POST_LIFO);
        }
        let posted = self.posts.get(object, signal, fill);
        if let Some(waited) = posted.and_then(|posted| time.checked_sub(posted)) {
            out.attachment(private_attachment::RT, waited, 0);
        }
    }
}

/// Maximum length of an unstuffed frame that reads as text up to a line feed.
const PRINTABLE: usize = 64;
/// Number of ticks around the last time stamp within which four bytes count as a time stamp.
const NEAR: u64 = 1 << 24;

impl LineHandler for NativeReceiver {
    fn line(&mut self) -> &mut LineState {
        &mut self.line
    }

    fn note(&self, note: Row) -> Row {
        self.base.note(note)
    }

    fn skipped(&mut self, is_damage: bool) {
        if is_damage {
            self.records_lost();
        }
    }

    fn is_valid(&self, frame: &[u8], sum: u8) -> bool {
        sum == GOOD_SUM && frame.len() >= SHORTEST
    }

    fn take_frame(&mut self, segment: Segment<'_>, out: &mut Output<'_>) {
        self.validate(segment, out);
    }

    fn left_over(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>) {
        self.records_lost();
        let row = self.base.note(Row::skipped(kind, held.pos, held.raw.len()));
        out.skipped(Row { severity: Severity::WARNING, ..row }, held.leading_flags, held.body());
    }
}

/// Maximum number of tick rates tracked.
const RATES: usize = 16;
/// Consecutive ticks after which a missing tick is noticed.
const ENOUGH: u32 = 32;

/// Tick counters by rate, since the last known loss.
#[derive(Clone, Debug, Default)]
pub(super) struct Ticks([Rate; RATES]);

/// The next tick's number, and the number of consecutive ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    next: u64,
    run: u32,
}

impl Ticks {
    /// Takes the payload of a tick with a counter of `size` bytes; describes the missing ticks, if any.
    pub(super) fn take(&mut self, payload: &[u8], size: u8) -> Option<String> {
        let Ok((&[rate, ..], number)) = record::uint(payload, size) else { return None };
        let known = self.0.get_mut(usize::from(rate))?;
        let mask = u64::MAX >> (64 - 8 * u32::from(size));
        let (missing, run) = (number.wrapping_sub(known.next) & mask, known.run);
        *known = Rate { next: number.wrapping_add(1), run: if missing == 0 { run.saturating_add(1) } else { 1 } };
        // A counter that goes back belongs to another target.
        if missing == 0 || missing > mask / 2 || run < ENOUGH {
            return None;
        }
        Some(format!(
            "{} tick{} missing before {number} of rate {rate}, but no sequence number: \
             256 records were lost, or more, or the filter of the target left ticks out",
            grouped(missing),
            if missing == 1 { " is" } else { "s are" },
        ))
    }
}

/// Statuses from here on are errors; the lower bits are the failed frame's id, or the error.
const ERROR: u8 = 0x80;
/// The frame had an unexpected sequence number, but was executed.
const OUT_OF_SEQUENCE: u8 = ERROR | 0x42;

/// Marks a record that may be an answer, before its row.
pub(super) fn record(id: u8, frame: &[u8], out: &mut Output<'_>) {
    let (Some(&last), stage) = (frame.iter().rev().nth(1), AnswerStage::DATA) else { return };
    match id {
        id::STATUS => status(last, out),
        id::DONE => answer(last, AnswerStage::DONE, out),
        id::QUERY => answer(rx::QUERY, stage, out),
        id::PEEK => answer(rx::PEEK, stage, out),
        _ => {}
    }
}

/// Marks a target info as the answer to a reset, or to a query.
pub(super) fn target_info(is_reset: bool, out: &mut Output<'_>) {
    answer(if is_reset { rx::RESET } else { rx::INFO }, AnswerStage::DATA, out);
}

fn answer(id: u8, stage: AnswerStage, out: &mut Output<'_>) {
    out.attachment(AttachmentId::ANSWER, id.into(), stage.0.into());
}

fn status(status: u8, out: &mut Output<'_>) {
    let of_frame = status & !ERROR;
    match status {
        ..ERROR => answer(status, AnswerStage::ACCEPTED, out),
        _ if of_frame <= rx::EVENT => answer(of_frame, AnswerStage::REFUSED, out),
        _ => {
            let stage = if status == OUT_OF_SEQUENCE { AnswerStage::PROGRESS } else { AnswerStage::REFUSED };
            out.attachment(AttachmentId::ANSWER_TO_ANY, 0, stage.0.into());
        }
    }
    out.attachment(AttachmentId::ANSWER_DATA, 0, status.into());
}
