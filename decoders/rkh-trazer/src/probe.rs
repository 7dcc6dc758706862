//! Whether a sample is RKH, and with which sizes.

use spytui_plugin_api::info::Guess;

use crate::config::Settings;

/// Adds a guess if the sample looks like RKH.
pub(crate) fn guess(sample: &[u8], start: Settings, given: u16, out: &mut Vec<Guess>) {
    let _ = (sample, start, given, out);
}
