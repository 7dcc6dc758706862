//! The QNX decoder as a plugin library.

spytui_plugin_api::export_plugin!(spytui_decoder_qnx::plugin);
