//! Gaps that grow when the target tells later how many records it dropped: in the store, in lists and in streams.

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
    list::{Direction, Filter, RenderRequest, RowRenderer, find_shape},
    log::{LogOptions, RawLog},
    plugin::{Decoder, Options, Origin, Registry},
    query::{Vocabulary, parse},
    session::{
        Decoding,
        decode_loop::DecodeLoop,
        decoding::DecodingState,
        losses::{Loss, LossSize},
    },
    store::View,
};
use spytui_plugin_api::{render::Want, row::RowKind};

/// Records of each loss that is listed, and whether the number is exact.
fn losses(state: &DecodingState) -> Vec<(u64, bool)> {
    let units = |loss: &Loss| match loss.size {
        LossSize::Units { lost, exact } => Some((lost, exact)),
        _ => None,
    };
    state.losses.iter().filter_map(units).collect()
}

/// A stream of QS.
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

    /// What was sent since it was asked last.
    fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

fn qs() -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
    registry.find("qs").unwrap()
}

/// A log that is decoded while it grows.
struct Live {
    log: Arc<RawLog>,
    decoded: Arc<Decoding>,
    runner: DecodeLoop,
}

impl Live {
    fn new(memory: usize) -> Live {
        let log = RawLog::new(&LogOptions::default());
        let decoded = Arc::new(Decoding::new(qs(), Options::default(), log.clone(), 0, 0, memory));
        let runner = DecodeLoop::open(decoded.clone(), "test").unwrap();
        Live { log, decoded, runner }
    }

    fn arrives(&mut self, bytes: &[u8]) {
        self.log.append(bytes, 1);
        while self.runner.step().unwrap() {}
    }
}

/// The texts of all gaps.
fn gaps(decoded: &Decoding) -> Vec<String> {
    let ask = RenderRequest { want: Want::TEXT, view: View::Effective, short: true, before: None };
    let (mut texts, mut at) = (Vec::new(), None);
    while let Some(gap) = find_shape(decoded, at, Direction::Forward, |shape| shape.kind == RowKind::GAP) {
        RowRenderer::default().items(decoded, [gap], ask, |_, item| {
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
    let mut search = Filter::strict(expr);
    let now = Instant::now();
    search.work(&live.decoded, 9, now);
    let counts = |decoded: &Decoding| {
        let state = decoded.read();
        (state.counters.rows.gaps, state.counters.rows.lost, state.counters.is_lost_exact())
    };
    assert_eq!((search.matched(), counts(&live.decoded)), (0, (1, 160, false)));
    assert!(gaps(&live.decoded)[0].starts_with("≥160 records lost, seq 14-173 · "));

    target.total();
    target.records(5);
    live.arrives(&target.take());
    search.work(&live.decoded, 9, now + Duration::from_secs(1));
    assert_eq!((search.matched(), counts(&live.decoded)), (1, (1, 4_000, true)));
    assert_eq!(search.hidden() + search.matched(), live.decoded.len());
    assert!(gaps(&live.decoded)[0].starts_with("4 000 records lost, seq 14-173, by the target's own count · "));
    let state = live.decoded.read();
    assert_eq!(losses(&state), [(4_000, true)]);
    assert_eq!(state.sums_before(state.rows.len()), Some(state.sums()));
    drop(state);

    // One that shows all that was dropped has no more, but is the target's then.
    target.drop(7);
    target.records(1);
    live.arrives(&target.take());
    assert!(gaps(&live.decoded)[1].starts_with("≥7 records lost"));
    target.total();
    live.arrives(&target.take());
    assert!(gaps(&live.decoded)[1].starts_with("7 records lost, seq "), "{:?}", gaps(&live.decoded));
    let state = live.decoded.read();
    assert_eq!((losses(&state), state.drops()), (vec![(4_000, true), (7, true)], (4_007, 2)));
    assert_eq!((state.counters.rows.lost, state.counters.is_lost_exact()), (4_007, true));
    drop(state);

    // The numbers hide what is dropped next.
    target.drop(256);
    target.total();
    live.arrives(&target.take());
    let words = "263 records lost, seq ";
    assert!(gaps(&live.decoded)[1].starts_with(words), "{:?}", gaps(&live.decoded));
    let state = live.decoded.read();
    assert_eq!((losses(&state), state.drops()), (vec![(4_000, true), (263, false)], (4_263, 2)));
    assert_eq!((state.counters.rows.lost, state.counters.is_lost_exact()), (4_263, true));
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
        assert_eq!((state.counters.rows.lost, state.counters.is_lost_exact()), (10_800, true));
        assert_eq!(losses(&state), expected);
    }
    assert!(tight.decoded.read().rows.segments().iter().any(|segment| segment.columns.is_none()));
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
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("stream.bin");
    fs::write(&path, bytes).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_spytui"))
        .args(["decode", "--proto", "qs", "--format", "jsonl", "--stats=json"])
        .arg(&path)
        .env("HOME", home.path())
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .unwrap();
    let lines = out.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let rows = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
    (rows, serde_json::from_slice(out.stderr.split(|&byte| byte == b'\n').rev().nth(1).unwrap()).unwrap())
}

#[test]
fn a_stream_says_with_the_total_what_it_has_passed() {
    let sum = |rows: &[Value], key: &str| rows.iter().filter_map(|row| row[key].as_u64()).sum::<u64>();
    let told = |rows: &[Value]| rows.iter().find(|row| row["text"].as_str().unwrap().contains("own count")).cloned();
    let stream = |records: u32| {
        let mut target = Target::start();
        target.drop(4_000);
        target.records(records);
        target.total();
        target.take()
    };

    let (rows, stats) = decode(&stream(2));
    assert_eq!((&stats["lost"], &stats["lost_exact"]), (&4_000.into(), &true.into()));
    let gap = told(&rows).unwrap();
    assert_eq!((&gap["type"], &gap["lost"], &gap["exact"]), (&"note".into(), &4_000.into(), &true.into()));

    // The gap was decoded with the first 64 KiB and is written.
    let (rows, stats) = decode(&stream(20_000));
    assert_eq!((&stats["lost"], &stats["lost_exact"], &stats["gaps"]), (&4_000.into(), &true.into(), &1.into()));
    let total = told(&rows).unwrap();
    assert_eq!((&total["type"], &total["fields"]["more_lost"]), (&"record".into(), &3_840.into()));
    assert!(total["text"].as_str().unwrap().ends_with(" · 3 840 more lost before, by the target's own count"));
    assert_eq!(sum(&rows, "lost"), 160);
}
