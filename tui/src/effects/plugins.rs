//! Plugin files, loaded and loaded again.

use std::{path::PathBuf, sync::Arc};

use spytui_engine::open::Registry;

use crate::model::{Message, Model};

/// Loads a file.
pub(super) fn load(model: &Model, path: PathBuf) -> Message {
    let mut registry = Registry::clone(&model.links.registry);
    if let Err(error) = registry.load(&path) {
        return Message::Refused(error.to_string());
    }
    let id = model.list.decoding().decoder.info.id.to_string();
    let mut newest = registry.clone();
    // A decoder that is built in cannot be loaded again.
    if newest.reload(&id).is_ok() {
        registry = newest;
    }
    Message::Registry { registry: Arc::new(registry), loaded: Some(path), id }
}

/// Loads the file of a decoder again.
pub(super) fn reload(model: &Model, id: String) -> Message {
    let mut registry = Registry::clone(&model.links.registry);
    match registry.reload(&id) {
        Ok(()) => Message::Registry { registry: Arc::new(registry), loaded: None, id },
        Err(error) => Message::Refused(error),
    }
}
