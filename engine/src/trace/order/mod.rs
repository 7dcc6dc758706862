//! Merge order of several sources of one target: by sort time (the running maximum of a source's time), then source,
//! then row. Rows of one source are never reordered, and rows before the first time stamp come first.
//!
//! | module | what is in it |
//! |---|---|
//! | [`merge`] | rows on their way into one order |
//! | [`sort_time`] | sort time of a row |
//! | [`scales`] | makes times of different sources comparable |
//! | [`target_drops`] | drops of a target with several sources |

use std::time::Duration;

pub mod merge;
pub mod scales;
pub mod sort_time;
pub mod target_drops;

pub use merge::Merge;
pub use scales::Scales;
pub use sort_time::SortTimes;
pub use target_drops::DropInOrder;

/// How long rows of a live source wait for a silent source, so that rows that arrive over different links at the same
/// time are put in order. A longer time would make the screen lag.
pub const PATIENCE: Duration = Duration::from_millis(150);
