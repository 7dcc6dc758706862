//! Status of the sources, events of their links, new decodings; a sentence with advice when nothing useful arrives.

use spytui_engine::{
    decode::quality::{Line, NoFrame, Suspect},
    io::{
        link::{LinkEvent, LinkState},
        log::RecordState,
    },
    present::clock::grouped,
};

use super::{Source, SourceStatus, take_rows};
use crate::{
    app_log::Level,
    model::{Model, target},
};

/// Adopts the status of the sources, in order.
pub fn take_status(model: &mut Model, statuses: Vec<SourceStatus>) {
    let (mut failures, mut ended) = (Vec::new(), Vec::new());
    for (source, status) in model.links.sources.iter_mut().zip(statuses) {
        let failure = |status: &SourceStatus| status.recording.as_ref().and_then(RecordState::failure).cloned();
        let fresh = failure(&status).filter(|fresh| Some(fresh) != failure(&source.status).as_ref());
        failures.extend(fresh.map(|failure| (source.name(), failure)));
        ended.extend(target::ended(&source.status.target, &status.target).cloned());
        if source.status.target.filter != status.target.filter {
            source.traffic.restart();
        }
        source.status = status;
    }
    let several = model.links.sources.len() > 1;
    for (name, failure) in failures {
        let text = failure.on_screen();
        model.fail(if several { format!("{name}: {text}") } else { text });
    }
    for command in ended {
        match command.state.is_done() {
            true => model.say(command.text()),
            false => model.fail(command.text()),
        }
    }
    follow_decoding(model);
}

/// After a switch of the decoder: moves the cursor to the row at the same place in the log.
pub fn follow_decoding(model: &mut Model) {
    let current = model.links.decodings();
    // A decoding without rows is not worth an empty screen.
    let bare = current.iter().any(|d| d.pos() == d.begins && d.log.len() > d.begins && !d.ended());
    if model.links.are_in(&model.list.rows) || bare {
        return;
    }
    let position = model.list.position_of(model.list.page.cursor);
    let rows = model.links.rows();
    take_rows(model, rows);
    if !model.list.page.follow {
        model.list.wanted = position;
    }
}

pub fn link_event(model: &mut Model, source: usize, event: LinkEvent) {
    let Some(link) = model.links.sources.get(source) else { return };
    let name = link.name();
    match event {
        LinkEvent::Note(text) => {
            model.log(Level::Info, &name, without_name(&text, &name).to_owned());
            if model.links.scope.contains(&source) {
                model.prompt.said_by_link = Some(text.clone());
                model.show(text);
            }
        }
        LinkEvent::State(state) => {
            // Every attempt is a state; a problem is noted once.
            let text = match &state {
                LinkState::NoLink { .. } | LinkState::Failed(_) | LinkState::Changed(_) => return,
                LinkState::Waiting(text) => without_name(text, &name).to_owned(),
                other => other.words(),
            };
            model.log(Level::Info, &name, text);
            // The problem is over.
            if model.prompt.notice.as_ref().map(|n| &n.text) == model.prompt.said_by_link.as_ref() {
                model.prompt.notice = None;
            }
        }
        LinkEvent::Source(index) => super::open_peer(model, source, index),
    }
}

/// A link's text without the leading address, for the log, which adds the name of the link.
fn without_name<'a>(text: &'a str, name: &str) -> &'a str {
    let scheme = name.split_once(' ').map_or(name, |(scheme, _)| scheme);
    let rest = text.strip_prefix(scheme).and_then(|rest| rest.strip_prefix(' '));
    match rest.and_then(|rest| rest.split_once(": ")) {
        Some((address, reported)) if !address.contains(' ') => reported,
        _ => text,
    }
}

/// The sentence to show with the rows, if any.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_names_a_link_once() {
        let nobody = "listen 127.0.0.1:16602: nobody yet; this machine only.";
        assert_eq!(without_name(nobody, "listen :16602"), "nobody yet; this machine only.");
        assert_eq!(without_name("tcp [::1]:6602: connection refused.", "tcp ::1:6602"), "connection refused.");
        let other = "/dev/ttyUSB0: permission denied.";
        assert_eq!(without_name(other, "ttyUSB0 115200"), other);
        assert_eq!(without_name("udp is quiet", "udp :5000"), "udp is quiet");
    }
}
