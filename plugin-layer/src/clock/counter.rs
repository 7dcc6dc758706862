//! The hardware counter that time stamps come from. It may have fewer bits than a time stamp: then time stamps wrap
//! early, or software extends the counter, and a stamp read during a wrap may be off by one wrap.

use super::news::ClockNews;

/// Common counter widths, in bits.
const USUAL: [u32; 3] = [16, 24, 32];
/// Wraps after which a guessed width is certain.
const CERTAIN: u32 = 3;

#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
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
pub(super) struct Step {
    pub(super) before: u64,
    /// The next time stamp as received, and its bits.
    pub(super) stamp: u64,
    pub(super) bits: u32,
    /// The next time, assuming a counter as wide as the stamp.
    pub(super) plain: u64,
    /// Largest usual step.
    pub(super) reach: u64,
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
    pub(super) const UNKNOWN: Counter = Counter { bits: 64, least: 0, is_guess: false, wraps: 0, misread: None };

    pub(super) fn of(bits: u32) -> Counter {
        Counter { bits, least: bits, ..Counter::UNKNOWN }
    }

    /// Whether it has fewer bits than the time stamp.
    #[inline]
    pub(super) fn is_narrow(&self, bits: u32) -> bool {
        self.bits < bits
    }

    /// The number of significant bits in a time stamp.
    #[inline]
    pub(super) fn of_stamp(&self, bits: u32) -> u32 {
        bits.min(self.bits)
    }

    /// The counter's value at a time.
    pub(super) fn shown(&self, time: u64) -> u64 {
        if self.bits < 64 { time & (self.range() - 1) } else { time }
    }

    fn range(&self) -> u64 {
        1 << self.bits
    }

    /// The time after an unusual step, and any note about it.
    pub(super) fn take(&mut self, step: &Step) -> (u64, Option<ClockNews>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;
    use spytui_plugin_host::kit::Random;

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
