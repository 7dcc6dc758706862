//! `spytui check`: expectations over a trace.

use std::sync::Arc;

use serde::Deserialize;
use spytui_engine::{
    analysis::check::Expectation,
    export::{check::CheckSink, replay_sink::in_words},
    io::link::Link,
    query::{Expr, parse},
    row::why_nothing_matches,
    unreadable,
};

use super::{
    args::CheckArgs,
    export::{self, is_free, is_no_input},
    failure::{self, Failure, Stop},
    filter, links, output,
    settings::Settings,
    stats::Reading,
};

/// Exit code when an expectation failed, or is unknown and must not be.
const FAILED: u8 = 1;

const EXPECT: &str = "each [[expect]] has a name and one of after, never, count, measure, losses, findings";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    expect: Vec<Expectation<String>>,
}

/// Runs the command; 1 if an expectation does not hold.
/// Errors: usage (2), link (3), decoder (4).
pub(super) fn run(args: &CheckArgs, settings: &Settings) -> Result<u8, Failure> {
    let text = std::fs::read_to_string(&args.rules);
    let text = text.map_err(|error| Failure::usage(unreadable(&args.rules, &error)))?;
    let wrong = |why: &dyn std::fmt::Display| Failure::usage(format!("{}: {why}", args.rules.display()));
    let rules: Rules = toml::from_str(&text).map_err(|error| wrong(&format!("{error}{EXPECT}")))?;
    let inputs = links::specs(&args.link)?;
    if let Some(path) = &args.junit {
        is_free(path, args.force)?;
        is_no_input(path, &inputs, "verdicts")?;
    }
    let stop = Stop::install().map_err(Failure::input)?;
    let reading = Reading::open((&args.link, &args.decoder), settings, &stop)?;
    let Some(reading) = reading else { return Ok(stop.code()) };
    let words = filter::vocabulary(&reading.decoder, &reading.registry);
    let read = |text: String| parse(&settings.named("filters", &text)?, &words).map_err(|error| error.to_string());
    let expectations = rules.expect.into_iter().map(|rule| rule.read(&read)).collect::<Result<Vec<_>, String>>();
    let is_live = reading.targets.iter().flat_map(|target| &target.links).any(Link::is_live);
    let certain = if is_live { stop.flag.clone() } else { Arc::default() };
    let mut sink = CheckSink::new(&reading.decoder.info, expectations.map_err(|why| wrong(&why))?, certain);
    let flows = reading.read_one("check is", &mut sink)?;
    let Some(pipeline) = flows.iter().next() else { return Ok(stop.code()) };
    let (decoder, names) = (&reading.decoder, pipeline.dictionary());
    let absent = |expr: &Expr| why_nothing_matches(expr, &decoder.info, &decoder.formatting, &[names]);
    let report = in_words(decoder, names, |wording| sink.report(wording, &absent));
    output::print(&report.text())?;
    if let Some(path) = &args.junit {
        let inputs: Vec<String> = inputs.iter().map(ToString::to_string).collect();
        report.write_junit(path, args.force, &inputs.join(" ")).map_err(|error| export::failure(&error))?;
    }
    if !report.passes() && !pipeline.knows_rate() {
        failure::say(&format!("the rate of the ticks is unknown: {}", filter::next_step(&reading.decoder.info)));
    }
    let code = stop.outcome(&reading.decoder, flows.fault())?;
    // A live link has no end, so a signal is the usual one.
    let good = if is_live { 0 } else { code };
    Ok(if report.passes() { good } else { FAILED })
}
