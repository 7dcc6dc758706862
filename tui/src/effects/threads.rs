//! Background threads: writing files, autodetection, lookups for completions.

use std::{collections::HashMap, fs, io, path::PathBuf, sync::Arc, thread};

use crossbeam_channel::{Receiver, Sender, bounded};
use spytui_engine::{
    decode::pattern,
    io::{link, log::RawLog},
    open::{
        Decoder, Options,
        guess::{SAMPLE, likely, of_target, sample_of},
    },
    trace::session::Decoding,
};

use super::result;
use crate::{
    input::{Choice, Lookup, escaped, unescaped},
    model::{Message, Model, links::renumbered, prompt::LookedUp},
};

/// Running threads, each with a channel for its result.
#[derive(Default)]
pub(super) struct Threads {
    writing: Vec<Receiver<Message>>,
    /// By source.
    autodetect: HashMap<usize, Receiver<Message>>,
}

impl Threads {
    /// Writes on a thread; the result is a message, returned at once if there is no thread.
    pub(super) fn write(
        &mut self,
        wake: Sender<()>,
        work: impl FnOnce() -> Result<String, String> + Send + 'static,
    ) -> Option<Message> {
        let writing = spawn("write", wake, move || result(work()));
        match writing {
            Ok(answer) => {
                self.writing.push(answer);
                None
            }
            Err(error) => Some(Message::Failed(format!("no thread for writing: {error}"))),
        }
    }

    /// Runs a probe of the bytes of a source.
    pub(super) fn find_out(
        &mut self,
        source: usize,
        work: impl FnOnce() -> Message + Send + 'static,
        wake: Sender<()>,
    ) {
        // Without a thread there is no answer.
        if let Ok(answer) = spawn("autodetect", wake, work) {
            self.autodetect.insert(source, answer);
        }
    }

    /// Renumbers the sources after some were closed.
    pub(super) fn renumber(&mut self, closed: &[usize]) {
        let probes = std::mem::take(&mut self.autodetect).into_iter();
        let left = probes.filter(|(source, _)| !closed.contains(source));
        self.autodetect = left.map(|(source, probe)| (renumbered(source, closed), probe)).collect();
    }

    pub(super) fn answers(&mut self, model: &Model) -> Vec<Message> {
        let mut messages = Vec::new();
        self.writing.retain(|writing| match writing.try_recv() {
            Ok(answer) => {
                messages.push(answer);
                false
            }
            Err(error) => error.is_empty(),
        });
        // An answer about a source that is not shown waits until it is.
        let shown = model.links.scope[0];
        if let Some(answer) = self.autodetect.get(&shown).and_then(|answer| answer.try_recv().ok()) {
            self.autodetect.remove(&shown);
            messages.push(answer);
        }
        messages
    }
}

/// Runs work on a thread; `wake` is notified when it is done.
fn spawn(
    name: &str,
    wake: Sender<()>,
    work: impl FnOnce() -> Message + Send + 'static,
) -> io::Result<Receiver<Message>> {
    let (send, answer) = bounded(1);
    thread::Builder::new().name(name.into()).spawn(move || {
        // Nobody may be waiting for the answer any more.
        let _ = send.send(work());
        let _ = wake.try_send(());
    })?;
    Ok(answer)
}

/// Searches for field sizes that fit the bytes of a target, and with these for the pattern of damage.
pub(super) fn sizes(
    decoding: Arc<Decoding>,
    options: Options,
    logs: Vec<Arc<RawLog>>,
) -> impl FnOnce() -> Message + Send {
    move || {
        let found = of_target(&decoding.decoder, &options, &logs);
        let with = found.as_ref().map_or(&options, |(with, _)| with);
        let of_log = |log: &Arc<RawLog>| pattern(&decoding.decoder, with, &sample_of(log)?);
        let pattern = logs.iter().find_map(of_log);
        Message::Sizes { decoding, found, pattern }
    }
}

/// Probes the newest bytes with all decoders.
pub(super) fn ask(decoding: &Arc<Decoding>, decoders: &[Arc<Decoder>], asked_by_user: bool) -> Message {
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
pub(super) fn look_up(query: Lookup) -> Message {
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
            wanted.then(|| Choice::new(quoted(&format!("{folder}{name}{slash}")), ""))
        })
        .collect();
    found.sort_by(|a, b| a.text.cmp(&b.text));
    found
}

fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_owned() }
}
