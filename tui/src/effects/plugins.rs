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

/// Loads the file of a decoder or formatter again, or the files of all plugins.
pub(super) fn reload(model: &Model, name: Option<String>) -> Message {
    let mut registry = Registry::clone(&model.links.registry);
    let files = registry.files();
    let answer = match &name {
        Some(name) => registry.reload(name),
        None if files.is_empty() => Err("no plugin is loaded".to_owned()),
        None => files.iter().try_for_each(|path| registry.load(path).map_err(|error| error.to_string())),
    };
    let id = name.unwrap_or_else(|| "plugins".to_owned());
    match answer {
        Ok(()) => Message::Registry { registry: Arc::new(registry), loaded: None, id },
        Err(error) => Message::Refused(error),
    }
}
