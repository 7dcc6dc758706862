//! Tables from the authors' traits.

use abi_stable::prefix_type::WithMetadata;

use super::{
    back::{encode, event, filters, fork_tx, tx_open},
    boxed::{Boxed, drop_boxed},
    entry::{feed, fork_instance, format, format_info, info, label, open, probe, render},
    handle::{Instance, Tx},
    layout::{DecoderRef, DecoderTable, FormatterRef, FormatterTable, InstanceRef, InstanceTable, TxRef, TxTable},
};
use crate::{
    app_record::Formatter,
    author::{Decoder, Transmit},
};

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
                tx_open: tx_open::<D>,
            })
        }
        .static_as_prefix(),
    )
}

/// The table of a formatter.
#[must_use]
pub const fn formatter<F: Formatter>() -> FormatterRef {
    FormatterRef(
        const { &WithMetadata::new(FormatterTable { info: format_info::<F>, format: format::<F> }) }.static_as_prefix(),
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

const fn tx_table<T: Transmit>() -> TxRef {
    TxRef(
        const {
            &WithMetadata::new(TxTable {
                encode: encode::<T>,
                event: event::<T>,
                filters: filters::<T>,
                fork: fork_tx::<T>,
                drop: drop_boxed::<T>,
            })
        }
        .static_as_prefix(),
    )
}

pub(super) fn instance_of<D: Decoder>(decoder: D) -> Instance {
    Instance { state: Boxed::raw(decoder), table: instance_table::<D>() }
}

pub(super) fn tx_of<T: Transmit>(tx: T) -> Tx {
    Tx { state: Boxed::raw(tx), table: tx_table::<T>() }
}
