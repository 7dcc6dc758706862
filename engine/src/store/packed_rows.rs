//! What is kept of each row: 8 bytes.

/// What is kept of a row; the rest is found by its class and the rows before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedRow {
    /// Time above its base.
    pub(super) dt: u32,
    /// Length.
    pub(super) len: u16,
    /// Number of its class.
    pub(super) class: u16,
}
