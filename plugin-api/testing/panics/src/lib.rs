//! A plugin library that panics in each entry, on request.

spytui_plugin_api::export_plugin!(spytui_testing_decoder::panics::plugin);
