//! What is carried out at the edge: everything that is not a change of the state.

/// Something to do outside of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Draw everything again.
    Redraw,
    /// Give the terminal back and stop.
    Suspend,
    /// Put text where other programs find it.
    Copy(String),
    /// Take or release the mouse.
    Mouse(bool),
}
