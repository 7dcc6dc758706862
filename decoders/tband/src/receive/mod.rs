//! Bytes to rows: `splitter` finds frames, `reader` makes rows of them, in our own way and in the reference tool's;
//! `stream` is what changes the meaning of later events: cores (`cores`), drop counts (`drops`), time; `start` waits for
//! what a start of recording turns out to be.

mod cores;
mod drops;
mod reader;
mod splitter;
mod start;
mod stream;

pub(crate) use cores::Core;
pub(crate) use drops::News;
pub(crate) use reader::Tracer;

/// Extras of this decoder.
pub(crate) mod own_attachment {
    use spytui_plugin_api::AttachmentId;

    /// Events that the target dropped so far.
    pub(crate) const TOTAL: AttachmentId = AttachmentId(64);
    /// Time stamps before and behind what a note tells.
    pub(crate) const SPAN: AttachmentId = AttachmentId(65);
    /// Nanoseconds a tick of these, where the target has told.
    pub(crate) const TICK: AttachmentId = AttachmentId(66);
}

/// Bits of `Row::flags` that are this decoder's.
pub(crate) mod own_flag {
    /// The first frame of a stream or link: it may have begun before.
    use spytui_plugin_api::RowFlags;

    pub(crate) const FIRST: RowFlags = RowFlags::own(0);
}
