//! The values of an event's fields.

use super::{Layout, MAX_FIELDS};

/// The values of an event, in the order of its layout. Missing ones are 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Values<'a> {
    pub(crate) numbers: [u64; MAX_FIELDS],
    /// Where each field ends in the frame; it begins where the one before it ends.
    pub(crate) ends: [u32; MAX_FIELDS],
    /// Content of the text or rest field.
    pub(crate) bytes: &'a [u8],
    /// Number of complete fields.
    pub(crate) whole: u8,
}

impl Values<'_> {
    /// Whether fields are missing.
    pub(crate) fn are_short(&self, layout: &Layout) -> bool {
        usize::from(self.whole) < layout.fields.len()
    }

    /// The number of a field; 0 if missing.
    #[inline]
    pub(crate) fn number(&self, field: u8) -> u64 {
        self.numbers.get(usize::from(field)).copied().unwrap_or(0)
    }
}
