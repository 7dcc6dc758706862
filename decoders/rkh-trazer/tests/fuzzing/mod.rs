//! What the fuzz targets do with their input; also run by the ordinary tests on the committed corpus.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_plugin_api::{
    DecoderRef, Extra, Rendered, Row, RowIn,
    batch::extra,
    kit::{Host, Names, end_mark, opt_vals, start_mark},
    render::{DictView, NoNames, want},
    row::flag,
};

const ALL: u32 = want::TEXT | want::FIELDS | want::PAYLOAD | want::FRAME;
const VERSIONS: [&[u8]; 4] = [b"3.4", b"2.4.6", b"2.4.3", b"2.3"];

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_rkh::Rkh>()
}

/// Options that a byte stands for.
fn options(byte: u8) -> Vec<(&'static str, &'static [u8])> {
    let mut options: Vec<(&str, &[u8])> = vec![("version", VERSIONS[usize::from(byte >> 1 & 3)])];
    let switched = |bit: u8, option: (&'static str, &'static [u8])| (byte & bit != 0).then_some(option);
    options.extend(switched(1, ("reference", b"trazer-3.2")));
    options.extend(switched(8, ("checksum", b"0")));
    options.extend(switched(16, ("nseq", b"0")));
    options.extend(switched(32, ("sender", b"1")));
    options.extend(switched(64, ("pool-lwm", b"1")));
    options.extend(switched(128, ("tstamp", b"0")));
    options
}

fn decode(bytes: &[u8], options: &[(&str, &[u8])], size: usize) -> Host {
    let mut host = Host::open(decoder(), options).unwrap();
    host.feed(b"", &[start_mark()]).unwrap();
    for chunk in bytes.chunks(size.max(1)) {
        host.feed(chunk, &[]).unwrap();
        let (used, skipped) = host.run.accounted();
        assert_eq!(used + skipped + host.run.pending, host.fed());
    }
    host.feed(b"", &[end_mark(bytes.len())]).unwrap();
    host
}

/// Any bytes, in two chunkings: the same rows, and all bytes accounted for.
pub(crate) fn frame(data: &[u8]) {
    let [first, size, bytes @ ..] = data else { return };
    let options = options(*first);
    let whole = decode(bytes, &options, 1 << 16);
    let parts = decode(bytes, &options, usize::from(*size));
    assert!(whole.run == parts.run);
    assert_eq!(whole.run.pending, 0);
}

/// A right frame with any id and arguments: decoded and rendered, with the names that it may give.
pub(crate) fn record(data: &[u8]) {
    let [first, id, args @ ..] = data else { return };
    let mut bytes = vec![0x7E];
    for seq in 0..2u8 {
        let mut plain = vec![*id, seq, 1, 0, 0, 0];
        plain.extend_from_slice(args);
        plain.push(plain.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)).wrapping_neg());
        for byte in plain {
            let escaped = matches!(byte, 0x7D | 0x7E);
            bytes.extend(escaped.then_some(0x7D));
            bytes.push(if escaped { byte ^ 0x20 } else { byte });
        }
        bytes.push(0x7E);
    }
    let host = decode(&bytes, &options(*first), 1 << 16);
    host.render(&bytes, ALL, |_, _| {}).unwrap();
}

/// Any configuration, row and raw bytes: rendered without a fault, twice alike.
pub(crate) fn render(data: &[u8]) {
    let Some((cfg, rest)) = data.split_at_checked(24) else { return };
    let [kind, high, flags, number, raw @ ..] = rest else { return };
    let row = Row {
        kind: u16::from_le_bytes([*kind, *high]),
        flags: u32::from(*flags) << 7 & (flag::NOTE | flag::MALFORMED | flag::APP) | u32::from(flags >> 5) << 28,
        len: raw.len() as u32,
        ..Row::default()
    };
    let n = u64::from(*number);
    let extras: Vec<Extra> =
        (1..70).map(|id| Extra { at: 0, id, flags: u16::from(id == extra::TEXT), a: n, b: n }).collect();
    let input = RowIn { row: &row, raw: raw.into(), extras: extras.as_slice().into(), blob: raw.into() };
    let texts = [(); 2].map(|()| {
        let mut out = Rendered::default();
        decoder().rows(cfg, &[input], &DictView::new(&NoNames), ALL, &mut out).unwrap();
        out.text.to_vec()
    });
    assert_eq!(texts[0], texts[1]);
    let names = Names::default();
    let mut out = Rendered::default();
    decoder().rows(&cfg[..7], &[input], &DictView::new(&names), ALL, &mut out).unwrap();
}

/// Any sample and configuration file: a guess, or none, and never a fault.
pub(crate) fn probe(data: &[u8]) {
    let Some((cfg, sample)) = data.split_at_checked(data.len().min(40)) else { return };
    decoder().guess(sample, &[]).unwrap();
    let options = [("cfg", cfg), ("symbols", sample)];
    decoder().guess(sample, &opt_vals(&options)).unwrap();
    if let Ok(host) = Host::open(decoder(), &options) {
        host.stream(sample, 64).unwrap();
    }
}
