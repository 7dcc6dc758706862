//! State slices, messages and levels of RKH traces compared with the records that they come from.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use spytui_engine::export::perfetto::proto::EventType;

use super::{
    folder_of, run, stderr,
    summary::{Track, tracks},
};

/// Captures that contain their names.
const WHOLE: [&str; 3] = ["gh340-default.bin", "el323-sig2.bin", "gh246-default.bin"];

fn records(path: &str) -> Vec<Value> {
    let output = run(&["decode", "--proto", "rkh", "--format", "jsonl", path]);
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = output.stdout.split(|&b| b == b'\n').filter(|l| !l.is_empty());
    lines.map(|l| serde_json::from_slice(l).unwrap()).filter(|r: &Value| r["type"] == "record").collect()
}

/// A capture: its records, its trace, and the names of its addresses.
fn capture(file: &str) -> (Vec<Value>, Vec<Track>, HashMap<u64, String>) {
    let path = folder_of("rkh-trazer").join(file).display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("t.pftrace").display().to_string();
    let output = run(&["export", "perfetto", "--proto", "rkh", "-o", &out, &path]);
    assert!(output.status.success(), "{file}: {}", stderr(&output));
    let records = records(&path);
    let named = records.iter().filter_map(|r| Some((number(r, "obj")?, r["fields"]["nm"].as_str()?)));
    let names = named.map(|(key, name)| (key, name.trim_start_matches('&').to_owned())).collect();
    (records, tracks(&std::fs::read(out).unwrap()), names)
}

fn number(record: &Value, field: &str) -> Option<u64> {
    record["fields"][field].as_u64()
}

fn find<'t>(tracks: &'t [Track], path: &str) -> &'t Track {
    tracks.iter().find(|t| t.path == path).unwrap_or_else(|| panic!("no track {path}"))
}

fn count(records: &[Value], kinds: &[&str]) -> usize {
    records.iter().filter(|r| kinds.iter().any(|kind| r["kind"] == *kind)).count()
}

#[test]
fn states_are_those_of_transitions_and_of_rest() {
    for file in WHOLE {
        let (records, tracks, names) = capture(file);
        let mut states: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for record in &records {
            let (kind, Some(ao)) = (record["kind"].as_str().unwrap_or_default(), number(record, "ao")) else {
                continue;
            };
            let of = states.entry(ao).or_default();
            match (kind, number(record, "tst"), number(record, "nxtst")) {
                ("SM.TRN", Some(target), _) if target != 0 => of.push(target),
                // A confirmed state continues.
                ("SM.STATE", _, Some(state)) if of.last() != Some(&state) => of.push(state),
                _ => {}
            }
        }
        states.retain(|_, s| !s.is_empty());
        assert!(states.len() >= 3, "{file}");
        for (ao, states) in states {
            let ao = names.get(&ao).unwrap_or_else(|| panic!("{file}: no name of {ao:X}"));
            let track = find(&tracks, &format!("{ao} / {ao} State"));
            let begins = track.events.iter().filter(|(_, e)| e.r#type() == EventType::SliceBegin);
            let slices: Vec<&str> = begins.map(|(_, e)| e.name()).collect();
            let expected: Vec<&str> = states.iter().map(|s| names.get(s).map_or("", String::as_str)).collect();
            assert_eq!(slices, expected, "{file}: {ao}");
        }
    }
}

#[test]
fn a_timer_that_fires_once_ends_as_it_expires() {
    for file in WHOLE {
        let (records, tracks, names) = capture(file);
        let mut once: HashMap<u64, bool> = HashMap::new();
        let mut ends: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for record in &records {
            let Some(timer) = number(record, "t") else { continue };
            let ended = match record["kind"].as_str().unwrap_or_default() {
                "TIM.START" => once.insert(timer, number(record, "per") == Some(0)).is_some(),
                "TIM.TOUT" if once.get(&timer) == Some(&true) => once.remove(&timer).is_some(),
                "TIM.STOP" | "TIM.REM" => once.remove(&timer).is_some(),
                _ => false,
            };
            if ended {
                ends.entry(timer).or_default().push(record["ns"].as_u64().unwrap());
            }
        }
        assert!(!ends.is_empty(), "{file}");
        for (timer, ends) in ends {
            let name = &names[&timer];
            let track = find(&tracks, &format!("{name} / {name} Timer"));
            let of_trace = track.events.iter().filter(|(_, e)| e.r#type() == EventType::SliceEnd);
            assert_eq!(of_trace.map(|(ns, _)| *ns).collect::<Vec<_>>(), ends, "{file}: {name}");
        }
    }
}

#[test]
fn every_message_that_is_taken_was_posted() {
    for file in WHOLE {
        let (records, tracks, _) = capture(file);
        let events = || tracks.iter().flat_map(|t| t.events.iter().map(|e| &e.1));
        let sent: Vec<u64> = events().flat_map(|e| e.flow_ids.iter().copied()).collect();
        let got: Vec<u64> = events().flat_map(|e| e.terminating_flow_ids.iter().copied()).collect();
        assert_eq!(sent.len(), count(&records, &["SMA.FIFO", "SMA.LIFO"]), "{file}");
        assert_eq!(events().filter(|e| e.name().starts_with("get ")).count(), count(&records, &["SMA.GET"]), "{file}");
        assert!(got.len() + 5 >= count(&records, &["SMA.GET"]), "{file}: {}", got.len());
        assert!(got.iter().all(|id| sent.contains(id)), "{file}");
    }
}

#[test]
fn levels_are_those_of_the_records() {
    for file in WHOLE {
        let (records, tracks, names) = capture(file);
        let mut levels: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for record in &records {
            let kind = record["kind"].as_str().unwrap_or_default();
            let (of, field, word) = match kind.split_once('.') {
                Some(("SMA", "FIFO" | "LIFO" | "GET")) => ("ao", "nelem", "Level"),
                Some(("RQ", "FIFO" | "LIFO" | "GET")) => ("q", "nelem", "Level"),
                Some(("MP", "GET" | "PUT")) => ("mp", "nfree", "Free"),
                _ => continue,
            };
            let (Some(key), Some(level)) = (number(record, of), number(record, field)) else { continue };
            let name = names.get(&key).cloned().unwrap_or_else(|| format!("0x{key:X}"));
            levels.entry(format!("{name} / {name} {word}")).or_default().push(level as i64);
        }
        assert!(levels.len() >= 6, "{file}: {levels:?}");
        for (path, levels) in levels {
            // Queues become empty with their last element, as other records show.
            let values = find(&tracks, &path).values();
            let mut rest = values.iter();
            assert!(levels.iter().all(|level| rest.any(|v| v == level)), "{file}: {path}: {values:?} of {levels:?}");
        }
    }
}
