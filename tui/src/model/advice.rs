//! `:target advise`: the filter that makes the trace fit its link, put into the command line. Nothing is sent.

use spytui_engine::device::advise::{Advice, AdvisedWord, Prices, Proposal, Question, advise, prices};

use super::Model;
use crate::input::{HelpLine, PromptKind};

/// What `advise` does.
pub const HELP: &str = "propose a filter that fits the link, which carries RATE B/s if that is given; nothing is sent";

/// Puts the filter that fits into the command line, or says why there is none.
pub fn fill(model: &mut Model, rate: Option<u64>) {
    let source = model.links.first();
    if let Some(why) = source.status.control.as_ref().and_then(|control| control.cannot_send()) {
        return model.fail(why);
    }
    match ask(model, rate, advise) {
        Advice::Nothing(text) | Advice::Missing(text) => model.say(text),
        Advice::Filter(proposal) => open(model, &proposal),
    }
}

/// What each group of records costs.
pub fn costs(model: &Model) -> Prices {
    ask(model, None, prices)
}

fn ask<T>(model: &Model, rate: Option<u64>, answer: impl Fn(&Question<'_>) -> T) -> T {
    let source = model.links.first();
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
    let (off, on): (Vec<&AdvisedWord>, Vec<&AdvisedWord>) = proposal.words.iter().partition(|word| word.saves > 0);
    let off = off.iter().map(|word| HelpLine::new(word.word.as_str(), word.meaning()));
    let on: Vec<&str> = on.iter().map(|word| word.word.as_str()).collect();
    let stays = (!on.is_empty()).then(|| HelpLine::new("+", format!("{}: what reports errors stays", on.join(" "))));
    let sum = HelpLine::new("", format!("{}; Enter sends it", proposal.text()));
    let line = model.prompt.open(PromptKind::Command, &format!("target {}", proposal.line()));
    line.explained = off.chain(stays).chain([sum]).collect();
}
