//! Several sources of one target in one order: by the running maximum of each source's time, ties by source, then
//! row. Rows of one source are never reordered, and rows before any time come first.
//!
//! | module | what is in it |
//! |---|---|
//! | [`sort_time`] | the times that rows are ordered by |
//! | [`mod@next`] | which source is next |

use std::time::Duration;

pub mod next;
pub mod sort_time;

pub use next::{Scales, SortKey, SourceHead, next};
pub use sort_time::{Epochs, SortTime, SortTimes};

/// How long rows of a live source wait for another source that is silent, so that rows that arrived by different ways
/// at the same time are in order. If it were longer, the screen would lag behind what happens.
pub const PATIENCE: Duration = Duration::from_millis(150);
