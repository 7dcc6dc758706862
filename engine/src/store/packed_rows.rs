//! The 8 bytes of a stored row.

/// A packed row; the rest follows from its class and the rows before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedRow {
    /// Time relative to its base.
    pub(super) dt: u32,
    /// Length.
    pub(super) len: u16,
    /// Number of its class.
    pub(super) class: u16,
}
