//! Merge order of several sources of one target: by sort time (the running maximum of a source's time), then source,
//! then row. Rows of one source are never reordered, and rows before the first time stamp come first.
//!
//! | module | what is in it |
//! |---|---|
//! | [`sort_time`] | sort time of a row |
//! | [`mod@next`] | selects the next source |

use std::time::Duration;

pub mod next;
pub mod sort_time;

pub use next::{Scales, SortKey, SourceHead, next};
pub use sort_time::{Epochs, SortTime, SortTimes};

/// How long rows of a live source wait for a silent source, so that rows that arrive over different links at the same
/// time are put in order. A longer time would make the screen lag.
pub const PATIENCE: Duration = Duration::from_millis(150);
