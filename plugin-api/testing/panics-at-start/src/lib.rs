//! A plugin library that panics on loading.

spytui_plugin_api::export_plugin!(start);

fn start() -> spytui_plugin_api::LibraryRef {
    panic!("asked to panic at start")
}
