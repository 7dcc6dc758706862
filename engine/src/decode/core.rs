//! The core of a source.

use spytui_plugin_api::{Info, NONE};

/// The core specified by the user. For protocols without cores, each further source counts as a core, so that its rows
/// are distinguishable; otherwise the stream specifies cores.
pub fn core_of(info: &Info, core: Option<u16>, source: u16) -> u16 {
    core.unwrap_or(if source > 0 && !info.has_cores { source } else { NONE })
}
