//! Number and size of records so far, to estimate losses.

/// Records so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Number of records.
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
