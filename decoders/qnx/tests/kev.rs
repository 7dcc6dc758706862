//! The captures of the instrumented kernel, field by field, and their counters.

use crate::common::{decode, expected, fields, file, place};
use serde_json::{Map, Value, json};
use spytui_plugin_api::{
    batch::ClockFlags,
    info::Info,
    row::{RowFlags, RowKind},
};
use spytui_plugin_host::kit::Host;

/// Name of a kind in the program.
fn kind_name(info: &Info, kind: RowKind) -> String {
    let spec = info.kind(kind).unwrap();
    match spec.name.as_str() {
        "" => (kind.0 - spec.base.0).to_string(),
        name => name.to_owned(),
    }
}

fn group_name(info: &Info, group: u8) -> &str {
    info.group(group).unwrap().name.as_str()
}

/// A record in the form of the expected files.
fn shown(host: &Host, at: usize, mut fields: Map<String, Value>, rate: u128) -> Map<String, Value> {
    let row = &host.run.rows[at];
    let (off, len) = place(host, at);
    let group = group_name(&host.info, row.group);
    let kind = kind_name(&host.info, row.kind);
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
    set("off", off.into());
    set("parts", (len / 16).into());
    set("cpu", row.core.into());
    if row.has(RowFlags::TIME_OWN) {
        set("cycles", format!("{:#x}", row.time).into());
        set("ns", ((u128::from(row.time) * 1_000_000_000 / rate) as u64).into());
    }
    set("class", group.into());
    let interrupt = kind == group;
    let event = if interrupt { fields.remove("intr").unwrap() } else { kind.clone().into() };
    let numbered = kind.parse::<u64>().map_or(event, Value::from);
    set("event", numbered);
    match fields.remove("w") {
        Some(words) if fields.is_empty() => set("w", words),
        _ => set("args", fields.into()),
    }
    object
}

/// An expected record: words only if there are no arguments.
fn wanted(record: &Value) -> Map<String, Value> {
    let mut record = record.as_object().unwrap().clone();
    record.remove("i");
    record.remove("lo");
    if record.contains_key("args") {
        record.remove("w");
    }
    record
}

fn rate(expected: &Value) -> u128 {
    expected["header"]["CYCLES_PER_SEC"].as_str().unwrap().parse().unwrap()
}

fn records(host: &Host, bytes: &[u8], rate: u128) -> Vec<Map<String, Value>> {
    let all = fields(host, bytes).into_iter().enumerate();
    all.filter(|(at, _)| host.run.rows[*at].is_record()).map(|(at, fields)| shown(host, at, fields, rate)).collect()
}

fn same_records(name: &str) {
    let (bytes, expected) = (file(&format!("{name}.kev")), expected(name));
    let host = decode(&bytes, &vec![], 4096);
    let got = records(&host, &bytes, rate(&expected));
    let wanted: Vec<_> = expected["records"].as_array().unwrap().iter().map(wanted).collect();
    for (i, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
        assert_eq!(got, wanted, "{name}: record {i}");
    }
    assert_eq!(got.len(), wanted.len(), "{name}");
}

#[test]
fn a_fast_trace_is_as_expected() {
    same_records("fast-2cpu");
}

#[test]
fn a_wide_big_endian_trace_is_as_expected() {
    same_records("wide-be");
}

#[test]
fn a_trace_with_64_bit_words_is_as_expected() {
    same_records("qnx71-wide64");
}

#[test]
fn a_damaged_trace_is_as_expected() {
    same_records("gaps-damaged");
}

#[test]
fn a_ring_of_4_cpus_with_all_events_of_the_table_is_as_expected() {
    same_records("ring-4cpu");
}

#[test]
fn a_trace_of_release_8_with_buffers_by_cpu_is_as_expected() {
    same_records("smp-8.0");
}

/// The value of a decoder-specific counter.
fn counter(host: &Host, name: &str) -> u64 {
    let spec = host.info.counters.iter().find(|spec| spec.name == name).unwrap();
    host.run.counts.get(&spec.id).copied().unwrap_or(0)
}

#[test]
fn counters_are_as_expected() {
    for name in crate::common::KEV {
        let (bytes, expected) = (file(&format!("{name}.kev")), expected(name));
        let host = decode(&bytes, &vec![], 4096);
        let wanted = &expected["counters"];
        let of = |name: &str| wanted[name].as_u64().unwrap();
        for counter_name in [
            "buffers",
            "lost_buffers",
            "short_buffers",
            "missing_events",
            "unbalanced_cont",
            "unbalanced_end",
            "unterminated_begin",
        ] {
            assert_eq!(counter(&host, counter_name), of(counter_name), "{name}: {counter_name}");
        }
        let counters = host.run.counters();
        assert_eq!(counters.records, of("records"), "{name}");
        assert_eq!(counters.resyncs, of("resyncs"), "{name}");
        assert_eq!(counter(&host, "tail_bytes"), of("truncated_tail_bytes"), "{name}");
        assert_eq!(counters.skipped_bytes, of("skipped_bytes") + of("truncated_tail_bytes"), "{name}");
        assert_eq!(counters.bytes(), bytes.len() as u64, "{name}");
        assert_eq!(counters.lost, of("lost_buffers"), "{name}");
        let gaps = host.run.rows.iter().filter(|row| row.kind == RowKind::GAP).map(|row| row.pos);
        let offs = wanted["gaps"].as_array().unwrap().iter().map(|gap| gap["off"].as_u64().unwrap());
        assert!(gaps.eq(offs), "{name}");
    }
}

#[test]
fn a_header_is_kept_whole() {
    for name in crate::common::KEV {
        let (bytes, expected) = (file(&format!("{name}.kev")), expected(name));
        let host = decode(&bytes, &vec![], 7);
        let header = Value::from(fields(&host, &bytes)[0].clone());
        assert_eq!((host.run.rows[0].kind, &header), (RowKind::PROLOG, &expected["header"]), "{name}");
        let first = host.run.rows.iter().find(|row| row.is_record()).unwrap();
        assert_eq!(json!(first.pos), expected["events_offset"], "{name}");
    }
}

#[test]
fn lists_count_from_the_first_event() {
    let host = decode(&file("fast-2cpu.kev"), &vec![], 4096);
    let first = host.run.rows.iter().find(|row| row.has(RowFlags::TIME_OWN)).unwrap().time;
    let clock = host.run.clocks.last().unwrap();
    assert_eq!((clock.flags & ClockFlags::FIRST, clock.first, clock.res_ns), (ClockFlags::FIRST, first, 10));
}
