//! Framing: what `spytui_hdlc` leaves to the protocol, and `Host`, the reference host's receiver byte by byte.

mod host;

pub(crate) use host::{Event, Host};

/// Sum of all bytes of a good frame, its check value included.
pub(crate) const GOOD_SUM: u8 = 0xFF;
/// Sequence number, record id, check value.
pub(crate) const SHORTEST: usize = 3;
/// Longest run of bytes without a flag that is collected: longer ones are skipped in pieces of this size.
pub(crate) const LONGEST: usize = 64 * 1024;
