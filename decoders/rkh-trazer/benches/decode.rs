//! Cost per record: receiving natively and as the reference host, rendering in both styles, guessing.

#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use spytui_decoder_harness::{
    benches::{self, Quick, options, row_in},
    varied,
};
use spytui_plugin_api::{DecoderRef, RowIn, chunk::MAX_CHUNK};
use spytui_plugin_host::kit::Host;

const STYLES: [&str; 2] = ["native", "trazer-3.2"];

/// The capture gh340-default repeated, and a similar stream that does not repeat.
fn inputs(times: usize) -> [(&'static str, Vec<u8>); 2] {
    let capture = spytui_decoder_harness::file(env!("CARGO_MANIFEST_DIR"), "gh340-default.bin");
    [("repeated", capture.repeat(times)), ("varied", varied::rkh(&capture, 1, times * capture.len()))]
}

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_rkh::Rkh>()
}

fn feeding(c: &mut Criterion) {
    for (input, bytes) in inputs(40) {
        benches::feeding(c, decoder(), &STYLES, input, &bytes);
    }
}

fn rendering(c: &mut Criterion) {
    for (input, bytes) in inputs(1) {
        rendering_of(c, input, &bytes);
    }
}

fn rendering_of(c: &mut Criterion, input: &str, bytes: &[u8]) {
    let mut group = c.benchmark_group(format!("render {input}"));
    for style in STYLES {
        let host = Host::open(decoder(), &options(style)).unwrap().stream(bytes, MAX_CHUNK).unwrap();
        let cfg = &host.run.cfgs[&host.run.rows.last().unwrap().cfg];
        let rows: Vec<RowIn<'_>> = host.run.rows.iter().map(|row| row_in(row, bytes)).collect();
        benches::rendering(&mut group, style, decoder(), cfg, &rows, &Quick::of(&host, false));
    }
    group.finish();
}

fn guessing(c: &mut Criterion) {
    let [(_, bytes), _] = inputs(40);
    let sample = &bytes[17..256 * 1024];
    let sample = sample.split(|&b| b == 0x7E).filter(|f| f.first() != Some(&0xAC)).collect::<Vec<_>>().join(&0x7E);
    let mut group = c.benchmark_group("probe");
    group.throughput(Throughput::Bytes(sample.len() as u64));
    group.bench_function("256 KiB", |b| b.iter(|| decoder().probe(black_box(&sample), &[]).unwrap().len()));
    group.finish();
}

criterion_group!(all, feeding, rendering, guessing);
criterion_main!(all);
