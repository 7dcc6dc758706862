//! The classic trace logs: captures field by field, text, masks, damage.

use crate::common::{decode, decoder, expected, fields, file, text};
use serde_json::{Value, json};
use spytui_decoder_harness::{Options, names, properties::adds_up, same};
use spytui_plugin_api::{
    batch::ClockFlags,
    info::space,
    render::{Dict, Want},
    row::{RowFlags, RowKind, Severity},
};
use spytui_plugin_host::kit::{Host, Sample, conform};

const CAPTURES: [(&str, &str); 2] = [("classic-qnx4", "log"), ("classic-nto1", "bin")];

fn capture(name: &str, ending: &str) -> (Vec<u8>, Vec<u8>) {
    (file(&format!("{name}.{ending}")), file(&format!("{name}.fmt")))
}

fn counter(host: &Host, name: &str) -> u64 {
    let spec = host.info.counters.iter().find(|spec| spec.name == name).unwrap();
    host.run.counts.get(&spec.id).copied().unwrap_or(0)
}

/// Name of a kind, assigned at run time.
fn kind(host: &Host, kind: RowKind) -> String {
    let names = names(host);
    let name = Dict::new(&names).name(space::KINDS, kind.0.into(), 0).unwrap().to_vec();
    String::from_utf8(name).unwrap()
}

/// The text of all rows except the header's.
fn texts(host: &Host, bytes: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    host.render(bytes, Want::TEXT, |_, out| all.push(String::from_utf8_lossy(&out.text).into_owned())).unwrap();
    all
}

fn same_records(name: &str, ending: &str) {
    let (bytes, formats) = capture(name, ending);
    let expected = expected(name);
    let host = decode(&bytes, &vec![("fmt", &formats)], 4096);
    let all = fields(&host, &bytes);
    let texts = texts(&host, &bytes);
    let records: Vec<usize> = (0..host.run.rows.len()).filter(|&at| host.run.rows[at].is_record()).collect();
    let wanted = expected["records"].as_array().unwrap();
    assert_eq!(records.len(), wanted.len());
    for (&at, wanted) in records.iter().zip(wanted) {
        let (row, fields) = (&host.run.rows[at], &all[at]);
        let is_exception = wanted["kind"] == "exc";
        assert_eq!((json!(row.pos), json!(row.len)), (wanted["off"].clone(), wanted["len"].clone()));
        let ns = wanted["sec"].as_u64().unwrap() * 1_000_000_000 + wanted["ns"].as_u64().unwrap();
        assert_eq!(row.time, ns);
        assert_eq!(host.info.group(row.group).unwrap().name, wanted["kind"].as_str().unwrap());
        for (ours, theirs) in [
            ("code", "code"),
            ("major", "major"),
            ("minor", "minor"),
            ("level", "sev"),
            ("opcode", "opcode"),
            ("dat20", "dat20"),
        ] {
            let is_there = wanted.get(theirs).is_some();
            assert_eq!(
                fields.get(ours).cloned().unwrap_or(Value::Null),
                if is_there { wanted[theirs].clone() } else { Value::Null },
                "{ours}"
            );
        }
        assert_eq!(fields["data"], wanted["data"]);
        // The complete line ends with the native text; before it is the kind.
        let line = wanted["text"].as_str().unwrap();
        let kind = kind(&host, row.kind);
        assert!(line.ends_with(&format!(" {kind} {}", texts[at])), "{line}: {kind} {}", texts[at]);
        assert!(is_exception || kind.starts_with("KERNEL:"));
    }
    let of = |name: &str| expected["counters"][name].as_u64().unwrap_or(0);
    let counters = host.run.counters();
    assert_eq!((counters.records, counters.resyncs, counters.skipped_bytes), (of("records"), 0, 0));
    assert_eq!((counter(&host, "null_events"), counters.other_bytes), (of("null_events"), 2 * of("null_events")));
    adds_up(&host, &bytes);
}

#[test]
fn a_log_of_qnx_4_is_as_expected() {
    same_records("classic-qnx4", "log");
}

#[test]
fn a_log_of_neutrino_1_is_as_expected() {
    same_records("classic-nto1", "bin");
}

#[test]
fn the_reference_text_is_as_expected() {
    for (name, ending) in CAPTURES {
        let (bytes, formats) = capture(name, ending);
        let opts: Options<'_> = vec![("reference", b"traceprinter-1.02"), ("fmt", &formats)];
        for size in [usize::MAX, 5] {
            same(name, &text(&bytes, &opts, size), &file(&format!("{name}.txt")));
        }
    }
}

#[test]
fn masked_events_stay_and_are_counted() {
    let (bytes, formats) = capture("classic-nto1", "bin");
    let expected = expected("classic-nto1");
    let mask = expected["kernel_profile_mask"].as_str().unwrap();
    let host = decode(&bytes, &vec![("fmt", &formats), ("kprof", mask.as_bytes())], 4096);
    let masked = host.run.rows.iter().filter(|row| row.has(RowFlags::MASKED)).count();
    assert_eq!((counter(&host, "masked"), masked), (43, 43));
    assert_eq!(host.run.counters().records, 260);
}

#[test]
fn severities_of_rows_follow_the_records() {
    for (name, ending) in CAPTURES {
        let (bytes, _) = capture(name, ending);
        let host = decode(&bytes, &vec![], 4096);
        for (row, fields) in host.run.rows.iter().zip(fields(&host, &bytes)).filter(|(row, _)| row.is_record()) {
            let wanted = match (name, fields.get("level").and_then(Value::as_u64)) {
                (_, None) => Severity::NORMAL,
                ("classic-qnx4", Some(0 | 1)) | ("classic-nto1", Some(3 | 6 | 7)) => Severity::ERROR,
                ("classic-qnx4", Some(2)) | ("classic-nto1", Some(2 | 5)) => Severity::WARNING,
                ("classic-qnx4", Some(3)) | ("classic-nto1", Some(1 | 4)) => Severity::INFO,
                _ => Severity::NORMAL,
            };
            assert_eq!(row.severity, wanted, "{name} {fields:?}");
        }
    }
}

#[test]
fn logs_conform_to_the_contract() {
    for (name, ending) in CAPTURES {
        let (bytes, formats) = capture(name, ending);
        let part = &bytes[..2_000];
        let profile: &[u8] = if name == "classic-qnx4" { b"qnx4" } else { b"nto1" };
        conform(
            decoder(),
            &[
                Sample { name, opts: vec![("fmt", &formats), ("profile", profile)], bytes: part },
                Sample { name, opts: vec![("reference", b"traceprinter-1.02")], bytes: part },
            ],
        );
    }
}

#[test]
fn damage_costs_the_record_it_hits() {
    for (name, ending) in CAPTURES {
        let (clean, _) = capture(name, ending);
        let whole = decode(&clean, &vec![], 4096).run.counters().records;
        let mut bytes = clean[7..].to_vec();
        let at = bytes.len() / 2;
        bytes.splice(at..at, [0xEE; 5]);
        bytes.truncate(bytes.len() - 3);
        let host = decode(&bytes, &vec![], 4096);
        let counters = host.run.counters();
        // Records have no marks, so one with a damaged size swallows those after it.
        let swallowed = if name == "classic-nto1" { 50 } else { 5 };
        assert!(counters.records + swallowed >= whole, "{name}: {counters:?} of {whole}");
        assert!(counters.resyncs >= 2 && counter(&host, "tail_bytes") > 0, "{name}: {counters:?}");
        adds_up(&host, &bytes);
    }
}

/// Records of Neutrino 1.0 without arguments, at these seconds.
fn at_seconds(seconds: &[u32]) -> Vec<u8> {
    let words = seconds.iter().flat_map(|&second| [0x0000_0110, second, 5]);
    words.flat_map(u32::to_le_bytes).collect()
}

#[test]
fn a_damaged_time_is_no_other_run() {
    let opts: Options<'_> = vec![("profile", b"nto1"), ("endian", b"little")];
    let restarts = |bytes: &[u8]| {
        let host = decode(bytes, &opts, 4096);
        let restarts = host.run.rows.iter().filter(|row| row.kind == RowKind::RESTART).count();
        (restarts, host.run.counters().records, host.run.counters().resyncs)
    };
    let begin = [9_000_000; 8];
    assert_eq!(restarts(&at_seconds(&[&begin[..], &[8_000_000, 8_000_001, 8_000_002]].concat())), (1, 11, 0));
    assert_eq!(
        restarts(&at_seconds(&[&begin[..], &[8_000_000, 9_000_001, 9_000_002, 9_000_003]].concat())),
        (0, 11, 1)
    );
}

#[test]
fn damage_near_the_start_spares_the_records_before_it() {
    let opts: Options<'_> = vec![("profile", b"nto1"), ("endian", b"little")];
    let mut bytes = at_seconds(&[9_000_000; 5]);
    bytes.extend([0xEE; 7]);
    bytes.extend(at_seconds(&[9_000_001; 9]));
    let counters = decode(&bytes, &opts, 4096).run.counters();
    assert_eq!((counters.records, counters.skipped_bytes), (14, 7));
    // Lines of text in it are readable.
    bytes.extend(b"\x05\x05\x05assertion failed in devc\n");
    bytes.extend(at_seconds(&[9_000_001; 9]));
    let host = decode(&bytes, &opts, 4096);
    let counters = host.run.counters();
    assert_eq!((counters.records, counters.skipped_bytes), (23, 10));
    assert!(spytui_decoder_harness::lines(&host, &bytes).contains(&"assertion failed in devc".to_owned()));
}

#[test]
fn a_big_endian_log_is_found_out() {
    let (clean, formats) = capture("classic-nto1", "bin");
    // The first record: two arguments, no buffer.
    let record: Vec<u8> = clean[..20].chunks(4).flat_map(|word| [word[3], word[2], word[1], word[0]]).collect();
    let bytes = record.repeat(9);
    let host = decode(&bytes, &vec![("fmt", &formats)], 4096);
    assert_eq!(texts(&host, &bytes), ["vector 2 ip 0xf00012b7"; 9]);
}

#[test]
fn wrong_lines_of_a_format_are_said_and_the_others_hold() {
    let (bytes, _) = capture("classic-qnx4", "log");
    let formats = b"major 1 Proc\nminor three Three \"x\"\nminor 3 Ready \"pid %d\"\n";
    let notes = crate::common::notes(&bytes, &vec![("fmt", formats)]);
    assert!(notes[0].1.starts_with("fmt:2:"), "{notes:?}");
    let host = decode(&bytes, &vec![("fmt", formats)], 4096);
    assert_eq!(texts(&host, &bytes)[1], "pid 131 [+4]");
}

#[test]
fn a_format_gives_user_events_a_text() {
    let bytes = file("fast-2cpu.kev");
    let host = decode(&bytes, &vec![("fmt", b"user 1 Greeting \"%s\"\nuser 7 Pair \"%x %d\"\n")], 4096);
    let all = texts(&host, &bytes);
    let first = host.run.rows.iter().position(|row| row.has(RowFlags::APPLICATION)).unwrap();
    assert_eq!((all[first].as_str(), kind(&host, host.run.rows[first].kind).as_str()), ("go", "Greeting"));
    assert!(all.contains(&"a417a0fe 51".to_owned()));
}

#[test]
fn lists_count_from_the_first_record() {
    for name in ["classic-qnx4.log", "classic-nto1.bin"] {
        let host = decode(&file(name), &vec![], 4096);
        let first = host.run.rows.iter().find(|row| row.is_record()).unwrap().time;
        let clock = host.run.clocks.last().unwrap();
        assert_eq!((clock.flags, clock.first), (ClockFlags::ZERO | ClockFlags::FIRST, first), "{name}");
    }
}

#[test]
fn a_drop_total_without_a_header_is_a_record() {
    let record: Vec<u8> = [0x1000_00FD_u32, 1_000_000_000, 0, 5].iter().flat_map(|word| word.to_le_bytes()).collect();
    let host = decode(&record.repeat(9), &vec![("profile", b"nto1")], 4096);
    assert_eq!((host.run.rows.len(), host.run.counters().records), (9, 9));
}

#[test]
fn what_a_companion_says_was_lost_is_a_note_in_its_own_unit() {
    let qnx4: Vec<u8> = [0x10_u32, 1_000_000_000, 0xFFFF_FFFE, 17].iter().flat_map(|word| word.to_le_bytes()).collect();
    let nto1: Vec<u8> =
        [0x2000_00FF_u32, 1_000_000_000, 0, 0xFFFF_FFFE, 1].iter().flat_map(|word| word.to_le_bytes()).collect();
    for (record, profile, said, counts) in [
        (qnx4, "qnx4", "17 events lost by the target: overrun", [9 * 17, 0]),
        (nto1, "nto1", "1 byte lost by the target: overrun", [0, 9]),
    ] {
        let bytes = record.repeat(9);
        let opts: Options<'_> = vec![("profile", profile.as_bytes())];
        let host = decode(&bytes, &opts, 4096);
        let notes = crate::common::notes(&bytes, &opts);
        assert!(notes.len() == 9 && notes.iter().all(|note| note.1 == said), "{notes:?}");
        assert!(host.run.rows.iter().step_by(2).all(|row| row.kind == RowKind::DROP), "each before its record");
        assert_eq!(["overrun_events", "overrun_bytes"].map(|name| counter(&host, name)), counts);
        assert_eq!((host.run.counters().records, host.run.counters().lost), (9, 0));
        adds_up(&host, &bytes);
    }
}
