//! Classifies a segment: record, configuration record, damaged or abandoned frame, or several frames whose flag arrived
//! as 0 or is missing. Detects losses before it.

use spytui_decoder_kit::RowBuilder;
use spytui_hdlc::{ESCAPE, FLAG, LineHandler, Segment, sum};
use spytui_plugin_api::{
    Output, Row, RowFlags,
    row::{RowKind, Severity},
};
use spytui_plugin_layer::{
    Order,
    sequence::{Decision, FramePlace, Numbered, Step},
};

use super::native::NativeReceiver;
use crate::{
    config::{Key, Tcfg},
    frame::FrameLocation,
    layout::{UNIT_TEST, USER, private_flag, private_kind},
    record::{Fit, Record, RecordFrame},
};

/// Maximum sequence number after a configuration record that indicates a restart.
const RESTARTED: u8 = 16;

impl NativeReceiver {
    #[inline]
    pub(super) fn validate(&mut self, segment: Segment<'_>, out: &mut Output<'_>) {
        let at = FrameLocation::new(segment.pos, segment.raw.len(), segment.escaped);
        if segment.body().is_empty() {
            return self.idle(segment.pos, segment.raw.len(), out);
        }
        let mut room = std::mem::take(&mut self.line.scratch);
        match segment.frame(&mut room) {
            Some((frame, sum)) => self.frame(frame, sum, segment, at, out),
            // An escape before the flag means that the target abandoned the frame.
            None => {
                let kind = if self.starts(segment.leading_flags) { RowKind::PARTIAL } else { RowKind::BAD_FRAME };
                self.no_frame(kind, segment, out);
            }
        }
        self.line.scratch = room;
    }

    /// Whether the segment may be the end of a frame that began before the stream.
    fn starts(&self, lead: usize) -> bool {
        self.line.fresh && lead == 0
    }

    /// Takes a whole frame, given unstuffed and as its segment.
    fn frame(&mut self, bytes: &[u8], sum: u8, segment: Segment<'_>, at: FrameLocation, out: &mut Output<'_>) {
        if bytes.first().is_some_and(|id| Tcfg::IDS.contains(id))
            && let Some(tcfg) = Tcfg::find(bytes, self.target.version())
        {
            self.settle_text(None, out);
            let (seq, step) = self.step_of_tcfg(&tcfg, bytes);
            if tcfg.settings.get(Key::Nseq) != 0 && self.holds(true, (seq, step, Order::Unknown), &segment, out) {
                return;
            }
            if self.is_repeated(&tcfg, step) {
                return out.row(self.base.note(Row::note(RowKind::DUPLICATE, at.pos, at.len)));
            }
            return self.tcfg(&tcfg, bytes, at, out);
        }
        let starts = self.starts(segment.leading_flags);
        let checked = self.base.config.checksum;
        let frame = self.base.read(bytes);
        let fit = self.base.fit(frame.as_ref());
        if (checked && sum != 0) || (starts && !(checked && fit == Fit::Exact)) {
            let kind = if starts { RowKind::PARTIAL } else { RowKind::BAD_CHECK };
            return self.no_frame(kind, segment, out);
        }
        let shortest = self.base.config.header() + self.base.config.trailer();
        let Some(frame) = frame.as_ref().filter(|_| bytes.len() >= shortest) else {
            return self.no_frame(RowKind::TOO_SHORT, segment, out);
        };
        if !self.line.held_start.is_empty() && self.holds_frame(frame, segment, out) {
            return;
        }
        let is_other = frame.nseq(&self.base.config).is_some_and(|seq| !self.line.sequence.is_plain(seq));
        if is_other && self.is_printed(frame, segment, out) {
            return;
        }
        if let Record::Event(..) = frame.record {
            return self.take(frame, at, out);
        }
        if !self.misfit(frame, fit, segment, out)
            && let Some(frame) = self.base.read(bytes)
        {
            self.take(&frame, at, out);
        }
    }

    /// Number and classification of a configuration record. Without a number, it precedes number 0.
    fn step_of_tcfg(&self, tcfg: &Tcfg, frame: &[u8]) -> (u8, Step) {
        match (frame, self.target.record) {
            ([_, seq, ..], _) if tcfg.header > 1 => (
                *seq,
                self.line.sequence.numbers.step(&Numbered { number: (*seq).into(), frame, ..Numbered::default() }),
            ),
            (_, None) if self.line.sequence.expected().is_some() => (u8::MAX, Step::Late),
            (_, Some(record)) if record == *tcfg => (u8::MAX, Step::Again),
            _ => (u8::MAX, Step::Aside),
        }
    }

    /// Whether a held configuration record was repeated together with the frames around it.
    fn is_repeated(&self, tcfg: &Tcfg, step: Step) -> bool {
        let is_alone = |held| held <= 1 && !self.target.tcfg_came && tcfg.header == 1;
        step == Step::Again && self.line.held_start.came_late().is_some_and(|held| !is_alone(held))
    }

    /// Holds a frame that follows a held configuration record.
    fn holds_frame(&mut self, frame: &RecordFrame<'_>, segment: Segment<'_>, out: &mut Output<'_>) -> bool {
        let Some(seq) = frame.nseq(&self.base.config) else { return false };
        let numbered = self.numbered(seq, frame, segment.pos);
        let step = self.line.sequence.numbers.step(&numbered);
        self.holds(false, (seq, step, numbered.order), &segment, out)
    }

    /// Takes a frame that does not have its id's fixed length. Returns `true` if it was handled otherwise, for example
    /// separated.
    #[inline(never)]
    fn misfit(&mut self, frame: &RecordFrame<'_>, fit: Fit, segment: Segment<'_>, out: &mut Output<'_>) -> bool {
        if fit == Fit::Exact && self.base.knows(frame.id()) {
            return self.hides_another(frame.bytes) && self.fused(frame.bytes, segment, out);
        }
        // A checksum would have distinguished text from frames.
        if !self.base.config.checksum && self.printed(segment, out) {
            return true;
        }
        if self.fused(frame.bytes, segment, out) {
            return true;
        }
        if self.learn_function(frame, segment.pos, out) {
            return false;
        }
        let unexpected = frame.nseq(&self.base.config).is_some_and(|seq| self.line.sequence.expected() != Some(seq));
        if !self.base.config.checksum && unexpected && self.target.is_configured() {
            // Nothing supports this frame: neither checksum nor sequence number nor length.
            self.damaged(RowKind::BAD_FRAME, segment, out);
            return true;
        }
        self.target.misfits = self.target.misfits.saturating_add(1);
        false
    }

    /// Takes a valid frame: first its sequence number, then the record.
    pub(super) fn take(&mut self, frame: &RecordFrame<'_>, at: FrameLocation, out: &mut Output<'_>) {
        if !self.line.held_text.is_empty() {
            self.settle_text(self.missing(frame), out);
        }
        let place = self.number(frame, at, out);
        (self.line.fresh, self.line.held_text.in_text) = (false, false);
        (self.target.tcfg_came, self.target.records) = (false, self.target.records.saturating_add(1));
        if place == FramePlace::Repeated {
            return out.row(self.base.note(Row::note(RowKind::DUPLICATE, at.pos, at.len)));
        }
        let row = if place == FramePlace::Aside { self.aside(frame, at, out) } else { self.base.record(frame, at) };
        let malformed = row.flags.intersects(RowFlags::MALFORMED);
        self.record(frame, row, out);
        if malformed {
            self.report_misfit(frame, at, out);
        }
        self.target.check_sizes(&self.base, at.pos + at.len as u64, out);
    }

    /// Builds the row of an out-of-order frame, which does not affect the time.
    #[cold]
    fn aside(&mut self, frame: &RecordFrame<'_>, at: FrameLocation, out: &mut Output<'_>) -> Row {
        let clock = self.base.clock.clone();
        self.base.clock.set_late(true);
        let mut row = self.base.record(frame, at);
        self.base.clock.set_late(false);
        if !self.proves(frame, &row, out) {
            row.flags |= RowFlags::OUT_OF_ORDER;
            self.base.clock = clock;
        }
        row
    }

    #[inline(always)]
    pub(super) fn number(&mut self, frame: &RecordFrame<'_>, at: FrameLocation, out: &mut Output<'_>) -> FramePlace {
        match frame.nseq(&self.base.config) {
            Some(seq) if self.line.sequence.is_plain(seq) && !(self.target.tcfg_came && self.goes_back(frame)) => {
                self.line.sequence.numbers.take_plain(frame.bytes);
                FramePlace::InOrder
            }
            Some(seq) => self.jump(seq, frame, at.pos, out),
            None => FramePlace::InOrder,
        }
    }

    /// Takes a valid frame with an unexpected sequence number.
    #[cold]
    fn jump(&mut self, seq: u8, frame: &RecordFrame<'_>, pos: u64, out: &mut Output<'_>) -> FramePlace {
        let is_first = self.line.sequence.expected().is_none();
        if is_first {
            self.line.held_start.begins(pos);
            if seq > 0 && !self.target.tcfg_came {
                self.first_number(seq, pos, out);
            } else {
                if seq == 0 {
                    self.queues.start();
                }
                // Numbers start at 0 after the configuration record.
                self.line.sequence.begin(0);
            }
        }
        let numbered = self.numbered(seq, frame, pos);
        let step = self.line.sequence.numbers.step(&numbered);
        if !is_first && (step != Step::Again || self.target.tcfg_came) {
            self.check_restart(seq, step, self.goes_back(frame), pos, out);
        }
        let step = self.line.sequence.numbers.step(&numbered);
        if !matches!(step, Step::First | Step::Next | Step::Again) {
            self.queues.records_lost();
        }
        let clock = &self.base.clock;
        self.line.sequence.take(step, &numbered, (clock, |row| self.base.note(row)), out)
    }

    fn numbered<'f>(&self, seq: u8, frame: &RecordFrame<'f>, pos: u64) -> Numbered<'f> {
        let (clock, bytes) = (&self.base.clock, self.base.config.stamp);
        let stamp = frame.stamp(&self.base.config);
        let time = stamp.map(|stamp| clock.extend(stamp, bytes));
        let order = stamp.map_or(Order::Unknown, |stamp| clock.order(stamp, u32::from(bytes) * 8));
        Numbered { number: seq.into(), frame: frame.bytes, pos, time, order }
    }

    /// Reports a restart of the target, if a frame shows one. `back` = its time stamp goes back.
    fn check_restart(&mut self, seq: u8, step: Step, back: bool, pos: u64, out: &mut Output<'_>) {
        if self.target.tcfg_came && seq < RESTARTED && (back || step != Step::Next) {
            self.restart("configuration reported and sequence restarted: the target restarted", pos, out);
        } else if seq == 0 && back && step != Step::Late || step == Step::Decided(Decision::Restart) {
            self.restart("sequence and time restarted: the target restarted", pos, out);
            self.line.sequence.begin(seq);
        }
    }

    /// Whether a frame's time stamp goes back. With four bytes, this is more likely than a wrap; shorter ones just
    /// wrap.
    fn goes_back(&self, frame: &RecordFrame<'_>) -> bool {
        let (clock, bytes) = (&self.base.clock, self.base.config.stamp);
        let stamp = frame.stamp(&self.base.config).unwrap_or(0);
        let raw = !clock.is_narrow(32) && stamp < clock.now() & u64::from(u32::MAX);
        bytes == 4 && clock.is_known() && (raw || clock.extend(stamp, bytes) < clock.now())
    }

    /// Takes the first sequence number of a stream without its start. Targets begin at 0, so the number is the minimum
    /// of records sent before; none of them were lost on the line.
    fn first_number(&mut self, seq: u8, pos: u64, out: &mut Output<'_>) {
        self.queues.records_lost();
        let records = if seq == 1 { "record" } else { "records" };
        let text = format!("attached late: at least {seq} {records} were sent before");
        let note = Row { severity: Severity::INFO, ..Row::note(private_kind::JOINED, pos, 0) };
        self.base.say(out, note, &text);
    }

    /// Reports what is wrong with the previous record's arguments, if the sizes are certain.
    fn report_misfit(&mut self, frame: &RecordFrame<'_>, at: FrameLocation, out: &mut Output<'_>) {
        let (kind, text) = match self.base.fit(Some(frame)) {
            Fit::Short => (RowKind::TOO_SHORT, "arguments of the record above are cut short".to_owned()),
            Fit::Surplus(bytes) => {
                (RowKind::TOO_LONG, format!("{bytes} surplus bytes after the arguments of the record above"))
            }
            Fit::Exact | Fit::Wrong => return,
        };
        if self.target.is_configured() {
            let note = Row { severity: Severity::WARNING, ..Row::note(kind, at.pos + at.len as u64, 0) };
            self.base.say(out, note, &text);
        }
    }

    /// Separates fused frames; returns `false` if there is only one.
    fn fused(&mut self, frame: &[u8], segment: Segment<'_>, out: &mut Output<'_>) -> bool {
        // Without checksums and known sizes, anything could pass for two frames.
        if frame.len() > MOST_BYTES || !(self.base.config.checksum || self.target.is_configured()) {
            return false;
        }
        let Some(cut) = self.cut(frame, MOST_FRAMES) else { return false };
        let stuffed = segment.body();
        let (Some(end), Some(next)) = (place(stuffed, cut.end), place(stuffed, cut.next)) else { return false };
        let (Some(first), Some(first_stuffed)) = (frame.get(..cut.end), stuffed.get(..end)) else { return false };
        let escaped = first_stuffed.contains(&ESCAPE);
        let mut own = FrameLocation::new(segment.pos, segment.leading_flags + next, escaped);
        own.flags |= if next > end { private_flag::FUSED } else { RowFlags::empty() };
        if let Some(first) = self.base.read(first) {
            self.take(&first, own, out);
        }
        let pos = segment.pos + own.len as u64;
        let how = if next > end { "arrived as 0" } else { "did not arrive" };
        let text = format!("two frames ran together: the flag between them {how}; taken apart");
        let note = Row::note(RowKind::BAD_FRAME, pos, 0);
        self.base.say(out, Row { severity: Severity::WARNING, ..note }, &text);
        let rest = stuffed.get(next..).unwrap_or(&[]);
        let mut raw = rest.to_vec();
        raw.push(FLAG);
        self.validate(Segment::new(pos, &raw, 0, true), out);
        true
    }

    /// Whether a valid user record is really two fused frames: the second one may pass for more items, but not with a
    /// checksum, a zero and the next sequence number in the middle.
    pub(super) fn hides_another(&self, frame: &[u8]) -> bool {
        let user = frame.first().is_some_and(|id| (USER..UNIT_TEST).contains(id));
        let evident = self.base.config.checksum && self.base.config.nseq && frame.len() <= MOST_BYTES;
        user && evident && self.cut(frame, MOST_FRAMES).is_some_and(|cut| cut.next > cut.end)
    }

    /// The first position that splits the bytes into a frame that fits its id and one or more further frames.
    fn cut(&self, frame: &[u8], most: usize) -> Option<ByteRange> {
        let config = &self.base.config;
        let shortest = config.header() + config.trailer();
        let mut total = sum(frame.get(..shortest.saturating_sub(1))?);
        (shortest..frame.len()).find_map(|end| {
            total = total.wrapping_add(*frame.get(end.wrapping_sub(1))?);
            if config.checksum && total != 0 {
                return None;
            }
            let (first, rest) = frame.split_at_checked(end)?;
            if !self.is_frame(first) {
                return None;
            }
            let next = |skipped: usize| {
                let rest = rest.get(skipped..)?;
                let good = self.follows(first, rest)
                    && (self.is_frame(rest) || (most > 2 && self.cut(rest, most - 1).is_some()));
                good.then_some(ByteRange { end, next: end + skipped })
            };
            // The flag arrived as 0, or is missing.
            if rest.first() == Some(&0) { next(1).or_else(|| next(0)) } else { next(0) }
        })
    }

    /// Whether the bytes are a single frame: known id, exact arguments, valid checksum.
    pub(super) fn is_frame(&self, frame: &[u8]) -> bool {
        let known = frame.first().is_some_and(|id| self.base.knows(*id));
        known
            && self.base.fit(self.base.read(frame).as_ref()) == Fit::Exact
            && (!self.base.config.checksum || sum(frame) == 0)
    }

    /// Whether the sequence number of `next` follows that of `first`.
    fn follows(&self, first: &[u8], next: &[u8]) -> bool {
        let nseq = |frame| self.base.read(frame).and_then(|frame| frame.nseq(&self.base.config));
        match (nseq(first), nseq(next)) {
            (Some(first), Some(next)) => first.wrapping_add(1) == next,
            (None, None) => true,
            _ => false,
        }
    }
}

/// Maximum size of fused frames in bytes, and their maximum number.
const MOST_BYTES: usize = 2048;
const MOST_FRAMES: usize = 4;

/// End of the first of several fused frames, and start of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByteRange {
    end: usize,
    next: usize,
}

/// Position in the stuffed bytes of the unstuffed byte `index`.
fn place(stuffed: &[u8], index: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..index {
        at += if *stuffed.get(at)? == ESCAPE { 2 } else { 1 };
    }
    (at <= stuffed.len()).then_some(at)
}
