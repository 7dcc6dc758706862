//! Handmade streams of QS records, as shown in jsonl.

use crate::lines::command;
use crate::rig::folder;

/// Info of a QS target with pointers of this size.
fn info(reset: u8, version: u16, pointer: u8) -> [u8; 16] {
    let [low, high] = version.to_le_bytes();
    [reset, low, high, 0x22, 0x41, 0x22, pointer * 0x11, 4, 32, 0x23, 9, 30, 14, 20, 11, 26]
}

/// Objects of a stream that begins with the info of a target of some version.
fn objects(version: u16, records: &[(u8, &[u8])]) -> Vec<serde_json::Value> {
    let start = [(0, &[][..]), (64, &info(0xFF, version, 4)[..])];
    decoded(&[&start, records].concat(), "").split_off(2)
}

/// Objects of a stream of records, which must not need escapes.
fn decoded(records: &[(u8, &[u8])], filter: &str) -> Vec<serde_json::Value> {
    let mut bytes = Vec::new();
    for (seq, (id, payload)) in (1u8..).zip(records) {
        let sum = payload.iter().fold(id.wrapping_add(seq), |sum, b| sum.wrapping_add(*b));
        bytes.extend([&[seq, *id][..], payload, &[!sum, 0x7E]].concat());
    }
    let folder = folder();
    std::fs::write(folder.path().join("made.bin"), bytes).unwrap();
    let args = ["decode", "--proto", "qs", "--format", "jsonl", "made.bin", "--filter", filter];
    let output = command(args).current_dir(folder.path()).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn kinds_have_the_name_and_number_of_their_version() {
    const RECORD: &[u8] = &[1, 0, 0, 0, 1, 7];
    let kinds = |version: u16, records: &[(u8, &[u8])]| -> Vec<String> {
        objects(version, records).iter().map(|o| format!("{} {}", o["id"], o["kind"].as_str().unwrap())).collect()
    };
    let new = kinds(734, &[(109, RECORD), (124, RECORD), (43, &[]), (90, &[]), (48, RECORD)]);
    assert_eq!(new, ["109 USER+9", "124 USER+24", "43 QS_QF_INT_DISABLE", "90 QS_RESERVED", "48 QS_SCHED_PREEMPT"]);
    let old = kinds(650, &[(70, RECORD), (74, RECORD), (113, RECORD), (48, RECORD)]);
    assert_eq!(old, ["70 USER+0", "74 USER+4", "113 USER+43", "48 QS_MUTEX_LOCK"]);
    assert_eq!(kinds(700, &[(81, &[])]), ["81 QS_RESERVED"]);
    let start = (64, &info(0xFF, 650, 4)[..]);
    assert_eq!(decoded(&[(0, &[]), start, (70, RECORD), (113, RECORD)], "kind:70").len(), 1);
    let text = objects(650, &[(63, b"FFIRST\0"), (70, RECORD)])[1]["text"].to_string();
    assert!(text.contains("FIRST 7"), "{text}");
}

#[test]
fn the_signal_of_an_element_comes_with_its_object() {
    let signal: &[u8] = &[1, 0, 0, 0, 0x0A, 5, 0, 0x11, 0, 0, 0, 0x1A, 6, 0, 0, 0, 0, 0];
    let items = &objects(734, &[(100, signal)])[0]["items"];
    assert_eq!(items.to_string(), r#"[{"obj":17,"t":10,"v":5,"w":0},{"t":10,"v":6,"w":1}]"#);
}

#[test]
fn what_a_target_reports_late_holds_for_the_epoch_it_was_reported_in() {
    let entry: &[u8] = &[&[0x11u8][..], &[0; 7], &[0x22], &[0; 7]].concat();
    let records: [(u8, &[u8]); 5] =
        [(1, entry), (64, &info(0, 734, 8)), (0, &[]), (64, &info(0xFF, 734, 8)), (1, entry)];
    let rows = decoded(&records, "");
    let entries: Vec<String> = rows.iter().filter(|r| r["id"] == 1).map(|r| r["fields"].to_string()).collect();
    assert_eq!(entries, [r#"{"obj":17,"state":34}"#; 2]);
}
