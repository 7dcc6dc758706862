//! For benches: decodes a stream and renders rows, in each style.

use std::hint::black_box;

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use spytui_plugin_api::{
    Batch, Chunk, DecoderRef, RSlice, Rendered, Row, RowIn, Source,
    batch::AttrId,
    chunk::MAX_CHUNK,
    render::{Dict, Lookup, Want},
};
use spytui_plugin_host::kit::{Host, opt_vals, start_event};

/// Options of a style: `native`, or a value of option `reference`.
pub fn options(style: &str) -> Vec<(&str, &[u8])> {
    if style == "native" { Vec::new() } else { vec![("reference", style.as_bytes())] }
}

/// Feeds a stream; calls `each` with the rows of each chunk.
pub fn feed(decoder: DecoderRef, style: &str, bytes: &[u8], wants_activities: bool, mut each: impl FnMut(&[Row])) {
    let mut instance = decoder.open(&opt_vals(&options(style)), &Source::default()).unwrap();
    let (mut batch, mut pos) = (Batch::default(), 0);
    for part in bytes.chunks(MAX_CHUNK) {
        batch.clear();
        let marks: &[_] = if pos == 0 { &[start_event()] } else { &[] };
        let chunk = Chunk { pos, bytes: part.into(), events: marks.into(), texts: RSlice::EMPTY, wants_activities };
        instance.feed(&chunk, &mut batch).unwrap();
        pos += part.len() as u64;
        each(&batch.rows);
    }
}

/// Measures decoding of an input per row, in each style, with and without activities.
pub fn feeding(c: &mut Criterion, decoder: DecoderRef, styles: &[&str], input: &str, bytes: &[u8]) {
    let mut group = c.benchmark_group(format!("feed {input}"));
    for style in styles {
        let mut rows = 0;
        feed(decoder, style, bytes, false, |new| rows += new.len() as u64);
        group.throughput(Throughput::Elements(rows));
        for (name, activities) in [("rows", false), ("rows and activities", true)] {
            group.bench_function(BenchmarkId::new(name, style), |b| {
                b.iter(|| feed(decoder, style, black_box(bytes), activities, |rows| _ = black_box(rows.len())));
            });
        }
    }
    group.finish();
}

/// A row with its bytes, ready to be rendered.
pub fn row_in<'a>(row: &'a Row, bytes: &'a [u8]) -> RowIn<'a> {
    let raw = &bytes[row.pos as usize..row.pos as usize + row.len as usize];
    RowIn { row, raw: raw.into(), attachments: RSlice::EMPTY, blob: RSlice::EMPTY }
}

/// Measures rendering of rows with one configuration.
pub fn rendering(
    group: &mut BenchmarkGroup<'_, WallTime>,
    style: &str,
    decoder: DecoderRef,
    cfg: &[u8],
    rows: &[RowIn<'_>],
    names: &impl Lookup,
) {
    group.throughput(Throughput::Elements(rows.len() as u64));
    let mut out = Rendered::default();
    group.bench_function(BenchmarkId::new("text", style), |b| {
        b.iter(|| {
            out.clear();
            decoder.render(cfg, black_box(rows), &Dict::new(names), Want::TEXT, &mut out).unwrap();
            out.text.len()
        });
    });
}

/// A fast name lookup.
#[derive(Debug)]
pub struct Quick {
    buckets: Vec<Vec<(u64, u64, Vec<u8>)>>,
    or_global: bool,
}

impl Quick {
    /// The names at the end of a host's stream. `or_global` = fall back to the name without a scope.
    pub fn of(host: &Host, or_global: bool) -> Quick {
        let mut buckets = vec![Vec::new(); 1024];
        for e in host.run.dict.iter().filter(|e| e.attr == AttrId::NAME && e.text.len > 0) {
            let bucket = &mut buckets[place(e.space, e.key)];
            bucket.retain(|(key, scope, _)| (*key, *scope) != (e.key, e.scope));
            bucket.push((e.key, e.scope, e.text.of(&host.run.bytes).to_vec()));
        }
        Quick { buckets, or_global }
    }
}

impl Lookup for Quick {
    fn get(&self, _: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        let bucket = &self.buckets[place(space, key)];
        let of = |scope| bucket.iter().find(|e| e.0 == key && e.1 == scope);
        of(scope).or_else(|| if self.or_global { of(0) } else { None }).map(|e| e.2.as_slice())
    }
}

/// The bucket of a key.
fn place(space: u16, key: u64) -> usize {
    ((key ^ u64::from(space) << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}
