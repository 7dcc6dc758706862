//! Slices of a QNX trace compared with the records that they come from.

use std::collections::HashMap;

use serde_json::Value;
use spytui_engine::export::perfetto::proto::EventType;

use super::{folder_of, run, stderr, summary::Track};

const CAPTURE: &str = "fast-2cpu.kev";
/// End of a capture's header, and size of the system page after it.
const END: &[u8] = b"TRACE_HEADER_END::";
const SYSTEM_PAGE: usize = 512;

/// A slice: begin, end, name.
type Slice = (u64, u64, String);

/// The records in time order, and the trace.
fn capture() -> (Vec<Value>, Vec<Track>) {
    let path = folder_of("qnx").join(CAPTURE).display().to_string();
    let output = run(&["decode", "--proto", "qnx", "--format", "jsonl", &path]);
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = output.stdout.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    let rows = lines.map(|line| serde_json::from_slice(line).unwrap());
    let mut records: Vec<Value> = rows.filter(|row: &Value| row["type"] == "record" && row["ns"].is_u64()).collect();
    records.sort_by_key(ns);
    (records, super::trace("qnx", &[], &[&path]))
}

fn ns(record: &Value) -> u64 {
    record["ns"].as_u64().unwrap()
}

fn lane(record: &Value) -> u64 {
    record["lane"].as_u64().unwrap()
}

/// Process and thread that a thread event is about.
fn thread(record: &Value) -> (u64, u64) {
    (record["fields"]["pid"].as_u64().unwrap(), record["fields"]["tid"].as_u64().unwrap())
}

/// The completed slices of a track.
fn slices(tracks: &[Track], path: &str) -> Vec<Slice> {
    let track = tracks.iter().find(|track| track.path == path && !track.events.is_empty());
    let track = track.unwrap_or_else(|| panic!("no track {path}"));
    let (mut open, mut all) = (None, Vec::new());
    for (at, event) in &track.events {
        match event.r#type() {
            EventType::SliceBegin => {
                assert!(open.is_none(), "{path}: two slices at {at}");
                open = Some((*at, event.name().to_owned()));
            }
            EventType::SliceEnd => {
                let (begin, name) = open.take().unwrap_or_else(|| panic!("{path}: an end without a begin at {at}"));
                all.push((begin, *at, name));
            }
            _ => {}
        }
    }
    all
}

/// The times in which each thread ran, with the CPU: from a switch to it to its next state, or to the next thread
/// there.
fn ran(records: &[Value]) -> HashMap<(u64, u64), Vec<Slice>> {
    let mut running: HashMap<u64, ((u64, u64), u64)> = HashMap::new();
    let mut all: HashMap<(u64, u64), Vec<Slice>> = HashMap::new();
    for record in records.iter().filter(|record| record["group"] == "THREAD" && record["kind"] != "THCREATE") {
        let (at, who, lane) = (ns(record), thread(record), lane(record));
        let is_switch = record["kind"] == "THRUNNING";
        let ended: Vec<u64> = running
            .iter()
            .filter(|(core, (other, _))| *other == who || is_switch && **core == lane)
            .map(|(core, _)| *core)
            .collect();
        for core in ended {
            let (other, begin) = running.remove(&core).unwrap();
            all.entry(other).or_default().push((begin, at, format!("Running (core {core})")));
        }
        if is_switch {
            running.insert(lane, (who, at));
        }
    }
    all
}

#[test]
fn threads_run_as_their_events_say() {
    let (records, tracks) = capture();
    let ran = ran(&records);
    // Process and thread id of threads that move between CPUs.
    for (who, name) in [((6, 2), "devb-eide:2"), ((7, 3), "io-pkt-v4-hc:3")] {
        let expected = ran.get(&who).unwrap();
        assert!(expected.len() >= 10, "{name}: {}", expected.len());
        let process = name.split_once(':').unwrap().0;
        assert_eq!(slices(&tracks, &format!("{process} / {name} / {name}")), *expected, "{name}");
        // The states begin where an event reports it, or where another thread gets the CPU.
        let reported = records.iter().filter(|record| record["group"] == "THREAD" && thread(record) == who);
        let reported: Vec<u64> = reported.filter(|record| record["kind"] != "THCREATE").map(ns).collect();
        let taken = |at: u64| expected.iter().any(|slice| slice.1 == at);
        let states = slices(&tracks, &format!("{process} / {name} / {name} State"));
        let begins: Vec<u64> =
            states.iter().map(|state| state.0).filter(|at| reported.contains(at) || !taken(*at)).collect();
        assert!(reported.starts_with(&begins) && reported.len() <= begins.len() + 1, "{name}");
        // The same on the tracks of the CPUs.
        for core in 0..2 {
            let of_core = |slice: &&Slice| slice.2 == format!("Running (core {core})");
            let here: Vec<Slice> =
                expected.iter().filter(of_core).map(|slice| (slice.0, slice.1, name.to_owned())).collect();
            let path = format!("Core #{core} / Core #{core} / Core #{core}");
            let of_path: Vec<&Track> =
                tracks.iter().filter(|track| track.path == path && !track.events.is_empty()).collect();
            let found = of_path.iter().any(|track| slices(std::slice::from_ref(*track), &path) == here);
            assert!(found, "{name} on CPU {core}");
        }
    }
}

#[test]
fn kernel_calls_take_as_long_as_their_returns_say() {
    let (records, tracks) = capture();
    let mut entered: HashMap<u64, u64> = HashMap::new();
    let mut expected = Vec::new();
    for record in records.iter().filter(|record| record["kind"] == "MSG_REPLYV") {
        let is_of = record["text"].as_str().unwrap().contains(" devb-eide:2 ");
        if record["group"] == "KER_CALL" && is_of {
            entered.insert(lane(record), ns(record));
        } else if let Some(begin) = entered.remove(&lane(record)).filter(|_| record["group"] == "KER_EXIT" && is_of) {
            expected.push((begin, ns(record), "MSG_REPLYV".to_owned()));
            let took = record["fields"]["took"].as_u64().unwrap();
            assert!((ns(record) - begin).abs_diff(took) <= 1, "{record}");
        }
    }
    let path = "devb-eide / devb-eide:2 / devb-eide:2 Calls";
    let calls: Vec<Slice> = slices(&tracks, path).into_iter().filter(|slice| slice.2 == "MSG_REPLYV").collect();
    assert!(expected.len() >= 8, "{}", expected.len());
    assert_eq!(calls, expected);
}

#[test]
fn interrupts_are_slices_of_their_cpu() {
    let (records, tracks) = capture();
    for core in 0..2 {
        let of = |group: &str| {
            let here =
                |record: &&Value| record["group"] == group && record["fields"]["intr"] == 11 && lane(record) == core;
            records.iter().filter(here).map(ns).collect::<Vec<u64>>()
        };
        let expected: Vec<(u64, u64)> = of("INT_ENTR").into_iter().zip(of("INT_EXIT")).collect();
        let path = format!("Core #{core} / Core #{core} ISR #11");
        let found: Vec<(u64, u64)> = slices(&tracks, &path).into_iter().map(|slice| (slice.0, slice.1)).collect();
        assert!(!found.is_empty() && found == expected, "CPU {core}: {found:?}");
    }
}

#[test]
fn masked_events_are_left_out() {
    let path = folder_of("qnx").join("classic-nto1.bin").display().to_string();
    let mask = "kprof=0040000000000800000000000000000000000100000000000000000000000000";
    let count =
        |options: &[&str]| super::trace("qnx", options, &[&path]).iter().map(|track| track.events.len()).sum::<usize>();
    assert_eq!(count(&[]) - count(&[mask]), 43);
}

#[test]
fn threads_are_in_their_processes() {
    let (_, tracks) = capture();
    let process = tracks.iter().find(|track| track.path == "devb-eide").unwrap();
    assert_eq!(process.about.process.as_ref().unwrap().pid, Some(6));
    // A thread has the tracks that it uses.
    let empty = |track: &&Track| track.events.is_empty() && track.path.matches(" / ").count() == 2;
    let empty: Vec<&str> = tracks.iter().filter(empty).map(|track| track.path.as_str()).collect();
    assert!(empty.iter().all(|path| path.starts_with("Core #")), "{empty:?}");
}

#[test]
fn format_lines_name_user_events() {
    let folder = tempfile::tempdir().unwrap();
    let (lines, out) = (folder.path().join("m.fmt"), folder.path().join("t.pftrace"));
    std::fs::write(&lines, "user 12 ONE \"first %x\"\nuser 99 NONE \"\"\nrecord qnx 7 \"seven %x\"").unwrap();
    let [lines, out] = [lines, out].map(|path| path.display().to_string());
    let kev = folder_of("qnx").join(CAPTURE).display().to_string();
    let output = run(&["export", "perfetto", "--proto", "qnx", "--fmt", &lines, &kev, "-o", &out]);
    assert!(output.status.success(), "{}", stderr(&output));
    let tracks = super::summary::tracks(&std::fs::read(out).unwrap());
    let calls = tracks.iter().filter(|track| track.path.ends_with(" Calls"));
    let instants = calls.flat_map(|track| &track.events).filter(|(_, event)| event.r#type() == EventType::Instant);
    let names: Vec<&str> = instants.map(|(_, event)| event.name()).collect();
    let has = |name: &str| names.iter().any(|has| has.starts_with(name));
    assert!(has("ONE first ") && has("seven a417a0fe") && has("User event "), "{names:?}");
    assert!(!has("User event 12") && !has("User event 7"), "{names:?}");
    let markers: Vec<&str> =
        tracks.iter().map(|track| track.path.as_str()).filter(|path| path.contains("Marker")).collect();
    assert!(markers.is_empty(), "{markers:?}");
}

#[test]
fn a_second_run_is_at_its_own_time() {
    let once = std::fs::read(folder_of("qnx").join(CAPTURE)).unwrap();
    let mut later = once.clone();
    // The upper half of each CPU's time is in events of class CONTROL and type TIME: one round of the lower half.
    let events = once.windows(END.len()).position(|bytes| bytes == END).unwrap() + END.len() + SYSTEM_PAGE;
    for event in later[events..].chunks_exact_mut(16).filter(|event| event[..2] == [0x01, 0x04]) {
        event[8] += 1;
    }
    let folder = tempfile::tempdir().unwrap();
    let times = |bytes: &[u8]| {
        let path = folder.path().join("runs.kev");
        std::fs::write(&path, bytes).unwrap();
        let tracks = super::trace("qnx", &[], &[&path.display().to_string()]);
        let path = "Core #0 / Core #0 Trace Events";
        let track = tracks.into_iter().find(|track| track.path == path).unwrap();
        track.events.into_iter().map(|event| event.0).collect::<Vec<u64>>()
    };
    let (first, second) = (times(&once), times(&later));
    assert!(second[0] > *first.last().unwrap());
    assert_eq!(times(&[&once[..], &later].concat()), [&first[..], &second].concat());
    // The times of a run that steps back begin where the earlier ones end.
    let again = times(&[&later[..], &once].concat());
    let (kept, moved) = again.split_at(second.len());
    assert_eq!(kept, second);
    assert!(moved.windows(2).map(|pair| pair[1] - pair[0]).eq(first.windows(2).map(|pair| pair[1] - pair[0])));
}
