//! Re-decoding with another decoder, options or format files, and reports of faulty format lines.

use std::{collections::HashSet, path::Path, sync::Arc};

use spytui_engine::{
    io::format_files::FormatSet,
    open::{
        Decoder, Options, Origin, Registry,
        decoder::{Listed, Use},
        load::too_many,
    },
};

use super::{Effect, Model, details};
use crate::app_log::LogLevel;

/// Decodes everything of the target again; `said` = message on success.
pub fn switch(model: &mut Model, decoder: Arc<Decoder>, options: Options, said: String) {
    let sources = model.links.target_shown();
    model.ask_for(Effect::Switch { sources, decoder, options, said });
}

/// Decodes everything with another decoder and resets autodetection.
pub fn use_decoder(model: &mut Model, decoder: Arc<Decoder>, options: Options, said: String) {
    model.links.addressed_mut().autodetect = Default::default();
    switch(model, decoder, options, said);
}

/// Options reported by the target's newest reset record.
pub fn reported_by_target(model: &Model) -> Vec<(String, String)> {
    let rows = &model.list.rows;
    let newest = model.list.decoding().read().resets.back().copied();
    let details = newest.and_then(|row| rows.place(0, row)).and_then(|row| details::details(rows, row));
    details.into_iter().flat_map(|d| d.fields).map(|f| (f.name, f.value)).collect()
}

pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a library contains, and how to use it: `: decoder pump (:proto pump), formatter of qs BOILER`.
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

/// Adopts a changed registry and switches to the newest decoder with the current name.
pub fn take_registry(model: &mut Model, registry: Arc<Registry>, loaded: Option<&Path>, id: &str) {
    let old = std::mem::replace(&mut model.links.registry, registry);
    let refused = model.links.registry.notes.get(old.notes.len()..).unwrap_or_default();
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

/// Maximum number of lines logged at once.
const MOST_LOGGED: usize = 50;

/// Logs loaded, shadowed and unused lines, and shows the first faulty one.
pub fn report_formats(model: &mut Model) {
    report_changes(model, &FormatSet::default());
}

/// Logs the differences from before.
fn report_changes(model: &mut Model, before: &FormatSet) {
    let formats = model.links.registry.formats.clone();
    let (listing, before) = {
        let known = model.links.registry.protocols();
        (formats.listing(&known), before.listing(&known))
    };
    let before: HashSet<&String> = before.iter().collect();
    let news: Vec<&String> = listing.iter().filter(|line| !before.contains(line)).collect();
    for line in news.iter().take(MOST_LOGGED) {
        model.log(LogLevel::Info, "formats", line.as_str());
    }
    if let more @ 1.. = news.len().saturating_sub(MOST_LOGGED) {
        model.log(LogLevel::Info, "formats", format!("{more} more lines: spytui formats lists them all"));
    }
    for fault in formats.faults.iter().skip(1).take(MOST_LOGGED) {
        model.log(LogLevel::Warning, "formats", fault.as_str());
    }
    // The first one is also shown.
    if let Some(fault) = formats.faults.first() {
        model.fail(fault.as_str());
    }
}

/// Adopts changed format files. Rows are shown with them from the next frame on.
pub fn take_formats(model: &mut Model, formats: Arc<FormatSet>) {
    let before = model.links.registry.formats.clone();
    let versions = lines_of(model);
    let mut registry = Registry::clone(&model.links.registry);
    registry.set_formats(formats);
    let formats = registry.formats.clone();
    model.links.registry = Arc::new(registry);
    report_changes(model, &before);
    // Re-decoding reports it, too.
    let is_said = open_again(model, &versions, &formats.faults);
    if formats.faults.is_empty() && !is_said {
        model.say("formats read again");
    }
}

/// Versions of the lines that the decoder of each source reads.
fn lines_of(model: &Model) -> Vec<u64> {
    model.links.sources.iter().map(|source| source.decoding().decoder.formatting.lines.version()).collect()
}

/// Decodes again what now has other lines; returns whether anything is.
fn open_again(model: &mut Model, before: &[u64], faults: &[String]) -> bool {
    let mut any = false;
    let now = lines_of(model);
    for (source, _) in now.iter().zip(before).enumerate().filter(|(_, (now, before))| now != before) {
        let Some(decoding) = model.links.sources.get(source).map(|source| source.decoding().clone()) else { continue };
        let (decoder, options) = (decoding.decoder.clone(), decoding.options.clone());
        // The error must not be covered.
        let said = faults.first().cloned().unwrap_or_else(|| "formats read again".to_owned());
        model.ask_for(Effect::Switch { sources: vec![source], decoder, options, said });
        any = true;
    }
    any
}
