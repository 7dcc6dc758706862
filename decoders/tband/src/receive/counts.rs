//! The decoder's counters. A counter is sent when it changed.

use spytui_plugin_api::{Out, batch::count};

/// The counters that this protocol has.
const IDS: [u16; 9] = [
    count::BYTES,
    count::RECORDS,
    count::RECORD_BYTES,
    count::SKIPPED_BYTES,
    count::BAD_FRAME,
    count::LONG,
    count::DROPPED,
    count::PAYLOAD,
    count::EPOCHS,
];

/// All counters, absolute since open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) bytes: u64,
    pub(crate) records: u64,
    pub(crate) record_bytes: u64,
    pub(crate) skipped_bytes: u64,
    pub(crate) bad_frames: u64,
    pub(crate) overlong: u64,
    pub(crate) dropped: u64,
    pub(crate) bad_texts: u64,
    pub(crate) epochs: u64,
    sent: [u64; IDS.len()],
}

impl Counts {
    /// Sends what changed.
    pub(crate) fn send(&mut self, out: &mut Out<'_>) {
        let now = [
            self.bytes,
            self.records,
            self.record_bytes,
            self.skipped_bytes,
            self.bad_frames,
            self.overlong,
            self.dropped,
            self.bad_texts,
            self.epochs,
        ];
        for ((id, now), sent) in IDS.into_iter().zip(now).zip(&mut self.sent) {
            if now != *sent {
                out.count(id, now);
                *sent = now;
            }
        }
    }
}
