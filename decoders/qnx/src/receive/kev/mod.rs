//! Events of the instrumented kernel: the receiver and its state, the search for events after damage, and rows for
//! losses. `header` finds where events begin and checks the trace buffers that contain them, `event` turns them into
//! rows, `cpu` tracks time and thread of each CPU.

mod cpu;
mod event;
mod header;

use memchr::memmem;
use spytui_decoder_kit::{ConfigRegistry, RowBuilder};
use spytui_formats::FormatCode;
use spytui_plugin_api::{AttachmentId, NONE, Output, Row, RowFlags, RowKind, info::space as host_space};

use super::{Counts, Ending, MOST_SKIPPED, Search, hiding_records};
use crate::{
    config::{BLOB, Config, Profile, QnxOptions, TargetFacts},
    frame::{Assembly, CHAIN, FIRST_CHAIN, Part, Rules, WITH_COOKIE, near},
    layout::{attached, calls, counter, space, user_event},
    names::KnownThreads,
    record::{BEGIN, EVENT, Event, Structure, event},
};
use cpu::Cpus;

/// First release in which the kernel reports where it dropped events.
const WITH_DROPS: u8 = 8;

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Events, one after the other.
    Events,
    /// Not an event, or the start of the next one is unknown.
    Search(Search),
    Header,
    SystemPage {
        left: u64,
    },
}

/// Position of the next header, which no event overlaps. While more bytes may follow, the last ones may begin a header.
fn next_header(bytes: &[u8], ending: Ending) -> usize {
    let cut = || (1..BEGIN.len()).rev().find(|&len| BEGIN.get(..len).is_some_and(|begin| bytes.ends_with(begin)));
    match memmem::find(bytes, BEGIN) {
        Some(at) => at,
        None if ending.is_none() => bytes.len() - cut().unwrap_or(0),
        None => bytes.len(),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Kev {
    options: QnxOptions,
    target: TargetFacts,
    /// The release whose kernel calls are named; 0 = none.
    calls_of: u8,
    rules: Rules,
    stage: Stage,
    /// No header ends before this position, because the bytes up to there were searched.
    no_end_before: u64,
    /// The release comes from an option or the stream.
    release_is_known: bool,
    /// Low half of the time of the last event.
    last: Option<u32>,
    cpus: Cpus,
    assembly: Assembly,
    buffers: Buffers,
    known: KnownThreads,
    configs: ConfigRegistry<BLOB>,
    cfg: u16,
    counts: Counts,
    /// Time of the last event with a time.
    now: u64,
    /// There has been a row.
    begun: bool,
    /// Boot time as written in the last header that has it.
    boot: Option<Vec<u8>>,
    /// The companion's total of dropped events, if the header announces one.
    dropped_total: Option<u32>,
}

impl RowBuilder for Kev {
    fn note(&self, note: Row) -> Row {
        Row { time: self.now, cfg: self.cfg, core: NONE, ..note }
    }
}

impl Kev {
    /// Starts receiving; a header describes the stream.
    pub(crate) fn new(options: QnxOptions, pos: u64, out: &mut Output<'_>) -> Kev {
        let target = options.target();
        let mut kev = Kev {
            release_is_known: options.release.is_some(),
            options,
            target,
            calls_of: 0,
            rules: Rules::new(target.release, target.big, target.cpus),
            stage: Stage::Search(Search::default()),
            no_end_before: 0,
            last: None,
            cpus: Cpus::default(),
            assembly: Assembly::default(),
            buffers: Buffers::default(),
            known: KnownThreads::default(),
            configs: ConfigRegistry::default(),
            cfg: 0,
            counts: Counts::default(),
            now: 0,
            begun: false,
            boot: None,
            dropped_total: None,
        };
        kev.configure(target, out);
        kev.report_formats(pos, out);
        kev
    }

    /// Applies the properties of the stream from here on.
    fn configure(&mut self, target: TargetFacts, out: &mut Output<'_>) {
        self.target = target;
        self.counts.begin(&counter::OF_BUFFERS);
        if target.release >= WITH_DROPS {
            self.counts.begin(&[counter::DROP_EVENTS]);
        }
        self.rules = Rules::new(target.release, target.big, target.cpus);
        self.cpus.rate = target.rate;
        let QnxOptions { reference, exception, .. } = self.options;
        let release = Some(target.release);
        let config = Config { reference, big: target.big, profile: Profile::Kev, exception, release };
        self.cfg = self.configs.id(config.blob(), out).unwrap_or(self.cfg);
        out.clock(self.cpus.clock());
    }

    fn name_calls(&mut self, out: &mut Output<'_>) {
        self.calls_of = self.target.release;
        for (number, name) in calls(self.target.release) {
            out.built_in_name(space::CALLS, number.into(), 0, name.as_bytes());
        }
    }

    pub(crate) fn change_formats(&mut self, options: &QnxOptions, pos: u64, out: &mut Output<'_>) {
        let gone = (0..1024).filter(|number| self.options.formats.events.contains_key(&FormatCode::User(*number)));
        for number in gone.filter(|number| !options.formats.events.contains_key(&FormatCode::User(*number))) {
            out.remove(host_space::KINDS, user_event(number).0.into(), 0);
            out.remove(space::USER_EVENTS, number.into(), 0);
        }
        self.options.formats = options.formats.clone();
        self.options.faults = options.faults.clone();
        self.report_formats(pos, out);
    }

    /// Names user events according to the formats, and reports the formats' faults.
    fn report_formats(&self, pos: u64, out: &mut Output<'_>) {
        for number in 0..1024 {
            if let Some(entry) = self.options.formats.events.get(&FormatCode::User(number)) {
                out.name(host_space::KINDS, user_event(number).0.into(), 0, entry.name.as_bytes());
                out.name(space::USER_EVENTS, number.into(), 0, entry.name.as_bytes());
            }
        }
        for fault in self.options.faults.iter() {
            self.say(out, Row::note(RowKind::HINT, pos, 0), fault);
        }
    }

    /// Adds rows for the first bytes; returns their number.
    pub(crate) fn take(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> usize {
        let mut used = 0;
        // Position of the next header, once searched.
        let mut header = None;
        loop {
            let rest = bytes.get(used..).unwrap_or(&[]);
            let at = pos + used as u64;
            let (taken, go_on) = match self.stage {
                Stage::Events => {
                    if self.calls_of != self.target.release {
                        self.name_calls(out);
                    }
                    let known = header.filter(|&header| header >= used);
                    let next = known.unwrap_or_else(|| used + next_header(rest, ending));
                    header = Some(next);
                    self.events(at, rest, next - used, ending, out)
                }
                Stage::Search(search) => self.search(at, rest, search, ending.is_some(), out),
                Stage::Header => self.header(at, rest, ending, out),
                Stage::SystemPage { left } => self.system_page(at, rest, left, ending, out),
            };
            used += taken;
            self.begun |= taken > 0;
            if !go_on {
                break;
            }
        }
        if let Some(kind) = ending {
            self.finish(pos + used as u64, bytes.get(used..).unwrap_or(&[]), kind, out);
            used = bytes.len();
        }
        self.counts.report(out);
        used
    }

    /// Takes plausible events up to the next header. Returns the number of their bytes, and whether there is more to
    /// do.
    fn events(&mut self, pos: u64, bytes: &[u8], header: usize, ending: Ending, out: &mut Output<'_>) -> (usize, bool) {
        let events = bytes.get(..header).unwrap_or(bytes);
        let mut at = 0;
        while let Some(raw) = events.get(at..at + EVENT) {
            let Ok((_, event)) = event(raw, self.rules.big) else { break };
            let mut kind = self.rules.kind(&event);
            if kind == 0 && self.is_newer(&event, raw) {
                self.learn_release(pos + at as u64, out);
                kind = self.rules.kind(&event);
            }
            if kind == 0 || !self.is_near(&event) {
                match self.unlikely(bytes.get(at..).unwrap_or(&[]), kind, ending) {
                    Some(Stage::Events) => {}
                    Some(stage) => {
                        self.stage = stage;
                        return (at, true);
                    }
                    None => return (at, false),
                }
            }
            self.accept(pos + at as u64, &event, raw, kind, out);
            at += EVENT;
        }
        let is_header = bytes.get(header..).is_some_and(|rest| rest.starts_with(BEGIN));
        if is_header {
            // The bytes left before it are the beginning of an event.
            self.stage = if at == header { Stage::Header } else { Stage::Search(Search::PAST_FIRST) };
        }
        (at, is_header)
    }

    /// Whether this is a release 8 buffer end in a stream of unknown release.
    #[cold]
    fn is_newer(&self, event: &Event, raw: &[u8]) -> bool {
        let newer = Rules::new(WITH_COOKIE, self.rules.big, self.target.cpus);
        !self.release_is_known && self.rules.release < WITH_COOKIE && is_buffer_end(raw) && newer.kind(event) != 0
    }

    /// Continues as release 8.
    #[cold]
    fn learn_release(&mut self, pos: u64, out: &mut Output<'_>) {
        let text = format!("release is {WITH_COOKIE}, according to the end of a buffer");
        self.configure(TargetFacts { release: WITH_COOKIE, ..self.target }, out);
        self.say(out, Row::note(RowKind::HINT, pos, 0), &text);
    }

    /// Whether the time of an event is close to the last event's, on any CPU or its own.
    #[inline(always)]
    fn is_near(&self, event: &Event) -> bool {
        self.last.is_none_or(|last| near(event.low, last)) || self.cpus.is_near(event)
    }

    /// Decides how to handle an implausible event; `None` = wait for more bytes.
    #[cold]
    fn unlikely(&self, bytes: &[u8], kind: u16, ending: Ending) -> Option<Stage> {
        let search = Stage::Search(Search::PAST_FIRST);
        if kind == 0 {
            return Some(search);
        }
        // Only the time is implausible. If the next events agree with it, time has passed.
        if bytes.len() < CHAIN * EVENT && ending.is_none() {
            return None;
        }
        let follows = |before: Option<&Event>, event: &Event| before.is_none_or(|before| near(event.low, before.low));
        let agree = self.rules.chain(bytes, CHAIN, follows) == CHAIN;
        Some(if agree { Stage::Events } else { search })
    }

    #[inline]
    fn accept(&mut self, pos: u64, event: &Event, raw: &[u8], kind: u16, out: &mut Output<'_>) {
        self.last = Some(event.low);
        self.buffers.seen += 1;
        match event.structure() {
            Structure::Simple => {
                let time = self.cpus.advance(event);
                self.simple(pos, event, raw, kind, time, out);
            }
            Structure::Begin => {
                let time = self.cpus.advance(event);
                if let Some(left) = self.assembly.begin(pos, event, raw, kind, time) {
                    self.unterminated(pos, left, out);
                }
                if self.rules.release < OWN_BUFFERS {
                    self.give_up(pos, |part| part.is_too_old(pos), out);
                }
            }
            Structure::Continuation if self.assembly.go_on(pos, event, raw) => {}
            Structure::Continuation => {
                self.counts.add(counter::UNBALANCED_CONT, 1);
                self.part(pos, event, out);
            }
            Structure::End => match self.assembly.end(pos, event, raw) {
                Some(part) => self.whole(part, out),
                None => {
                    self.counts.add(counter::UNBALANCED_END, 1);
                    self.part(pos, event, out);
                }
            },
        }
    }

    /// Ends the stream, at least for now: the remaining bytes are not events.
    fn finish(&mut self, pos: u64, left_over: &[u8], kind: RowKind, out: &mut Output<'_>) {
        let end = pos + left_over.len() as u64;
        if !left_over.is_empty() {
            self.counts.add(counter::TAIL_BYTES, left_over.len() as u64);
            self.no_event(Row::skipped(kind, pos, left_over.len()), left_over, out);
        }
        self.give_up(end, |_| true, out);
        self.end_buffer(end, Some(kind), out);
        // Anything that follows is from another place in the trace.
        self.cpus.lose(None);
        self.stage = Stage::Search(Search::default());
        self.last = None;
    }

    fn search(&mut self, pos: u64, bytes: &[u8], search: Search, ends: bool, out: &mut Output<'_>) -> (usize, bool) {
        for at in search.tried..=bytes.len() {
            let window = bytes.get(at..).unwrap_or(&[]);
            if window.len() < self.window() && !ends {
                self.stage = Stage::Search(Search { tried: at, ..search });
                return (0, false);
            }
            if let Some((more, stage)) = self.resumes(window) {
                let (at, window) = (at + more, window.get(more..).unwrap_or(&[]));
                self.skipped(search, pos, bytes.get(..at).unwrap_or(bytes), out);
                self.stage = stage;
                self.resumed(pos + at as u64, window, out);
                return (at, true);
            }
            if at + 1 == MOST_SKIPPED {
                self.skipped(search, pos, bytes.get(..=at).unwrap_or(bytes), out);
                self.stage = Stage::Search(Search::NEXT_ROW);
                return (at + 1, true);
            }
        }
        self.skipped(search, pos, bytes, out);
        (bytes.len(), false)
    }

    /// Where events or a header begin, at or close to the start of these bytes.
    fn resumes(&mut self, window: &[u8]) -> Option<(usize, Stage)> {
        if window.starts_with(BEGIN) {
            return Some((0, Stage::Header));
        }
        let raw = window.get(..EVENT)?;
        if self.rules.release >= WITH_COOKIE && is_buffer_end(raw) && self.rules.chain(raw, 1, |_, _| true) == 1 {
            self.last = None;
            return Some((0, Stage::Events));
        }
        Some((self.next_event(window)?, Stage::Events))
    }

    /// Finds the next event. Parts of an event often look like a header, so the longest chain wins.
    fn next_event(&self, window: &[u8]) -> Option<usize> {
        (self.chain(window, CHAIN) == CHAIN).then_some(())?;
        let length = |at: &usize| self.chain(window.get(*at..).unwrap_or(&[]), self.longest());
        // Of equally long ones, the first.
        (0..EVENT).rev().max_by_key(length)
    }

    /// Number of events that are compared. At the start of a stream, no earlier event helps.
    fn longest(&self) -> usize {
        if self.last.is_some() { 2 * CHAIN } else { FIRST_CHAIN }
    }

    /// Number of plausible events at the start of these bytes.
    fn chain(&self, bytes: &[u8], most: usize) -> usize {
        let follows = |before: Option<&Event>, event: &Event| match before {
            Some(before) => near(event.low, before.low) || self.cpus.is_near(event),
            None => self.is_near(event),
        };
        self.rules.chain(bytes, most, follows)
    }

    fn window(&self) -> usize {
        (self.longest() + 1) * EVENT
    }

    /// After a search found an event: events that began earlier can no longer be completed.
    fn resumed(&mut self, pos: u64, window: &[u8], out: &mut Output<'_>) {
        if let (Stage::Events, Ok((_, event))) = (self.stage, event(window, self.rules.big)) {
            self.give_up(pos, |part| part.is_before(event.low), out);
        }
    }

    fn skipped(&mut self, search: Search, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        if !bytes.is_empty() {
            self.no_event(search.row(pos, bytes.len()), bytes, out);
        }
    }

    /// Adds a note that events of one CPU or of all were lost. Until their next events, running threads and their
    /// states are unknown.
    #[cold]
    fn loss(&mut self, row: Row, cpu: Option<u8>, out: &mut Output<'_>) {
        self.cpus.lose(cpu);
        out.row(row);
    }

    /// Adds rows for bytes that are not an event, and for lines of text in them.
    fn no_event(&mut self, row: Row, bytes: &[u8], out: &mut Output<'_>) {
        self.cpus.lose(None);
        out.skipped(self.note(hiding_records(row)), 0, bytes);
    }

    /// The CPU that loses events when one of its buffers is missing; `None` = all CPUs share buffers.
    fn buffer_of(&self, cpu: u8) -> Option<u8> {
        self.has_own_buffers().then_some(cpu)
    }

    /// The kernel dropped events of a CPU because it had no free buffer. The meaning of the count is undocumented.
    #[cold]
    fn dropped(&mut self, pos: u64, event: &Event, out: &mut Output<'_>) {
        self.counts.add(counter::DROP_EVENTS, 1);
        let word = event.words[0];
        out.attachment(attached::DROPPED, word.into(), 0);
        let text = format!("events dropped by the target: DROPPED {word}, which may be their number");
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        let row = self.note(Row::note(RowKind::DROP, pos, 0));
        self.loss(Row { core: event.cpu().into(), ..row }, Some(event.cpu()), out);
    }

    /// Adds a note that the time of a CPU goes back.
    #[cold]
    fn time_back(&mut self, pos: u64, event: &Event, (from, to): (u64, u64), out: &mut Output<'_>) {
        out.attachment(AttachmentId::SPAN, from, to);
        let row = self.note(Row::note(RowKind::TIME_BACK, pos, 0));
        out.row(Row { time: from, core: event.cpu().into(), ..row });
    }

    /// Adds a row for a part without its begin.
    #[cold]
    fn part(&mut self, pos: u64, event: &Event, out: &mut Output<'_>) {
        let cpu = event.cpu();
        let row = self.note(Row::note(RowKind::ORPHANS, pos, EVENT));
        self.loss(Row { core: cpu.into(), ..row }, self.buffer_of(cpu), out);
    }

    /// Adds a row for an event without its end; its parts lie before `pos`.
    #[cold]
    fn unterminated(&mut self, pos: u64, part: Part, out: &mut Output<'_>) {
        self.counts.add(counter::UNTERMINATED_BEGIN, 1);
        let cpu = part.event.cpu();
        let (_, last, len) = part.places.attach(out);
        out.attachment(AttachmentId::FRAGMENT, last, len);
        let row = self.note(Row::note(RowKind::ORPHANS, pos, 0));
        self.loss(Row { core: cpu.into(), flags: row.flags | RowFlags::FRAGMENTED, ..row }, self.buffer_of(cpu), out);
    }

    /// Gives up the incomplete events for which `gone` is true.
    fn give_up(&mut self, pos: u64, gone: impl Fn(&Part) -> bool, out: &mut Output<'_>) {
        while let Some(part) = self.assembly.take_if(&gone) {
            self.unterminated(pos, part, out);
        }
    }
}

/// First release in which each CPU has separate buffers.
const OWN_BUFFERS: u8 = 8;
/// End mark of a buffer in release 8.
const COOKIE: [u8; 8] = [0xE6; 8];

/// Whether an event contains the end mark of a buffer.
fn is_buffer_end(raw: &[u8]) -> bool {
    raw.ends_with(&COOKIE)
}

#[derive(Clone, Copy, Debug, Default)]
struct Buffers {
    /// Number of the last buffer, if all CPUs share them.
    last: Option<u32>,
    earlier: Option<u32>,
    /// Number and announced size of the current buffer; size 0 = unknown.
    current: Option<(u32, u32)>,
    /// Number of events since it began.
    seen: u64,
    /// Buffer numbers went back; the time will show whether the target restarted.
    back: Option<(u32, u32)>,
}
