//! The table of a decoder and its encoder.

use super::{
    encoder::{OpenEncoder, no_encoder, open_encoder},
    entry::{info, label, open, probe, render},
    layout::{DecoderRef, DecoderTable},
};
use crate::{decoder::Decoder, encoder::Encoder};

/// The table of a decoder whose protocol has no way back.
#[must_use]
pub const fn decoder<D: Decoder>() -> DecoderRef {
    DecoderRef(const { &table::<D>(no_encoder) })
}

/// The table of a decoder with an encoder.
#[must_use]
pub const fn decoder_and_encoder<D: Decoder, E: Encoder>() -> DecoderRef {
    DecoderRef(const { &table::<D>(open_encoder::<E>) })
}

const fn table<D: Decoder>(encoder: OpenEncoder) -> DecoderTable {
    DecoderTable {
        info: info::<D>,
        probe: probe::<D>,
        open: open::<D>,
        render: render::<D>,
        label: label::<D>,
        encoder,
    }
}
