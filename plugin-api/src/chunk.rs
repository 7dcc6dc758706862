//! Input of a decoder: bytes, and the stream events of the raw log between them.

use abi_stable::{StableAbi, std_types::RSlice};

use crate::{
    batch::ByteRange,
    number::named_numbers,
    row::{NONE, RowKind},
};

/// A stream event; it precedes the byte at `pos`. Events are the same whenever the log is decoded again.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamEvent {
    /// Absolute position in the stream.
    pub pos: u64,
    /// Host time, Unix ns; 0 = unknown.
    pub host_ns: u64,
    /// Kind of event.
    pub kind: StreamEventKind,
    /// Argument, by kind.
    pub arg: u32,
    /// Text in [`Chunk::texts`], by kind.
    pub text: ByteRange,
}

named_numbers! {
    /// Kind of a [`StreamEvent`].
    pub struct StreamEventKind(u16) {
        /// Start of the stream.
        START = 1,
        /// Host time of the following bytes.
        TIME = 2,
        /// A datagram starts.
        DATAGRAM = 3,
        /// The link came up.
        LINK_UP = 4,
        /// The link went down.
        LINK_DOWN = 5,
        /// End of the stream: pending bytes must become rows.
        END = 6,
        /// Options valid from here on, as `k=v` lines in the text. The text of a file has a `k=v` for each of its lines.
        OPTIONS = 7,
        /// The host lost bytes: `arg` = number, 0 = unknown.
        HOST_LOSS = 8,
        /// Line error: `arg` 1 parity 2 framing 3 overrun 4 break.
        LINE_ERROR = 9,
    }
}

impl StreamEventKind {
    /// Kind of the row for bytes that are pending when this event comes; `None` = the event does not end what is pending.
    #[must_use]
    pub fn left_over(self) -> Option<RowKind> {
        match self {
            StreamEventKind::LINK_UP | StreamEventKind::LINK_DOWN => Some(RowKind::CUT_OFF),
            StreamEventKind::HOST_LOSS => Some(RowKind::RESYNC),
            StreamEventKind::END => Some(RowKind::TAIL),
            _ => None,
        }
    }
}

/// One feed: at most 64 KiB of bytes with the events in `[pos, pos + len]`.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Absolute position of the first byte.
    pub pos: u64,
    /// The bytes; may be empty.
    pub bytes: RSlice<'a, u8>,
    /// The events, in order.
    pub events: RSlice<'a, StreamEvent>,
    /// Arena of the events' texts.
    pub texts: RSlice<'a, u8>,
    /// Activities are wanted; nothing else may depend on it.
    pub wants_activities: bool,
}

/// Maximum length of a chunk, in bytes.
pub const MAX_CHUNK: usize = 64 * 1024;

/// The source decoded by an instance.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Source {
    /// Number of the source.
    pub index: u16,
    /// Core of the rows; [`NONE`] = given by the stream.
    pub core: u16,
}

impl Default for Source {
    fn default() -> Self {
        Source { index: 0, core: NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_contract() {
        assert_eq!(size_of::<StreamEvent>(), 32);
        assert_eq!(size_of::<Chunk<'_>>(), 64);
    }
}
