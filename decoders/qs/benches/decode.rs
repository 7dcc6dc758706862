//! Cost per record: receiving natively and as the reference host, rendering in both styles.

#![allow(clippy::unwrap_used, missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use spytui_decoder_harness::{
    benches::{self, Quick, options, row_in},
    varied,
};
use spytui_plugin_api::{DecoderRef, Row, RowIn, chunk::MAX_CHUNK};
use spytui_plugin_host::kit::Host;

const STYLES: [&str; 2] = ["native", "qspy-7.3.4"];

/// The capture oven-734 repeated, and a similar stream that does not repeat.
fn inputs(times: usize) -> [(&'static str, Vec<u8>); 2] {
    let capture = spytui_decoder_harness::file(env!("CARGO_MANIFEST_DIR"), "oven-734.bin");
    [("repeated", capture.repeat(times)), ("varied", varied::qs(&capture, 1, times * capture.len()))]
}

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_qs::Qs>()
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
        let rows = &host.run.rows;
        let cfg = |row: &Row| &host.run.cfgs[&row.cfg];
        let last = cfg(rows.last().unwrap());
        let start = rows.iter().position(|r| r.kind.0 == 70 && cfg(r) == last).unwrap();
        let rows: Vec<RowIn<'_>> = rows[start..].iter().map(|row| row_in(row, bytes)).collect();
        benches::rendering(&mut group, style, decoder(), last, &rows, &Quick::of(&host, true));
    }
    group.finish();
}

criterion_group!(all, feeding, rendering);
criterion_main!(all);
