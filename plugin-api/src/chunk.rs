//! What the host feeds: bytes, and the marks of the raw log's side list between them.

use abi_stable::{
    StableAbi,
    std_types::{RSlice, RStr},
};

use crate::{batch::Cut, row::NONE};

/// A mark at `pos` comes before the byte at `pos`. Marks are the same on every re-decode.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Absolute position in the stream.
    pub pos: u64,
    /// Host time, Unix ns; 0 = unknown.
    pub host_ns: u64,
    /// One of [`mark`].
    pub kind: u16,
    /// Reserved, 0.
    pub flags: u16,
    /// Argument, by kind.
    pub arg: u32,
    /// Text in [`Chunk::texts`], by kind.
    pub text: Cut,
}

/// Kinds of [`Mark`].
pub mod mark {
    /// First of a stream.
    pub const START: u16 = 1;
    /// Host time of the bytes from here.
    pub const TIME: u16 = 2;
    /// A datagram starts.
    pub const DATAGRAM: u16 = 3;
    /// The link came up.
    pub const LINK_UP: u16 = 4;
    /// The link went down.
    pub const LINK_DOWN: u16 = 5;
    /// End of the input for good: flush everything pending into rows.
    pub const END: u16 = 6;
    /// Options valid from here, `k=v` lines in the text.
    pub const OPTIONS: u16 = 7;
    /// Bytes lost by the host: `arg`, 0 = unknown.
    pub const HOST_LOSS: u16 = 8;
    /// Line error: `arg` 1 parity 2 framing 3 overrun 4 break.
    pub const LINE_ERROR: u16 = 9;
}

/// One feed: at most 64 KiB of bytes with the marks in `[pos, pos + len]`.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Absolute position of the first byte.
    pub pos: u64,
    /// The bytes; may be empty.
    pub bytes: RSlice<'a, u8>,
    /// The marks, in order.
    pub marks: RSlice<'a, Mark>,
    /// Arena of the marks' texts.
    pub texts: RSlice<'a, u8>,
    /// [`WANT_ACTS`]; nothing but the activities may depend on it.
    pub want: u32,
}

/// Bit of [`Chunk::want`]: activities.
pub const WANT_ACTS: u32 = 1;

/// The longest chunk that a host feeds, in bytes.
pub const MAX_CHUNK: usize = 64 * 1024;

/// Which stream an instance decodes.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Number of the source.
    pub index: u16,
    /// Lane of the rows; [`NONE`] = from the stream.
    pub lane: u16,
    /// Number of the target.
    pub target: u16,
    /// Name for messages.
    pub name: RStr<'a>,
}

impl Default for Source<'_> {
    fn default() -> Self {
        Source { index: 0, lane: NONE, target: 0, name: RStr::from_str("") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_contract() {
        assert_eq!(size_of::<Mark>(), 32);
        assert_eq!(size_of::<Chunk<'_>>(), 64);
    }
}
