//! How much of a stream were records: what a loss is judged by.

/// Records so far, and their bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Records.
    pub records: u64,
    /// Their bytes, framing included.
    pub bytes: u64,
}

impl Tally {
    /// Adds a record of `len` bytes.
    #[inline]
    pub fn record(&mut self, len: u32) {
        self.records += 1;
        self.bytes += u64::from(len);
    }
}
