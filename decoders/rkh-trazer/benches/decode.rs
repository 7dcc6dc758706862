//! Cost per record: feeding in both readings, rendering in both styles, guessing.

#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use spytui_plugin_api::{
    Batch, Chunk, RSlice, Rendered, RowIn, Source,
    chunk::MAX_CHUNK,
    kit::{Host, opt_vals, start_mark},
    render::{DictView, Lookup, want},
};

/// gh340-default again and again.
fn stream() -> Vec<u8> {
    let path = format!("{}/tests/captures/gh340-default.bin", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap().repeat(40)
}

fn decoder() -> spytui_plugin_api::DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_rkh::Rkh>()
}

/// Names as a host that cares for speed has them.
struct Quick(Vec<Vec<(u64, u64, Vec<u8>)>>);

impl Lookup for Quick {
    fn get(&self, _: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        let bucket = &self.0[bucket(space, key)];
        bucket.iter().find(|e| e.0 == key && e.1 == scope).map(|e| e.2.as_slice())
    }
}

fn bucket(space: u16, key: u64) -> usize {
    ((key ^ u64::from(space) << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}

fn quick(host: &Host) -> Quick {
    let mut names = Quick(vec![Vec::new(); 1024]);
    for e in host.run.dict.iter().filter(|e| e.attr == 0 && e.text.len > 0) {
        let bucket = &mut names.0[bucket(e.space, e.key)];
        bucket.retain(|(key, scope, _)| (*key, *scope) != (e.key, e.scope));
        bucket.push((e.key, e.scope, e.text.of(&host.run.bytes).to_vec()));
    }
    names
}

const STYLES: [&str; 2] = ["native", "trazer-3.2"];

fn options(style: &str) -> Vec<(&str, &[u8])> {
    if style == "native" { Vec::new() } else { vec![("reference", style.as_bytes())] }
}

fn feed(style: &str, bytes: &[u8], want: u32) -> u64 {
    let mut instance = decoder().start(&opt_vals(&options(style)), &Source::default()).unwrap();
    let (mut batch, mut pos, mut rows) = (Batch::default(), 0, 0);
    for part in bytes.chunks(MAX_CHUNK) {
        batch.clear();
        let marks: &[_] = if pos == 0 { &[start_mark()] } else { &[] };
        let chunk = Chunk { pos, bytes: part.into(), marks: marks.into(), texts: RSlice::EMPTY, want };
        instance.feed(&chunk, &mut batch).unwrap();
        pos += part.len() as u64;
        rows += batch.rows.len() as u64;
    }
    rows
}

fn feeding(c: &mut Criterion) {
    let bytes = stream();
    let mut group = c.benchmark_group("feed");
    for style in STYLES {
        group.throughput(Throughput::Elements(feed(style, &bytes, 0)));
        group.bench_function(BenchmarkId::new("rows", style), |b| b.iter(|| feed(style, black_box(&bytes), 0)));
        group.bench_function(BenchmarkId::new("rows and activities", style), |b| {
            b.iter(|| feed(style, black_box(&bytes), 1));
        });
    }
    group.finish();
}

fn rendering(c: &mut Criterion) {
    let bytes = stream();
    let bytes = &bytes[..bytes.len() / 40];
    let mut group = c.benchmark_group("render");
    for style in STYLES {
        let host = Host::open(decoder(), &options(style)).unwrap().stream(bytes, MAX_CHUNK).unwrap();
        let names = quick(&host);
        let cfg = &host.run.cfgs[&host.run.rows.last().unwrap().cfg];
        let rows: Vec<RowIn<'_>> = host
            .run
            .rows
            .iter()
            .map(|row| {
                let raw = &bytes[row.pos as usize..row.pos as usize + row.len as usize];
                RowIn { row, raw: raw.into(), extras: RSlice::EMPTY, blob: RSlice::EMPTY }
            })
            .collect();
        group.throughput(Throughput::Elements(rows.len() as u64));
        let mut out = Rendered::default();
        group.bench_function(BenchmarkId::new("text", style), |b| {
            b.iter(|| {
                out.clear();
                let view = DictView::new(&names);
                decoder().rows(cfg, black_box(&rows), &view, want::TEXT, &mut out).unwrap();
                out.text.len()
            });
        });
    }
    group.finish();
}

fn guessing(c: &mut Criterion) {
    let bytes = stream();
    let sample = &bytes[17..256 * 1024];
    let sample = sample.split(|&b| b == 0x7E).filter(|f| f.first() != Some(&0xAC)).collect::<Vec<_>>().join(&0x7E);
    let mut group = c.benchmark_group("probe");
    group.throughput(Throughput::Bytes(sample.len() as u64));
    group.bench_function("256 KiB", |b| b.iter(|| decoder().guess(black_box(&sample), &[]).unwrap().len()));
    group.finish();
}

criterion_group!(benches, feeding, rendering, guessing);
criterion_main!(benches);
