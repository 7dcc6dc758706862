//! The decoder's counters. A counter is sent when it changed.

use spytui_plugin_api::{Out, batch::count};

/// Number of counters.
const ALL: usize = 16;

/// All counters, absolute since open.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    now: [u64; ALL],
    sent: [u64; ALL],
}

impl Counts {
    /// Adds to a counter of the contract.
    #[inline]
    pub fn add(&mut self, id: u16, n: u64) {
        if let Some(counter) = self.now.get_mut(usize::from(id)) {
            *counter += n;
        }
    }

    /// The value of a counter.
    pub fn get(&self, id: u16) -> u64 {
        self.now.get(usize::from(id)).copied().unwrap_or(0)
    }

    /// Adds a record of `len` bytes.
    #[inline]
    pub fn record(&mut self, len: u32) {
        self.add(count::RECORDS, 1);
        self.add(count::RECORD_BYTES, len.into());
    }

    /// Sends what changed.
    pub fn send(&mut self, out: &mut Out<'_>) {
        for (id, (now, sent)) in self.now.iter().zip(&mut self.sent).enumerate() {
            if now != sent {
                out.count(id as u16, *now);
                *sent = *now;
            }
        }
    }
}
