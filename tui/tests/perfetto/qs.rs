//! State slices, messages and levels of QS traces compared with the records that they come from.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use spytui_engine::export::perfetto::proto::EventType;

use super::{folder_of, run, stderr, summary::Track, trace};

/// The records of a capture, as written by `decode`.
fn records(file: &str) -> Vec<Value> {
    let path = folder_of("qs").join(file).display().to_string();
    let output = run(&["decode", "--proto", "qs", "--format", "jsonl", &path]);
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = output.stdout.split(|&b| b == b'\n').filter(|l| !l.is_empty());
    lines.map(|l| serde_json::from_slice(l).unwrap()).filter(|r: &Value| r["type"] == "record").collect()
}

/// A name in a record: from its names, otherwise from its fields.
fn named(record: &Value, field: &str) -> Option<String> {
    let name = record["names"][field].as_str().map(str::to_owned);
    name.or_else(|| record["fields"][field].as_u64().map(|n| format!("0x{n:X}")))
}

fn is(record: &Value, kinds: &[&str]) -> bool {
    kinds.iter().any(|kind| record["kind"] == *kind)
}

fn find<'t>(tracks: &'t [Track], path: &str) -> &'t Track {
    tracks.iter().find(|t| t.path == path).unwrap_or_else(|| panic!("no track {path}"))
}

/// The captures with names from the start.
const WHOLE: [&str; 3] = ["oven-734.bin", "oven-815.bin", "oven-693-32bit.bin"];

#[test]
fn states_are_those_of_initial_and_other_transitions() {
    for file in WHOLE {
        let tracks = trace("qs", &[], &[file]);
        let mut states: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for record in records(file) {
            let state = match record["kind"].as_str() {
                Some("QS_QEP_INIT_TRAN") => "state",
                Some("QS_QEP_TRAN") => "target",
                _ => continue,
            };
            states.entry(named(&record, "obj").unwrap()).or_default().push(named(&record, state).unwrap());
        }
        assert!(states.len() >= 4, "{file}");
        for (object, states) in states {
            let track = find(&tracks, &format!("{object} / {object} State"));
            let begins = track.events.iter().filter(|(_, e)| e.r#type() == EventType::SliceBegin);
            let slices: Vec<&str> = begins.map(|(_, e)| e.name()).collect();
            assert_eq!(slices, states, "{file}: {object}");
            // One after the other; the last one is open.
            assert_eq!(track.count(EventType::SliceEnd) + 1, slices.len(), "{file}: {object}");
        }
    }
}

#[test]
fn every_message_that_is_taken_was_posted() {
    for file in WHOLE {
        let tracks = trace("qs", &[], &[file]);
        let records = records(file);
        let count = |kinds: &[&str]| records.iter().filter(|r| is(r, kinds)).count();
        let posts = ["QS_QF_ACTIVE_POST", "QS_QF_ACTIVE_POST_LIFO", "QS_QF_EQUEUE_POST", "QS_QF_EQUEUE_POST_LIFO"];
        let gets = ["QS_QF_ACTIVE_GET", "QS_QF_ACTIVE_GET_LAST", "QS_QF_EQUEUE_GET", "QS_QF_EQUEUE_GET_LAST"];
        let events = || tracks.iter().flat_map(|t| t.events.iter().map(|e| &e.1));
        let sent: Vec<u64> = events().flat_map(|e| e.flow_ids.iter().copied()).collect();
        let got: Vec<u64> = events().flat_map(|e| e.terminating_flow_ids.iter().copied()).collect();
        assert_eq!(sent.len(), count(&posts), "{file}");
        // What was posted before the trace began is taken without an arrow.
        assert!(
            got.len() <= count(&gets) && got.len() + 5 >= count(&gets),
            "{file}: {} of {}",
            got.len(),
            count(&gets)
        );
        let mut once = got.clone();
        once.sort_unstable();
        once.dedup();
        assert!(once.len() == got.len() && once.iter().all(|id| sent.contains(id)), "{file}");
        assert_eq!(events().filter(|e| e.name().starts_with("get ")).count(), count(&gets), "{file}");
    }
}

/// Times of both ends of each arrow.
fn arrows(tracks: &[Track]) -> BTreeSet<[u64; 2]> {
    let events = || tracks.iter().flat_map(|track| &track.events);
    let sent = events().flat_map(|(time, event)| event.flow_ids.iter().map(|flow| (*flow, *time)));
    let sent: BTreeMap<u64, u64> = sent.collect();
    let got = events().flat_map(|(time, event)| event.terminating_flow_ids.iter().map(|flow| [sent[flow], *time]));
    got.collect()
}

#[test]
fn behind_a_loss_there_is_no_arrow_that_was_none_without_it() {
    let folder = tempfile::tempdir().unwrap();
    for file in WHOLE {
        let whole = arrows(&trace("qs", &[], &[file]));
        let bytes = std::fs::read(folder_of("qs").join(file)).unwrap();
        let frames: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == 0x7E).collect();
        for at in (200..frames.len() - 100).step_by(frames.len() / 12) {
            let path = folder.path().join("damaged.bin").display().to_string();
            // Attached late, so that the length of queues never seen empty is unknown.
            std::fs::write(&path, [&frames[at - 30..at], &frames[at + 30..]].concat().concat()).unwrap();
            let damaged = arrows(&trace("qs", &[], &[&path]));
            assert!(!damaged.is_empty(), "{file}: {at}");
            assert!(damaged.is_subset(&whole), "{file}, {at}: {:?}", damaged.difference(&whole).next());
        }
    }
}

#[test]
fn levels_are_the_free_places_of_the_records() {
    for file in WHOLE {
        let tracks = trace("qs", &[], &[file]);
        let mut levels: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        let mut emptied: BTreeMap<String, usize> = BTreeMap::new();
        for record in records(file) {
            let (Some(object), kind) = (named(&record, "obj"), record["kind"].as_str().unwrap_or_default()) else {
                continue;
            };
            if kind.ends_with("GET_LAST") {
                *emptied.entry(object).or_default() += 1;
            } else if let Some(free) = record["fields"]["free"].as_i64() {
                levels.entry(object).or_default().push(free);
            }
        }
        assert!(levels.len() >= 5, "{file}: {levels:?}");
        for (object, levels) in levels {
            let values = find(&tracks, &format!("{object} / {object} Free")).values();
            let emptied = emptied.get(&object).copied().unwrap_or(0);
            assert!(values.len() >= levels.len() && values.len() <= levels.len() + emptied, "{file}: {object}");
            // Without the values added for empty queues, they are those of the records, in order.
            let mut rest = values.iter();
            assert!(levels.iter().all(|level| rest.any(|v| v == level)), "{file}: {object}: {values:?} of {levels:?}");
        }
    }
}

#[test]
fn timers_ticks_and_user_records_are_shown() {
    let tracks = trace("qs", &[], &["oven-734.bin"]);
    let records = records("oven-734.bin");
    let count = |kind: &str| records.iter().filter(|r| r["kind"] == kind).count();
    let timers: usize = tracks.iter().filter(|t| t.path.ends_with(" Timer")).map(|t| t.count(EventType::Instant)).sum();
    assert_eq!(timers, count("QS_QF_TIMEEVT_POST"));
    let ticks: usize = tracks.iter().filter(|t| t.path.starts_with("Tick ")).map(|t| t.count(EventType::Counter)).sum();
    assert_eq!(ticks, count("QS_QF_TICK"));
    let users = records.iter().filter(|r| r["kind"].as_str().is_some_and(|k| k.starts_with("USER"))).count();
    let shown = ["HEXES", "WIDE", "FLOATS", "NAMES", "BLOB", "ENUMS", "TELEM", "USER+9"];
    let instants: usize = shown.iter().map(|name| find(&tracks, name).count(EventType::Instant)).sum();
    assert!(users > 200 && instants == users, "{instants} of {users}");
    let stamped = records.iter().filter(|r| r.get("time").is_some()).count();
    assert_eq!(find(&tracks, "Core #0 / Core #0 Trace Events").count(EventType::Instant), stamped);
}

/// The record that a timer is disarmed has no time stamp; the record of its firing directly follows it.
#[test]
fn a_timer_that_fires_once_ends_as_it_expires() {
    for file in WHOLE {
        let tracks = trace("qs", &[], &[file]);
        let mut ends: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let (mut armed, mut expired) = (BTreeMap::new(), 0);
        for record in records(file) {
            let Some(timer) = named(&record, "obj").filter(|_| !is(&record, &["QS_QF_TIMEEVT_AUTO_DISARM"])) else {
                continue;
            };
            let time = || record["time"].as_u64().unwrap();
            let begins = is(&record, &["QS_QF_TIMEEVT_ARM", "QS_QF_TIMEEVT_REARM"]);
            let fires = is(&record, &["QS_QF_TIMEEVT_POST"]) && armed.get(&timer) == Some(&0);
            if begins || fires || is(&record, &["QS_QF_TIMEEVT_DISARM"]) {
                expired += usize::from(fires);
                if armed.remove(&timer).is_some() {
                    ends.entry(timer.clone()).or_default().push(time());
                }
            }
            if begins {
                armed.insert(timer, record["fields"]["int"].as_u64().unwrap());
            }
        }
        assert!(expired > 3, "{file}");
        for (timer, ends) in ends {
            let track = find(&tracks, &format!("{timer} / {timer} Timer"));
            let of_trace = track.events.iter().filter(|(_, e)| e.r#type() == EventType::SliceEnd);
            assert_eq!(of_trace.map(|(ns, _)| *ns).collect::<Vec<_>>(), ends, "{file}: {timer}");
        }
    }
}

/// A tick has no time stamp: it is placed at the next one, and shared ones are reported.
#[test]
fn ticks_share_no_moment_silently() {
    for (file, said) in [("oven-734.bin", true), ("every-record-734.bin", false)] {
        let mut waiting: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
        let mut expected: BTreeMap<u64, Vec<(u64, i64)>> = BTreeMap::new();
        let (mut together, records) = (0, records(file));
        // Those after the last time stamp are placed there.
        let last = records.iter().rfind(|record| record["time"].is_u64()).cloned();
        for record in records.into_iter().chain(last) {
            if let Some(time) = record["time"].as_u64() {
                for (rate, ticks) in std::mem::take(&mut waiting) {
                    together += if ticks.len() > 1 { ticks.len() } else { 0 };
                    expected.entry(rate).or_default().extend(ticks.into_iter().map(|tick| (time, tick)));
                }
            } else if is(&record, &["QS_QF_TICK"]) && record["fields"]["ctr"].is_u64() {
                let field = |name: &str| record["fields"][name].as_u64().unwrap();
                waiting.entry(field("rate")).or_default().push(field("ctr") as i64);
            }
        }
        let path = folder_of("qs").join(file).display().to_string();
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("t.pftrace").display().to_string();
        let note = stderr(&run(&["export", "perfetto", "--proto", "qs", &path, "-o", &out]));
        assert_eq!(note.contains(&format!("{together} ticks have no time stamp")), said, "{note}");
        assert_eq!(note.contains("are placed together at the second"), together > 0, "{note}");
        let tracks = super::summary::tracks(&std::fs::read(out).unwrap());
        let ticks = |track: &Track| track.events.iter().map(|(ns, e)| (*ns, e.counter_value.unwrap())).collect();
        let mut shown: Vec<Vec<(u64, i64)>> =
            tracks.iter().filter(|t| t.path.starts_with("Tick ") && t.about.counter.is_some()).map(ticks).collect();
        shown.sort();
        let mut expected: Vec<Vec<(u64, i64)>> = expected.into_values().collect();
        expected.sort();
        assert_eq!(shown, expected, "{file}");
    }
}

#[test]
fn losses_stand_among_the_errors() {
    let path = folder_of("qs").join("oven-734-drops.bin").display().to_string();
    let output = run(&["decode", "--proto", "qs", "--format", "jsonl", &path]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let gaps = text.lines().filter(|l| l.contains("\"kind\":\"gap\"")).count();
    let tracks = trace("qs", &["obj-ptr=8", "fun-ptr=8"], &["oven-734-drops.bin"]);
    assert!(gaps >= 10 && find(&tracks, "Tracing Errors").count(EventType::Instant) >= gaps);
}
