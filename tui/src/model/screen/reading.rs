//! What decides how the bytes are read: the version of the target or its system, its build, the field sizes.

use spytui_engine::{present::sanitise, store::dictionary::Attr, trace::session::decoding::DecodingState};
use spytui_plugin_api::{
    Info,
    batch::AttrId,
    info::{OptKind, prop, space},
};

use crate::model::Model;

/// What decides the reading, in words for the header; empty where nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Version of the framework, otherwise the system: `3.4.00`, `bare-metal`.
    pub(super) version: String,
    /// `build 261120_100946`.
    pub(super) build: String,
    /// `sizes: TCFG`.
    pub(super) sizes: String,
    /// The target reported its version, and the sizes with it.
    pub(super) is_known: bool,
}

/// As known now.
pub(super) fn reading(model: &Model) -> Reading {
    let info = &model.list.decoding().decoder.info;
    let states = model.list.rows.read_all();
    let text = |key| {
        let found = states.iter().find_map(|state| property(state, key));
        found.map(|attr| sanitise(&attr.text)).unwrap_or_default()
    };
    let version = text(prop::VERSION);
    let build = text(prop::BUILD_ID);
    let is_known = !version.is_empty();
    let sizes = sizes(model, info, is_known);
    Reading {
        version: if version.is_empty() { text(prop::SYSTEM) } else { version },
        build: if build.is_empty() { build } else { format!("build {build}") },
        sizes,
        is_known,
    }
}

fn property(state: &DecodingState, key: u64) -> Option<&Attr> {
    state.dictionary.attr(space::PROPS, key, 0, AttrId::VALUE)
}

/// Where the field sizes come from. A target that reports its version reports its sizes with it.
fn sizes(model: &Model, info: &Info, reported: bool) -> String {
    let options = &model.list.decoding().options;
    // Sizes are the numbers of which only a few are legal.
    let is_size = |key: &str| info.option(key).is_some_and(|o| o.ty == OptKind::INT && !o.choices.is_empty());
    // A version may be guessed beside sizes that are known.
    let is_layout = |key: &str| info.option(key).is_some_and(|o| matches!(o.ty, OptKind::INT | OptKind::BOOL));
    let from = if info.sizes_from.is_empty() {
        return String::new();
    } else if model.links.first().autodetect.guessed().any(is_layout) {
        "guess"
    } else if reported {
        info.sizes_from.as_str()
    } else if options.get("cfg").is_some() {
        "cfg"
    } else if model.links.first().autodetect.guessed().next().is_some() {
        "guess"
    } else if options.iter().any(|(key, _)| is_size(key)) {
        "set"
    } else {
        "default"
    };
    format!("sizes: {from}")
}
