//! The clock of a target: its time stamps extended to 64 bits, and notes about unusual ones.
//!
//! The hardware counter behind time stamps may have fewer bits than a time stamp: then time stamps wrap early, or software
//! extends the counter, and a stamp read during a wrap may be off by one wrap.

use std::cmp::Ordering;

use spytui_plugin_api::{
    AttachmentId, ClockEvent, Output, Row, RowKind, Severity, StreamEvent, info::Opt, text::grouped,
};

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
    #[default]
    Unknown,
    Earlier,
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
    now: u64,
    known: bool,
    news: Option<ClockNews>,
    /// The next time stamps belong to a late frame.
    late: bool,
    /// Ticks per second; 0 = unknown.
    rate: u64,
    /// Width of a time stamp, if it is fixed.
    bits: u32,
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
    pub fn with_counter(self, bits: Option<u32>) -> Clock {
        Clock { counter: bits.map_or(Counter::UNKNOWN, Counter::of), ..self }
    }

    /// A millisecond clock with time stamps of `bits` bits.
    pub const fn millis(bits: u32) -> Clock {
        Clock::hertz(1_000, bits)
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
        self.now.checked_add_signed(step).unwrap_or_else(|| {
            // The shorter way would leave the range of 64 bits.
            self.now.saturating_add_signed(if step < 0 { step + (1 << bits) } else { step })
        })
    }

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

const USUAL: [u32; 3] = [16, 24, 32];
const CERTAIN: u32 = 3;

#[derive(Clone, Copy, Debug)]
struct Counter {
    /// Width in bits; 64 if not known to be narrower than a time stamp.
    bits: u32,
    /// A guess must exceed this many bits.
    least: u32,
    is_guess: bool,
    wraps: u32,
    /// Time after the last stamp that was read during a wrap and not used as is.
    misread: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    before: u64,
    /// The next time stamp as received, and its bits.
    stamp: u64,
    bits: u32,
    /// The next time, assuming a counter as wide as the stamp.
    plain: u64,
    reach: u64,
}

impl Step {
    /// Ticks from the previous stamp to this one, modulo `range`.
    fn ahead(&self, range: u64) -> u64 {
        self.stamp.wrapping_sub(self.before) & (range - 1)
    }

    /// Largest likely step of a counter with this range.
    fn window(&self, range: u64) -> u64 {
        self.reach.clamp(range / 256, range / 4)
    }

    fn is_forward(&self) -> bool {
        self.plain >= self.before
    }
}

impl Default for Counter {
    fn default() -> Counter {
        Counter::UNKNOWN
    }
}

impl Counter {
    const UNKNOWN: Counter = Counter { bits: 64, least: 0, is_guess: false, wraps: 0, misread: None };

    fn of(bits: u32) -> Counter {
        Counter { bits, least: bits, ..Counter::UNKNOWN }
    }

    /// Whether it has fewer bits than the time stamp.
    #[inline]
    fn is_narrow(&self, bits: u32) -> bool {
        self.bits < bits
    }

    /// The number of significant bits in a time stamp.
    #[inline]
    fn of_stamp(&self, bits: u32) -> u32 {
        bits.min(self.bits)
    }

    /// The counter's value at a time.
    fn shown(&self, time: u64) -> u64 {
        if self.bits < 64 { time & (self.range() - 1) } else { time }
    }

    fn range(&self) -> u64 {
        1 << self.bits
    }

    /// The time after an unusual step, and any note about it.
    fn take(&mut self, step: &Step) -> (u64, Option<ClockNews>) {
        if self.is_narrow(step.bits) {
            return self.narrow(step);
        }
        let found = USUAL.into_iter().filter(|bits| *bits < step.bits).find_map(|bits| self.found(bits, step));
        let back = ClockNews::Back { from: step.before, to: step.plain };
        found.unwrap_or((step.plain, Some(back).filter(|_| !step.is_forward())))
    }

    /// Checks whether the step fits a counter of `bits` bits.
    fn found(&mut self, bits: u32, step: &Step) -> Option<(u64, Option<ClockNews>)> {
        let (Step { before, stamp, plain, .. }, range) = (*step, 1 << bits);
        let (ahead, shown) = (step.ahead(range), stamp & (range - 1));
        if ahead > step.window(range) {
            return None;
        }
        let again = self.misread == Some(before);
        if step.is_forward() {
            // Read during a wrap. A silence of the same length would look alike.
            let has_one_more = plain - before == range + ahead && shown.min(range - shown) <= range / 64;
            return has_one_more.then(|| {
                self.misread = Some(before);
                (before, Some(ClockNews::Ahead { stamp, bits, again }))
            });
        }
        if before < range {
            return (bits > self.least && ahead > 0).then(|| {
                *self = Counter { is_guess: true, wraps: 1, ..Counter::of(bits) };
                (before + ahead, Some(ClockNews::Wrapped { bits, is_guess: true }))
            });
        }
        let time = before.checked_add(ahead)?;
        // Software had not yet counted the wrap.
        let lacks_one = time - plain == range && shown <= range / 16;
        lacks_one.then(|| {
            self.misread = Some(time);
            (time, Some(ClockNews::Behind { stamp, bits, again }))
        })
    }

    fn narrow(&mut self, step: &Step) -> (u64, Option<ClockNews>) {
        let (bits, range) = (self.bits, self.range());
        if self.is_guess && step.stamp >= range {
            return self.refuted(step);
        }
        let Step { before, stamp, .. } = *step;
        let (ahead, shown) = (step.ahead(range), stamp & (range - 1));
        let wraps = shown < self.shown(before);
        if ahead <= if wraps { self.greatest(step) } else { Counter::forward(bits) } {
            self.wraps = self.wraps.saturating_add(wraps.into());
            let is_first = wraps && self.wraps == 1;
            let news = ClockNews::Wrapped { bits, is_guess: false };
            return (before.saturating_add(ahead), Some(news).filter(|_| is_first));
        }
        let to = before.checked_sub(range - ahead).unwrap_or(shown);
        (to, Some(ClockNews::Back { from: before, to }))
    }

    /// Largest step without a wrap: counters of up to 16 bits only go forward; for wider ones the nearer time counts.
    fn forward(bits: u32) -> u64 {
        let range = 1 << bits;
        if bits <= 16 { range } else { range / 2 }
    }

    /// Largest step across a wrap; anything larger is a step back.
    fn greatest(&self, step: &Step) -> u64 {
        let (range, is_certain) = (self.range(), !self.is_guess || self.wraps >= CERTAIN);
        match is_certain {
            true if self.bits <= 16 => range,
            true => step.reach.clamp(range / 4, range / 2),
            false => step.window(range),
        }
    }

    /// Handles a time stamp that has more bits than the guess.
    fn refuted(&mut self, step: &Step) -> (u64, Option<ClockNews>) {
        let (bits, from, to) = (self.bits, step.before, step.plain);
        let goes_on = step.is_forward() && to - from <= step.window(self.range());
        *self = Counter { least: bits, ..Counter::UNKNOWN };
        (to, Some(if goes_on { ClockNews::Carried { bits } } else { ClockNews::Refuted { bits, from, to } }))
    }
}

/// What a time stamp reveals besides the time: its value as received (`stamp`), the bits of the hardware counter, and
/// whether the previous stamp had the same fault (`again`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockNews {
    Back {
        from: u64,
        to: u64,
    },
    /// The counter wrapped for the first time.
    Wrapped {
        bits: u32,
        is_guess: bool,
    },
    /// The stamp was read before software had counted a wrap. Its time is corrected.
    Behind {
        stamp: u64,
        bits: u32,
        again: bool,
    },
    /// The stamp seems to include a wrap that had not happened yet. Its time is unknown.
    Ahead {
        stamp: u64,
        bits: u32,
        again: bool,
    },
    /// The apparent wrap was a late carry in software.
    Carried {
        bits: u32,
    },
    /// The apparent wrap was not a wrap; `from` includes the assumed wraps.
    Refuted {
        bits: u32,
        from: u64,
        to: u64,
    },
}

impl ClockNews {
    /// Whether the time of the record is unknown.
    pub const fn hides_time(&self) -> bool {
        matches!(self, ClockNews::Ahead { .. })
    }

    /// The note before the record at `pos`; adds its attachments. The caller fills in time, core and configuration.
    /// `None` = already reported.
    pub fn note(&self, pos: u64, out: &mut Output<'_>) -> Option<Row> {
        let hint = Row::note(RowKind::HINT, pos, 0);
        let row = match *self {
            ClockNews::Behind { again: true, .. } | ClockNews::Ahead { again: true, .. } => return None,
            ClockNews::Back { .. } => Row::note(RowKind::TIME_BACK, pos, 0),
            ClockNews::Refuted { from, to, .. } if to < from => Row::note(RowKind::TIME_BACK, pos, 0),
            ClockNews::Wrapped { is_guess: false, .. } => Row { severity: Severity::INFO, ..hint },
            _ => hint,
        };
        let text = match *self {
            ClockNews::Back { from, to } => {
                out.attachment(AttachmentId::SPAN, from, to);
                return Some(row);
            }
            ClockNews::Wrapped { bits, is_guess: false } => format!("{bits}-bit counter wrapped; time continues"),
            ClockNews::Wrapped { bits, .. } => format!(
                "counter wrapped close to 2^{bits}; time continues: a guess, \
                 -o counter-bits={bits} confirms it, counter-bits=64 denies it"
            ),
            ClockNews::Behind { stamp, bits, .. } => format!(
                "time stamp {} lacks 2^{bits}, read before the carry of its counter: corrected{}",
                grouped(stamp),
                remedy(bits)
            ),
            ClockNews::Ahead { stamp, bits, .. } => format!(
                "time stamp {} may be 2^{bits} too far, read at a wrap of its counter: not used{}",
                grouped(stamp),
                remedy(bits)
            ),
            ClockNews::Carried { bits } => format!(
                "time stamps have more than {bits} bits, those since the wrap lacked the carry of their counter{}",
                remedy(bits)
            ),
            ClockNews::Refuted { bits, .. } => format!(
                "time stamps have more than {bits} bits: the counter did not wrap, time went back there, as by a reset; \
                 -o counter-bits=64 shows it"
            ),
        };
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        Some(row)
    }
}

fn remedy(bits: u32) -> String {
    format!("; -o counter-bits={bits} reads the counter alone")
}

#[cfg(test)]
mod tests {
    use spytui_plugin_host::kit::Random;

    use super::*;

    fn extended(size: u8, stamps: &[u64]) -> Vec<u64> {
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
        assert_eq!(extended(4, &[0xFFFF_FFF0, 3, 0xFFFF_FFFE]), [0xFFFF_FFF0, 0x1_0000_0003, 0xFFFF_FFFE]);
    }

    #[test]
    fn a_smaller_stamp_of_two_bytes_is_a_wrap() {
        assert_eq!(extended(2, &[0xFFF0, 5, 0xFFFE, 0x10]), [0xFFF0, 0x1_0005, 0x1_FFFE, 0x2_0010]);
        assert_eq!(extended(2, &[47_104, 15_194, 15_190]), [47_104, 80_730, 146_262]);
        let apart: Vec<u64> = (0..6).map(|i| i * 60_000).collect();
        let stamps: Vec<u64> = apart.iter().map(|time| time & 0xFFFF).collect();
        assert_eq!(extended(2, &stamps), apart);
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
        assert_eq!(extended(4, &[5, 0xFFFF_FFF0]), [5, 0xFFFF_FFF0]);
    }

    #[test]
    fn a_single_byte_only_goes_forward() {
        assert_eq!(extended(1, &[200, 100, 99]), [200, 356, 611]);
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

    /// Returns the times and news of stamps of `bits` bits.
    fn times(mut clock: Clock, bits: u32, stamps: &[u64]) -> (Vec<u64>, Vec<ClockNews>) {
        let mut news = Vec::new();
        let mut take = |&stamp: &u64| {
            clock.stamp_bits(stamp, bits);
            news.extend(clock.take_news());
            clock.now()
        };
        (stamps.iter().map(&mut take).collect(), news)
    }

    fn guessed(stamps: &[u64]) -> (Vec<u64>, Vec<ClockNews>) {
        times(Clock::new(0), 64, stamps)
    }

    /// Random times with steps up to `longest`.
    fn steps(random: &mut Random, from: u64, longest: u64, count: usize) -> Vec<u64> {
        let mut time = from;
        let mut next = || {
            time += 1 + random.number() % longest;
            time
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn a_counter_that_wraps_goes_on() {
        for (bits, seed) in USUAL.into_iter().flat_map(|bits| (0..40).map(move |seed| (bits, seed))) {
            let mut random = Random::new(seed);
            let range = 1u64 << bits;
            let longest = range >> (4 + random.below(8));
            let apart = steps(&mut random, range * 3 / 4, longest, 3_000);
            let stamps: Vec<u64> = apart.iter().map(|time| time % range).collect();
            let first = stamps[0];
            let expected: Vec<u64> = apart.iter().map(|time| time - apart[0] + first).collect();
            let said: &[_] =
                if expected.last() >= Some(&range) { &[ClockNews::Wrapped { bits, is_guess: true }] } else { &[] };
            for width in [bits + 1, 48, 64] {
                assert_eq!(times(Clock::new(0), width, &stamps), (expected.clone(), said.to_vec()), "{bits} {seed}");
            }
        }
    }

    #[test]
    fn the_width_that_an_option_gives_counts() {
        let given = |bits, stamps: &[u64]| times(Clock::new(0).with_counter(Some(bits)), 64, stamps);
        let wrapped = |bits| vec![ClockNews::Wrapped { bits, is_guess: false }];
        assert_eq!(given(12, &[4_000, 100, 4_000, 50]), (vec![4_000, 4_196, 8_096, 8_242], wrapped(12)));
        assert_eq!(given(16, &[50_000, 100]), (vec![50_000, 65_636], wrapped(16)));
        assert_eq!(given(32, &[0xF000_0000, 0x1000_0000]), (vec![0xF000_0000, 0x1_1000_0000], wrapped(32)));
        // The same stamps, read without the software extension.
        let raced = [0x1_FFFF_FFF0, 0x1_0000_0010, 0x3_0000_0020, 0x2_0000_0030];
        let right = vec![0x1_FFFF_FFF0, 0x2_0000_0010, 0x2_0000_0020, 0x2_0000_0030];
        assert_eq!(given(32, &raced), (right, wrapped(32)));
        let back = ClockNews::Back { from: 0xFFFF_FFF0, to: 0x10 };
        assert_eq!(given(64, &[0xFFFF_FFE0, 0xFFFF_FFF0, 0x10]).1, [back]);
        let reset = ClockNews::Back { from: 0x9000_0000, to: 0x100 };
        assert_eq!(given(32, &[0x8FFF_FF00, 0x9000_0000, 0x100]).1, [reset]);
    }

    /// A reset is a step back, as it is not close to a wrap.
    #[test]
    fn a_reset_is_no_wrap() {
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let from = random.number() >> (random.below(52) + 4);
            let longest = 1 + (from >> 12);
            let close = |bits: u32| from < 1 << bits && (1u64 << bits) - from < (1 << bits) / 64;
            if USUAL.into_iter().any(close) || USUAL.into_iter().any(|bits| from % (1 << bits) < (1 << bits) / 64) {
                continue;
            }
            let start = from.saturating_sub(40 * longest);
            let mut stamps: Vec<u64> = steps(&mut random, start, longest, 40);
            stamps.push(1 + random.number() % longest);
            let (from, to) = (stamps[39], stamps[40]);
            if to < from && !USUAL.into_iter().any(close) {
                assert_eq!(guessed(&stamps).1.last(), Some(&ClockNews::Back { from, to }), "{from} {to}");
            }
        }
    }

    #[test]
    fn a_stamp_that_lacks_a_carry_is_corrected() {
        for bits in USUAL {
            let range = 1u64 << bits;
            for wraps in 1..4 {
                let right: Vec<u64> = (0..40).map(|n| wraps * range + range - 4_000 + n * 200).collect();
                let mut stamps = right.clone();
                for at in [20, 21, 23] {
                    stamps[at] -= range;
                }
                let news = |stamp, again| ClockNews::Behind { stamp, bits, again };
                let said = vec![news(stamps[20], false), news(stamps[21], true), news(stamps[23], false)];
                assert_eq!(guessed(&stamps), (right.clone(), said), "{bits} {wraps}");
            }
        }
    }

    #[test]
    fn a_stamp_with_a_carry_too_many_has_no_time() {
        for (bits, at) in USUAL.into_iter().flat_map(|bits| [(bits, 19), (bits, 20)]) {
            let range = 1u64 << bits;
            let mut times: Vec<u64> = (0..40).map(|n| range - 4_000 + n * 200 + range).collect();
            let mut stamps = times.clone();
            stamps[at] += range;
            times[at] = times[at - 1];
            assert_eq!(guessed(&stamps), (times, vec![ClockNews::Ahead { stamp: stamps[at], bits, again: false }]));
        }
    }

    #[test]
    fn what_contradicts_a_guess_ends_it() {
        let late = [0xFFFF_FF00, 0xFFFF_FFF0, 0x10, 0x1_0000_0100, 0x1_0000_01F0, 0x2_0000_0000];
        let right = vec![0xFFFF_FF00, 0xFFFF_FFF0, 0x1_0000_0010, 0x1_0000_0100, 0x1_0000_01F0, 0x2_0000_0000];
        let wrapped = |bits| ClockNews::Wrapped { bits, is_guess: true };
        assert_eq!(guessed(&late), (right, vec![wrapped(32), ClockNews::Carried { bits: 32 }]));
        let (times, news) = guessed(&[65_000, 65_400, 100, 500, 40_000, 65_700, 65_900, 100]);
        assert_eq!(times, [65_000, 65_400, 65_636, 66_036, 105_536, 65_700, 65_900, 100]);
        let refuted = ClockNews::Refuted { bits: 16, from: 105_536, to: 65_700 };
        assert_eq!(news, [wrapped(16), refuted, ClockNews::Back { from: 65_900, to: 100 }]);
    }
}
