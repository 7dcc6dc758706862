//! Rows of records: kinds, names, texts and severities, and what was lost before them.

use spytui_formats::Table;
use spytui_plugin_api::{
    AttachmentId, NONE, Output, Row, RowFlags, RowKind, Severity, TextWriter,
    batch::{AttrId, ClockEvent, ClockFlags, DictEvent, DictOp},
    info::space as host_space,
};

use super::receiver::{CLOCK, ClassicLog};
use crate::{
    config::Format,
    layout::{Group, attached, classic_kind, classic_rest, counter},
    receive::companion::answer,
    record::{Classic, What},
    text::{classic::Lines, words},
};

/// Opcode of a companion of `nto1`: records that the target has dropped so far.
const DROP_TOTAL: u8 = 0xFD;
/// The same: the id of a command and its result.
const ANSWER: u8 = 0xFE;

/// Time that goes back by more than this many seconds belongs to another run.
const BACK: u32 = 60;
const NANOS: u64 = 1_000_000_000;

impl ClassicLog {
    pub(super) fn record(&mut self, pos: u64, record: &Classic<'_>, out: &mut Output<'_>) {
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
            What::Code { .. } => Group::Exception,
            What::Profile(_) => Group::Profile,
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

    /// A companion of `nto1` answers, or says how many records the target has dropped so far.
    fn companion(&mut self, pos: u64, record: &Classic<'_>, out: &mut Output<'_>) {
        let big = self.format.is_big();
        if let Some(words) = record.companion(ANSWER, big) {
            self.companion.answered();
            answer(words, out);
        } else if let Some([total]) = record.companion(DROP_TOTAL, big)
            && self.companion.has_dropped(total, "record", &mut self.counts, out)
        {
            self.note(Row::note(RowKind::DROP, pos, 0), out);
        }
    }

    fn is_masked(&self, what: What) -> bool {
        let What::Profile(opcode) = what else { return false };
        self.masked.get(usize::from(opcode >> 3)).is_some_and(|byte| byte >> (opcode & 7) & 1 == 1)
    }

    /// The kind of a record, named `MAJOR:minor` when it is seen first.
    fn kind(&mut self, group: Group, what: What, out: &mut Output<'_>) -> RowKind {
        let number = number(what);
        if let Some(&(kind, _)) = self.kinds.get(&(group as u8, number)) {
            return kind;
        }
        let Some(kind) = classic_kind(self.kinds.len()) else { return classic_rest(group) };
        self.put_name(kind, what, out);
        self.kinds.insert((group as u8, number), (kind, what));
        kind
    }

    pub(super) fn put_name(&self, kind: RowKind, what: What, out: &mut Output<'_>) {
        let name = |lines: Lines<'_>| {
            let mut name = Vec::new();
            lines.put_major(what, &mut name);
            name.push(b':');
            lines.put_minor(what, &mut name);
            name
        };
        out.name(host_space::KINDS, kind.0.into(), 0, &name(self.lines()));
        let code = name(Lines { table: &Table::default(), ..self.lines() });
        let key = DictEvent { op: DictOp::SET, space: host_space::KINDS, key: kind.0.into(), ..DictEvent::default() };
        out.dict(DictEvent { attr: AttrId::VALUE, val_space: NONE, ..key }, &code);
    }

    /// Adds the text of a record; of the reference tool, its whole line.
    fn attach_text(&mut self, record: &Classic<'_>, out: &mut Output<'_>) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let lines = self.lines();
        match record.companion(ANSWER, self.format.is_big()) {
            _ if self.reference => lines.put_line(record, &mut text),
            Some(answer) if lines.entry(record.what).is_none() => {
                text = TextWriter::text_of(|line| words::answer(answer, line));
            }
            _ => lines.put_text(record, &mut text),
        }
        out.attachment_bytes(attached::TEXT, &text);
        self.text = text;
    }
}

/// The number of a record's kind: its code, or its opcode.
fn number(what: What) -> u32 {
    match what {
        What::Code { code, .. } => code,
        What::Profile(opcode) => opcode.into(),
    }
}

/// Severity of a record's row.
fn severity(format: Format, what: What) -> Severity {
    let What::Code { severity, .. } = what else { return Severity::NORMAL };
    match format {
        Format::Qnx4 => match severity {
            0 | 1 => Severity::ERROR,
            2 => Severity::WARNING,
            3 => Severity::INFO,
            _ => Severity::NORMAL,
        },
        Format::Nto1 { .. } => {
            // Those of the hardware weigh one more.
            let weight = (severity & 3) + (severity >> 2 & 1);
            [Severity::NORMAL, Severity::INFO, Severity::WARNING]
                .get(usize::from(weight))
                .copied()
                .unwrap_or(Severity::ERROR)
        }
    }
}
