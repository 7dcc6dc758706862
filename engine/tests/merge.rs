//! Several sources of one target as one stream: the order for any chunk sizes; names, clocks, activities.

#![allow(clippy::unwrap_used)]

use std::{
    cell::Cell,
    io,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use proptest::prelude::*;
use spytui_engine::{
    decode::{LearnedOptions, learn_from_beginning},
    io::log::{Cursor, LogEvent, LogOptions, LogReader, RawLog, kind},
    open::{Decoder, Options, Origin, Registry},
    query::{Expr, Vocabulary, parse},
    row::RowView,
    store::View,
    trace::list::{Direction, Filter, ListGrowth, RenderRequest, RowList, RowRenderer, find_shape},
    trace::order::{PATIENCE, Scales, SortTimes},
    trace::session::{Decoding, thread::DecodeLoop},
    trace::stream::{Pipeline, Prepass, Sink, TargetFlow, Targets, drive_targets},
};
use spytui_plugin_api::{Row, Source, chunk::MAX_CHUNK, render::Want};
use spytui_testing_decoder::{frame::line, stream};

use crate::pipeline::decode;

fn toy() -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(spytui_testing_decoder::plugin(), &Origin::BuiltIn).unwrap();
    registry.find("toy").unwrap()
}

/// A row passed to the sink.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    source: Option<u16>,
    n: Option<u64>,
    row: Row,
    text: String,
    ns: Option<u64>,
    activities: usize,
}

#[derive(Default)]
struct Rows(Vec<Seen>, Rc<Cell<usize>>);

impl Sink for Rows {
    fn want(&self) -> Want {
        Want::TEXT | Want::FIELDS
    }

    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        self.0.push(Seen {
            source: item.source,
            n: item.n,
            row: *item.row,
            text: String::from_utf8_lossy(item.rendered.text).into_owned(),
            ns: item.ns(),
            activities: item.activities.len(),
        });
        self.1.set(self.0.len());
        Ok(())
    }
}

fn sources(count: usize) -> Vec<Source> {
    (0..count).map(|i| Source { index: i as u16, ..Source::default() }).collect()
}

fn event(kind: u16, pos: u64) -> LogEvent {
    LogEvent { pos, host_ns: 0, kind, arg: 0, text: Vec::new() }
}

/// All sources merged, each fed in chunks whose sizes repeat.
fn merged(streams: &[Vec<u8>], sizes: &[usize]) -> Vec<Seen> {
    let mut merged = Pipeline::open(&toy(), &Options::default(), &sources(streams.len())).unwrap();
    let mut rows = Rows::default();
    let mut at = vec![0; streams.len()];
    let mut sizes = sizes.iter().cycle();
    while !merged.is_over() {
        for (source, stream) in streams.iter().enumerate() {
            if !merged.wants(source) {
                continue;
            }
            let pos = at[source];
            if pos > stream.len() {
                merged.end(source);
                continue;
            }
            let end = (pos + sizes.next().unwrap()).min(stream.len());
            let last = end == stream.len();
            let events: Vec<LogEvent> =
                [(pos == 0).then(|| event(kind::START, 0)), last.then(|| event(kind::END, end as u64))]
                    .into_iter()
                    .flatten()
                    .collect();
            merged.feed(source, pos as u64, &stream[pos..end], &events, &mut rows);
            at[source] = if last { stream.len() + 1 } else { end };
        }
        merged.advance(&mut rows, |_| false).unwrap();
    }
    rows.0
}

fn alone(bytes: &[u8]) -> Vec<Seen> {
    let mut rows = Rows::default();
    decode(&toy(), &Options::default(), bytes, MAX_CHUNK, &mut rows);
    rows.0
}

/// The contract applied row by row to sources that were decoded separately.
fn model(streams: &[Vec<u8>]) -> Vec<(u16, Row)> {
    let info = toy().info.clone();
    let mut queues: Vec<_> = streams
        .iter()
        .map(|bytes| {
            let mut stamps = SortTimes::new(&info);
            let rows: Vec<Row> = alone(bytes).into_iter().map(|seen| seen.row).collect();
            rows.into_iter().map(move |row| (stamps.of(&row), row)).collect::<Vec<_>>().into_iter().peekable()
        })
        .collect();
    let mut order = Vec::new();
    loop {
        let heads = queues.iter_mut().enumerate().filter_map(|(i, q)| Some((q.peek()?.0, i)));
        let Some((_, source)) = heads.min() else { return order };
        order.push((source as u16, queues[source].next().unwrap().1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_order_is_that_of_the_contract_whatever_the_chunks_are(
        seeds in prop::collection::vec(0_u64..1000, 1..4),
        frames in 1_usize..120,
        sizes in prop::collection::vec(1_usize..600, 1..5),
    ) {
        let streams: Vec<Vec<u8>> = seeds.iter().map(|&seed| stream::mixed(seed, frames)).collect();
        let whole = merged(&streams, &[65_536]);
        prop_assert_eq!(&whole, &merged(&streams, &sizes), "chunks change what comes");
        let rows: Vec<(u16, Row)> = whole.iter().map(|seen| (seen.source.unwrap_or(0), seen.row)).collect();
        prop_assert_eq!(rows, model(&streams));
    }

    #[test]
    fn rows_of_a_source_are_those_that_it_has_alone(seed in 0_u64..1000) {
        let streams = [stream::mixed(seed, 80), stream::mixed(seed + 1, 50)];
        let together = merged(&streams, &[997]);
        for (source, bytes) in (0..).zip(&streams) {
            let own = together.iter().filter(|seen| seen.source == Some(source)).map(|seen| (seen.n, seen.row));
            let alone = alone(bytes);
            prop_assert!(alone.iter().any(|seen| seen.activities > 0) && alone.iter().all(|seen| seen.source.is_none()));
            prop_assert!(own.eq(alone.into_iter().map(|seen| (seen.n, seen.row))));
        }
    }
}

/// Frames of one core, numbered from 0.
fn frames(core: u8, texts: &[&str]) -> Vec<u8> {
    (0..).zip(texts).flat_map(|(seq, text)| line(core, seq, text)).collect()
}

fn texts(seen: &[Seen]) -> Vec<&str> {
    seen.iter().map(|s| s.text.as_str()).collect()
}

#[test]
fn names_of_one_source_hold_for_the_others() {
    let streams = [frames(0, &["S 10 7 1", "N 10 7 valve", "S 30 7 3"]), frames(1, &["S 11 7 2", "S 31 7 4"])];
    let seen = merged(&streams, &[3]);
    // A name applies from its record on.
    assert_eq!(texts(&seen), ["0007 = 1", "valve", "valve = 2", "valve = 3", "valve = 4"]);
}

#[test]
fn a_source_that_ended_holds_nothing_up() {
    let streams = [frames(0, &["S 10 1 1"]), frames(1, &["S 11 2 1", "S 12 2 2", "S 13 2 3"]), Vec::new()];
    let seen = merged(&streams, &[9]);
    assert_eq!(texts(&seen), ["0001 = 1", "0002 = 1", "0002 = 2", "0002 = 3"]);
    let sources: Vec<u16> = seen.iter().filter_map(|s| s.source).collect();
    assert_eq!(sources, [0, 1, 1, 1]);
}

fn log_of(bytes: &[u8]) -> Arc<RawLog> {
    let log = RawLog::new(&LogOptions::default());
    log.append(bytes, 1);
    log
}

/// Feeds all logs to their end.
fn drive(logs: &[Arc<RawLog>], pipeline: &mut Pipeline, sink: &mut impl Sink) {
    let mut readers = logs.iter().map(|log| LogReader::new(log.clone(), Cursor::default())).collect::<Vec<_>>();
    while !pipeline.is_over() {
        for (input, reader) in readers.iter_mut().enumerate() {
            if !pipeline.wants(input) {
            } else if reader.next(u64::MAX).unwrap() {
                pipeline.feed(input, reader.pos, &reader.bytes, &reader.events, sink);
            } else {
                pipeline.end(input);
            }
        }
        pipeline.advance(sink, |_| false).unwrap();
    }
}

#[test]
fn a_rate_that_is_reported_late_holds_for_the_whole_epoch_and_for_all() {
    let early = frames(0, &["S 1 1 1", "S 2 1 2", "K 3e8 1"]);
    let logs = [log_of(&early), log_of(&frames(1, &["S 1 2 1", "S 3 2 2"]))];
    logs.iter().for_each(|log| log.end(1));
    let (decoder, options, sources) = (toy(), Options::default(), sources(2));
    let prepass = Prepass::of(&decoder, &options, &sources, &logs, &[]).unwrap();
    let mut merged = Pipeline::open(&decoder, &options, &sources).unwrap();
    merged.set_prepass(&prepass);
    let mut rows = Rows::default();
    drive(&logs, &mut merged, &mut rows);
    let ns: Vec<Option<u64>> = rows.0.iter().filter(|s| s.text.contains('=')).map(|s| s.ns).collect();
    assert_eq!(ns, [Some(1000), Some(1000), Some(2000), Some(3000)]);
    assert_eq!(merged.counters(0).unwrap().rows.records, 3);
}

#[test]
fn sources_whose_clocks_run_at_different_rates_are_ordered_by_time() {
    let logs = [log_of(&frames(0, &["S 10 1 1", "K 1 1"])), log_of(&frames(1, &["S 1 2 1", "K 3e8 1"]))];
    logs.iter().for_each(|log| log.end(1));
    let (decoder, options, sources) = (toy(), Options::default(), sources(2));
    let prepass = Prepass::of(&decoder, &options, &sources, &logs, &[]).unwrap();
    let mut merged = Pipeline::open(&decoder, &options, &sources).unwrap();
    merged.set_prepass(&prepass);
    let mut rows = Rows::default();
    drive(&logs, &mut merged, &mut rows);
    let order: Vec<(Option<u16>, Option<u64>)> = rows.0.iter().map(|s| (s.source, s.ns)).collect();
    assert_eq!(order[0], (Some(0), Some(16)));
    assert_eq!(order[2], (Some(1), Some(1000)));
    assert_ne!(Scales::new(&[prepass.clocks(0)[0], prepass.clocks(1)[0]]), Scales::default());
}

#[test]
fn a_live_source_that_is_silent_is_waited_for_only_so_long() {
    let logs = [log_of(&frames(0, &["S 10 1 1", "S 20 1 2"])), RawLog::new(&LogOptions::default())];
    let mut targets = Targets::default();
    targets.add(TargetFlow::new(&toy(), &Options::default(), "", &sources(2), &logs, true).unwrap());
    let (mut rows, stop) = (Rows::default(), AtomicBool::new(false));
    let (seen, mut sent) = (rows.1.clone(), false);
    let patience = Some(std::time::Duration::from_millis(20));
    drive_targets(
        &mut targets,
        &mut rows,
        &stop,
        patience,
        |_| Ok(()),
        || {
            // The second source is late, when the rows of the first one are out; then both end.
            match (seen.get(), sent) {
                (2, false) => {
                    logs[1].append(&frames(1, &["S 15 2 9"]), 1);
                    sent = true;
                }
                (3, _) => logs.iter().for_each(|log| log.end(1)),
                _ => {}
            }
            Ok(())
        },
    )
    .unwrap();
    assert_eq!(texts(&rows.0), ["0001 = 1", "0001 = 2", "0002 = 9"]);
}

/// Sources as a session keeps them, with the loops that fill them.
fn stores(streams: &[Vec<u8>]) -> (Vec<Arc<RawLog>>, Vec<DecodeLoop>) {
    let logs: Vec<Arc<RawLog>> = streams.iter().map(|_| RawLog::new(&LogOptions::default())).collect();
    let open = |(source, log): (u16, &Arc<RawLog>)| {
        let decoded = Decoding::new(toy(), Options::default(), log.clone(), source, 0, 64 << 20);
        DecodeLoop::open(Arc::new(decoded)).unwrap()
    };
    let loops = (0..).zip(&logs).map(open).collect();
    (logs, loops)
}

fn view(loops: &[DecodeLoop]) -> RowList {
    RowList::new(loops.iter().map(|decode_loop| decode_loop.decoded.clone()).collect())
}

fn rows(view: &RowList) -> Vec<(u16, Row)> {
    (0..view.len()).map(|n| (view.locate(n).unwrap().0 as u16, view.row(n).unwrap())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_list_of_stored_rows_has_the_order_of_the_stream(
        seeds in prop::collection::vec(0_u64..1000, 2..4),
        frames in 1_usize..400,
        pieces in prop::collection::vec(1_usize..2000, 1..6),
    ) {
        let streams: Vec<Vec<u8>> = seeds.iter().map(|&seed| stream::mixed(seed, frames)).collect();
        let (logs, mut loops) = stores(&streams);
        let view = view(&loops);
        let now = Instant::now();
        let mut at = vec![0; streams.len()];
        let mut sizes = pieces.iter().cycle();
        while at.iter().zip(&streams).any(|(at, stream)| *at <= stream.len()) {
            for (i, stream) in streams.iter().enumerate() {
                let end = (at[i] + sizes.next().unwrap()).min(stream.len());
                if at[i] < stream.len() {
                    logs[i].append(&stream[at[i]..end], 1);
                    at[i] = end;
                } else if at[i] == stream.len() {
                    logs[i].end(1);
                    at[i] += 1;
                }
                while loops[i].step().unwrap() {}
                // No time passes, so nothing times out.
                while view.grow(now) == ListGrowth::More {}
            }
        }
        prop_assert_eq!(view.grow(now), ListGrowth::Done);
        prop_assert_eq!(&rows(&view), &model(&streams));
        for n in 0..view.len() {
            let (source, row) = view.locate(n).unwrap();
            prop_assert_eq!(view.place(source, row), Some(n));
            prop_assert_eq!(view.before(n)[source], row);
        }
        prop_assert_eq!(view.place(0, u64::MAX), None);
        prop_assert!(view.counters().adds_up(), "{:?}", view.counters());
    }
}

#[test]
fn the_list_goes_on_without_a_source_that_is_silent() {
    let (logs, mut loops) = stores(&[Vec::new(), Vec::new()]);
    let view = view(&loops);
    let start = Instant::now();
    let mut feed = |source: usize, bytes: Vec<u8>| {
        logs[source].append(&bytes, 1);
        while loops[source].step().unwrap() {}
    };
    feed(0, frames(0, &["S 10 1 1", "S 20 1 2"]));
    assert_eq!((view.grow(start), view.len()), (ListGrowth::Waits, 0));
    feed(1, line(1, 0, "S 15 2 1"));
    assert_eq!((view.grow(start), view.len()), (ListGrowth::Waits, 2));
    // The last row of the first source waits for the second one, but not for ever.
    assert_eq!((view.grow(start + PATIENCE), view.len()), (ListGrowth::Done, 3));
    feed(1, line(1, 1, "S 16 2 2"));
    assert_eq!((view.grow(start + PATIENCE), view.len()), (ListGrowth::Waits, 3));
    assert_eq!((view.grow(start + PATIENCE * 2), view.len()), (ListGrowth::Done, 4));
    let order: Vec<u16> = rows(&view).into_iter().map(|r| r.0).collect();
    assert_eq!(order, [0, 1, 0, 1], "what comes late stands at the end");
}

#[test]
fn clocks_that_turn_out_to_differ_begin_the_order_anew() {
    let (logs, mut loops) = stores(&[Vec::new(), Vec::new()]);
    let view = view(&loops);
    let now = Instant::now();
    let mut feed = |source: usize, texts: &[&str]| {
        logs[source].append(&frames(source as u8, texts), 1);
        logs[source].end(1);
        while loops[source].step().unwrap() {}
    };
    feed(0, &["S 10 1 1", "S 20 1 2", "K 1 1"]);
    assert_eq!((view.grow(now), view.rebuilt()), (ListGrowth::Waits, 0));
    feed(1, &["S 1 2 1", "K 3e8 1"]);
    while view.grow(now) == ListGrowth::More {}
    let order: Vec<u16> = rows(&view).into_iter().map(|r| r.0).collect();
    assert_eq!(order, [0, 0, 0, 1, 1], "1000 ns are later than 32");
}

#[test]
fn the_list_renders_finds_and_filters_with_the_names_of_all_sources() {
    let streams = [frames(0, &["S 10 7 1", "S 30 7 3"]), frames(1, &["S 20 7 2", "N 10 7 valve"])];
    let (logs, mut loops) = stores(&streams);
    for ((log, decode_loop), stream) in logs.iter().zip(&mut loops).zip(&streams) {
        log.append(stream, 1);
        log.end(1);
        while decode_loop.step().unwrap() {}
    }
    let view = view(&loops);
    while view.grow(Instant::now()) == ListGrowth::More {}
    let ask = RenderRequest { want: Want::TEXT | Want::FIELDS, view: View::Effective, short: false, before: None };
    let mut seen = Vec::new();
    RowRenderer::default().views(&view, 0..view.len(), ask, |row, item| {
        seen.push((row, item.source, String::from_utf8_lossy(item.rendered.text).into_owned()));
        true
    });
    let texts: Vec<(u16, &str)> = seen.iter().map(|s| (s.1.unwrap(), s.2.as_str())).collect();
    assert_eq!(texts, [(0, "valve = 1"), (1, "valve = 2"), (1, "valve"), (0, "valve = 3")]);
    assert_eq!((view.number(0), view.number(3)), (Some("#0:1".to_owned()), Some("#0:2".to_owned())));
    let expr = parse("obj:valve core:0", &Vocabulary::open()).unwrap();
    let mut filter = Filter::new(expr.clone());
    let shown: Vec<u64> = (0..view.len()).filter(|&n| filter.shows(&view, n)).collect();
    assert_eq!(shown, [0, 3]);
    assert_eq!(
        Filter::strict(expr).seek(&view, 1, Direction::Forward, &mut Filter::new(Expr::everything()), 9),
        Ok(Some(3))
    );
    assert_eq!(find_shape(&view, None, Direction::Backward, |s| s.row.core == 1), Some(2));
}

/// Targets have equal keys for different things, and clocks of their own.
#[test]
fn targets_in_one_list_share_only_the_order_of_arrival() {
    let (logs, mut loops) = stores(&[Vec::new(), Vec::new()]);
    let view = RowList::joint(loops.iter().map(|decode_loop| decode_loop.decoded.clone()).collect());
    let mut feed = |source: usize, arrival: u64, bytes: Vec<u8>| {
        logs[source].append(&bytes, arrival * 1_000_000);
        while loops[source].step().unwrap() {}
    };
    feed(0, 100, frames(0, &["N 10 7 valve", "K 3e8 1", "S 900 7 1"]));
    feed(1, 200, frames(0, &["N 10 7 pump", "S 1 7 2"]));
    feed(0, 300, line(0, 3, "S 901 7 3"));
    feed(1, 400, [line(0, 2, "S 2 7 4"), line(0, 3, "S 5 7 5")].concat());
    logs.iter().for_each(|log| log.end(500_000_000));
    loops.iter_mut().for_each(|decode_loop| while decode_loop.step().unwrap() {});
    while view.grow(Instant::now()) == ListGrowth::More {}
    let ask = RenderRequest { want: Want::TEXT | Want::FIELDS, view: View::Effective, short: false, before: None };
    let mut seen = Vec::new();
    RowRenderer::default().views(&view, 0..view.len(), ask, |row, item| {
        seen.push((row, String::from_utf8_lossy(item.rendered.text).into_owned(), item.clock.known(), item.before));
        true
    });
    let levels: Vec<_> = seen.iter().filter(|row| row.1.contains('=')).collect();
    let texts: Vec<&str> = levels.iter().map(|row| row.1.as_str()).collect();
    assert_eq!(texts, ["valve = 1", "pump = 2", "valve = 3", "pump = 4", "pump = 5"]);
    assert!(levels.iter().all(|row| row.2 == row.1.contains("valve")), "one target said its rate: {levels:?}");
    let befores: Vec<_> = levels.iter().map(|row| row.3).collect();
    assert_eq!(befores, [None, None, None, None, Some(2)], "ticks of two targets have no distance");
    let mut filter = Filter::new(parse("obj:valve", &Vocabulary::open()).unwrap());
    filter.follow_names(&view, Instant::now());
    let shown = seen.iter().filter(|row| row.1.contains('=') && filter.shows(&view, row.0));
    assert_eq!(shown.map(|row| row.1.as_str()).collect::<Vec<_>>(), ["valve = 1", "valve = 3"]);
    assert!(view.counters().adds_up(), "{:?}", view.counters());
}

/// A filter decides at once that nothing has a name; a later name is found anyway.
#[test]
fn a_filter_finds_a_name_that_comes_late() {
    let (logs, mut loops) = stores(&[Vec::new()]);
    let view = view(&loops);
    let start = Instant::now();
    let mut feed = |frames: &[u8]| {
        logs[0].append(frames, 1);
        while loops[0].step().unwrap() {}
    };
    feed(&frames(0, &["N 10 8 pump", "S 10 7 1", "S 20 7 2"]));
    let mut filter = Filter::strict(parse("obj:valve", &Vocabulary::open()).unwrap());
    while filter.work(&view, 1, start) {}
    assert_eq!((filter.matched, filter.looked_at()), (0, 3));
    feed(&line(0, 3, "N 10 7 valve"));
    let later = start + PATIENCE * 9;
    while filter.work(&view, 1, later) {}
    assert_eq!((filter.matched, filter.looked_at()), (3, 4), "two values and the name itself");
}

/// A row has the name that its object had then, even if objects change their names repeatedly.
#[test]
fn a_filter_keeps_apart_what_an_object_was_called() {
    let (logs, mut loops) = stores(&[Vec::new()]);
    let view = view(&loops);
    let now = Instant::now();
    let mut filters = ["pump", "valve"].map(|name| {
        let expr = parse(&format!("obj:{name}"), &Vocabulary::open()).unwrap();
        (name, 0, Filter::strict(expr))
    });
    let mut time = 10;
    for step in 1..=20 {
        let (called, _, _) = filters[step % 2];
        let mut lines = vec![format!("N 10 7 {called}")];
        lines.extend((1..=step).map(|value| format!("S {} 7 {value}", time + value)));
        time += lines.len();
        for (number, line) in lines.iter().enumerate() {
            logs[0].append(&self::line(0, ((time + number) % 256) as u8, line), 1);
        }
        while loops[0].step().unwrap() {}
        filters[step % 2].1 += lines.len() as u64;
        let later = now + PATIENCE * 9 * step as u32;
        for (name, rows, filter) in &mut filters {
            while filter.work(&view, 1, later) {}
            assert_eq!(filter.matched, *rows, "{name} after {step} names");
        }
    }
    for (name, rows, filter) in filters {
        let mut fresh = Filter::strict(filter.expr().clone());
        while fresh.work(&view, 1, now) {}
        assert_eq!(fresh.matched, rows, "{name}");
    }
}

#[test]
fn what_one_source_reports_late_is_taken_for_it_alone() {
    let streams = [frames(0, &["S 10 7 1", "O width=6"]), frames(1, &["S 11 8 1"])];
    let logs = streams.map(|bytes| log_of(&bytes));
    logs.iter().for_each(|log| log.end(1));
    let learned: Vec<LearnedOptions> =
        logs.iter().map(|log| learn_from_beginning(&toy(), &Options::default(), log)).collect();
    let mut merged = Pipeline::open(&toy(), &Options::default(), &sources(2)).unwrap();
    merged.set_learned(&learned);
    let mut rows = Rows::default();
    drive(&logs, &mut merged, &mut rows);
    assert_eq!(texts(&rows.0), ["000007 = 1", "learned from the target: width 6", "0008 = 1"]);
}

/// Decodes, merges, searches, filters and renders at the same time without deadlock, and the final order is right. Each
/// activity holds what another one needs if locks are taken in different orders.
#[test]
fn everything_at_once_comes_to_an_end() {
    let streams: Vec<Vec<u8>> = (0..3).map(|seed| stream::mixed(seed, 3_000)).collect();
    let (logs, loops) = stores(&streams);
    let list = view(&loops);
    let expr = parse("obj:object-1* or core:2", &Vocabulary::open()).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = loops
            .into_iter()
            .zip(logs.iter().zip(&streams))
            .map(|(mut decode_loop, (log, stream))| {
                scope.spawn(move || {
                    for piece in stream.chunks(700) {
                        log.append(piece, 1);
                        decode_loop.step().unwrap();
                    }
                    log.end(1);
                    while decode_loop.step().unwrap() {}
                })
            })
            .collect();
        for direction in [Direction::Forward, Direction::Backward] {
            let (list, expr, done) = (&list, &expr, &done);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let (mut matches, mut all) = (Filter::strict(expr.clone()), Filter::new(Expr::everything()));
                    let _ = matches.seek(list, list.len() / 2, direction, &mut all, 8);
                    let _ = find_shape(list, None, direction, |shape| shape.row.core == 9);
                }
            });
        }
        let mut filter = Filter::new(expr.clone());
        let start = Instant::now();
        while writers.iter().any(|writer| !writer.is_finished()) || list.grow(start) != ListGrowth::Done {
            list.grow(start);
            filter.work(&list, 1, start);
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(rows(&list), model(&streams));
}
