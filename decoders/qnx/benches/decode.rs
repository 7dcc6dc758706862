//! Cost per event: decoding, and rendering in both styles.

#![allow(clippy::unwrap_used, missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use spytui_decoder_harness::benches::{self, options, row_in};
use spytui_decoder_harness::encode::qnx::repeated;
use spytui_plugin_api::{DecoderRef, RowIn, chunk::MAX_CHUNK, row::RowFlags};
use spytui_plugin_host::kit::Host;

const SIZE: usize = 4_000_000;
const STYLES: [&str; 2] = ["native", "traceprinter-1.02"];

fn input() -> Vec<u8> {
    repeated(&spytui_decoder_harness::file(env!("CARGO_MANIFEST_DIR"), "fast-2cpu.kev"), SIZE).unwrap()
}

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_qnx::Qnx>()
}

fn feeding(c: &mut Criterion) {
    benches::feeding(c, decoder(), &STYLES, "fast", &input());
}

fn rendering(c: &mut Criterion) {
    let bytes = input();
    let mut group = c.benchmark_group("render fast");
    for style in STYLES {
        let host = Host::open(decoder(), &options(style)).unwrap().stream(&bytes, MAX_CHUNK).unwrap();
        let whole = host.run.rows.iter().filter(|row| row.is_record() && !row.has(RowFlags::FRAGMENTED));
        let rows: Vec<RowIn<'_>> = whole.map(|row| row_in(row, &bytes)).collect();
        benches::rendering(&mut group, style, decoder(), &host.run.cfgs[&0], &rows, &());
    }
    group.finish();
}

criterion_group!(all, feeding, rendering);
criterion_main!(all);
