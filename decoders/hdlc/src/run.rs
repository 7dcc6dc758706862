//! Cuts a stream at its flags, 64 bytes at a time: lengths, sums, and whether there are escapes.

use wide::u8x16;

use crate::stuffing::{ESCAPE, FLAG};

const BLOCK: usize = 64;
const SUMMED: usize = 32;

/// Bytes up to a flag, or to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub len: usize,
    /// Their sum, escapes included.
    pub sum: u8,
    pub escaped: bool,
    /// A flag follows.
    pub ended: bool,
}

/// Iterates over runs. The last one does not end with a flag.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    bytes: &'a [u8],
    start: usize,
    /// Start of the next block; the one before is the current block.
    next: usize,
    /// Remaining flags in the current block; bit 0 = its first byte.
    flags: u64,
    /// Remaining escapes in the current block.
    escapes: u64,
    /// The current run has an escape in an earlier block.
    escaped: bool,
}

impl<'a> Runs<'a> {
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Runs<'a> {
        Runs { bytes, start: 0, next: 0, flags: 0, escapes: 0, escaped: false }
    }

    /// Start of the run returned by [`Runs::next`].
    #[inline]
    pub fn at(&self) -> usize {
        self.start
    }

    /// Continues with a run that begins at `at`, regardless of flags.
    #[inline]
    pub fn seek(&mut self, at: usize) {
        *self = Runs { start: at, next: at, ..Runs::new(self.bytes) };
    }

    /// Loads the next block; returns `false` at the end.
    #[inline(always)]
    fn look(&mut self) -> bool {
        let rest = self.bytes.get(self.next..).unwrap_or(&[]);
        if rest.is_empty() {
            return false;
        }
        self.escaped |= self.escapes != 0;
        let block = rest.first_chunk().copied().unwrap_or_else(|| padded(rest));
        (self.flags, self.escapes) = (places(&block, FLAG), places(&block, ESCAPE));
        self.next += BLOCK;
        true
    }

    /// The run after the last flag.
    #[inline(always)]
    fn left(&mut self) -> Option<Run> {
        let body = self.bytes.get(self.start..).filter(|body| !body.is_empty())?;
        let escaped = self.escaped || self.escapes != 0;
        self.start = self.bytes.len();
        Some(Run { len: body.len(), sum: sum(body), escaped, ended: false })
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    #[inline(always)]
    fn next(&mut self) -> Option<Run> {
        while self.flags == 0 {
            if !self.look() {
                return self.left();
            }
        }
        let flag = self.flags & self.flags.wrapping_neg();
        let before = flag - 1;
        let end = self.next - BLOCK + flag.trailing_zeros() as usize;
        let escaped = self.escaped || self.escapes & before != 0;
        let len = end.wrapping_sub(self.start);
        let sum = sum_first(self.bytes.get(self.start..).unwrap_or(&[]), len);
        (self.flags, self.escapes, self.escaped) = (self.flags ^ flag, self.escapes & !before, false);
        self.start = end + 1;
        Some(Run { len, sum, escaped, ended: true })
    }
}

/// Pads a block with zeros, which are neither flags nor escapes.
#[cold]
fn padded(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block.iter_mut().zip(bytes).for_each(|(place, &byte)| *place = byte);
    block
}

/// Bit mask of the positions of a byte in a block; bit 0 = first.
#[inline]
fn places(block: &[u8; BLOCK], byte: u8) -> u64 {
    let (parts, _) = block.as_chunks::<16>();
    parts
        .iter()
        .rev()
        .fold(0, |places, part| places << 16 | u64::from(u8x16::new(*part).simd_eq(u8x16::splat(byte)).to_bitmask()))
}

/// Masks for the first bytes of a run, by length. Aligned so that no mask crosses a cache line.
#[repr(align(32))]
struct Masks([[u8; SUMMED]; SUMMED + 1]);

static MASKS: Masks = {
    let mut masks = [[0; SUMMED]; SUMMED + 1];
    let mut len = 0;
    while len <= SUMMED {
        let mut i = 0;
        while i < len {
            masks[len][i] = 0xFF;
            i += 1;
        }
        len += 1;
    }
    Masks(masks)
};

/// Sum of the first `len` bytes. Fast for short frames if more bytes follow.
#[inline(always)]
pub(crate) fn sum_first(bytes: &[u8], len: usize) -> u8 {
    match (bytes.first_chunk(), MASKS.0.get(len)) {
        // The usual case: no branch on the length.
        (Some(bytes), Some(mask)) => masked_sum(bytes, mask),
        _ => sum_longer(bytes, len),
    }
}

#[inline(always)]
fn masked_sum(bytes: &[u8; SUMMED], mask: &[u8; SUMMED]) -> u8 {
    bytes.iter().zip(mask).map(|(&byte, &mask)| u32::from(byte & mask)).sum::<u32>() as u8
}

#[inline(never)]
fn sum_longer(bytes: &[u8], len: usize) -> u8 {
    let behind =
        bytes.get(SUMMED..).and_then(<[u8]>::first_chunk).zip(len.checked_sub(SUMMED).and_then(|n| MASKS.0.get(n)));
    match (bytes.first_chunk(), behind) {
        (Some(front), Some((behind, mask))) => {
            masked_sum(front, &[0xFF; SUMMED]).wrapping_add(masked_sum(behind, mask))
        }
        _ => sum(bytes.get(..len).unwrap_or(bytes)),
    }
}

/// Number of bytes accessed by [`copy_masked`].
pub const PUT: usize = SUMMED;

/// Copies the first `len` bytes to `place` without branching on the length.
#[inline(always)]
pub fn copy_masked(place: &mut [u8; PUT], bytes: &[u8; PUT], len: usize) {
    let mask = MASKS.0.get(len).unwrap_or(&[0xFF; PUT]);
    for ((place, &byte), &mask) in place.iter_mut().zip(bytes).zip(mask) {
        *place = byte & mask | *place & !mask;
    }
}

/// Sum of all bytes, modulo 256.
#[inline(never)]
pub fn sum(bytes: &[u8]) -> u8 {
    let (parts, tail) = bytes.as_chunks::<16>();
    let parts = parts.iter().map(|part| part.iter().map(|&b| u32::from(b)).sum::<u32>() as u8);
    tail.iter().copied().chain(parts).fold(0, u8::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random bytes with many flags and escapes.
    fn bytes(len: usize, seed: &mut u32) -> Vec<u8> {
        let mut byte = || {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if *seed >> 27 == 0 { 0x7C + (*seed >> 20 & 3) as u8 } else { (*seed >> 16) as u8 }
        };
        (0..len).map(|_| byte()).collect()
    }

    fn simply(bytes: &[u8]) -> Vec<Run> {
        let mut runs: Vec<Run> = bytes
            .split(|&b| b == FLAG)
            .map(|body| Run { len: body.len(), sum: sum(body), escaped: body.contains(&ESCAPE), ended: true })
            .collect();
        if let Some(last) = runs.pop().filter(|run| run.len > 0) {
            runs.push(Run { ended: false, ..last });
        }
        runs
    }

    #[test]
    fn runs_are_what_a_simple_loop_finds() {
        let mut seed = 1;
        for len in (0..400).chain([5000, 100_000]) {
            let bytes = bytes(len, &mut seed);
            assert_eq!(Runs::new(&bytes).collect::<Vec<_>>(), simply(&bytes), "{len} bytes");
        }
    }

    #[test]
    fn runs_go_on_anywhere() {
        let bytes = bytes(700, &mut 7);
        for at in 0..=bytes.len() {
            let mut runs = Runs::new(&bytes);
            runs.by_ref().take(at % 9).for_each(drop);
            runs.seek(at);
            assert_eq!(runs.at(), at);
            assert_eq!(runs.collect::<Vec<_>>(), simply(&bytes[at..]), "from {at}");
        }
    }

    #[test]
    fn what_is_put_over_leaves_the_rest() {
        for len in 0..=PUT {
            let mut place = [1; PUT];
            copy_masked(&mut place, &[2; PUT], len);
            assert!(place.iter().enumerate().all(|(i, &byte)| byte == if i < len { 2 } else { 1 }), "{len}");
        }
    }

    #[test]
    fn long_runs_do_not_overflow() {
        let bytes = vec![0xFF; 100_000];
        assert_eq!(Runs::new(&bytes).next().map(|run| run.sum), Some(sum(&bytes)));
    }
}
