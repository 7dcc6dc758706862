//! The classic trace logs: the receiver, the search for the next record after damage, and rows for records and
//! preceding losses.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use spytui_formats::FormatTable;
use spytui_plugin_api::{
    AttachmentId, NONE, Output, Row, RowFlags, RowKind, Severity, TextWriter,
    batch::{AttrId, ClockEvent, ClockFlags, DictEvent, DictOp},
    info::{prop, space as host_space},
};

use super::{Counts, Ending, MOST_SKIPPED, Search, answer, has_dropped, hiding_records};
use crate::{
    config::{Config, Format, QnxOptions},
    frame::{Chain, chain, follows},
    layout::{Group, attached, classic_kind, classic_rest, counter, note},
    record::{Classic, EventCode, ReadEvent},
    text::{self, classic::Lines},
};

/// Nanoseconds since 1970.
const CLOCK: ClockEvent = ClockEvent { at: 0, flags: ClockFlags::ZERO, num: 1, den: 1, zero: 0, res_ns: 10, first: 0 };

#[derive(Clone, Debug)]
pub(crate) struct ClassicLog {
    format: Format,
    table: Arc<FormatTable>,
    /// Disabled events of the kernel profile, one bit per opcode.
    masked: [u8; 32],
    reference: bool,
    /// Kinds named so far, by what they are named after, each with its code.
    kinds: FxHashMap<(u8, u32), (RowKind, EventCode)>,
    counts: Counts,
    last: Option<u32>,
    now: u64,
    search: Option<Search>,
    text: Vec<u8>,
    /// The companion's total of dropped records. Streams have no header that announces one; its first answer reveals it.
    dropped_total: Option<u32>,
}

/// Number of consecutive plausible records that prove a record start.
const CHAIN: usize = 4;
/// Like `CHAIN`, at the start of a stream, where no earlier record helps.
const FIRST_CHAIN: usize = 8;
/// Opcode that a `nto1` companion uses for the drop total.
const DROP_TOTAL: u8 = 0xFD;
/// Opcode that a `nto1` companion uses for answers: command id, result.
const ANSWER: u8 = 0xFE;
/// Going back by more seconds than this begins another run.
const BACK: u32 = 60;
const NANOS: u64 = 1_000_000_000;

impl ClassicLog {
    pub(crate) fn new(options: &QnxOptions, format: Format, pos: u64, out: &mut Output<'_>) -> ClassicLog {
        let profile = format.profile();
        let QnxOptions { reference, exception, .. } = *options;
        out.cfg(0, &Config { reference, big: format.is_big(), profile, exception, release: None }.blob());
        out.clock(CLOCK);
        out.prop(prop::SYSTEM, 0, profile.name().as_bytes());
        let log = ClassicLog {
            format,
            table: options.formats.clone(),
            masked: options.masked,
            reference,
            kinds: FxHashMap::default(),
            counts: Counts::default(),
            last: None,
            now: 0,
            search: None,
            text: Vec::new(),
            dropped_total: None,
        };
        log.report_faults(options, pos, out);
        log
    }

    fn report_faults(&self, options: &QnxOptions, pos: u64, out: &mut Output<'_>) {
        for fault in options.faults.iter() {
            out.attachment_bytes(AttachmentId::TEXT, fault.as_bytes());
            self.note(Row::note(RowKind::HINT, pos, 0), out);
        }
    }

    pub(crate) fn change_formats(&mut self, options: &QnxOptions, pos: u64, out: &mut Output<'_>) {
        self.table = options.formats.clone();
        for (kind, what) in self.kinds.values() {
            self.put_name(*kind, *what, out);
        }
        self.report_faults(options, pos, out);
    }

    /// Adds rows for the first bytes; returns their number.
    pub(crate) fn take(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> usize {
        let mut used = 0;
        while used < bytes.len() {
            let (at, rest) = (pos + used as u64, bytes.get(used..).unwrap_or(&[]));
            let taken = match self.search {
                Some(search) => self.search(at, rest, search, ending, out),
                None => self.next(at, rest, ending, out),
            };
            used += taken;
            if taken == 0 {
                break;
            }
        }
        if let Some(kind) = ending {
            let left = bytes.len() - used;
            if left > 0 {
                self.counts.add(counter::TAIL_BYTES, left as u64);
                self.skipped(Row::skipped(kind, pos + used as u64, left), bytes.get(used..).unwrap_or(&[]), out);
            }
            used = bytes.len();
            self.search = None;
        }
        self.counts.report(out);
        used
    }

    /// Takes the record at the start of the bytes; returns 0 if it is incomplete.
    fn next(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> usize {
        match self.format.read(bytes) {
            ReadEvent::Record(record) => match self.fits(&record, bytes, ending) {
                Chain::Enough => {
                    self.record(pos, &record, out);
                    return record.len;
                }
                Chain::Open => return 0,
                Chain::TooFew => {}
            },
            ReadEvent::Null => {
                self.counts.add(counter::NULL_EVENTS, 1);
                self.note(Row::note(note::NULL, pos, 2), out);
                return 2;
            }
            ReadEvent::Incomplete if ending.is_none() || self.is_cut(bytes) => return 0,
            _ => {}
        }
        self.search(pos, bytes, Search::default(), ending, out)
    }

    fn lines(&self) -> Lines<'_> {
        Lines { table: &self.table, format: self.format }
    }

    fn note(&self, note: Row, out: &mut Output<'_>) {
        out.row(Row { time: self.now, core: NONE, ..note });
    }

    /// Adds rows for the first bytes, which are not a record, and for lines of text in them.
    fn skipped(&self, row: Row, bytes: &[u8], out: &mut Output<'_>) {
        let bytes = bytes.get(..row.len as usize).unwrap_or(bytes);
        out.skipped(Row { time: self.now, core: NONE, ..hiding_records(row) }, 0, bytes);
    }
    /// Whether an incomplete record may be the last one, cut off by the end of the stream.
    fn is_cut(&self, bytes: &[u8]) -> bool {
        (1..bytes.len())
            .all(|at| chain(self.format, bytes.get(at..).unwrap_or(&[]), CHAIN, self.last, true) != Chain::Enough)
    }

    /// Whether a record follows the last one. An earlier record begins another run if the records after it agree.
    fn fits(&self, record: &Classic<'_>, bytes: &[u8], ending: Ending) -> Chain {
        let ends = ending.is_some();
        match self.last {
            None => chain(self.format, bytes, CHAIN, None, ends),
            Some(_) if follows(record, self.last) => Chain::Enough,
            Some(last) if record.seconds < last => self.another_run(record.len, bytes, ends),
            Some(_) => Chain::TooFew,
        }
    }

    /// Whether an earlier record begins another run: the records after it agree, and the next one does not continue
    /// after the last record, as it would after a damaged time.
    fn another_run(&self, len: usize, bytes: &[u8], ends: bool) -> Chain {
        let next = bytes.get(len..).unwrap_or(&[]);
        match chain(self.format, bytes, CHAIN, None, ends) {
            Chain::Enough if chain(self.format, next, 1, self.last, ends) == Chain::Enough => Chain::TooFew,
            agrees => agrees,
        }
    }

    fn chain(&self) -> usize {
        if self.last.is_some() { CHAIN } else { FIRST_CHAIN }
    }

    /// Searches for the next record byte by byte; returns the number of bytes put into rows.
    fn search(&mut self, pos: u64, bytes: &[u8], search: Search, ending: Ending, out: &mut Output<'_>) -> usize {
        let ends = ending.is_some();
        for at in search.tried.max(1)..bytes.len() {
            match chain(self.format, bytes.get(at..).unwrap_or(&[]), self.chain(), self.last, ends) {
                Chain::Enough => {
                    self.search = None;
                    self.skipped(search.row(pos, at), bytes, out);
                    return at;
                }
                Chain::Open if !ends => {
                    self.search = Some(Search { tried: at, ..search });
                    return 0;
                }
                _ if at + 1 >= MOST_SKIPPED => {
                    self.search = Some(Search::NEXT_ROW);
                    self.skipped(search.row(pos, at), bytes, out);
                    return at;
                }
                _ => {}
            }
        }
        if ends {
            self.search = None;
            self.skipped(search.row(pos, bytes.len()), bytes, out);
            return bytes.len();
        }
        self.search = Some(Search { tried: bytes.len().max(1), ..search });
        0
    }
    fn record(&mut self, pos: u64, record: &Classic<'_>, out: &mut Output<'_>) {
        let restarts = self.last.is_some_and(|last| record.seconds.saturating_add(BACK) < last);
        if restarts {
            self.now = 0;
            let row = Row { core: NONE, ..Row::note(RowKind::RESTART, pos, 0) };
            out.row(Row { flags: row.flags | RowFlags::EPOCH, ..row });
        }
        let is_first = restarts || self.last.is_none();
        self.last = Some(record.seconds);
        let before = self.now;
        self.now = u64::from(record.seconds) * NANOS + u64::from(record.nanos);
        if self.now < before {
            out.attachment(AttachmentId::SPAN, before, self.now);
            self.note(Row { time: before, ..Row::note(RowKind::TIME_BACK, pos, 0) }, out);
        }
        if is_first {
            out.clock(ClockEvent { flags: CLOCK.flags | ClockFlags::FIRST, first: self.now, ..CLOCK });
        }
        if let Some(lost) = record.overrun(self.format.is_big()).filter(|lost| *lost > 0) {
            self.overrun(pos, lost, out);
        }
        self.companion(pos, record, out);
        let group = match record.what {
            EventCode::Code { .. } => Group::Exception,
            EventCode::Profile(_) => Group::Profile,
        };
        let kind = self.kind(group, record.what, out);
        self.attach_text(record, out);
        let mut row = Row {
            pos,
            len: record.len as u32,
            time: self.now,
            flags: RowFlags::TIME_OWN | RowFlags::HAS_ITEM,
            kind,
            item: number(record.what).into(),
            severity: severity(self.format, record.what),
            group: group as u8,
            ..Row::default()
        };
        if let EventCode::Profile(opcode) = record.what
            && self.masked.get(usize::from(opcode >> 3)).is_some_and(|byte| byte >> (opcode & 7) & 1 == 1)
        {
            row.flags |= RowFlags::MASKED;
            self.counts.add(counter::MASKED, 1);
        }
        out.row(row);
    }

    /// Adds a note of what a record reports as lost before it, in the unit of its format.
    #[cold]
    fn overrun(&mut self, pos: u64, lost: u32, out: &mut Output<'_>) {
        let (counter, unit) = match self.format {
            Format::Qnx4 => (counter::OVERRUN_EVENTS, "event"),
            Format::Nto1 { .. } => (counter::OVERRUN_BYTES, "byte"),
        };
        self.counts.add(counter, lost.into());
        let s = if lost == 1 { "" } else { "s" };
        out.attachment_bytes(AttachmentId::TEXT, format!("{lost} {unit}{s} lost by the target: overrun").as_bytes());
        self.note(Row::note(RowKind::DROP, pos, 0), out);
    }

    /// Handles an answer or a drop total of a `nto1` companion.
    fn companion(&mut self, pos: u64, record: &Classic<'_>, out: &mut Output<'_>) {
        let big = self.format.is_big();
        if let Some(words) = record.companion(ANSWER, big) {
            self.dropped_total.get_or_insert(0);
            answer(words, out);
        } else if let Some([total]) = record.companion(DROP_TOTAL, big)
            && has_dropped(&mut self.dropped_total, total, "record", &mut self.counts, out)
        {
            self.note(Row::note(RowKind::DROP, pos, 0), out);
        }
    }

    /// The kind of a record, which is named `MAJOR:minor` on first sight.
    fn kind(&mut self, group: Group, what: EventCode, out: &mut Output<'_>) -> RowKind {
        let number = number(what);
        if let Some(&(kind, _)) = self.kinds.get(&(group as u8, number)) {
            return kind;
        }
        let Some(kind) = classic_kind(self.kinds.len()) else { return classic_rest(group) };
        self.put_name(kind, what, out);
        self.kinds.insert((group as u8, number), (kind, what));
        kind
    }

    fn put_name(&self, kind: RowKind, what: EventCode, out: &mut Output<'_>) {
        let name = |lines: Lines<'_>| {
            let mut name = Vec::new();
            lines.put_major(what, &mut name);
            name.push(b':');
            lines.put_minor(what, &mut name);
            name
        };
        out.name(host_space::KINDS, kind.0.into(), 0, &name(self.lines()));
        let code = name(Lines { table: &FormatTable::default(), ..self.lines() });
        let key = DictEvent { op: DictOp::SET, space: host_space::KINDS, key: kind.0.into(), ..DictEvent::default() };
        out.dict(DictEvent { attr: AttrId::VALUE, val_space: NONE, ..key }, &code);
    }

    /// Attaches the text of a record; in reference style, its whole line.
    fn attach_text(&mut self, record: &Classic<'_>, out: &mut Output<'_>) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let lines = self.lines();
        match record.companion(ANSWER, self.format.is_big()) {
            _ if self.reference => lines.put_line(record, &mut text),
            Some(answer) if lines.entry(record.what).is_none() => {
                text = TextWriter::text_of(|line| text::answer_words(answer, line));
            }
            _ => lines.put_text(record, &mut text),
        }
        out.attachment_bytes(attached::TEXT, &text);
        self.text = text;
    }
}

/// The number of a record's kind: code or opcode.
fn number(what: EventCode) -> u32 {
    match what {
        EventCode::Code { code, .. } => code,
        EventCode::Profile(opcode) => opcode.into(),
    }
}

fn severity(format: Format, what: EventCode) -> Severity {
    let EventCode::Code { severity, .. } = what else { return Severity::NORMAL };
    match format {
        Format::Qnx4 => match severity {
            0 | 1 => Severity::ERROR,
            2 => Severity::WARNING,
            3 => Severity::INFO,
            _ => Severity::NORMAL,
        },
        Format::Nto1 { .. } => {
            // Hardware exceptions weigh one more.
            let weight = (severity & 3) + (severity >> 2 & 1);
            [Severity::NORMAL, Severity::INFO, Severity::WARNING]
                .get(usize::from(weight))
                .copied()
                .unwrap_or(Severity::ERROR)
        }
    }
}
