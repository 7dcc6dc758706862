//! Our own reading: a flag always ends a frame, good frames are found behind text and noise, nothing is limited,
//! every loss is a row in its place.

use std::sync::Arc;

use spytui_plugin_api::{
    Mark, Out, Row,
    batch::count,
    chunk::mark,
    row::{flag, note, severity},
};

use super::{
    At, Base, console,
    gap::{Sequence, Step},
    own_kind,
    recover::{self, Candidate},
    target::Known,
};
use crate::{
    activity,
    config::{Config, Style, TargetInfo},
    dic::Dic,
    frame::{ESCAPE, GOOD_SUM, LONGEST, Receiver, SHORTEST, Splitter, Stretch, sum, unstuff},
    layout::id,
    names,
};

/// Steps within which a frame behind noise is believed to be the next one.
const NEAR: u8 = 4;
/// The same behind text.
const NEAR_TEXT: u8 = 64;

/// Our decoder at work.
#[derive(Clone, Debug)]
pub(crate) struct Native {
    splitter: Splitter,
    reader: Reader,
}

/// All of it but the splitting at flags.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) base: Base,
    pub(super) sequence: Sequence,
    /// What is known of the target, from options and from itself.
    pub(super) known: Known,
    start: Config,
    dic: Option<Arc<Dic>>,
    opened: bool,
    /// No good frame since the stream or the link began.
    fresh: bool,
    /// The last row was text.
    in_text: bool,
    /// The present stretch was longer than `LONGEST`: what is left is its end.
    overlong: bool,
    /// Bytes of the present stretch known to be text without a line end.
    scanned: usize,
    /// The frame at hand was found in a longer stretch and is not split again.
    settled: bool,
    /// The frame at hand comes after its successors: the numbering stays where it is.
    late: bool,
    /// Un-stuffed frame.
    scratch: Vec<u8>,
}

impl Native {
    pub(crate) fn new(base: Base, known: Known, dic: Option<Arc<Dic>>) -> Native {
        let reader = Reader {
            start: base.config,
            base,
            sequence: Sequence::default(),
            known,
            dic,
            opened: false,
            fresh: true,
            in_text: false,
            overlong: false,
            scanned: 0,
            settled: false,
            late: false,
            scratch: Vec::new(),
        };
        Native { splitter: Splitter::default(), reader }
    }

    pub(crate) fn pending(&self) -> u64 {
        self.splitter.pending() as u64
    }

    pub(crate) fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Out<'_>) {
        self.reader.open(out);
        self.splitter.feed(pos, bytes, &mut Feed { reader: &mut self.reader, out });
        self.reader.base.counts.add(count::BYTES, bytes.len() as u64);
        self.reader.base.counts.send(out);
    }

    pub(crate) fn mark(&mut self, mark: &Mark, text: &[u8], out: &mut Out<'_>) {
        self.reader.open(out);
        match mark.kind {
            mark::TIME => self.reader.base.clock.host_time(mark),
            mark::LINK_UP => {
                self.give_up(note::RESYNC, mark.pos, out);
                self.reader.fresh = true;
            }
            mark::LINK_DOWN => self.give_up(note::RESYNC, mark.pos, out),
            mark::HOST_LOSS => {
                self.give_up(note::RESYNC, mark.pos, out);
                self.reader.sequence.blame(3);
                self.reader.overlong = true;
            }
            mark::LINE_ERROR => self.reader.sequence.blame(2),
            mark::OPTIONS => self.reader.options(text, out),
            mark::END => self.give_up(note::TAIL, mark.pos, out),
            _ => {}
        }
        self.reader.base.counts.send(out);
    }

    /// Puts what is pending into a row.
    fn give_up(&mut self, kind: u16, pos: u64, out: &mut Out<'_>) {
        let (held, lead) = self.splitter.take();
        let Native { reader, .. } = self;
        let start = pos.saturating_sub(held.len() as u64);
        let body = held.get(lead..).unwrap_or(&[]);
        if !held.is_empty() {
            if body.is_empty() {
                out.row(reader.base.note(own_kind::IDLE, start, held.len(), severity::NORMAL));
            } else if console::is_text(body) && (reader.in_text || body.len() >= console::FEWEST) {
                reader.text(start, lead, body, 0, out);
            } else {
                reader.sequence.skipped(held.len(), false);
                reader.base.skip(out, kind, start, held.len(), severity::WARNING);
            }
        }
        (reader.scanned, reader.overlong) = (0, false);
    }
}

/// A reader with the place where its rows go.
struct Feed<'r, 'o, 'b> {
    reader: &'r mut Reader,
    out: &'o mut Out<'b>,
}

impl Receiver for Feed<'_, '_, '_> {
    #[inline]
    fn stretch(&mut self, stretch: Stretch<'_>) -> usize {
        let body = stretch.body();
        let plain = body.first().copied() == self.reader.sequence.expected() && body.len() < LONGEST;
        if plain && stretch.ended {
            self.reader.judge(stretch, self.out);
            return stretch.raw.len();
        }
        self.reader.unusual(stretch, self.out)
    }
}

impl Reader {
    fn open(&mut self, out: &mut Out<'_>) {
        if std::mem::replace(&mut self.opened, true) {
            return;
        }
        self.base.configure(out, self.start);
        self.base.properties(out, None);
        self.known.old_names(&self.base, out);
        if let Some(dic) = &self.dic {
            names::from_file(dic, out);
        }
    }

    /// A stretch that does not begin with the expected number, or may go on: text and overlong runs first. Gives
    /// the bytes dealt with.
    fn unusual(&mut self, stretch: Stretch<'_>, out: &mut Out<'_>) -> usize {
        let (mut done, mut lead) = (0, stretch.lead);
        loop {
            let rest = stretch.raw.get(done..).unwrap_or(&[]);
            let pos = stretch.pos + done as u64;
            let body = rest.get(lead..rest.len() - usize::from(stretch.ended)).unwrap_or(&[]);
            let Some(len) = self.early(pos, lead, body, out) else {
                // A flag behind text is one of those in front of what follows.
                if stretch.ended && !(body.is_empty() && done > 0) {
                    self.judge(Stretch::new(pos, rest, lead, true), out);
                    return stretch.raw.len();
                }
                return done;
            };
            done += lead + len;
            (lead, self.scanned) = (0, 0);
        }
    }

    /// What can be said of the beginning of a body without its end; the bytes of the body dealt with.
    fn early(&mut self, pos: u64, lead: usize, body: &[u8], out: &mut Out<'_>) -> Option<usize> {
        let expected = self.sequence.expected();
        let may_be_frame = body.is_empty() || body.first().copied() == expected;
        let start = body.get(..LONGEST).unwrap_or(body);
        let fewest = if self.in_text { 1 } else { console::FEWEST };
        let line = match may_be_frame {
            true => None,
            false => console::live_line(start, &mut self.scanned, fewest, expected),
        };
        if let Some(end) = line {
            self.text(pos, lead, start.get(..end)?, 0, out);
            return Some(end);
        }
        if body.len() < LONGEST {
            return None;
        }
        if console::is_text(start) {
            self.text(pos, lead, start, 0, out);
        } else {
            let kind = if self.overlong { note::RESYNC } else { note::TOO_LONG };
            self.sequence.skipped(lead + LONGEST, !self.overlong);
            self.base.skip(out, kind, pos, lead + LONGEST, severity::ERROR);
            self.overlong = true;
        }
        Some(LONGEST)
    }

    /// A stretch with its flag.
    #[inline]
    fn judge(&mut self, stretch: Stretch<'_>, out: &mut Out<'_>) {
        if !stretch.escaped {
            let body = stretch.body();
            match stretch.sum == GOOD_SUM && body.len() >= SHORTEST {
                true => self.good(stretch, body, false, out),
                false => self.bad(stretch, stretch.sum, false, out),
            }
        } else {
            self.judge_escaped(stretch, out);
        }
        self.scanned = 0;
    }

    fn judge_escaped(&mut self, stretch: Stretch<'_>, out: &mut Out<'_>) {
        let body = stretch.body();
        let mut frame = std::mem::take(&mut self.scratch);
        frame.clear();
        unstuff(body, &mut frame);
        let sum = sum(&frame);
        // An escape that belongs to no byte: they come in pairs only where an escape was escaped wrongly.
        let dangling = body.iter().rev().take_while(|&&b| b == ESCAPE).count() % 2 == 1;
        match sum == GOOD_SUM && frame.len() >= SHORTEST && !dangling {
            true => self.good(stretch, &frame, true, out),
            false => self.bad(stretch, sum, dangling, out),
        }
        self.scratch = frame;
    }

    /// A frame with the right sum.
    #[inline]
    fn good(&mut self, stretch: Stretch<'_>, frame: &[u8], escaped: bool, out: &mut Out<'_>) {
        let [seq, id, payload @ .., _] = frame else { return };
        let plain = self.sequence.expected() == Some(*seq) && self.base.is_plain(*id, payload);
        if !plain && !self.believed(stretch, frame, out) {
            return;
        }
        self.record(frame, *id, payload, At { pos: stretch.pos, len: stretch.raw.len(), escaped }, out);
        if !std::mem::take(&mut self.late) {
            self.sequence.take(*seq, frame);
        }
        (self.fresh, self.in_text, self.overlong) = (false, false, false);
    }

    /// Whether a frame with the right sum that is not the plainest of records is to be taken as one.
    #[inline(never)]
    fn believed(&mut self, stretch: Stretch<'_>, frame: &[u8], out: &mut Out<'_>) -> bool {
        let [seq, id, payload @ .., _] = frame else { return false };
        if self.sequence.expected() != Some(*seq) {
            return self.jump(stretch, frame, out);
        }
        let text = stretch.body().iter().take(2).all(|&b| console::is_text_byte(b));
        !(text && !self.base.fits(*id, payload) && self.split(stretch, true, out))
    }

    /// A good frame with another number than the expected one. Whether it is to be taken as a record.
    #[cold]
    fn jump(&mut self, stretch: Stretch<'_>, frame: &[u8], out: &mut Out<'_>) -> bool {
        let [seq, id, payload @ .., _] = frame else { return false };
        if self.believed_less(stretch, *seq, *id, payload, out) {
            return false;
        }
        let Some(expected) = self.sequence.expected() else { return true };
        let restart = TargetInfo::parse(payload, Style::Native).is_some_and(|i| i.reset);
        if *id == id::INFO && restart {
            return true;
        }
        if *id == id::EMPTY {
            let text = format!("sequence numbers go on at {seq}, {expected} was expected: the target restarted");
            self.base.say(out, note::RESTART, stretch.pos, severity::INFO, &text);
            return true;
        }
        let time = self.stamp(*id, payload);
        match self.sequence.step(*seq, frame, time.is_none_or(|t| t <= self.base.clock.now())) {
            Step::Next => {}
            Step::Gap(lost) => self.sequence.gap(&mut self.base, lost, *seq, time, stretch.pos, out),
            Step::Again => {
                self.base.counts.add(count::DUPLICATES, 1);
                out.row(self.base.note(note::DUPLICATE, stretch.pos, stretch.raw.len(), severity::WARNING));
                return false;
            }
            Step::Late => {
                self.late = true;
                let text = format!("seq {seq} came after its successors, it is not lost");
                self.base.say(out, own_kind::LATE, stretch.pos, severity::WARNING, &text);
            }
        }
        true
    }

    /// The extended time of a record, without taking it.
    fn stamp(&self, id: u8, payload: &[u8]) -> Option<u64> {
        let plan = self.base.plans.of(id);
        let own = plan.flags & flag::TIME_OWN != 0 && plan.stamp.within(payload);
        own.then(|| self.base.clock.extend(plan.stamp.read(payload), plan.stamp.size()))
    }

    /// One in 256 broken frames has the right sum. Where the number is not the expected one and the payload does not
    /// fit either, it is taken for broken; where text runs into a frame that fits, for that.
    fn believed_less(&mut self, stretch: Stretch<'_>, seq: u8, id: u8, payload: &[u8], out: &mut Out<'_>) -> bool {
        let unknown = self.base.plans.of(id).group == 0 || id > 124;
        let far = self.sequence.distance(seq).is_none_or(|d| d > NEAR);
        let broken = !self.base.fits(id, payload) || (unknown && far);
        let text = console::text_len(stretch.body()) >= 4 && far;
        if !broken && !text {
            return false;
        }
        if self.split(stretch, !broken, out) {
            return true;
        }
        if broken && self.sequence.expected().is_some() {
            self.damaged(note::BAD_FRAME, stretch.pos, stretch.raw.len(), out);
            return true;
        }
        false
    }

    /// A stretch that is no frame as a whole.
    #[cold]
    fn bad(&mut self, stretch: Stretch<'_>, sum: u8, dangling: bool, out: &mut Out<'_>) {
        let body = stretch.body();
        let (pos, len) = (stretch.pos, stretch.raw.len());
        if body.is_empty() {
            return out.row(self.base.note(own_kind::IDLE, pos, len, severity::NORMAL));
        }
        if self.split(stretch, false, out) {
            return;
        }
        let unexpected = body.first().copied() != self.sequence.expected();
        if console::is_text(body) && unexpected && (self.in_text || body.len() >= console::FEWEST) {
            return self.text(pos, stretch.lead, body, 1, out);
        }
        let kind = match () {
            () if std::mem::take(&mut self.overlong) => note::RESYNC,
            () if self.fresh => note::PARTIAL,
            () if dangling => note::BAD_FRAME,
            () if sum == GOOD_SUM => note::TOO_SHORT,
            () => note::BAD_CHECK,
        };
        self.fresh = false;
        self.damaged(kind, pos, len, out);
    }

    fn damaged(&mut self, kind: u16, pos: u64, len: usize, out: &mut Out<'_>) {
        let level = if kind == note::PARTIAL { severity::NORMAL } else { severity::ERROR };
        self.sequence.skipped(len, !matches!(kind, note::PARTIAL | note::RESYNC));
        self.base.skip(out, kind, pos, len, level);
        self.in_text = false;
    }

    /// Looks for a good frame at the end of a stretch and takes it. `text_only` = behind text only.
    fn split(&mut self, stretch: Stretch<'_>, text_only: bool, out: &mut Out<'_>) -> bool {
        if self.settled {
            return false;
        }
        let body = stretch.body();
        let text = console::text_len(body);
        let mut best: Option<(u8, Candidate<'_>)> = None;
        for candidate in recover::candidates(body) {
            if text_only && candidate.start > text {
                continue;
            }
            let rank = self.evidence(&candidate, candidate.start <= text);
            if let Some(rank) = rank.filter(|r| best.is_none_or(|(b, _)| *r <= b)) {
                best = Some((rank, candidate));
            }
        }
        let Some((_, found)) = best else { return false };
        let front = body.get(..found.start).unwrap_or(&[]);
        if found.start <= text && (console::is_text(front) || self.in_text) {
            self.text(stretch.pos, stretch.lead, front, 0, out);
        } else {
            let kind = if std::mem::take(&mut self.fresh) { note::PARTIAL } else { note::BAD_CHECK };
            self.damaged(kind, stretch.pos, stretch.lead + front.len(), out);
        }
        self.overlong = false;
        let skipped = stretch.lead + front.len();
        let raw = stretch.raw.get(skipped..).unwrap_or(&[]);
        self.settled = true;
        self.judge(Stretch::new(stretch.pos + skipped as u64, raw, 0, true), out);
        self.settled = false;
        true
    }

    /// What speaks for a frame that begins in the middle of a stretch: the smaller, the more. `None` = not enough.
    fn evidence(&mut self, candidate: &Candidate<'_>, behind_text: bool) -> Option<u8> {
        let Candidate { start, stuffed, seq, id } = *candidate;
        let distance = self.sequence.distance(seq);
        let near = if behind_text { NEAR_TEXT } else { NEAR };
        let restart = matches!(id, id::EMPTY | id::INFO);
        let rank = match distance {
            _ if id > 124 => return None,
            Some(d) if d <= near => d,
            _ if restart => 0,
            None if behind_text && start >= 4 => NEAR_TEXT,
            _ => return None,
        };
        let mut frame = std::mem::take(&mut self.scratch);
        frame.clear();
        unstuff(stuffed, &mut frame);
        let fits = match &*frame {
            [_, _, payload @ .., _] => self.fits_surely(id, seq, payload),
            _ => false,
        };
        self.scratch = frame;
        fits.then_some(rank)
    }

    /// Whether a payload fits so well that chance is unlikely.
    fn fits_surely(&self, id: u8, seq: u8, payload: &[u8]) -> bool {
        if self.base.plans.of(id).group == 0 || !self.base.fits(id, payload) {
            return false;
        }
        let printable = |text: &[u8]| !text.is_empty() && text.iter().all(|b| (b' '..0x7F).contains(b) || *b >= 0x80);
        match id {
            id::EMPTY => seq == 1,
            id::INFO => TargetInfo::parse(payload, Style::Native).is_some_and(|i| i.plausible()),
            id::ENUM_DICT | id::SIG_DICT..=id::USR_DICT => {
                let name = payload.split_last().map_or(payload, |(_, rest)| rest);
                name.iter().rposition(|&b| b < b' ').is_none_or(|p| printable(name.get(p + 1..).unwrap_or(&[])))
            }
            _ => true,
        }
    }

    /// Rows of text. `flags` = flags behind it that go with it.
    fn text(&mut self, pos: u64, lead: usize, body: &[u8], flags: usize, out: &mut Out<'_>) {
        let mut start = 0;
        let total = lead + body.len() + flags;
        for end in console::lines(body) {
            let end = if end == body.len() { total } else { lead + end };
            out.row(self.base.note(note::CONSOLE, pos + start as u64, end - start, severity::NORMAL));
            start = end;
        }
        if start < total {
            out.row(self.base.note(note::CONSOLE, pos + start as u64, total - start, severity::NORMAL));
        }
        self.in_text = true;
    }

    /// A good frame that is a record: names and configuration first, then its row.
    #[inline(always)]
    fn record(&mut self, frame: &[u8], id: u8, payload: &[u8], at: At, out: &mut Out<'_>) {
        if !self.base.is_plain(id, payload) || out.wants_acts() {
            return self.special(id, payload, at, out);
        }
        let row = self.base.plain(id, frame, at);
        if row.flags & flag::TIME_OWN != 0 {
            self.sequence.first_stamp(row.time, &self.base.counts);
        }
        out.row(row);
    }

    /// A record of which more is to be said than its row.
    #[inline(never)]
    fn special(&mut self, id: u8, payload: &[u8], at: At, out: &mut Out<'_>) {
        if id < id::ENUM_DICT && id != id::EMPTY {
            let row = self.base.record(id, payload, at);
            if row.flags & flag::TIME_OWN != 0 {
                self.sequence.first_stamp(row.time, &self.base.counts);
            }
            return self.push(row, payload, out);
        }
        if self.base.plans.of(id).flags & flag::NAMING != 0 {
            names::from_record(&self.base.config, id, payload, out);
        }
        if id == id::INFO {
            return self.info(payload, at, out);
        }
        let mut row = self.base.record(id, payload, at);
        if row.flags & flag::TIME_OWN != 0 {
            self.sequence.first_stamp(row.time, &self.base.counts);
        }
        if id == id::STATUS && payload.last().is_some_and(|s| *s >= 0x80) {
            row.severity = severity::WARNING;
        }
        if id == id::EMPTY && self.base.config.version < 550 {
            self.restart(&mut row);
        }
        self.push(row, payload, out);
    }

    /// A new epoch begins with this row.
    pub(super) fn restart(&mut self, row: &mut Row) {
        row.flags |= flag::EPOCH;
        self.base.clock.restart();
        self.sequence.epoch();
        self.base.counts.add(count::EPOCHS, 1);
        (row.time, row.flags) = (0, row.flags & !flag::TIME_KNOWN);
    }

    /// Adds the row of a record with its activities and answers.
    pub(super) fn push(&mut self, row: Row, payload: &[u8], out: &mut Out<'_>) {
        if row.flags & flag::ANSWER != 0 {
            activity::answer(row, payload, out);
        }
        if out.wants_acts() {
            activity::record(&self.base.config, row, payload, out);
        }
        out.row(row);
    }

    /// Options that hold from here.
    fn options(&mut self, text: &[u8], out: &mut Out<'_>) {
        let text = String::from_utf8_lossy(text);
        let config = self.known.apply(self.base.config, &text);
        self.base.configure(out, config);
        self.base.properties(out, None);
        self.known.old_names(&self.base, out);
    }
}
