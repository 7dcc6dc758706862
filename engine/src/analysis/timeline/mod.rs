//! What every object did over time: lanes of states and numbers, summed up in the columns of a window. The cost of a
//! window depends on its columns and blocks, not on its rows.
//!
//! | module | what is in it |
//! |---|---|
//! | `lane` | lanes, and what they show |
//! | `entries` | lane changes encoded as bytes |
//! | [`cell`] | what a lane does in one column |
//! | `painter` | paints changes into cells |
//! | `block` | the changes of some thousand rows, and their sums |
//! | [`recorder`] | records lanes row by row and paints windows |

mod block;
pub mod cell;
mod entries;
mod lane;
mod painter;
pub mod recorder;

#[cfg(test)]
mod tests;

pub use cell::Cell;
pub use lane::{LaneKey, Shown};
pub use painter::{Painted, Window};
pub use recorder::Recorder;
