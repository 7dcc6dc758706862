//! What the fuzz targets do with their input; also run by the ordinary tests on the committed corpus.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_plugin_api::{
    DecoderRef, Extra, Rendered, Row, RowIn,
    batch::extra,
    kit::{Host, Names, end_mark, start_mark},
    render::{DictView, NoNames, want},
    row::flag,
};

const ALL: u32 = want::TEXT | want::FIELDS | want::PAYLOAD | want::FRAME;

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_qs::Qs>()
}

/// Options that a byte stands for.
fn options(byte: u8) -> Vec<(&'static str, &'static [u8])> {
    let mut options: Vec<(&str, &[u8])> = Vec::new();
    options.extend(
        [None, Some("qspy-7.3.4"), Some("qspy-8.1.3"), None][usize::from(byte & 3)]
            .map(|r| ("reference", r.as_bytes())),
    );
    options.extend((byte & 4 != 0).then_some(("obj-ptr", &b"8"[..])));
    options.extend((byte & 8 != 0).then_some(("timestamp", &b"2"[..])));
    options.extend((byte & 16 != 0).then_some(("signal", &b"1"[..])));
    options.extend((byte & 32 != 0).then_some(("version", &b"6.1"[..])));
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

/// A good frame with any id and payload: decoded and rendered, with the names that it may give.
pub(crate) fn record(data: &[u8]) {
    let [first, id, payload @ ..] = data else { return };
    let mut bytes = Vec::new();
    for seq in 1..3u8 {
        let mut plain = vec![seq, *id];
        plain.extend_from_slice(payload);
        plain.push(!plain.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)));
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
    let Some((cfg, rest)) = data.split_at_checked(16) else { return };
    let [kind, high, flags, number, raw @ ..] = rest else { return };
    let row = Row {
        kind: u16::from_le_bytes([*kind, *high]),
        flags: u32::from(*flags) << 7 & (flag::NOTE | flag::MALFORMED | flag::APP) | u32::from(flags >> 7) << 28,
        len: raw.len() as u32,
        ..Row::default()
    };
    let n = u64::from(*number);
    let extras: Vec<Extra> = (1..70)
        .map(|id| Extra { at: 0, id, flags: u16::from(id == extra::TEXT || id == extra::STALE), a: n, b: n })
        .collect();
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
