//! Seeded damage, as a line with a bad contact makes it: now and then a flipped bit, now and then lost bytes.

/// Bytes between two damages, on average.
const EVERY: u64 = 9_000;

/// Damages what passes through.
#[derive(Debug)]
pub(super) struct Damage {
    random: u64,
    next: u64,
}

impl Damage {
    /// The same damage for the same seed.
    pub(super) fn new(seed: u64) -> Damage {
        let mut damage = Damage { random: seed | 1, next: 0 };
        damage.next = damage.distance();
        damage
    }

    fn number(&mut self) -> u64 {
        // xorshift64*
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn distance(&mut self) -> u64 {
        EVERY / 2 + self.number() % EVERY
    }

    /// The piece as it arrives.
    pub(super) fn apply(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut bytes = piece.to_vec();
        let len = piece.len() as u64;
        if self.next >= len {
            self.next -= len;
            return bytes;
        }
        let at = self.next as usize;
        if self.number().is_multiple_of(3) {
            let lost = (self.number() % 120) as usize;
            bytes.drain(at..(at + lost).min(piece.len()));
        } else if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << (self.random % 8);
        }
        self.next = self.distance();
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_small_and_the_same_each_time() {
        let run = || {
            let mut damage = Damage::new(7);
            (0..1000).flat_map(|_| damage.apply(&[0x55; 100])).collect::<Vec<u8>>()
        };
        let first = run();
        assert_eq!(first, run());
        assert!(first.len() > 99_000 && first.len() < 100_000, "{} bytes", first.len());
        assert!(first.iter().any(|&b| b != 0x55));
    }
}
