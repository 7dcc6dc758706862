//! Seeded random values that resemble a real target's.

use spytui_plugin_host::kit::Random;

/// Maximum length of a word.
const LONGEST_WORD: usize = 8;

/// Draws random values, reproducible by seed.
pub(super) struct Draw {
    random: Random,
    names: u64,
}

impl Draw {
    pub(super) fn new(seed: u64) -> Draw {
        Draw { random: Random::new(seed), names: 0 }
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    /// One of `values`.
    pub(super) fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// Ticks between two records.
    pub(super) fn ticks(&mut self) -> u32 {
        1 + self.below(40) as u32
    }

    /// A random number about as long as `value`.
    pub(super) fn like(&mut self, value: u64) -> u64 {
        let bits = (64 - value.leading_zeros()).clamp(3, 63);
        self.random.number() >> (63 - bits)
    }

    /// A random signed number about as long as `value`.
    pub(super) fn like_signed(&mut self, value: i64) -> i64 {
        let magnitude = self.like(value.unsigned_abs()) as i64 & i64::MAX;
        if self.below(2) == 0 { magnitude } else { -magnitude }
    }

    /// Bits of a random float of similar magnitude; infinity and NaN stay.
    pub(super) fn like_f32(&mut self, bits: u32) -> u32 {
        match f32::from_bits(bits) {
            value if !value.is_finite() => bits,
            0.0 => (self.below(100_000) as f32 / 64.0).to_bits(),
            _ => bits & 0xFF80_0000 | self.random.number() as u32 & 0x007F_FFFF,
        }
    }

    /// Like [`Draw::like_f32`] for 64 bits.
    pub(super) fn like_f64(&mut self, bits: u64) -> u64 {
        match f64::from_bits(bits) {
            value if !value.is_finite() => bits,
            0.0 => (self.below(100_000) as f64 / 64.0).to_bits(),
            _ => bits & 0xFFF0_0000_0000_0000 | self.random.number() & 0x000F_FFFF_FFFF_FFFF,
        }
    }

    /// Random bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Vec<u8> {
        self.random.bytes(count)
    }

    /// One to eight lower-case letters.
    pub(super) fn word(&mut self) -> String {
        (0..1 + self.below(LONGEST_WORD)).map(|_| self.one_of(b"abcdefghiklmnoprstuvw") as char).collect()
    }

    /// A name not drawn before.
    pub(super) fn name(&mut self) -> String {
        self.names += 1;
        format!("{}_{:x}", self.word(), self.names)
    }
}

/// Maps the keys of a capture (addresses, signals, tasks) to a larger set; each pass over the capture uses another
/// mapping.
pub(super) struct Keys {
    seen: Vec<u64>,
    count: usize,
    shift: usize,
}

impl Keys {
    /// A set of `count` keys, numbered from 0.
    pub(super) fn new(count: usize) -> Keys {
        Keys { seen: Vec::new(), count, shift: 0 }
    }

    /// Starts a new pass with another mapping.
    pub(super) fn shift(&mut self, draw: &mut Draw) {
        self.shift = draw.below(self.count);
    }

    /// The number that a key of the capture maps to.
    pub(super) fn index(&mut self, key: u64) -> usize {
        let place = self.seen.iter().position(|&seen| seen == key).unwrap_or_else(|| {
            self.seen.push(key);
            self.seen.len() - 1
        });
        (place + self.shift) % self.count
    }

    /// Any index of the set.
    pub(super) fn any(&self, draw: &mut Draw) -> usize {
        draw.below(self.count)
    }
}

/// The number in these bytes, little endian.
pub(super) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

/// The signed number in these bytes, little endian.
pub(super) fn little_endian_signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    (little_endian(bytes) << unused) as i64 >> unused
}
