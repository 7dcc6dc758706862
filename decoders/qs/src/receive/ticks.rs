//! The numbers of clock ticks: a hole in them shows records that are missing where the sequence numbers of 8 bits show
//! none, as after the loss of 256 frames.

use spytui_decoder_kit::number::grouped_text;

use crate::record;

/// Most rates of ticks that are followed.
const RATES: usize = 16;
/// Ticks in a row after which one that is missing is noticed.
const ENOUGH: u32 = 32;

/// What is known of each rate since the last known loss.
#[derive(Clone, Debug, Default)]
pub(super) struct Ticks([Rate; RATES]);

/// The number of the next tick, and how many came in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    next: u64,
    run: u32,
}

impl Ticks {
    /// Takes the payload of a tick with a number of `size` bytes; returns what is missing before it, in words.
    pub(super) fn take(&mut self, payload: &[u8], size: u8) -> Option<String> {
        let Ok((&[rate, ..], number)) = record::uint(payload, size) else { return None };
        let known = self.0.get_mut(usize::from(rate))?;
        let mask = u64::MAX >> (64 - 8 * u32::from(size));
        let (missing, run) = (number.wrapping_sub(known.next) & mask, known.run);
        *known = Rate { next: number.wrapping_add(1), run: if missing == 0 { run.saturating_add(1) } else { 1 } };
        // One that goes back is another target's.
        if missing == 0 || missing > mask / 2 || run < ENOUGH {
            return None;
        }
        Some(format!(
            "{} tick{} missing before {number} of rate {rate}, but no sequence number: \
             256 records were lost, or more, or the filter of the target left ticks out",
            grouped_text(missing),
            if missing == 1 { " is" } else { "s are" },
        ))
    }
}
