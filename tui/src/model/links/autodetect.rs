//! Autodetection: field sizes that nobody set, and the decoder that the bytes show. As in every command, sizes are
//! guessed from the start of the streams, see [`Looks`]. A guess may change until the whole sample is available.

use std::sync::Arc;

use spytui_engine::{
    decode::{
        Looks,
        guess::{DamagePattern, Likely, SAMPLE, Suggestion},
    },
    open::Options,
    trace::session::Decoding,
};

use crate::{
    app_log::LogLevel,
    model::{Effect, Model, decoder},
};

/// Minimum number of frames before sizes are doubted.
const FEWEST: u64 = 20;
/// Sizes are doubted if one in this many records does not fit.
const DOUBT: u64 = 20;

/// Findings about a source with its current decoder.
#[derive(Debug, Default)]
pub struct Autodetect {
    looks: Looks,
    /// The user changed an option: sizes are searched once more.
    again: bool,
    found: Vec<(String, String)>,
    /// The pattern of damage in the start of the streams.
    pub pattern: Option<DamagePattern>,
    /// A better decoder: its id, and a sentence about it.
    other: Option<(String, String)>,
    /// Length of the log at which the other decoders are probed again.
    ask_others: u64,
    /// The decoding for which sizes or another decoder are being searched.
    pub asked: Option<Arc<Decoding>>,
    /// The decoder is chosen as soon as the bytes show it; with the options given for it.
    to_choose: Option<Vec<String>>,
}

impl Autodetect {
    /// For a source with an unknown decoder, with the options given for it.
    pub fn to_choose(options: Vec<String>) -> Autodetect {
        Autodetect { to_choose: Some(options), ..Autodetect::default() }
    }

    /// Autodetection for a further source of the same kind.
    pub fn beside(&self) -> Autodetect {
        Autodetect { to_choose: self.to_choose.clone(), ..Autodetect::default() }
    }

    /// `true` if the decoder is not known yet.
    pub fn is_to_choose(&self) -> bool {
        self.to_choose.is_some()
    }

    /// Guessed options in use.
    pub fn guessed(&self) -> impl Iterator<Item = &str> {
        self.found.iter().map(|(key, _)| key.as_str())
    }

    pub fn set_by_user(&mut self, key: &str) {
        self.found.retain(|(found, _)| found != key);
        self.again = true;
    }

    /// The options of a decoding without detected ones, which may be detected again.
    fn without_found(&self, decoding: &Decoding) -> Options {
        let mut options = decoding.options.clone();
        for (key, value) in &self.found {
            if options.get(key) == Some(value.as_str()) {
                options.unset(key);
            }
        }
        options
    }

    /// The decoder that the bytes suggest, if not the present one.
    pub fn other(&self) -> Option<&str> {
        self.other.as_ref().map(|(id, _)| id.as_str())
    }

    /// A sentence about it, with the next step.
    pub fn sentence(&self) -> Option<&str> {
        self.other.as_ref().map(|(_, sentence)| sentence.as_str())
    }
}

/// Requests a search for field sizes when the start of the streams is due for examination; without records, a probe
/// with the other decoders. Both are effects because they are slow.
pub fn follow(model: &mut Model) {
    let (first, is_over) = (model.links.addressed(), model.links.is_over());
    let (len, at) = (first.log().len(), first.autodetect.ask_others);
    if first.autodetect.asked.is_some() {
        return;
    }
    if first.autodetect.is_to_choose() {
        // At the first byte, and whenever their number has doubled; at the end with fewer.
        if len > 0 && (len >= at || (is_over && len >= at / 2)) {
            ask_later_again(model, len);
        }
        return;
    }
    if first.bytes_without_record().is_none() {
        model.links.addressed_mut().autodetect.other = None;
    } else if len >= at {
        ask_later_again(model, len);
    }
    if model.links.addressed().autodetect.other.is_none() {
        suggest_sizes(model);
    }
}

/// Probes the bytes with all decoders; repeated when their number has doubled.
fn ask_later_again(model: &mut Model, len: u64) {
    let asked = Some(model.list.decoding().clone());
    let autodetect = &mut model.links.addressed_mut().autodetect;
    (autodetect.ask_others, autodetect.asked) = (len.saturating_mul(2), asked);
    ask_decoders(model, false);
}

fn suggest_sizes(model: &mut Model) {
    let autodetect = &model.links.addressed().autodetect;
    if autodetect.asked.is_some() || (autodetect.looks.is_complete && !autodetect.again) {
        return;
    }
    let decoding = model.list.decoding().clone();
    if !is_current(model, &decoding) {
        return;
    }
    let logs: Vec<_> = model.links.target_shown().iter().map(|&at| model.links.sources[at].log().clone()).collect();
    let (source, now) = (model.links.focus, model.now);
    let autodetect = &mut model.links.addressed_mut().autodetect;
    // Early wrong guesses are decoded again, so there is no wait here.
    if !(autodetect.looks.due(&logs, true, now) || autodetect.again) {
        return;
    }
    autodetect.again = false;
    autodetect.asked = Some(decoding.clone());
    let options = autodetect.without_found(&decoding);
    model.ask_for(Effect::SuggestSizes { source, decoding, options, logs });
}

/// `true` if most bytes received don't fit the sizes in use.
fn misfits(decoding: &Decoding) -> bool {
    let state = decoding.read();
    let c = &state.counters;
    c.rows.records + c.bad() >= FEWEST && (c.rows.payload_errors * DOUBT > c.rows.records || c.bad() > c.rows.records)
}

/// Result of a search for sizes and for the pattern of damage.
pub fn take_sizes(
    model: &mut Model,
    about: &Arc<Decoding>,
    found: Option<(Options, Suggestion)>,
    pattern: Option<DamagePattern>,
) {
    let is_awaited = is_awaited(model, about);
    let autodetect = &mut model.links.addressed_mut().autodetect;
    if !is_awaited || autodetect.again {
        // The options were changed in the meantime, or are about to be.
        autodetect.again = true;
        return;
    }
    autodetect.pattern = pattern;
    let Some((options, suggestion)) = found else { return forget_sizes(model, about) };
    if suggestion.options.is_empty() {
        return doubt(model, about, &suggestion);
    }
    if suggestion.options == model.links.addressed().autodetect.found {
        return;
    }
    let decoder = model.list.decoding().decoder.clone();
    decoder::switch(model, decoder, options, format!("{suggestion} · :set changes"));
    model.links.addressed_mut().autodetect.found = suggestion.options;
}

/// Nothing is missing: reverts sizes guessed earlier.
fn forget_sizes(model: &mut Model, about: &Decoding) {
    let autodetect = &mut model.links.addressed_mut().autodetect;
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

/// Reports sizes that don't fit or can't be found.
fn doubt(model: &mut Model, about: &Decoding, suggestion: &Suggestion) {
    // Sizes don't matter while the bytes need another decoder.
    if model.links.addressed().bytes_without_record().is_some() {
        return;
    }
    match suggestion.misfit {
        Some(_) => model.say(format!("{suggestion} · :set changes")),
        None if misfits(about) => model.say(format!("{suggestion} · see :set")),
        None => {}
    }
}

/// Records that a result arrived; `true` if it is still about what the source decodes.
fn is_awaited(model: &mut Model, about: &Arc<Decoding>) -> bool {
    model.links.addressed_mut().autodetect.asked = None;
    is_current(model, about)
}

/// The list shows a decoding that was replaced until the new one has rows.
fn is_current(model: &Model, decoding: &Arc<Decoding>) -> bool {
    Arc::ptr_eq(decoding, model.links.addressed().decoding())
}

/// The answer if the decoder is unknown.
fn choose(model: &mut Model, found: Option<Likely>) {
    let enough = model.links.is_over() || model.links.addressed().log().len() >= SAMPLE as u64;
    let Some(found) = found.filter(|found| found.sure || enough) else {
        if enough {
            model.links.addressed_mut().autodetect.to_choose = None;
            model.fail("no decoder recognises these bytes; :proto NAME forces one");
        }
        return;
    };
    let given = model.links.addressed_mut().autodetect.to_choose.take().unwrap_or_default();
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

/// Decodes with a detected decoder, and its configured and given options. `said` = message on success.
fn use_found(model: &mut Model, found: Likely, given: Vec<String>, said: String) {
    let set = [model.settings.config.options_of(&found.decoder.info.id), given].concat();
    match Options::parse(&found.decoder.info, &[found.options.clone(), set.clone()].concat()) {
        Ok(options) => {
            decoder::use_decoder(model, found.decoder, options, said);
            model.links.addressed_mut().autodetect.found = guessed(&found.options, &set);
        }
        Err(error) => model.fail(format!("{found}; but {error}")),
    }
}

/// Guessed options that are not set otherwise: later guesses may change them.
fn guessed(found: &[String], set: &[String]) -> Vec<(String, String)> {
    let pairs = found.iter().filter_map(|option| option.split_once('='));
    let is_set = |key: &str| set.iter().any(|option| option.split_once('=').is_some_and(|(set, _)| set == key));
    pairs.filter(|(key, _)| !is_set(key)).map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Probes the newest bytes with every decoder; at the user's request, switches to a certain one.
pub fn ask_decoders(model: &mut Model, asked_by_user: bool) {
    let (source, decoding) = (model.links.focus, model.list.decoding().clone());
    let decoders = model.links.registry.decoders.to_vec();
    model.ask_for(Effect::AskDecoders { source, decoding, decoders, asked_by_user });
}

/// Result of a probe: keeps a sentence about the better decoder.
pub fn take_likely(model: &mut Model, about: &Arc<Decoding>, found: Option<Likely>) {
    if !is_awaited(model, about) {
        return;
    }
    if model.links.addressed().autodetect.is_to_choose() {
        return choose(model, found);
    }
    let id = about.decoder.info.id.to_string();
    let found = found.filter(|l| l.sure && l.decoder.info.id != *id);
    let before = model.links.addressed().autodetect.other.clone();
    let other = found.map(|l| {
        let other = l.decoder.info.id.to_string();
        let (upper, id) = (other.to_uppercase(), id.to_uppercase());
        let (percent, why) = (l.percent, l.why);
        (other, format!("Bytes look like {upper} ({percent} %: {why}), not {id}. F2 switches; nothing is lost."))
    });
    if let Some((_, sentence)) = &other {
        // The earlier message was about sizes, which don't matter now.
        model.prompt.notice = None;
        if before.is_none() {
            model.log(LogLevel::Info, "app", sentence.clone());
        }
    }
    model.links.addressed_mut().autodetect.other = other;
}

/// Result of a probe requested by the user: switches to a certain decoder.
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
