//! The edge: links, threads, files and the clipboard. Effects are carried out here, and what comes back are messages.

mod autodetect;
mod copy;
mod export;
mod lookup;
mod names;
mod plugins;
mod port;
mod record;
mod rows;
mod state_files;
mod threads;

use std::io;

use crossbeam_channel::Sender;
use spytui_plugin_api::guard;

pub use lookup::SystemLookup;
pub use port::{Feed, Port};
pub use state_files::state_file;

use crate::{
    action::History,
    app_log::{self, Level},
    model::{ControlLine, Effect, Message, Model, links::Source},
    term::Output,
};
use threads::Threads;

/// Everything outside of the model.
pub struct Edge {
    /// Sessions and links of the sources, in the order of the model.
    ports: Vec<Port>,
    threads: Threads,
    wake: Sender<()>,
    /// Number of the next line of the program's log.
    next_log_line: u64,
}

impl Edge {
    /// Around these ports; `wake` gets a message when there is something new.
    #[must_use]
    pub fn new(ports: Vec<Port>, wake: Sender<()>) -> Edge {
        Edge { ports, threads: Threads::default(), wake, next_log_line: 0 }
    }

    /// What happened outside since the last time.
    pub fn poll(&mut self, model: &Model) -> Vec<Message> {
        for fault in guard::late_faults() {
            app_log::note(Level::Error, "plugin", &fault.to_string());
        }
        let mut messages = self.threads.answers(model);
        messages.push(Message::Status(self.ports.iter().map(Port::status).collect()));
        for (source, port) in self.ports.iter().enumerate() {
            messages.extend(port.link_events().into_iter().map(|event| Message::Link(source, event)));
        }
        let problem = model.links.shown().find_map(|source| source.log().take_problem());
        messages.extend(problem.map(Message::Failed));
        if app_log::count() > self.next_log_line {
            let lines = app_log::since(self.next_log_line);
            self.next_log_line = lines.last().map_or(self.next_log_line, |last| last.number + 1);
            messages.push(Message::Logged(lines));
        }
        messages
    }

    /// Carries an effect out. What it does to the terminal needs `output`; without one nothing happens there.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn carry_out(
        &mut self,
        effect: Effect,
        model: &Model,
        output: Option<&mut Output>,
    ) -> io::Result<Vec<Message>> {
        let messages = match effect {
            Effect::Redraw | Effect::Suspend | Effect::Mouse(_) => {
                if let Some(output) = output {
                    to_terminal(&effect, output)?;
                }
                Vec::new()
            }
            Effect::Copy(text) => vec![copy::copy(output, &text)?],
            Effect::CopyRows { rows, range, collapse, expr } => {
                let (text, said) = rows::text(&rows, range, collapse, expr);
                vec![Message::Done(said), copy::copy(output, &text)?]
            }
            Effect::Log { level, source, text } => {
                app_log::note(level, &source, &text);
                Vec::new()
            }
            Effect::SaveHistory(kind, line) => {
                let saved = state_file("history").map_or(Ok(()), |file| History::append(&file, kind, &line));
                if let Err(error) = saved {
                    app_log::note(Level::Warning, "history", &error.to_string());
                }
                Vec::new()
            }
            Effect::OpenLink { spec, decode } => {
                let target = decode.target;
                let opened = port::open(spec, decode, self.wake.clone());
                self.opened(opened, target, false)
            }
            Effect::OpenPeer { source, index, decode } => {
                let target = decode.target;
                let Some(peer) = self.ports.get(source).and_then(|port| port.peer(index)) else {
                    return Ok(Vec::new());
                };
                let opened = port::open_peer(&peer, decode, self.wake.clone());
                self.opened(opened, target, true)
            }
            Effect::Switch { sources, decoder, options, said } => {
                let mut ports = sources.iter().filter_map(|&source| self.ports.get(source));
                let switched = ports.try_for_each(|port| port.switch(&decoder, &options));
                vec![result(switched.map(|()| said))]
            }
            Effect::SetBaud { source, rate } => {
                if let Some(link) = self.ports.get(source).and_then(Port::link) {
                    link.set_baud(rate);
                }
                Vec::new()
            }
            Effect::SetControlLine { source, line, on } => {
                match (self.ports.get(source).and_then(Port::link), line) {
                    (Some(link), ControlLine::Dtr) => link.set_dtr(on),
                    (Some(link), ControlLine::Rts) => link.set_rts(on),
                    (None, _) => {}
                }
                Vec::new()
            }
            Effect::Record { sources, path, quit } => self.record(&sources, path, quit, model),
            Effect::StopRecording(sources) => vec![result(self.stop_recording(&sources))],
            Effect::Search { rows, from, direction, expr } => {
                vec![self.threads.search(rows, from, direction, expr, self.wake.clone())]
            }
            Effect::StopSearch => {
                self.threads.stop_search();
                Vec::new()
            }
            Effect::WriteRows { rows, path, range, expr } => {
                self.threads.write(self.wake.clone(), move || rows::write(&rows, &path, range, expr))
            }
            Effect::ExportPerfetto { decoding, path } => {
                self.threads.write(self.wake.clone(), move || export::perfetto(&decoding, &path))
            }
            Effect::WriteText { path, text, said } => vec![result(names::write(&path, &text).map(|()| said))],
            Effect::SetName { from, space, key, name } => {
                names::set(&from, space, key, &name);
                Vec::new()
            }
            Effect::ClearNames(decodings) => {
                decodings.iter().for_each(|decoding| decoding.edit(|state| state.dictionary.forget_all()));
                Vec::new()
            }
            Effect::LoadNames { path, decodings } => vec![names::load(&path, &decodings)],
            Effect::SuggestSizes { source, decoding, options } => {
                self.threads.find_out(source, autodetect::sizes(decoding, options), self.wake.clone());
                Vec::new()
            }
            Effect::AskDecoders { decoding, decoders, asked_by_user: true, .. } => {
                vec![autodetect::ask(&decoding, &decoders, true)]
            }
            Effect::AskDecoders { source, decoding, decoders, .. } => {
                let ask = move || autodetect::ask(&decoding, &decoders, false);
                self.threads.find_out(source, ask, self.wake.clone());
                Vec::new()
            }
            Effect::LoadPlugin(path) => vec![plugins::load(model, path)],
            Effect::ReloadPlugin(id) => vec![plugins::reload(model, id)],
        };
        Ok(messages)
    }

    /// Adds a port that was opened.
    fn opened(&mut self, opened: Result<Port, String>, target: usize, peer: bool) -> Vec<Message> {
        match opened {
            Ok(port) => {
                let source: Box<Source> = Box::new(port.source(target));
                self.ports.push(port);
                vec![Message::Opened { source, peer }]
            }
            Err(error) => vec![Message::Failed(error)],
        }
    }
}

fn to_terminal(effect: &Effect, output: &mut Output) -> io::Result<()> {
    match effect {
        Effect::Redraw => {
            output.resize();
            output.screen().redraw();
            Ok(())
        }
        Effect::Suspend => output.suspend(),
        Effect::Mouse(on) => output.terminal().set_mouse(*on),
        _ => Ok(()),
    }
}

/// What became of something that can fail.
fn result(result: Result<String, impl ToString>) -> Message {
    match result {
        Ok(said) => Message::Done(said),
        Err(error) => Message::Failed(error.to_string()),
    }
}
