//! The layout of every event: a single table (`table`), from which decoding, texts, fields, activities and
//! the description are derived.

mod table;

pub(crate) use table::Codes;

use spytui_plugin_api::{RowKind, TaskState};

use table::{CALLS, EVENTS, KernelCall};

/// Classes as printed, which are the groups of rows; and two groups for the classic profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Group {
    Control = 1,
    Call = 2,
    Exit = 3,
    Interrupted = 4,
    IntEnter = 5,
    IntExit = 6,
    HandlerEnter = 7,
    HandlerExit = 8,
    Int = 9,
    Process = 10,
    Thread = 11,
    VThread = 12,
    System = 13,
    User = 14,
    Comm = 15,
    Quip = 16,
    Sec = 17,
    Qvm = 18,
    Pmu = 19,
    Exception = 20,
    Profile = 21,
}

impl Group {
    /// All groups: short word in lists, printed class, title.
    pub(crate) const ALL: [(Group, &'static str, &'static str, &'static str); 21] = [
        (Group::Control, "CTRL", "CONTROL", "trace buffers and time"),
        (Group::Call, "CALL", "KER_CALL", "kernel calls"),
        (Group::Exit, "CALL", "KER_EXIT", "returns from kernel calls"),
        (Group::Interrupted, "CALL", "INT_CALL", "interrupted kernel calls"),
        (Group::IntEnter, "INT", "INT_ENTR", "interrupts entered"),
        (Group::IntExit, "INT", "INT_EXIT", "interrupts left"),
        (Group::HandlerEnter, "INT", "INT_HANDLER_ENTR", "interrupt handlers entered"),
        (Group::HandlerExit, "INT", "INT_HANDLER_EXIT", "interrupt handlers left"),
        (Group::Int, "INT", "INT", "other interrupt events"),
        (Group::Process, "PROC", "PROCESS", "processes"),
        (Group::Thread, "THR", "THREAD", "threads"),
        (Group::VThread, "VTHR", "VTHREAD", "virtual threads"),
        (Group::System, "SYS", "SYSTEM", "system"),
        (Group::User, "USER", "USER", "user events"),
        (Group::Comm, "COMM", "COMM", "messages, pulses and signals"),
        (Group::Quip, "QUIP", "QUIP", "QUIP"),
        (Group::Sec, "SEC", "SEC", "security"),
        (Group::Qvm, "QVM", "QVM", "hypervisor"),
        (Group::Pmu, "PMU", "PMU", "performance counters"),
        (Group::Exception, "exc", "exc", "exceptions"),
        (Group::Profile, "prof", "prof", "kernel profile"),
    ];

    pub(crate) fn class(self) -> &'static str {
        Group::ALL.iter().find(|group| group.0 == self).map_or("", |group| group.2)
    }

    /// Whether its kinds are the class itself, because events differ only in the interrupt.
    pub(crate) const fn is_interrupt(self) -> bool {
        matches!(self, Group::IntEnter | Group::IntExit | Group::HandlerEnter | Group::HandlerExit)
    }

    pub(crate) const fn is_of_running(self) -> bool {
        use Group::{Call, Comm, Exit, Interrupted, Pmu, Quip, Qvm, Sec, System, User};
        matches!(self, Call | Exit | Interrupted | Comm | User | System | Quip | Sec | Qvm | Pmu)
    }

    pub(crate) const fn is_call(self) -> bool {
        matches!(self, Group::Call | Group::Exit | Group::Interrupted)
    }
}

/// An event, or all events of a class that differ only in their number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Its name; empty = use its number.
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    pub(crate) event: u16,
    /// The words of its payload; empty = unknown.
    pub(crate) fields: &'static [Field],
    pub(crate) role: Role,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Releases(u8);

impl Releases {
    const fn has(self, release: u8) -> bool {
        release >= 6 && self.0 >> (release - 6) & 1 == 1
    }
}

const R6: Releases = Releases(1);
const R7: Releases = Releases(2);
const R8: Releases = Releases(4);
const R67: Releases = Releases(3);
const R78: Releases = Releases(6);
const ALL: Releases = Releases(7);
const NO_RELEASE: Releases = Releases(0);

/// First kind of the table: three for each kernel call, then the other events.
const FIRST: u16 = 0x100;
const EVENT_KINDS: u16 = FIRST + 3 * CALLS.len() as u16;
const LAYOUTS: usize = 3 * CALLS.len() + EVENTS.len();
/// Kernel calls missing in the table, by number.
const UNKNOWN_CALLS: u16 = 0x400;
const UNKNOWN_EXITS: u16 = UNKNOWN_CALLS + CALL_NUMBERS;
const UNKNOWN_INTERRUPTED: u16 = UNKNOWN_EXITS + CALL_NUMBERS;
pub(crate) const CALL_NUMBERS: u16 = 128;
/// Added to a kind if its words contain 64-bit types.
const WIDE64: u16 = 0x700;
/// Classes whose events only have numbers.
const NUMBERED: u16 = 0x1000;

/// Kinds of the classic profiles: two for all records of a group, for when there are too many, and kinds named when
/// first seen.
const EXCEPTIONS: u16 = 0x3000;
const PROFILED: u16 = 0x3001;
const FIRST_CLASSIC: u16 = 0x4000;
const MOST_CLASSIC: usize = 0x8000;

/// The kind of a classic profile with this index.
pub(crate) fn classic_kind(number: usize) -> Option<RowKind> {
    (number < MOST_CLASSIC).then(|| RowKind(FIRST_CLASSIC + number as u16))
}

/// The kind for all other records of a group.
pub(crate) fn classic_rest(group: Group) -> RowKind {
    RowKind(if group == Group::Profile { PROFILED } else { EXCEPTIONS })
}

/// The bit of an event number that marks words with 64-bit types.
pub(crate) const BIT64: u16 = 0x200;

static NUMBERED_LAYOUTS: [Layout; 5] = [
    numbered(Group::User, Role::User),
    numbered(Group::Quip, Role::Plain),
    numbered(Group::Sec, Role::Plain),
    numbered(Group::Qvm, Role::Plain),
    numbered(Group::Pmu, Role::Plain),
];

const fn numbered(group: Group, role: Role) -> Layout {
    Layout { name: "", group, event: 0, fields: &[], role }
}

static UNKNOWN: [Layout; 3] =
    [numbered(Group::Call, Role::Enter), numbered(Group::Exit, Role::Leave), numbered(Group::Interrupted, Role::Plain)];

const fn of_call(call: &KernelCall) -> [Layout; 3] {
    let KernelCall { number, name, exit_name, entry, exit, .. } = *call;
    [
        Layout { name, group: Group::Call, event: number, fields: entry, role: Role::Enter },
        Layout { name: exit_name, group: Group::Exit, event: CALL_NUMBERS + number, fields: exit, role: Role::Leave },
        Layout { name, group: Group::Interrupted, event: 2 * CALL_NUMBERS + number, fields: &[], role: Role::Plain },
    ]
}

/// The layouts of all kinds below the unknown ones.
static TABLE: [Layout; LAYOUTS] = {
    let mut table = [numbered(Group::User, Role::Plain); LAYOUTS];
    let mut i = 0;
    while i < CALLS.len() {
        [table[3 * i], table[3 * i + 1], table[3 * i + 2]] = of_call(&CALLS[i]);
        i += 1;
    }
    let mut i = 0;
    while i < EVENTS.len() {
        table[3 * CALLS.len() + i] = EVENTS[i].layout;
        i += 1;
    }
    table
};

/// A kind of rows of the instrumented kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelKind(pub(crate) u16);

impl KernelKind {
    /// Its layout, without 64-bit types.
    #[inline]
    pub(crate) fn layout(self) -> &'static Layout {
        let plain = if self.is_64() { self.0 - WIDE64 } else { self.0 };
        match TABLE.get(usize::from(plain.wrapping_sub(FIRST))) {
            Some(layout) => layout,
            None => rare(plain),
        }
    }

    #[inline]
    pub(crate) fn is_64(self) -> bool {
        (FIRST + WIDE64..NUMBERED).contains(&self.0)
    }

    /// The words of its payload; empty = unknown.
    #[inline]
    pub(crate) fn fields(self) -> &'static [Field] {
        let layout = self.layout();
        if !self.is_64() {
            return layout.fields;
        }
        let wide = table::WIDE.iter().find(|wide| wide.name == layout.name && wide.group == layout.group);
        wide.map_or(&[], |wide| wide.fields)
    }

    /// The kind of a row, if it is from the instrumented kernel.
    pub(crate) fn of(kind: RowKind) -> Option<KernelKind> {
        let known = FIRST..NUMBERED + NUMBERED_LAYOUTS.len() as u16 * 1024;
        known.contains(&kind.0).then_some(KernelKind(kind.0))
    }
}

#[cold]
fn rare(kind: u16) -> &'static Layout {
    let unknown = kind.wrapping_sub(UNKNOWN_CALLS) / CALL_NUMBERS;
    let by_number = kind.wrapping_sub(NUMBERED) / 1024;
    let found = UNKNOWN.get(usize::from(unknown)).or_else(|| NUMBERED_LAYOUTS.get(usize::from(by_number)));
    found.unwrap_or(&NUMBERED_LAYOUTS[0])
}

/// A kind as the description declares it.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) first: u16,
    pub(crate) last: u16,
    pub(crate) name: String,
    pub(crate) layout: &'static Layout,
    pub(crate) wire: u16,
}

pub(crate) fn declared() -> Vec<Declared> {
    let one = |kind: u16, name: String, wire: u16| Declared {
        first: kind,
        last: kind,
        name,
        layout: KernelKind(kind).layout(),
        wire,
    };
    let table = (FIRST..).zip(&TABLE).map(|(kind, layout)| one(kind, layout.name.to_owned(), layout.event));
    let mut all: Vec<Declared> = table.collect();
    all.extend(
        (FIRST + WIDE64..)
            .zip(&TABLE)
            .filter(|(_, layout)| may_be_64(layout))
            .map(|(kind, layout)| one(kind, format!("{}|64", layout.name), layout.event | BIT64)),
    );
    for number in (0..CALL_NUMBERS).filter(|&number| (6..=8).any(|release| !table::knows(number, release))) {
        for (phase, first) in (0..).zip([UNKNOWN_CALLS, UNKNOWN_EXITS, UNKNOWN_INTERRUPTED]) {
            let wire = phase * CALL_NUMBERS + number;
            all.push(one(first + number, format!("?{number}"), wire));
            if phase < 2 {
                all.push(one(first + WIDE64 + number, format!("?{number}|64"), wire | BIT64));
            }
        }
    }
    all.extend((0..).zip(&NUMBERED_LAYOUTS).map(|(i, layout)| {
        let first = NUMBERED + 1024 * i;
        Declared { first, last: first + 1023, name: String::new(), layout, wire: 0 }
    }));
    all
}

/// The kernel calls of a release: number and name.
pub(crate) fn calls(release: u8) -> impl Iterator<Item = (u16, &'static str)> {
    CALLS.iter().filter(move |call| call.releases.has(release)).map(|call| (call.number, call.name))
}

pub(crate) fn user_event(number: u16) -> RowKind {
    RowKind(NUMBERED + number % 1024)
}

fn may_be_64(layout: &Layout) -> bool {
    match layout.group {
        Group::Call | Group::Exit => true,
        Group::System => EVENTS.iter().any(|event| event.layout.name == layout.name && event.wide64.0 != 0),
        _ => false,
    }
}

/// Type of a field, which determines its number of words and how it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    D32,
    U32,
    /// A process id: printed signed, but an unsigned value.
    Pid,
    X32,
    /// Hexadecimal, eight packed bytes.
    X64,
    Ptr32,
    /// The first bytes of a message: three words, or one in fast mode.
    Message,
    /// The remaining bytes, up to a NUL.
    Text,
    /// Signed, low word first.
    Long,
    /// Hexadecimal, low word first.
    LongHex,
}

/// When a field is sent, and where it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// In fast and wide mode.
    Always,
    Wide,
    /// In wide mode, and only shown in reference text.
    Quiet,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: Ty,
    pub(crate) sent: Sent,
}

/// The name of meaningless words.
const NOTHING: &str = "empty";

impl Field {
    const fn wide(self) -> Field {
        Field { sent: Sent::Wide, ..self }
    }

    /// Whether it is a value of the record, not just a word in reference text.
    pub(crate) fn is_shown(&self) -> bool {
        self.sent != Sent::Quiet && self.name != NOTHING
    }
}

/// A constructor of fields for each type.
macro_rules! field_of {
    ($($name:ident: $ty:ident),*) => {$(
        const fn $name(name: &'static str) -> Field {
            Field { name, ty: Ty::$ty, sent: Sent::Always }
        }
    )*};
}

field_of! { d: D32, u: U32, pid: Pid, x: X32, xl: X64, p: Ptr32, b: Message, t: Text, long: Long, long_hex: LongHex }

const EMPTY: Field = x(NOTHING);
const WIDE_EMPTY: Field = d(NOTHING).wide();
/// Not among the values, like the words after it.
const SIGNAL_ERRNO: Field = Field { sent: Sent::Quiet, ..d("si_errno") };

const fn text_only(name: &'static str) -> Field {
    Field { sent: Sent::Quiet, ..x(name) }
}

/// Effect of an event, which determines its activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// The upper half of a CPU's time.
    Time,
    Buffer,
    Dropped,
    Enter,
    /// It returns.
    Leave,
    State(TaskState),
    ThreadCreate,
    ThreadDestroy,
    ThreadName,
    ProcessCreate,
    ProcessDestroy,
    IsrIn,
    /// A process's interrupt handler runs.
    HandlerIn,
    IsrOut,
    /// A message, reply, pulse or signal.
    Send,
    Receive,
    Reply,
    Pulse,
    ReceivePulse,
    Signal,
    /// A system log entry, whose severity becomes the row's.
    Slog,
    User,
}

impl Layout {
    /// The short word, or else its name.
    pub(crate) fn tag(&self) -> String {
        let tag = match (self.group, self.name) {
            (Group::Thread, name) => return name.trim_start_matches("TH").to_lowercase(),
            (Group::VThread, name) => return name.trim_start_matches("VTH").to_lowercase(),
            (Group::IntEnter, _) | (Group::Int, "ENTRY_64") => "enter",
            (Group::IntExit, _) => "exit",
            (Group::HandlerEnter, _) | (Group::Int, "HANDLER_ENTRY_64") => "handler",
            (Group::HandlerExit, _) => "handled",
            (Group::Int, "DELIVER") => "deliver",
            (Group::Process, "PROCCREATE" | "PROCCREATE_NAME") => "create",
            (Group::Process, "PROCDESTROY" | "PROCDESTROY_NAME") => "destroy",
            (Group::Process, "PROCTHREAD_NAME") => "name",
            (Group::Comm, "SND_MESSAGE") => "SND",
            (Group::Comm, "REC_MESSAGE") => "REC",
            (Group::Comm, "REPLY_MESSAGE") => "REPLY",
            (Group::Comm, "MSG_ERROR") => "ERROR",
            _ => "",
        };
        tag.to_owned()
    }
}

pub(crate) mod space {
    use spytui_plugin_api::info::space::OWN;

    pub(crate) const PROCESSES: u16 = OWN;
    /// Threads by process and thread id.
    pub(crate) const THREADS: u16 = OWN + 1;
    pub(crate) const INTERRUPTS: u16 = OWN + 2;
    pub(crate) const USER_EVENTS: u16 = OWN + 3;

    pub(crate) const CALLS: u16 = OWN + 4;

    /// Channels by process and id.
    pub(crate) const CHANNELS: u16 = OWN + 5;

    #[inline]
    pub(crate) fn thread(pid: u32, tid: u32) -> u64 {
        u64::from(pid) << 32 | u64::from(tid)
    }
}

pub(crate) mod note {
    use spytui_plugin_api::RowKind;

    /// A buffer arrived with fewer events than announced.
    pub(crate) const SHORT_BUFFER: RowKind = RowKind::FIRST_OWN_LOSS;
    /// The system page after a header.
    pub(crate) const SYSTEM_PAGE: RowKind = RowKind(RowKind::FIRST_OWN_NOTE.0 + 1);
    /// A further part of a long run of skipped bytes.
    pub(crate) const SKIPPED: RowKind = RowKind(RowKind::FIRST_OWN_NOTE.0 + 2);
    pub(crate) const NULL: RowKind = RowKind(RowKind::FIRST_OWN_NOTE.0 + 3);
}

pub(crate) mod attached {
    use spytui_plugin_api::AttachmentId;

    /// Duration of a kernel call, in nanoseconds.
    pub(crate) const TOOK: AttachmentId = AttachmentId(64);
    /// Number of events missing in a buffer, and the buffer's number.
    pub(crate) const MISSING: AttachmentId = AttachmentId(65);
    /// The text of a record according to a format file.
    pub(crate) const TEXT: AttachmentId = AttachmentId(66);
    /// The bit next to a buffer's number that means that the host lost the missing events.
    pub(crate) const LOST_HERE: u32 = 32;
    /// Maximum number of events missing in a buffer cut off by the end of the link, and the buffer's number.
    pub(crate) const AT_MOST: AttachmentId = AttachmentId(67);
    /// The word in which the kernel reports dropped events.
    pub(crate) const DROPPED: AttachmentId = AttachmentId(68);
}

/// Name of the epoch after a restart of the logger: the target kept running.
pub(crate) const NEW_RUN: &[u8] = b"new trace run";

pub(crate) mod counter {
    use spytui_plugin_api::CounterId;

    pub(crate) const BUFFERS: CounterId = CounterId(64);
    pub(crate) const LOST_BUFFERS: CounterId = CounterId(65);
    pub(crate) const SHORT_BUFFERS: CounterId = CounterId(66);
    pub(crate) const MISSING_EVENTS: CounterId = CounterId(67);
    pub(crate) const UNBALANCED_CONT: CounterId = CounterId(68);
    pub(crate) const UNBALANCED_END: CounterId = CounterId(69);
    pub(crate) const UNTERMINATED_BEGIN: CounterId = CounterId(70);
    pub(crate) const DROP_EVENTS: CounterId = CounterId(71);
    pub(crate) const TAIL_BYTES: CounterId = CounterId(72);
    pub(crate) const NULL_EVENTS: CounterId = CounterId(73);
    pub(crate) const MASKED: CounterId = CounterId(74);
    pub(crate) const OVERRUN_EVENTS: CounterId = CounterId(75);
    pub(crate) const OVERRUN_BYTES: CounterId = CounterId(76);

    /// Counters of every stream of the instrumented kernel.
    pub(crate) const OF_BUFFERS: [CounterId; 6] =
        [LOST_BUFFERS, SHORT_BUFFERS, MISSING_EVENTS, UNBALANCED_CONT, UNBALANCED_END, UNTERMINATED_BEGIN];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_declared_once() {
        let mut declared = declared();
        declared.sort_by_key(|declared| declared.first);
        assert!(declared.windows(2).all(|pair| pair[0].last < pair[1].first));
        assert!(LAYOUTS < usize::from(UNKNOWN_CALLS - FIRST));
        for release in 6..=8 {
            for code in 0..1 << 14 {
                let kind = Codes::of(release).kind(code);
                let known = declared.iter().any(|d| (d.first..=d.last).contains(&kind));
                assert!(kind == 0 || known, "release {release}, code {code:#x}, kind {kind:#x}");
            }
        }
    }

    #[test]
    fn releases_have_their_own_events() {
        let name = |release, class: u32, number: u32| {
            let kind = KernelKind(Codes::of(release).kind(class << 10 | number));
            (kind.0 != 0).then(|| (kind.layout().name, kind.is_64()))
        };
        assert_eq!([6, 7, 8].map(|release| name(release, 2, 3).unwrap().0), ["SPARE1", "CACHE_FLUSH", "CACHE_CONTROL"]);
        assert_eq!([6, 7, 8].map(|release| name(release, 4, 7).unwrap().0), ["THSTACK", "THSTACK", "THMQ_SEND"]);
        assert_eq!([6, 7, 8].map(|release| name(release, 1, 8)), [None, None, Some(("DROPPED", false))]);
        assert_eq!(name(7, 2, 11 | 0x200), Some(("MSG_SENDV", true)));
        assert_eq!([name(6, 2, 11 | 0x200), name(7, 2, (256 + 11) | 0x200)], [None, None]);
        assert_eq!([name(6, 2, 128 + 100), name(8, 2, 128 + 100)], [Some(("", false)), Some(("PIPE_CLOSE", false))]);
        assert_eq!([name(6, 9, 2), name(7, 9, 7), name(8, 9, 7)], [None, None, Some(("", false))]);
        assert_eq!([name(7, 4, 26 + 1).unwrap().0, name(6, 0, 0).map_or("", |name| name.0)], ["VTHRUNNING", ""]);
    }
}
