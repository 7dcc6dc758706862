//! Gaps that grow when the target later reports how many records it dropped: in the store, in lists and in streams.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    fs,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use spytui_decoder_harness::stuff;
use spytui_engine::{
    io::format_files::{FormatFiles, FormatPaths},
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options, Origin, Registry},
    query::{Vocabulary, parse},
    store::View,
    trace::list::{Direction, Filter, RenderRequest, RowList, RowRenderer, find_shape},
    trace::session::{
        Decoding,
        decoding::DecodingState,
        news::{Loss, LossSize},
        thread::DecodeLoop,
    },
};
use spytui_plugin_api::{render::Want, row::RowKind};

/// Number of records of each listed loss, and whether it is exact.
fn losses(state: &DecodingState) -> Vec<(u64, bool)> {
    let units = |loss: &Loss| match loss.size {
        LossSize::Units { lost, exact } => Some((lost, exact)),
        _ => None,
    };
    state.losses.iter().filter_map(units).collect()
}

/// A QS stream.
struct Target {
    bytes: Vec<u8>,
    seq: u32,
    dropped: u32,
    time: u32,
}

impl Target {
    /// Starts, and names the record with the total.
    fn start() -> Target {
        let mut target = Target { bytes: Vec::new(), seq: 1, dropped: 0, time: 0 };
        target.add(0, &[]);
        target.add(64, &[0xFF, 0xDE, 2, 0x22, 0x41, 0x22, 0x44, 0x04, 32, 0x23, 9, 30, 14, 20, 11, 26]);
        target.add(63, b"\x6ESTY_DROPS\0");
        target
    }

    fn add(&mut self, id: u8, payload: &[u8]) {
        let mut plain = vec![self.seq as u8, id];
        plain.extend(payload);
        plain.push(!plain.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
        stuff(&plain, &mut self.bytes);
        self.seq += 1;
    }

    fn records(&mut self, count: u32) {
        for _ in 0..count {
            self.time += 1;
            let [a, b, c, d] = self.time.to_le_bytes();
            self.add(39, &[a, b, c, d, 1]);
        }
    }

    fn drop(&mut self, count: u32) {
        self.dropped += count;
        self.seq += count;
    }

    fn total(&mut self) {
        let mut payload = self.time.to_le_bytes().to_vec();
        payload.push(5);
        payload.extend(self.dropped.to_le_bytes());
        self.add(110, &payload);
    }

    /// What was sent since the last call.
    fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

fn qs() -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
    registry.find("qs").unwrap()
}

/// A log decoded while it grows.
struct Live {
    log: Arc<RawLog>,
    decoded: Arc<Decoding>,
    runner: DecodeLoop,
}

impl Live {
    fn new(memory: usize) -> Live {
        let log = RawLog::new(&LogOptions::default());
        let decoded = Arc::new(Decoding::new(qs(), Options::default(), log.clone(), 0, 0, memory));
        let runner = DecodeLoop::open(decoded.clone()).unwrap();
        Live { log, decoded, runner }
    }

    fn arrives(&mut self, bytes: &[u8]) {
        self.log.append(bytes, 1);
        while self.runner.step().unwrap() {}
    }
}

/// The texts of all gaps.
fn gaps(decoded: &Arc<Decoding>) -> Vec<String> {
    let list = RowList::new(vec![decoded.clone()]);
    let ask = RenderRequest { want: Want::TEXT, view: View::Effective, short: true, before: None };
    let (mut texts, mut at) = (Vec::new(), None);
    while let Some(gap) = find_shape(&list, at, Direction::Forward, |shape| shape.row.kind == RowKind::GAP) {
        RowRenderer::default().views(&list, [gap], ask, |_, item| {
            texts.push(item.line().what);
            false
        });
        at = Some(gap);
    }
    texts
}

#[test]
fn a_gap_that_is_shown_grows_with_everything_that_counts_it() {
    let mut target = Target::start();
    target.records(10);
    target.drop(4_000);
    target.records(10);
    let mut live = Live::new(512 << 20);
    live.arrives(&target.take());
    let expr = parse("text~\"own count\"", &Vocabulary::open()).unwrap();
    let list = RowList::new(vec![live.decoded.clone()]);
    let mut search = Filter::strict(expr);
    let now = Instant::now();
    search.work(&list, 9, now);
    let counts = |decoded: &Decoding| {
        let state = decoded.read();
        (state.counters.rows.gaps, state.counters.rows.lost, state.counters.is_lost_exact(&decoded.decoder.info))
    };
    assert_eq!((search.matched, counts(&live.decoded)), (0, (1, 160, false)));
    assert!(gaps(&live.decoded)[0].starts_with("≥160 records lost, seq 14-173 · "));

    target.total();
    target.records(5);
    live.arrives(&target.take());
    search.work(&list, 9, now + Duration::from_secs(1));
    assert_eq!((search.matched, counts(&live.decoded)), (1, (1, 4_000, true)));
    assert_eq!(search.hidden + search.matched, live.decoded.len());
    assert!(gaps(&live.decoded)[0].starts_with("4 000 records lost, seq 14-173, by the target's own count · "));
    let state = live.decoded.read();
    assert_eq!(losses(&state), [(4_000, true)]);
    assert_eq!(state.sums_before(state.rows.len()), Some(state.sums()));
    drop(state);

    // A gap that shows everything dropped does not grow, but is then the target's.
    target.drop(7);
    target.records(1);
    live.arrives(&target.take());
    assert!(gaps(&live.decoded)[1].starts_with("≥7 records lost"));
    target.total();
    live.arrives(&target.take());
    assert!(gaps(&live.decoded)[1].starts_with("7 records lost, seq "), "{:?}", gaps(&live.decoded));
    let state = live.decoded.read();
    assert_eq!((losses(&state), state.drops()), (vec![(4_000, true), (7, true)], (4_007, 2)));
    assert_eq!((state.counters.rows.lost, state.counters.is_lost_exact(&qs().info)), (4_007, true));
    drop(state);

    // The sequence numbers hide the next drops.
    target.drop(256);
    target.total();
    live.arrives(&target.take());
    let words = "263 records lost, seq ";
    assert!(gaps(&live.decoded)[1].starts_with(words), "{:?}", gaps(&live.decoded));
    let state = live.decoded.read();
    assert_eq!((losses(&state), state.drops()), (vec![(4_000, true), (263, false)], (4_263, 2)));
    assert_eq!((state.counters.rows.lost, state.counters.is_lost_exact(&qs().info)), (4_263, true));
    assert_eq!(state.sums_before(state.rows.len()), Some(state.sums()));
}

#[test]
fn gaps_grow_in_segments_that_are_not_loaded_any_more() {
    let (mut target, mut chunks) = (Target::start(), Vec::new());
    for round in 0..36 {
        target.records(9_000);
        target.drop(300);
        target.records(1);
        // The total comes with the gap, or later.
        if round % 3 > 0 {
            chunks.push(target.take());
        }
        target.total();
    }
    chunks.push(target.take());
    let (mut tight, mut roomy, mut whole) = (Live::new(1 << 20), Live::new(512 << 20), Live::new(512 << 20));
    for chunk in &chunks {
        tight.arrives(chunk);
        roomy.arrives(chunk);
    }
    whole.arrives(&chunks.concat());
    let expected = vec![(300, true); 36];
    for live in [&tight, &roomy, &whole] {
        let state = live.decoded.read();
        assert_eq!((state.counters.rows.lost, state.counters.is_lost_exact(&qs().info)), (10_800, true));
        assert_eq!(losses(&state), expected);
    }
    assert!(tight.decoded.read().rows.segments.iter().any(|segment| segment.columns.is_none()));
    let texts = gaps(&whole.decoded);
    assert!(texts.iter().all(|text| text.starts_with("300 records lost")), "{texts:?}");
    assert_eq!((gaps(&tight.decoded), gaps(&roomy.decoded)), (texts.clone(), texts));
    for row in (0..tight.decoded.len()).step_by(9_973) {
        assert!(tight.decoded.ensure_loaded(row) && roomy.decoded.ensure_loaded(row));
        assert_eq!(tight.decoded.read().sums_before(row), roomy.decoded.read().sums_before(row), "row {row}");
    }
}

/// Rows and statistics of `decode`.
fn decode(bytes: &[u8]) -> (Vec<Value>, Value) {
    decode_with("qs", "", bytes)
}

/// `decode` for this protocol with a format file.
fn decode_with(protocol: &str, formats: &str, bytes: &[u8]) -> (Vec<Value>, Value) {
    let home = tempfile::tempdir().unwrap();
    let (path, fmt) = (home.path().join("stream.bin"), home.path().join("own.fmt"));
    fs::write(&path, bytes).unwrap();
    fs::write(&fmt, formats).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_spytui"))
        .args(["decode", "--proto", protocol, "--format", "jsonl", "--stats=json"])
        .arg(&path)
        .arg("--fmt")
        .arg(&fmt)
        .env("HOME", home.path())
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .unwrap();
    let lines = out.stdout.split(|&byte| byte == b'\n').skip(1).filter(|line| !line.is_empty());
    let rows = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
    (rows, serde_json::from_slice(out.stderr.split(|&byte| byte == b'\n').rev().nth(1).unwrap()).unwrap())
}

#[test]
fn a_stream_says_with_the_total_what_it_has_passed() {
    let sum = |rows: &[Value], key: &str| rows.iter().filter_map(|row| row[key].as_u64()).sum::<u64>();
    let reported =
        |rows: &[Value]| rows.iter().find(|row| row["text"].as_str().unwrap().contains("own count")).cloned();
    let stream = |records: u32| {
        let mut target = Target::start();
        target.drop(4_000);
        target.records(records);
        target.total();
        target.take()
    };

    let (rows, stats) = decode(&stream(2));
    assert_eq!((&stats["lost"], &stats["lost_exact"]), (&4_000.into(), &true.into()));
    let gap = reported(&rows).unwrap();
    assert_eq!((&gap["type"], &gap["lost"], &gap["exact"]), (&"note".into(), &4_000.into(), &true.into()));

    // The gap was decoded with the first 64 KiB and is already written.
    let (rows, stats) = decode(&stream(20_000));
    assert_eq!((&stats["lost"], &stats["lost_exact"], &stats["gaps"]), (&4_000.into(), &true.into(), &1.into()));
    let total = reported(&rows).unwrap();
    assert_eq!((&total["type"], &total["fields"]["more_lost"]), (&"record".into(), &3_840.into()));
    assert!(total["text"].as_str().unwrap().ends_with(" · 3 840 more lost before, by the target's own count"));
    assert_eq!(sum(&rows, "lost"), 160);
}

#[test]
fn a_stream_says_what_was_never_missing_in_a_gap_that_it_has_passed() {
    let mut target = Target::start();
    // With the next record, as many bytes as are decoded at once.
    while target.bytes.len() < 65_519 {
        target.records(1);
    }
    let next = target.seq;
    let mut wrong = next + 100;
    std::mem::swap(&mut target.seq, &mut wrong);
    target.records(1);
    target.seq = next;
    target.records(10);
    let (rows, stats) = decode(&target.take());
    assert_eq!((&stats["lost"], &stats["gaps"]), (&0.into(), &0.into()));
    let gap = rows.iter().position(|row| row["kind"] == "gap").unwrap();
    let shown_by = &rows[gap + 2];
    assert_eq!((&rows[gap]["lost"], &shown_by["fields"]["never_missing"]), (&100.into(), &100.into()));
    let text = shown_by["text"].as_str().unwrap();
    assert!(text.ends_with(" · 100 fewer lost before, as a number was wrong, from another sender, or early"), "{text}");
}

/// The stream with another name for the record.
fn renamed(bytes: &[u8], name: &[u8; 9]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = bytes.windows(9).position(|part| part == b"STY_DROPS").unwrap();
    bytes[at..at + 9].copy_from_slice(name);
    // The frame's checksum stays valid, as the bytes have the same sum.
    let sum = |text: &[u8]| text.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let end = at + 10;
    bytes[end] = bytes[end].wrapping_add(sum(b"STY_DROPS")).wrapping_sub(sum(name));
    assert!(![0x7E, 0x7D].contains(&bytes[end]));
    bytes
}

#[test]
fn a_record_of_another_name_has_the_total_if_a_format_file_says_so() {
    let mut target = Target::start();
    target.drop(4_000);
    target.records(2);
    target.total();
    let bytes = target.take();
    let other = renamed(&bytes, b"MY_LOST01");
    let (plain, plain_stats) = decode(&other);
    assert_eq!((&plain_stats["lost"], &plain_stats["lost_exact"]), (&160.into(), &false.into()), "{plain:?}");

    let line = "record qs MY_LOST01 \"lost {0}\" drops(0)\n";
    let (expected, expected_stats) = decode(&bytes);
    let (rows, stats) = decode_with("qs", line, &other);
    assert_eq!((&stats["lost"], &stats["lost_exact"], &stats["dropped"]), (&4_000.into(), &true.into(), &4_000.into()));
    let but_bytes = |stats: &Value| {
        let mut stats = stats.clone();
        for key in ["file", "path", "source", "sources", "files", "kinds"] {
            stats.as_object_mut().unwrap().remove(key);
        }
        stats
    };
    assert_eq!(but_bytes(&stats), but_bytes(&expected_stats));
    let gap = |rows: &[Value]| rows.iter().find(|row| row["lost"].is_u64()).cloned().unwrap();
    assert_eq!(gap(&rows), gap(&expected), "{}", gap(&rows));
    assert_eq!((&gap(&rows)["exact"], &gap(&rows)["cause"]), (&true.into(), &"target".into()));
    let total = rows.iter().find(|row| row["id"] == 110).unwrap();
    assert_eq!((&total["fields"]["dropped"], &total["text"]), (&4_000.into(), &"U2 MY_LOST01 lost 4000".into()));
    // By its number.
    assert_eq!(decode_with("qs", "record qs USER+10 \"\" drops(0)", &other).1["dropped"], 4_000);
}

#[test]
fn a_total_that_is_no_unsigned_integer_is_said_with_its_record() {
    let mut target = Target::start();
    target.drop(4_000);
    target.records(2);
    target.total();
    let (rows, stats) = decode_with("qs", "record qs STY_DROPS \"lost {0}\" drops(1)", &target.take());
    assert_eq!(stats["lost"], 160);
    let total = rows.iter().find(|row| row["id"] == 110).unwrap();
    let text = total["text"].as_str().unwrap();
    assert!(text.ends_with("lost 4000 [drops(1): that is no unsigned integer of 4 or 8 bytes]"), "{text}");
}

#[test]
fn the_screen_decodes_again_with_the_record_that_a_format_file_names() {
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
    let decoder = registry.find("qs").unwrap();
    let version = decoder.formatting.lines.version();
    let home = tempfile::tempdir().unwrap();
    let own = home.path().join("own.fmt");
    fs::write(&own, "record qs MY_LOST01 \"\" drops(0)").unwrap();
    let paths = FormatPaths { named: vec![own], ..FormatPaths::default() };
    registry.set_formats(Arc::new(FormatFiles::new(paths).read()));
    assert_eq!(decoder.formatting.lines.version(), version + 1);
    assert_eq!(decoder.formats_event(&Options::default()), b"drops=MY_LOST01(0)\n");
    let own = Options::parse(&decoder.info, &["drops=OTHER(2)"]).unwrap();
    assert_eq!(decoder.formats_event(&own), b"", "the user's own option counts");

    let mut target = Target::start();
    target.drop(4_000);
    target.records(2);
    target.total();
    let log = RawLog::new(&LogOptions::default());
    log.append(&renamed(&target.take(), b"MY_LOST01"), 1);
    let decoded = Arc::new(Decoding::new(decoder, Options::default(), log, 0, 0, 512 << 20));
    let mut runner = DecodeLoop::open(decoded.clone()).unwrap();
    while runner.step().unwrap() {}
    let state = decoded.read();
    assert_eq!((losses(&state), state.drops()), (vec![(4_000, true)], (4_000, 1)));
}
