//! The values of an event's fields.

use super::MAX_FIELDS;

/// The values of an event, in the order of its layout. Those that the bytes don't reach are 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    pub(crate) numbers: [u64; MAX_FIELDS],
    /// Text or rest, of the one field that is one.
    pub(crate) bytes: &'a [u8],
    /// Fields that the bytes reach.
    pub(crate) whole: u8,
}

impl Values<'_> {
    /// The number of a field; 0 where there is none.
    #[inline]
    pub(crate) fn number(&self, field: u8) -> u64 {
        self.numbers.get(usize::from(field)).copied().unwrap_or(0)
    }
}
