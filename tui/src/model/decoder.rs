//! Decoding with another decoder or other options.

use std::{path::Path, sync::Arc};

use spytui_engine::open::{
    Decoder, Options, Origin, Registry,
    listed::{Listed, Use},
    load::too_many,
};

use super::{Effect, Model, details};

/// Decodes everything of the target again; `said` is the message on success.
pub fn switch(model: &mut Model, decoder: Arc<Decoder>, options: Options, said: String) {
    let sources = model.links.target_shown();
    model.ask_for(Effect::Switch { sources, decoder, options, said });
}

/// Decodes everything with another decoder and resets autodetection.
pub fn use_decoder(model: &mut Model, decoder: Arc<Decoder>, options: Options, said: String) {
    model.links.first_mut().autodetect = Default::default();
    switch(model, decoder, options, said);
}

/// Options in the newest reset record of the target.
pub fn reported_by_target(model: &Model) -> Vec<(String, String)> {
    let rows = &model.list.rows;
    let newest = model.list.decoding().read().resets.back().copied();
    let details = newest.and_then(|row| rows.place(0, row)).and_then(|row| details::details(rows, row));
    details.into_iter().flat_map(|d| d.fields).map(|f| (f.name, f.value)).collect()
}

/// Says that the file of a plugin was built anew.
pub fn offer_reload(model: &mut Model, path: &Path) {
    let file = file_name(path);
    model.say(format!("{file} was rebuilt: :plugin reload {file} loads it"));
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a library brought, and how to use it: `: decoder pump (:proto pump), formatter of qs BOILER`.
fn brought(model: &Model, path: &Path) -> String {
    let origin = Origin::File(path.to_owned()).to_string();
    let listed =
        model.links.registry.listed().into_iter().filter(|one| one.origin == origin && one.use_of == Use::InUse);
    let is_new = |name: &str| model.list.decoding().decoder.info.id != name;
    let words = listed.map(|Listed { name, what, .. }| match what.as_str() {
        "decoder" if is_new(&name) => format!("{what} {name} (:proto {name})"),
        _ => format!("{what} {name}"),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) }
}

/// Takes over a changed registry and switches to the newest decoder of the current name.
pub fn take_registry(model: &mut Model, registry: Arc<Registry>, loaded: Option<&Path>, id: &str) {
    let old = std::mem::replace(&mut model.links.registry, registry);
    let refused = model.links.registry.notes().get(old.notes().len()..).unwrap_or_default();
    let warning: String = refused.iter().cloned().chain(too_many()).map(|note| format!("; {note}")).collect();
    let loaded = loaded.map(|path| format!("{} loaded{}{warning}", file_name(path), brought(model, path)));
    let present = model.list.decoding().clone();
    match model.links.registry.find(&present.decoder.info.id) {
        Ok(decoder) if !Arc::ptr_eq(&decoder, &present.decoder) => {
            let said = loaded.unwrap_or_else(|| format!("{id} reloaded: decoding again{warning}"));
            switch(model, decoder, present.options.clone(), said);
        }
        Ok(_) => model.say(loaded.unwrap_or_else(|| format!("{id} reloaded{warning}"))),
        Err(_) => loaded.into_iter().for_each(|said| model.say(said)),
    }
}
