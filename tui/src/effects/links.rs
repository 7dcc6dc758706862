//! Links of the sources: opened, closed, decoded again, changed, sent to.

use std::sync::Arc;

use spytui_engine::{
    decode::pattern,
    device::control::Prepared,
    io::link::{Link, LinkKind, LinkOptions, LinkSpec},
    open::{Chosen, Decoder, Opener, Options},
};
use spytui_plugin_api::Fault;

use super::{Edge, Port};
use crate::{
    cli::failure,
    demo,
    model::{ControlLine, DecodeRequest, Message, Model, links::Autodetect},
};

impl Edge {
    /// Opens a link as a source.
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
        let Some(peer) = port.peer(index) else { return Vec::new() };
        let (target, sender) = (decode.target, port.link().and_then(|link| link.sender(index)));
        match opened(Port::of_peer(&peer, (source, sender), decode, self.wake.clone())) {
            Ok(port) => [self.add(port, target, true)].into_iter().chain(self.record_joined(source)).collect(),
            Err(error) => vec![Message::Refused(error)],
        }
    }

    /// Decodes sources again.
    pub(super) fn switch(&mut self, sources: &[usize], decoder: &Arc<Decoder>, options: &Options) -> Result<(), Fault> {
        sources.iter().try_for_each(|&source| match self.ports.get_mut(source) {
            Some(port) => port.switch(decoder, options),
            None => Ok(()),
        })
    }

    pub(super) fn send(&self, source: usize, command: Prepared) -> Option<Message> {
        self.ports.get(source)?.send(command).err().map(Message::Refused)
    }

    pub(super) fn link(&self, source: usize) -> Option<&Link> {
        self.ports.get(source)?.link()
    }

    pub(super) fn set_control_line(&self, source: usize, line: ControlLine, on: bool) {
        match (self.link(source), line) {
            (Some(link), ControlLine::Dtr) => link.set_dtr(on),
            (Some(link), ControlLine::Rts) => link.set_rts(on),
            (None, _) => {}
        }
    }

    /// Closes ports. Dropping one ends its link and completes its recording.
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

    /// Opens a link, with a doubt about what it contains.
    fn open(&self, spec: LinkSpec, decode: DecodeRequest, model: &Model) -> Result<(Port, Option<String>), String> {
        if let Some(proto) = demo_of(&spec) {
            return self.open_demo(&proto, decode, model);
        }
        let options = LinkOptions { watch: true, ..self.links.clone() };
        let link = Link::open(spec, options).map_err(|error| error.to_string())?;
        let opener = Opener {
            registry: &model.links.registry,
            proto: None,
            given: &[],
            recorded: &[],
            configured: Box::new(|proto| model.settings.config.options_of(proto)),
            is_reference: false,
            say: |text| failure::say(text),
            pattern,
        };
        let (decode, doubt) = match own_decoder(&link, &self.links, &opener) {
            Ok(Some((decoder, options))) if self.finds_decoders => (DecodeRequest { decoder, options, ..decode }, None),
            Err(text) if self.finds_decoders => return Err(format!("{text}. --proto forces one.")),
            Err(text) => (decode, Some(format!("{text}."))),
            Ok(_) => (decode, None),
        };
        // A live link has sent nothing yet to find the decoder by.
        let is_open = self.finds_decoders && link.is_live() && link.spec().core.is_none();
        let decode = as_recorded(decode, &link, &opener);
        let mut port = opened(Port::of_link(link, decode, self.wake.clone()))?;
        port.decoder_is_open = is_open;
        Ok((port, doubt))
    }

    /// Opens a demo beside the links.
    fn open_demo(&self, proto: &str, decode: DecodeRequest, model: &Model) -> Result<(Port, Option<String>), String> {
        let registry = &model.links.registry;
        let link = demo::open(proto, None, registry, self.links.clone())?;
        let decoder = registry.find(proto).map_err(|error| error.to_string())?;
        let options = Options::parse(&decoder.info, demo::options(proto)).map_err(|error| error.to_string())?;
        let decode = DecodeRequest { decoder, options, ..decode };
        Ok((opened(Port::of_link(link, decode, self.wake.clone()))?, None))
    }

    /// Adds a port that was opened.
    fn add(&mut self, port: Port, target: usize, peer: bool) -> Message {
        let mut source = Box::new(port.source(target));
        if port.decoder_is_open {
            source.autodetect = Autodetect::to_choose(Vec::new());
        }
        self.ports.push(port);
        Message::Opened { source, peer }
    }
}

/// The protocol of `demo:PROTO`, unless there is such a file.
fn demo_of(spec: &LinkSpec) -> Option<String> {
    match &spec.kind {
        LinkKind::Path(path) if !path.exists() => Some(path.to_str()?.strip_prefix(demo::SCHEME)?.to_owned()),
        _ => None,
    }
}

/// The decoder that the beginning of a file is for, if that is certain. Recordings and cores of a target have theirs.
///
/// # Errors
/// It is text, or a configured option is not for it; in words.
fn own_decoder(link: &Link, options: &LinkOptions, opener: &Opener<'_>) -> Result<Option<Chosen>, String> {
    let spec = link.spec();
    if link.recording().is_some() || spec.core.is_some() || options.follow {
        return Ok(None);
    }
    let found = opener.of_file(std::slice::from_ref(spec), options.input, options.undo, true)?;
    found.map(|found| opener.of_found(&found)).transpose()
}

/// A recording that is a target of its own is decoded with its own decoder and options.
fn as_recorded(decode: DecodeRequest, link: &Link, opener: &Opener<'_>) -> DecodeRequest {
    let own = link.recording().filter(|_| link.spec().core.is_none());
    match own.and_then(|head| opener.of_recording(head)) {
        Some((decoder, options)) => DecodeRequest { decoder, options, ..decode },
        None => decode,
    }
}

fn opened(port: Result<Port, Fault>) -> Result<Port, String> {
    port.map_err(|fault| fault.to_string())
}
