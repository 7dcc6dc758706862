//! A plugin library built for the next plugin API, as its stamp says; the host must not access anything else of it.

use spytui_plugin_api::{
    API_MINOR,
    export::{PluginStamp, stamp},
};

/// The stamp of the next API.
#[unsafe(no_mangle)]
pub static SPYTUI_PLUGIN_STAMP: PluginStamp = PluginStamp { minor: API_MINOR + 1, ..stamp(env!("CARGO_PKG_VERSION")) };
