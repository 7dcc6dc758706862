//! Rows whose bytes are no longer in the log: a marker row replaces them.

#![allow(clippy::unwrap_used)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options, Origin, Registry},
    query::{Expr, Vocabulary, parse},
    store::View,
    trace::list::{Direction, Filter, ListGrowth, RenderRequest, RowList, RowRenderer, find_shape},
    trace::session::{Decoding, thread::DecodeLoop},
};
use spytui_plugin_api::{RowKind, render::Want};
use spytui_testing_decoder::frame::line;

/// Enough rows for several segments.
const FRAMES: usize = 300_000;

fn toy() -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(spytui_testing_decoder::plugin(), &Origin::BuiltIn).unwrap();
    registry.find("toy").unwrap()
}

/// A source whose log keeps only the end, decoded as it arrives.
fn source(index: u16, frames: usize) -> Arc<Decoding> {
    let log = RawLog::new(&LogOptions { memory: 1 << 20, spool: None });
    let decoding = Arc::new(Decoding::new(toy(), Options::default(), log.clone(), index, 0, 64 << 20));
    let mut decode_loop = DecodeLoop::open(decoding.clone()).unwrap();
    let frame = |n: usize| line(index as u8, n as u8, &format!("S {n:x} 7 {n:x}"));
    for (second, first) in (1..).zip((0..frames).step_by(1000)) {
        let bytes: Vec<u8> = (first..first + 1000).flat_map(frame).collect();
        log.append(&bytes, second * 1_000_000_000);
        while decode_loop.step().unwrap() {}
    }
    log.end(1);
    // The log drops bytes on its own thread.
    for _ in 0..1000 {
        while decode_loop.step().unwrap() {}
        if decoding.gone() > 0 || log.len() < 2 << 20 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    decoding
}

fn text_of(list: &RowList, row: u64) -> Option<String> {
    let ask = RenderRequest { want: Want::TEXT, view: View::Effective, short: false, before: None };
    let mut text = None;
    RowRenderer::default().views(list, [row], ask, |_, item| {
        text = Some(item.line().what);
        true
    });
    text
}

fn list_of(sources: Vec<Arc<Decoding>>) -> RowList {
    let list = RowList::new(sources);
    let later = Instant::now() + Duration::from_secs(60);
    while list.grow(later) == ListGrowth::More {}
    list
}

#[test]
fn one_row_stands_for_all_that_are_gone() {
    let source = source(0, FRAMES);
    assert!(source.gone() > 0, "{}", source.log.first());
    let list = list_of(vec![source.clone()]);
    let first = list.first_kept();
    assert_eq!(first + 1, source.gone());
    assert_eq!(list.len(), FRAMES as u64);

    let marker = text_of(&list, first).unwrap();
    assert!(marker.starts_with("oldest ") && marker.ends_with(" gone: the spool is full"), "{marker}");
    assert_eq!(list.shape(first).unwrap().row.kind, RowKind::HOST_LOSS);
    assert_eq!((text_of(&list, 0), text_of(&list, first - 1)), (None, None));
    // The following rows are those received, with their numbers.
    assert!(text_of(&list, first + 1).unwrap().ends_with(&format!("= {}", first + 1)));
    assert_eq!(list.number(first + 1), Some(format!("#{}", first + 2)));

    // Filters, searches and jumps cope with them.
    let expr = parse("obj:nobody", &Vocabulary::open()).unwrap();
    let mut filter = Filter::new(expr.clone());
    let shown: Vec<u64> = (0..list.len()).filter(|&row| filter.shows(&list, row)).collect();
    assert_eq!(shown, [first]);
    assert!(!Filter::strict(expr).shows(&list, first));
    let expr = parse("obj:7", &Vocabulary::open()).unwrap();
    let mut everything = Filter::new(Expr::everything());
    let found = Filter::strict(expr).seek(&list, 0, Direction::Forward, &mut everything, usize::MAX);
    assert_eq!(found, Ok(Some(first + 1)));
    assert_eq!(find_shape(&list, None, Direction::Forward, |shape| shape.row.is_record()), Some(first + 1));
    assert_eq!(source.read().sums_before(first).unwrap().counters.rows.records, first + 1);
}

#[test]
fn the_rows_of_other_sources_stay() {
    let list = list_of(vec![source(0, FRAMES), source(1, 1000)]);
    assert!(list.source(0).gone() > 0 && list.source(1).gone() == 0);
    let shown: Vec<(usize, u64)> =
        (0..list.len()).filter(|&row| !list.is_left_out(row)).filter_map(|row| list.locate(row)).collect();
    assert_eq!(shown.iter().filter(|(source, _)| *source == 1).count(), 1000);
    assert_eq!(shown.iter().find(|(source, _)| *source == 0), Some(&(0, list.source(0).gone() - 1)));
}
