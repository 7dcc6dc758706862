//! Several sources of one target in one order: by the running maximum of each source's time, ties by source, then
//! row. Rows of one source are never reordered, and rows before any time come first.
//!
//! | module | what is in it |
//! |---|---|
//! | [`stamp`] | where the rows of a source stand in time |
//! | [`order`] | which source is next |
//! | [`index`] | the order of rows that are in stores |
//! | [`listing`] | rows as one list: those of one source, or of several |

use spytui_plugin_api::{Info, NONE};

use crate::present::line::has_lanes;

pub mod index;
pub mod listing;
pub mod order;
pub mod stamp;

pub use index::Growth;
pub use listing::{Listed, Listing};
pub use order::{Head, Key, Scales, next};
pub use stamp::{Epochs, Stamp, Stamps};

/// The lane that the decoder of a source is given: the core that the user named. Of a protocol without lanes each
/// further source counts as one, so that rows tell where they are from; else the stream tells.
#[must_use]
pub fn lane_of(info: &Info, core: Option<u16>, source: u16) -> u16 {
    core.unwrap_or(if source > 0 && !has_lanes(info) { source } else { NONE })
}
