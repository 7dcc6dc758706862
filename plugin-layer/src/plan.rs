//! Plans of rows: which fields rows of one kind and length have, as data, so that the host reads them without rendering
//! them. Extension `plans/1`, for decoders that are linked into the program: no table of a library has it. The fields of
//! all other rows are rendered.

use spytui_plugin_api::{RowFlags, RowKind};

/// Returns the plans under a configuration, at most one for each kind.
pub type PlansOf = fn(&[u8]) -> Vec<RowPlan>;

/// Rows whose fields are numbers in a known order. What it says must be what [`spytui_plugin_api::Decoder::render`] adds.
#[derive(Clone, Debug)]
pub struct RowPlan {
    pub kind: RowKind,
    /// A row with any of these flags has no plan.
    pub but: RowFlags,
    /// Length of the raw bytes with this end mark, with which they do not begin.
    pub len: usize,
    pub end: u8,
    /// Offset of the sequence number, a byte: the field `seq`.
    pub seq: Option<usize>,
    /// The other fields.
    pub fields: Vec<PlannedField>,
}

/// An unsigned number, or a key.
#[derive(Clone, Copy, Debug)]
pub struct PlannedField {
    /// An identifier.
    pub name: &'static str,
    /// Offset in the raw bytes, little-endian.
    pub off: usize,
    /// Number of bytes, at most 8.
    pub size: u8,
    /// Space of a key, or [`spytui_plugin_api::NONE`].
    pub space: u16,
    pub scope: PlannedScope,
}

/// Scope of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedScope {
    None,
    /// The row's object.
    Object,
    /// The number of the field with this index.
    Field(usize),
}
