//! The values of a record's fields.

use super::{Layout, MAX_FIELDS};

/// The values of a predefined record, in the order of its layout.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Values<'a> {
    pub(crate) numbers: [u64; MAX_FIELDS],
    /// Where each field ends in the frame; it begins where the one before it ends.
    pub(crate) ends: [u32; MAX_FIELDS],
    /// Content of the text or items field.
    pub(crate) bytes: &'a [u8],
    /// Number of complete fields.
    pub(crate) count: u8,
}

impl Values<'_> {
    /// Whether fields are missing.
    pub(crate) fn are_short(&self, layout: &Layout) -> bool {
        usize::from(self.count) < layout.fields.len()
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
