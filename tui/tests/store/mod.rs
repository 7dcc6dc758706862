//! The store with a real stream: dropped rows are restored, filters and searches agree with examining every row, a
//! switch decodes everything again. [`exact`] tests random filters over all protocols.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::bounded;
use spytui_engine::{
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options, Origin, Registry},
    query::{Expr, Vocabulary, parse},
    store::{Span, View},
    trace::list::{Direction, Filter, RenderRequest, RowList, RowRenderer, find_shape},
    trace::session::{Decoding, Session, SessionOptions, thread::DecodeLoop},
};
use spytui_plugin_api::{
    AttachmentId, Row,
    render::Want,
    row::{RowFlags, RowKind},
};

mod exact;

const CAPTURE: &[u8] = include_bytes!("../../../decoders/qs/tests/captures/oven-734-flips.bin");
const TIMES: usize = 120;

fn qs() -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qs::plugin(), &Origin::BuiltIn).unwrap();
    registry.find("qs").unwrap()
}

fn log(times: usize) -> Arc<RawLog> {
    let log = RawLog::new(&LogOptions::default());
    (0..times).for_each(|_| log.append(CAPTURE, 1));
    log.end(1);
    log
}

fn decoded(log: &Arc<RawLog>, memory: usize) -> Arc<Decoding> {
    let decoded = Arc::new(Decoding::new(qs(), Options::default(), log.clone(), 0, 0, memory));
    let mut runner = DecodeLoop::open(decoded.clone()).unwrap();
    while runner.step().unwrap() {}
    decoded
}

fn row(decoded: &Decoding, n: u64) -> Row {
    assert!(decoded.ensure_loaded(n), "row {n} can't be decoded again");
    decoded.read().rows.row(n).unwrap()
}

fn text(decoded: &Arc<Decoding>, n: u64) -> String {
    let ask = RenderRequest { want: Want::TEXT, view: View::Effective, short: true, before: None };
    let mut line = None;
    RowRenderer::default().views(&RowList::new(vec![decoded.clone()]), [n], ask, |_, item| {
        item.push_text(line.insert(Vec::new()));
        false
    });
    String::from_utf8(line.expect("a line")).unwrap()
}

#[test]
fn rows_beyond_the_budget_come_back_exactly() {
    let log = log(TIMES);
    let (roomy, tight) = (decoded(&log, 512 << 20), decoded(&log, 1 << 20));
    let len = roomy.len();
    assert_eq!(tight.len(), len);
    assert!(len > 4 * 65_536, "{len} rows are too few for this test");
    let dropped = tight.read().rows.segments.iter().filter(|s| s.columns.is_none()).count();
    assert!(dropped > 0, "nothing was dropped");
    assert!(tight.read().rows.memory() < roomy.read().rows.memory() / 2);
    for n in (0..len).step_by(4_999) {
        assert_eq!(row(&tight, n), row(&roomy, n), "row {n}");
        assert_eq!(text(&tight, n), text(&roomy, n), "row {n}");
    }
    let state = tight.read();
    assert!(state.counters.adds_up() && state.counters.fed == log.len());
}

#[test]
fn counters_as_of_a_row_are_those_of_the_rows_before_it() {
    let log = log(TIMES);
    let (roomy, tight) = (decoded(&log, 512 << 20), decoded(&log, 1 << 20));
    let state = roomy.read();
    let len = state.rows.len();
    let (mut records, mut damaged, mut skipped, mut lost) = (0, 0, 0, 0);
    for n in 0..len {
        if n % 9_973 == 0 {
            assert!(tight.ensure_loaded(n));
            let sums = tight.read().sums_before(n).unwrap();
            let rows = sums.counters.rows;
            assert_eq!((rows.records, rows.bad(), rows.skipped_bytes, rows.lost), (records, damaged, skipped, lost));
            assert_eq!(sums.groups().map(|(_, (rows, _))| rows).sum::<u64>(), records, "row {n}");
        }
        let row = state.rows.row(n).unwrap();
        let (columns, i) = state.rows.columns(state.rows.location(n).unwrap()).unwrap();
        records += u64::from(row.is_record());
        damaged += u64::from(matches!(row.kind, RowKind::BAD_CHECK | RowKind::BAD_FRAME));
        damaged += u64::from(row.has(RowFlags::SKIPPED) && matches!(row.kind, RowKind::TOO_SHORT | RowKind::TOO_LONG));
        skipped += if row.has(RowFlags::SKIPPED) { u64::from(row.len) } else { 0 };
        let gaps = columns.attachments(i).iter().filter(|a| a.id == AttachmentId::LOST && row.kind == RowKind::GAP);
        lost += gaps.map(|a| a.a).sum::<u64>();
    }
    assert!(damaged > 0 && lost > 0 && skipped > 0);
    assert_eq!(state.sums_before(len), Some(state.sums()));
    assert_eq!(state.sums().counters.rows, state.counters.rows);
}

#[test]
fn places_in_spans_are_found_where_rows_are_shown() {
    let log = log(TIMES);
    let bulk = decoded(&log, 512 << 20);
    let first = bulk.read().rows.shape(1_000).unwrap().span;
    bulk.ensure_spans(1_000);
    let spans: Vec<Span> = (1_000..1_200).map(|n| bulk.read().rows.shape(n).unwrap().span).collect();
    assert_eq!(first, Span::None);
    assert!(spans.contains(&Span::Open) && spans.contains(&Span::Inside) && spans.contains(&Span::Close));
}

#[test]
fn rows_stay_the_same_when_places_are_found() {
    let bulk = decoded(&log(TIMES), 512 << 20);
    let rows: Vec<u64> = (0..bulk.len()).step_by(4_999).collect();
    let look = |n: u64| (row(&bulk, n), text(&bulk, n), bulk.read().rows.records_before(n));
    let before: Vec<_> = rows.iter().map(|&n| look(n)).collect();
    let memory = bulk.read().rows.memory();
    for (&n, before) in rows.iter().zip(&before).rev() {
        bulk.ensure_spans(n);
        assert_eq!(&look(n), before, "row {n}");
    }
    let state = bulk.read();
    let tally: u64 = state.rows.tables.shapes.tally().map(|t| t.1).sum();
    assert_eq!(tally, bulk.len());
    assert!(state.rows.memory() < 2 * memory + (3 << 20));
}

#[test]
fn filters_and_searches_agree_with_looking_at_every_row() {
    let decoded = decoded(&log(2), 512 << 20);
    let list = RowList::new(vec![decoded.clone()]);
    let len = decoded.len();
    for text in [
        "kind:Tran,Ignored",
        "-group:SM obj:motor",
        "free<2",
        "kind:TE0-Arm or sev:error",
        "text~door",
        "obj:nobody",
        "obj:nobody or kind:Tran",
    ] {
        let expr = parse(text, &Vocabulary::open()).unwrap();
        let mut brute = Vec::new();
        let ask = RenderRequest { want: Want::TEXT | Want::FIELDS, view: View::Effective, short: true, before: None };
        RowRenderer::default().views(&list, 0..len, ask, |n, item| {
            if expr.matches(item) {
                brute.push(n);
            }
            true
        });
        let mut filter = Filter::new(expr.clone());
        for n in 0..len {
            let kind = decoded.read().rows.shape(n).unwrap().row.kind;
            if brute.binary_search(&n).is_ok() {
                assert!(filter.shows(&list, n), "{text}: row {n} is hidden");
            } else if !kind.is_note() && filter.shows(&list, n) {
                let role = spytui_engine::present::RowRole::of(&row(&decoded, n));
                assert_eq!(role, spytui_engine::present::RowRole::Event, "{text}: row {n} is shown");
            }
        }
        let mut found = Vec::new();
        let (mut matches, mut everything) = (Filter::strict(expr), Filter::new(Expr::everything()));
        matches.follow_names(&list, Instant::now());
        let mut seek = |row, direction| matches.seek(&list, row, direction, &mut everything, usize::MAX).unwrap();
        while let Some(n) = seek(found.last().map_or(0, |last| last + 1), Direction::Forward) {
            found.push(n);
        }
        assert_eq!(found, brute, "{text}");
        assert_eq!(seek(decoded.len() - 1, Direction::Backward), brute.last().copied(), "{text}");
    }
}

#[test]
fn rows_that_a_filter_hides_are_passed_over_at_once() {
    let decoded = decoded(&log(4), 512 << 20);
    let list = RowList::new(vec![decoded.clone()]);
    let len = decoded.len();
    assert!(len > 2 * 4096);
    for text in ["obj:nobody", "kind:Ignored", "obj:motor"] {
        let mut filter = Filter::new(parse(text, &Vocabulary::open()).unwrap());
        let now = Instant::now();
        filter.follow_names(&list, now);
        // Nothing is decided: each row may be shown.
        assert_eq!((filter.next_candidate(&list, 9, true), filter.next_candidate(&list, len, true)), (Some(9), None));
        filter.work(&list, 1, now);
        assert_eq!(filter.next_candidate(&list, 4095, true), Some(4095), "{text}: not decided yet");
        while filter.work(&list, 1, now) {}
        let shown: Vec<u64> = (0..len).filter(|&row| filter.shows(&list, row)).collect();
        for row in 0..len {
            let at = shown.partition_point(|&other| other < row);
            assert_eq!(filter.next_candidate(&list, row, true), shown.get(at).copied(), "{text}: from {row}");
            let before = shown[..shown.partition_point(|&other| other <= row)].last().copied();
            assert_eq!(filter.next_candidate(&list, row, false), before, "{text}: back from {row}");
        }
    }
}

#[test]
fn losses_are_found_in_both_directions() {
    let decoded = decoded(&log(1), 512 << 20);
    let list = RowList::new(vec![decoded.clone()]);
    let is_gap = |s: &spytui_engine::store::Shape| s.row.kind == RowKind::GAP;
    let (mut forward, mut at) = (Vec::new(), None);
    while let Some(n) = find_shape(&list, at, Direction::Forward, is_gap) {
        forward.push(n);
        at = Some(n);
    }
    let (mut backward, mut at) = (Vec::new(), None);
    while let Some(n) = find_shape(&list, at, Direction::Backward, is_gap) {
        backward.push(n);
        at = Some(n);
    }
    backward.reverse();
    assert_eq!(forward, backward);
    assert_eq!(forward.len() as u64, decoded.read().counters.rows.gaps);
}

#[test]
fn a_switch_decodes_the_same_log_again_and_loses_nothing() {
    let log = log(TIMES * 3);
    let (wake, woken) = bounded(1);
    let session = Session::start(log.clone(), qs(), Options::default(), SessionOptions::default(), wake).unwrap();
    let until = |what: &str, done: &dyn Fn(&Decoding) -> bool| {
        let end = Instant::now() + Duration::from_secs(60);
        while !done(&session.current()) {
            assert!(Instant::now() < end, "waited for {what}");
            let _ = woken.recv_timeout(Duration::from_millis(20));
        }
    };
    until("the first decoding", &|d| d.pos() == log.len());
    let before = session.current();
    let rows = before.len();
    let mut options = Options::default();
    options.set(&qs().info, "ticks-per-second", "1000000").unwrap();
    session.switch(qs(), options).unwrap();
    // The end is shown first, the complete decoding replaces it when it has caught up.
    until("the end of the log", &|d| !std::ptr::eq(d, &*before) && d.pos() == log.len());
    until("the whole log", &|d| d.begins == 0 && d.len() == rows && d.pos() == log.len());
    let after = session.current();
    assert_eq!(row(&after, 77_777), row(&before, 77_777));
    assert!(after.read().context.clock.known() && !before.read().context.clock.known());
    assert!(after.read().counters.adds_up());
}
