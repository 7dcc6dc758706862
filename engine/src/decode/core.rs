//! The core that the decoder of a source is given.

use spytui_plugin_api::{Info, NONE};

use crate::present::has_lanes;

/// The core that the user named. Of a protocol without cores each further source counts as one, so that rows tell where
/// they are from; otherwise the stream tells.
#[must_use]
pub fn core_of(info: &Info, core: Option<u16>, source: u16) -> u16 {
    core.unwrap_or(if source > 0 && !has_lanes(info) { source } else { NONE })
}
