//! The fields that a format file or a plugin gives to the record of a motor controller, in each of the four protocols:
//! text, jsonl, csv, filters, severity, activities.

use std::{fmt::Write as _, io, path::Path, sync::Arc};

use serde_json::{Map, Value, json};
use spytui_decoder_harness::stuffed;
use spytui_engine::{
    export::{CsvRows, Jsonl},
    io::format_files::{FormatFiles, FormatPaths},
    open::{Decoder, Options, Origin, Registry},
    query::parse,
    row::{RowView, typed::TRACKS},
    trace::stream::{Filtered, Sink},
};
use spytui_plugin_api::{Activity, LibraryRef, Severity, Verb, chunk::MAX_CHUNK};
use spytui_plugin_layer::{Record, RecordText, formatter, named};

use crate::pipeline::decode;

/// `struct { uint16_t rpm_x10; int8_t celsius; uint8_t mode; uint8_t flags; float amps; }`, packed, running and at fault.
const MOTORS: [[u8; 9]; 2] =
    [[0x4D, 0x30, 0xF6, 1, 0x03, 0, 0, 0xC0, 0x3F], [0x10, 0x27, 80, 7, 0x80, 0, 0, 0x20, 0xC1]];
const TABLES: &str = "words mode 0 off 1 run 7 fault!error\nbits fl 0 brake 1 hot 7 limit\n";
const FIELDS: &str = "rpm:u16*0.1\"rpm\" temp:i8\"°C\" mode:u8{mode} flags:u8{fl} amps:f32\"A\" state(mode) value(rpm)";
const TEXTS: [&str; 2] = [
    "rpm 1236.5 rpm  temp -10 °C  mode run  flags brake+hot  amps 1.5 A",
    "rpm 1000.0 rpm  temp 80 °C  mode fault  flags limit  amps -10 A",
];

/// A decoder with lines of a format file, all of them valid.
fn decoder(library: LibraryRef, id: &str, lines: &str) -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(library, &Origin::BuiltIn).unwrap();
    let built_in = vec![("motor.fmt".to_owned(), format!("{TABLES}{lines}"))];
    let set = FormatFiles::new(FormatPaths { built_in, ..FormatPaths::default() }).read();
    registry.set_formats(Arc::new(set));
    assert_eq!(registry.formats.faults, Vec::<String>::new());
    registry.find(id).unwrap()
}

/// The same record, read by a plugin.
struct Motor;

impl RecordText for Motor {
    const OF: (&'static str, &'static str) = ("qs", "MOTOR");

    fn read(_: &[u8], r: &mut Record<'_>) -> Option<()> {
        const WORDS: &[(u64, &str)] = &[(0, "off"), (1, "run"), (7, "fault")];
        // A block of memory begins with its length.
        r.take(1)?;
        r.number::<u16>(named("rpm").scale(0.1).unit("rpm").value())?;
        r.number::<i8>(named("temp").unit("°C"))?;
        r.number::<u8>(named("mode").words(WORDS).severe(&[(7, Severity::ERROR)]).state())
    }
}

/// The decoder of QS with that plugin.
fn decoder_with_plugin() -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
    let motor = spytui_plugin_api::library!("motor", decoders: [], formatters: [formatter::<Motor>()]);
    registry.add(motor, &Origin::BuiltIn).unwrap();
    registry.find("qs").unwrap()
}

fn run(decoder: &Arc<Decoder>, bytes: &[u8], chunk: usize, sink: &mut impl Sink) {
    decode(decoder, &Options::default(), bytes, chunk, sink);
    assert_eq!(decoder.formatting.take_failures(), Vec::<String>::new());
}

/// The application records as in jsonl.
fn records(decoder: &Arc<Decoder>, bytes: &[u8], filter: &str) -> Vec<Map<String, Value>> {
    let mut jsonl = Vec::new();
    let filter = parse(filter, &decoder.vocabulary()).unwrap();
    run(decoder, bytes, MAX_CHUNK, &mut Filtered::new(Box::new(Jsonl::new(&mut jsonl)), filter));
    let rows = String::from_utf8(jsonl).unwrap();
    rows.lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .filter(|row: &Map<_, _>| row.contains_key("items"))
        .collect()
}

/// Severity and track activities of each application record.
#[derive(Default)]
struct Meanings(Vec<(Severity, Vec<Activity>)>);

impl Sink for Meanings {
    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        if item.row.has(spytui_plugin_api::RowFlags::APPLICATION) {
            let own = item.activities.iter().filter(|activity| activity.sub_space == TRACKS);
            self.0.push((item.row.severity, own.map(|activity| Activity { at: 0, ..*activity }).collect()));
        }
        Ok(())
    }
}

fn meanings(decoder: &Arc<Decoder>, bytes: &[u8], chunk: usize) -> Vec<(Severity, Vec<Activity>)> {
    let mut sink = Meanings::default();
    run(decoder, bytes, chunk, &mut sink);
    sink.0
}

/// QS: user record 5, named by the target, with a block of memory.
fn qs() -> Vec<u8> {
    let record = |seq: u8, id: u8, payload: &[u8]| {
        let mut frame = [&[seq, id], payload].concat();
        frame.push(!frame.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)));
        stuffed(&frame)
    };
    let user = |seq, motor: &[u8; 9]| record(seq, 105, &[&[seq, 0, 0, 0, 0x09, 9], &motor[..]].concat());
    let name = record(1, 63, &[&[105], &b"MOTOR\0"[..]].concat());
    [name, user(2, &MOTORS[0]), user(3, &MOTORS[1])].concat()
}

/// RKH: user event 0, with each field as an element.
fn rkh() -> Vec<u8> {
    let event = |nseq: u8, motor: &[u8; 9]| {
        let [rpm0, rpm1, temp, mode, flags, amps @ ..] = *motor;
        let elements = [&[0x03, rpm0, rpm1, 0x00, temp, 0x01, mode, 0x01, flags, 0x05], &amps[..]].concat();
        let mut frame = [&[0xC0, nseq, nseq, 0, 0, 0], &elements[..]].concat();
        frame.push(frame.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)).wrapping_neg());
        stuffed(&frame)
    };
    [vec![0x7E], event(0, &MOTORS[0]), event(1, &MOTORS[1])].concat()
}

/// The eight bytes of a tband value: everything except amps.
fn value(motor: &[u8; 9]) -> u64 {
    motor[..5].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// tband: values of marker 2.
fn tband() -> Vec<u8> {
    let varint = |mut number: u64, out: &mut Vec<u8>| {
        while number > 0x7F {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    };
    let frame = |motor: &[u8; 9], time: u64| {
        let mut event = vec![0x0B];
        varint(time, &mut event);
        varint(2, &mut event);
        // Zigzag: values are signed.
        varint(value(motor) << 1, &mut event);
        let mut frame = Vec::new();
        for run in event.split(|byte| *byte == 0) {
            frame.push(run.len() as u8 + 1);
            frame.extend_from_slice(run);
        }
        frame.push(0);
        frame
    };
    [frame(&MOTORS[0], 10), frame(&MOTORS[1], 20)].concat()
}

/// QNX: a capture in which the words of two user events 7 are those of a motor, with 4-byte flags.
fn qnx() -> Vec<u8> {
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/qnx/tests/captures/fast-2cpu.kev");
    let mut bytes = std::fs::read(capture).unwrap();
    for (pos, motor) in [4670, 5118].into_iter().zip(&MOTORS) {
        bytes[pos + 8..pos + 13].copy_from_slice(&motor[..5]);
    }
    bytes
}

#[test]
fn a_motor_record_has_its_golden_text_in_each_protocol() {
    let short = |text: &str| text.split("  amps").next().unwrap().to_owned();
    let fields = FIELDS.replace(" amps:f32\"A\"", "");
    let all = |decoder: Arc<Decoder>, bytes: &[u8]| {
        let rows = records(&decoder, bytes, "rpm:*");
        rows.iter().map(|row| row["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // The length of the block of memory is not a field.
    let decoder_of_qs = decoder(spytui_decoder_qs::plugin(), "qs", &format!("record qs MOTOR _:u8 {FIELDS}"));
    assert_eq!(all(decoder_of_qs, &qs()), TEXTS.map(|text| format!("U1 MOTOR {text}")));
    let of_rkh = decoder(spytui_decoder_rkh::plugin(), "rkh", &format!("record rkh USR+0 {FIELDS}"));
    assert_eq!(all(of_rkh, &rkh()), TEXTS.map(|text| format!("USR USR+0 {text}")));
    let of_tband = decoder(spytui_decoder_tband::plugin(), "tband", &format!("record tband value:2 {fields}"));
    assert_eq!(all(of_tband, &tband()), TEXTS.map(|text| format!("VAL value value 2 {} [+3]", short(text))));
    let of_qnx = decoder(spytui_decoder_qnx::plugin(), "qnx", &format!("record qnx 7 {fields}"));
    let texts = all(of_qnx, &qnx());
    assert_eq!(texts[0], format!("USER 7 main:1 {} [+3]", short(TEXTS[0])));
    assert!(texts[1].contains(&short(TEXTS[1])), "{}", texts[1]);
}

#[test]
fn the_fields_of_a_motor_are_those_of_jsonl_and_columns_of_csv() {
    let decoder = decoder(spytui_decoder_qs::plugin(), "qs", &format!("record qs MOTOR _:u8 {FIELDS} n:bytes"));
    let rows = records(&decoder, &qs(), "");
    let expected = json!({"rpm": 1236.5, "temp": -10, "mode": "run", "flags": "brake+hot", "amps": 1.5, "n": ""});
    assert_eq!(rows[0]["fields"], expected);
    let mut csv = Vec::new();
    run(&decoder, &qs(), MAX_CHUNK, &mut CsvRows::new(&mut csv, false).with_fields(decoder.formatting.field_names()));
    let csv = String::from_utf8(csv).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].ends_with(",object,text,amps,flags,mode,field.n,rpm,temp"), "{}", lines[0]);
    assert!(lines[1].ends_with(",,,,,,"), "a record without them has empty cells: {}", lines[1]);
    assert!(lines[3].ends_with(",-10.0,limit,fault,,1000.0,80"), "{}", lines[3]);
}

/// A QS user record with a block of memory after those of the motor.
fn user(id: u8, block: &[u8]) -> Vec<u8> {
    let mut frame = [&[4, id, 4, 0, 0, 0, 0x09, block.len() as u8], block].concat();
    frame.push(!frame.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)));
    [qs(), stuffed(&frame)].concat()
}

#[test]
fn a_word_has_its_number_and_unit_in_jsonl_and_filters_take_both() {
    let line = "record qs MOTOR _:u8 rpm:u16*0.1\"rpm\" temp:i8{cold}\"°C\" mode:u8{mode} flags:u8{fl}";
    let decoder = decoder(spytui_decoder_qs::plugin(), "qs", &format!("words cold -10 freezing\n{line}"));
    for (decoder, flags) in [(decoder, json!(3)), (decoder_with_plugin(), Value::Null)] {
        let rows = records(&decoder, &qs(), "");
        assert_eq!((&rows[0]["fields"]["mode"], &rows[0]["values"]["mode"]), (&json!("run"), &json!(1)));
        assert_eq!(rows[0]["values"].get("flags").cloned().unwrap_or_default(), flags);
        for (filter, count) in [
            ("mode:run", 1),
            ("mode>1", 1),
            ("mode:7", 1),
            ("mode>=1", 2),
            ("mode<1", 0),
            ("mode!=fault", 1),
            ("mode=1", 1),
        ] {
            assert_eq!(records(&decoder, &qs(), filter).len(), count, "{filter}");
        }
        if flags.is_null() {
            continue;
        }
        assert_eq!(rows[0]["fields"]["temp"], "freezing");
        let units = json!({"temp": "°C", "rpm": "rpm"});
        assert_eq!((&rows[0]["values"]["temp"], &rows[0]["units"]), (&json!(-10), &units));
        assert!(rows[0]["text"].as_str().unwrap().contains("temp freezing °C  mode run"), "{}", rows[0]["text"]);
        for (filter, count) in [
            ("temp<0", 1),
            ("temp:freezing", 1),
            ("temp:80", 1),
            ("flags:128", 1),
            ("flags:limit", 1),
            ("temp:\"°C\"", 0),
        ] {
            assert_eq!(records(&decoder, &qs(), filter).len(), count, "{filter}");
        }
    }
}

#[test]
fn rows_are_found_by_the_names_of_their_states_values_and_spans() {
    let line = format!("record qs MOTOR _:u8 {FIELDS} span(begin,job) state(flags)");
    let of_line = decoder(spytui_decoder_qs::plugin(), "qs", &line);
    let of_plugin = decoder_with_plugin();
    for (filter, in_line, in_plugin) in [
        ("obj:\"MOTOR mode\"", 2, 2),
        ("obj:\"MOTOR rpm\"", 2, 2),
        ("obj:MOTOR*", 2, 2),
        ("obj:\"MOTOR mode\" state:fault", 1, 1),
        ("obj:job", 2, 0),
        ("state:run", 1, 1),
        ("state:\"brake+hot\"", 1, 0),
        ("state:fault or state:run", 2, 2),
        ("state!=run", 1, 1),
        ("-state:run", 1, 1),
        ("state:7", 1, 1),
        ("state:heat", 0, 0),
        ("obj:run", 0, 0),
    ] {
        assert_eq!(records(&of_line, &qs(), filter).len(), in_line, "{filter}");
        assert_eq!(records(&of_plugin, &qs(), filter).len(), in_plugin, "{filter} of a plugin");
    }
}

#[test]
fn scaled_integers_of_64_bits_have_all_digits_in_text_jsonl_csv_and_filters() {
    let decoder = decoder(spytui_decoder_qs::plugin(), "qs", "record qs USER+6 _:u8 t:u64*1e-6\"s\" ns:i64*1e-9");
    let [t, ns] = [1_795_829_457_123_456_789_i64, -1_795_829_457_123_456_789].map(i64::to_le_bytes);
    let bytes = user(106, &[t, ns].concat());
    let found = |filter: &str| {
        let mut jsonl = Vec::new();
        let filter = parse(filter, &decoder.vocabulary()).unwrap();
        run(&decoder, &bytes, MAX_CHUNK, &mut Filtered::new(Box::new(Jsonl::new(&mut jsonl)), filter));
        String::from_utf8(jsonl).unwrap()
    };
    let all = found("");
    let json = "\"t\":1795829457123.456789,\"ns\":-1795829457.123456789}";
    assert!(all.contains(json) && all.contains("t 1795829457123.456789 s  ns -1795829457.123456789\""), "{all}");
    for (filter, is_found) in [
        ("t=1795829457123.456789", true),
        ("t>1795829457123.456788", true),
        ("t>1795829457123.456789", false),
        ("ns<=-1795829457.123456789", true),
        ("ns<-1795829457.123456789", false),
    ] {
        assert_eq!(found(filter).contains(json), is_found, "{filter}");
    }
    let mut csv = Vec::new();
    run(&decoder, &bytes, MAX_CHUNK, &mut CsvRows::new(&mut csv, false).with_fields(decoder.formatting.field_names()));
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.ends_with(",-1795829457.123456789,1795829457123.456789\n"), "{csv}");
}

#[test]
fn a_large_float_has_an_exponent_wherever_it_is_shown() {
    let line = "record qs USER+6 \"{f} {g} {h}\" _:u8 f:f64 g:f64*1e-3 h:f32*2";
    let decoder = decoder(spytui_decoder_qs::plugin(), "qs", line);
    let payload = [&1e300_f64.to_le_bytes()[..], &1e300_f64.to_le_bytes(), &0.4_f32.to_le_bytes()].concat();
    let row = records(&decoder, &user(106, &payload), "f>1").pop().unwrap();
    assert_eq!(row["text"], "U1 USER+6 1e300 1e297 0.8");
    assert_eq!(row["fields"], json!({"f": 1e300, "g": 1e297, "h": 0.8}));
}

#[test]
fn the_fields_of_a_plugin_are_columns_states_values_and_severity() {
    let decoder = decoder_with_plugin();
    let mut csv = Vec::new();
    run(&decoder, &qs(), MAX_CHUNK, &mut CsvRows::new(&mut csv, false).with_fields(decoder.formatting.field_names()));
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.lines().nth(3).unwrap().ends_with(",fault,1000.0,80"), "{csv}");
    let found = meanings(&decoder, &qs(), MAX_CHUNK);
    assert_eq!([found[0].0, found[1].0], [Severity::NORMAL, Severity::ERROR]);
    let [rpm, mode] = [found[1].1[0], found[1].1[1]];
    assert_eq!((rpm.verb, f64::from_bits(rpm.val), mode.verb), (Verb::VALUE, 1000.0, Verb::REST));
    let formatters = decoder.formatting.get().unwrap();
    let name = |space, key| formatters.tracks.name(space, key).unwrap();
    assert_eq!((name(TRACKS, rpm.sub), formatters.tracks.unit(rpm.sub)), ("MOTOR rpm".to_owned(), Some("rpm")));
    assert_eq!((name(TRACKS, mode.sub), name(mode.item_space, mode.item)), ("MOTOR mode".into(), "fault".into()));
    for chunk in [1, 7, 19] {
        assert_eq!(meanings(&decoder, &qs(), chunk), found, "chunks of {chunk}");
    }
}

#[test]
fn words_make_a_record_severe_and_its_fields_feed_states_and_values() {
    let decoder = decoder(spytui_decoder_qs::plugin(), "qs", &format!("record qs MOTOR _:u8 {FIELDS} span(begin,job)"));
    let found = meanings(&decoder, &qs(), MAX_CHUNK);
    assert_eq!([found[0].0, found[1].0], [Severity::NORMAL, Severity::ERROR]);
    let verbs = |at: usize| found[at].1.iter().map(|activity| activity.verb).collect::<Vec<_>>();
    assert_eq!(verbs(0), [Verb::REST, Verb::VALUE, Verb::BEGIN]);
    let values: Vec<f64> = found.iter().map(|(_, own)| f64::from_bits(own[1].val)).collect();
    assert_eq!(values, [1236.5, 1000.0]);
    let formatters = decoder.formatting.get().unwrap();
    let names = found[1].1.iter().map(|activity| formatters.tracks.name(TRACKS, activity.sub).unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["MOTOR mode", "MOTOR rpm", "job"]);
    let state = found[1].1[0];
    assert_eq!(formatters.tracks.name(state.item_space, state.item).as_deref(), Some("fault"));
    assert_eq!(formatters.tracks.unit(found[1].1[1].sub), Some("rpm"));
    // For any chunk sizes.
    for chunk in [1, 2, 3, 7, 19] {
        assert_eq!(meanings(&decoder, &qs(), chunk), found, "chunks of {chunk}");
    }
    let of_error = records(&decoder, &qs(), "sev>=error");
    assert_eq!((of_error.len(), &of_error[0]["fields"]["mode"]), (1, &json!("fault")));
}

#[test]
fn a_state_by_id_is_known_in_streams_of_every_protocol() {
    for (library, id, line, bytes) in [
        (spytui_decoder_rkh::plugin(), "rkh", "record rkh USR+0", rkh()),
        (spytui_decoder_tband::plugin(), "tband", "record tband value:2", tband()),
        (spytui_decoder_qnx::plugin(), "qnx", "record qnx 7", qnx()),
    ] {
        let line = format!("{line} rpm:u16 _:u8 mode:u8{{mode}} state(mode)");
        let found = meanings(&decoder(library, id, &line), &bytes, MAX_CHUNK);
        let errors = found.iter().filter(|(severity, _)| *severity == Severity::ERROR).count();
        let states = found.iter().filter(|(_, own)| own.iter().any(|activity| activity.verb == Verb::REST)).count();
        assert!(errors >= 1 && states >= 2, "{id}: {errors} errors, {states} states");
    }
}

#[test]
fn a_record_that_is_shorter_than_its_fields_says_so() {
    let decoder = decoder(spytui_decoder_qs::plugin(), "qs", "record qs MOTOR _:u8 rpm:u16 name:str[20]");
    let mut jsonl = Vec::new();
    decode(&decoder, &Options::default(), &qs(), MAX_CHUNK, &mut Jsonl::new(&mut jsonl));
    let rows = String::from_utf8(jsonl).unwrap();
    assert!(rows.contains("\"text\":\"U1 MOTOR rpm 12365 [does not fit: 10 bytes]\""), "{rows}");
    let why = "record qs MOTOR: a record has fewer bytes than its fields, which have 23 at least";
    assert_eq!(decoder.formatting.take_failures(), [why]);
}

#[test]
fn a_text_shows_the_fields_of_its_line_and_those_of_the_decoder() {
    let line = "record tband marker:1 \"flame: {level}, {msg}\" level:str";
    let tband = decoder(spytui_decoder_tband::plugin(), "tband", line);
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/tband/tests/captures/boiler_basic.bin");
    let rows = records(&tband, &std::fs::read(capture).unwrap(), "level=\"flame seen in irq\"");
    assert_eq!(rows[0]["text"], "MRK instant feedwater flame: flame seen in irq, flame seen in irq");
    assert_eq!(rows[0]["fields"]["level"], "flame seen in irq");
}

/// Random records: a filter on a field finds the same rows as testing its value in jsonl.
#[test]
fn filters_agree_with_the_fields_of_jsonl() {
    let decoder = decoder(spytui_decoder_qs::plugin(), "qs", &format!("record qs MOTOR _:u8 {FIELDS}"));
    let mut state = 1_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let mut bytes = qs();
    for seq in 4..200_u8 {
        let motor: Vec<u8> = (0..9).map(|at| if at == 3 { draw() % 9 } else { draw() }).collect();
        let mut frame = [&[seq, 105, seq, 0, 0, 0, 0x09, 9], &motor[..]].concat();
        frame.push(!frame.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)));
        bytes.extend(stuffed(&frame));
    }
    let all = records(&decoder, &bytes, "");
    let mut wrong = String::new();
    for (field, limit) in [("rpm", 1200.0), ("rpm", 1236.5), ("temp", -10.0), ("amps", 1.5), ("rpm", 1e9)] {
        for (op, holds) in [(">", (|a, b| a > b) as fn(f64, f64) -> bool), ("<=", |a, b| a <= b), ("=", |a, b| a == b)]
        {
            let expected = all.iter().filter(|row| row["fields"][field].as_f64().is_some_and(|n| holds(n, limit)));
            let found = records(&decoder, &bytes, &format!("{field}{op}{limit}"));
            if !found.iter().eq(expected.clone()) {
                let _ = writeln!(wrong, "{field}{op}{limit}: {} of {}", found.len(), expected.count());
            }
        }
    }
    for (field, word) in [("mode", "fault"), ("mode", "4"), ("flags", "limit"), ("flags", "brake+hot")] {
        let expected = all.iter().filter(|row| row["fields"][field] == *word);
        let found = records(&decoder, &bytes, &format!("{field}=\"{word}\""));
        if !found.iter().eq(expected.clone()) {
            let _ = writeln!(wrong, "{field}={word}: {} of {}", found.len(), expected.count());
        }
    }
    assert_eq!((all.len(), wrong.as_str()), (198, ""));
}
