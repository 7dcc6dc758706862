//! A plugin library stamped for the next plugin API; the host must not access anything else in it.

use spytui_plugin_api::{
    API_MINOR,
    export::{PluginStamp, stamp},
};

/// The stamp of the next API.
#[unsafe(no_mangle)]
pub static SPYTUI_PLUGIN_STAMP: PluginStamp = PluginStamp { minor: API_MINOR + 1, ..stamp(env!("CARGO_PKG_VERSION")) };
