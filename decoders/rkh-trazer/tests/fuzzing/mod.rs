//! The fuzz targets' code, which tests also run on the committed corpus.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_decoder_harness::{
    fuzzing::{self, ALL},
    stuffed,
};
use spytui_plugin_api::{DecoderRef, batch::AttachmentId};
use spytui_plugin_host::kit::{Host, opt_vals};

const VERSIONS: [&[u8]; 4] = [b"3.4", b"2.4.6", b"2.4.3", b"2.3"];

fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_rkh::Rkh>()
}

/// Options selected by a byte.
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

/// Any bytes give the same rows in two chunkings, and all bytes are accounted for.
pub(crate) fn frame(data: &[u8]) {
    fuzzing::two_chunkings(decoder(), options, data);
}

/// A valid frame with any id and arguments is decoded and rendered, with any names it adds.
pub(crate) fn record(data: &[u8]) {
    let [first, id, args @ ..] = data else { return };
    let mut bytes = vec![0x7E];
    for seq in 0..2u8 {
        let mut plain = vec![*id, seq, 1, 0, 0, 0];
        plain.extend_from_slice(args);
        plain.push(plain.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)).wrapping_neg());
        bytes.extend(stuffed(&plain));
    }
    let host = fuzzing::decode(decoder(), &bytes, &options(*first), 1 << 16);
    host.render(&bytes, ALL, |_, _| {}).unwrap();
}

/// Any configuration, row and raw bytes render without a fault, twice the same.
pub(crate) fn render(data: &[u8]) {
    let Some((cfg, rest)) = data.split_at_checked(24) else { return };
    let [kind, high, flags, number, raw @ ..] = rest else { return };
    let row = fuzzing::any_row([*kind, *high], *flags, 3, raw);
    let attachments = fuzzing::any_attachments(*number, |id| id == AttachmentId::TEXT);
    fuzzing::rendered_twice(decoder(), cfg, &row, &attachments, raw);
    fuzzing::rendered_truncated(decoder(), &cfg[..7], &row, &attachments, raw);
}

/// Any sample and configuration file give a guess or none, but never a fault.
pub(crate) fn probe(data: &[u8]) {
    let Some((cfg, sample)) = data.split_at_checked(data.len().min(40)) else { return };
    decoder().probe(sample, &[]).unwrap();
    let options = [("cfg", cfg), ("symbols", sample)];
    decoder().probe(sample, &opt_vals(&options)).unwrap();
    if let Ok(host) = Host::open(decoder(), &options) {
        host.stream(sample, 64).unwrap();
    }
}
