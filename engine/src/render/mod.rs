//! Rendered rows, with everything that a view, filter or export may ask of them.
//!
//! | module | what is in it |
//! |---|---|
//! | [`item`] | one rendered row, or a block of them |

pub mod item;

pub use item::{Block, Item};
