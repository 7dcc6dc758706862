//! Counters, told when they change.

use spytui_plugin_api::{Out, batch::count};

/// Parts of records in pieces.
pub const PARTS: u16 = count::OWN;
/// Line errors that the host saw.
pub const LINE_ERRORS: u16 = count::OWN + 1;

/// The counters in use.
const IDS: [u16; 15] = [
    count::BYTES,
    count::RECORDS,
    count::BAD_CHECK,
    count::BAD_FRAME,
    count::SHORT,
    count::LONG,
    count::GAPS,
    count::LOST,
    count::DROPPED,
    count::UNKNOWN,
    count::EPOCHS,
    count::PAYLOAD,
    count::ORPHANS,
    PARTS,
    LINE_ERRORS,
];

/// All counters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    now: [u64; IDS.len()],
    told: [u64; IDS.len()],
}

impl Counts {
    /// Adds to a counter.
    pub fn add(&mut self, id: u16, n: u64) {
        if let Some(i) = IDS.iter().position(|&known| known == id) {
            self.now[i] += n;
        }
    }

    /// Tells those that changed.
    pub fn tell(&mut self, out: &mut Out<'_>) {
        for ((id, now), told) in IDS.iter().zip(self.now).zip(&mut self.told) {
            if now != *told {
                out.count(*id, now);
                *told = now;
            }
        }
    }
}
