//! `--filter`: parsing, and the message when nothing passes.

use std::sync::Arc;

use spytui_engine::{
    io::link::LinkSpec,
    io::log::open_recorded,
    open::{Decoder, Options, Registry},
    present::clock::grouped,
    query::{Expr, TickRate, Vocabulary, parse},
    row::{RowFilter, why_nothing_matches},
    trace::stream::{Pipeline, prepass},
};
use spytui_plugin_api::Info;

use super::{failure::Failure, settings::Settings};
use crate::trigger::TriggerRule;

/// For files, whose bytes show whether times have a meaning. Errors: as for any filter; times in a filter on ticks without
/// a rate (2).
pub fn of_files(
    text: Option<&str>,
    (registry, settings): (&Registry, &Settings),
    (decoder, options): (&Arc<Decoder>, &Options),
    inputs: &[LinkSpec],
) -> Result<Expr, Failure> {
    let expr = read(text, vocabulary(decoder, registry), settings)?;
    if inputs.is_empty() || !expr.compares_times() {
        return Ok(expr);
    }
    let mut logs = Vec::new();
    for input in inputs {
        // Read errors are reported when decoding.
        let Some(opened) = input.file().and_then(|path| open_recorded(path).ok()) else { return Ok(expr) };
        opened.log.end(0);
        logs.push(opened.log);
    }
    let rate = match prepass::first_clock(decoder, options, &logs) {
        Ok(None) => TickRate::Unknown(next_step(&decoder.info)),
        Ok(Some(clock)) if !clock.has_dates() => TickRate::Undated,
        _ => TickRate::Open,
    };
    read(text, Vocabulary { rate, ..vocabulary(decoder, registry) }, settings)
}

/// The words of a decoder, and which decoders have words that it lacks.
pub fn vocabulary(decoder: &Decoder, registry: &Registry) -> Vocabulary {
    decoder.vocabulary().beside(registry.decoders.iter().map(|decoder| &decoder.info))
}

/// The filter from the arguments: an expression or the name of a saved one. Errors: a syntax error, shown in place, or
/// an unknown name (2).
pub(crate) fn read(text: Option<&str>, vocabulary: Vocabulary, settings: &Settings) -> Result<Expr, Failure> {
    let Some(text) = text else { return Ok(Expr::everything()) };
    let wrong = |why: String| Failure::usage(format!("--filter: {why}"));
    let text = settings.named("filters", text).map_err(wrong)?;
    parse(&text, &vocabulary).map_err(|error| wrong(error.to_string()))
}

/// The expressions of triggers. Errors: a syntax error, shown in place (2).
pub fn of_triggers(rules: Vec<TriggerRule>, vocabulary: &Vocabulary) -> Result<Vec<(TriggerRule, Expr)>, Failure> {
    let read = |rule: TriggerRule| match parse(&rule.expr, vocabulary) {
        Ok(expr) => Ok((rule, expr)),
        Err(error) => Err(Failure::usage(format!("--on: {error}"))),
    };
    rules.into_iter().map(read).collect()
}

pub(super) fn next_step(info: &Info) -> String {
    match info.option("ticks-per-second") {
        Some(_) => "-o ticks-per-second=N; a number without a unit is ticks".to_owned(),
        None => "the target did not report it; a number without a unit is ticks".to_owned(),
    }
}

/// The message at the end if nothing passed: `0 of 2 360; no object "AO(x)" here, nearest: motor`.
pub fn nothing_passed<'a>(
    filter: Option<&mut RowFilter>,
    decoder: &Decoder,
    pipelines: impl IntoIterator<Item = &'a Pipeline>,
) -> Option<String> {
    let filter = filter.filter(|filter| filter.matched == 0)?;
    let pipelines: Vec<&Pipeline> = pipelines.into_iter().collect();
    let sources = pipelines.iter().flat_map(|one| (0..one.sources()).filter_map(|source| one.counters(source)));
    let records: u64 = sources.map(|counters| counters.rows.records).sum();
    let dictionaries: Vec<_> = pipelines.iter().map(|one| one.dictionary()).collect();
    let ticks_only = || {
        let is_without = filter.expr.compares_times() && !pipelines.iter().any(|one| one.knows_rate());
        is_without.then(|| format!("the rate of the ticks is unknown: {}", next_step(&decoder.info)))
    };
    let why = why_nothing_matches(&filter.expr, &decoder.info, &decoder.formatting, &dictionaries).or_else(ticks_only);
    let why = why.map_or_else(String::new, |why| format!("; {why}"));
    (records > 0).then(|| format!("--filter: 0 of {}{why}", grouped(records)))
}
