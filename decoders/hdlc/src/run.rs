//! Length and sum of the bytes up to a flag.

use crate::stuffing::{ESCAPE, FLAG};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = ONES << 7;

/// High bits of the bytes of `word` that equal `byte`. The lowest one is exact.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    let differs = word ^ (ONES * byte as u64);
    differs.wrapping_sub(ONES) & !differs & HIGHS
}

/// Whether any byte is one of 0x7C to 0x7F: only then flags and escapes need a closer look.
#[inline]
pub(crate) fn may_be_special(word: u64) -> bool {
    let rest = (word ^ (ONES * FLAG as u64)) & (ONES * 0xFC);
    rest.wrapping_sub(ONES) & !rest & HIGHS != 0
}

/// Sum of the eight bytes of a word.
#[inline]
fn sum_of(word: u64) -> u64 {
    const LANES: u64 = 0x00FF_00FF_00FF_00FF;
    ((word & LANES) + (word >> 8 & LANES)).wrapping_mul(0x0001_0001_0001_0001) >> 48
}

/// What a run of bytes up to a flag, or to its end, holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Bytes before the flag.
    pub len: usize,
    /// Their sum, escapes and all.
    pub sum: u8,
    /// An escape is among the bytes.
    pub escaped: bool,
    /// A flag follows.
    pub ended: bool,
}

/// Length and sum of the bytes before the next flag, eight at a time.
#[inline]
pub fn run(bytes: &[u8]) -> Run {
    let (words, tail) = bytes.as_chunks::<8>();
    let (mut sum, mut escaped) = (0u64, 0u64);
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        if may_be_special(word) {
            let flags = equal(word, FLAG);
            let escapes = equal(word, ESCAPE);
            if flags != 0 {
                let before = (flags & flags.wrapping_neg()) - 1;
                // The bits below the flag's high bit, less the seven of the flag itself.
                let before = before >> 7;
                sum += sum_of(word & before);
                escaped |= escapes & before;
                let len = i * 8 + flags.trailing_zeros() as usize / 8;
                return Run { len, sum: sum as u8, escaped: escaped != 0, ended: true };
            }
            escaped |= escapes;
        }
        sum += sum_of(word);
    }
    let len = tail.iter().position(|&b| b == FLAG).unwrap_or(tail.len());
    for &byte in tail.iter().take(len) {
        sum += u64::from(byte);
        escaped |= u64::from(byte == ESCAPE);
    }
    Run { len: words.len() * 8 + len, sum: sum as u8, escaped: escaped != 0, ended: len < tail.len() }
}

/// Sum of the bytes, and whether an escape is among them. There must be no flag among them.
#[inline]
pub(crate) fn scan(body: &[u8]) -> (u8, bool) {
    let run = run(body);
    (run.sum, run.escaped)
}

/// Sum of any bytes.
pub fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, &b| sum.wrapping_add(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_what_a_simple_loop_finds() {
        let mut seed = 1u32;
        for round in 0..2000 {
            let bytes: Vec<u8> = (0..round % 90)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if seed >> 28 == 0 { 0x7C + (seed >> 20 & 3) as u8 } else { (seed >> 16) as u8 }
                })
                .collect();
            let len = bytes.iter().position(|&b| b == FLAG).unwrap_or(bytes.len());
            let body = &bytes[..len];
            let expected = Run { len, sum: sum(body), escaped: body.contains(&ESCAPE), ended: len < bytes.len() };
            assert_eq!(run(&bytes), expected, "{bytes:x?}");
        }
    }

    #[test]
    fn long_runs_do_not_overflow() {
        let bytes = vec![0xFF; 100_000];
        assert_eq!(run(&bytes).sum, sum(&bytes));
    }
}
