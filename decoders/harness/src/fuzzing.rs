//! Shared code of fuzz targets, which tests also run on the committed corpus.

use spytui_plugin_api::{
    Attachment, AttachmentId, DecoderRef, Rendered, Row, RowIn, RowKind,
    render::{Dict, Lookup, Want},
    row::RowFlags,
};
use spytui_plugin_host::kit::{Host, Names, end_event, start_event};

/// All parts of a rendered row.
pub const ALL: Want = Want::TEXT.union(Want::FIELDS).union(Want::PAYLOAD);

/// Maps a byte to options.
pub type FuzzOptions = fn(u8) -> Vec<(&'static str, &'static [u8])>;

/// Decodes a stream in chunks of `size` bytes, and checks the byte accounting after each chunk.
pub fn decode(decoder: DecoderRef, bytes: &[u8], options: &[(&str, &[u8])], size: usize) -> Host {
    let mut host = Host::open(decoder, options).unwrap();
    host.feed(b"", &[start_event()]).unwrap();
    for chunk in bytes.chunks(size.max(1)) {
        host.feed(chunk, &[]).unwrap();
        assert_eq!(host.run.counters().bytes() + host.run.pending, host.fed);
    }
    host.feed(b"", &[end_event(bytes.len())]).unwrap();
    host
}

/// Decodes any bytes in two chunkings, which must give the same rows. The first byte selects the options, the second
/// the chunk size. Returns the result and the remaining bytes.
pub fn two_chunkings(decoder: DecoderRef, options: FuzzOptions, data: &[u8]) -> Option<(Host, &[u8])> {
    let [first, size, bytes @ ..] = data else { return None };
    let options = options(*first);
    let whole = decode(decoder, bytes, &options, 1 << 16);
    let parts = decode(decoder, bytes, &options, usize::from(*size));
    assert!(whole.run == parts.run);
    assert_eq!(whole.run.pending, 0);
    Some((whole, bytes))
}

/// A row of `raw` with any kind and flags; the upper `own` flag bits belong to the decoder.
pub fn any_row(kind: [u8; 2], flags: u8, own: u32, raw: &[u8]) -> Row {
    Row {
        kind: RowKind(u16::from_le_bytes(kind)),
        flags: RowFlags::from_bits_retain(u32::from(flags) << 7) & (RowFlags::MALFORMED | RowFlags::APPLICATION)
            | RowFlags::from_bits_retain(u32::from(flags >> (8 - own)) << 28),
        len: raw.len() as u32,
        ..Row::default()
    }
}

/// All possible attachments of a row, with equal numbers; those selected by `is_text` refer to bytes.
pub fn any_attachments(number: u8, is_text: impl Fn(AttachmentId) -> bool) -> Vec<Attachment> {
    let n = u64::from(number);
    (1..70).map(AttachmentId).map(|id| Attachment { at: 0, id, is_bytes: is_text(id), a: n, b: n }).collect()
}

/// Renders a row twice, with any configuration and attachments; both texts must be equal.
pub fn rendered_twice(decoder: DecoderRef, cfg: &[u8], row: &Row, attachments: &[Attachment], raw: &[u8]) {
    let text = || rendered(decoder, cfg, row, attachments, raw, &());
    assert_eq!(text(), text());
}

/// Like [`rendered_twice`], also with a truncated configuration and an empty dictionary.
pub fn rendered_truncated(decoder: DecoderRef, cfg: &[u8], row: &Row, attachments: &[Attachment], raw: &[u8]) {
    rendered(decoder, cfg, row, attachments, raw, &Names::default());
}

fn rendered(
    decoder: DecoderRef,
    cfg: &[u8],
    row: &Row,
    attachments: &[Attachment],
    raw: &[u8],
    names: &impl Lookup,
) -> Vec<u8> {
    let input = RowIn { row, raw: raw.into(), attachments: attachments.into(), blob: raw.into() };
    let mut out = Rendered::default();
    decoder.render(cfg, &[input], &Dict::new(names), ALL, &mut out).unwrap();
    out.text.to_vec()
}
