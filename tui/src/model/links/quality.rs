//! How much of what a source sends are records.

/// Bytes after which the share of records in them says something.
const SAMPLE: u64 = 4096;
/// Percent of records below which they are accidents: noise passes an 8-bit check now and then.
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

    /// Another rate: what came before says nothing about what comes.
    pub fn begin_anew(&mut self, fed: u64, record_bytes: u64) {
        *self = Quality { from: (fed, record_bytes), no_record_since: None };
    }

    /// Bytes without a record that is no accident; `None` = records come, or too little came to tell.
    pub fn bytes_without_record(&self, fed: u64) -> Option<u64> {
        self.no_record_since.map(|since| fed.saturating_sub(since))
    }
}
