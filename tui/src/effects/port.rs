//! A source outside the model: its link, session and recording; opening, closing and recording sources.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Instant};

use crossbeam_channel::Sender;
use spytui_engine::{
    decode::{Chosen, Opener},
    device::{
        control::{Control, Prepared},
        front_end::FrontEndServer,
    },
    io::{
        link::{Link, LinkCounters, LinkFacts, LinkKind, LinkOptions, LinkSender, LinkSpec, LinkState},
        log::{RawLog, RecordPhase, RecordState, Recorder},
    },
    open::{Decoder, Options},
    present::clock::grouped,
    trace::session::{Session, SessionOptions},
};
use spytui_plugin_api::{self as plugin, Fault};

use super::{Edge, memory::mark_recorded};
use crate::{
    app_log::{self, LogLevel},
    cli::failure,
    demo,
    model::{
        DecodeRequest, Message, Model, console,
        links::{Autodetect, Source, SourceOrigin, SourceStatus, WayBack},
        resume::marks_of,
    },
    recording::{self, RecordedSource, RecordingPlan, SourceName},
    watching::TriggerWatch,
    writing::{ONE_SOURCE, WriteRequest, WrittenFiles},
};

enum Feed {
    Link(Box<Link>),
    Peer {
        name: String,
        /// Index of the port with the link.
        link: usize,
    },
}

impl Feed {
    fn source_name(&self) -> SourceName {
        match self {
            Feed::Link(link) => SourceName::of_link(link.spec()),
            Feed::Peer { name, .. } => SourceName::of_word(name),
        }
    }
}

/// A link, or a stream of one, with its session.
pub struct LinkPort {
    feed: Feed,
    session: Session,
    pub control: Arc<Control>,
    front_end: Option<FrontEndServer>,
    pub(super) recorder: Option<Recorder>,
    /// How streams that join are recorded.
    pub(super) plan: Option<RecordingPlan>,
    /// The decoder is preliminary until the bytes show the right one.
    pub decoder_is_open: bool,
    /// Triggers, by number.
    pub(super) triggers: Vec<(u64, TriggerWatch)>,
    /// Files that are written while bytes arrive, and those that wait for the decoder.
    written: WrittenFiles,
    to_write: Vec<WriteRequest>,
}

impl LinkPort {
    /// Decodes the first stream of a link. Errors: the options conflict.
    pub fn of_link(link: Link, decode: DecodeRequest, wake: Sender<()>) -> Result<LinkPort, Fault> {
        let (log, core) = (link.sources().remove(0).log, link.spec().core);
        let sender = link.sender(0);
        LinkPort::new(Feed::Link(Box::new(link)), log, sender, core, decode, wake)
    }

    /// Opens a console beside a trace, for which other options of the links are meant. Errors: it can't be opened.
    pub fn console(
        spec: LinkSpec,
        options: &LinkOptions,
        decode: DecodeRequest,
        wake: Sender<()>,
    ) -> Result<LinkPort, String> {
        let options = LinkOptions { watch: true, frames: None, input: None, undo: None, ..options.clone() };
        opened(LinkPort::of_link(Link::open(spec, options)?, decode, wake))
    }

    fn new(
        feed: Feed,
        log: Arc<RawLog>,
        sender: Option<LinkSender>,
        core: Option<u16>,
        decode: DecodeRequest,
        wake: Sender<()>,
    ) -> Result<LinkPort, Fault> {
        let settings = SessionOptions { source: decode.source, core, memory: decode.memory };
        let session = Session::start(log, decode.decoder, decode.options, settings, wake.clone())?;
        let control = Arc::new(Control::start(session.log().clone(), session.follow(), sender, wake));
        let (front_end, written, to_write) = (None, WrittenFiles::of_link(feed.source_name().word), Vec::new());
        let (recorder, plan, decoder_is_open, triggers) = (None, None, false, Vec::new());
        Ok(LinkPort { feed, session, control, front_end, recorder, plan, decoder_is_open, triggers, written, to_write })
    }

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

    pub fn status(&self) -> SourceStatus {
        self.session.look();
        let link = self.link();
        SourceStatus {
            decoding: self.session.current(),
            state: link
                .map_or(if self.session.log().ended() { LinkState::Ended } else { LinkState::Live }, Link::state),
            facts: link.map_or_else(LinkFacts::default, Link::facts),
            counters: link.map_or_else(LinkCounters::default, Link::counters),
            hint: link.and_then(Link::hint),
            recording: self.recorder.as_ref().map(Recorder::state),
            control: Some(self.control.clone()),
            way_back: way_back(&self.control),
            target: self.control.status(),
            front_end: self.front_end.as_ref().map(FrontEndServer::status),
        }
    }

    /// Serves front ends there, and no longer where they were served before. Errors: there are none for its protocol, or
    /// the address is taken.
    pub fn serve(&mut self, address: SocketAddr) -> Result<SocketAddr, String> {
        self.front_end = None;
        let server = FrontEndServer::start(address, &self.session.current(), &self.control)?;
        let address = server.status().address;
        self.front_end = Some(server);
        Ok(address)
    }

    pub fn is_recording(&self) -> bool {
        self.recorder.as_ref().is_some_and(|recorder| recorder.state().phase == RecordPhase::Recording)
    }

    /// Decodes everything again. Errors: the options conflict; nothing has changed.
    pub fn switch(&mut self, decoder: &Arc<Decoder>, options: &Options) -> Result<(), Fault> {
        self.session.switch(decoder.clone(), options.clone())?;
        self.decoder_is_open = false;
        let address = self.front_end.take().map(|server| server.status().address);
        if let Some(Err(error)) = address.map(|address| self.serve(address)) {
            app_log::note(LogLevel::Warning, "front end", &error);
        }
        if let Some(recorder) = &self.recorder {
            // Without it, whoever opens the recording guesses from its bytes.
            let _ = recorder.name(&decoder.info.id, &options.to_keep(&decoder.info));
        }
        Ok(())
    }

    /// Writes files while bytes arrive, once the decoder is known. Errors: why one can't be written.
    pub fn write(&mut self, requests: Vec<WriteRequest>) -> Result<(), String> {
        if self.decoder_is_open {
            self.to_write.extend(requests);
            return Ok(());
        }
        let (chosen, source) = self.chosen();
        self.written.start(&requests, self.session.log(), &chosen, source)
    }

    pub(super) fn chosen(&self) -> (Chosen, plugin::Source) {
        let decoding = self.session.current();
        let source = plugin::Source { index: decoding.source, core: decoding.core };
        ((decoding.decoder.clone(), decoding.options.clone()), source)
    }

    /// Starts files that waited for the decoder; returns what failed since the last call.
    pub(super) fn look_at_files(&mut self) -> Vec<String> {
        let waiting = std::mem::take(&mut self.to_write);
        let mut failures: Vec<String> = self.write(waiting).err().into_iter().collect();
        if let Some(server) = &self.front_end {
            let (chosen, source) = self.chosen();
            failures.extend(self.written.switch(&server.take_files(), self.session.log(), &chosen, source));
        }
        failures.extend(self.written.take_failures());
        failures
    }

    /// What recording it needs: name, log and header.
    pub(super) fn to_record(&self) -> RecordedSource {
        let link = match &self.feed {
            Feed::Link(link) => link.spec().to_string(),
            Feed::Peer { name, .. } => name.clone(),
        };
        let (chosen, _) = self.chosen();
        let formats = chosen.0.formatting.lines.text();
        let head = recording::head(link, formats, Some(&chosen).filter(|_| !self.decoder_is_open));
        RecordedSource { name: self.feed.source_name(), log: self.session.log().clone(), head }
    }
}

fn way_back(control: &Control) -> WayBack {
    match control.cannot_send() {
        _ if !control.is_two_way() => WayBack::Never,
        Some(why) => WayBack::NotNow(why),
        None => WayBack::Open,
    }
}

impl Edge {
    pub(super) fn open_link(&mut self, spec: LinkSpec, decode: DecodeRequest, model: &Model) -> Vec<Message> {
        let target = decode.target;
        match self.open(spec, decode, model) {
            Ok((port, doubt)) => {
                [self.add(port, target, false)].into_iter().chain(doubt.map(Message::Failed)).collect()
            }
            Err(error) => vec![Message::Refused(error)],
        }
    }

    /// Decodes another stream of the link of a source, and records it with the others.
    pub(super) fn open_peer(&mut self, source: usize, index: usize, decode: DecodeRequest) -> Vec<Message> {
        let Some(port) = self.ports.get(source) else { return Vec::new() };
        let Some(link) = port.link() else { return Vec::new() };
        let Some(peer) = link.sources().into_iter().find(|peer| peer.index == index) else { return Vec::new() };
        let target = decode.target;
        let feed = Feed::Peer { name: peer.name, link: source };
        match opened(LinkPort::new(feed, peer.log, link.sender(index), None, decode, self.wake.clone())) {
            Ok(port) => [self.add(port, target, true)].into_iter().chain(self.record_joined(source)).collect(),
            Err(error) => vec![Message::Refused(error)],
        }
    }

    pub(super) fn switch(&mut self, sources: &[usize], decoder: &Arc<Decoder>, options: &Options) -> Result<(), Fault> {
        sources.iter().try_for_each(|&source| {
            let Some(port) = self.ports.get_mut(source) else { return Ok(()) };
            let all = port.decoder_is_open;
            port.switch(decoder, options)?;
            self.watch_source(source, all);
            Ok(())
        })
    }

    pub(super) fn send(&self, source: usize, command: Prepared) -> Option<Message> {
        self.ports.get(source)?.control.send(command, "typed").err().map(Message::Refused)
    }

    /// Sends bytes on a thread, as a line with flow control may not take them.
    pub(super) fn send_bytes(&mut self, source: usize, bytes: Vec<u8>, said: String) -> Option<Message> {
        let sender = self.ports.get(source)?.control.sender()?;
        let send = move || sender.write(&bytes).map(|()| said).map_err(|error| error.to_string());
        self.threads.write(send)
    }

    /// Serves front ends with the target of a source, or no longer.
    pub(super) fn serve(&mut self, source: usize, address: Option<SocketAddr>) -> Option<Message> {
        let port = self.ports.get_mut(source)?;
        let Some(address) = address else {
            let said =
                if port.front_end.take().is_some() { "front ends are no longer served" } else { "none was served" };
            return Some(Message::Done(said.to_owned()));
        };
        Some(super::answer(port.serve(address).map(|address| format!("front ends are served at udp {address}"))))
    }

    pub(super) fn link(&self, source: usize) -> Option<&Link> {
        self.ports.get(source)?.link()
    }

    /// Closes ports. Dropping a port ends its link and completes its recording.
    pub(super) fn close(&mut self, mut sources: Vec<usize>) -> Message {
        sources.sort_unstable();
        sources.dedup();
        sources.retain(|source| *source < self.ports.len());
        for &source in sources.iter().rev() {
            self.ports.remove(source);
        }
        self.threads.renumber(&sources);
        Message::Closed(sources)
    }

    /// Opens a link; also returns a doubt about its content.
    fn open(&self, spec: LinkSpec, decode: DecodeRequest, model: &Model) -> Result<(LinkPort, Option<String>), String> {
        if let Some(proto) = demo_of(&spec) {
            return self.open_demo(&proto, decode, model);
        }
        if console::is_for(&decode) {
            return Ok((LinkPort::console(spec, &self.links, decode, self.wake.clone())?, None));
        }
        let options = LinkOptions { watch: true, ..self.links.clone() };
        let link = Link::open(spec, options)?;
        let opener = Opener {
            registry: &model.links.registry,
            proto: None,
            given: &[],
            recorded: &[],
            configured: Box::new(|proto| model.settings.config.options_of(proto)),
            reference_form: None,
            say: |text| failure::say(text),
        };
        let (decode, doubt) = match own_decoder(&link, &self.links, &opener) {
            Ok(Some((decoder, options))) if self.finds_decoders => (DecodeRequest { decoder, options, ..decode }, None),
            Err(text) if self.finds_decoders => return Err(format!("{text}. --proto forces one.")),
            Err(text) => (decode, Some(format!("{text}."))),
            Ok(_) => (decode, None),
        };
        // A live link has not sent anything yet that shows its decoder.
        let is_open = self.finds_decoders && link.is_live() && link.spec().core.is_none();
        let decode = as_recorded(decode, &link, &opener);
        let mut port = opened(LinkPort::of_link(link, decode, self.wake.clone()))?;
        port.decoder_is_open = is_open;
        Ok((port, doubt))
    }

    fn open_demo(
        &self,
        proto: &str,
        decode: DecodeRequest,
        model: &Model,
    ) -> Result<(LinkPort, Option<String>), String> {
        let registry = &model.links.registry;
        let link = demo::open(proto, None, registry, self.links.clone())?;
        let decoder = registry.find(proto)?;
        let options = Options::parse(&decoder.info, demo::options(proto)).map_err(|error| error.to_string())?;
        let decode = DecodeRequest { decoder, options, ..decode };
        Ok((opened(LinkPort::of_link(link, decode, self.wake.clone()))?, None))
    }

    fn add(&mut self, port: LinkPort, target: usize, peer: bool) -> Message {
        let mut source = Box::new(port.source(target));
        if port.decoder_is_open {
            source.autodetect = Autodetect::to_choose(Vec::new());
        }
        self.ports.push(port);
        self.watch_source(self.ports.len() - 1, true);
        Message::Opened { source, peer }
    }

    /// Starts a recording of every source; returns failures.
    pub fn record_all(&mut self, plan: &RecordingPlan) -> Result<Vec<String>, String> {
        let sources: Vec<usize> = (0..self.ports.len()).collect();
        self.start_recordings(plan, &sources).map(|started| started.failures)
    }

    pub fn is_recording(&self) -> bool {
        self.ports.iter().any(LinkPort::is_recording)
    }

    /// Completes all recordings and other files that are being written; returns messages about failed ones.
    pub fn finish_recordings(&mut self, model: &Model) -> Vec<String> {
        let mut failures = Vec::new();
        for (source, port) in self.ports.iter_mut().enumerate() {
            let Some(state) = port.recorder.as_mut().map(Recorder::stop) else { continue };
            failures.extend(failure_text(&state));
            failures.extend(mark_recorded(&state, marks_of(model, source)).err());
        }
        failures.extend(self.ports.iter_mut().flat_map(|port| port.written.finish().1));
        failures
    }

    /// Writes files of the only source besides consoles, which come last. Errors: there are several, or one can't be written.
    pub fn write_at_start(&mut self, requests: &[WriteRequest], consoles: usize) -> Result<(), String> {
        let traces = self.ports.len().saturating_sub(consoles);
        match &mut self.ports[..traces] {
            _ if requests.is_empty() => Ok(()),
            [port] => port.write(requests.to_vec()),
            _ => Err(ONE_SOURCE.to_owned()),
        }
    }

    pub(super) fn write_live(&mut self, source: usize, request: WriteRequest) -> Message {
        let Some(port) = self.ports.get_mut(source) else { return Message::Refused(ONE_SOURCE.to_owned()) };
        let said = format!("writing {request} with everything received so far");
        super::answer(port.write(vec![request]).map(|()| said))
    }

    pub(super) fn stop_writing(&mut self, source: usize) -> Message {
        let (count, failures) = self.ports.get_mut(source).map(|port| port.written.finish()).unwrap_or_default();
        super::answer(match count {
            0 => Err("nothing is being written".to_owned()),
            _ if !failures.is_empty() => Err(failures.join("; ")),
            1 => Ok("the file is complete".to_owned()),
            count => Ok(format!("{count} files are complete")),
        })
    }

    pub(super) fn record(
        &mut self,
        sources: &[usize],
        path: Option<PathBuf>,
        quit: bool,
        model: &Model,
    ) -> Vec<Message> {
        let plan = RecordingPlan::new(&model.settings.config, path);
        let sources = self.with_streams_of_their_links(sources);
        let started = match self.start_recordings(&plan, &sources) {
            Ok(started) => started,
            Err(error) => return vec![Message::Refused(error)],
        };
        if !started.failures.is_empty() {
            return vec![Message::Refused(started.failures.join("; "))];
        }
        if quit {
            // The recording is complete when stopped.
            return match self.stop_recording(&sources, model) {
                Ok(said) => vec![Message::Saved { said, paths: started.paths }],
                Err(error) => vec![Message::Refused(error)],
            };
        }
        let gone: u64 = model.links.shown().map(|source| source.log().first()).sum();
        let gone = if gone > 0 { format!("; the first {} B are gone", grouped(gone)) } else { String::new() };
        let names = started.names.join(", ");
        vec![Message::Done(format!("recording to {names} with everything received so far{gone}"))]
    }

    /// Records the newest source if its link is being recorded.
    pub(super) fn record_joined(&mut self, link: usize) -> Option<Message> {
        let plan = self.ports.get(link)?.plan.clone()?;
        let number = u16::try_from(self.ports.len() - 1).unwrap_or(u16::MAX);
        let port = self.ports.last_mut()?;
        match plan.join(number, port.to_record()) {
            Ok(recorder) => {
                port.recorder = Some(recorder);
                None
            }
            Err(text) => Some(Message::Failed(text)),
        }
    }

    fn start_recordings(&mut self, plan: &RecordingPlan, sources: &[usize]) -> Result<Started, String> {
        let subjects = sources.iter().map(|&source| self.ports[source].to_record()).collect();
        let mut started = Started::default();
        for (&source, recording) in sources.iter().zip(plan.start(subjects)?) {
            match recording {
                Ok((recorder, path)) => {
                    started.paths.push(recorder.state().path);
                    started.names.push(path.display().to_string());
                    self.ports[source].recorder = Some(recorder);
                    self.ports[source].plan = Some(plan.clone());
                }
                Err(text) => started.failures.push(text),
            }
        }
        Ok(started)
    }

    pub(super) fn stop_recording(&mut self, sources: &[usize], model: &Model) -> Result<String, String> {
        let (mut words, mut failures) = (Vec::new(), Vec::new());
        for source in self.with_streams_of_their_links(sources) {
            let port = &mut self.ports[source];
            port.plan = None;
            if let Some(mut recorder) = port.recorder.take() {
                let state = recorder.stop();
                failures.extend(failure_text(&state));
                failures.extend(mark_recorded(&state, marks_of(model, source)).err());
                words.push(format!("{} B in {}", grouped(state.bytes), state.names()));
            }
        }
        match (words.is_empty(), failures.is_empty()) {
            (true, _) => Err("nothing is being recorded".to_owned()),
            (false, true) => Ok(words.join(", ")),
            (false, false) => Err(failures.join("; ")),
        }
    }

    /// These sources, and all other streams of their links: a restarted target that sends from another port is one of
    /// them.
    fn with_streams_of_their_links(&self, sources: &[usize]) -> Vec<usize> {
        let link = |source: usize| match self.ports[source].feed {
            Feed::Peer { link, .. } => link,
            Feed::Link(_) => source,
        };
        let links: Vec<usize> = sources.iter().map(|&source| link(source)).collect();
        (0..self.ports.len()).filter(|&source| links.contains(&link(source))).collect()
    }
}

/// The protocol of `demo:PROTO`, unless there is such a file.
fn demo_of(spec: &LinkSpec) -> Option<String> {
    match &spec.kind {
        LinkKind::Path(path) if !path.exists() => Some(path.to_str()?.strip_prefix(demo::SCHEME)?.to_owned()),
        _ => None,
    }
}

/// The decoder that the beginning of a file shows, if certain. Recordings and cores of a target have their own. Errors:
/// a message if it is text, or if a configured option does not apply.
fn own_decoder(link: &Link, options: &LinkOptions, opener: &Opener<'_>) -> Result<Option<Chosen>, String> {
    let spec = link.spec();
    if link.recording.is_some() || spec.core.is_some() || options.follow {
        return Ok(None);
    }
    let found = opener.of_file(std::slice::from_ref(spec), options, true)?;
    found.map(|found| opener.of_found(&found)).transpose()
}

/// A recording that is a separate target is decoded with its own decoder and options.
fn as_recorded(decode: DecodeRequest, link: &Link, opener: &Opener<'_>) -> DecodeRequest {
    let own = link.recording.as_ref().filter(|_| link.spec().core.is_none());
    match own.and_then(|head| opener.of_recording(head)) {
        Some((decoder, options)) => DecodeRequest { decoder, options, ..decode },
        None => decode,
    }
}

fn opened(port: Result<LinkPort, Fault>) -> Result<LinkPort, String> {
    port.map_err(|fault| fault.to_string())
}

#[derive(Debug, Default)]
struct Started {
    names: Vec<String>,
    /// Their files of bytes.
    paths: Vec<PathBuf>,
    failures: Vec<String>,
}

fn failure_text(state: &RecordState) -> Option<String> {
    state.failure().map(|failure| format!("{}: {failure}", state.path.display()))
}
