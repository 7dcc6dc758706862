//! Cost per record: feeding in both readings, rendering in both styles.

#![allow(clippy::unwrap_used, missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use spytui_decoder_harness::benches::{self, Quick, options, row_in};
use spytui_plugin_api::{DecoderRef, Row, RowIn, chunk::MAX_CHUNK, kit::Host};

const STYLES: [&str; 2] = ["native", "qspy-7.3.4"];

/// oven-734 so many times.
fn stream(times: usize) -> Vec<u8> {
    spytui_decoder_harness::file(env!("CARGO_MANIFEST_DIR"), "oven-734.bin").repeat(times)
}

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_qs::Qs>()
}

fn feeding(c: &mut Criterion) {
    benches::feeding(c, decoder(), &STYLES, &stream(40));
}

fn rendering(c: &mut Criterion) {
    let bytes = stream(1);
    let mut group = c.benchmark_group("render");
    for style in STYLES {
        let host = Host::open(decoder(), &options(style)).unwrap().stream(&bytes, MAX_CHUNK).unwrap();
        let rows = &host.run.rows;
        let cfg = |row: &Row| &host.run.cfgs[&row.cfg];
        let last = cfg(rows.last().unwrap());
        let start = rows.iter().position(|r| r.kind == 70 && cfg(r) == last).unwrap();
        let rows: Vec<RowIn<'_>> = rows[start..].iter().map(|row| row_in(row, &bytes)).collect();
        benches::rendering(&mut group, style, decoder(), last, &rows, &Quick::of(&host, true));
    }
    group.finish();
}

criterion_group!(all, feeding, rendering);
criterion_main!(all);
