//! The decoder's own counters, reported when they change.

use spytui_plugin_api::{CounterId, Output};

/// Number of pieces of records.
pub const PARTS: CounterId = CounterId(64);
/// Number of line errors seen by the host.
pub const LINE_ERRORS: CounterId = CounterId(65);

const IDS: [CounterId; 2] = [PARTS, LINE_ERRORS];

/// All counters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    now: [u64; IDS.len()],
    reported: [u64; IDS.len()],
}

impl Counts {
    /// Adds to a counter.
    pub fn add(&mut self, id: CounterId, n: u64) {
        if let Some(i) = IDS.iter().position(|&known| known == id) {
            self.now[i] += n;
        }
    }

    /// Reports counters that changed.
    pub fn report(&mut self, out: &mut Output<'_>) {
        for ((id, now), reported) in IDS.iter().zip(self.now).zip(&mut self.reported) {
            if now != *reported {
                out.count(*id, now);
                *reported = now;
            }
        }
    }
}
