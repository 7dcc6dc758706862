//! The handle of a target: what may be asked of it from anywhere.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
};

use crossbeam_channel::{Sender, bounded};
use parking_lot::Mutex;

use super::{
    first::FirstCommand,
    shared::{READ_ONLY, Shared},
    status::TargetStatus,
    worker::Worker,
};
use crate::{
    device::command::{CommandError, ParsedCommand, parse},
    io::link::LinkSender,
    io::log::RawLog,
    trace::session::CurrentDecoding,
};

/// A command that was read, and what it would send now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    pub command: ParsedCommand,
    /// Number of the encoder that it is for.
    encoder: u32,
    /// The bytes of all frames.
    pub bytes: Vec<u8>,
    /// Number of frames.
    pub frames: usize,
    /// What was assumed.
    pub remarks: Vec<String>,
}

/// Sends commands to the target of a source. Dropping it gives up what is under way.
#[derive(Debug)]
pub struct Control {
    shared: Arc<Shared>,
    /// Wakes the thread; closing it ends the thread.
    wake: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Control {
    /// For a source with this log and decoding; `sender` = `None` if its link only reads. `changed` is notified when a
    /// command goes on.
    pub fn start(
        log: Arc<RawLog>,
        current: CurrentDecoding,
        sender: Option<LinkSender>,
        changed: Sender<()>,
    ) -> Control {
        let shared = Arc::new(Shared {
            log,
            current,
            sender,
            dispatcher: Mutex::default(),
            encodes: Mutex::default(),
            first: Mutex::default(),
            changes: AtomicU64::new(0),
            status: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let (wake, inbox) = bounded(1);
        let thread = shared.sender.is_some().then(|| {
            let worker = Worker::new(shared.clone(), changed);
            std::thread::Builder::new().name("commands".into()).spawn(move || worker.run(&inbox))
        });
        Control { shared, wake: Some(wake), thread: thread.and_then(Result::ok) }
    }

    /// Number of changes of [`Control::status`].
    pub fn changes(&self) -> u64 {
        self.shared.changes.load(Ordering::Acquire)
    }

    /// Commands and filter as of now.
    pub fn status(&self) -> Arc<TargetStatus> {
        let changes = self.changes();
        let mut kept = self.shared.status.lock();
        if kept.0 != changes {
            let mut dispatcher = self.shared.dispatcher.lock();
            let commands = dispatcher.commands().cloned().collect();
            let (filter, forgotten) = (dispatcher.filter(), dispatcher.forgotten());
            *kept = (changes, Arc::new(TargetStatus { commands, filter, forgotten }));
        }
        kept.1.clone()
    }

    /// Whether the link has a way to the target at all, up or down.
    pub fn is_two_way(&self) -> bool {
        self.shared.sender.is_some()
    }

    /// Why nothing can be sent now.
    pub fn cannot_send(&self) -> Option<String> {
        self.shared.cannot_send()
    }

    /// Reads a line (without `target`) and encodes what it would send now; nothing is sent.
    ///
    /// # Errors
    /// What is wrong with the line, with its column.
    pub fn prepare(&self, line: &str) -> Result<Prepared, CommandError> {
        let decoding = self.shared.current.get();
        self.shared.follow_decoder(&decoding);
        let command = parse(line, &decoding.decoder.info, &decoding.read().dictionary)?;
        let (frames, _) = self.shared.encode(&command, &decoding)?;
        Ok(Prepared {
            command,
            encoder: self.shared.dispatcher.lock().encoder_number(),
            bytes: frames.bytes.to_vec(),
            frames: frames.frames.len(),
            remarks: frames.remarks.iter().map(ToString::to_string).collect(),
        })
    }

    /// Takes a command; `origin` is a word for where it came from. Returns its number.
    ///
    /// # Errors
    /// Why nothing can be sent; nothing is sent then.
    pub fn send(&self, prepared: Prepared, origin: &str) -> Result<u32, String> {
        if let Some(why) = self.shared.cannot_send() {
            return Err(why);
        }
        if self.thread.is_none() {
            return Err("there is no thread left for commands".to_owned());
        }
        self.shared.follow_decoder(&self.shared.current.get());
        let mut dispatcher = self.shared.dispatcher.lock();
        if prepared.encoder != dispatcher.encoder_number() {
            return Err("not sent: the decoder was changed meanwhile".to_owned());
        }
        let full = || "64 commands wait already; the target does not answer".to_owned();
        let number = dispatcher.add(prepared.command, origin, self.shared.log.len()).ok_or_else(full)?;
        drop(dispatcher);
        self.shared.changed();
        if let Some(wake) = &self.wake {
            let _ = wake.try_send(());
        }
        Ok(number)
    }

    /// Takes the command that is sent when the link is up for the first time, in place of an earlier one. What is wrong
    /// with it then is its result.
    ///
    /// # Errors
    /// The link only reads.
    pub fn send_when_up(&self, line: &str, origin: &str) -> Result<(), String> {
        if self.shared.sender.is_none() {
            return Err(READ_ONLY.to_owned());
        }
        *self.shared.first.lock() = Some(FirstCommand { line: line.to_owned(), origin: origin.to_owned() });
        Ok(())
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
