//! Tables from the author's trait.

use abi_stable::prefix_type::WithMetadata;

use super::{
    boxed::{Boxed, drop_boxed},
    entry::{feed, fork_instance, info, label, open, probe, render},
    handle::Instance,
    layout::{DecoderRef, DecoderTable, InstanceRef, InstanceTable},
};
use crate::author::Decoder;

/// The table of a decoder.
#[must_use]
pub const fn decoder<D: Decoder>() -> DecoderRef {
    DecoderRef(
        const {
            &WithMetadata::new(DecoderTable {
                info: info::<D>,
                probe: probe::<D>,
                open: open::<D>,
                render: render::<D>,
                label: label::<D>,
            })
        }
        .static_as_prefix(),
    )
}

const fn instance_table<D: Decoder>() -> InstanceRef {
    InstanceRef(
        const {
            &WithMetadata::new(InstanceTable { feed: feed::<D>, fork: fork_instance::<D>, drop: drop_boxed::<D> })
        }
        .static_as_prefix(),
    )
}

pub(super) fn instance_of<D: Decoder>(decoder: D) -> Instance {
    Instance { state: Boxed::raw(decoder), table: instance_table::<D>() }
}
