//! Damage, loss, several runs, and attaching late.

use crate::common::{decode, file, notes, rows};
use spytui_decoder_harness::encode::qnx::{Trace, class};
use spytui_decoder_harness::{Options, attachment_of};
use spytui_plugin_api::{
    AttachmentId, ClockEvent, StreamEvent, StreamEventKind, Verb,
    batch::ClockFlags,
    row::{RowFlags, RowKind},
};
use spytui_plugin_host::kit::Host;

/// Duration of a kernel call.
const TOOK: AttachmentId = AttachmentId(64);

const HEADER: [(&str, &str); 3] = [("SYS_RELEASE", "6.5.0"), ("CPU_NUM", "2"), ("CYCLES_PER_SEC", "1000000000")];

fn begun() -> Trace {
    let mut trace = Trace::default();
    trace.header(&HEADER, 40).at(0, 100).buffer(1, 0).time(5);
    trace
}

/// Adds events at short intervals.
fn some(trace: &mut Trace, count: u32) {
    for _ in 0..count {
        trace.low = trace.low.wrapping_add(10);
        let low = trace.low;
        trace.event(class::COMM, 0, &[7, low]);
    }
}

fn counter(host: &Host, name: &str) -> u64 {
    let spec = host.info.counters.iter().find(|spec| spec.name == name).unwrap();
    host.run.counts.get(&spec.id).copied().unwrap_or(0)
}

/// Kinds and texts of the notes after the header.
fn noted(trace: &Trace) -> Vec<String> {
    let about_a_header = |text: &str| text.starts_with("trace of") || text.starts_with("system page");
    notes(&trace.bytes, &vec![]).into_iter().map(|note| note.1).filter(|text| !about_a_header(text)).collect()
}

#[test]
fn a_lost_buffer_is_said_in_buffers() {
    let mut trace = begun();
    some(&mut trace, 3);
    trace.buffer(4, 3);
    some(&mut trace, 1);
    trace.buffer(5, 0);
    assert_eq!(
        noted(&trace),
        ["2 buffers lost, number 2-3 · ring or line", "short buffer, 1 event missing in buffer 4"]
    );
    let host = decode(&trace.bytes, &vec![], 4096);
    assert_eq!((host.run.counters().lost, counter(&host, "lost_buffers"), counter(&host, "missing_events")), (2, 2, 1));
}

#[test]
fn a_damaged_number_or_size_of_a_buffer_is_said() {
    let mut trace = begun();
    some(&mut trace, 1);
    trace.buffer(2 | 1 << 30, 3_000_000_000);
    some(&mut trace, 1);
    trace.buffer(3, 0);
    assert_eq!(
        noted(&trace),
        [
            "1 073 741 824 buffers lost, number 2-1073741825 · ring or line",
            "short buffer, 2 999 999 998 events missing in buffer 1073741826, more than it holds: its size may be damaged",
            "the previous buffer is number 2, not 1073741826: none was lost in between"
        ]
    );
    // Losses are counted according to the numbers.
    let host = decode(&trace.bytes, &vec![], 4096);
    assert_eq!((counter(&host, "lost_buffers"), host.run.counters().gaps), (1 << 30, 1));
}

#[test]
fn parts_without_begin_or_end_are_rows() {
    let mut trace = begun();
    some(&mut trace, 2);
    trace.part(2, class::USER, 1, [0; 2]).part(3, class::USER, 1, [0; 2]);
    trace.part(1, class::USER, 2, [1, 2]);
    some(&mut trace, 1);
    trace.low -= 10;
    trace.part(2, class::USER, 2, [3, 4]);
    trace.part(1, class::USER, 2, [1, 2]).part(3, class::USER, 2, [5, 6]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let orphans: Vec<usize> = (0..host.run.rows.len()).filter(|&i| host.run.rows[i].kind == RowKind::ORPHANS).collect();
    let places: Vec<_> = orphans.iter().map(|&at| crate::common::place(&host, at).1).collect();
    assert_eq!(places, [16, 16, 32]);
    let counts = ["unbalanced_cont", "unbalanced_end", "unterminated_begin"].map(|name| counter(&host, name));
    assert_eq!(counts, [1, 1, 1]);
    assert_eq!(host.run.counters().bytes(), trace.bytes.len() as u64);
    let fragments = host.run.attachments_of(orphans[2]).iter().filter(|a| a.id == AttachmentId::FRAGMENT).count();
    assert_eq!((fragments, host.run.rows[orphans[2]].len), (2, 0));
}

#[test]
fn bytes_between_events_are_skipped_and_what_follows_is_found() {
    let mut trace = begun();
    some(&mut trace, 3);
    trace.bytes.extend_from_slice(&[0x55; 7]);
    some(&mut trace, 5);
    trace.bytes.extend_from_slice(&[0; 80]);
    some(&mut trace, 5);
    trace.bytes.extend_from_slice(&[1; 9]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let counters = host.run.counters();
    assert_eq!((counters.records, counters.resyncs, counters.skipped_bytes), (15, 2, 96));
    assert_eq!(counter(&host, "tail_bytes"), 9);
    assert_eq!(
        noted(&trace),
        [
            "skipped in search of the next frame · 7 B",
            "skipped in search of the next frame · 80 B",
            "stream ends in the middle of a frame · 9 B"
        ]
    );
}

/// Four words that look like headers follow each other, one in each event.
#[test]
fn parts_of_events_are_not_taken_for_events() {
    let mut trace = begun();
    some(&mut trace, 3);
    let damaged = trace.bytes.len();
    trace.low = 0x039B_283A;
    for thread in [7, 5, 5, 6] {
        trace.low += 2;
        trace.event(class::THREAD, 1, &[0x1003, thread]);
    }
    // A byte that came twice.
    trace.bytes.insert(damaged + 4, trace.bytes[damaged + 4]);
    some(&mut trace, 5);
    let counters = decode(&trace.bytes, &vec![], 4096).run.counters();
    assert_eq!((counters.records, counters.resyncs, counters.skipped_bytes), (13, 1, 17));
}

/// Text in a trace, as from a console on the same line: its lines are readable, the rest is damage.
#[test]
fn lines_in_damage_are_rows_of_their_own() {
    const CRASH: &[u8] = b"\r\nShutdown[0,0] S/C/F=11/1/11\r\nok\r\n";
    let mut trace = begun();
    some(&mut trace, 5);
    trace.bytes.extend([&[0x05; 7], CRASH].concat());
    some(&mut trace, 5);
    trace.bytes.extend([&[0x05; 7], CRASH].concat());
    let lines = ["\r\nShutdown[0,0] S/C/F=11/1/11", "ok"];
    let damage = "skipped in search of the next frame · 7 B";
    assert_eq!(noted(&trace), [damage, lines[0], lines[1], damage, lines[0], lines[1]]);
    let counters = decode(&trace.bytes, &vec![], 7).run.counters();
    assert_eq!((counters.bytes(), counters.skipped_bytes), (trace.bytes.len() as u64, 14));
}

#[test]
fn a_long_pause_costs_nothing() {
    let mut trace = begun();
    some(&mut trace, 3);
    trace.low = trace.low.wrapping_add(0x6000_0000);
    some(&mut trace, 6);
    let host = decode(&trace.bytes, &vec![], 4096);
    assert_eq!((host.run.counters().records, host.run.counters().resyncs), (11, 0));
}

#[test]
fn the_time_goes_on_where_the_low_half_wraps() {
    let mut trace = begun();
    trace.at(0, 0xFFFF_FFF0);
    trace.event(class::COMM, 0, &[1, 2]);
    some(&mut trace, 3);
    trace.at(1, 5).event(class::COMM, 0, &[1, 2]);
    let rows = rows(&trace.bytes, &vec![]);
    let times: Vec<_> = rows.iter().filter(|(row, _)| row.kind.0 == rows[4].0.kind.0).map(|(row, _)| row).collect();
    let own = |row: &&&spytui_plugin_api::Row| row.has(RowFlags::TIME_OWN);
    let highs: Vec<_> = times.iter().filter(own).map(|row| row.time >> 32).collect();
    assert_eq!(highs, [5, 5, 6, 6]);
    // Nothing is known about the other CPU.
    assert_eq!(times.iter().filter(|row| row.core == 1 && !row.has(RowFlags::TIME_OWN)).count(), 1);
}

#[test]
fn a_time_that_goes_back_is_said() {
    let mut trace = begun();
    some(&mut trace, 3);
    let before = trace.low;
    trace.low = before - 25;
    trace.event(class::COMM, 0, &[7, 1]);
    // Another CPU has a different time.
    trace.at(1, 5).time(5).event(class::COMM, 0, &[7, 2]);
    trace.at(0, before).event(class::COMM, 0, &[7, 3]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let noted: Vec<_> = host.run.rows.iter().enumerate().filter(|(_, row)| row.kind == RowKind::TIME_BACK).collect();
    assert_eq!(noted.len(), 1, "{noted:?}");
    let (at, note) = noted[0];
    let time = |low: u32| 5 << 32 | u64::from(low);
    assert_eq!(attachment_of(&host, at, AttachmentId::SPAN), Some((time(before), time(before - 25))));
    assert_eq!((note.core, host.run.rows[at + 1].time), (0, time(before - 25)));
}

#[test]
fn several_runs_follow_each_other() {
    let mut trace = begun();
    some(&mut trace, 3);
    let second = trace.bytes.len() as u64;
    trace.header(&[("SYS_RELEASE", "7.1.0"), ("CPU_NUM", "4")], 0).at(3, 7).buffer(1, 0).time(0);
    trace.event(class::KER_CALL, 3, &[0, 0]);
    let host = decode(&trace.bytes, &vec![], 5);
    let epochs: Vec<_> = host.run.rows.iter().filter(|row| row.has(RowFlags::EPOCH)).map(|row| row.pos).collect();
    assert_eq!(epochs, [second]);
    assert_eq!((host.run.counters().skipped_bytes, host.run.counters().gaps), (0, 0));
    let kind = host.run.rows.last().unwrap().kind;
    assert_eq!(host.info.kind(kind).unwrap().name, "CACHE_FLUSH");
}

/// The time that lists show as 0, each time it is reported.
fn zeros(host: &Host) -> Vec<u64> {
    let is_known = |clock: &&ClockEvent| clock.flags.contains(ClockFlags::FIRST);
    host.run.clocks.iter().filter(is_known).map(|clock| clock.first).collect()
}

#[test]
fn each_run_has_its_own_zero() {
    let mut trace = begun();
    some(&mut trace, 3);
    trace.header(&HEADER, 0).at(0, 7).buffer(1, 0).time(2);
    some(&mut trace, 3);
    // No header: only the time reveals it.
    trace.at(0, 9).buffer(1, 0).time(1);
    some(&mut trace, 3);
    assert_eq!(zeros(&decode(&trace.bytes, &vec![], 4096)), [5 << 32 | 100, 2 << 32 | 7, 1 << 32 | 9]);
    let record = |seconds: u32| [0x10_u32, seconds, 0x1001, 17].map(u32::to_le_bytes).concat();
    let log = [900_000_000, 5].map(|start: u32| (start..start + 9).flat_map(record).collect::<Vec<u8>>()).concat();
    let host = decode(&log, &vec![("profile", b"qnx4")], 4096);
    assert_eq!(zeros(&host), [900_000_000, 5].map(|second: u64| second * 1_000_000_000));
    assert_eq!(host.run.rows.iter().filter(|row| row.has(RowFlags::EPOCH)).count(), 1);
}

#[test]
fn a_restart_without_a_header_is_seen_by_buffer_and_time() {
    let mut trace = begun();
    some(&mut trace, 3);
    trace.at(0, 200).buffer(1, 0).time(2);
    some(&mut trace, 2);
    let host = decode(&trace.bytes, &vec![], 4096);
    let restart = host.run.rows.iter().find(|row| row.kind == RowKind::RESTART).unwrap();
    assert!(restart.has(RowFlags::EPOCH));
    assert_eq!((host.run.counters().gaps, host.run.rows.last().unwrap().time >> 32), (0, 2));
}

#[test]
fn buffers_of_release_8_are_numbered_by_cpu() {
    let mut trace = Trace::default();
    trace.header(&[("SYS_RELEASE", "8.0.0"), ("CPU_NUM", "2")], 0);
    for (cpu, number) in [(0, 1), (1, 1), (0, 2), (1, 4), (0, 3)] {
        trace.at(cpu, trace.low + 50).time(1).buffer(number, 99).event(class::COMM, 0, &[1, 2]);
        trace.event(class::CONTROL, 4, &[0xE6E6_E6E6, 0xE6E6_E6E6]);
    }
    trace.event(class::CONTROL, 8, &[17, 0]);
    let host = decode(&trace.bytes, &vec![], 4096);
    assert_eq!(
        noted(&trace),
        [
            "2 buffers lost, number 2-3 · ring or line",
            "events dropped by the target: DROPPED 17, which may be their number"
        ]
    );
    assert_eq!((counter(&host, "short_buffers"), counter(&host, "drop_events")), (0, 1));
    let [.., drop, record] = &host.run.rows[..] else { panic!("no rows") };
    assert_eq!((drop.kind, drop.core, record.is_record()), (RowKind::DROP, record.core, true));
}

#[test]
fn a_companion_says_how_many_events_were_dropped() {
    const DROP_TOTAL: u16 = 1021;
    let reported = |attributes: &[(&str, &str)]| {
        let mut trace = Trace::default();
        trace.header(attributes, 0).at(0, 100).buffer(1, 0).time(5);
        for total in [0, 17, 17, 18, 3] {
            trace.low += 10;
            trace.event(class::USER, DROP_TOTAL, &[total, 0]);
        }
        let host = decode(&trace.bytes, &vec![], 7);
        assert_eq!(host.run.counters().records, 7, "each stays a record");
        assert_eq!(host.run.counters().dropped, counter(&host, "overrun_events"));
        (noted(&trace), counter(&host, "overrun_events"))
    };
    let notes = [
        "17 events dropped by the target, 17 in all",
        "1 event dropped by the target, 18 in all",
        "3 events dropped by the target, 3 in all",
    ];
    let with = [&HEADER[..], &[("STY", "1")]].concat();
    assert_eq!(reported(&with), (notes.map(str::to_owned).to_vec(), 21));
    assert_eq!(reported(&HEADER), (Vec::new(), 0));
}

#[test]
fn a_stream_may_be_joined_anywhere() {
    for (name, at, opts) in [
        ("fast-2cpu.kev", 5_001, vec![("release", &b"6"[..]), ("cpus", b"2"), ("profile", b"kev")]),
        ("wide-be.kev", 6_007, vec![("release", b"6")]),
        ("qnx71-wide64.kev", 9_003, vec![]),
    ] {
        let bytes = &file(name)[at..];
        let host = decode(bytes, &opts, 4096);
        let counters = host.run.counters();
        assert!(counters.skipped_bytes < 16 && counters.resyncs == 1, "{name}: {counters:?}");
        assert!(counters.records > 300, "{name}: {counters:?}");
    }
}

#[test]
fn what_the_header_says_wins_and_is_noted() {
    let opts: Options<'_> =
        vec![("release", b"8"), ("endian", b"big"), ("cpus", b"9"), ("cycles-per-sec", b"5"), ("profile", b"qnx4")];
    let texts: Vec<_> = notes(&file("fast-2cpu.kev"), &opts).into_iter().map(|note| note.1).collect();
    assert_eq!(
        texts[..6],
        [
            "trace of QNX 6.4.1, x86pc, 2 CPU, 736629000 cycles/s, from Wed Mar 11 09:14:02 2026",
            "profile is kev, not qnx4 as set",
            "endian is little, not big as set",
            "release is 6, not 8 as set",
            "cpus is 2, not 9 as set",
            "cycles-per-sec is 736629000, not 5 as set",
        ]
    );
}

#[test]
fn memory_for_events_without_an_end_is_bounded() {
    let mut trace = begun();
    // More events than are kept, one with too many parts, and one that stays incomplete too long.
    for i in 0..1_100 {
        trace.part(1, class::USER, i % 1024, [0; 2]);
        trace.low += 1;
    }
    for _ in 0..5_000 {
        trace.part(2, class::USER, 1099 - 1024, [0; 2]);
    }
    let host = decode(&trace.bytes, &vec![], 4096);
    assert_eq!(counter(&host, "unterminated_begin"), 1_100);
    assert_eq!(host.run.counters().bytes(), trace.bytes.len() as u64);
}

#[test]
fn what_a_disconnect_cuts_off_of_a_buffer_is_not_counted_as_missing() {
    let mut trace = begun();
    trace.buffer(2, 50);
    some(&mut trace, 4);
    let texts = |kind| {
        let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
        host.feed(&trace.bytes, &[]).unwrap();
        let pos = trace.bytes.len() as u64;
        host.feed(b"", &[StreamEvent { kind, pos, ..Default::default() }]).unwrap();
        let missing = counter(&host, "missing_events");
        (spytui_decoder_harness::lines(&host, &trace.bytes).pop().unwrap(), missing, counter(&host, "short_buffers"))
    };
    let cut = "short buffer, up to 45 events missing in buffer 2: cut off as the link went down";
    assert_eq!(texts(StreamEventKind::LINK_DOWN), (cut.to_owned(), 0, 1));
    let lost = cut.replace("as the link went down", "by the loss on this side");
    assert_eq!(texts(StreamEventKind::HOST_LOSS), (lost, 0, 1));
    assert_eq!(texts(StreamEventKind::END), ("short buffer, 45 events missing in buffer 2".to_owned(), 45, 1));
}

#[test]
fn every_note_of_lost_events_is_a_loss() {
    let host = decode(&file("gaps-damaged.kev"), &vec![], 4096);
    let is_quiet = |kind| [RowKind::PROLOG, RowKind(RowKind::FIRST_OWN_NOTE.0 + 1), RowKind::TAIL].contains(&kind);
    let notes = host.run.rows.iter().filter(|row| !row.is_record() && !is_quiet(row.kind));
    assert_eq!(notes.clone().count(), 13);
    assert!(notes.clone().all(|row| row.kind.is_loss()));
    assert_eq!(notes.filter(|row| row.kind == RowKind::FIRST_OWN_LOSS).count(), 4);
}

#[test]
fn a_link_that_breaks_gives_up_what_is_left_of_an_event() {
    for (kind, row) in [(StreamEventKind::LINK_DOWN, RowKind::CUT_OFF), (StreamEventKind::HOST_LOSS, RowKind::RESYNC)] {
        let mut trace = begun();
        some(&mut trace, 4);
        let bytes = &trace.bytes[..trace.bytes.len() - 3];
        let mut host = Host::open(crate::common::decoder(), &[]).unwrap();
        host.feed(bytes, &[]).unwrap();
        host.feed(b"", &[StreamEvent { kind, pos: bytes.len() as u64, ..Default::default() }]).unwrap();
        let left_over: Vec<(RowKind, u32)> =
            host.run.rows.iter().filter(|r| r.kind == row).map(|r| (r.kind, r.len)).collect();
        assert_eq!(left_over, [(row, 13)]);
    }
}

/// Threads that run, then calls and user events: returns the owners of rows after the last buffer, and the number of
/// durations.
fn owners_behind(release: &str, loss: impl Fn(&mut Trace) -> &mut Trace) -> (Vec<Option<u64>>, usize) {
    let mut trace = Trace::default();
    trace.header(&[("SYS_RELEASE", release), ("CPU_NUM", "2"), ("CYCLES_PER_SEC", "1000000000")], 0);
    for cpu in [1, 0] {
        trace.at(cpu, 100 + cpu).time(5).buffer(2 - cpu, 0);
        trace.event(class::THREAD, 1, &[7, 1 + cpu]).event(class::KER_CALL, 11, &[1, 2]);
    }
    loss(&mut trace);
    let before = decode(&trace.bytes, &vec![], 4096).run.counters().records as usize;
    for cpu in [0, 1] {
        trace.at(cpu, 900 + cpu).event(class::USER, 5, &[1, 2]).event(class::KER_CALL, 128 + 11, &[0, 0]);
    }
    trace.at(0, 950).event(class::THREAD, 1, &[7, 3]).event(class::USER, 5, &[1, 2]);
    let host = decode(&trace.bytes, &vec![], 4096);
    let behind = host.run.rows.iter().filter(|row| row.is_record()).skip(before);
    let owners = behind.map(|row| row.has(RowFlags::HAS_OBJECT).then_some(row.obj & 0xFFFF_FFFF)).collect();
    let durations = (0..host.run.rows.len()).filter(|&at| attachment_of(&host, at, TOOK).is_some()).count();
    (owners, durations)
}

#[test]
fn who_runs_is_unknown_from_a_loss_until_the_next_switch() {
    let known = [Some(1), Some(1), Some(2), Some(2), Some(3), Some(3)];
    assert_eq!(owners_behind("6.5.0", |trace| trace), (known.to_vec(), 2));
    let unknown = [None, None, None, None, Some(3), Some(3)];
    let losses: [fn(&mut Trace) -> &mut Trace; 5] = [
        |trace| trace.at(0, 800).buffer(4, 0),
        |trace| trace.at(0, 800).buffer(3, 9).event(class::COMM, 0, &[1, 2]).buffer(4, 0),
        |trace| {
            trace.bytes.extend_from_slice(&[0; 32]);
            trace
        },
        |trace| trace.at(0, 800).part(3, class::USER, 1, [0; 2]),
        |trace| trace.at(0, 800).part(1, class::USER, 1, [0; 2]).part(1, class::USER, 1, [0; 2]),
    ];
    for (i, loss) in losses.into_iter().enumerate() {
        assert_eq!(owners_behind("6.5.0", loss), (unknown.to_vec(), 0), "{i}");
    }
}

#[test]
fn what_is_lost_of_a_cpu_with_buffers_of_its_own_concerns_that_one_alone() {
    let (owners, durations) = owners_behind("8.0.0", |trace| trace.at(0, 800).buffer(4, 0));
    assert_eq!((owners, durations), (vec![None, None, Some(2), Some(2), Some(3), Some(3)], 1));
}

#[test]
fn states_are_uncertain_from_a_loss_on_but_the_target_was_not_reset() {
    let mut trace = begun();
    trace.event(class::THREAD, 1, &[7, 1]).at(0, 800).buffer(3, 0);
    let host = decode(&trace.bytes, &vec![], 4096);
    let activities: Vec<_> = host.run.activities.iter().map(|activity| activity.verb).collect();
    assert_eq!(activities, [Verb::RUN]);
    let doubts = host.run.rows.iter().filter(|row| row.may_hide_records()).map(|row| row.kind);
    assert_eq!(doubts.collect::<Vec<_>>(), [RowKind::GAP]);
}

#[test]
fn headers_without_an_end_are_skipped_and_the_next_whole_one_is_taken() {
    let mut bytes = b"TRACE_HEADER_BEGIN::".repeat(5_000);
    let skipped = bytes.len() as u64;
    bytes.extend(begun().bytes);
    for size in [bytes.len(), 4096] {
        let host = decode(&bytes, &vec![], size);
        let counters = host.run.counters();
        assert_eq!((counters.records, counters.skipped_bytes), (2, skipped));
    }
}

#[test]
fn a_thread_of_one_process_too_many_is_left_out() {
    const RUNNING: u16 = 1;
    let mut trace = begun();
    for pid in 1..=1 << 14 {
        trace.event(class::THREAD, RUNNING, &[pid, 1]);
    }
    for _ in 0..3 {
        trace.event(class::THREAD, RUNNING, &[99_999, 1]).event(class::COMM, 0, &[7, 1]);
    }
    let host = decode(&trace.bytes, &vec![], 4096);
    let messages = host.run.rows.iter().rev().filter(|row| row.is_record()).step_by(2).take(3);
    assert_eq!(messages.filter(|row| row.has(RowFlags::HAS_OBJECT)).count(), 0);
}
