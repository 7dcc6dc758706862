//! The edge: links, threads, files and the clipboard. Effects are carried out here, and what comes back are messages.

mod autodetect;
mod copy;
mod export;
mod formats;
mod lookup;
mod names;
mod plugins;
mod port;
mod record;
mod rows;
mod threads;

use std::io;

use crossbeam_channel::Sender;
use spytui_engine::{
    format_files::FormatFiles,
    link::{Link, LinkKind, LinkOptions, LinkSpec},
    plugin::Options,
};
use spytui_plugin_api::{Fault, guard};

pub use port::Port;

use crate::{
    action::History,
    app_log::{self, Level},
    cli::{
        auto::{self, Chosen},
        decoders,
    },
    config::state_file,
    demo,
    model::{ControlLine, DecodeRequest, Effect, Message, Model, links::Autodetect},
    term::Output,
};
use formats::FormatWatch;
use rows::NewFile;
use threads::Threads;

/// Everything outside of the model.
pub struct Edge {
    /// Sessions and links of the sources, in the order of the model.
    ports: Vec<Port>,
    threads: Threads,
    wake: Sender<()>,
    /// Settings of links that are opened later.
    links: LinkOptions,
    /// Each file that is opened later gets the decoder that its bytes are for: the user named none.
    finds_decoders: bool,
    formats: Option<FormatWatch>,
}

impl Edge {
    /// With these ports; `wake` gets a message when there is something new.
    pub fn new(ports: Vec<Port>, wake: Sender<()>) -> Edge {
        let (threads, links) = (Threads::default(), LinkOptions::default());
        Edge { ports, threads, wake, links, finds_decoders: false, formats: None }
    }

    /// The same, with these settings for links that are opened later.
    #[must_use]
    pub fn with_links(self, links: LinkOptions) -> Edge {
        Edge { links, ..self }
    }

    /// The same, watching these format files.
    #[must_use]
    pub fn watching(self, files: FormatFiles) -> Edge {
        Edge { formats: FormatWatch::start(files, self.wake.clone()), ..self }
    }

    /// The same; `yes`: files that are opened later get the decoder that their bytes are for.
    #[must_use]
    pub fn finding_decoders(self, yes: bool) -> Edge {
        Edge { finds_decoders: yes, ..self }
    }

    /// Events since the last call.
    pub fn poll(&mut self, model: &Model) -> Vec<Message> {
        for fault in guard::late_faults() {
            app_log::note(Level::Error, "plugin", &fault.to_string());
        }
        let mut messages = self.threads.answers(model);
        messages.extend(self.formats.as_ref().and_then(FormatWatch::changed).map(Message::Formats));
        let decoders = model.links.registry.decoders().iter();
        messages.extend(decoders.flat_map(|decoder| decoder.formatting.take_failures()).map(Message::Failed));
        messages.push(Message::Status(self.ports.iter().map(Port::status).collect()));
        for (source, port) in self.ports.iter().enumerate() {
            messages.extend(port.link_events().into_iter().map(|event| Message::Link(source, event)));
        }
        let problem = model.links.shown().find_map(|source| source.log().take_problem());
        messages.extend(problem.map(Message::Failed));
        let lines = app_log::take();
        if !lines.is_empty() {
            messages.push(Message::Logged(lines));
        }
        messages
    }

    /// Carries out an effect. Effects on the terminal need `output` and are ignored without it.
    pub fn carry_out(
        &mut self,
        effect: Effect,
        model: &Model,
        output: Option<&mut Output>,
    ) -> io::Result<Vec<Message>> {
        let mut answers = Vec::new();
        match effect {
            Effect::Redraw => {
                if let Some(output) = output {
                    output.redraw();
                }
            }
            Effect::Suspend => output.map_or(Ok(()), Output::suspend)?,
            Effect::Mouse(on) => output.map_or(Ok(()), |output| output.terminal().set_mouse(on))?,
            Effect::Copy { what, text } => answers.push(copy::copy(output, &model.settings.config, what, &text)?),
            Effect::CopyRows(selection, collapse) => {
                let (text, what) = rows::text(&selection, collapse);
                answers.push(copy::copy(output, &model.settings.config, what, &text)?);
            }
            Effect::Log { level, source, text } => app_log::note(level, &source, &text),
            Effect::SaveHistory(kind, line) => {
                keep_history(state_file("history").map_or(Ok(()), |file| History::append(&file, kind, &line)));
            }
            Effect::MarkFailed(kind, line) => {
                keep_history(state_file("history").map_or(Ok(()), |file| History::append_failed(&file, kind, &line)));
            }
            Effect::LookUp(query) => answers.push(lookup::look_up(query)),
            Effect::OpenLink { spec, decode } => {
                let target = decode.target;
                let (opened, doubt) = match self.open(spec, decode, model) {
                    Ok((port, doubt)) => (Ok(port), doubt),
                    Err(error) => (Err(error), None),
                };
                answers.push(self.add(opened, target, false));
                answers.extend(doubt.map(Message::Failed));
            }
            Effect::Close(sources) => answers.push(self.close(sources)),
            Effect::OpenPeer { source, index, decode } => {
                let target = decode.target;
                if let Some(peer) = self.ports.get(source).and_then(|port| port.peer(index)) {
                    let sender = self.ports.get(source).and_then(Port::link).and_then(|link| link.sender(index));
                    let opened = opened(Port::of_peer(&peer, (source, sender), decode, self.wake.clone()));
                    let is_open = opened.is_ok();
                    answers.push(self.add(opened, target, true));
                    answers.extend(is_open.then(|| self.record_joined(source)).flatten());
                }
            }
            Effect::Switch { sources, decoder, options, said } => {
                let switched = sources.iter().try_for_each(|&source| match self.ports.get_mut(source) {
                    Some(port) => port.switch(&decoder, &options),
                    None => Ok(()),
                });
                answers.push(answer(switched.map(|()| said)));
            }
            Effect::SendCommand { source, command } => {
                let sent = self.ports.get(source).map(|port| port.send(*command));
                answers.extend(sent.and_then(Result::err).map(Message::Refused));
            }
            Effect::SetBaud { source, rate } => {
                if let Some(link) = self.ports.get(source).and_then(Port::link) {
                    link.set_baud(rate);
                }
            }
            Effect::SetControlLine { source, line, on } => match (self.ports.get(source).and_then(Port::link), line) {
                (Some(link), ControlLine::Dtr) => link.set_dtr(on),
                (Some(link), ControlLine::Rts) => link.set_rts(on),
                (None, _) => {}
            },
            Effect::Record { sources, path, quit } => answers.extend(self.record(&sources, path, quit, model)),
            Effect::StopRecording(sources) => answers.push(answer(self.stop_recording(&sources))),
            Effect::WriteRows(selection, path) => match NewFile::create(&selection, &path) {
                Ok(file) => answers.extend(self.threads.write(self.wake.clone(), move || file.write(&selection))),
                Err(error) => answers.push(Message::Refused(error)),
            },
            Effect::ExportPerfetto { decoding, path } => match export::check(&path) {
                Ok(()) => {
                    let export = move || export::perfetto(&decoding, &path);
                    answers.extend(self.threads.write(self.wake.clone(), export));
                }
                Err(error) => answers.push(Message::Refused(error)),
            },
            Effect::WriteText { path, text, said } => {
                answers.push(answer(names::write(&path, &text).map(|()| said)));
            }
            Effect::SetName { from, space, key, name } => names::set(&from, space, key, &name),
            Effect::ClearNames(decodings) => {
                decodings.iter().for_each(|decoding| decoding.edit(|state| state.dictionary.forget_all()));
            }
            Effect::LoadNames { path, decodings } => answers.push(names::load(&path, &decodings)),
            Effect::SuggestSizes { source, decoding, options, logs } => {
                self.threads.find_out(source, autodetect::sizes(decoding, options, logs), self.wake.clone());
            }
            Effect::AskDecoders { decoding, decoders, asked_by_user: true, .. } => {
                answers.push(autodetect::ask(&decoding, &decoders, true));
            }
            Effect::AskDecoders { source, decoding, decoders, .. } => {
                let ask = move || autodetect::ask(&decoding, &decoders, false);
                self.threads.find_out(source, ask, self.wake.clone());
            }
            Effect::CheckFormats(path) => {
                let registry = model.links.registry.clone();
                answers.extend(self.threads.write(self.wake.clone(), move || formats::check(path, &registry)));
            }
            Effect::LoadFormats(path) => {
                let loaded = self.formats.as_ref().map(|watch| watch.add(path));
                answers.extend(loaded.and_then(Result::err).map(Message::Refused));
            }
            Effect::LoadPlugin(path) => answers.push(plugins::load(model, path)),
            Effect::ReloadPlugin(id) => answers.push(plugins::reload(model, id)),
        }
        Ok(answers)
    }

    /// Closes ports. Dropping one ends its link and completes its recording.
    fn close(&mut self, mut sources: Vec<usize>) -> Message {
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
        let (decode, doubt) = match own_decoder(&link, &self.links, model) {
            Ok(Some((decoder, options))) if self.finds_decoders => (DecodeRequest { decoder, options, ..decode }, None),
            Err(text) if self.finds_decoders => return Err(format!("{text}. --proto forces one.")),
            Err(text) => (decode, Some(format!("{text}."))),
            Ok(_) => (decode, None),
        };
        // A live link has sent nothing yet to find the decoder by.
        let is_open = self.finds_decoders && link.is_live() && link.spec().core.is_none();
        let decode = as_recorded(decode, &link, model);
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
    fn add(&mut self, opened: Result<Port, String>, target: usize, peer: bool) -> Message {
        match opened {
            Ok(port) => {
                let mut source = Box::new(port.source(target));
                if port.decoder_is_open {
                    source.autodetect = Autodetect::to_choose(Vec::new());
                }
                self.ports.push(port);
                Message::Opened { source, peer }
            }
            Err(error) => Message::Refused(error),
        }
    }
}

/// The protocol of `demo:PROTO`, unless there is such a file.
fn demo_of(spec: &LinkSpec) -> Option<String> {
    match &spec.kind {
        LinkKind::Path(path) if !path.exists() => Some(path.to_str()?.strip_prefix(demo::SCHEME)?.to_owned()),
        _ => None,
    }
}

/// A history that can't be kept is no reason to stop.
fn keep_history(saved: io::Result<()>) {
    if let Err(error) = saved {
        app_log::note(Level::Warning, "history", &error.to_string());
    }
}

/// The decoder that the beginning of a file is for, if that is certain. Recordings and cores of a target have theirs.
///
/// # Errors
/// It is text, or a configured option is not for it; in words.
fn own_decoder(link: &Link, options: &LinkOptions, model: &Model) -> Result<Option<Chosen>, String> {
    let spec = link.spec();
    if link.recording().is_some() || spec.core.is_some() || options.follow {
        return Ok(None);
    }
    let found = auto::of_file(&model.links.registry, std::slice::from_ref(spec), options.input, true)?;
    let Some(found) = found else { return Ok(None) };
    let configured = model.settings.config.options_of(&found.decoder.info.id);
    let options = Options::parse(&found.decoder.info, &configured).map_err(|error| error.to_string())?;
    Ok(Some((found.decoder, options)))
}

/// A recording that is a target of its own is decoded with its own decoder and options.
fn as_recorded(decode: DecodeRequest, link: &Link, model: &Model) -> DecodeRequest {
    let own = link.recording().filter(|_| link.spec().core.is_none());
    match own.and_then(|head| decoders::of_recording(&model.links.registry, head)) {
        Some((decoder, options)) => DecodeRequest { decoder, options, ..decode },
        None => decode,
    }
}

fn opened(port: Result<Port, Fault>) -> Result<Port, String> {
    port.map_err(|fault| fault.to_string())
}

/// The message for the result of what a command asked for.
fn answer(result: Result<String, impl ToString>) -> Message {
    match result {
        Ok(said) => Message::Done(said),
        Err(error) => Message::Refused(error.to_string()),
    }
}

/// The message for the result of an operation that took its time.
fn result(result: Result<String, impl ToString>) -> Message {
    match result {
        Ok(said) => Message::Done(said),
        Err(error) => Message::Failed(error.to_string()),
    }
}
