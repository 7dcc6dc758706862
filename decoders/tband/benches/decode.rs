//! Cost per event: feeding in both readings, rendering in both styles; and both together.

#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use spytui_decoder_tband::encode::load;
use spytui_plugin_api::{
    Batch, Chunk, RSlice, Rendered, Row, RowIn, Source,
    chunk::MAX_CHUNK,
    kit::{Host, opt_vals, start_mark},
    render::{DictView, NoNames, want},
};

const EVENTS: usize = 200_000;
const STYLES: [&str; 2] = ["native", "tband-0.1.0"];

fn decoder() -> spytui_plugin_api::DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_tband::Tband>()
}

fn options(style: &str) -> Vec<(&str, &[u8])> {
    if style == "native" { Vec::new() } else { vec![("reference", style.as_bytes())] }
}

/// Feeds a stream; hands over the rows of each feed.
fn feed(style: &str, bytes: &[u8], want: u32, mut each: impl FnMut(&[Row])) {
    let mut instance = decoder().start(&opt_vals(&options(style)), &Source::default()).unwrap();
    let (mut batch, mut pos) = (Batch::default(), 0);
    for part in bytes.chunks(MAX_CHUNK) {
        batch.clear();
        let marks: &[_] = if pos == 0 { &[start_mark()] } else { &[] };
        let chunk = Chunk { pos, bytes: part.into(), marks: marks.into(), texts: RSlice::EMPTY, want };
        instance.feed(&chunk, &mut batch).unwrap();
        pos += part.len() as u64;
        each(&batch.rows);
    }
}

fn row_in<'a>(row: &'a Row, bytes: &'a [u8]) -> RowIn<'a> {
    let raw = &bytes[row.pos as usize..row.pos as usize + row.len as usize];
    RowIn { row, raw: raw.into(), extras: RSlice::EMPTY, blob: RSlice::EMPTY }
}

fn feeding(c: &mut Criterion) {
    let bytes = load(EVENTS);
    let mut group = c.benchmark_group("feed");
    group.throughput(Throughput::Elements(EVENTS as u64));
    for style in STYLES {
        for (name, want) in [("rows", 0), ("rows and activities", 1)] {
            group.bench_function(BenchmarkId::new(name, style), |b| {
                b.iter(|| feed(style, black_box(&bytes), want, |rows| _ = black_box(rows.len())));
            });
        }
    }
    group.finish();
}

fn rendering(c: &mut Criterion) {
    let bytes = load(EVENTS);
    let mut group = c.benchmark_group("render");
    group.throughput(Throughput::Elements(EVENTS as u64));
    for style in STYLES {
        let host = Host::open(decoder(), &options(style)).unwrap().stream(&bytes, MAX_CHUNK).unwrap();
        let rows: Vec<RowIn<'_>> = host.run.rows.iter().map(|row| row_in(row, &bytes)).collect();
        let mut out = Rendered::default();
        group.bench_function(BenchmarkId::new("text", style), |b| {
            b.iter(|| {
                out.clear();
                let view = DictView::new(&NoNames);
                decoder().rows(&host.run.cfgs[&0], black_box(&rows), &view, want::TEXT, &mut out).unwrap();
                out.text.len()
            });
        });
    }
    group.finish();
}

/// All of the reference tool's text, as the program makes it, but for writing it.
fn dumping(c: &mut Criterion) {
    let bytes = load(EVENTS);
    let mut group = c.benchmark_group("dump");
    group.throughput(Throughput::Elements(EVENTS as u64));
    let cfg = Host::open(decoder(), &options(STYLES[1])).unwrap().stream(&[], 1).unwrap().run.cfgs[&0].clone();
    group.bench_function("reference", |b| {
        let mut out = Rendered::default();
        b.iter(|| {
            let mut len = 0;
            feed(STYLES[1], black_box(&bytes), 0, |rows| {
                for block in rows.chunks(1024) {
                    let rows: Vec<RowIn<'_>> = block.iter().map(|row| row_in(row, &bytes)).collect();
                    out.clear();
                    decoder().rows(&cfg, &rows, &DictView::new(&NoNames), want::TEXT, &mut out).unwrap();
                    len += out.text.len();
                }
            });
            len
        });
    });
    group.finish();
}

criterion_group!(benches, feeding, rendering, dumping);
criterion_main!(benches);
