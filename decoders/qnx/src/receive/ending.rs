//! The ends of a stream.

/// How a stream ends, for now or for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// More may follow.
    No,
    /// The link was interrupted.
    Cut,
    /// Nothing follows.
    End,
}
