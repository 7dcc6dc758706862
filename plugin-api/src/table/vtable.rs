//! The table of a type with the trait `Decoder`.

use super::{
    entry::{info, label, open, probe, render},
    layout::{DecoderRef, DecoderTable},
};
use crate::decoder::Decoder;

/// The table of a decoder.
#[must_use]
pub const fn decoder<D: Decoder>() -> DecoderRef {
    DecoderRef(
        const {
            &DecoderTable {
                info: info::<D>,
                probe: probe::<D>,
                open: open::<D>,
                render: render::<D>,
                label: label::<D>,
            }
        },
    )
}
