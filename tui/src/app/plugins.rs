//! `:plugin`: decoders and plugins listed, loaded, loaded anew, used or not.

use std::{path::Path, sync::Arc};

use spytui_engine::plugin::Registry;

use super::state::{App, Pane};
use crate::app_log::{self, Level};

impl App {
    pub(super) fn plugin_list(&mut self) {
        for decoder in self.registry.decoders() {
            let text =
                format!("{} {}: {} ({})", decoder.info.id, decoder.info.version, decoder.info.title, decoder.origin);
            app_log::note(Level::Info, "plugin", &text);
        }
        for note in self.registry.notes() {
            app_log::note(Level::Info, "plugin", note);
        }
        self.pane = Pane::Log;
        self.log.cursor = usize::MAX / 2;
    }

    pub(super) fn plugin_load(&mut self, path: &Path) {
        let mut registry = Registry::clone(&self.registry);
        match registry.load(path) {
            Ok(()) => {
                self.registry = Arc::new(registry);
                self.plugin_reload(None);
                self.say(format!("{} loaded", path.display()));
            }
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// Uses the newest decoder of the same name for the source shown.
    pub(super) fn plugin_reload(&mut self, name: Option<&str>) {
        let id = name.map_or_else(|| self.decoded.decoder.info.id.to_string(), str::to_owned);
        let mut registry = Registry::clone(&self.registry);
        if let Err(error) = registry.reload(&id) {
            return self.fail(error);
        }
        self.registry = Arc::new(registry);
        let Ok(decoder) = self.registry.find(&self.decoded.decoder.info.id) else { return };
        if Arc::ptr_eq(&decoder, &self.decoded.decoder) {
            return self.say(format!("{id}: {}", decoder.origin));
        }
        match self.switch(&decoder, &self.decoded.options) {
            Ok(()) => self.say(format!("{id} reloaded: decoding again")),
            Err(fault) => self.fail(fault.to_string()),
        }
    }

    pub(super) fn plugin_use(&mut self, name: &str, on: bool) {
        let mut registry = Registry::clone(&self.registry);
        match registry.set_enabled(name, on) {
            Ok(text) => {
                self.registry = Arc::new(registry);
                self.say(text);
                if let Ok(decoder) = self.registry.find(&self.decoded.decoder.info.id)
                    && !Arc::ptr_eq(&decoder, &self.decoded.decoder)
                {
                    // The present options fit: the decoder has the same name.
                    let _ = self.switch(&decoder, &self.decoded.options);
                }
            }
            Err(error) => self.fail(error),
        }
    }
}
