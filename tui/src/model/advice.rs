//! `:target advise`: the filter that makes the trace fit its link, put into the command line. Nothing is sent.

use spytui_engine::advise::{Advice, AdvisedWord, Prices, Proposal, Question, advise, prices};

use super::{Model, target};
use crate::action::{Choice, HelpLine, PromptKind};

/// The word behind `target`, which is the host's, not the target's.
pub const ADVISE: &str = "advise";
/// What it does.
const HELP: &str = "propose a filter that fits the link, which carries RATE B/s if that is given; nothing is sent";

/// What a line behind `target` asks: the rate that it gives. `None` if it asks for no advice.
///
/// # Errors
/// What is wrong with the rate, with its column.
#[must_use]
pub fn asked(line: &str) -> Option<Result<Option<u64>, (usize, String)>> {
    let at = line.find(ADVISE)? + ADVISE.len();
    let mut words = line.split_whitespace();
    if words.next() != Some(ADVISE) {
        return None;
    }
    let Some(word) = words.next() else { return Some(Ok(None)) };
    let column = line[..at].chars().count() + line[at..].find(word).unwrap_or(0);
    let wrong = |message: String| Some(Err((column, message)));
    match word.parse::<u64>() {
        _ if words.next().is_some() => wrong(format!("one RATE behind {ADVISE}, in B/s")),
        Ok(rate @ 1..) => Some(Ok(Some(rate))),
        _ => wrong(format!("\"{word}\": RATE is a number of bytes a second")),
    }
}

/// The word among the commands of the target.
#[must_use]
pub fn choice() -> Choice {
    Choice::new(ADVISE, HELP)
}

/// What a line that asks for advice does.
#[must_use]
pub fn help() -> &'static str {
    HELP
}

/// Puts the filter that fits into the command line, or says why there is none.
pub fn fill(model: &mut Model, rate: Option<u64>) {
    let source = &model.links.sources[target::source(model)];
    if let Some(why) = source.status.control.as_ref().and_then(|control| control.cannot_send()) {
        return model.fail(why);
    }
    match ask(model, rate, advise) {
        Advice::Nothing(text) | Advice::Missing(text) => model.say(text),
        Advice::Filter(proposal) => open(model, &proposal),
    }
}

/// What each group of records costs.
#[must_use]
pub fn costs(model: &Model) -> Prices {
    ask(model, None, prices)
}

fn ask<T>(model: &Model, rate: Option<u64>, answer: impl Fn(&Question<'_>) -> T) -> T {
    let source = &model.links.sources[target::source(model)];
    let decoding = source.decoding();
    let state = decoding.read();
    answer(&Question {
        info: &decoding.decoder.info,
        dictionary: &state.dictionary,
        known: &source.status.target.filter,
        window: &source.traffic.busiest(),
        capacity: rate.or(source.status.facts.line_rate.map(u64::from)),
    })
}

/// Opens the command line with a filter, and says above it what each word saves.
fn open(model: &mut Model, proposal: &Proposal) {
    model.prompt.open(PromptKind::Command, &format!("target {}", proposal.line()));
    let (off, on): (Vec<&AdvisedWord>, Vec<&AdvisedWord>) = proposal.words.iter().partition(|word| word.saves > 0);
    let off = off.iter().map(|word| HelpLine::new(word.word.as_str(), word.meaning()));
    let on: Vec<&str> = on.iter().map(|word| word.word.as_str()).collect();
    let stays = (!on.is_empty()).then(|| HelpLine::new("+", format!("{}: what tells of errors stays", on.join(" "))));
    let sum = HelpLine::new("", format!("{}; Enter sends it", proposal.text()));
    if let Some(line) = &mut model.prompt.line {
        line.explained = off.chain(stays).chain([sum]).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_read() {
        assert_eq!(asked("filter -SM"), None);
        assert_eq!(asked("advised"), None);
        assert_eq!(asked("advise"), Some(Ok(None)));
        assert_eq!(asked("advise 11520 "), Some(Ok(Some(11_520))));
        for (wrong, column) in [("advise x", 7), ("advise 0", 7), (" advise  1 2", 9)] {
            assert_eq!(asked(wrong).and_then(Result::err).map(|error| error.0), Some(column), "{wrong}");
        }
    }
}
