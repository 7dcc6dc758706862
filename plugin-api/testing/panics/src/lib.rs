//! A plugin library that panics in any entry, on request.

spytui_plugin_api::export_plugin!(spytui_testing_decoder::panics::plugin);
