//! Bytes to rows: `splitter` finds frames, `reader` makes rows of them, in our own way and in the reference tool's;
//! `stream` is what changes the meaning of later events: cores (`lanes`), drop counts (`drops`), time; `start` waits for
//! what a start of recording turns out to be.

mod counts;
mod drops;
mod lanes;
mod reader;
mod splitter;
mod start;
mod stream;

pub(crate) use drops::News;
pub(crate) use lanes::Lane;
pub(crate) use reader::Tracer;

/// Extras of this decoder.
pub(crate) mod own_extra {
    use spytui_plugin_api::batch::extra::OWN;

    /// Events that the target dropped so far.
    pub(crate) const TOTAL: u16 = OWN;
    /// Time stamps before and behind what a note tells.
    pub(crate) const SPAN: u16 = OWN + 1;
    /// Nanoseconds a tick of these, where the target has told.
    pub(crate) const TICK: u16 = OWN + 2;
}

/// Bits of `Row::flags` that are this decoder's.
pub(crate) mod own_flag {
    /// The first frame of a stream or link: it may have begun before.
    pub(crate) const FIRST: u32 = 1 << 28;
}
