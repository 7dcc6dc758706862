//! Words for how much was lost, in the unit of the decoder.

use spytui_engine::present::clock::grouped;
use spytui_plugin_api::Info;

/// Unit of losses that sequence numbers tell of.
pub fn loss_unit(info: &Info) -> &str {
    if info.has_sequence() && !info.loss_unit.is_empty() { &info.loss_unit } else { "record" }
}

/// `1 buffer`, `3 buffers`.
pub fn units(n: u64, unit: &str) -> String {
    format!("{} {unit}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// `97 in 5 places`.
pub fn in_places(n: u64, places: u64) -> String {
    format!("{} in {} {}", grouped(n), grouped(places), if places == 1 { "place" } else { "places" })
}

/// The unit of losses of all kinds, for this number of them: `event`, `events`.
pub fn unit_word(info: &Info, number: u64) -> String {
    let unit = if info.loss_unit.is_empty() { "record" } else { &info.loss_unit };
    format!("{unit}{}", if number == 1 { "" } else { "s" })
}
