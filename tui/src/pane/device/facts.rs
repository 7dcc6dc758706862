//! What the target reported of itself.

use spytui_engine::{present::sanitise, trace::session::decoding::DecodingState};
use spytui_plugin_api::{
    batch::AttrId,
    info::{Info, prop, space},
};

/// Sizes that targets report, as they are called in the options.
const SIZES: [(u64, &str); 5] = [
    (prop::SIGNAL, "sig"),
    (prop::EVENT_SIZE, "evt"),
    (prop::OBJ_PTR, "obj"),
    (prop::FUN_PTR, "fun"),
    (prop::STAMP, "time"),
];

/// `QS 7.3.3, build 261120_100946, epoch 1`
pub(super) fn title(info: &Info, state: &DecodingState) -> String {
    let text = |key| state.dictionary.attr(space::PROPS, key, 0, AttrId::VALUE).map(|attr| sanitise(&attr.text));
    let version = text(prop::VERSION).or_else(|| text(prop::SYSTEM)).unwrap_or_default();
    let name = format!("{} {version}", info.id.to_uppercase());
    let build = text(prop::BUILD_ID).filter(|build| !build.is_empty());
    let build = build.map_or_else(String::new, |build| format!(", build {build}"));
    format!("{}{build}, epoch {}", name.trim_end(), state.dictionary.epochs())
}

/// `sizes  sig 2  evt 2  obj 8  fun 8  time 4`; empty if it reported none.
pub(super) fn sizes(state: &DecodingState) -> String {
    let size = |key| state.dictionary.attr(space::PROPS, key, 0, AttrId::VALUE).map(|attr| attr.val);
    let reported = SIZES.iter().filter_map(|(key, word)| Some(format!("  {word} {}", size(*key)?)));
    let reported: String = reported.collect();
    if reported.is_empty() { reported } else { format!("sizes{reported}") }
}
