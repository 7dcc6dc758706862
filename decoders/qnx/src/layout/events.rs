//! The table of events other than kernel calls: class, number, releases, name, fields, role; and the mapping from class
//! and number of any event to its kind.

use spytui_plugin_api::TaskState;

use super::{
    ALL, BIT64, CALL_NUMBERS, EVENT_KINDS, FIRST, Field, Group, Layout, NO_RELEASE, NUMBERED, R8, R67, R78, Releases,
    Role, SIGNAL_ERRNO, UNKNOWN_CALLS, UNKNOWN_EXITS, UNKNOWN_INTERRUPTED, WIDE64, calls::CALLS, d, p, pid, t,
    text_only, u, x, xl,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) class: u16,
    pub(super) releases: Releases,
    /// Releases in which its words may contain 64-bit types.
    pub(super) wide64: Releases,
    pub(super) layout: Layout,
}

/// Classes without a table: class, and how many numbers it has in releases 6, 7 and 8.
pub(super) const NUMBERS: [(u16, [u16; 3]); 5] =
    [(6, [1024, 1024, 1024]), (8, [0, 1024, 1024]), (9, [0, 7, 8]), (10, [0, 8, 8]), (11, [0, 0, 2])];

const fn event(
    (class, event): (u16, u16),
    releases: Releases,
    group: Group,
    name: &'static str,
    fields: &'static [Field],
) -> Event {
    Event { class, releases, wide64: NO_RELEASE, layout: Layout { name, group, event, fields, role: Role::Plain } }
}

impl Event {
    const fn does(self, role: Role) -> Event {
        Event { layout: Layout { role, ..self.layout }, ..self }
    }

    const fn or_64(self, wide64: Releases) -> Event {
        Event { wide64, ..self }
    }
}

const fn control(number: u16, releases: Releases, name: &'static str, fields: &'static [Field]) -> Event {
    event((1, number), releases, Group::Control, name, fields)
}

const fn int(number: u16, group: Group, releases: Releases, name: &'static str, fields: &'static [Field]) -> Event {
    event((3, number), releases, group, name, fields)
}

const fn process(number: u16, name: &'static str, fields: &'static [Field]) -> Event {
    event((4, number), ALL, Group::Process, name, fields)
}

const fn thread(number: u16, releases: Releases, name: &'static str, role: Role) -> Event {
    event((4, number), releases, Group::Thread, name, STATE).does(role)
}

/// A state in which a thread waits.
const fn blocked(number: u16, releases: Releases, name: &'static str) -> Event {
    thread(number, releases, name, Role::State(TaskState::BLOCKED))
}

/// A virtual thread; its numbers follow those of threads.
const fn vthread(number: u16, name: &'static str) -> Event {
    event((4, 26 + number), R67, Group::VThread, name, STATE)
}

const fn system(number: u16, releases: Releases, name: &'static str, fields: &'static [Field]) -> Event {
    event((5, number), releases, Group::System, name, fields)
}

const fn comm(number: u16, name: &'static str, role: Role) -> Event {
    let fields = match role {
        Role::Pulse | Role::ReceivePulse => PULSE,
        Role::Reply => REPLY,
        _ => MESSAGE,
    };
    event((7, number), ALL, Group::Comm, name, fields).does(role)
}

const STATE: &[Field] =
    &[pid("pid"), d("tid"), d("priority").wide(), d("policy").wide(), d("partition").wide(), x("sched_flags").wide()];
const THREAD: &[Field] = &[pid("pid"), d("tid")];
const PROCESS: &[Field] = &[pid("ppid"), pid("pid")];
const NAMED_PROCESS: &[Field] = &[pid("ppid"), pid("pid"), t("name")];
const MESSAGE: &[Field] = &[x("rcvid"), pid("pid")];
const PULSE: &[Field] = &[x("scoid"), pid("pid")];
const REPLY: &[Field] = &[d("tid"), pid("pid")];
const FUNCTION: &[Field] = &[x("thisfn"), x("call_site")];
const SIGNAL: &[Field] = &[
    d("si_signo"),
    d("si_code"),
    SIGNAL_ERRNO,
    text_only("__pad[0]"),
    text_only("__pad[1]"),
    text_only("__pad[2]"),
    text_only("__pad[3]"),
    text_only("__pad[4]"),
    text_only("__pad[5]"),
];
const MMAP: &[Field] = &[
    pid("pid"),
    xl("vaddr"),
    xl("len"),
    x("flags"),
    x("prot").wide(),
    d("fd").wide(),
    xl("align").wide(),
    xl("offset").wide(),
    t("path").wide(),
];

#[rustfmt::skip]
pub(super) const EVENTS: [Event; 152] = [
    control(1, ALL, "TIME", &[x("msb"), x("lsb")]).does(Role::Time),
    control(2, ALL, "BUFFER", &[u("sequence"), u("num_events")]).does(Role::Buffer),
    control(4, R8, "BUFFER_END", &[]),
    control(8, R8, "DROPPED", &[u("dropped")]).does(Role::Dropped),

    int(1, Group::IntEnter, ALL, "INT_ENTR", &[x("intr"), x("ip")]).does(Role::IsrIn),
    int(2, Group::IntExit, ALL, "INT_EXIT", &[x("intr"), x("inkernel")]).does(Role::IsrOut),
    int(3, Group::HandlerEnter, ALL, "INT_HANDLER_ENTR", &[pid("pid"), x("intr"), p("ip"), p("area")])
        .does(Role::HandlerIn),
    int(4, Group::HandlerExit, ALL, "INT_HANDLER_EXIT", &[x("intr"), d("sigev_notify")]),
    int(5, Group::Int, R78, "ENTRY_64", &[]).does(Role::IsrIn),
    int(6, Group::Int, R78, "HANDLER_ENTRY_64", &[]).does(Role::HandlerIn),
    int(7, Group::Int, R8, "DELIVER", &[]),

    process(64, "PROCCREATE", PROCESS).does(Role::ProcessCreate),
    process(128, "PROCDESTROY", PROCESS).does(Role::ProcessDestroy),
    process(192, "PROCCREATE_NAME", NAMED_PROCESS).does(Role::ProcessCreate),
    process(256, "PROCDESTROY_NAME", NAMED_PROCESS).does(Role::ProcessDestroy),
    process(320, "PROCTHREAD_NAME", &[pid("pid"), d("tid"), t("name")]).does(Role::ThreadName),

    thread(0, ALL, "THDEAD", Role::State(TaskState::DEAD)),
    thread(1, ALL, "THRUNNING", Role::State(TaskState::RUNNING)),
    thread(2, ALL, "THREADY", Role::State(TaskState::READY)),
    thread(3, ALL, "THSTOPPED", Role::State(TaskState::STOPPED)),
    blocked(4, ALL, "THSEND"), blocked(5, ALL, "THRECEIVE"), blocked(6, ALL, "THREPLY"), blocked(7, R67, "THSTACK"),
    blocked(7, R8, "THMQ_SEND"), blocked(8, R67, "THWAITTHREAD"), blocked(8, R8, "THMQ_RECEIVE"),
    blocked(9, ALL, "THWAITPAGE"), blocked(10, ALL, "THSIGSUSPEND"), blocked(11, ALL, "THSIGWAITINFO"),
    blocked(12, ALL, "THNANOSLEEP"), blocked(13, ALL, "THMUTEX"), blocked(14, ALL, "THCONDVAR"),
    blocked(15, ALL, "THJOIN"), blocked(16, ALL, "THINTR"), blocked(17, ALL, "THSEM"), blocked(18, ALL, "THWAITCTX"),
    blocked(19, R67, "THNET_SEND"), blocked(19, R8, "THRWLOCK_READ"), blocked(20, R67, "THNET_REPLY"),
    blocked(20, R8, "THRWLOCK_WRITE"), blocked(21, R8, "THBARRIER"), blocked(22, R8, "THPIPE"),
    blocked(26, R8, "THMUON_MUTEX"), blocked(27, R8, "THTRACEBUFFER"), blocked(28, R8, "THINTR_ATTACH_EV"),
    blocked(29, R8, "THTIMER_DELEGATE"), blocked(30, R8, "THSEND_NOTIFY"), blocked(21, R67, "?21"),
    blocked(22, R67, "?22"), blocked(23, R67, "?23"), blocked(23, R8, "?23"), blocked(31, R8, "?31"),
    blocked(32, R8, "?32"), blocked(33, R8, "?33"), blocked(34, R8, "?34"), blocked(35, R8, "?35"),
    blocked(36, R8, "?36"), blocked(37, R8, "?37"), blocked(38, R8, "?38"), blocked(39, R8, "?39"),
    blocked(40, R8, "?40"), blocked(41, R8, "?41"), blocked(42, R8, "?42"), blocked(43, R8, "?43"),
    blocked(44, R8, "?44"), blocked(45, R8, "?45"), blocked(46, R8, "?46"), blocked(47, R8, "?47"),
    blocked(48, R8, "?48"), blocked(49, R8, "?49"), blocked(50, R8, "?50"), blocked(51, R8, "?51"),
    blocked(52, R8, "?52"), blocked(53, R8, "?53"), blocked(54, R8, "?54"), blocked(55, R8, "?55"),
    blocked(56, R8, "?56"), blocked(57, R8, "?57"), blocked(58, R8, "?58"), blocked(59, R8, "?59"),
    blocked(60, R8, "?60"), blocked(61, R8, "?61"), blocked(62, R8, "?62"),
    event((4, 24), ALL, Group::Thread, "THCREATE", THREAD).does(Role::ThreadCreate),
    event((4, 25), ALL, Group::Thread, "THDESTROY", THREAD).does(Role::ThreadDestroy),

    vthread(0, "VTHDEAD"), vthread(1, "VTHRUNNING"), vthread(2, "VTHREADY"), vthread(3, "VTHSTOPPED"),
    vthread(4, "VTHSEND"), vthread(5, "VTHRECEIVE"), vthread(6, "VTHREPLY"), vthread(7, "VTHSTACK"),
    vthread(8, "VTHWAITTHREAD"), vthread(9, "VTHWAITPAGE"), vthread(10, "VTHSIGSUSPEND"),
    vthread(11, "VTHSIGWAITINFO"), vthread(12, "VTHNANOSLEEP"), vthread(13, "VTHMUTEX"), vthread(14, "VTHCONDVAR"),
    vthread(15, "VTHJOIN"), vthread(16, "VTHINTR"), vthread(17, "VTHSEM"), vthread(18, "VTHWAITCTX"),
    vthread(19, "VTHNET_SEND"), vthread(20, "VTHNET_REPLY"), vthread(24, "VTHCREATE"), vthread(25, "VTHDESTROY"),

    system(2, ALL, "PATHMGR_OPEN", &[pid("pid"), d("tid"), t("path").wide()]),
    system(3, ALL, "APS_NAME", &[d("partition_id"), t("name")]),
    system(4, ALL, "APS_NEW_BUDGET", &[d("partition_id"), d("percentage_budget"), d("critical_budget").wide()]),
    system(5, ALL, "APS_BANKRUPTCY", &[pid("pid"), d("tid"), d("partition_id")]),
    system(6, ALL, "MMAP", MMAP),
    system(7, ALL, "MUNMAP", &[pid("pid"), xl("vaddr"), xl("len")]),
    system(8, ALL, "MAPNAME", &[pid("pid"), x("vaddr"), x("len"), t("name").wide()]),
    system(9, ALL, "ADDRESS", &[x("addr")]).or_64(R8),
    system(10, ALL, "FUNC_ENTER", FUNCTION).or_64(R8),
    system(11, ALL, "FUNC_EXIT", FUNCTION).or_64(R8),
    system(12, ALL, "SLOG", &[d("opcode"), d("severity"), t("message").wide()]).does(Role::Slog),
    system(13, R78, "DEFRAG_START", &[]),
    system(14, R78, "RUNSTATE", &[]),
    system(15, R78, "POWER", &[]),
    system(16, R78, "IPI", &[]).or_64(R78),
    system(17, R78, "PAGEWAIT", &[]),
    system(18, R78, "TIMER", &[]),
    system(19, R78, "DEFRAG_END", &[]),
    system(20, R78, "PROFILE", &[]).or_64(R78),
    system(21, R78, "MAPNAME_64", &[]),
    system(22, R78, "APS_PSTATS", &[]),
    system(23, R78, "APS_OSTATS", &[]),
    system(24, R78, "APS_INFO", &[]),
    system(25, R78, "APS_JOIN", &[]),
    system(26, R78, "APS_THREAD", &[]),
    system(27, R78, "APS_PROCESS", &[]),
    system(28, R78, "SCHED_CONF", &[]),
    system(29, R8, "IST_ATTACH", &[]),
    system(30, R8, "IST_DETACH", &[]),
    system(31, R8, "PCTRACE", &[]),
    system(32, R8, "SEND_IPI", &[]).or_64(R8),

    comm(0, "SND_MESSAGE", Role::Send),
    comm(1, "SND_PULSE", Role::Pulse),
    comm(2, "REC_MESSAGE", Role::Receive),
    comm(3, "REC_PULSE", Role::ReceivePulse),
    comm(4, "SND_PULSE_EXE", Role::Pulse),
    comm(5, "SND_PULSE_DIS", Role::Pulse),
    comm(6, "SND_PULSE_DEA", Role::Pulse),
    comm(7, "SND_PULSE_UN", Role::Pulse),
    comm(8, "SND_PULSE_QUN", Role::Pulse),
    event((7, 9), ALL, Group::Comm, "SIGNAL", SIGNAL).does(Role::Signal),
    comm(10, "REPLY_MESSAGE", Role::Reply),
    comm(11, "MSG_ERROR", Role::Reply),
];

/// Codes have ten bits of number and four bits of class.
const CODES: usize = 1 << 14;

/// The events of a release; 0 = no event.
#[derive(Debug)]
pub(crate) struct Codes([u16; CODES]);

const KER_CALL: u16 = 2;

static OF_6: Codes = Codes(codes(6));
static OF_7: Codes = Codes(codes(7));
static OF_8: Codes = Codes(codes(8));

impl Codes {
    pub(crate) fn of(release: u8) -> &'static Codes {
        match release {
            6 => &OF_6,
            7 => &OF_7,
            _ => &OF_8,
        }
    }

    /// The kind of the event in a header word; 0 = no event.
    #[inline(always)]
    pub(crate) fn kind(&self, header: u32) -> u16 {
        // The array has an element for each code.
        self.0[header as usize % CODES]
    }
}

const fn code(class: u16, number: u16) -> usize {
    (class as usize) << 10 | number as usize
}

const fn codes(release: u8) -> [u16; CODES] {
    let mut map = [0; CODES];
    let mut number = 0;
    while number < CALL_NUMBERS {
        call(&mut map, release, number, [UNKNOWN_CALLS, UNKNOWN_EXITS, UNKNOWN_INTERRUPTED], number);
        number += 1;
    }
    let mut i = 0;
    while i < CALLS.len() {
        if CALLS[i].releases.has(release) {
            let first = FIRST + 3 * i as u16;
            call(&mut map, release, CALLS[i].number, [first, first + 1, first + 2], 0);
        }
        i += 1;
    }
    let mut i = 0;
    while i < EVENTS.len() {
        let event = &EVENTS[i];
        if event.releases.has(release) {
            map[code(event.class, event.layout.event)] = EVENT_KINDS + i as u16;
        }
        if event.wide64.has(release) {
            map[code(event.class, event.layout.event | BIT64)] = EVENT_KINDS + i as u16 + WIDE64;
        }
        i += 1;
    }
    let mut i = 0;
    while i < NUMBERS.len() {
        let (class, counts) = NUMBERS[i];
        let mut number = 0;
        while number < counts[release as usize - 6] {
            map[code(class, number)] = NUMBERED + 1024 * i as u16 + number;
            number += 1;
        }
        i += 1;
    }
    map
}

/// Adds entry, exit and interruption of a kernel call.
const fn call(map: &mut [u16; CODES], release: u8, number: u16, kinds: [u16; 3], plus: u16) {
    const WITH_64: Releases = crate::layout::R78;
    let mut phase = 0;
    while phase < 3 {
        let wire = phase as u16 * CALL_NUMBERS + number;
        map[code(KER_CALL, wire)] = kinds[phase] + plus;
        if phase < 2 && WITH_64.has(release) {
            map[code(KER_CALL, wire | BIT64)] = kinds[phase] + plus + WIDE64;
        }
        phase += 1;
    }
}
