//! Background threads: searches, writing files, autodetection.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, bounded};
use spytui_engine::list::find_shown;

use super::result;
use crate::model::{Message, Model, RowSearch, links::renumbered};

/// Most searches end before the next frame.
const QUICK: Duration = Duration::from_millis(30);

/// Running threads, each with a channel for its result.
#[derive(Default)]
pub(super) struct Threads {
    search: Option<SearchJob>,
    writing: Vec<Receiver<Message>>,
    /// By source.
    autodetect: HashMap<usize, Receiver<Message>>,
}

/// A search that can be cancelled.
struct SearchJob {
    answer: Receiver<Message>,
    stop: Arc<AtomicBool>,
}

impl Drop for SearchJob {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Threads {
    /// Searches the next matching row; returns the result if it is found at once.
    pub(super) fn search(&mut self, search: RowSearch, wake: Sender<()>) -> Message {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let work = move || {
            let RowSearch { rows, from, direction, expr, shown, round } = search;
            let find = |from| find_shown(&rows, from, direction, &expr, &shown, &stopped);
            Message::Found(find(from).or_else(|| if round { find(None) } else { None }))
        };
        match spawn("search", wake, work) {
            Ok(answer) => match answer.recv_timeout(QUICK) {
                Ok(message) => message,
                Err(_) => {
                    self.search = Some(SearchJob { answer, stop });
                    Message::Searching
                }
            },
            Err(error) => Message::Failed(format!("no thread for searching: {error}")),
        }
    }

    /// Cancels the search.
    pub(super) fn stop_search(&mut self) {
        self.search = None;
    }

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
        if let Some(answer) = self.search.as_ref().and_then(|search| search.answer.try_recv().ok()) {
            self.search = None;
            messages.push(answer);
        }
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
