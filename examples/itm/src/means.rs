//! Turns packets into rows and activities.

use spytui_plugin_api::{
    Activity, AttachmentId, ClockEvent, LossCause, Output, Row, RowFlags, RowKind, Severity, Verb, batch::lost,
};

use crate::{
    describe::{COMPARATORS, EXCEPTIONS, OVERFLOWS, PORTS, exception_name, exception_severity, group, kind},
    hold::{Held, What},
    packet::{Action, Packet},
};

/// State that rows depend on besides their packets.
#[derive(Clone, Debug)]
pub struct Means {
    core: u16,
    clock: ClockEvent,
    /// Names of ports; taken when the first row reports them.
    ports: Vec<(u8, String)>,
    has_rows: bool,
    overflows: u64,
    /// Bit mask of the exceptions already named.
    named: [u64; 8],
    /// Active exceptions, innermost last.
    active: Vec<u64>,
}

/// Kind, object and activity of a record.
type Record = (RowKind, Option<u64>, Option<Activity>);

impl Means {
    /// State for a core whose clock has `rate` Hz before the prescaler, 0 = unknown.
    pub fn new(core: u16, rate: u64, prescaler: u64, ports: Vec<(u8, String)>) -> Means {
        let num = if rate == 0 { 0 } else { prescaler.saturating_mul(1_000_000_000) };
        let clock = ClockEvent { num, den: rate.max(1), ..ClockEvent::default() };
        Means { core, clock, ports, has_rows: false, overflows: 0, named: [0; 8], active: Vec::new() }
    }

    /// Adds the row of a held packet or line.
    pub fn row(&mut self, held: &Held, out: &mut Output<'_>) {
        let len = usize::try_from(held.len).unwrap_or(usize::MAX);
        let time = held.time.unwrap_or_default();
        let own = if held.time.is_some() { RowFlags::TIME_OWN } else { RowFlags::empty() };
        match held.what {
            What::Skipped(kind) => self.note(Row { time, ..Row::skipped(kind, held.pos, len) }, out),
            What::Packet(Packet::Overflow, _) => {
                self.begin(out);
                lost(self.core, out);
                self.overflows += 1;
                out.count(OVERFLOWS, self.overflows);
                self.note(Row { time, flags: own, ..Row::note(RowKind::GAP, held.pos, len) }, out);
            }
            What::Line(port) => {
                let activity = Activity::new(Verb::INSTANT).sub(PORTS, port.into());
                self.record((kind::TEXT, Some(port.into()), Some(activity)), held, own, out);
            }
            What::Packet(packet, page) => self.record(record(packet, page), held, own, out),
        }
    }

    /// Adds a note.
    pub fn note(&mut self, row: Row, out: &mut Output<'_>) {
        self.begin(out);
        out.row(Row { core: self.core, ..row });
    }

    fn record(&mut self, (kind, object, activity): Record, held: &Held, own: RowFlags, out: &mut Output<'_>) {
        self.begin(out);
        let mut flags = own;
        flags.set(RowFlags::HAS_OBJECT, object.is_some());
        flags.set(RowFlags::UNCHANGED, matches!(kind, kind::SYNC | kind::TIME));
        if let Some(number) = object.filter(|_| matches!(kind, kind::ENTER | kind::EXIT | kind::RETURN)) {
            self.name(number, out);
            self.nests(kind, number, out);
        }
        if let Some(activity) = activity.filter(|_| out.wants_activities()) {
            out.activity(Activity { core: self.core, ..activity });
        }
        let severity = match (kind, object) {
            (kind::ENTER, Some(number)) => exception_severity(number),
            _ => Severity::NORMAL,
        };
        out.row(Row {
            pos: held.pos,
            len: u32::try_from(held.len).unwrap_or(u32::MAX),
            time: held.time.unwrap_or_default(),
            obj: object.unwrap_or_default(),
            flags,
            kind,
            core: self.core,
            severity,
            group: group(kind),
            ..Row::default()
        });
    }

    /// Tracks nested exceptions. Leaving one, or returning to it or to thread mode (number 0), ends all exceptions
    /// nested inside, even without exit packets.
    fn nests(&mut self, kind: RowKind, number: u64, out: &mut Output<'_>) {
        let at = self.active.iter().position(|active| *active == number);
        let inner = match (kind, at) {
            (kind::ENTER, None) => return self.active.push(number),
            (kind::EXIT | kind::RETURN, Some(at)) => at + 1,
            (kind::RETURN, None) if number == 0 => 0,
            _ => return,
        };
        let wants = out.wants_activities();
        for ended in self.active.drain(inner..).rev().filter(|_| wants) {
            out.activity(Activity { core: self.core, ..Activity::new(Verb::ISR_OUT).sub(EXCEPTIONS, ended) });
        }
        if kind == kind::EXIT {
            self.active.pop();
        }
    }

    /// Reports clock and port names before the first row.
    fn begin(&mut self, out: &mut Output<'_>) {
        if std::mem::replace(&mut self.has_rows, true) {
            return;
        }
        out.clock(self.clock);
        out.count(OVERFLOWS, 0);
        for (port, name) in std::mem::take(&mut self.ports) {
            out.built_in_name(PORTS, port.into(), 0, name.as_bytes());
        }
    }

    /// Names an exception at its first occurrence.
    fn name(&mut self, number: u64, out: &mut Output<'_>) {
        let Some(bits) = usize::try_from(number / 64).ok().and_then(|at| self.named.get_mut(at)) else { return };
        let bit = 1 << (number % 64);
        if *bits & bit == 0 {
            *bits |= bit;
            let name = exception_name(number as u16);
            out.built_in_name(EXCEPTIONS, number, 0, name.as_bytes());
        }
    }
}

fn lost(core: u16, out: &mut Output<'_>) {
    if out.wants_activities() {
        out.activity(Activity { core, ..Activity::new(Verb::LOST).val(1) });
    }
    out.attachment(AttachmentId::LOST, 1, lost::AT_LEAST);
    out.attachment(AttachmentId::CAUSE, LossCause::TARGET.0, 0);
}

fn record(packet: Packet, page: u8) -> Record {
    let value = |space, key, value: u32| Some(Activity::new(Verb::VALUE).sub(space, key).val(value.into()));
    match packet {
        Packet::Software { port, value: n, .. } => {
            let port = u64::from(page) * 32 + u64::from(port);
            (kind::VALUE, Some(port), value(PORTS, port, n))
        }
        Packet::Exception { number, action } => {
            let number = u64::from(number);
            let activity = |verb| Some(Activity::new(verb).sub(EXCEPTIONS, number));
            match action {
                Action::Entered => (kind::ENTER, Some(number), activity(Verb::ISR_IN)),
                Action::Exited => (kind::EXIT, Some(number), activity(Verb::ISR_OUT)),
                Action::Returned => (kind::RETURN, Some(number), None),
            }
        }
        Packet::Data { comparator, is_write, value: n, .. } => {
            let comparator = comparator.into();
            let kind = if is_write { kind::WRITE } else { kind::READ };
            (kind, Some(comparator), value(COMPARATORS, comparator, n))
        }
        Packet::DataPc { comparator, .. } => (kind::DATA_PC, Some(comparator.into()), None),
        Packet::DataAddress { comparator, .. } => (kind::DATA_ADDRESS, Some(comparator.into()), None),
        Packet::PcSample(Some(_)) => (kind::PC, None, None),
        Packet::PcSample(None) => (kind::SLEEP, None, None),
        Packet::Events(_) => (kind::EVENTS, None, None),
        Packet::Local { .. } => (kind::TIME, None, None),
        Packet::GlobalLow { .. } | Packet::GlobalHigh(_) => (kind::GLOBAL, None, None),
        Packet::Page(_) | Packet::Extension(_) => (kind::EXTENSION, None, None),
        // Overflows become notes.
        Packet::Sync | Packet::Overflow => (kind::SYNC, None, None),
    }
}
