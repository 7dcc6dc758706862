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
pub(crate) mod own_extra {
    use spytui_plugin_api::batch::extra::OWN;

    pub(crate) use spytui_hdlc::gap_extra::{DAMAGED, SPAN};

    /// What the reference host shows of a broken frame: last sequence number (bit 8: the last byte was escaped),
    /// byte in place of the record id.
    pub(crate) const SHOWN: u16 = OWN + 2;
}

/// Kinds of rows of this decoder that are no records.
pub(crate) mod own_kind {
    /// Flags without frames.
    pub(crate) const IDLE: u16 = 0x0200;
    /// A frame that came after its successor.
    pub(crate) const LATE: u16 = 0x0201;
}

/// Bits of `Row::flags` that are this decoder's.
pub(crate) mod own_flag {
    /// The frame holds escapes.
    pub(crate) const ESCAPED: u32 = 1 << 28;
}
