//! Share of records in the bytes of a source.

/// Size of a sample.
const SAMPLE: u64 = 4096;
/// Percentage below which records are chance hits: noise passes an 8-bit checksum now and then.
const ACCIDENTS: u64 = 5;

/// The share of records among the bytes received.
#[derive(Debug, Default)]
pub struct Quality {
    /// Bytes fed, and bytes of records among them, when the present sample began.
    from: (u64, u64),
    /// Bytes fed when the records stopped.
    no_record_since: Option<u64>,
}

impl Quality {
    /// Takes the present counters: bytes fed, and bytes of records among them.
    pub fn sample(&mut self, fed: u64, record_bytes: u64) {
        if fed < self.from.0 {
            // Another decoding.
            *self = Quality::default();
        }
        let (bytes, records) = (fed - self.from.0, record_bytes.saturating_sub(self.from.1));
        if bytes < SAMPLE {
            return;
        }
        let noise = records * 100 < bytes * ACCIDENTS;
        self.no_record_since = noise.then(|| self.no_record_since.unwrap_or(self.from.0));
        self.from = (fed, record_bytes);
    }

    /// Starts over, for example at another baud rate.
    pub fn begin_anew(&mut self, fed: u64, record_bytes: u64) {
        *self = Quality { from: (fed, record_bytes), no_record_since: None };
    }

    /// Bytes since the last record, chance hits aside; `None` while records arrive or too little was received.
    pub fn bytes_without_record(&self, fed: u64) -> Option<u64> {
        self.no_record_since.map(|since| fed.saturating_sub(since))
    }
}
