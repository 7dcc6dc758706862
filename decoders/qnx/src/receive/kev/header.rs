//! The header of a file or live stream, and the system page after it. Trace buffers: their numbers reveal lost buffers,
//! their sizes lost events.

use memchr::memmem;
use spytui_decoder_kit::RowBuilder;
use spytui_plugin_api::{AttachmentId, Output, Row, RowFlags, RowKind, info::prop};

use super::{Buffers, Kev, OWN_BUFFERS, Stage};
use crate::{
    config::{MOST_CPUS, TargetFacts},
    layout::{
        NEW_RUN,
        attached::{self, LOST_HERE},
        counter, note,
    },
    receive::{Ending, Search},
    record::{Attributes, BEGIN, END, Event, attributes},
};

/// Maximum length of a header; anything longer is not a header.
const LONGEST: usize = 64 * 1024;
const COMPANION: &str = "STY";
/// Maximum number of system page bytes per row.
const PIECE: u64 = 64 * 1024;

impl Kev {
    pub(super) fn header(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> (usize, bool) {
        let window = bytes.get(..LONGEST).unwrap_or(bytes);
        let searched = (self.no_end_before.saturating_sub(pos) as usize).min(window.len());
        let rest = window.get(searched..).unwrap_or(&[]);
        let len = memmem::find(rest, END).map(|at| searched + at + END.len());
        if len.is_none() {
            self.no_end_before = pos + (window.len() + 1).saturating_sub(END.len()) as u64;
        }
        match len.and_then(|len| bytes.get(..len)) {
            Some(header) => {
                // A header that was cut off, and the next one.
                if let Some(at) = memmem::rfind(header, BEGIN).filter(|&at| at > 0) {
                    self.skipped(Search::default(), pos, header.get(..at).unwrap_or(header), out);
                    self.stage = Stage::Header;
                    return (at, true);
                }
                self.begin_run(pos, header, out);
                (header.len(), true)
            }
            None if bytes.len() >= LONGEST || ending.is_some() => {
                self.stage = Stage::Search(Search::PAST_FIRST);
                (0, true)
            }
            None => (0, false),
        }
    }

    /// Starts a new run, after which nothing from before applies.
    fn begin_run(&mut self, pos: u64, header: &[u8], out: &mut Output<'_>) {
        self.give_up(pos, |_| true, out);
        self.end_buffer(pos, None, out);
        self.buffers = Buffers::default();
        self.cpus.restart();
        self.now = 0;
        self.last = None;
        if self.begun {
            self.known.clear(out);
        }
        let attributes = attributes(header);
        let target = self.target_of(&attributes);
        let row = self.note(Row::note(RowKind::PROLOG, pos, header.len()));
        let epoch = if self.begun { RowFlags::EPOCH } else { RowFlags::empty() };
        self.release_is_known = self.options.release.is_some() || attributes.number("SYS_RELEASE").is_some();
        self.dropped_total = (attributes.number(COMPANION) == Some(1)).then_some(0);
        self.configure(target, out);
        if !self.is_another_boot(&attributes) && self.begun {
            out.attachment_bytes(AttachmentId::NEW_EPOCH, NEW_RUN);
        }
        out.row(Row { flags: row.flags | epoch, cfg: self.cfg, ..row });
        out.clock(self.cpus.clock());
        let end = pos + header.len() as u64;
        self.contradictions(end, target, out);
        let release = attributes.text("SYS_RELEASE").unwrap_or_default();
        out.prop(prop::SYSTEM, 0, format!("kev {release}  {} CPU", target.cpus).as_bytes());
        let left = attributes.number("SYSPAGE_LEN").unwrap_or(0);
        self.stage = if left > 0 { Stage::SystemPage { left } } else { Stage::Events };
    }

    /// Whether the target has been restarted since the previous run; a run begins whenever the logger starts.
    fn is_another_boot(&mut self, attributes: &Attributes<'_>) -> bool {
        let Some(boot) = attributes.get("BOOT_DATE") else { return false };
        let before = self.boot.replace(boot.to_vec());
        before.is_some_and(|before| before != boot)
    }

    /// The target according to the header, completed by options.
    fn target_of(&self, attributes: &Attributes<'_>) -> TargetFacts {
        let otherwise = self.options.target();
        let release = attributes.number("SYS_RELEASE").map(|release| release.clamp(6, 8) as u8);
        let cpus = attributes.number("CPU_NUM").and_then(|cpus| u8::try_from(cpus).ok());
        TargetFacts {
            big: attributes.is_big().unwrap_or(otherwise.big),
            release: release.unwrap_or(otherwise.release),
            cpus: cpus.filter(|cpus| (1..=MOST_CPUS).contains(cpus)).unwrap_or(otherwise.cpus),
            rate: attributes.number("CYCLES_PER_SEC").filter(|&rate| rate > 0).unwrap_or(otherwise.rate),
        }
    }

    fn contradictions(&self, pos: u64, target: TargetFacts, out: &mut Output<'_>) {
        let order = |big: bool| if big { "big" } else { "little" }.to_owned();
        let said = |key: &str, given: Option<String>, found: String| {
            given.filter(|given| *given != found).map(|given| format!("{key} is {found}, not {given} as set"))
        };
        let options = &self.options;
        let all = [
            said("profile", options.profile.map(|profile| profile.name().to_owned()), "kev".to_owned()),
            said("endian", options.big.map(order), order(target.big)),
            said("release", options.release.map(|n| n.to_string()), target.release.to_string()),
            said("cpus", options.cpus.map(|n| n.to_string()), target.cpus.to_string()),
            said("cycles-per-sec", options.rate.map(|n| n.to_string()), target.rate.to_string()),
        ];
        for text in all.into_iter().flatten() {
            self.say(out, Row::note(RowKind::CONFLICT, pos, 0), &text);
        }
    }

    /// Takes the system page, in pieces if it is long.
    pub(super) fn system_page(
        &mut self,
        pos: u64,
        bytes: &[u8],
        left: u64,
        ending: Ending,
        out: &mut Output<'_>,
    ) -> (usize, bool) {
        let piece = left.min(PIECE);
        let there = piece.min(bytes.len() as u64);
        if there < piece && ending.is_none() {
            return (0, false);
        }
        if there > 0 {
            out.row(self.note(Row::note(note::SYSTEM_PAGE, pos, there as usize)));
        }
        let left = left - there;
        self.stage = if left > 0 { Stage::SystemPage { left } } else { Stage::Events };
        (there as usize, there == piece)
    }
    pub(super) fn buffer(&mut self, pos: u64, event: &Event, [number, size]: [u32; 2], out: &mut Output<'_>) {
        self.buffers.seen -= 1;
        self.end_buffer(pos, None, out);
        self.buffers.seen = 1;
        self.counts.add(counter::BUFFERS, 1);
        let own = self.has_own_buffers();
        self.buffers.current = (!own).then_some((number, size));
        let last = if own { &mut self.cpus.of(event.cpu()).buffer } else { &mut self.buffers.last };
        if let Some(before) = last.replace(number) {
            let step = number.wrapping_sub(before) as i32;
            let earlier = self.buffers.earlier.replace(before).filter(|_| !own);
            let was_damaged = step != 1 && earlier.is_some_and(|earlier| earlier.wrapping_add(2) == number);
            match step {
                1 => {}
                ..=0 if self.cpus.of(event.cpu()).went_back => self.restarted_at(pos, event.cpu(), number, out),
                ..=0 if was_damaged => self.damaged_number(pos, (before, number), out),
                ..=0 => {
                    self.buffers.back = Some((before, number));
                    self.cpus.lose(self.buffer_of(event.cpu()));
                }
                _ => self.lost_buffers(pos, event, (before.wrapping_add(1), number), out),
            }
        }
    }

    pub(super) fn has_own_buffers(&self) -> bool {
        self.rules.release >= OWN_BUFFERS
    }

    /// Reports that the previous buffer's number was wrong, because this one continues after the one before.
    #[cold]
    fn damaged_number(&self, pos: u64, (before, number): (u32, u32), out: &mut Output<'_>) {
        let is = number.wrapping_sub(1);
        let text = format!("the previous buffer is number {is}, not {before}: none was lost in between");
        self.say(out, Row::note(RowKind::CONFLICT, pos, 0), &text);
    }

    fn lost_buffers(&mut self, pos: u64, event: &Event, (expected, got): (u32, u32), out: &mut Output<'_>) {
        let lost = got.wrapping_sub(expected).into();
        self.counts.add(counter::LOST_BUFFERS, lost);
        self.give_up(pos, |part| part.is_before(event.low), out);
        out.attachment(AttachmentId::LOST, lost, 1);
        out.attachment(AttachmentId::EXPECTED, expected.into(), got.into());
        self.loss(self.note(Row::gap(pos)), self.buffer_of(event.cpu()), out);
    }

    /// Ends the current buffer: fewer events than announced are a loss. After an interruption, the rest may still
    /// arrive.
    pub(super) fn end_buffer(&mut self, pos: u64, ending: Ending, out: &mut Output<'_>) {
        let seen = std::mem::take(&mut self.buffers.seen);
        let Some((number, size)) = self.buffers.current.take() else { return };
        let missing = u64::from(size).saturating_sub(seen);
        if missing > 0 {
            self.counts.add(counter::SHORT_BUFFERS, 1);
            let attachment = match ending {
                Some(RowKind::CUT_OFF | RowKind::RESYNC) => attached::AT_MOST,
                _ => {
                    self.counts.add(counter::MISSING_EVENTS, missing);
                    attached::MISSING
                }
            };
            let lost = u64::from(ending == Some(RowKind::RESYNC)) << LOST_HERE;
            out.attachment(attachment, missing, lost | u64::from(number));
            self.loss(self.note(Row::note(note::SHORT_BUFFER, pos, 0)), None, out);
        }
    }

    /// Takes the upper half of a CPU's time. If it falls together with a buffer number, another run begins; alone, it
    /// is damage or corrects earlier damage.
    pub(super) fn high_time(&mut self, pos: u64, event: &Event, out: &mut Output<'_>) -> u64 {
        let high = event.words[0];
        let went_back = self.cpus.of(event.cpu()).high.is_some_and(|before| high < before);
        match self.buffers.back.take() {
            Some(_) if went_back => self.restarted(pos, out),
            Some((before, number)) => {
                let text = format!("buffer numbers restarted: {number} after {before}");
                self.say(out, Row::note(RowKind::RESTART, pos, 0), &text);
            }
            None => {}
        }
        let cpu = self.cpus.of(event.cpu());
        cpu.high = Some(high);
        cpu.went_back = went_back;
        u64::from(high) << 32 | u64::from(event.low)
    }

    /// Starts another run: buffer numbers and time went back.
    fn restarted(&mut self, pos: u64, out: &mut Output<'_>) {
        self.give_up(pos, |_| true, out);
        self.cpus.restart();
        self.known.clear(out);
        self.now = 0;
        let row = self.note(Row::note(RowKind::RESTART, pos, 0));
        out.attachment_bytes(AttachmentId::NEW_EPOCH, NEW_RUN);
        out.attachment_bytes(AttachmentId::TEXT, b"buffer numbers and times restarted");
        out.row(Row { flags: row.flags | RowFlags::EPOCH, ..row });
        out.clock(self.cpus.clock());
    }

    /// Starts another run with a buffer of a CPU, whose time arrived just before and stays valid.
    fn restarted_at(&mut self, pos: u64, cpu: u8, number: u32, out: &mut Output<'_>) {
        let high = self.cpus.of(cpu).high;
        self.restarted(pos, out);
        let cpu = self.cpus.of(cpu);
        cpu.high = high;
        cpu.buffer = Some(number);
    }
}
