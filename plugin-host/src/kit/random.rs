//! A seeded random generator, so that failures are reproducible.

/// xorshift64*.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.number() >> 16) as usize % n }
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| (self.number() >> 32) as u8).collect()
    }

    /// `bytes` with random edits: flipped bits, and overwritten, inserted or deleted pieces.
    pub fn damage(&mut self, bytes: &[u8], edits: usize) -> Vec<u8> {
        let mut out = bytes.to_vec();
        for _ in 0..edits {
            let at = self.below(out.len());
            match self.below(4) {
                0 if !out.is_empty() => out[at] ^= 1 << self.below(8),
                1 if !out.is_empty() => out[at] = self.number() as u8,
                2 => {
                    let n = self.below(20);
                    let new = self.bytes(n);
                    out.splice(at..at, new);
                }
                _ => {
                    let end = (at + self.below(20)).min(out.len());
                    out.drain(at..end);
                }
            }
        }
        out
    }
}
