//! Diagnosis when nothing useful is received: a sentence with what to do.

use spytui_engine::{io::link::LinkState, present::clock::grouped};

use super::Source;
use crate::model::Model;

/// Size of the sample.
const SAMPLE: u64 = 4096;

/// The sentence to show beside the rows, if there is one.
pub fn diagnosis(model: &Model) -> Option<String> {
    let all: Vec<&Source> = model.links.shown().collect();
    let hidden = all_hidden(model);
    let found = all.iter().find_map(|source| Some((source, of_source(model, source, hidden.is_some())?)));
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

fn of_source(model: &Model, source: &Source, hidden: bool) -> Option<String> {
    let decoding = source.decoding();
    let id = &decoding.decoder.info.id;
    let state = decoding.read();
    if let Some(fault) = &state.fault {
        return Some(format!("{id} failed: {fault}. Receiving and recording go on; :plugin reload starts it again."));
    }
    if let Some(why) = decoding.decoder.faults.left() {
        return Some(format!("{id}: {why}: its rows are raw until :plugin reload."));
    }
    let (fed, records, other) = (state.counters.fed, state.counters.rows.records, state.counters.rows.other_bytes);
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
    no_valid_frame(model, source, fed, other)
}

/// `No valid frame in 4 096 B at 115200 (61 % of the bytes are 0x00 or ≥0x80; 212 framing errors). Wrong rate? …`
fn no_valid_frame(model: &Model, source: &Source, fed: u64, other: u64) -> Option<String> {
    let bytes = source.quality.bytes_without_record(fed)?;
    if let Some(sentence) = source.autodetect.sentence() {
        return Some(sentence.to_owned());
    }
    let id = model.list.decoding().decoder.info.id.to_uppercase();
    if other * 10 > fed * 9 {
        let name = source.name();
        return Some(format!(
            "{name} is text, not a trace: no {id} frame in {} B. :proto auto asks all.",
            grouped(fed)
        ));
    }
    let strange = strange(source, fed);
    let link = &source.status.counters;
    let errors = match link.line_errors + link.breaks {
        0 => String::new(),
        n => format!("; {} framing errors", grouped(n)),
    };
    let bytes = grouped(bytes);
    let shares = format!("({strange} % of the bytes are 0x00 or ≥0x80{errors})");
    Some(match source.status.facts.baud {
        Some(baud) => {
            format!("No valid frame in {bytes} B at {baud} {shares}. Wrong rate? :baud auto tries the others.")
        }
        None => format!("No valid frame in {bytes} B {shares}. Is this {id}? :proto auto finds out."),
    })
}

/// Percentage of the newest bytes that are rare in text and frames.
fn strange(source: &Source, fed: u64) -> usize {
    let mut sample = Vec::new();
    let from = fed.saturating_sub(SAMPLE);
    // Bytes that the log no longer has are not looked at.
    let _ = source.log().read_into(from, SAMPLE as usize, &mut sample);
    let strange = sample.iter().filter(|&&b| b == 0 || b >= 0x80).count();
    strange * 100 / sample.len().max(1)
}
