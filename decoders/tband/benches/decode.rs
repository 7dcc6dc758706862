//! Cost per event: receiving natively and as the reference tool, rendering in both styles, and everything together.

#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use spytui_decoder_harness::{
    benches::{self, feed, options, row_in},
    varied,
};
use spytui_plugin_api::{
    DecoderRef, Rendered, RowIn,
    chunk::MAX_CHUNK,
    render::{Dict, Want},
};
use spytui_plugin_host::kit::Host;

const STYLES: [&str; 2] = ["native", "tband-0.1.0"];

/// A capture repeated, and a similar stream that does not repeat.
fn inputs() -> [(&'static str, Vec<u8>); 2] {
    let capture = spytui_decoder_harness::file(env!("CARGO_MANIFEST_DIR"), "brew_stream.bin");
    let repeated = capture.repeat(250);
    let varied = varied::tband(&capture, 1, repeated.len());
    [("repeated", repeated), ("varied", varied)]
}

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_tband::Tband>()
}

fn feeding(c: &mut Criterion) {
    for (input, bytes) in inputs() {
        benches::feeding(c, decoder(), &STYLES, input, &bytes);
    }
}

fn rendering(c: &mut Criterion) {
    for (input, bytes) in inputs() {
        rendering_of(c, input, &bytes);
    }
}

fn rendering_of(c: &mut Criterion, input: &str, bytes: &[u8]) {
    let mut group = c.benchmark_group(format!("render {input}"));
    for style in STYLES {
        let host = Host::open(decoder(), &options(style)).unwrap().stream(bytes, MAX_CHUNK).unwrap();
        let rows: Vec<RowIn<'_>> = host.run.rows.iter().map(|row| row_in(row, bytes)).collect();
        benches::rendering(&mut group, style, decoder(), &host.run.cfgs[&0], &rows, &());
    }
    group.finish();
}

/// All of the reference tool's text, produced like in the program, but not written.
fn dumping(c: &mut Criterion) {
    let [_, (_, bytes)] = inputs();
    let mut group = c.benchmark_group("dump");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    let cfg = Host::open(decoder(), &options(STYLES[1])).unwrap().stream(&[], 1).unwrap().run.cfgs[&0].clone();
    group.bench_function("reference", |b| {
        let mut out = Rendered::default();
        b.iter(|| {
            let mut len = 0;
            feed(decoder(), STYLES[1], black_box(&bytes), false, |rows| {
                for block in rows.chunks(1024) {
                    let rows: Vec<RowIn<'_>> = block.iter().map(|row| row_in(row, &bytes)).collect();
                    out.clear();
                    decoder().render(&cfg, &rows, &Dict::new(&()), Want::TEXT, &mut out).unwrap();
                    len += out.text.len();
                }
            });
            len
        });
    });
    group.finish();
}

criterion_group!(all, feeding, rendering, dumping);
criterion_main!(all);
