//! The ring of whole frames between the traced code and the link. A frame that does not fit is dropped and counted.

use core::sync::atomic::AtomicU8;

use crate::{Clock, Element, Frame, rtt::Channel};

/// Bytes kept free for target info, drop totals and assertions.
const RESERVED: usize = 64;

/// Ways to send a record, as bits: with a time stamp, and with the use of the reserved bytes.
pub(crate) const UNTIMED: u8 = 0;
pub(crate) const TIMED: u8 = 1;
pub(crate) const URGENT: u8 = 2;

/// The memory of a [`crate::Tracer`]: `N` bytes, a power of two, at least 256.
pub struct Ring<const N: usize>(pub(crate) [AtomicU8; N]);

impl<const N: usize> Ring<N> {
    /// An empty ring. Another size than those above is an error of the compiler.
    #[allow(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Self {
        const { assert!(N >= 256 && N.is_power_of_two(), "a ring has a power of two of bytes, 256 or more") };
        Ring([const { AtomicU8::new(0) }; N])
    }
}

/// Writes frames, with the lock held. The offsets are in the channel, where a debug probe sees them.
pub(crate) struct Writer {
    number: u8,
    drops: u32,
    reported: u32,
    reported_at: u32,
}

impl Writer {
    pub(crate) const fn new() -> Self {
        Writer { number: 0, drops: 0, reported: 0, reported_at: 0 }
    }

    /// Writes a record. Dropped ones are numbered as well, so that the host sees a gap.
    pub(crate) fn write(&mut self, up: &Channel, id: u8, how: u8, clock: &dyn Clock, payload: &dyn Element) {
        self.number = self.number.wrapping_add(1);
        let reserved = if how & URGENT != 0 { 0 } else { RESERVED };
        let mut frame = Frame::new(up.bytes(), up.write(), up.room().saturating_sub(reserved));
        if how & TIMED == 0 {
            frame.put(&[self.number, id]);
        } else {
            let [a, b, c, d] = clock.now().to_le_bytes();
            frame.put(&[self.number, id, a, b, c, d]);
        }
        payload.put(&mut frame);
        match frame.end() {
            Some(end) => up.set_write(end),
            None => self.drops = self.drops.wrapping_add(1),
        }
    }

    /// Counts records that were refused because they were inside another one.
    pub(crate) fn refuse(&mut self, count: u32) {
        self.number = self.number.wrapping_add(count as u8);
        self.drops = self.drops.wrapping_add(count);
    }

    /// The total of drops, if it is to be reported: when the ring is half empty again, and once a second until then.
    pub(crate) fn due_total(&mut self, up: &Channel, clock: &dyn Clock, second: u32) -> Option<u32> {
        if self.drops == self.reported {
            return None;
        }
        let (now, room) = (clock.now(), up.room());
        let is_second_over = second != 0 && now.wrapping_sub(self.reported_at) >= second;
        if room <= up.bytes().len() / 2 && !(is_second_over && room >= RESERVED) {
            return None;
        }
        self.reported = self.drops;
        self.reported_at = now;
        Some(self.drops)
    }

    pub(crate) fn drops(&self) -> u32 {
        self.drops
    }
}
