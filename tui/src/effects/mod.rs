//! The edge: links, threads, files and the clipboard. Carries out effects and returns messages.

mod names;
mod plugins;
mod port;
mod rows;
mod threads;

use std::{io, path::Path};

use crossbeam_channel::Sender;
use spytui_engine::io::{format_files::FormatFiles, link::LinkOptions};
use spytui_plugin_api::guard;

use crate::{
    app_log::{self, Level},
    cli::formats::FormatWatch,
    config::{self, SAVED_FILTERS, state_file},
    input::History,
    model::{Effect, Message, Model},
    term::Output,
};
use plugins::PluginWatch;
use threads::Threads;

pub use port::Port;

pub struct Edge {
    /// Sessions and links of the sources, in the order of the model.
    ports: Vec<Port>,
    threads: Threads,
    wake: Sender<()>,
    /// Settings of links opened later.
    pub links: LinkOptions,
    /// Files opened later get the decoder that their bytes show, as the user named none.
    pub finds_decoders: bool,
    formats: Option<FormatWatch>,
    plugins: Option<PluginWatch>,
}

impl Edge {
    /// `wake` is notified of news. Nothing is watched yet.
    pub fn new(ports: Vec<Port>, wake: Sender<()>) -> Edge {
        let (threads, links) = (Threads::default(), LinkOptions::default());
        Edge { ports, threads, wake, links, finds_decoders: false, formats: None, plugins: None }
    }

    pub fn watch(&mut self, files: FormatFiles) {
        self.formats = FormatWatch::start(files, self.wake.clone());
        self.plugins = PluginWatch::start(self.wake.clone());
    }

    /// Events since the last call.
    pub fn poll(&mut self, model: &Model) -> Vec<Message> {
        for fault in guard::late_faults() {
            app_log::note(Level::Error, "plugin", &fault.to_string());
        }
        // Decodings first: an answer may be about one that is no longer shown.
        let mut messages = vec![Message::Status(self.ports.iter().map(Port::status).collect())];
        messages.extend(self.threads.answers(model));
        messages.extend(self.formats.as_ref().and_then(FormatWatch::changed).map(Message::Formats));
        if let Some(watch) = &mut self.plugins {
            watch.set(&model.links.registry);
            messages.extend(watch.changed().map(Message::PluginChanged));
        }
        let decoders = model.links.registry.decoders().iter();
        messages.extend(decoders.flat_map(|decoder| decoder.formatting.take_failures()).map(Message::Failed));
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
            Effect::Redraw => output.map_or((), Output::redraw),
            Effect::Suspend => output.map_or(Ok(()), Output::suspend)?,
            Effect::Mouse(on) => output.map_or(Ok(()), |output| output.terminal().set_mouse(on))?,
            Effect::Copy { what, text } => answers.push(rows::copy(output, &model.settings.config, what, &text)?),
            Effect::CopyRows(selection, collapse) => {
                let (text, what) = rows::text(&selection, collapse);
                answers.push(rows::copy(output, &model.settings.config, what, &text)?);
            }
            Effect::Log { level, source, text } => app_log::note(level, &source, &text),
            Effect::SaveFilter(name, filter) => answers.extend(save_filter(&name, &filter)),
            Effect::SaveHistory(kind, line) => keep_history(|file| History::append(file, kind, &line, false)),
            Effect::MarkFailed(kind, line) => keep_history(|file| History::append(file, kind, &line, true)),
            Effect::LookUp(query) => answers.push(threads::look_up(query)),
            Effect::OpenLink(spec, decode) => answers.extend(self.open_link(spec, decode, model)),
            Effect::OpenPeer { source, index, decode } => answers.extend(self.open_peer(source, index, decode)),
            Effect::Close(sources) => answers.push(self.close(sources)),
            Effect::Switch { sources, decoder, options, said } => {
                answers.push(answer(self.switch(&sources, &decoder, &options).map(|()| said)));
            }
            Effect::SendCommand { source, command } => answers.extend(self.send(source, *command)),
            Effect::SetBaud(source, rate) => self.link(source).map_or((), |link| link.set_baud(rate)),
            Effect::SetControlLine { source, line, on } => self.set_control_line(source, line, on),
            Effect::Record { sources, path, quit } => answers.extend(self.record(&sources, path, quit, model)),
            Effect::StopRecording(sources) => answers.push(answer(self.stop_recording(&sources))),
            Effect::WriteRows(selection, path) => answers.extend(self.write_rows(selection, &path)),
            Effect::ExportPerfetto(decoding, path) => answers.extend(self.export_perfetto(decoding, path)),
            Effect::ExportSequence(decodings, wanted, path) => {
                answers.extend(self.export_sequence(decodings, wanted, path));
            }
            Effect::WriteText { path, text, said } => answers.push(answer(names::write(&path, &text).map(|()| said))),
            Effect::SetName { from, space, key, name } => names::set(&from, space, key, &name),
            Effect::ClearNames(decodings) => names::clear(&decodings),
            Effect::LoadNames(path, decodings) => answers.push(names::load(&path, &decodings)),
            Effect::SuggestSizes { source, decoding, options, logs } => {
                self.threads.find_out(source, threads::sizes(decoding, options, logs), self.wake.clone());
            }
            Effect::AskDecoders { source, decoding, decoders, asked_by_user } => {
                let ask = move || threads::ask(&decoding, &decoders, asked_by_user);
                match asked_by_user {
                    true => answers.push(ask()),
                    false => self.threads.find_out(source, ask, self.wake.clone()),
                }
            }
            Effect::CheckFormats(path) => {
                let registry = model.links.registry.clone();
                answers.extend(self.threads.write(self.wake.clone(), move || plugins::check(path, &registry)));
            }
            Effect::LoadFormats(path) => {
                let loaded = self.formats.as_ref().map(|watch| watch.add(path));
                answers.extend(loaded.and_then(Result::err).map(Message::Refused));
            }
            Effect::LoadPlugin(path) => answers.push(plugins::load(model, path)),
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
        app_log::note(Level::Warning, "history", &error.to_string());
    }
}

/// The message for the result of a command.
fn answer(result: Result<String, impl ToString>) -> Message {
    match result {
        Ok(said) => Message::Done(said),
        Err(error) => Message::Refused(error.to_string()),
    }
}

/// The message for the result of a background operation.
fn result(result: Result<String, impl ToString>) -> Message {
    match result {
        Ok(said) => Message::Done(said),
        Err(error) => Message::Failed(error.to_string()),
    }
}
