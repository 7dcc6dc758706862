//! What the fuzz targets do with their input; also run by the ordinary tests on the committed corpus.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_plugin_api::{
    DecoderRef, Extra, Rendered, Row, RowIn,
    batch::extra,
    kit::{Host, end_mark, start_mark},
    render::{DictView, NoNames, want},
    row::flag,
};

const ALL: u32 = want::TEXT | want::FIELDS | want::PAYLOAD | want::FRAME;

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_tband::Tband>()
}

/// Options that a byte stands for.
fn options(byte: u8) -> Vec<(&'static str, &'static [u8])> {
    let all: [(&str, &[u8]); 4] =
        [("reference", b"tband-0.1.0"), ("mode", b"bare-metal"), ("max-frame", b"20"), ("resolution", b"7")];
    (0..).zip(all).filter(|(bit, _)| byte >> bit & 1 == 1).map(|(_, option)| option).collect()
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

/// Any bytes, in two chunkings: the same rows, and all bytes accounted for; then rendered.
pub(crate) fn frame(data: &[u8]) {
    let [first, size, bytes @ ..] = data else { return };
    let options = options(*first);
    let whole = decode(bytes, &options, 1 << 16);
    let parts = decode(bytes, &options, usize::from(*size));
    assert!(whole.run == parts.run);
    assert_eq!(whole.run.pending, 0);
    whole.render(bytes, ALL, |_, _| {}).unwrap();
}

/// A whole frame around any event: one line of the reference tool that is JSON with its text, and our own.
pub(crate) fn event(data: &[u8]) {
    let mut bytes = Vec::new();
    spytui_decoder_tband::encode::frame(data, &mut bytes);
    for first in [0, 2] {
        let host = decode(&bytes, &options(first), 1 << 16);
        host.render(&bytes, ALL, |_, _| {}).unwrap();
        let text = decode(&bytes, &options(first | 1), 1 << 16).text(&bytes).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with('{') && text.ends_with("}}\n") && text.matches('\n').count() == 1, "{text}");
    }
}

/// Any configuration, row and raw bytes: rendered without a fault, twice alike.
pub(crate) fn render(data: &[u8]) {
    let [cfg, kind, high, flags, number, raw @ ..] = data else { return };
    let row = Row {
        kind: u16::from_le_bytes([*kind, *high]),
        flags: u32::from(*flags) << 7 & (flag::NOTE | flag::MALFORMED | flag::APP) | u32::from(flags >> 7) << 28,
        len: raw.len() as u32,
        time: u64::from(*number) << 50,
        ..Row::default()
    };
    let n = u64::from(*number);
    let with = |text: bool| -> Vec<Extra> {
        let flags = |id: u16| u16::from(text && id == extra::TEXT);
        (1..70).map(|id| Extra { at: 0, id, flags: flags(id), a: n, b: n }).collect()
    };
    for extras in [vec![], with(false), with(true)] {
        let input = RowIn { row: &row, raw: raw.into(), extras: extras.as_slice().into(), blob: raw.into() };
        let texts = [(); 2].map(|()| {
            let mut out = Rendered::default();
            decoder().rows(&[*cfg], &[input], &DictView::new(&NoNames), ALL, &mut out).unwrap();
            out.text.to_vec()
        });
        assert_eq!(texts[0], texts[1]);
    }
}
