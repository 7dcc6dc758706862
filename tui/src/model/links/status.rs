//! Status of the sources, events of their links, new decodings.

use spytui_engine::{
    link::{LinkEvent, LinkState},
    log::RecordState,
};

use super::{SourceStatus, take_rows};
use crate::{app_log::Level, model::Model};

/// Takes over the status of the sources, in their order.
pub fn take_status(model: &mut Model, statuses: Vec<SourceStatus>) {
    let mut failures = Vec::new();
    for (source, status) in model.links.sources.iter_mut().zip(statuses) {
        let failure = |status: &SourceStatus| status.recording.as_ref().and_then(RecordState::failure).cloned();
        let fresh = failure(&status).filter(|fresh| Some(fresh) != failure(&source.status).as_ref());
        failures.extend(fresh.map(|failure| (source.name(), failure)));
        source.status = status;
    }
    let several = model.links.sources.len() > 1;
    for (name, failure) in failures {
        let text = failure.on_screen();
        model.fail(if several { format!("{name}: {text}") } else { text });
    }
    follow_decoding(model);
}

/// After a switch of the decoder: the cursor goes to the row at the same place in the log.
pub fn follow_decoding(model: &mut Model) {
    let current = model.links.decodings();
    // One that has nothing yet is worth no empty screen.
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

/// An event of a link.
pub fn link_event(model: &mut Model, source: usize, event: LinkEvent) {
    let Some(name) = model.links.sources.get(source).map(super::Source::name) else { return };
    match event {
        LinkEvent::Note(text) => {
            model.log(Level::Info, &name, text.clone());
            if model.links.scope.contains(&source) {
                model.prompt.said_by_link = Some(text.clone());
                model.say(text);
            }
        }
        LinkEvent::State(state) => {
            // Every attempt is a state; what is wrong is a note, once.
            let text = match &state {
                LinkState::NoLink { .. } | LinkState::Failed(_) | LinkState::Changed(_) => return,
                LinkState::Waiting(text) => text.clone(),
                other => other.words(),
            };
            model.log(Level::Info, &name, text);
            // What was wrong is over.
            if model.prompt.notice.as_ref().map(|n| &n.text) == model.prompt.said_by_link.as_ref() {
                model.prompt.notice = None;
            }
        }
        LinkEvent::Source(index) => super::open_peer(model, source, index),
    }
}
