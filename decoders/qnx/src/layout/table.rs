//! The table of kernel calls: number, releases, name, words on entry and exit. The table of all other events: class,
//! number, releases, name, fields, role. The mapping from class and number of any event to its kind.

use std::sync::LazyLock;

use spytui_plugin_api::TaskState;

use super::{
    ALL, BIT64, CALL_NUMBERS, EMPTY, EVENT_KINDS, FIRST, Field, Group, Layout, NO_RELEASE, NUMBERED, R6, R7, R8, R67,
    R78, Releases, Role, SIGNAL_ERRNO, UNKNOWN_CALLS, UNKNOWN_EXITS, UNKNOWN_INTERRUPTED, WIDE_EMPTY, WIDE64, b, d,
    long, long_hex, p, pid, t, text_only, u, x, xl,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct KernelCall {
    pub(super) number: u16,
    pub(super) releases: Releases,
    pub(super) name: &'static str,
    pub(super) exit_name: &'static str,
    pub(super) entry: &'static [Field],
    pub(super) exit: &'static [Field],
}

const fn call(
    number: u16,
    releases: Releases,
    name: &'static str,
    entry: &'static [Field],
    exit: &'static [Field],
) -> KernelCall {
    KernelCall { number, releases, name, exit_name: name, entry, exit }
}

const fn spare(number: u16, releases: Releases, name: &'static str) -> KernelCall {
    call(number, releases, name, NOTHING, NOTHING)
}

/// A call of later releases with unknown words.
const fn renamed(number: u16, releases: Releases, name: &'static str) -> KernelCall {
    call(number, releases, name, &[], &[])
}

impl KernelCall {
    const fn exit_name(self, exit_name: &'static str) -> KernelCall {
        KernelCall { exit_name, ..self }
    }
}

pub(super) fn knows(number: u16, release: u8) -> bool {
    CALLS.iter().any(|call| call.number == number && call.releases.has(release))
}

#[derive(Debug)]
pub(super) struct Wide {
    pub(super) group: Group,
    pub(super) name: &'static str,
    pub(super) fields: &'static [Field],
}

const fn entry(name: &'static str, fields: &'static [Field]) -> Wide {
    Wide { group: Group::Call, name, fields }
}

const fn sigevent(id: Field) -> [Field; 6] {
    [
        id,
        d("event->sigev_notify"),
        WIDE_EMPTY,
        long_hex("event->sigev_notify_function_p"),
        long_hex("event->sigev_value"),
        long_hex("event->sigev_notify_attributes_p"),
    ]
}

const RECEIVED_64: &[Field] = &[
    x("rcvid"),
    b("rmsg"),
    d("info->nd"),
    d("info->srcnd"),
    pid("info->pid"),
    d("info->tid"),
    d("info->chid"),
    d("info->scoid"),
    d("info->coid"),
    long("info->msglen"),
    long("info->srcmsglen"),
    long("info->dstmsglen"),
    d("info->priority"),
    d("info->flags"),
    d("info->reserved"),
];

/// Known words with 64-bit types. Fast mode has none.
pub(super) static WIDE: [Wide; 8] = [
    entry("MSG_SENDV", &[x("coid"), long("sparts"), long("rparts"), b("msg")]),
    entry("MSG_RECEIVEV", &[x("chid"), long("rparts")]),
    Wide { group: Group::Exit, name: "MSG_RECEIVEV", fields: RECEIVED_64 },
    entry("SYNC_MUTEX_LOCK", &[long_hex("sync_p"), d("count"), d("owner")]),
    entry("THREAD_CTL", &[x("cmd"), long_hex("data_p")]),
    entry("SIGNAL_KILL", &[x("nd"), pid("pid"), d("tid"), d("signo"), x("code"), long_hex("value")]),
    entry("TIMER_CREATE", &sigevent(x("id"))),
    entry("MSG_DELIVER_EVENT", &sigevent(x("rcvid"))),
];

// Words common to several calls.
const NOTHING: &[Field] = &[EMPTY, EMPTY];
const RESULT: &[Field] = &[d("ret_val"), EMPTY];
const HEX_RESULT: &[Field] = &[x("ret_val"), EMPTY];
#[rustfmt::skip]
const RECEIVED: &[Field] = &[x("rcvid"), b("rmsg"), d("info->nd").wide(), d("info->srcnd").wide(),
    pid("info->pid").wide(), d("info->tid").wide(), d("info->chid").wide(), d("info->scoid").wide(),
    d("info->coid").wide(), d("info->msglen").wide(), d("info->srcmsglen").wide(), d("info->dstmsglen").wide(),
    d("info->priority").wide(), d("info->flags").wide(), d("info->reserved").wide()];
const MUTEX: &[Field] = &[p("sync_p"), d("count").wide(), d("owner")];

#[rustfmt::skip]
pub(super) const CALLS: [KernelCall; 132] = [
    call(0, ALL, "NOP", &[x("dummy"), EMPTY], NOTHING),
    call(1, ALL, "TRACE_EVENT", &[x("mode"), x("class[header]"), x("event[time_off]").wide(), x("data_1").wide(),
        x("data_2").wide()], HEX_RESULT),
    call(2, ALL, "RING0", &[p("func_p"), p("arg_p")], HEX_RESULT),
    spare(3, R6, "SPARE1"), spare(4, R6, "SPARE2"), spare(5, R6, "SPARE3"), spare(6, R6, "SPARE4"),
    call(7, ALL, "SYS_CPUPAGE_GET", &[d("index"), EMPTY], HEX_RESULT),
    call(8, ALL, "SYS_CPUPAGE_SET", &[d("index"), x("value")], HEX_RESULT),
    spare(9, R6, "SYS_SPARE1"),
    call(10, ALL, "MSG_CURRENT", &[x("rcvid"), EMPTY], NOTHING),
    call(11, ALL, "MSG_SENDV", &[x("coid"), d("sparts").wide(), d("rparts").wide(), b("msg")], &[d("status"),
        b("rmsg")]),
    call(12, ALL, "MSG_SENDVNC", &[x("coid"), d("sparts").wide(), d("rparts").wide(), b("msg")], &[x("ret_val"),
        b("rmsg")]),
    call(13, ALL, "MSG_ERROR", &[x("rcvid"), d("err")], RESULT),
    call(14, ALL, "MSG_RECEIVEV", &[x("chid"), d("rparts")], RECEIVED),
    call(15, ALL, "MSG_REPLYV", &[x("rcvid"), d("sparts").wide(), x("status"), b("smsg").wide()], RESULT),
    call(16, ALL, "MSG_READV", &[x("rcvid"), p("rmsg_p").wide(), d("rparts").wide(), x("offset")], &[d("rbytes"),
        b("rmsg")]),
    call(17, ALL, "MSG_WRITEV", &[x("rcvid"), d("sparts").wide(), x("offset"), b("msg").wide()], &[d("wbytes"), EMPTY]),
    call(18, ALL, "MSG_READWRITEV", &[x("src_rcvid"), x("dst_rcvid")], &[d("msglen"), EMPTY]),
    call(19, ALL, "MSG_INFO", &[x("rcvid"), p("info_p")], &[x("ret_val"), d("info->nd"), d("info->srcnd").wide(),
        pid("info->pid").wide(), d("info->tid").wide(), d("info->chid").wide(), d("info->scoid").wide(),
        d("info->coid").wide(), d("info->msglen").wide(), d("info->srcmsglen").wide(), d("info->dstmsglen").wide(),
        d("info->priority").wide(), d("info->flags").wide(), EMPTY.wide()]),
    call(20, ALL, "MSG_SEND_PULSE", &[x("coid"), d("priority").wide(), x("code"), x("value").wide()], &[d("status"),
        EMPTY]),
    call(21, ALL, "MSG_DELIVER_EVENT", &[x("rcvid"), d("event->sigev_notify"),
        p("event->sigev_notify_function_p").wide(), x("event->sigev_value").wide(),
        p("event->sigev_notify_attributes_p").wide()], HEX_RESULT),
    call(22, ALL, "MSG_KEYDATA", &[x("rcvid"), x("op")], &[x("ret_val"), d("newkey")]),
    call(23, ALL, "MSG_READIOV", &[x("rcvid"), d("parts").wide(), x("offset"), x("flags").wide()], &[d("rbytes"),
        b("rmsg")]),
    call(24, ALL, "MSG_RECEIVEPULSEV", &[x("chid"), d("rparts")], RECEIVED),
    call(25, ALL, "MSG_VERIFY_EVENT", &[x("rcvid"), d("event->sigev_notify"),
        p("event->sigev_notify_function_p").wide(), x("event->sigev_value").wide(),
        p("event->sigev_notify_attributes_p").wide()], &[d("status"), EMPTY]),
    call(26, ALL, "SIGNAL_KILL", &[x("nd").wide(), pid("pid"), d("tid").wide(), d("signo"), x("code").wide(),
        x("value").wide()], RESULT),
    call(27, ALL, "SIGNAL_RETURN", &[p("s_p"), EMPTY], HEX_RESULT),
    call(28, ALL, "SIGNAL_FAULT", &[d("sigcode"), p("addr")], &[x("ret_val"), x("reg_1"), x("reg_2").wide(),
        x("reg_3").wide(), x("reg_4").wide(), x("reg_5").wide()]),
    call(29, ALL, "SIGNAL_ACTION", &[pid("pid").wide(), p("sigstub_p").wide(), d("signo"), p("act->sa_handler_p"),
        x("act->sa_flags").wide(), x("act->sa_mask.bits[0]").wide(), x("act->sa_mask.bits[1]").wide()],
        &[x("ret_val"), p("oact->sa_handler_p"), x("oact->sa_flags").wide(), x("oact->sa_mask.bits[0]").wide(),
        x("oact->sa_mask.bits[1]").wide()]),
    call(30, ALL, "SIGNAL_PROCMASK", &[pid("pid"), d("tid"), x("how").wide(), x("sig_blocked->bits[0]").wide(),
        x("sig_blocked->bits[1]").wide()], &[d("ret_val"), x("old_sig_blocked->bits[0]"),
        x("old_sig_blocked->bits[1]").wide()]),
    call(31, ALL, "SIGNAL_SUSPEND", &[x("sig_blocked->bits[0]"), x("sig_blocked->bits[1]")], &[x("ret_val"),
        p("sig_blocked_p")]),
    call(32, ALL, "SIGNAL_WAITINFO", &[x("sig_wait->bits[0]"), x("sig_wait->bits[1]")], &[d("sig_num"),
        d("si_signo").wide(), d("si_code"), d("si_errno").wide(), d("p[0]").wide(), d("p[1]").wide(),
        d("p[2]").wide(), d("p[3]").wide(), d("p[4]").wide(), d("p[5]").wide(), d("p[6]").wide()]),
    spare(33, R6, "SIGNAL_SPARE1"), spare(34, ALL, "SIGNAL_SPARE2"),
    call(35, ALL, "CHANNEL_CREATE", &[x("flags"), EMPTY], &[x("chid"), EMPTY]),
    call(36, ALL, "CHANNEL_DESTROY", &[x("chid"), EMPTY], HEX_RESULT),
    call(37, R67, "CHANCON_ATTR", &[d("chid"), x("flags")], &[d("chid"), x("flags")]),
    spare(38, ALL, "CHANNEL_SPARE1"),
    call(39, ALL, "CONNECT_ATTACH", &[x("nd"), pid("pid"), x("chid").wide(), d("index").wide(), x("flags").wide()],
        &[x("coid"), EMPTY]),
    call(40, ALL, "CONNECT_DETACH", &[x("coid"), EMPTY], HEX_RESULT),
    call(41, ALL, "CONNECT_SERVER_INFO", &[pid("pid"), x("coid")], &[x("coid"), d("info->nd"),
        d("info->srcnd").wide(), pid("info->pid").wide(), d("info->tid").wide(), d("info->chid").wide(),
        d("info->scoid").wide(), d("info->coid").wide(), d("info->msglen").wide(), d("info->srcmsglen").wide(),
        d("info->dstmsglen").wide(), d("info->priority").wide(), d("info->flags").wide(), d("info->reserved").wide()]),
    call(42, ALL, "CONNECT_CLIENT_INFO", &[x("scoid"), d("ngroups")], &[x("ret_val"), d("info->nd"),
        pid("info->pid").wide(), d("info->sid").wide(), x("flags").wide(), d("info->ruid").wide(),
        d("info->euid").wide(), d("info->suid").wide(), d("info->rgid").wide(), d("info->egid").wide(),
        d("info->sgid").wide(), d("info->ngroups").wide(), d("info->grouplist[0]").wide(),
        d("info->grouplist[1]").wide(), d("info->grouplist[2]").wide(), d("info->grouplist[3]").wide(),
        d("info->grouplist[4]").wide(), d("info->grouplist[5]").wide(), d("info->grouplist[6]").wide(),
        d("info->grouplist[7]").wide()]),
    call(43, ALL, "CONNECT_FLAGS", &[pid("pid").wide(), x("coid"), x("masks").wide(), x("bits")], &[x("old_flags"),
        EMPTY]),
    spare(44, R67, "CONNECT_SPARE1"), spare(45, ALL, "CONNECT_SPARE2"),
    call(46, ALL, "THREAD_CREATE", &[pid("pid").wide(), p("func_p"), p("arg_p"), x("flags").wide(),
        d("stacksize").wide(), p("stackaddr_p").wide(), p("exitfunc_p").wide(), d("policy").wide(),
        d("sched_priority").wide(), d("sched_curpriority").wide(), d("param.__ss_low_priority").wide(),
        d("param.__ss_max_repl").wide(), d("param.__ss_repl_period.tv_sec").wide(),
        d("param.__ss_repl_period.tv_nsec").wide(), d("param.__ss_init_budget.tv_sec").wide(),
        d("param.__ss_init_budget.tv_nsec").wide(), d("param.empty").wide(), d("param.empty").wide(),
        d("guardsize").wide(), WIDE_EMPTY, WIDE_EMPTY, WIDE_EMPTY], &[x("thread_id"), x("owner")]),
    call(47, ALL, "THREAD_DESTROY", &[d("tid"), d("priority").wide(), p("status_p")], HEX_RESULT),
    call(48, ALL, "THREAD_DESTROYALL", NOTHING, HEX_RESULT),
    call(49, ALL, "THREAD_DETACH", &[d("tid"), EMPTY], HEX_RESULT),
    call(50, ALL, "THREAD_JOIN", &[d("tid"), p("status_p")], &[x("ret_val"), p("status_p")]),
    call(51, ALL, "THREAD_CANCEL", &[d("tid"), p("canstub_p")], HEX_RESULT),
    call(52, ALL, "THREAD_CTL", &[x("cmd"), p("data_p")], HEX_RESULT),
    spare(53, R6, "THREAD_SPARE1"), spare(54, ALL, "THREAD_SPARE2"),
    call(55, ALL, "INTERRUPT_ATTACH", &[d("intr"), p("handler_p").wide(), p("area_p").wide(), d("areasize").wide(),
        x("flags")], &[x("int_fun_id"), EMPTY]),
    call(56, R67, "INTERRUPT_DETACH_FUNC", &[d("intr"), p("handler_p")], RESULT),
    call(57, ALL, "INTERRUPT_DETACH", &[d("id"), EMPTY], RESULT),
    call(58, ALL, "INTERRUPT_WAIT", &[x("flags"), d("timeout_tv_sec"), d("timeout_tv_nsec").wide()], RESULT),
    call(59, ALL, "INTERRUPT_MASK", &[d("intr"), d("id")], &[x("mask_level"), EMPTY]),
    call(60, ALL, "INTERRUPT_UNMASK", &[d("intr"), d("id")], &[x("mask_level"), EMPTY]),
    spare(61, R6, "INTERRUPT_SPARE1"), spare(62, R67, "INTERRUPT_SPARE2"), spare(63, ALL, "INTERRUPT_SPARE3"),
    spare(64, ALL, "INTERRUPT_SPARE4"),
    call(65, ALL, "CLOCK_TIME", &[d("id"), d("new(sec)"), d("new(nsec)").wide()], &[d("ret_val"), d("old(sec)"),
        d("old(nsec)").wide()]),
    call(66, ALL, "CLOCK_ADJUST", &[d("id"), d("new->tick_count"), d("new->tick_nsec_inc").wide()], &[d("ret_val"),
        d("old->tick_count"), d("old->tick_nsec_inc").wide()]),
    call(67, ALL, "CLOCK_PERIOD", &[d("id"), d("new->nsec"), d("new->fract").wide()], &[d("ret_val"), d("old->nsec"),
        d("old->fract").wide()]),
    call(68, ALL, "CLOCK_ID", &[pid("pid"), d("tid")], HEX_RESULT),
    spare(69, ALL, "CLOCK_SPARE2"),
    call(70, ALL, "TIMER_CREATE", &[x("id"), d("event->sigev_notify"), p("event->sigev_notify_function_p").wide(),
        x("event->sigev_value").wide(), p("event->sigev_notify_attributes_p").wide()], &[x("timer_id"), EMPTY]),
    call(71, ALL, "TIMER_DESTROY", &[x("id"), EMPTY], HEX_RESULT),
    call(72, ALL, "TIMER_SETTIME", &[x("id"), x("flags").wide(), d("itime->nsec(sec)"), d("itime->nsec(nsec)").wide(),
        d("itime->interval_nsec(sec)").wide(), d("itime->interval_nsec(nsec)").wide()], &[x("ret_val"),
        d("oitime->nsec(sec)"), d("oitime->nsec(nsec)").wide(), d("oitime->interval_nsec(sec)").wide(),
        d("oitime->interval_nsec(nsec)").wide()]),
    call(73, ALL, "TIMER_INFO", &[pid("pid"), x("id"), x("flags").wide(), p("info_p").wide()], &[d("prev_id"),
        d("info->itime.nsec(sec)"), d("info->itime.nsec(nsec)").wide(), d("info->itime.interval_nsec(sec)").wide(),
        d("info->itime.interval_nsec(nsec)").wide(), d("info->otime.nsec(sec)").wide(),
        d("info->otime.nsec(nsec)").wide(), d("info->otime.interval_nsec(sec)").wide(),
        d("info->otime.interval_nsec(nsec)").wide(), d("info->flags").wide(), d("info->tid").wide(),
        d("info->notify").wide(), d("info->clockid").wide(), d("info->overruns").wide(),
        d("info->event.sigev_notify").wide(), p("info->event.sigev_notify_function_p").wide(),
        x("info->event.sigev_value").wide(), p("info->event.sigev_notify_attributes_p").wide()]),
    call(74, ALL, "TIMER_ALARM", &[x("id"), d("itime->nsec(sec)"), d("itime->nsec(nsec)").wide(),
        d("itime->interval_nsec(sec)").wide(), d("itime->interval_nsec(nsec)").wide()], &[x("ret_val"),
        d("oitime->nsec(sec)"), d("oitime->nsec(nsec)").wide(), d("oitime->interval_nsec(sec)").wide(),
        d("oitime->interval_nsec(nsec)").wide()]),
    call(75, ALL, "TIMER_TIMEOUT", &[d("id").wide(), x("timeout_flags"), d("ntime(sec)"), d("ntime(nsec)").wide(),
        d("event->sigev_notify").wide(), p("event->sigev_notify_function_p").wide(), x("event->sigev_value").wide(),
        p("event->sigev_notify_attributes_p").wide()], &[x("prev_timeout_flags"), d("otime(sec)"),
        d("otime(nsec)").wide()]),
    spare(76, R67, "TIMER_SPARE1"), spare(77, R67, "TIMER_SPARE2"),
    call(78, ALL, "SYNC_CREATE", &[d("type"), p("sync_p"), d("count").wide(), d("owner").wide(), d("protocol").wide(),
        x("flags").wide(), d("prioceiling").wide(), d("clockid").wide()], RESULT),
    call(79, ALL, "SYNC_DESTROY", MUTEX, RESULT),
    call(80, ALL, "SYNC_MUTEX_LOCK", MUTEX, RESULT),
    call(81, ALL, "SYNC_MUTEX_UNLOCK", MUTEX, RESULT),
    call(82, ALL, "SYNC_CONDVAR_WAIT", &[p("sync_p"), p("mutex_p"), d("sync->count").wide(), d("sync->owner").wide(),
        d("mutex->count").wide(), d("mutex->owner").wide()], RESULT),
    call(83, ALL, "SYNC_CONDVAR_SIGNAL", &[p("sync_p"), d("all"), d("sync->count").wide(), d("sync->owner").wide()],
        RESULT).exit_name("SYNC_CONDVAR_SIG"),
    call(84, ALL, "SYNC_SEM_POST", &[p("sync_p"), d("count"), d("owner").wide()], HEX_RESULT),
    call(85, ALL, "SYNC_SEM_WAIT", &[p("sync_p"), d("try").wide(), d("count"), d("owner").wide()], RESULT),
    call(86, ALL, "SYNC_CTL", &[d("cmd"), p("sync_p"), p("data_p").wide(), d("count").wide(), d("owner").wide()],
        RESULT),
    call(87, R67, "SYNC_MUTEX_REVIVE", MUTEX, RESULT),
    call(88, ALL, "SCHED_GET", &[pid("pid"), d("tid")], &[d("ret_val"), d("sched_priority"),
        d("sched_curpriority").wide(), d("param.__ss_low_priority").wide(), d("param.__ss_max_repl").wide(),
        d("param.__ss_repl_period.tv_sec").wide(), d("param.__ss_repl_period.tv_nsec").wide(),
        d("param.__ss_init_budget.tv_sec").wide(), d("param.__ss_init_budget.tv_nsec").wide(),
        d("param.empty").wide(), d("param.empty").wide()]),
    call(89, ALL, "SCHED_SET", &[pid("pid"), d("tid").wide(), d("policy").wide(), d("sched_priority"),
        d("sched_curpriority").wide(), d("param.__ss_low_priority").wide(), d("param.__ss_max_repl").wide(),
        d("param.__ss_repl_period.tv_sec").wide(), d("param.__ss_repl_period.tv_nsec").wide(),
        d("param.__ss_init_budget.tv_sec").wide(), d("param.__ss_init_budget.tv_nsec").wide(),
        d("param.empty").wide(), d("param.empty").wide()], RESULT),
    call(90, ALL, "SCHED_YIELD", NOTHING, HEX_RESULT),
    call(91, ALL, "SCHED_INFO", &[pid("pid"), d("policy")], &[d("ret_val"), d("priority_min").wide(),
        d("priority_max"), d("interval_sec").wide(), d("interval_nsec").wide(), d("priority_priv").wide()]),
    call(92, ALL, "SCHED_CTL", &[x("cmd"), EMPTY], NOTHING),
    call(93, R67, "NET_CRED", &[x("coid"), p("info_p")], &[d("ret_val"), d("info->nd"), pid("info->pid").wide(),
        d("info->sid").wide(), x("info->flags").wide(), d("info->ruid").wide(), d("info->euid").wide(),
        d("info->suid").wide(), d("info->rgid").wide(), d("info->egid").wide(), d("info->sgid").wide(),
        d("info->ngroups").wide(), d("info->grouplist[0]").wide(), d("info->grouplist[1]").wide(),
        d("info->grouplist[2]").wide(), d("info->grouplist[3]").wide(), d("info->grouplist[4]").wide(),
        d("info->grouplist[5]").wide(), d("info->grouplist[6]").wide(), d("info->grouplist[7]").wide()]),
    call(94, R67, "NET_VTID", &[d("vtid"), p("info_p"), d("tid").wide(), x("coid").wide(), d("priority").wide(),
        d("srcmsglen").wide(), x("keydata").wide(), d("srcnd").wide(), d("dstmsglen").wide(), d("zero").wide()],
        HEX_RESULT),
    call(95, R67, "NET_UNBLOCK", &[x("vtid"), EMPTY], HEX_RESULT),
    call(96, R67, "NET_INFOSCOID", &[x("scoid"), x("infoscoid")], HEX_RESULT),
    call(97, R67, "NET_SIGNAL_KILL", &[d("cred->ruid").wide(), d("cred->euid").wide(), x("nd").wide(), pid("pid"),
        d("tid").wide(), d("signo"), x("code").wide(), x("value").wide()], &[d("status"), EMPTY]),
    spare(98, R67, "NET_SPARE1"), spare(99, R67, "NET_SPARE2"),
    call(101, R6, "BAD", NOTHING, HEX_RESULT),
    renamed(3, R7, "CACHE_FLUSH"), renamed(4, R78, "SYS_SRANDOM"), renamed(5, R78, "MSG_REGISTER_EVENT"),
    renamed(6, R78, "MSG_SEND_PULSEPTR"), renamed(9, R78, "MSG_PAUSE"), renamed(33, R78, "SIGNAL_KILL_SIGVAL"),
    renamed(53, R78, "THREAD_CTLEXT"), renamed(61, R7, "INTERRUPT_CHARACTERISTIC"), renamed(100, R7, "POWER_PARAMETER"),
    renamed(101, R78, "POWER_ACTIVE"), renamed(102, R78, "SCHED_WAYPOINT"), renamed(106, R78, "SYS_CUSTOM"),
    renamed(107, R78, "BAD"), renamed(3, R8, "CACHE_CONTROL"), renamed(37, R8, "CHANNEL_CTL"),
    renamed(44, R8, "CONNECT_DUPFD"), renamed(56, R8, "INTERRUPT_QUERY"), renamed(61, R8, "INTERRUPT_UNBLOCK"),
    renamed(62, R8, "INTERRUPT_CTL"), renamed(76, R8, "TIMER_DELEGATE"), renamed(77, R8, "SYNC_RWLOCK"),
    renamed(87, R8, "SYNC_BARRIER_WAIT"), renamed(93, R8, "MSG_QUEUE_OPEN"), renamed(94, R8, "MSG_QUEUE_SEND"),
    renamed(95, R8, "MSG_QUEUE_RECEIVE"), renamed(96, R8, "MSG_QUEUE_CLOSE"), renamed(97, R8, "MSG_QUEUE_CTL"),
    renamed(98, R8, "PIPE_OPEN"), renamed(99, R8, "PIPE_CTL"), renamed(100, R8, "PIPE_CLOSE"),
    renamed(104, R8, "SYNC_TYPE_DESTROY"),
];

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

/// The codes of releases 6, 7 and 8.
static RELEASES: [LazyLock<Codes>; 3] =
    [LazyLock::new(|| Codes::new(6)), LazyLock::new(|| Codes::new(7)), LazyLock::new(|| Codes::new(8))];

impl Codes {
    pub(crate) fn of(release: u8) -> &'static Codes {
        &RELEASES[usize::from(release.clamp(6, 8) - 6)]
    }

    fn new(release: u8) -> Codes {
        let mut codes = Codes([0; CODES]);
        for number in 0..CALL_NUMBERS {
            let kinds = [UNKNOWN_CALLS, UNKNOWN_EXITS, UNKNOWN_INTERRUPTED].map(|first| first + number);
            codes.add_call(release, number, kinds);
        }
        for (call, kind) in CALLS.iter().zip((FIRST..).step_by(3)).filter(|(call, _)| call.releases.has(release)) {
            codes.add_call(release, call.number, [kind, kind + 1, kind + 2]);
        }
        for (event, kind) in EVENTS.iter().zip(EVENT_KINDS..) {
            if event.releases.has(release) {
                codes.add(event.class, event.layout.event, kind);
            }
            if event.wide64.has(release) {
                codes.add(event.class, event.layout.event | BIT64, kind + WIDE64);
            }
        }
        for ((class, counts), first) in NUMBERS.iter().zip((NUMBERED..).step_by(1024)) {
            for number in 0..counts[usize::from(release) - 6] {
                codes.add(*class, number, first + number);
            }
        }
        codes
    }

    /// Adds entry, exit and interruption of a kernel call.
    fn add_call(&mut self, release: u8, number: u16, kinds: [u16; 3]) {
        for (kind, phase) in kinds.into_iter().zip(0..) {
            let wire = phase * CALL_NUMBERS + number;
            self.add(KER_CALL, wire, kind);
            if phase < 2 && R78.has(release) {
                self.add(KER_CALL, wire | BIT64, kind + WIDE64);
            }
        }
    }

    fn add(&mut self, class: u16, number: u16, kind: u16) {
        self.0[usize::from(class) << 10 | usize::from(number)] = kind;
    }

    /// The kind of the event in a header word; 0 = no event.
    #[inline(always)]
    pub(crate) fn kind(&self, header: u32) -> u16 {
        // The array has an element for each code.
        self.0[header as usize % CODES]
    }
}
