//! Several sources of one target in one order: by the running maximum of each source's time, ties by source, then
//! row. Rows of one source are never reordered, and rows before any time come first.
//!
//! | module | what is in it |
//! |---|---|
//! | [`stamp`] | where the rows of a source stand in time |
//! | [`order`] | which source is next |

pub mod order;
pub mod stamp;

pub use order::{Head, Key, Scales, next};
pub use stamp::{Epochs, Stamp, Stamps};
