//! Whether a sample is a trace: frames that hold events, stamps in order; and of which mode.

use spytui_plugin_api::info::Guess;

/// Adds a guess if the sample looks like a trace.
pub(crate) fn guess(_sample: &[u8], _out: &mut Vec<Guess>) {}
