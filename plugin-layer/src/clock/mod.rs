//! The clock of a target: its time stamps extended to 64 bits.
//!
//! | file | content |
//! |---|---|
//! | `counter` | the hardware counter behind time stamps, which may be narrower |
//! | `news` | what a time stamp reveals besides the time, and the note about it |

mod counter;
mod news;

pub use news::ClockNews;

use std::cmp::Ordering;

use spytui_plugin_api::{batch::ClockEvent, chunk::StreamEvent, info::Opt};

use self::counter::{Counter, Step};

/// Option: width in bits of the counter behind time stamps.
pub const COUNTER_BITS: Opt<u32> = Opt::int(
    "counter-bits",
    8..=64,
    "bits of the counter behind the time stamps, if it has fewer; unset: detected at a wrap of 16, 24 or 32 bits",
)
.never_guessed();

/// Maximum number of ticks that a late two-byte time stamp may lie back.
const NEAR_BACK: i64 = 0x2000;

/// How the creation times of two frames compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The order is unknown.
    #[default]
    Unknown,
    /// The frame was made earlier.
    Earlier,
    /// The frame was made later.
    Later,
}

/// The clock of one target. A smaller time stamp of up to 16 bits means a wrap; wider ones are extended to the nearest
/// time.
///
/// ```
/// use spytui_plugin_layer::Clock;
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
    /// News of the last time stamp.
    news: Option<ClockNews>,
    /// The next time stamps belong to a late frame.
    late: bool,
    /// Ticks per second; 0 = unknown.
    rate: u64,
    /// Width of a time stamp, if it is fixed.
    bits: u32,
    /// The rate was reported by the target.
    reported: bool,
    /// Host time of the current bytes, and of the last time stamp; 0 = unknown.
    host_ns: u64,
    stamp_ns: u64,
    counter: Counter,
    /// Twice the longest recent step; smaller steps are usual. It decays, so that a single long step has little effect.
    reach: u64,
}

impl Clock {
    /// A clock of `rate` ticks per second; 0 = unknown.
    pub const fn new(rate: u64) -> Clock {
        Clock::hertz(rate, 64)
    }

    /// A clock of `rate` ticks per second (0 = unknown) whose time stamps have `bits` bits.
    pub const fn hertz(rate: u64, bits: u32) -> Clock {
        let (now, known, news, late, reported) = (0, false, None, false, false);
        let counter = Counter::UNKNOWN;
        Clock { now, known, news, late, rate, bits, reported, host_ns: 0, stamp_ns: 0, counter, reach: 0 }
    }

    /// Sets the width of the counter behind the time stamps; `None` = unknown.
    #[must_use]
    pub fn with_counter(self, bits: Option<u32>) -> Clock {
        Clock { counter: bits.map_or(Counter::UNKNOWN, Counter::of), ..self }
    }

    /// A millisecond clock with time stamps of `bits` bits.
    pub const fn millis(bits: u32) -> Clock {
        Clock::hertz(1_000, bits)
    }

    /// A microsecond clock with time stamps of `bits` bits.
    pub const fn micros(bits: u32) -> Clock {
        Clock::hertz(1_000_000, bits)
    }

    /// A nanosecond clock with time stamps of `bits` bits.
    pub const fn nanos(bits: u32) -> Clock {
        Clock::hertz(1_000_000_000, bits)
    }

    /// Width of a time stamp, if it is fixed.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Ticks of the last time stamp; 0 before the first.
    #[inline]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Sets the rate reported by the target; 0 = unknown.
    pub fn set_rate(&mut self, rate: u64) {
        self.rate = rate;
        self.reported = true;
    }

    /// Whether the rate was reported by the target.
    pub fn is_reported(&self) -> bool {
        self.reported
    }

    /// The clock as reported to the host.
    pub fn event(&self) -> ClockEvent {
        let num = if self.rate == 0 { 0 } else { 1_000_000_000 };
        ClockEvent { num, den: self.rate.max(1), ..ClockEvent::default() }
    }

    /// Whether this epoch has had a time stamp.
    #[inline]
    pub fn is_known(&self) -> bool {
        self.known
    }

    /// Takes the news of the last time stamp.
    #[inline]
    pub fn take_news(&mut self) -> Option<ClockNews> {
        if self.news.is_some() { self.news.take() } else { None }
    }

    /// The value of the counter at a time: its low bits if the counter is known to be narrow.
    pub fn shown(&self, time: u64) -> u64 {
        self.counter.shown(time)
    }

    /// Whether the counter is known to have fewer than `bits` bits.
    pub fn is_narrow(&self, bits: u32) -> bool {
        self.counter.is_narrow(bits)
    }

    /// Copies what another clock knows about the same counter.
    pub fn share_counter(&mut self, other: &Clock) {
        self.counter = other.counter;
    }

    /// Takes a time stamp of `bits` bits as the time closest to `now`, the time of another clock of the same counter;
    /// returns `false` if the counter is not known to be narrow, or time would go back.
    pub fn stamp_near(&mut self, stamp: u64, bits: u32, now: u64) -> bool {
        let near = Clock { now, known: true, late: true, ..self.clone() };
        let time = near.extend_bits(stamp, self.counter.of_stamp(bits));
        let takes = self.counter.is_narrow(bits) && time >= self.now;
        if takes {
            (self.now, self.known) = (time, true);
        }
        takes
    }

    /// Begins a new epoch: the next time stamp is the first.
    pub fn restart(&mut self) {
        (self.now, self.known, self.stamp_ns) = (0, false, 0);
        (self.news, self.reach) = (None, 0);
    }

    /// Sets the host time of the following bytes.
    pub fn host_time(&mut self, event: &StreamEvent) {
        self.host_ns = event.host_ns;
    }

    /// Declares whether the next time stamps belong to a frame that arrived after its successors, so that they may be
    /// earlier.
    pub fn set_late(&mut self, late: bool) {
        self.late = late;
    }

    /// Compares a time stamp of `bits` bits with the last one.
    pub fn order(&self, stamp: u64, bits: u32) -> Order {
        let bits = self.counter.of_stamp(bits);
        if !self.known || bits < 16 {
            return Order::Unknown;
        }
        match (Clock { late: true, ..self.clone() }.extend_bits(stamp, bits).cmp(&self.now), bits) {
            // Short time stamps may have wrapped.
            (Ordering::Equal, _) | (Ordering::Less, 16) => Order::Unknown,
            (Ordering::Less, _) => Order::Earlier,
            (Ordering::Greater, _) => Order::Later,
        }
    }

    /// Extends a time stamp of `size` bytes to 64 bits without taking it.
    #[inline]
    pub fn extend(&self, stamp: u64, size: u8) -> u64 {
        self.extend_bits(stamp, self.counter.of_stamp(u32::from(size) * 8))
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
        // The sign of the truncated difference selects the shorter way.
        let step = (ahead << (64 - bits)) as i64 >> (64 - bits);
        let step = if bits == 16 && step < -NEAR_BACK { step + (1 << bits) } else { step };
        self.now.checked_add_signed(step).unwrap_or_else(|| self.beyond(step, bits))
    }

    /// The time if the shorter way would leave the range of 64 bits.
    #[cold]
    fn beyond(&self, step: i64, bits: u32) -> u64 {
        let ahead = if step < 0 { step + (1 << bits) } else { step };
        self.now.saturating_add_signed(ahead)
    }

    /// Takes a time stamp.
    #[inline(always)]
    pub fn stamp(&mut self, stamp: u64, size: u8) {
        self.stamp_bits(stamp, u32::from(size) * 8);
    }

    /// Takes a time stamp of `bits` bits.
    #[inline(always)]
    pub fn stamp_bits(&mut self, stamp: u64, bits: u32) {
        if !self.stamp_plain(stamp, bits) {
            self.unusual(stamp, bits);
        }
    }

    /// Takes a time stamp of `bits` bits if its step is usual; otherwise returns `false` and changes nothing.
    #[inline(always)]
    pub fn stamp_plain(&mut self, stamp: u64, bits: u32) -> bool {
        let Some(now) = self.usual(stamp, bits) else { return false };
        if self.host_ns == self.stamp_ns {
            self.steps(now - self.now);
            self.now = now;
        } else {
            self.unusual(stamp, bits);
        }
        true
    }

    /// The time of a stamp of `bits` bits if it follows the last one after a usual step; `None` for the first step.
    #[inline(always)]
    fn usual(&self, stamp: u64, bits: u32) -> Option<u64> {
        // The sign of the truncated difference selects the shorter way; at 64 bits no bits are unused.
        let unused = bits.wrapping_neg();
        let step = (stamp.wrapping_sub(self.now).wrapping_shl(unused) as i64).wrapping_shr(unused);
        if step as u64 >= self.reach || self.counter.is_narrow(bits) {
            return None;
        }
        self.now.checked_add(step as u64)
    }

    #[inline]
    fn steps(&mut self, ahead: u64) {
        self.reach = (self.reach - (self.reach >> 8)).max(ahead.saturating_mul(2));
    }

    #[cold]
    fn unusual(&mut self, stamp: u64, bits: u32) {
        let before = self.now;
        self.now = self.extend_bits(stamp, bits);
        if self.known {
            self.step(stamp, bits, before);
        }
        if self.host_ns != self.stamp_ns {
            self.silence(before, self.counter.of_stamp(bits));
        }
        self.known = true;
    }

    /// Updates time and news from the step since `before`.
    fn step(&mut self, stamp: u64, bits: u32, before: u64) {
        let plain = self.now;
        if self.late {
            self.now = before;
            self.now = self.extend_bits(stamp, self.counter.of_stamp(bits));
            if self.now < before {
                self.news = Some(ClockNews::Back { from: before, to: self.now });
            }
            return;
        }
        (self.now, self.news) = self.counter.take(&Step { before, stamp, bits, plain, reach: self.reach });
        if let Some(ahead) = self.now.checked_sub(before).filter(|ahead| *ahead > 0) {
            self.steps(ahead);
        }
    }

    /// Adds the wraps that happened while the line was silent.
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
            (order, clock.now(), clock.take_news())
        };
        assert_eq!(take(100, false), (Order::Unknown, 100, None));
        assert_eq!(take(50, true), (Order::Unknown, 50, Some(ClockNews::Back { from: 100, to: 50 })));
        assert_eq!(take(110, false), (Order::Later, 110, None));
        assert_eq!(take(60, false), (Order::Unknown, 0x1_003C, None));
    }

    #[test]
    fn a_step_back_is_reported_once() {
        let mut clock = Clock::new(0);
        clock.stamp(100, 4);
        clock.stamp(90, 4);
        let back = ClockNews::Back { from: 100, to: 90 };
        assert_eq!((clock.take_news(), clock.take_news()), (Some(back), None));
        clock.stamp(95, 4);
        assert_eq!(clock.take_news(), None);
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
