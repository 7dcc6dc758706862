//! The ends of a stream.

use spytui_plugin_api::row::RowKind;

/// How a stream ends, for now or for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// More may follow.
    No,
    /// The link was interrupted.
    Cut,
    /// The host lost bytes.
    Lost,
    /// Nothing follows.
    End,
}

impl Ending {
    /// Kind of the row of what is left over.
    pub(crate) fn left_over(self) -> RowKind {
        match self {
            Ending::End => RowKind::TAIL,
            Ending::Cut => RowKind::CUT_OFF,
            Ending::No | Ending::Lost => RowKind::RESYNC,
        }
    }
}
