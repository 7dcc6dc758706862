//! The clock of a target: its time stamps extended to 64 bits.

use std::cmp::Ordering;

use crate::{batch::ClockEvent, chunk::StreamEvent};

/// Maximum number of ticks that a late time stamp of two bytes lies back.
const NEAR_BACK: i64 = 0x2000;

/// When a frame was made, compared with another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Not known.
    #[default]
    Unknown,
    /// Earlier.
    Earlier,
    /// Later.
    Later,
}

/// The clock of one target. Time stamps of up to 16 bits wrap so soon that a smaller one is a wrap; of wider ones the
/// nearer time counts.
///
/// ```
/// use spytui_plugin_api::Clock;
///
/// let mut clock = Clock::millis(32);
/// clock.stamp(0xFFFF_FFF0, 4);
/// clock.stamp(3, 4);
/// assert_eq!(clock.now(), 0x1_0000_0003);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Extended time of the last time stamp.
    now: u64,
    known: bool,
    /// The time before the last time stamp, if that went back.
    step_back: Option<u64>,
    /// The next time stamps are late.
    late: bool,
    /// Ticks per second; 0 = unknown.
    rate: u64,
    /// Bits of a time stamp, where all have as many.
    bits: u32,
    /// The rate was reported by the target.
    reported: bool,
    /// Host time of the current bytes, and of the last time stamp; 0 = unknown.
    host_ns: u64,
    stamp_ns: u64,
}

impl Clock {
    /// A clock of `rate` ticks per second; 0 = unknown.
    #[must_use]
    pub const fn new(rate: u64) -> Clock {
        Clock::hertz(rate, 64)
    }

    /// A clock of `rate` ticks per second, 0 = unknown, with time stamps of so many bits.
    #[must_use]
    pub const fn hertz(rate: u64, bits: u32) -> Clock {
        let (now, known, step_back, late, reported) = (0, false, None, false, false);
        Clock { now, known, step_back, late, rate, bits, reported, host_ns: 0, stamp_ns: 0 }
    }

    /// A clock of milliseconds, with time stamps of so many bits.
    #[must_use]
    pub const fn millis(bits: u32) -> Clock {
        Clock::hertz(1_000, bits)
    }

    /// A clock of microseconds, with time stamps of so many bits.
    #[must_use]
    pub const fn micros(bits: u32) -> Clock {
        Clock::hertz(1_000_000, bits)
    }

    /// A clock of nanoseconds, with time stamps of so many bits.
    #[must_use]
    pub const fn nanos(bits: u32) -> Clock {
        Clock::hertz(1_000_000_000, bits)
    }

    /// Bits of a time stamp, where all have as many.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Ticks of the last time stamp; 0 before the first.
    #[inline]
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Sets the rate reported by the target; 0 = unknown.
    pub fn set_rate(&mut self, rate: u64) {
        self.rate = rate;
        self.reported = true;
    }

    /// Whether the rate was reported by the target.
    #[must_use]
    pub fn is_reported(&self) -> bool {
        self.reported
    }

    /// The clock as reported to the host.
    #[must_use]
    pub fn event(&self) -> ClockEvent {
        let num = if self.rate == 0 { 0 } else { 1_000_000_000 };
        ClockEvent { num, den: self.rate.max(1), ..ClockEvent::default() }
    }

    /// Whether there was a time stamp in this epoch.
    #[inline]
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.known
    }

    /// The time before the last time stamp, if that went back. Asked once.
    #[inline]
    pub fn take_step_back(&mut self) -> Option<u64> {
        self.step_back.take()
    }

    /// Begins a new epoch: the next time stamp is the first.
    pub fn restart(&mut self) {
        (self.now, self.known, self.stamp_ns) = (0, false, 0);
        self.step_back = None;
    }

    /// Sets the host time of the following bytes.
    pub fn host_time(&mut self, event: &StreamEvent) {
        self.host_ns = event.host_ns;
    }

    /// Whether the next time stamps are those of a frame that came after its successors, which may be earlier.
    pub fn set_late(&mut self, late: bool) {
        self.late = late;
    }

    /// Whether a time stamp of so many bits is earlier or later than the last, if that can be said.
    #[must_use]
    pub fn order(&self, stamp: u64, bits: u32) -> Order {
        if !self.known || bits < 16 {
            return Order::Unknown;
        }
        match (Clock { late: true, ..self.clone() }.extend_bits(stamp, bits).cmp(&self.now), bits) {
            // Short ones may have wrapped.
            (Ordering::Equal, _) | (Ordering::Less, 16) => Order::Unknown,
            (Ordering::Less, _) => Order::Earlier,
            (Ordering::Greater, _) => Order::Later,
        }
    }

    /// Extends a time stamp of `size` bytes to 64 bits, without taking it.
    #[inline]
    #[must_use]
    pub fn extend(&self, stamp: u64, size: u8) -> u64 {
        self.extend_bits(stamp, u32::from(size) * 8)
    }

    #[inline]
    fn extend_bits(&self, stamp: u64, bits: u32) -> u64 {
        if !self.known || bits >= 64 {
            return stamp;
        }
        let ahead = stamp.wrapping_sub(self.now);
        if bits < 16 || (bits == 16 && !self.late) {
            return self.now.saturating_add(ahead & ((1 << bits) - 1));
        }
        // The sign of the truncated difference gives the shorter way.
        let step = (ahead << (64 - bits)) as i64 >> (64 - bits);
        let step = if bits == 16 && step < -NEAR_BACK { step + (1 << bits) } else { step };
        self.now.checked_add_signed(step).unwrap_or_else(|| self.beyond(step, bits))
    }

    /// The time if the shorter way leads below zero or beyond 64 bits.
    #[cold]
    fn beyond(&self, step: i64, bits: u32) -> u64 {
        let ahead = if step < 0 { step + (1 << bits) } else { step };
        self.now.saturating_add_signed(ahead)
    }

    /// Takes a time stamp.
    #[inline]
    pub fn stamp(&mut self, stamp: u64, size: u8) {
        self.stamp_bits(stamp, u32::from(size) * 8);
    }

    /// Takes a time stamp of so many bits.
    #[inline]
    pub fn stamp_bits(&mut self, stamp: u64, bits: u32) {
        let before = self.now;
        self.now = self.extend_bits(stamp, bits);
        if self.now < before {
            self.step_back = Some(before);
        }
        if self.host_ns != self.stamp_ns {
            self.silence(before, bits);
        }
        self.known = true;
    }

    /// Adds the wraps during a silence of the line.
    #[cold]
    fn silence(&mut self, before: u64, bits: u32) {
        let since = self.host_ns.saturating_sub(self.stamp_ns);
        let first_stamp = self.stamp_ns == 0 || !self.known;
        self.stamp_ns = self.host_ns;
        if first_stamp || bits >= 64 {
            return;
        }
        let wrap = 1u128 << bits;
        let ticks = u128::from(since) * u128::from(self.rate) / 1_000_000_000;
        let (expected, got) = (u128::from(before) + ticks, u128::from(self.now));
        if ticks > wrap / 2 && expected > got {
            let wraps = (expected - got + wrap / 2) / wrap;
            self.now = self.now.saturating_add(u64::try_from(wraps * wrap).unwrap_or(u64::MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(size: u8, stamps: &[u64]) -> Vec<u64> {
        let mut clock = Clock::new(0);
        let mut take = |&stamp: &u64| {
            clock.stamp(stamp, size);
            clock.now()
        };
        stamps.iter().map(&mut take).collect()
    }

    fn at(ms: u64) -> StreamEvent {
        StreamEvent { host_ns: ms * 1_000_000, ..StreamEvent::default() }
    }

    #[test]
    fn the_nearest_time_counts() {
        assert_eq!(times(4, &[0xFFFF_FFF0, 3, 0xFFFF_FFFE]), [0xFFFF_FFF0, 0x1_0000_0003, 0xFFFF_FFFE]);
    }

    #[test]
    fn a_smaller_stamp_of_two_bytes_is_a_wrap() {
        assert_eq!(times(2, &[0xFFF0, 5, 0xFFFE, 0x10]), [0xFFF0, 0x1_0005, 0x1_FFFE, 0x2_0010]);
        assert_eq!(times(2, &[47_104, 15_194, 15_190]), [47_104, 80_730, 146_262]);
        let apart: Vec<u64> = (0..6).map(|i| i * 60_000).collect();
        let stamps: Vec<u64> = apart.iter().map(|time| time & 0xFFFF).collect();
        assert_eq!(times(2, &stamps), apart);
    }

    #[test]
    fn a_late_stamp_of_two_bytes_is_earlier() {
        let mut clock = Clock::new(0);
        let mut take = |stamp, late| {
            let order = clock.order(stamp, 16);
            clock.set_late(late);
            clock.stamp(stamp, 2);
            (order, clock.now(), clock.take_step_back())
        };
        assert_eq!(take(100, false), (Order::Unknown, 100, None));
        assert_eq!(take(50, true), (Order::Unknown, 50, Some(100)));
        assert_eq!(take(110, false), (Order::Later, 110, None));
        assert_eq!(take(60, false), (Order::Unknown, 0x1_003C, None));
    }

    #[test]
    fn a_step_back_is_reported_once() {
        let mut clock = Clock::new(0);
        clock.stamp(100, 4);
        clock.stamp(90, 4);
        assert_eq!((clock.take_step_back(), clock.take_step_back()), (Some(100), None));
        clock.stamp(95, 4);
        assert_eq!(clock.take_step_back(), None);
    }

    #[test]
    fn time_never_goes_below_zero() {
        assert_eq!(times(4, &[5, 0xFFFF_FFF0]), [5, 0xFFFF_FFF0]);
    }

    #[test]
    fn a_single_byte_only_goes_forward() {
        assert_eq!(times(1, &[200, 100, 99]), [200, 356, 611]);
    }

    #[test]
    fn silence_adds_wraps_where_the_rate_is_known() {
        let mut clock = Clock::new(1000);
        clock.host_time(&at(1));
        clock.stamp(100, 2);
        clock.host_time(&at(200_001));
        clock.stamp((200_100 & 0xFFFF) + 3, 2);
        assert_eq!(clock.now(), 200_103);
    }
}
