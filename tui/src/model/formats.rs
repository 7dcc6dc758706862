//! Format files: what they say, and what is wrong in them.

use std::{collections::HashSet, sync::Arc};

use spytui_engine::{io::format_files::FormatSet, open::Registry};

use super::{Effect, Model};
use crate::app_log::Level;

/// Lines that the log gets at once.
const MOST_LOGGED: usize = 50;

/// Logs what is loaded, shadowed and unused, and says the first wrong line.
pub fn report(model: &mut Model) {
    report_changes(model, &FormatSet::default());
}

/// The same for what is different from before.
fn report_changes(model: &mut Model, before: &FormatSet) {
    let formats = model.links.registry.formats().clone();
    let (listing, before) = {
        let known = model.links.registry.protocols();
        (formats.listing(&known), before.listing(&known))
    };
    let before: HashSet<&String> = before.iter().collect();
    let news: Vec<&String> = listing.iter().filter(|line| !before.contains(line)).collect();
    for line in news.iter().take(MOST_LOGGED) {
        model.log(Level::Info, "formats", line.as_str());
    }
    if let more @ 1.. = news.len().saturating_sub(MOST_LOGGED) {
        model.log(Level::Info, "formats", format!("{more} more lines: spytui formats lists them all"));
    }
    for fault in formats.faults.iter().skip(1).take(MOST_LOGGED) {
        model.log(Level::Warning, "formats", fault.as_str());
    }
    // The first one is a message, too.
    if let Some(fault) = formats.faults.first() {
        model.fail(fault.as_str());
    }
}

/// Uses format files that changed. Rows are shown with them from the next frame on.
pub fn take(model: &mut Model, formats: Arc<FormatSet>) {
    let before = model.links.registry.formats().clone();
    let versions = lines_of(model);
    let mut registry = Registry::clone(&model.links.registry);
    registry.set_formats(formats);
    let formats = registry.formats().clone();
    model.links.registry = Arc::new(registry);
    report_changes(model, &before);
    // Decoding again says it, too.
    let is_said = open_again(model, &versions, &formats.faults);
    if formats.faults.is_empty() && !is_said {
        model.say("formats read again");
    }
}

/// Which lines the decoder of each source takes.
fn lines_of(model: &Model) -> Vec<u64> {
    model.links.sources.iter().map(|source| source.decoding().decoder.formatting.lines().version()).collect()
}

/// Decodes again what is decoded with other lines now; returns whether anything is.
fn open_again(model: &mut Model, before: &[u64], faults: &[String]) -> bool {
    let mut any = false;
    let now = lines_of(model);
    for (source, _) in now.iter().zip(before).enumerate().filter(|(_, (now, before))| now != before) {
        let Some(decoding) = model.links.sources.get(source).map(|source| source.decoding().clone()) else { continue };
        let (decoder, options) = (decoding.decoder.clone(), decoding.options.clone());
        // What is wrong must not be covered.
        let said = faults.first().cloned().unwrap_or_else(|| "formats read again".to_owned());
        model.ask_for(Effect::Switch { sources: vec![source], decoder, options, said });
        any = true;
    }
    any
}
