//! What every object did over time: lanes of states and numbers, summed up in the columns of a window. The cost of a
//! window depends on its columns and blocks, not on its rows.
//!
//! | module | what is in it |
//! |---|---|
//! | [`lane`] | lanes, what they show, and what they do in one column |
//! | `block` | the changes of some thousand rows, encoded, and their sums |
//! | `painter` | paints changes into cells |
//! | [`recorder`] | records lanes row by row and paints windows |

mod block;
pub mod lane;
mod painter;
pub mod recorder;

#[cfg(test)]
mod tests;

pub use lane::{Cell, LaneKey, LaneValue};
pub use painter::{Painted, TimeWindow};
pub use recorder::{LaneChange, TimelineRecorder};
