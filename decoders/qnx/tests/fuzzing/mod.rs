//! The fuzz targets' code, which tests also run on the committed corpus.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_decoder_harness::encode::qnx::Trace;
use spytui_decoder_harness::fuzzing::{self, ALL};
use spytui_plugin_api::{DecoderRef, Row, batch::AttachmentId};

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_qnx::Qnx>()
}

const FORMATS: &[u8] = b"major 1 Proc\nminor 3 Ready \"pid %d %x\"\nminor * Other \"%b\"\nuser 1 Greeting \"%s\"\n";

/// Options selected by a byte.
fn options(byte: u8) -> Vec<(&'static str, &'static [u8])> {
    let all: [(&str, &[u8]); 5] = [
        ("reference", b"traceprinter-1.02"),
        ("fmt", FORMATS),
        ("endian", b"big"),
        ("release", b"8"),
        ("kprof", b"ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000"),
    ];
    let mut options: Vec<_> =
        (0..).zip(all).filter(|(bit, _)| byte >> bit & 1 == 1).map(|(_, option)| option).collect();
    match byte >> 5 & 3 {
        1 => options.push(("profile", b"kev")),
        2 => options.push(("profile", b"qnx4")),
        3 => options.push(("profile", b"nto1")),
        _ => {}
    }
    options
}

/// Any bytes give the same rows in two chunkings, all bytes are accounted for, and rows render.
pub(crate) fn stream(data: &[u8]) {
    let Some((whole, bytes)) = fuzzing::two_chunkings(decoder(), options, data) else { return };
    whole.render(bytes, ALL, |_, _| {}).unwrap();
}

/// Any parts of events after a header render in both styles.
pub(crate) fn event(data: &[u8]) {
    let [first, parts @ ..] = data else { return };
    let release = ["6.5.0", "7.1.0", "8.0.0"][usize::from(first % 3)];
    let mut trace = Trace::new(first & 0x40 != 0);
    trace.header(&[("SYS_RELEASE", release), ("CYCLES_PER_SEC", "1000000")], usize::from(first >> 4));
    for part in parts.chunks_exact(12) {
        let word = |at: usize| u32::from_le_bytes([part[at], part[at + 1], part[at + 2], part[at + 3]]);
        trace.at(u32::from(part[0] & 3), trace.low + u32::from(part[1]));
        trace.part(u32::from(part[2] & 3), u16::from(part[2] >> 2 & 15), word(0) as u16 & 0x3FF, [word(4), word(8)]);
    }
    for style in [0, 3] {
        let host = fuzzing::decode(decoder(), &trace.bytes, &options(style), 1 << 16);
        host.render(&trace.bytes, ALL, |_, _| {}).unwrap();
    }
}

/// Any configuration, row and raw bytes render without a fault, twice the same.
pub(crate) fn render(data: &[u8]) {
    let [cfg, kind, high, flags, number, raw @ ..] = data else { return };
    let row = Row { time: u64::from(*number) << 50, ..fuzzing::any_row([*kind, *high], *flags, 1, raw) };
    for attachments in [
        vec![],
        fuzzing::any_attachments(*number, |_| false),
        fuzzing::any_attachments(*number, |id| id == AttachmentId::TEXT || id.0 == 66),
    ] {
        fuzzing::rendered_twice(decoder(), &[*cfg, *number], &row, &attachments, raw);
    }
}
