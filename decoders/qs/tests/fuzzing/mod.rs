//! The fuzz targets' code, which tests also run on the committed corpus.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_decoder_harness::{
    fuzzing::{self, ALL},
    stuffed,
};
use spytui_plugin_api::{DecoderRef, batch::AttachmentId};

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_qs::Qs>()
}

/// Options selected by a byte.
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

/// Any bytes give the same rows in two chunkings, and all bytes are accounted for.
pub(crate) fn frame(data: &[u8]) {
    fuzzing::two_chunkings(decoder(), options, data);
}

/// A valid frame with any id and payload is decoded and rendered, with any names it adds.
pub(crate) fn record(data: &[u8]) {
    let [first, id, payload @ ..] = data else { return };
    let mut bytes = Vec::new();
    for seq in 1..3u8 {
        let mut plain = vec![seq, *id];
        plain.extend_from_slice(payload);
        plain.push(!plain.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)));
        bytes.extend(stuffed(&plain));
    }
    let host = fuzzing::decode(decoder(), &bytes, &options(*first), 1 << 16);
    host.render(&bytes, ALL, |_, _| {}).unwrap();
}

/// Stale bytes in the reference host's buffer, as `private_attachment`.
const STALE: AttachmentId = AttachmentId(68);

/// Any configuration, row and raw bytes render without a fault, twice the same.
pub(crate) fn render(data: &[u8]) {
    let Some((cfg, rest)) = data.split_at_checked(16) else { return };
    let [kind, high, flags, number, raw @ ..] = rest else { return };
    let row = fuzzing::any_row([*kind, *high], *flags, 1, raw);
    let attachments = fuzzing::any_attachments(*number, |id| [AttachmentId::TEXT, STALE].contains(&id));
    fuzzing::rendered_twice(decoder(), cfg, &row, &attachments, raw);
    fuzzing::rendered_truncated(decoder(), &cfg[..7], &row, &attachments, raw);
}
