//! Native rows, field by field.

use crate::common::{decode, file, items, json_file, options_of, opts};
use serde_json::{Value, json};
use spytui_decoder_harness::{Options, lines};
use spytui_plugin_api::{
    render::Want,
    row::{RowFlags, RowKind},
};

/// The expected items of a capture. Fused frames are one item there and two here, repeated frames two there and one
/// here.
fn expected(name: &str) -> Vec<Value> {
    let mut items = json_file(&format!("{name}.expected.json"))["items"].as_array().unwrap().clone();
    let stamps = json_file(&format!("{name}.json"))["sizes"]["timestamp"].as_u64().unwrap();
    unwrap_times(&mut items, stamps);
    let same = |a: &Value, b: &Value| ["id", "ts", "nseq", "args"].iter().all(|key| a[key] == b[key]);
    items.dedup_by(|next, item| next["nseq"].is_u64() && same(next, item));
    items
}

/// Two-byte time stamps wrap; the decoder extends them.
fn unwrap_times(items: &mut [Value], bytes: u64) {
    let (mut last, wrap) = (0, 1u64 << (8 * bytes));
    for item in items {
        let Some(ts) = item["ts"].as_u64() else { continue };
        let mut time = last / wrap * wrap + ts;
        if time + wrap / 2 < last {
            time += wrap;
        }
        item["ts"] = time.into();
        last = time;
    }
}

fn golden(name: &str, options: &Options<'_>) {
    let bytes = file(&format!("{name}.bin"));
    let expected = expected(name);
    for size in [65_536, 1, 1000] {
        let got = items(&decode(&bytes, options, size), &bytes);
        for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
            assert_eq!(got, expected, "{name}: item {i}");
        }
        assert_eq!(got.len(), expected.len(), "{name}");
    }
}

#[test]
fn clean_captures_show_their_own_sizes() {
    for name in ["el323-sig2", "el340-wide", "gh340-bare", "gh246-default"] {
        golden(name, &vec![]);
    }
}

#[test]
fn a_capture_without_configuration_needs_options() {
    golden("gh340-notcfg-nosnr", &opts(&options_of("gh340-notcfg-nosnr")));
    let cfg = file("gh340-notcfg-nosnr.cfg");
    golden("gh340-notcfg-nosnr", &vec![("cfg", &cfg), ("pool-lwm", b"1")]);
}

#[test]
fn dropped_bytes() {
    golden("el323-sig2-drop", &vec![]);
}

#[test]
fn garbage_repetitions_and_a_cut_start() {
    golden("el340-filtered-mix", &opts(&options_of("el340-filtered-mix")));
}

/// Both frames next to a destroyed flag are decoded: the one that the expected decoding treats as surplus bytes, and
/// the next one without a gap before it.
#[test]
fn flipped_bits_and_a_destroyed_flag() {
    let name = "gh340-default-flip";
    let bytes = file(&format!("{name}.bin"));
    let mut expected = expected(name);
    let at = expected.iter().position(|i| i.get("extra").is_some()).unwrap();
    expected[at].as_object_mut().unwrap().remove("extra");
    expected[at + 1].as_object_mut().unwrap().remove("gap");
    let second = json!({"id": 98, "nseq": 183, "ts": 35544, "ev": "SM.TRN",
        "args": {"ao": 134558080, "sst": 134540352, "tst": 134539648}});
    expected.insert(at + 1, second);
    let got = items(&decode(&bytes, &vec![], 4096), &bytes);
    assert_eq!(got.len(), expected.len());
    for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
        assert_eq!(got, expected, "item {i}");
    }
}

/// An unknown version is read like the nearest one, and reported.
#[test]
fn a_version_that_is_not_known_is_said() {
    for (version, said) in [
        (0x3400, None),
        (0x2406, None),
        (
            0x3600,
            Some(
                "the target is RKH 3.6.00; known are 2.3 to 3.4: read as 3.4.00, records may be misread; update spytui",
            ),
        ),
        (
            0x4102,
            Some(
                "the target is RKH 4.1.02; known are 2.3 to 3.4: read as 3.4.00, records may be misread; update spytui",
            ),
        ),
        (
            0x2500,
            Some(
                "the target is RKH 2.5.00; known are 2.3 to 3.4: read as 2.4.06, records may be misread; update spytui",
            ),
        ),
    ] {
        let id = if version < 0x3000 { 0xAE } else { 0xAC };
        let mut stream =
            crate::common::Stream::reported(&crate::common::tcfg(id, version, crate::common::FULL, [4, 4, 1]));
        stream.add(105, &[1, 0, 0, 0]);
        let host = decode(&stream.bytes, &vec![], 4096);
        let texts = lines(&host, &stream.bytes);
        assert!(texts[0].starts_with("RKH ") || texts[1].starts_with("RKH "), "{texts:?}");
        let notes: Vec<&String> = texts.iter().filter(|text| text.contains("update spytui")).collect();
        assert_eq!(notes.first().map(|text| text.as_str()), said, "{texts:?}");
        assert!(!texts.iter().any(|text| text.contains("contradicts itself")), "{texts:?}");
        assert!(host.run.rows.iter().any(|row| row.kind.0 == 105), "{texts:?}");
    }
}

#[test]
fn a_configuration_that_is_cut_short_has_no_time() {
    let (bytes, config) = (file("tcfg-short.bin"), file("tcfg-short.cfg"));
    let host = decode(&bytes, &vec![("cfg", &config)], 4096);
    let kinds: Vec<RowKind> = host.run.rows.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [RowKind(172), RowKind::TOO_SHORT, RowKind::HINT]);
    assert!(!host.run.rows[0].has_time() && host.run.rows[0].has(RowFlags::MALFORMED));
    assert!(lines(&host, &bytes)[0].starts_with("configuration cut short, 14 B: AC 00 31"));
}

/// It does not affect sequence numbers and times either.
#[test]
fn a_configuration_that_can_not_be_read_leaves_numbers_and_time_alone() {
    let whole = crate::common::tcfg(0xAC, 0x3400, crate::common::FULL, [4, 4, 1]);
    let mut odd = whole.clone();
    odd[7] = 0x33;
    let mut longer = whole.clone();
    longer.extend([0; 3]);
    for (wrong, said) in [
        (&whole[..13], "configuration cut short, 14 B"),
        (&odd, "configuration that contradicts itself, 15 B"),
        (&longer, "configuration that contradicts itself, 18 B"),
    ] {
        let mut stream = crate::common::Stream::reported(&whole);
        stream.add(105, &[1, 0, 0, 0]).tcfg(wrong).add(105, &[1, 0, 0, 0]);
        let host = decode(&stream.bytes, &vec![], 4096);
        let texts = lines(&host, &stream.bytes);
        assert!(texts.iter().any(|text| text.starts_with(said)), "{texts:?}");
        let records = host.run.rows.iter().filter(|row| row.is_record());
        let times: Vec<Option<u64>> = records.map(|row| row.has(RowFlags::TIME_OWN).then_some(row.time)).collect();
        assert_eq!(times, [None, Some(100), None, Some(110)]);
        assert!(host.run.rows.iter().all(|row| row.kind != RowKind::GAP), "{texts:?}");
    }
}

/// Groups and filters of the configuration record, with their bits.
const TRACED: [(&str, u32); 12] = [
    ("all", 3),
    ("mp", 4),
    ("que", 5),
    ("sma", 6),
    ("tmr", 7),
    ("sm", 8),
    ("fwk", 9),
    ("assert", 10),
    ("user", 2),
    ("filter", 1),
    ("sma-filter", 13),
    ("signal-filter", 14),
];

/// The text of a configuration record, and its `flags` field in words.
fn words_of_flags(flags: u32) -> (String, String) {
    let stream = crate::common::Stream::reported(&crate::common::tcfg(0xAC, 0x3400, flags, [4, 4, 1]));
    let host = decode(&stream.bytes, &vec![], 4096);
    let mut words = String::new();
    host.render(&stream.bytes, Want::FIELDS, |_, out| {
        let flags = out.fields.iter().find(|field| field.name.of(&out.blob) == b"flags");
        if let Some(field) = flags {
            words = String::from_utf8_lossy(field.text.of(&out.blob)).into_owned();
        }
    })
    .unwrap();
    let text = lines(&host, &stream.bytes).into_iter().find(|text| text.contains("maxpool")).unwrap();
    (text, words)
}

#[test]
fn the_row_and_the_details_of_a_configuration_name_every_group_and_filter() {
    const BASE: u32 = 1 << 15 | 1 << 16 | 1 << 17;
    let settings = "-sender -queue-lwm -pool-lwm +nseq +checksum +tstamp";
    for bit in TRACED.iter().map(|(_, flag)| 1 << flag).chain([0]) {
        let traced = TRACED.map(|(name, flag)| format!("{}{name}", if bit == 1 << flag { '+' } else { '-' }));
        let expected = format!("{settings} {}", traced.join(" "));
        let (text, words) = words_of_flags(BASE | bit);
        assert_eq!(words, expected);
        assert!(text.contains(&format!(" {expected} ")), "{text}");
    }
}
