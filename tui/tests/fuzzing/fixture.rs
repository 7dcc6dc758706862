//! A program with a test's source, without links and threads.

use std::{sync::Arc, time::Instant};

use spytui::{
    commands::COMMANDS,
    config::Config,
    input::{History, Keymap},
    model::{
        Model, ModelSettings,
        links::{Links, Source, SourceOrigin, SourceStatus, WayBack},
        list::List,
    },
    pane,
    term::{Glyphs, Theme},
    widget::Look,
};
use spytui_engine::{
    io::link::{LinkCounters, LinkFacts, LinkState},
    open::{Origin, Registry},
    query::Expr,
    trace::list::{Filter, RowList},
    trace::session::Decoding,
};

/// The built-in decoders.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    for plugin in [
        spytui_decoder_qs::plugin(),
        spytui_decoder_rkh::plugin(),
        spytui_decoder_tband::plugin(),
        spytui_decoder_qnx::plugin(),
    ] {
        registry.add(plugin, &Origin::BuiltIn).unwrap();
    }
    registry
}

/// The status of a link that is up.
pub fn live(decoding: Arc<Decoding>) -> SourceStatus {
    SourceStatus {
        decoding,
        state: LinkState::Live,
        facts: LinkFacts::default(),
        counters: LinkCounters::default(),
        hint: None,
        recording: None,
        control: None,
        way_back: WayBack::Never,
        front_end: None,
        target: Arc::default(),
    }
}

/// A program with a source named `demo`.
pub fn model_of(registry: Registry, status: SourceStatus, glyphs: Glyphs, now: Instant) -> Model {
    let origin = SourceOrigin::Peer("demo".to_owned());
    model(registry, Source::new(0, origin, status, now), true, glyphs, now)
}

/// A program with this source, which it follows or not.
pub fn model(registry: Registry, source: Source, follows: bool, glyphs: Glyphs, now: Instant) -> Model {
    let links = Links::new(Arc::new(registry), vec![source]);
    let list = List::new(RowList::new(links.decodings()), follows, Filter::new(Expr::everything()));
    let look = Look { theme: Theme::default(), glyphs };
    let settings = ModelSettings::new(Config::built_in(), Keymap::built_in(&pane::keys()), COMMANDS);
    Model::new(links, list, pane::panes(), History::default(), look, settings, now)
}
