//! Overhead of the layer: `A5` on it versus the same protocol on the traits.

#![allow(missing_docs, clippy::expect_used)]

mod by_hand;

use a5::A5;
use by_hand::ByHand;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use spytui_decoder_harness::benches::{feed, row_in};
use spytui_plugin_api::{DecoderRef, Dict, Rendered, Row, RowIn, Want, decoder};
use spytui_plugin_host::kit::Random;
use spytui_plugin_layer::{self as simple, Check};

/// Number of records; none repeats.
const RECORDS: usize = 20_000;

fn stream() -> Vec<u8> {
    let mut random = Random::new(7);
    let mut bytes = Vec::new();
    let mut time = 0_u32;
    for i in 0..RECORDS {
        time += random.below(30) as u32;
        let payload = match random.below(10) {
            0..5 => vec![1, random.number() as u8, random.number() as u8],
            5..8 => vec![7, random.below(4) as u8, random.below(4) as u8],
            _ => format!("heater on for {} ms", random.below(10_000)).into_bytes(),
        };
        let kind = [2, 3, 1][usize::from(payload.len() > 3) * 2 + usize::from(payload[0] == 7)];
        let content = [&time.to_le_bytes()[..], &payload].concat();
        let mut frame = [&[0xA5, content.len() as u8, kind, i as u8][..], &content].concat();
        frame.push(Check::CRC8.of(&frame[1..]) as u8);
        bytes.extend(frame);
    }
    bytes
}

/// The rows of a stream.
fn rows(decoder: DecoderRef, bytes: &[u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    feed(decoder, "native", bytes, true, |new| rows.extend_from_slice(new));
    rows
}

/// The text of rows, without names.
fn text(decoder: DecoderRef, rows: &[RowIn<'_>]) -> Rendered {
    let mut rendered = Rendered::default();
    decoder.render(&[], rows, &Dict::new(&()), Want::TEXT, &mut rendered).expect("it renders");
    rendered
}

fn layer(criterion: &mut Criterion) {
    let bytes = stream();
    let both = [("layer", simple::decoder::<A5>()), ("by hand", decoder::<ByHand>())];
    let rows = both.map(|(_, decoder)| rows(decoder, &bytes));
    assert!(rows[0] == rows[1] && rows[0].len() == RECORDS, "both give the same rows");
    let inputs: Vec<RowIn<'_>> = rows[0].iter().map(|row| row_in(row, &bytes)).collect();
    let texts = both.map(|(_, decoder)| text(decoder, &inputs).text);
    assert!(texts[0] == texts[1], "both write the same");
    for (name, decoder) in both {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(RECORDS as u64));
        group.bench_function("feed", |bench| bench.iter(|| feed(decoder, "native", &bytes, true, |_| {})));
        group.bench_function("render", |bench| bench.iter(|| text(decoder, &inputs)));
    }
}

criterion_group!(benches, layer);
criterion_main!(benches);
