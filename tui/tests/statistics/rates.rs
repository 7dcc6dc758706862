//! Records and bytes of each kind, object and signal.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{BREW, GREENHOUSE, KERNEL, OVEN, Values, kind_of, n, names::about, records, run, same};

/// Two captures of each protocol, and captures with damage or loss.
const CAPTURES: [[&str; 2]; 13] = [
    OVEN,
    ["qs", "qs/tests/captures/oven-815.bin"],
    ["qs", "qs/tests/captures/oven-734-flips.bin"],
    ["qs", "qs/tests/captures/oven-734-drops.bin"],
    GREENHOUSE,
    ["rkh", "rkh-trazer/tests/captures/el323-sig2.bin"],
    ["rkh", "rkh-trazer/tests/captures/gh340-default-flip.bin"],
    BREW,
    ["tband", "tband/tests/captures/boiler_basic.bin"],
    ["tband", "tband/tests/captures/damaged_brew_gaps.bin"],
    KERNEL,
    ["qnx", "qnx/tests/captures/wide-be.kev"],
    ["qnx", "qnx/tests/captures/gaps-damaged.kev"],
];

#[test]
fn each_kind_object_and_signal_has_the_records_and_bytes_of_its_lines() {
    for capture in CAPTURES {
        let records = records(capture);
        let about = about(capture[0], &records);
        for columns in ["kind", "object", "signal", "kind,object,signal"] {
            let mut values = Values::new();
            for (record, [kind, object, signal]) in records.iter().zip(&about) {
                let of = columns.split(',').map(|column| match column {
                    "kind" => kind.clone(),
                    "object" => object.clone(),
                    _ => signal.clone(),
                });
                values.entry(of.collect()).or_default().push((record["len"].as_u64().unwrap(), n(record)));
            }
            same(capture, "rate", columns, &values, 0);
        }
    }
}

/// Plain `spytui stats` has the same sums.
#[test]
fn the_counters_of_kinds_have_them_too() {
    for capture in CAPTURES {
        let mut expected: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for record in records(capture) {
            let sum = expected.entry(format!("{} {}", kind_of(&record), group(capture[0], &record))).or_default();
            *sum = (sum.0 + 1, sum.1 + record["len"].as_u64().unwrap());
        }
        let printed: Value = serde_json::from_str(&run("stats", "json", capture, &[])).unwrap();
        let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for kind in printed["kinds"].as_array().unwrap().iter().filter(|kind| kind["group"].is_string()) {
            let sum =
                found.entry(format!("{} {}", kind["kind"].as_str().unwrap(), group(capture[0], kind))).or_default();
            *sum = (sum.0 + kind["rows"].as_u64().unwrap(), sum.1 + kind["bytes"].as_u64().unwrap());
        }
        assert_eq!(found, expected, "{capture:?}");
    }
}

/// The group of a record or kind; those of QNX have other words in jsonl.
fn group(proto: &str, of: &Value) -> String {
    if proto == "qnx" { String::new() } else { of["group"].as_str().unwrap().to_owned() }
}
