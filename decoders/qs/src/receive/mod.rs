//! Bytes to rows. `native` is our own reading, `host` the reference host's; both share what a record is (`base`,
//! `plan`), its time (`clock`) and the counters (`counts`).

mod base;
mod console;
mod host;
mod judge;
pub(crate) mod native;
mod plan;
mod recover;
mod target;

pub(crate) use base::{At, Base};
pub(crate) use host::Reference;
pub(crate) use native::Native;
pub(crate) use plan::severity_of;
pub(crate) use target::Known;

/// Extras of this decoder.
pub(crate) mod own_attachment {
    use spytui_plugin_api::AttachmentId;

    pub(crate) use spytui_decoder_kit::gap_attachment::{DAMAGED, SPAN};

    /// What the reference host shows of a broken frame: last sequence number (bit 8: the last byte was escaped),
    /// byte in place of the record id.
    pub(crate) const SHOWN: AttachmentId = AttachmentId(66);
}

/// Kinds of rows of this decoder that are no records.
pub(crate) mod own_kind {
    use spytui_plugin_api::RowKind;

    /// Flags without frames.
    pub(crate) const IDLE: RowKind = RowKind(0xFF40);
    /// A frame that came after its successor.
    pub(crate) const LATE: RowKind = RowKind(0xFF41);
}

/// Bits of `Row::flags` that are this decoder's.
pub(crate) mod own_flag {
    use spytui_plugin_api::RowFlags;

    /// The frame holds escapes.
    pub(crate) const ESCAPED: RowFlags = RowFlags::own(0);
}
