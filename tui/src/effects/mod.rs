//! The edge: links, threads, files and the clipboard. Carries out effects and returns messages.

mod memory;
mod names;
mod plugins;
mod port;
mod rows;
mod triggers;

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use crossbeam_channel::{Receiver, Sender, bounded};
use spytui_engine::{
    decode::guess::{SAMPLE, likely, of_target, pattern, sample_of},
    io::{
        format_files::FormatFiles,
        link::{self, LinkOptions},
        log::RawLog,
    },
    open::{Decoder, Options},
    present::words::quoted,
    trace::session::Decoding,
};
use spytui_plugin_api::guard;

use crate::{
    app_log::{self, LogLevel},
    cli::formats::FormatWatch,
    config::{self, SAVED_FILTERS, state_file},
    input::{Choice, History, PathLookup, escaped, unescaped},
    model::{Effect, Message, Model, links::renumbered, prompt::LookedUp},
    recording::RecordingPlan,
    term::ScreenOutput,
};
use memory::RecordedMarks;
use plugins::PluginWatch;
use triggers::SetTrigger;

pub use port::LinkPort;

pub struct Edge {
    /// Sessions and links of the sources, in the order of the model.
    ports: Vec<LinkPort>,
    threads: Threads,
    wake: Sender<()>,
    /// Settings of links opened later.
    pub links: LinkOptions,
    /// Files opened later get the decoder that their bytes show, as the user named none.
    pub finds_decoders: bool,
    /// Nothing is taken from earlier runs.
    pub is_fresh: bool,
    /// Marks of recordings, as they were read.
    recorded_marks: RecordedMarks,
    /// Records that a recording played step by step may have sent.
    pub steps: Option<Arc<AtomicU64>>,
    triggers: Vec<SetTrigger>,
    formats: Option<FormatWatch>,
    plugins: Option<PluginWatch>,
}

impl Edge {
    /// `wake` is notified of news. Nothing is watched yet.
    pub fn new(ports: Vec<LinkPort>, wake: Sender<()>) -> Edge {
        Edge {
            ports,
            threads: Threads { wake: wake.clone(), writing: Vec::new(), autodetect: HashMap::new() },
            wake,
            links: LinkOptions::default(),
            finds_decoders: false,
            steps: None,
            triggers: Vec::new(),
            is_fresh: false,
            recorded_marks: RecordedMarks::default(),
            formats: None,
            plugins: None,
        }
    }

    pub fn watch(&mut self, files: FormatFiles) {
        self.formats = FormatWatch::start(files, self.wake.clone());
        self.plugins = PluginWatch::start(self.wake.clone());
    }

    /// Events since the last call.
    pub fn poll(&mut self, model: &Model) -> Vec<Message> {
        for fault in guard::late_faults() {
            app_log::note(LogLevel::Error, "plugin", &fault.to_string());
        }
        // Decodings first: an answer may be about one that is no longer shown.
        let mut messages = vec![Message::Status(self.ports.iter().map(LinkPort::status).collect())];
        messages.extend(self.threads.answers(model));
        messages.extend(self.formats.as_ref().and_then(FormatWatch::changed).map(Message::Formats));
        if let Some(watch) = &mut self.plugins {
            watch.set(&model.links.registry);
            messages.extend(watch.changes.try_recv().map(Message::PluginChanged));
        }
        let decoders = model.links.registry.decoders.iter();
        messages.extend(decoders.flat_map(|decoder| decoder.formatting.take_failures()).map(Message::Failed));
        messages.extend(self.ports.iter_mut().flat_map(LinkPort::look_at_files).map(Message::Failed));
        for (source, port) in self.ports.iter().enumerate() {
            let events = port.link().into_iter().flat_map(|link| link.events.try_iter());
            messages.extend(events.map(|event| Message::Link(source, event)));
        }
        let problem = model.links.shown().find_map(|source| source.log().take_problem());
        messages.extend(problem.map(Message::Failed));
        messages.extend(self.trigger_news());
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
        output: Option<&mut ScreenOutput>,
    ) -> io::Result<Vec<Message>> {
        let mut answers = Vec::new();
        match effect {
            Effect::Redraw => output.map_or((), ScreenOutput::redraw),
            Effect::Suspend => output.map_or(Ok(()), ScreenOutput::suspend)?,
            Effect::Mouse(on) => output.map_or(Ok(()), |output| output.terminal.set_mouse(on))?,
            Effect::Copy { what, text } => answers.push(rows::copy(output, &model.settings.config, what, &text)?),
            Effect::CopyRows(selection, collapse) => {
                let (text, what) = rows::text(&selection, collapse);
                answers.push(rows::copy(output, &model.settings.config, what, &text)?);
            }
            Effect::Log { level, source, text } => app_log::note(level, &source, &text),
            Effect::SaveFilter(name, filter) => answers.extend(save_filter(&name, &filter)),
            Effect::SaveHistory(kind, line) => keep_history(|file| History::append(file, kind, &line, false)),
            Effect::MarkFailed(kind, line) => keep_history(|file| History::append(file, kind, &line, true)),
            Effect::LookUp(query) => answers.push(look_up(query)),
            Effect::OpenLink(spec, decode) => answers.extend(self.open_link(spec, decode, model)),
            Effect::OpenPeer { source, index, decode } => answers.extend(self.open_peer(source, index, decode)),
            Effect::Resume(scope) => answers.extend(self.resume(&scope, model)),
            Effect::Forget(scope) => self.forget(&scope, model),
            Effect::Close(sources) => {
                answers.extend(self.remember(model).map(Message::Failed));
                answers.push(self.close(sources));
            }
            Effect::Switch { sources, decoder, options, said } => {
                answers.push(answer(self.switch(&sources, &decoder, &options).map(|()| said)));
            }
            Effect::SendCommand { source, command } => answers.extend(self.send(source, *command)),
            Effect::ServeFrontEnd { source, address } => answers.extend(self.serve(source, address)),
            Effect::SetLine(source, command) => self.link(source).map_or((), |link| link.command(command)),
            Effect::SendBytes { source, bytes, said } => answers.extend(self.send_bytes(source, bytes, said)),
            Effect::Pulse { source, begin, end, time } => {
                let pulse = self.link(source).map(|link| link.pulse(begin, end, time));
                answers.extend(pulse.and_then(Result::err).map(Message::Refused));
            }
            Effect::Record { sources, path, quit } => answers.extend(self.record(&sources, path, quit, model)),
            Effect::StopRecording(sources) => answers.push(answer(self.stop_recording(&sources, model))),
            Effect::WriteLive(source, request) => answers.push(self.write_live(source, request)),
            Effect::StopWriting(source) => answers.push(self.stop_writing(source)),
            Effect::WriteDictionary(decoding, path) => answers.extend(self.write_dictionary(decoding, path)),
            Effect::WriteRows(selection, path) => answers.extend(self.write_rows(selection, path)),
            Effect::ExportPerfetto(decoding, path) => answers.extend(self.export_perfetto(decoding, path)),
            Effect::ExportSequence(decodings, wanted, path) => {
                answers.extend(self.export_sequence(decodings, wanted, path));
            }
            Effect::WriteText { path, text, said } => answers.push(answer(names::write(&path, &text).map(|()| said))),
            Effect::Compare(decodings, path) => answers.extend(self.compare(decodings, path)),
            Effect::LoadNames(path, decodings) => answers.push(names::load(&path, &decodings)),
            Effect::SuggestSizes { source, decoding, options, logs } => {
                self.threads.find_out(source, sizes(decoding, options, logs));
            }
            Effect::AskDecoders { source, decoding, decoders, asked_by_user } => {
                let ask = move || ask(&decoding, &decoders, asked_by_user);
                match asked_by_user {
                    true => answers.push(ask()),
                    false => self.threads.find_out(source, ask),
                }
            }
            Effect::CheckFormats(path) => {
                let registry = model.links.registry.clone();
                answers.extend(self.threads.write(move || plugins::check(path, &registry)));
            }
            Effect::LoadFormats(path) => {
                let loaded = self.formats.as_ref().map(|watch| watch.add(path));
                answers.extend(loaded.and_then(Result::err).map(Message::Refused));
            }
            Effect::LoadPlugin(path) => answers.push(plugins::load(model, path)),
            Effect::SetTrigger { id, rule, expr, all } => {
                let destination = RecordingPlan::new(&model.settings.config, None).destination;
                answers.extend(self.set_trigger(SetTrigger { id, rule, expr, destination }, all));
            }
            Effect::RemoveTrigger(id) => self.remove_trigger(id),
            Effect::Bell => output.map_or(Ok(()), |output| output.terminal.write(b"\x07"))?,
            Effect::Step => match &self.steps {
                Some(steps) => _ = steps.fetch_add(1, Ordering::Relaxed),
                None => {
                    answers.push(Message::Refused("nothing is played record by record: spytui play FILE --step".into()))
                }
            },
            Effect::ReloadPlugin(name) => answers.push(plugins::reload(model, name)),
        }
        Ok(answers)
    }
}

/// Saves a filter for later runs; returns a message if that fails.
fn save_filter(name: &str, filter: &str) -> Option<Message> {
    let why = match state_file(SAVED_FILTERS) {
        Some(file) => config::save_filter(&file, name, filter).err()?.to_string(),
        None => "this user has no home folder".to_owned(),
    };
    Some(Message::Refused(format!("@{name} lasts until the program ends: {why}; [filters] in spytui.toml keeps it")))
}

/// Changes the history file; failures are ignored.
fn keep_history(save: impl FnOnce(&Path) -> io::Result<()>) {
    if let Some(Err(error)) = state_file("history").map(|file| save(&file)) {
        app_log::note(LogLevel::Warning, "history", &error.to_string());
    }
}

/// The message for the result of a command.
fn answer(result: Result<String, impl ToString>) -> Message {
    result.map_or_else(|error| Message::Refused(error.to_string()), Message::Done)
}

/// Running threads, each with a channel for its result.
struct Threads {
    /// Notified of each result.
    wake: Sender<()>,
    writing: Vec<Receiver<Message>>,
    /// Running autodetections, by source.
    autodetect: HashMap<usize, Receiver<Message>>,
}

impl Threads {
    /// Writes on a thread; the result is a message, returned at once if there is no thread.
    fn write(&mut self, work: impl FnOnce() -> Result<String, String> + Send + 'static) -> Option<Message> {
        self.answer("write", move || work().map_or_else(Message::Failed, Message::Done))
    }

    /// Works on a thread that gives a message; there is one at once if there is no thread.
    fn answer(&mut self, name: &str, work: impl FnOnce() -> Message + Send + 'static) -> Option<Message> {
        match self.spawn(name, work) {
            Ok(answer) => {
                self.writing.push(answer);
                None
            }
            Err(error) => Some(Message::Failed(format!("can't start the thread {name}: {error}"))),
        }
    }

    /// Runs a probe of the bytes of a source.
    fn find_out(&mut self, source: usize, work: impl FnOnce() -> Message + Send + 'static) {
        // Without a thread there is no answer.
        if let Ok(answer) = self.spawn("autodetect", work) {
            self.autodetect.insert(source, answer);
        }
    }

    fn spawn(&self, name: &str, work: impl FnOnce() -> Message + Send + 'static) -> io::Result<Receiver<Message>> {
        let ((send, answer), wake) = (bounded(1), self.wake.clone());
        thread::Builder::new().name(name.into()).spawn(move || {
            // Nobody may be waiting for the answer any more.
            let _ = send.send(work());
            let _ = wake.try_send(());
        })?;
        Ok(answer)
    }

    /// Renumbers the sources after some were closed.
    fn renumber(&mut self, closed: &[usize]) {
        let probes = std::mem::take(&mut self.autodetect).into_iter();
        let left = probes.filter(|(source, _)| !closed.contains(source));
        self.autodetect = left.map(|(source, probe)| (renumbered(source, closed), probe)).collect();
    }

    fn answers(&mut self, model: &Model) -> Vec<Message> {
        let mut messages = Vec::new();
        self.writing.retain(|writing| match writing.try_recv() {
            Ok(answer) => {
                messages.push(answer);
                false
            }
            Err(error) => error.is_empty(),
        });
        // An answer about a source that is not shown waits until it is.
        let shown = model.links.focus;
        if let Some(answer) = self.autodetect.get(&shown).and_then(|answer| answer.try_recv().ok()) {
            self.autodetect.remove(&shown);
            messages.push(answer);
        }
        messages
    }
}

/// Searches for field sizes that fit the bytes of a target, and with these for the pattern of damage.
fn sizes(decoding: Arc<Decoding>, options: Options, logs: Vec<Arc<RawLog>>) -> impl FnOnce() -> Message + Send {
    move || {
        let found = of_target(&decoding.decoder, &options, &logs);
        let with = found.as_ref().map_or(&options, |(with, _)| with);
        let of_log = |log: &Arc<RawLog>| pattern(&decoding.decoder, with, &sample_of(log)?);
        let pattern = logs.iter().find_map(of_log);
        Message::Sizes { decoding, found, pattern }
    }
}

/// Probes the newest bytes with all decoders.
fn ask(decoding: &Arc<Decoding>, decoders: &[Arc<Decoder>], asked_by_user: bool) -> Message {
    let sample = newest(&decoding.log);
    let found = likely(decoders, &sample);
    Message::Likely { decoding: decoding.clone(), found, empty: sample.is_empty(), asked_by_user }
}

fn newest(log: &RawLog) -> Vec<u8> {
    let from = log.len().saturating_sub(SAMPLE as u64).max(log.first());
    let mut sample = Vec::new();
    // Unreadable bytes count as none.
    let _ = log.read_into(from, SAMPLE, &mut sample);
    sample
}

/// Maximum number of folder entries examined.
const MOST: usize = 500;

/// Looks up files, and serial ports if requested.
fn look_up(query: PathLookup) -> Message {
    let ports = if query.ports { link::ports() } else { Vec::new() };
    let choice = |port: link::Port| Choice::new(port.path.display().to_string(), port.description);
    Message::LookedUp(LookedUp { paths: paths(&query.path), ports: ports.into_iter().map(choice).collect(), query })
}

/// Files and folders that begin with `typed`, folders with a slash; hidden ones only if the name begins with a dot.
fn paths(typed: &str) -> Vec<Choice> {
    let (folder, begin) =
        typed.rsplit_once('/').map_or(("", typed), |(folder, begin)| (&typed[..=folder.len()], begin));
    let place = if folder.is_empty() { PathBuf::from(".") } else { PathBuf::from(unescaped(folder)) };
    let Ok(entries) = fs::read_dir(place) else { return Vec::new() };
    let mut found: Vec<Choice> = entries
        .take(MOST)
        .flatten()
        .filter_map(|entry| {
            let name = escaped(&entry.file_name());
            let wanted = name.starts_with(begin) && (begin.starts_with('.') || !name.starts_with('.'));
            let slash = if entry.path().is_dir() { "/" } else { "" };
            wanted.then(|| Choice::new(quoted(format!("{folder}{name}{slash}")), ""))
        })
        .collect();
    found.sort_by(|a, b| a.text.cmp(&b.text));
    found
}
