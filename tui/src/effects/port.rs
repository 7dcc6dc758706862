//! A source outside of the model: its link or demo, its session, its recording.

use std::{path::Path, sync::Arc, time::Instant};

use crossbeam_channel::Sender;
use spytui_engine::{
    link::{Link, LinkCounters, LinkEvent, LinkFacts, LinkSource, LinkState},
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

/// Origin of the bytes.
enum Feed {
    /// A link.
    Link(Box<Link>),
    /// The demo.
    #[expect(dead_code, reason = "it runs until it is dropped")]
    Demo(Demo),
    /// A further stream of a link that another port holds, by name.
    Peer(String),
}

/// A link or a demo with its session.
pub struct Port {
    feed: Feed,
    session: Session,
    pub(super) recorder: Option<Recorder>,
    /// The decoder is only one to begin with: the bytes will tell.
    pub decoder_is_open: bool,
}

impl Port {
    /// Decodes the first stream of a link.
    ///
    /// # Errors
    /// The options do not fit together.
    pub fn of_link(link: Link, decode: DecodeRequest, wake: Sender<()>) -> Result<Port, Fault> {
        let (log, name, core) = (link.sources().remove(0).log, link.spec().short(), link.spec().core);
        let session = start(log, name, core, decode, wake)?;
        Ok(Port { feed: Feed::Link(Box::new(link)), session, recorder: None, decoder_is_open: false })
    }

    /// Decodes a demo.
    ///
    /// # Errors
    /// The options do not fit together.
    pub fn of_demo(demo: Demo, decode: DecodeRequest, wake: Sender<()>) -> Result<Port, Fault> {
        let session = start(demo.log().clone(), "demo".to_owned(), None, decode, wake)?;
        Ok(Port { feed: Feed::Demo(demo), session, recorder: None, decoder_is_open: false })
    }

    /// Decodes another stream of a link that is open.
    ///
    /// # Errors
    /// The options do not fit together.
    pub fn of_peer(peer: &LinkSource, decode: DecodeRequest, wake: Sender<()>) -> Result<Port, Fault> {
        let session = start(peer.log.clone(), peer.name.clone(), None, decode, wake)?;
        Ok(Port { feed: Feed::Peer(peer.name.clone()), session, recorder: None, decoder_is_open: false })
    }

    /// The link, if it is one.
    pub fn link(&self) -> Option<&Link> {
        match &self.feed {
            Feed::Link(link) => Some(link),
            Feed::Demo(_) | Feed::Peer(_) => None,
        }
    }

    /// The source as the model knows it.
    pub fn source(&self, target: usize) -> Source {
        let origin = match &self.feed {
            Feed::Link(link) => SourceOrigin::Link(link.spec().clone()),
            Feed::Demo(_) => SourceOrigin::Demo,
            Feed::Peer(name) => SourceOrigin::Peer(name.clone()),
        };
        Source::new(target, origin, self.status(), Instant::now())
    }

    /// Its present status.
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

    /// New events of the link.
    pub fn link_events(&self) -> Vec<LinkEvent> {
        self.link().map_or_else(Vec::new, |link| link.events().try_iter().collect())
    }

    /// A further stream of the link.
    pub fn peer(&self, index: usize) -> Option<LinkSource> {
        self.link()?.sources().into_iter().find(|source| source.index == index)
    }

    /// Core that the user named.
    pub fn core(&self) -> Option<u16> {
        self.link().and_then(|link| link.spec().core)
    }

    /// Decodes everything again.
    ///
    /// # Errors
    /// The options do not fit together; nothing has changed then.
    pub fn switch(&mut self, decoder: &Arc<Decoder>, options: &Options) -> Result<(), Fault> {
        self.session.switch(decoder.clone(), options.clone())?;
        self.decoder_is_open = false;
        Ok(())
    }

    /// Starts recording everything received so far, and then on.
    ///
    /// # Errors
    /// The file is there already or cannot be made, in words.
    pub fn record(&mut self, path: &Path) -> Result<(), String> {
        let decoding = self.session.current();
        let (id, options) = match self.decoder_is_open {
            true => Default::default(),
            false => (decoding.decoder.info.id.to_string(), decoding.options.to_keep(&decoding.decoder.info)),
        };
        let head = MetaHead {
            link: match &self.feed {
                Feed::Link(link) => link.spec().to_string(),
                Feed::Demo(_) => "demo".to_owned(),
                Feed::Peer(name) => name.clone(),
            },
            decoder: id,
            options,
            ..MetaHead::default()
        };
        let recorder = Recorder::start(self.session.log().clone(), path, head).map_err(|e| e.to_string())?;
        self.recorder = Some(recorder);
        Ok(())
    }
}

fn start(
    log: Arc<RawLog>,
    name: String,
    core: Option<u16>,
    decode: DecodeRequest,
    wake: Sender<()>,
) -> Result<Session, Fault> {
    let settings = SessionOptions { source: decode.source, core, name, memory: decode.memory };
    Session::start(log, decode.decoder, decode.options, settings, wake)
}
