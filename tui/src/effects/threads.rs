//! Background threads: writing files, autodetection.

use std::{collections::HashMap, io, thread};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::result;
use crate::model::{Message, Model, links::renumbered};

/// Running threads, each with a channel for its result.
#[derive(Default)]
pub(super) struct Threads {
    writing: Vec<Receiver<Message>>,
    /// By source.
    autodetect: HashMap<usize, Receiver<Message>>,
}

impl Threads {
    /// Writes something; the result is a message, at once if there is no thread.
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
        // Without a thread nothing is found out.
        if let Ok(answer) = spawn("autodetect", wake, work) {
            self.autodetect.insert(source, answer);
        }
    }

    /// Follows the numbers of the sources after some were closed.
    pub(super) fn renumber(&mut self, closed: &[usize]) {
        let probes = std::mem::take(&mut self.autodetect).into_iter();
        let left = probes.filter(|(source, _)| !closed.contains(source));
        self.autodetect = left.map(|(source, probe)| (renumbered(source, closed), probe)).collect();
    }

    /// Results of the threads.
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

/// Runs something on a thread of its own; `wake` gets a message when it is done.
fn spawn(
    name: &str,
    wake: Sender<()>,
    work: impl FnOnce() -> Message + Send + 'static,
) -> io::Result<Receiver<Message>> {
    let (send, answer) = bounded(1);
    thread::Builder::new().name(name.into()).spawn(move || {
        // Nobody may wait for the answer any more.
        let _ = send.send(work());
        let _ = wake.try_send(());
    })?;
    Ok(answer)
}
