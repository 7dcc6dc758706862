//! A source outside of the model: its link or demo, its session, its recording.

use std::{path::Path, sync::Arc, time::Instant};

use crossbeam_channel::Sender;
use spytui_engine::{
    link::{Link, LinkCounters, LinkEvent, LinkFacts, LinkOptions, LinkSource, LinkSpec, LinkState},
    log::{MetaHead, RawLog, Recorder},
    plugin::{Decoder, Options},
    session::{Session, SessionOptions},
};
use spytui_plugin_api::Fault;

use crate::{
    demo::Demo,
    model::{
        DecodeRequest,
        links::{Source, SourceOrigin, SourceStatus},
    },
};

/// Where the bytes come from.
pub enum Feed {
    /// A link.
    Link(Box<Link>),
    /// The demo.
    Demo(Demo),
    /// A further stream of a link that another port holds, by name.
    Peer(String),
}

/// A link or a demo with its session.
pub struct Port {
    feed: Feed,
    session: Session,
    pub(super) recorder: Option<Recorder>,
}

impl Port {
    /// Around an open feed.
    #[must_use]
    pub fn new(feed: Feed, session: Session) -> Port {
        Port { feed, session, recorder: None }
    }

    /// The link, if it is one.
    #[must_use]
    pub fn link(&self) -> Option<&Link> {
        match &self.feed {
            Feed::Link(link) => Some(link),
            Feed::Demo(_) | Feed::Peer(_) => None,
        }
    }

    /// The source as the model knows it.
    #[must_use]
    pub fn source(&self, target: usize) -> Source {
        let origin = match &self.feed {
            Feed::Link(link) => SourceOrigin::Link(link.spec().clone()),
            Feed::Demo(_) => SourceOrigin::Demo,
            Feed::Peer(name) => SourceOrigin::Peer(name.clone()),
        };
        Source::new(target, origin, self.status(), Instant::now())
    }

    /// How it is now.
    #[must_use]
    pub fn status(&self) -> SourceStatus {
        let link = self.link();
        SourceStatus {
            decoding: self.session.current(),
            state: link.map_or(LinkState::Live, Link::state),
            facts: link.map_or_else(LinkFacts::default, Link::facts),
            counters: link.map_or_else(LinkCounters::default, Link::counters),
            hint: link.and_then(Link::hint),
            recording: self.recorder.as_ref().map(Recorder::state),
        }
    }

    /// News of the link.
    #[must_use]
    pub fn link_events(&self) -> Vec<LinkEvent> {
        self.link().map_or_else(Vec::new, |link| link.events().try_iter().collect())
    }

    /// A further stream of the link.
    #[must_use]
    pub fn peer(&self, index: usize) -> Option<LinkSource> {
        self.link()?.sources().into_iter().find(|source| source.index == index)
    }

    /// Core that the user named.
    #[must_use]
    pub fn core(&self) -> Option<u16> {
        self.link().and_then(|link| link.spec().core)
    }

    /// Decodes everything again.
    ///
    /// # Errors
    /// What is wrong with the options together; everything goes on as it was.
    pub fn switch(&self, decoder: &Arc<Decoder>, options: &Options) -> Result<(), Fault> {
        self.session.switch(decoder.clone(), options.clone())
    }

    /// Starts recording everything received so far, and then on.
    ///
    /// # Errors
    /// The file is there already or cannot be made, in words.
    pub fn record(&mut self, path: &Path) -> Result<(), String> {
        let decoding = self.session.current();
        let options = decoding.options.iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        let head = MetaHead {
            link: match &self.feed {
                Feed::Link(link) => link.spec().to_string(),
                Feed::Demo(_) => "demo".to_owned(),
                Feed::Peer(name) => name.clone(),
            },
            decoder: decoding.decoder.info.id.to_string(),
            options,
            ..MetaHead::default()
        };
        let recorder = Recorder::start(self.session.log().clone(), path, head).map_err(|e| e.to_string())?;
        self.recorder = Some(recorder);
        Ok(())
    }
}

/// Opens a link and decodes it.
///
/// # Errors
/// The link cannot be opened, or the options do not fit together; in words.
pub(super) fn open(spec: LinkSpec, decode: DecodeRequest, wake: Sender<()>) -> Result<Port, String> {
    let core = spec.core;
    let link = Link::open(spec, LinkOptions::default()).map_err(|e| e.to_string())?;
    let log = link.sources().remove(0).log;
    let session = start(log, link.spec().short(), core, decode, wake)?;
    Ok(Port::new(Feed::Link(Box::new(link)), session))
}

/// Decodes another stream of a link that is open.
///
/// # Errors
/// The options do not fit together; in words.
pub(super) fn open_peer(peer: &LinkSource, decode: DecodeRequest, wake: Sender<()>) -> Result<Port, String> {
    let session = start(peer.log.clone(), peer.name.clone(), None, decode, wake)?;
    Ok(Port::new(Feed::Peer(peer.name.clone()), session))
}

fn start(
    log: Arc<RawLog>,
    name: String,
    core: Option<u16>,
    decode: DecodeRequest,
    wake: Sender<()>,
) -> Result<Session, String> {
    let settings = SessionOptions { source: decode.source, core, name, memory: decode.memory };
    Session::start(log, decode.decoder, decode.options, settings, wake).map_err(|fault| fault.to_string())
}
