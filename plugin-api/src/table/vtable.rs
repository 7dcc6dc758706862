//! Tables from the author's trait.

use super::{
    entry::{feed, fork_instance, info, label, open, probe, render},
    handle::Instance,
    layout::{DecoderRef, DecoderTable, InstanceTable},
    state::{State, drop_state},
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

pub(super) fn instance_of<D: Decoder>(decoder: D) -> Instance {
    let table = const { &InstanceTable { feed: feed::<D>, fork: fork_instance::<D>, drop: drop_state::<D> } };
    Instance { state: State::raw(decoder), table }
}
