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
pub(crate) mod own_attachment {
    use spytui_plugin_api::AttachmentId;

    pub(crate) use spytui_decoder_kit::gap_attachment::{DAMAGED, SPAN};

    /// Ticks from the post of an event to its get.
    pub(crate) const RT: AttachmentId = AttachmentId(66);
    /// Number of a post, counted for each object; reference style only.
    pub(crate) const POST: AttachmentId = AttachmentId(67);
    /// What the reference host says of a get: ticks since the post, signed, and its number; reference style only.
    pub(crate) const HOST_RT: AttachmentId = AttachmentId(68);
}

/// Kinds of rows of this decoder that are no records.
pub(crate) mod own_kind {
    use spytui_plugin_api::RowKind;

    /// Flags without frames.
    pub(crate) const IDLE: RowKind = RowKind(0xFF40);
}

/// Bits of `Row::flags` that are this decoder's.
pub(crate) mod own_flag {
    use spytui_plugin_api::RowFlags;

    /// The frame holds escapes.
    pub(crate) const ESCAPED: RowFlags = RowFlags::own(0);
    /// The frame came twice: it means nothing the second time.
    pub(crate) const AGAIN: RowFlags = RowFlags::own(1);
    /// The byte behind the frame was its flag, and arrived as 0 or not at all.
    pub(crate) const FUSED: RowFlags = RowFlags::own(2);
}
