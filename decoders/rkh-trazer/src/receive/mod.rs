//! Bytes to rows. `native` is our own reading, `host` the reference host's; both share what a record is (`base`,
//! `plan`). `judge` says what a frame is, `split` takes frames apart that ran together, `target` follows what the
//! target tells of itself, `posts` pairs posts and gets.

mod base;
pub(crate) mod host;
mod judge;
mod long;
pub(crate) mod native;
mod plan;
mod posts;
mod split;
mod target;

pub(crate) use base::Base;
pub(crate) use host::Reference;
pub(crate) use native::Native;
pub(crate) use plan::severity_of;
pub(crate) use target::Known;

/// Longest run of bytes without a flag that is collected: longer ones are skipped in pieces of this size.
pub(crate) const LONGEST: usize = 64 * 1024;

/// Extras of this decoder.
pub(crate) mod own_extra {
    use spytui_plugin_api::batch::extra::OWN;

    pub(crate) use spytui_hdlc::gap_extra::{DAMAGED, SPAN};

    /// Ticks from the post of an event to its get.
    pub(crate) const RT: u16 = OWN + 2;
    /// Number of a post, counted for each object; reference style only.
    pub(crate) const POST: u16 = OWN + 3;
    /// What the reference host says of a get: ticks since the post, signed, and its number; reference style only.
    pub(crate) const HOST_RT: u16 = OWN + 4;
}

/// Kinds of rows of this decoder that are no records.
pub(crate) mod own_kind {
    /// Flags without frames.
    pub(crate) const IDLE: u16 = 0x0800;
}

/// Bits of `Row::flags` that are this decoder's.
pub(crate) mod own_flag {
    /// The frame holds escapes.
    pub(crate) const ESCAPED: u32 = 1 << 28;
    /// The frame came twice: it means nothing the second time.
    pub(crate) const AGAIN: u32 = 1 << 29;
    /// The byte behind the frame was its flag, and arrived as 0 or not at all.
    pub(crate) const FUSED: u32 = 1 << 30;
}
