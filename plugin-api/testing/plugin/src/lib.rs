//! The test protocol as a plugin library.

spytui_plugin_api::export_plugin!(spytui_testing_decoder::plugin);
