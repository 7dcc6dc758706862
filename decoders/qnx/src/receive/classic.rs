//! The classic trace logs: rows of records, events without content, the search after damage.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use spytui_formats::{Data, Dialect, Endian, Event, IntWidth, Table, What};
use spytui_plugin_api::{
    AttachmentId, NONE, Output, Row, RowFlags, RowKind, Severity,
    batch::{ClockEvent, DictEvent, attr, clock_flag, dict_op},
    info::{prop, space as host_space},
};

use super::{counts::Counts, ending::Ending};
use crate::{
    config::{Config, Options, Profile},
    frame::{Chain, chain, follows},
    layout::{CLASSIC_KINDS, Group, attached, counter, note},
    record::{Classic, Format, Read},
};

/// Number of plausible records in a row that make a place the start of one.
const CHAIN: usize = 3;
/// The same in a search at the start of a stream, where there is no record before them.
const FIRST_CHAIN: usize = 8;
/// Skipped bytes of a row.
const MOST_SKIPPED: usize = 64 * 1024;
/// Time that goes back by more than this many seconds belongs to another run.
const BACK: u32 = 60;
const NANOS: u64 = 1_000_000_000;

/// Nanoseconds since 1970.
const CLOCK: ClockEvent =
    ClockEvent { at: 0, flags: clock_flag::ZERO, num: 1, den: 1, zero: 0, bits: 64, res_ns: 10, first: 0 };

/// A classic trace log.
#[derive(Clone, Debug)]
pub(crate) struct ClassicLog {
    format: Format,
    dialect: Dialect,
    table: Arc<Table>,
    /// Kernel profile events that are disabled, by opcode.
    masked: [u8; 32],
    reference: bool,
    /// Kinds that were named so far, by what they are called after, each with its code.
    kinds: FxHashMap<(u8, u32), (RowKind, What)>,
    counts: Counts,
    /// Second of the last record.
    last: Option<u32>,
    now: u64,
    /// So many bytes of a search begin no record; whether a row of it precedes them.
    search: Option<(usize, bool)>,
    text: Vec<u8>,
}

impl ClassicLog {
    pub(crate) fn new(options: &Options, format: Format, pos: u64, out: &mut Output<'_>) -> ClassicLog {
        let (profile, dialect, big) = match format {
            Format::Qnx4 => (Profile::Qnx4, Dialect::Qnx4, false),
            Format::Nto1 { big, .. } => (Profile::Nto1, Dialect::Nto1, big),
        };
        let exception = options.exception;
        out.cfg(0, &Config { reference: options.reference, big, profile, exception }.blob());
        out.clock(CLOCK);
        out.prop(prop::SYSTEM, 0, profile.name().as_bytes());
        let log = ClassicLog {
            format,
            dialect,
            table: options.formats.clone(),
            masked: options.masked,
            reference: options.reference,
            kinds: FxHashMap::default(),
            counts: Counts::default(),
            last: None,
            now: 0,
            search: None,
            text: Vec::new(),
        };
        log.tell_faults(options, pos, out);
        log
    }

    fn tell_faults(&self, options: &Options, pos: u64, out: &mut Output<'_>) {
        for fault in options.faults.iter() {
            out.attachment_bytes(AttachmentId::TEXT, fault.as_bytes());
            self.note(Row::note(RowKind::HINT, pos, 0), out);
        }
    }

    /// Takes the formats of these options.
    pub(crate) fn change_formats(&mut self, options: &Options, pos: u64, out: &mut Output<'_>) {
        self.table = options.formats.clone();
        for (kind, what) in self.kinds.values() {
            self.put_name(*kind, *what, out);
        }
        self.tell_faults(options, pos, out);
    }

    /// Makes rows of the first bytes; returns their number.
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
        if ending != Ending::No && used < bytes.len() {
            let left = bytes.len() - used;
            self.counts.add(counter::TAIL_BYTES, left as u64);
            self.note(Row::skipped(ending.left_over(), pos + used as u64, left), out);
            used = bytes.len();
        }
        if ending != Ending::No {
            self.search = None;
        }
        self.counts.tell(out);
        used
    }

    /// Takes what the bytes begin with; 0 = it is not complete.
    fn next(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> usize {
        match self.format.read(bytes) {
            Read::Record(record) => match self.fits(&record, bytes, ending) {
                Chain::Enough => {
                    self.record(pos, &record, out);
                    record.len
                }
                Chain::Open => 0,
                Chain::TooFew => self.begin_search(pos, bytes, ending, out),
            },
            Read::Null => {
                self.counts.add(counter::NULL_EVENTS, 1);
                self.note(Row::note(note::NULL, pos, 2), out);
                2
            }
            Read::Incomplete if ending == Ending::No || self.is_cut(bytes) => 0,
            _ => self.begin_search(pos, bytes, ending, out),
        }
    }

    fn begin_search(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> usize {
        self.search(pos, bytes, (0, false), ending, out)
    }

    /// Whether a record that is not complete may be the last one, cut by the end of the stream.
    fn is_cut(&self, bytes: &[u8]) -> bool {
        (1..bytes.len())
            .all(|at| chain(self.format, bytes.get(at..).unwrap_or(&[]), CHAIN, self.last, true) != Chain::Enough)
    }

    /// Whether a record follows the last one. If its time is before that, and the records after it agree, another run
    /// begins with it.
    fn fits(&self, record: &Classic<'_>, bytes: &[u8], ending: Ending) -> Chain {
        let ends = ending != Ending::No;
        match self.last {
            None => chain(self.format, bytes, CHAIN, None, ends),
            Some(_) if follows(record, self.last) => Chain::Enough,
            Some(last) if record.seconds < last => self.another_run(record.len, bytes, ends),
            Some(_) => Chain::TooFew,
        }
    }

    /// Whether a record whose time is before that of the last one begins another run: those after it agree with it, and
    /// the next one does not go on from the last one, as behind a damaged time.
    fn another_run(&self, len: usize, bytes: &[u8], ends: bool) -> Chain {
        let next = bytes.get(len..).unwrap_or(&[]);
        match chain(self.format, bytes, CHAIN, None, ends) {
            Chain::Enough if chain(self.format, next, 1, self.last, ends) == Chain::Enough => Chain::TooFew,
            agrees => agrees,
        }
    }

    /// Number of records in a row that a search looks for.
    fn chain(&self) -> usize {
        if self.last.is_some() { CHAIN } else { FIRST_CHAIN }
    }

    /// Looks for the next record, byte by byte; returns the number of bytes that rows were made of.
    fn search(
        &mut self,
        pos: u64,
        bytes: &[u8],
        (tried, go_on): (usize, bool),
        ending: Ending,
        out: &mut Output<'_>,
    ) -> usize {
        let ends = ending != Ending::No;
        for at in tried.max(1)..bytes.len() {
            match chain(self.format, bytes.get(at..).unwrap_or(&[]), self.chain(), self.last, ends) {
                Chain::Enough => {
                    self.search = None;
                    self.skipped(pos, at, go_on, out);
                    return at;
                }
                Chain::Open if !ends => {
                    self.search = Some((at, go_on));
                    return 0;
                }
                _ if at + 1 >= MOST_SKIPPED => {
                    self.search = Some((0, true));
                    self.skipped(pos, at, go_on, out);
                    return at;
                }
                _ => {}
            }
        }
        if ends {
            self.search = None;
            self.skipped(pos, bytes.len(), go_on, out);
            return bytes.len();
        }
        self.search = Some((bytes.len().max(1), go_on));
        0
    }

    fn skipped(&self, pos: u64, len: usize, go_on: bool, out: &mut Output<'_>) {
        let kind = if go_on { note::SKIPPED } else { RowKind::RESYNC };
        self.note(Row::skipped(kind, pos, len), out);
    }

    fn note(&self, note: Row, out: &mut Output<'_>) {
        out.row(Row { time: self.now, core: NONE, ..note });
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
        self.now = u64::from(record.seconds) * NANOS + u64::from(record.nanos);
        if is_first {
            out.clock(ClockEvent { flags: CLOCK.flags | clock_flag::FIRST, first: self.now, ..CLOCK });
        }
        if let Some(lost) = record.overrun(self.format.is_big()).filter(|lost| *lost > 0) {
            self.overrun(pos, lost, out);
        }
        let group = match record.what {
            What::Code { .. } => Group::Exception,
            What::Profile(_) => Group::Profile,
        };
        let kind = self.kind(group, record.what, out);
        self.attach_text(record, out);
        let mut row = Row {
            pos,
            len: record.len as u32,
            time: self.now,
            flags: RowFlags::TIME_OWN,
            kind,
            severity: severity(self.dialect, record.what),
            group: group as u8,
            ..Row::default()
        };
        if self.is_masked(record.what) {
            row.flags |= RowFlags::MASKED;
            self.counts.add(counter::MASKED, 1);
        }
        out.row(row);
    }

    /// The note of what a record says was lost before it, in the unit of its format.
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

    fn is_masked(&self, what: What) -> bool {
        let What::Profile(opcode) = what else { return false };
        self.masked.get(usize::from(opcode >> 3)).is_some_and(|byte| byte >> (opcode & 7) & 1 == 1)
    }

    /// The kind of a record, named `MAJOR:minor` when it is seen first.
    fn kind(&mut self, group: Group, what: What, out: &mut Output<'_>) -> RowKind {
        let number = match what {
            What::Code { code, .. } => code,
            What::Profile(opcode) => opcode.into(),
        };
        if let Some(&(kind, _)) = self.kinds.get(&(group as u8, number)) {
            return kind;
        }
        let Some(kind) = u16::try_from(self.kinds.len()).ok().and_then(|count| CLASSIC_KINDS.kind(count)) else {
            return CLASSIC_KINDS.rest(group);
        };
        self.put_name(kind, what, out);
        self.kinds.insert((group as u8, number), (kind, what));
        kind
    }

    fn put_name(&self, kind: RowKind, what: What, out: &mut Output<'_>) {
        let mut name = Vec::new();
        self.table.put_major(self.dialect, what, &mut name);
        name.push(b':');
        self.table.put_minor(self.dialect, what, &mut name);
        out.name(host_space::KINDS, kind.0.into(), 0, &name);
        let mut code = Vec::new();
        let bare = Table::default();
        bare.put_major(self.dialect, what, &mut code);
        code.push(b':');
        bare.put_minor(self.dialect, what, &mut code);
        let key = DictEvent { op: dict_op::SET, space: host_space::KINDS, key: kind.0.into(), ..DictEvent::default() };
        out.dict(DictEvent { attr: attr::VALUE, val_space: NONE, ..key }, &code);
    }

    /// Adds the text of a record; of the reference tool, its whole line.
    fn attach_text(&mut self, record: &Classic<'_>, out: &mut Output<'_>) {
        let bytes = record.data();
        let data = Data {
            endian: if self.format.is_big() { Endian::Big } else { Endian::Little },
            int_width: if record.small { IntWidth::Two } else { IntWidth::Four },
            ..Data::new(&bytes)
        };
        self.text.clear();
        if self.reference {
            let event = Event {
                seconds: record.seconds.into(),
                nanos: record.nanos,
                what: record.what,
                opcode: record.opcode.map(|opcode| opcode.0),
                dat20: record.opcode.map(|opcode| opcode.1),
            };
            self.table.put_line(self.dialect, &event, &data, &mut self.text);
        } else {
            self.table.put_text(self.dialect, record.what, &data, &mut self.text);
        }
        out.attachment_bytes(attached::TEXT, &self.text);
    }
}

/// Severity of a record's row.
fn severity(dialect: Dialect, what: What) -> Severity {
    let What::Code { severity, .. } = what else { return Severity::NORMAL };
    match dialect {
        Dialect::Qnx4 => match severity {
            0 | 1 => Severity::ERROR,
            2 => Severity::WARNING,
            3 => Severity::INFO,
            _ => Severity::NORMAL,
        },
        Dialect::Nto1 => {
            // Those of the hardware weigh one more.
            let weight = (severity & 3) + (severity >> 2 & 1);
            [Severity::NORMAL, Severity::INFO, Severity::WARNING]
                .get(usize::from(weight))
                .copied()
                .unwrap_or(Severity::ERROR)
        }
    }
}
