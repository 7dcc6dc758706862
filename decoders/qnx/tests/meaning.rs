//! Names, durations, activities and severities.

use crate::common::{decode, fields, file};
use spytui_decoder_harness::encode::qnx::{Trace, class};
use spytui_decoder_harness::{attachment_of, name_of, names};
use spytui_plugin_api::{
    Activity, ActivityFlags, AttachmentId, Severity, Verb,
    render::Dict,
    row::{RowFlags, RowKind},
};
use spytui_plugin_host::kit::Host;

const PROCESSES: u16 = 16;
const THREADS: u16 = 17;
const CALLS: u16 = 20;
const CHANNELS: u16 = 21;
const TOOK: AttachmentId = AttachmentId(64);

fn begun() -> Trace {
    let mut trace = Trace::default();
    let header = [("SYS_RELEASE", "6.5.0"), ("CPU_NUM", "2"), ("CYCLES_PER_SEC", "500000000")];
    trace.header(&header, 0).at(0, 10).time(1).at(1, 10).time(1).at(0, 20);
    trace
}

fn name(host: &Host, space: u16, key: u64) -> String {
    scoped_name(host, space, key, 0)
}

fn scoped_name(host: &Host, space: u16, key: u64, scope: u64) -> String {
    let names = names(host);
    let name = Dict::new(&names).name(space, key, scope).unwrap_or(b"-").to_vec();
    String::from_utf8(name).unwrap()
}

fn thread(pid: u64, tid: u64) -> u64 {
    pid << 32 | tid
}

#[test]
fn threads_are_called_by_name_and_number() {
    let mut trace = begun();
    trace.text(class::THREAD, 192, [1, 7], "usr/bin/sensord").event(class::THREAD, 24, &[7, 1]);
    trace.event(class::THREAD, 2, &[9, 3]).text(class::THREAD, 320, [7, 2], "filter");
    trace.text(class::THREAD, 192, [1, 9], "sbin/late");
    let host = decode(&trace.bytes, &vec![], 4096);
    let all = [(7, 1), (7, 2), (9, 3), (5, 5)].map(|(pid, tid)| name(&host, THREADS, thread(pid, tid)));
    assert_eq!(all, ["sensord:1", "filter:2", "late:3", "-"]);
    assert_eq!(name(&host, PROCESSES, 7), "sensord");
    // Before its process was named, a thread was shown by number.
    let first = host.run.dict.iter().find(|event| event.space == THREADS && event.key == thread(9, 3)).unwrap();
    assert_eq!(first.text.of(&host.run.bytes), b"9:3");
}

#[test]
fn calls_are_about_the_thread_that_runs() {
    let mut trace = begun();
    trace.event(class::KER_CALL, 11, &[1, 2]).event(class::THREAD, 1, &[7, 1]);
    trace.event(class::KER_CALL, 11, &[1, 2]).event(class::USER, 5, &[1, 2]).event(class::THREAD, 6, &[7, 1]);
    trace.at(1, 30).event(class::COMM, 0, &[1, 2]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let about: Vec<_> = host.run.rows[3..].iter().map(|row| row.has(RowFlags::HAS_OBJECT).then_some(row.obj)).collect();
    let running = Some(thread(7, 1));
    assert_eq!(about, [None, running, running, running, running, None]);
}

#[test]
fn calls_have_a_duration() {
    let mut trace = begun();
    trace.event(class::THREAD, 1, &[7, 1]).at(0, 100).event(class::KER_CALL, 14, &[1, 1]);
    trace.at(0, 120).event(class::THREAD, 1, &[8, 1]).event(class::KER_CALL, 128 + 11, &[0, 0]);
    trace.at(1, 200).event(class::THREAD, 1, &[7, 1]).at(1, 350).event(class::KER_CALL, 128 + 14, &[1, 1]);
    trace.event(class::KER_CALL, 128 + 14, &[u32::MAX, 4]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let took: Vec<_> =
        (0..host.run.rows.len()).filter_map(|at| Some((at, attachment_of(&host, at, TOOK)?.0))).collect();
    assert_eq!(took, [(host.run.rows.len() - 2, 500)]);
    let lines = spytui_decoder_harness::lines(&host, &trace.bytes);
    assert_eq!(lines[lines.len() - 2..], ["took 500ns  rcvid 0x1  rmsg 0x1", "failed, EINTR"]);
}

fn activities(host: &Host) -> Vec<(Verb, u64, u64)> {
    host.run.activities.iter().map(|activity| (activity.verb, activity.sub, activity.val)).collect()
}

#[test]
fn events_have_activities() {
    let mut trace = begun();
    trace.event(class::THREAD, 24, &[7, 1]).event(class::THREAD, 1, &[7, 1]).event(class::KER_CALL, 11, &[1, 2]);
    trace.event(class::COMM, 0, &[77, 9]).event(class::THREAD, 6, &[7, 1]).event(class::THREAD, 2, &[9, 1]);
    trace.event(class::INT, 1, &[11, 0]).event(class::INT, 2, &[11, 0]).event(class::THREAD, 1, &[9, 1]);
    trace.event(class::COMM, 2, &[77, 9]).event(class::KER_CALL, 128 + 14, &[77, 0]).event(class::USER, 5, &[1, 2]);
    trace.event(class::THREAD, 25, &[7, 1]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let (first, second) = (thread(7, 1), thread(9, 1));
    assert_eq!(
        activities(&host),
        [
            (Verb::CREATE, first, 0),
            (Verb::RUN, first, 0),
            (Verb::BEGIN, first, 0),
            (Verb::SEND, first, 0),
            (Verb::STATE, first, 3),
            (Verb::STATE, second, 2),
            (Verb::ISR_IN, 11, 0),
            (Verb::ISR_OUT, 11, 0),
            (Verb::RUN, second, 0),
            (Verb::RECEIVE, second, 0),
            (Verb::END, second, 0),
            (Verb::INSTANT, second, 0),
            (Verb::DELETE, first, 0),
        ]
    );
    let of = |verb| host.run.activities.iter().find(|activity| activity.verb == verb).unwrap();
    let message = |activity: &Activity| activity.second;
    assert_eq!(message(of(Verb::SEND)), message(of(Verb::RECEIVE)));
    let label = |verb| name_of(&host, &trace.bytes, of(verb));
    assert_eq!([Verb::BEGIN, Verb::STATE, Verb::INSTANT].map(label), ["MSG_SENDV", "Blocked (REPLY)", "User event 5"]);
}

#[test]
fn the_system_log_has_severities() {
    let mut trace = begun();
    for severity in 0..8 {
        trace.text(class::SYSTEM, 12, [1, severity], "hello");
    }
    let host = decode(&trace.bytes, &vec![], 4096);
    let severities: Vec<u8> = host.run.rows[3..].iter().map(|row| row.severity.0).collect();
    assert_eq!(severities, [3, 3, 3, 2, 1, 1, 0, 0]);
    assert_eq!(Severity::ERROR.0, 3);
}

#[test]
fn captures_have_names_for_all_their_threads() {
    let bytes = file("fast-2cpu.kev");
    let host = decode(&bytes, &vec![], 4096);
    let kinds: Vec<RowKind> = host.run.rows.iter().map(|row| row.kind).collect();
    assert!(kinds.iter().any(|kind| host.info.kind(*kind).is_some_and(|spec| spec.obj_space == THREADS)));
    let nameless = host.run.rows.iter().filter(|row| {
        let of_thread = host.info.kind(row.kind).is_some_and(|spec| spec.obj_space == THREADS);
        of_thread && row.has(RowFlags::HAS_OBJECT) && name(&host, THREADS, row.obj) == "-"
    });
    assert_eq!(nameless.count(), 0);
}

#[test]
fn kernel_calls_are_named_as_in_the_release_alone() {
    let host = decode(&file("fast-2cpu.kev"), &vec![], 4096);
    assert_eq!([name(&host, CALLS, 11), name(&host, CALLS, 100)], ["MSG_SENDV", "-"]);
    let host = decode(&file("qnx71-wide64.kev"), &vec![], 4096);
    assert_eq!(name(&host, CALLS, 100), "POWER_PARAMETER");
    assert!(host.run.dict.iter().filter(|event| event.space == CALLS).all(|event| event.is_built_in));
}

#[test]
fn texts_do_not_repeat_what_other_columns_show() {
    let mut trace = begun();
    trace.text(class::THREAD, 192, [1, 9], "sbin/io-pkt").event(class::THREAD, 1, &[7, 1]);
    trace.event(class::COMM, 0, &[0x77, 9]).event(class::COMM, 2, &[0x77, 9]).event(class::COMM, 10, &[2, 9]);
    trace.event(class::COMM, 5, &[3, u32::MAX]).event(class::INT, 3, &[9, 11, 0xF00, 0]).event(class::INT, 2, &[11, 1]);
    trace.event(class::THREAD, 6, &[7, 1, 10, 2]).event(class::KER_CALL, 128 + 13, &[0, 0]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let lines = spytui_decoder_harness::lines(&host, &trace.bytes);
    assert_eq!(
        lines[3..],
        [
            "ppid 1  name sbin/io-pkt",
            "",
            "→ io-pkt  rcvid 0x77",
            "rcvid 0x77",
            "→ io-pkt:2",
            "→ ?  scoid 0x3",
            "in io-pkt  ip 0xf00  area 0x0",
            "inkernel 0x1",
            "priority 10  policy 2",
            "ok",
        ]
    );
    let irq = host.run.rows.iter().find(|row| row.kind == host.run.rows[9].kind).unwrap();
    assert_eq!((irq.obj, host.info.kind(irq.kind).unwrap().tag.as_str()), (11, "handler"));
}

#[test]
fn numbers_of_interrupts_that_are_no_vectors_are_hexadecimal() {
    let mut trace = begun();
    trace.event(class::KER_CALL, 59, &[0x8000_0000, 2]).event(class::KER_CALL, 60, &[27, 2]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let lines = spytui_decoder_harness::lines(&host, &trace.bytes);
    assert_eq!(lines[3..], ["intr 0x80000000  id 2", "intr 27  id 2"]);
}

#[test]
fn channels_are_named_after_their_process() {
    let mut trace = begun();
    trace.text(class::THREAD, 192, [1, 7], "sbin/io-pkt").event(class::THREAD, 1, &[7, 1]);
    trace.event(class::KER_CALL, 35, &[0, 0]).event(class::KER_CALL, 128 + 35, &[2, 0]);
    trace.event(class::KER_CALL, 35, &[0, 0]).event(class::KER_CALL, 128 + 35, &[u32::MAX, 11]);
    trace.event(class::THREAD, 1, &[9, 1]).event(class::KER_CALL, 14, &[1, 1]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let name_of = |pid: u32, chid: u32| scoped_name(&host, CHANNELS, chid.into(), pid.into());
    assert_eq!([name_of(7, 2), name_of(7, u32::MAX), name_of(9, 1)], ["io-pkt channel 2", "-", "9 channel 1"]);
    let fields = fields(&host, &trace.bytes);
    assert_eq!(fields.last().unwrap()["chid"], 1);
}

/// In wide mode, every thread state event contains its priority; a short event does not.
#[test]
fn priorities_are_activities_where_they_change() {
    let mut trace = begun();
    for (tid, priority) in [(1, 10), (1, 10), (1, 21), (2, 10), (1, 21), (1, 10), (2, 256)] {
        trace.event(class::THREAD, 2, &[7, tid, priority, 2]);
    }
    trace.event(class::THREAD, 2, &[7, 2]).event(class::THREAD, 2, &[7, 1, 10, 2]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let priorities: Vec<_> = host.run.activities.iter().filter(|activity| activity.verb == Verb::PRIO).collect();
    assert!(priorities.iter().all(|activity| activity.flags.contains(ActivityFlags::FOR_NOW)));
    let said: Vec<_> = priorities.iter().map(|activity| (activity.sub as u32, activity.val)).collect();
    assert_eq!(said, [(1, 10), (1, 21), (2, 10), (1, 10)]);
}
