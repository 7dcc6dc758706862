//! Recordings of sources.

use std::path::PathBuf;

use spytui_engine::{io::log::RecordState, present::clock::grouped};

use super::Edge;
use crate::{
    model::{Message, Model},
    recording::Plan,
};

impl Edge {
    /// Starts a recording of every source; returns what failed of it.
    pub fn record_all(&mut self, plan: &Plan) -> Result<Vec<String>, String> {
        let sources: Vec<usize> = (0..self.ports.len()).collect();
        self.start_recordings(plan, &sources).map(|started| started.failures)
    }

    pub fn is_recording(&self) -> bool {
        self.ports.iter().any(super::Port::is_recording)
    }

    /// Completes all recordings; returns those that failed, in words.
    pub fn finish_recordings(&mut self) -> Vec<String> {
        let states = self.ports.iter_mut().filter_map(|port| port.recorder.as_mut()).map(|recorder| recorder.stop());
        states.filter_map(|state| failure_text(&state)).collect()
    }

    pub(super) fn record(
        &mut self,
        sources: &[usize],
        path: Option<PathBuf>,
        quit: bool,
        model: &Model,
    ) -> Vec<Message> {
        let plan = Plan::new(&model.settings.config, path);
        let sources = self.with_streams_of_their_links(sources);
        let started = match self.start_recordings(&plan, &sources) {
            Ok(started) => started,
            Err(error) => return vec![Message::Refused(error)],
        };
        if !started.failures.is_empty() {
            return vec![Message::Refused(started.failures.join("; "))];
        }
        if quit {
            // The recording is complete when it is stopped.
            return match self.stop_recording(&sources) {
                Ok(said) => vec![Message::Saved { said, paths: started.paths }],
                Err(error) => vec![Message::Refused(error)],
            };
        }
        let gone: u64 = model.links.shown().map(|source| source.log().first()).sum();
        let gone = if gone > 0 { format!("; the first {} B are gone", grouped(gone)) } else { String::new() };
        let names = started.names.join(", ");
        vec![Message::Done(format!("recording to {names} with everything received so far{gone}"))]
    }

    /// Records the newest source if the link that it is a stream of is recorded.
    pub(super) fn record_joined(&mut self, link: usize) -> Option<Message> {
        let plan = self.ports.get(link)?.plan.clone()?;
        let number = u16::try_from(self.ports.len() - 1).unwrap_or(u16::MAX);
        let port = self.ports.last_mut()?;
        let (name, log, head) = port.to_record();
        match plan.join(log, number, &name, head) {
            Ok(recorder) => {
                port.recorder = Some(recorder);
                None
            }
            Err(error) => Some(Message::Failed(format!("{} is not recorded: {error}", name.word))),
        }
    }

    /// One that can't be started does not keep the others from it.
    fn start_recordings(&mut self, plan: &Plan, sources: &[usize]) -> Result<Started, String> {
        let names: Vec<_> = sources.iter().map(|&source| self.ports[source].to_record().0).collect();
        let paths = plan.destination.paths(&names).map_err(|error| error.to_string())?;
        let mut started = Started::default();
        for (&source, path) in sources.iter().zip(&paths) {
            let port = &mut self.ports[source];
            let (_, log, head) = port.to_record();
            match plan.start(log, path, head) {
                Ok(recorder) => {
                    started.paths.push(recorder.state().path);
                    started.names.push(path.display().to_string());
                    port.recorder = Some(recorder);
                    port.plan = Some(plan.clone());
                }
                Err(error) => started.failures.push(error.to_string()),
            }
        }
        if started.names.is_empty() { Err(started.failures.join("; ")) } else { Ok(started) }
    }

    pub(super) fn stop_recording(&mut self, sources: &[usize]) -> Result<String, String> {
        let (mut words, mut failures) = (Vec::new(), Vec::new());
        for source in self.with_streams_of_their_links(sources) {
            let port = &mut self.ports[source];
            port.plan = None;
            if let Some(mut recorder) = port.recorder.take() {
                let state = recorder.stop();
                failures.extend(failure_text(&state));
                words.push(format!("{} B in {}", grouped(state.bytes), state.names()));
            }
        }
        match (words.is_empty(), failures.is_empty()) {
            (true, _) => Err("nothing is being recorded".to_owned()),
            (false, true) => Ok(words.join(", ")),
            (false, false) => Err(failures.join("; ")),
        }
    }

    /// These sources, and all other streams of their links: a target that starts again from another port is one of them.
    fn with_streams_of_their_links(&self, sources: &[usize]) -> Vec<usize> {
        let link = |source: usize| self.ports[source].link_of_stream().unwrap_or(source);
        let links: Vec<usize> = sources.iter().map(|&source| link(source)).collect();
        (0..self.ports.len()).filter(|&source| links.contains(&link(source))).collect()
    }
}

/// What was started, and what was not.
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
