//! Names set by the user or read from files.

use std::{
    collections::HashSet,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use spytui_engine::{
    present::clock::grouped,
    store::{
        Dictionary,
        dictionary::{NameOrigin, newest},
    },
};

use super::{Effect, Model, decoder};
use crate::app_log::LogLevel;

/// First line of a file of names.
pub const HEAD: &str = "# spytui names 1";

/// Reports once that there is no room for more names.
pub fn follow_refused(model: &mut Model) {
    if model.jobs.refusal_is_shown {
        return;
    }
    let refused = model.list.rows.read_all().iter().map(|state| state.dictionary.refused).sum();
    if let Some(text) = Dictionary::refusal(refused) {
        model.jobs.refusal_is_shown = true;
        model.log(LogLevel::Warning, "names", text.clone());
        model.show(format!("{text}; pane 2 counts them"));
    }
}

pub fn set(model: &mut Model, space: &str, key: u64, name: &str) {
    let info = &model.list.decoding().decoder.info;
    let Some(id) = info.spaces.iter().find(|s| s.name == space).map(|s| s.id) else {
        let known: Vec<&str> = info.spaces.iter().map(|s| s.name.as_str()).collect();
        let text = format!("unknown name space {space}; available: {}", known.join(" "));
        return model.fail(text);
    };
    // Valid from the cursor's place in the list on, in each source.
    let rows = &model.list.rows;
    for (decoding, row) in rows.parts.iter().zip(rows.before(model.list.page.cursor)) {
        let name = Some(name.as_bytes());
        decoding.edit(|state| state.names().set(id, key, 0, name, row, decoding.source, NameOrigin::User));
    }
    model.say(format!("{space} 0x{key:X} is {name}"));
}

/// Writes all names to a new file; as `.dic` those that the target sent, in the decoder's own format.
pub fn save(model: &mut Model, path: PathBuf) {
    if path.extension().is_some_and(|ending| ending == "dic") {
        let decoding = model.list.decoding().clone();
        return model.ask_for(Effect::WriteDictionary(decoding, path));
    }
    let mut text = format!("{HEAD}\n");
    let mut saved = HashSet::new();
    let info = &model.list.decoding().decoder.info;
    for state in model.list.rows.read_all() {
        for (space, key, scope, names) in state.dictionary.iter() {
            let last = newest(names).and_then(|n| n.text.as_deref());
            let (Some(name), Some(spec)) = (last, info.space(space)) else { continue };
            // Names from several sources are saved once.
            if !saved.insert((space, key, scope)) {
                continue;
            }
            let name = String::from_utf8_lossy(name).replace(['\n', '\r'], " ");
            // Writing to a string does not fail.
            let _ = writeln!(text, "{} 0x{key:x} 0x{scope:x} {name}", spec.name);
        }
    }
    let said = format!("{} names in {}", grouped(saved.len() as u64), path.display());
    model.ask_for(Effect::WriteText { path, text, said });
}

/// The decoder reads a dictionary file itself.
pub fn use_dictionary_file(model: &mut Model, path: &Path) {
    let decoding = model.list.decoding().clone();
    let mut options = decoding.options.clone();
    if let Err(error) = options.set(&decoding.decoder.info, "dic", &path.to_string_lossy()) {
        return model.fail(error.to_string());
    }
    let said = format!("names of {}: decoding again", path.display());
    decoder::switch(model, decoding.decoder.clone(), options, said);
}
