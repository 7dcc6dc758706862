//! Autodetection: field sizes that nobody set, and the decoder that the bytes are for. Sizes are guessed as in every
//! command: from the start of the streams, see [`Looks`]. Until all of it is there, a guess may change.

use std::sync::Arc;

use spytui_engine::{
    decode::Looks,
    open::{
        Options,
        guess::{Likely, Pattern, SAMPLE, Suggestion},
    },
    trace::session::Decoding,
};

use crate::{
    app_log::Level,
    model::{Effect, Model, decoder},
};

/// Frames needed before sizes are doubted.
const FEWEST: u64 = 20;
/// Sizes are doubted if one of so many records does not fit.
const DOUBT: u64 = 20;

/// Findings about a source with its current decoder.
#[derive(Debug, Default)]
pub struct Autodetect {
    looks: Looks,
    /// The user changed an option: sizes are looked for once more.
    again: bool,
    found: Vec<(String, String)>,
    /// The pattern of damage in the start of the streams.
    pub pattern: Option<Pattern>,
    /// A better decoder: its id, and a sentence that names it.
    other: Option<(String, String)>,
    /// Length of the log at which the other decoders are probed again.
    ask_others: u64,
    /// The decoding that is being probed.
    asked: Option<Arc<Decoding>>,
    /// The decoder is to be chosen as soon as the bytes show it; with the options given for it.
    to_choose: Option<Vec<String>>,
}

impl Autodetect {
    /// Of a source whose decoder is not known; these options are given for it.
    pub fn to_choose(options: Vec<String>) -> Autodetect {
        Autodetect { to_choose: Some(options), ..Autodetect::default() }
    }

    /// Of a further source beside one.
    pub fn beside(&self) -> Autodetect {
        Autodetect { to_choose: self.to_choose.clone(), ..Autodetect::default() }
    }

    /// `true` if the decoder is not known yet.
    pub fn is_to_choose(&self) -> bool {
        self.to_choose.is_some()
    }

    /// Options in use that were guessed.
    pub fn guessed(&self) -> impl Iterator<Item = &str> {
        self.found.iter().map(|(key, _)| key.as_str())
    }

    pub fn set_by_user(&mut self, key: &str) {
        self.found.retain(|(found, _)| found != key);
        self.again = true;
    }

    /// The options of a decoding without those found: they may be found anew.
    fn without_found(&self, decoding: &Decoding) -> Options {
        let mut options = decoding.options.clone();
        for (key, value) in &self.found {
            if options.get(key) == Some(value.as_str()) {
                options.unset(key);
            }
        }
        options
    }

    pub fn is_busy(&self) -> bool {
        self.asked.is_some()
    }

    /// The decoder that the bytes look like, if it is not the present one.
    pub fn other(&self) -> Option<&str> {
        self.other.as_ref().map(|(id, _)| id.as_str())
    }

    /// The same as a sentence, with what to do.
    pub fn sentence(&self) -> Option<&str> {
        self.other.as_ref().map(|(_, sentence)| sentence.as_str())
    }
}

/// Requests a search for field sizes when the start of the streams is to be looked at; if there are no records, a probe
/// with the other decoders. Both are effects because they take long.
pub fn follow(model: &mut Model) {
    let (first, is_over) = (model.links.first(), model.links.is_over());
    let (len, at) = (first.log().len(), first.autodetect.ask_others);
    if first.autodetect.is_busy() {
        return;
    }
    if first.autodetect.is_to_choose() {
        // With the first byte and whenever there are twice as many; at the end with fewer.
        if len > 0 && (len >= at || (is_over && len >= at / 2)) {
            ask_later_again(model, len);
        }
        return;
    }
    if first.bytes_without_record().is_none() {
        model.links.first_mut().autodetect.other = None;
    } else if len >= at {
        ask_later_again(model, len);
    }
    if model.links.first().autodetect.other.is_none() {
        suggest_sizes(model);
    }
}

/// Asks all decoders whose bytes these are; again when there are twice as many.
fn ask_later_again(model: &mut Model, len: u64) {
    let asked = Some(model.list.decoding().clone());
    let autodetect = &mut model.links.first_mut().autodetect;
    (autodetect.ask_others, autodetect.asked) = (len.saturating_mul(2), asked);
    ask_decoders(model, false);
}

fn suggest_sizes(model: &mut Model) {
    let autodetect = &model.links.first().autodetect;
    if autodetect.is_busy() || (autodetect.looks.is_complete() && !autodetect.again) {
        return;
    }
    let decoding = model.list.decoding().clone();
    let logs: Vec<_> = model.links.target_shown().iter().map(|&at| model.links.sources[at].log().clone()).collect();
    let (source, now) = (model.links.scope[0], model.now);
    let autodetect = &mut model.links.first_mut().autodetect;
    // What was guessed too early is decoded again, so nothing here is waited for.
    if !(autodetect.looks.due(&logs, true, now) || autodetect.again) {
        return;
    }
    autodetect.again = false;
    autodetect.asked = Some(decoding.clone());
    let options = autodetect.without_found(&decoding);
    model.ask_for(Effect::SuggestSizes { source, decoding, options, logs });
}

/// `true` if most of what was received does not fit the sizes in use.
fn misfits(decoding: &Decoding) -> bool {
    let state = decoding.read();
    let c = &state.counters;
    c.rows.records + c.bad() >= FEWEST && (c.rows.payload_errors * DOUBT > c.rows.records || c.bad() > c.rows.records)
}

/// Result of a search for sizes, and for the pattern of damage.
pub fn take_sizes(
    model: &mut Model,
    about: &Arc<Decoding>,
    found: Option<(Options, Suggestion)>,
    pattern: Option<Pattern>,
) {
    if !is_awaited(model, about) {
        // It is about options that were changed in the meantime.
        model.links.first_mut().autodetect.again = true;
        return;
    }
    model.links.first_mut().autodetect.pattern = pattern;
    let Some((options, suggestion)) = found else { return forget_sizes(model, about) };
    if suggestion.options.is_empty() {
        return doubt(model, about, &suggestion);
    }
    if suggestion.options == model.links.first().autodetect.found {
        return;
    }
    let decoder = model.list.decoding().decoder.clone();
    decoder::switch(model, decoder, options, format!("{suggestion} · :set changes"));
    model.links.first_mut().autodetect.found = suggestion.options;
}

/// Nothing is missing: goes back from sizes that were guessed earlier.
fn forget_sizes(model: &mut Model, about: &Decoding) {
    let autodetect = &mut model.links.first_mut().autodetect;
    if autodetect.found.is_empty() {
        return;
    }
    let options = autodetect.without_found(about);
    autodetect.found.clear();
    let why = match options.get("reference") {
        Some(_) => "a reference style does not guess: sizes as they are set",
        None => "the usual sizes fit better than those guessed before",
    };
    decoder::switch(model, about.decoder.clone(), options, format!("{why} · decoding again"));
}

/// Reports sizes that do not fit, or that can't be found.
fn doubt(model: &mut Model, about: &Decoding, suggestion: &Suggestion) {
    // Sizes do not matter while the bytes are for another decoder.
    if model.links.first().bytes_without_record().is_some() {
        return;
    }
    match suggestion.misfit {
        Some(_) => model.say(format!("{suggestion} · :set changes")),
        None if misfits(about) => model.say(format!("{suggestion} · see :set")),
        None => {}
    }
}

/// Notes that a result arrived; `true` if it is still about the list shown.
fn is_awaited(model: &mut Model, about: &Arc<Decoding>) -> bool {
    model.links.first_mut().autodetect.asked = None;
    Arc::ptr_eq(about, model.list.decoding())
}

/// The answer where the decoder is not known.
fn choose(model: &mut Model, found: Option<Likely>) {
    let enough = model.links.is_over() || model.links.first().log().len() >= SAMPLE as u64;
    let Some(found) = found.filter(|found| found.sure || enough) else {
        if enough {
            model.links.first_mut().autodetect.to_choose = None;
            model.fail("no decoder recognises these bytes; :proto NAME forces one");
        }
        return;
    };
    let given = model.links.first_mut().autodetect.to_choose.take().unwrap_or_default();
    for source in model.links.target_shown() {
        model.links.sources[source].autodetect.to_choose = None;
    }
    if !found.sure {
        return model.fail(format!("{}; :proto NAME decides", found.doubt()));
    }
    let said = found.to_string();
    match found.sizes() {
        Some(sizes) => {
            model.say(said);
            use_found(model, found, given, format!("{sizes} · :set changes"));
        }
        None => use_found(model, found, given, said),
    }
}

/// Decodes with a decoder that was found, and the options configured and given for it. `said` is the message on success.
fn use_found(model: &mut Model, found: Likely, given: Vec<String>, said: String) {
    let set = [model.settings.config.options_of(&found.decoder.info.id), given].concat();
    match Options::parse(&found.decoder.info, &[found.options.clone(), set.clone()].concat()) {
        Ok(options) => {
            decoder::use_decoder(model, found.decoder, options, said);
            model.links.first_mut().autodetect.found = guessed(&found.options, &set);
        }
        Err(error) => model.fail(format!("{found}; but {error}")),
    }
}

/// The options of a guess that are not set otherwise: later looks may change them.
fn guessed(found: &[String], set: &[String]) -> Vec<(String, String)> {
    let pairs = found.iter().filter_map(|option| option.split_once('='));
    let is_set = |key: &str| set.iter().any(|option| option.split_once('=').is_some_and(|(set, _)| set == key));
    pairs.filter(|(key, _)| !is_set(key)).map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Probes the newest bytes with every decoder; if the user asks, it is switched to the one that is sure.
pub fn ask_decoders(model: &mut Model, asked_by_user: bool) {
    let (source, decoding) = (model.links.scope[0], model.list.decoding().clone());
    let decoders = model.links.registry.decoders().to_vec();
    model.ask_for(Effect::AskDecoders { source, decoding, decoders, asked_by_user });
}

/// Result of a probe: keeps a sentence about the better decoder.
pub fn take_likely(model: &mut Model, about: &Arc<Decoding>, found: Option<Likely>) {
    if !is_awaited(model, about) {
        return;
    }
    if model.links.first().autodetect.is_to_choose() {
        return choose(model, found);
    }
    let id = about.decoder.info.id.to_string();
    let found = found.filter(|l| l.sure && l.decoder.info.id != *id);
    let before = model.links.first().autodetect.other.clone();
    let other = found.map(|l| {
        let other = l.decoder.info.id.to_string();
        let (upper, id) = (other.to_uppercase(), id.to_uppercase());
        let (percent, why) = (l.percent, l.why);
        (other, format!("Bytes look like {upper} ({percent} %: {why}), not {id}. F2 switches; nothing is lost."))
    });
    if let Some((_, sentence)) = &other {
        // What was said before is about sizes that do not matter.
        model.prompt.notice = None;
        if before.is_none() {
            model.log(Level::Info, "app", sentence.clone());
        }
    }
    model.links.first_mut().autodetect.other = other;
}

/// Result of a probe that the user requested: switches to the decoder that is sure.
pub fn take_decoder(model: &mut Model, found: Option<Likely>, empty: bool) {
    if empty {
        return model.fail("nothing received yet");
    }
    let Some(found) = found else { return model.fail("no decoder recognises these bytes") };
    if !found.sure {
        return model.fail(found.doubt());
    }
    let words = [&[found.decoder.info.id.to_string()], found.options.as_slice()].concat().join(" ");
    let said = format!("{words}, {} % of the bytes fit: {}", found.percent, found.why);
    use_found(model, found, Vec::new(), said);
}
