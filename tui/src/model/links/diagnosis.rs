//! Diagnosis when nothing useful is received: a sentence with what to do.

use spytui_engine::{
    decode::quality::{Line, NoFrame, Suspect},
    io::link::LinkState,
    present::clock::grouped,
};

use super::Source;
use crate::model::Model;

/// The sentence to show beside the rows, if there is one.
pub fn diagnosis(model: &Model) -> Option<String> {
    let all: Vec<&Source> = model.links.shown().collect();
    let hidden = all_hidden(model);
    let found = all.iter().find_map(|source| Some((source, of_source(source, hidden.is_some())?)));
    match found {
        Some((source, text)) if all.len() > 1 && !text.starts_with(&source.name()) => {
            Some(format!("{}: {text}", source.name()))
        }
        Some((_, text)) => Some(text),
        None => hidden,
    }
}

fn all_hidden(model: &Model) -> Option<String> {
    let (rows, page) = (model.list.rows.len(), &model.list.page);
    let all = !page.filter.is_everything() && rows > 0 && page.entries.is_empty();
    all.then(|| format!("The filter hides all {} rows: a shows them.", grouped(rows)))
}

fn of_source(source: &Source, hidden: bool) -> Option<String> {
    let decoding = source.decoding();
    let id = &decoding.decoder.info.id;
    let state = decoding.read();
    if let Some(fault) = &state.fault {
        return Some(format!(
            "{id} failed: {fault}. Receiving and recording continue; :plugin reload starts it again."
        ));
    }
    if let Some(why) = decoding.decoder.faults.left() {
        return Some(format!("{id}: {why}: its rows are raw until :plugin reload."));
    }
    let (fed, records) = (state.counters.fed, state.counters.rows.records);
    drop(state);
    let link = &source.status.state;
    let text = source.status.hint.clone().or_else(|| link.text().map(str::to_owned));
    if fed == 0 {
        return text.or_else(|| match link {
            LinkState::Ended => Some(format!("{} is empty.", source.name())),
            _ => Some("Nothing received yet.".to_owned()),
        });
    }
    if matches!(link, LinkState::NoLink { .. } | LinkState::Failed(_) | LinkState::Changed(_)) {
        return text;
    }
    if hidden && records > 0 {
        return None;
    }
    no_valid_frame(source)
}

fn no_valid_frame(source: &Source) -> Option<String> {
    let (decoding, status) = (source.decoding(), &source.status);
    let line = Line {
        name: &source.name(),
        decoder: Some(&decoding.decoder.info.id),
        log: source.log(),
        facts: status.facts.clone(),
        link: status.counters,
    };
    let NoFrame { text, suspect } = source.quality.no_frame(&decoding.read().counters, &line)?;
    if let Some(sentence) = source.autodetect.sentence() {
        return Some(sentence.to_owned());
    }
    Some(match suspect {
        Suspect::Rate => format!("{text} :baud auto tries the others."),
        Suspect::Decoder => format!("{text} :proto auto finds out."),
    })
}
