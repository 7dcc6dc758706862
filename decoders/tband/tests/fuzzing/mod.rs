//! The fuzz targets' code, which tests also run on the committed corpus.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_decoder_harness::fuzzing::{self, ALL, any_attachments};
use spytui_plugin_api::{DecoderRef, Row, batch::AttachmentId};
use spytui_plugin_host::kit::Host;

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_tband::Tband>()
}

/// Options selected by a byte.
fn options(byte: u8) -> Vec<(&'static str, &'static [u8])> {
    let all: [(&str, &[u8]); 4] =
        [("reference", b"tband-0.1.0"), ("mode", b"bare-metal"), ("max-frame", b"20"), ("resolution", b"7")];
    (0..).zip(all).filter(|(bit, _)| byte >> bit & 1 == 1).map(|(_, option)| option).collect()
}

fn decode(bytes: &[u8], options: &[(&str, &[u8])]) -> Host {
    fuzzing::decode(decoder(), bytes, options, 1 << 16)
}

/// Any bytes give the same rows in two chunkings, all bytes are accounted for, and rows render.
pub(crate) fn frame(data: &[u8]) {
    let Some((whole, bytes)) = fuzzing::two_chunkings(decoder(), options, data) else { return };
    whole.render(bytes, ALL, |_, _| {}).unwrap();
}

/// A complete frame around any event gives one line of the reference tool, which is JSON with its text, and one native
/// line.
pub(crate) fn event(data: &[u8]) {
    let mut bytes = Vec::new();
    spytui_decoder_harness::encode::tband::frame(data, &mut bytes);
    for first in [0, 2] {
        let host = decode(&bytes, &options(first));
        host.render(&bytes, ALL, |_, _| {}).unwrap();
        let text = decode(&bytes, &options(first | 1)).text(&bytes).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with('{') && text.ends_with("}}\n") && text.matches('\n').count() == 1, "{text}");
    }
}

/// Any configuration, row and raw bytes render without a fault, twice the same.
pub(crate) fn render(data: &[u8]) {
    let [cfg, kind, high, flags, number, raw @ ..] = data else { return };
    let row = Row { time: u64::from(*number) << 50, ..fuzzing::any_row([*kind, *high], *flags, 1, raw) };
    for attachments in
        [vec![], any_attachments(*number, |_| false), any_attachments(*number, |id| id == AttachmentId::TEXT)]
    {
        fuzzing::rendered_twice(decoder(), &[*cfg], &row, &attachments, raw);
    }
}
