//! The values of a record's fields.

use super::MAX_FIELDS;

/// The values of a predefined record, in the order of its layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    pub(crate) numbers: [u64; MAX_FIELDS],
    /// Content of the text or items field.
    pub(crate) bytes: &'a [u8],
    /// Number of complete fields.
    pub(crate) count: u8,
}

impl<'a> Values<'a> {
    pub(crate) fn new() -> Values<'a> {
        Values { numbers: [0; MAX_FIELDS], bytes: &[], count: 0 }
    }

    /// Whether a field is present.
    pub(crate) fn has(&self, field: u8) -> bool {
        field < self.count
    }

    /// The number of a field; 0 if missing.
    #[inline]
    pub(crate) fn number(&self, field: u8) -> u64 {
        self.numbers.get(usize::from(field)).copied().unwrap_or(0)
    }
}
