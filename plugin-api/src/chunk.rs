//! Input of a decoder: bytes, interleaved with stream events of the raw log.

use abi_stable::{StableAbi, std_types::RSlice};

use crate::{ByteRange, NONE, RowKind, number::named_numbers};

/// A stream event; it precedes the byte at `pos`. Decoding a log again produces the same events.
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
        /// Options valid from here on, as one `k=v` per line in the text. For a file, each of its lines is a `k=v`.
        OPTIONS = 7,
        /// The host lost bytes: `arg` = number, 0 = unknown.
        HOST_LOSS = 8,
        /// Line error: `arg` 1 = parity, 2 = framing, 3 = overrun, 4 = break.
        LINE_ERROR = 9,
    }
}

impl StreamEventKind {
    /// Kind of the row that pending bytes become at this event; `None` = they stay pending.
    pub fn left_over(self) -> Option<RowKind> {
        match self {
            StreamEventKind::LINK_UP | StreamEventKind::LINK_DOWN => Some(RowKind::CUT_OFF),
            StreamEventKind::HOST_LOSS => Some(RowKind::RESYNC),
            StreamEventKind::END => Some(RowKind::TAIL),
            _ => None,
        }
    }
}

/// One call to the decoder: at most 64 KiB of bytes with the events in `[pos, pos + len]`.
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
    /// Activities are wanted; no other output may depend on it.
    pub wants_activities: bool,
}

/// Maximum length of a chunk, in bytes.
pub const MAX_CHUNK: usize = 64 * 1024;

/// The source that an instance decodes.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Source {
    /// Number of the source.
    pub index: u16,
    /// Core of the rows; [`NONE`] = the stream contains it.
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
