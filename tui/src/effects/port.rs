//! A source outside of the model: its link, its session, its recording.

use std::{sync::Arc, time::Instant};

use crossbeam_channel::Sender;
use spytui_engine::{
    device::control::{Control, Prepared},
    io::link::{Link, LinkCounters, LinkEvent, LinkFacts, LinkSender, LinkSource, LinkState},
    io::log::{MetaHead, RawLog, RecordPhase, Recorder},
    open::{Decoder, Options},
    trace::session::{Session, SessionOptions},
};
use spytui_plugin_api::Fault;

use crate::{
    model::{
        DecodeRequest,
        links::{Source, SourceOrigin, SourceStatus, WayBack},
    },
    recording::{self, Plan, SourceName},
};

/// Origin of the bytes.
enum Feed {
    Link(Box<Link>),
    /// A further stream of a link.
    Peer {
        name: String,
        /// Number of the port that holds the link.
        link: usize,
    },
}

/// A link, or a stream of one, with its session.
pub struct Port {
    feed: Feed,
    session: Session,
    control: Arc<Control>,
    pub(super) recorder: Option<Recorder>,
    /// How streams that join are recorded.
    pub(super) plan: Option<Plan>,
    /// The decoder is only one to begin with: the bytes will show.
    pub decoder_is_open: bool,
}

impl Port {
    /// Decodes the first stream of a link.
    ///
    /// # Errors
    /// The options do not fit together.
    pub fn of_link(link: Link, decode: DecodeRequest, wake: Sender<()>) -> Result<Port, Fault> {
        let (log, core) = (link.sources().remove(0).log, link.spec().core);
        let sender = link.sender(0);
        Port::new(Feed::Link(Box::new(link)), log, sender, core, decode, wake)
    }

    /// Decodes another stream of the link that is open at port number `link`; `sender` sends to its target.
    ///
    /// # Errors
    /// The options do not fit together.
    pub fn of_peer(
        peer: &LinkSource,
        (link, sender): (usize, Option<LinkSender>),
        decode: DecodeRequest,
        wake: Sender<()>,
    ) -> Result<Port, Fault> {
        let feed = Feed::Peer { name: peer.name.clone(), link };
        Port::new(feed, peer.log.clone(), sender, None, decode, wake)
    }

    fn new(
        feed: Feed,
        log: Arc<RawLog>,
        sender: Option<LinkSender>,
        core: Option<u16>,
        decode: DecodeRequest,
        wake: Sender<()>,
    ) -> Result<Port, Fault> {
        let settings = SessionOptions { source: decode.source, core, memory: decode.memory };
        let session = Session::start(log, decode.decoder, decode.options, settings, wake.clone())?;
        let control = Arc::new(Control::start(session.log().clone(), session.follow(), sender, wake));
        Ok(Port { feed, session, control, recorder: None, plan: None, decoder_is_open: false })
    }

    /// The link, if it is one.
    pub fn link(&self) -> Option<&Link> {
        match &self.feed {
            Feed::Link(link) => Some(link),
            Feed::Peer { .. } => None,
        }
    }

    /// The source as the model knows it.
    pub fn source(&self, target: usize) -> Source {
        let origin = match &self.feed {
            Feed::Link(link) => SourceOrigin::Link(link.spec().clone()),
            Feed::Peer { name, .. } => SourceOrigin::Peer(name.clone()),
        };
        Source::new(target, origin, self.status(), Instant::now())
    }

    /// Its present status.
    pub fn status(&self) -> SourceStatus {
        self.session.look();
        let link = self.link();
        SourceStatus {
            decoding: self.session.current(),
            state: link.map_or_else(|| self.own_state(), Link::state),
            facts: link.map_or_else(LinkFacts::default, Link::facts),
            counters: link.map_or_else(LinkCounters::default, Link::counters),
            hint: link.and_then(Link::hint),
            recording: self.recorder.as_ref().map(Recorder::state),
            control: Some(self.control.clone()),
            way_back: way_back(&self.control),
            target: self.control.status(),
        }
    }

    /// Sends a command to the target.
    ///
    /// # Errors
    /// Why nothing can be sent.
    pub fn send(&self, command: Prepared) -> Result<u32, String> {
        self.control.send(command, "typed")
    }

    /// Sends a target filter when the link is up for the first time.
    ///
    /// # Errors
    /// The link only reads.
    pub fn send_filter_at_start(&self, spec: &str) -> Result<(), String> {
        self.control.send_when_up(&format!("filter {spec}"), "start")
    }

    /// New events of the link.
    pub fn link_events(&self) -> Vec<LinkEvent> {
        self.link().map_or_else(Vec::new, |link| link.events().try_iter().collect())
    }

    /// A further stream of the link.
    pub fn peer(&self, index: usize) -> Option<LinkSource> {
        self.link()?.sources().into_iter().find(|source| source.index == index)
    }

    /// Number of the port that holds the link of this stream, if another one does.
    pub(super) fn link_of_stream(&self) -> Option<usize> {
        match &self.feed {
            Feed::Peer { link, .. } => Some(*link),
            Feed::Link(_) => None,
        }
    }

    /// State of a source without a link of its own.
    fn own_state(&self) -> LinkState {
        if self.session.log().ended() { LinkState::Ended } else { LinkState::Live }
    }

    /// `true` while it is being recorded.
    pub fn is_recording(&self) -> bool {
        self.recorder.as_ref().is_some_and(|recorder| recorder.state().phase == RecordPhase::Recording)
    }

    /// Decodes everything again.
    ///
    /// # Errors
    /// The options do not fit together; nothing has changed then.
    pub fn switch(&mut self, decoder: &Arc<Decoder>, options: &Options) -> Result<(), Fault> {
        self.session.switch(decoder.clone(), options.clone())?;
        self.decoder_is_open = false;
        if let Some(recorder) = &self.recorder {
            // If its header can't say it, whoever opens the recording finds out.
            let _ = recorder.name(&decoder.info.id, &options.to_keep(&decoder.info));
        }
        Ok(())
    }

    /// What a recording of it needs: a name, the log, the header.
    pub(super) fn to_record(&self) -> (SourceName, Arc<RawLog>, MetaHead) {
        let (name, link) = match &self.feed {
            Feed::Link(link) => (SourceName::of_link(link.spec()), link.spec().to_string()),
            Feed::Peer { name, .. } => (SourceName::of_word(name), name.clone()),
        };
        let decoding = self.session.current();
        let chosen = (decoding.decoder.clone(), decoding.options.clone());
        let formats = decoding.decoder.formatting.lines().text();
        let head = recording::head(link, formats, Some(&chosen).filter(|_| !self.decoder_is_open));
        (name, self.session.log().clone(), head)
    }
}

fn way_back(control: &Control) -> WayBack {
    match control.cannot_send() {
        _ if !control.is_two_way() => WayBack::Never,
        Some(why) => WayBack::NotNow(why),
        None => WayBack::Open,
    }
}
