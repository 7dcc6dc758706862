//! The session's thread: decodes a log as it grows, and decodes it again when the decoder or an option changes.

use std::{
    sync::{Arc, RwLock},
    thread::JoinHandle,
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use spytui_plugin_api::Fault;

use super::{decode_loop::DecodeLoop, decoding::Decoding};
use crate::{
    decode::learned_options::LearnedOptions,
    io::log::RawLog,
    open::{Decoder, Options},
    store::rows::BUDGET,
};

/// Maximum length of a log that is decoded again from its start at once.
const SHORT: u64 = 16 << 20;
/// Of a longer log this much of its end is decoded first, to update the screen.
const TAIL: u64 = 2 << 20;

/// Settings of a session.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Index of the source within its target.
    pub source: u16,
    /// Core specified by the user.
    pub core: Option<u16>,
    /// Memory budget of the rows, bytes.
    pub memory: usize,
}

impl Default for SessionOptions {
    fn default() -> Self {
        SessionOptions { source: 0, core: None, memory: BUDGET }
    }
}

/// The current decoding of a session, which changes with a switch.
#[derive(Debug, Clone)]
pub struct CurrentDecoding(Arc<RwLock<Arc<Decoding>>>);

impl CurrentDecoding {
    fn new(decoding: Arc<Decoding>) -> CurrentDecoding {
        CurrentDecoding(Arc::new(RwLock::new(decoding)))
    }

    /// It, as of now.
    #[must_use]
    pub fn get(&self) -> Arc<Decoding> {
        self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    fn set(&self, decoding: Arc<Decoding>) {
        *self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner) = decoding;
    }
}

/// Decodes one source into a store.
#[derive(Debug)]
pub struct Session {
    log: Arc<RawLog>,
    current: CurrentDecoding,
    orders: Sender<Order>,
    options: SessionOptions,
    thread: Option<JoinHandle<()>>,
}

/// What a session goes on with: a decoding, and one of all of a long log, which replaces it when it has caught up.
type Order = (DecodeLoop, Option<DecodeLoop>);

/// Parameters of new decodings.
struct Opening<'a> {
    log: &'a Arc<RawLog>,
    settings: &'a SessionOptions,
    decoder: Arc<Decoder>,
    options: Options,
    learned: LearnedOptions,
}

impl Opening<'_> {
    /// A decoding from a position on.
    fn at(&self, begins: u64) -> Result<DecodeLoop, Fault> {
        let SessionOptions { source, core, memory } = *self.settings;
        let (decoder, options) = (self.decoder.clone(), self.options.clone());
        let decoded = Decoding::new(decoder, options, self.log.clone(), source, begins, memory).of_core(core);
        DecodeLoop::open(Arc::new(decoded.with_learned(self.learned.clone())))
    }

    /// Decodes everything again; of a long log the end first.
    fn order(&self) -> Result<Order, Fault> {
        let (first, len) = (self.log.first(), self.log.len());
        if len - first.min(len) <= SHORT {
            return Ok((self.at(first)?, None));
        }
        Ok((self.at(len - TAIL)?, Some(self.at(first)?)))
    }
}

impl Session {
    /// Starts decoding `log`; `wake` is notified of changes.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn start(
        log: Arc<RawLog>,
        decoder: Arc<Decoder>,
        options: Options,
        settings: SessionOptions,
        wake: Sender<()>,
    ) -> Result<Session, Fault> {
        let opening = Opening { log: &log, settings: &settings, decoder, options, learned: LearnedOptions::default() };
        let decode_loop = opening.at(log.first())?;
        let decoded = decode_loop.decoded.clone();
        let current = CurrentDecoding::new(decoded);
        let (orders, inbox) = unbounded();
        let worker = Worker {
            current: current.clone(),
            decode_loop,
            full: None,
            news: log.subscribe(),
            wake,
            log: log.clone(),
            settings: settings.clone(),
        };
        let thread = std::thread::Builder::new()
            .name(format!("decode {}", settings.source))
            .spawn(move || worker.run(&inbox))
            .map_err(|e| Fault::new(format!("no thread for decoding: {e}")))?;
        Ok(Session { log, current, orders, options: settings, thread: Some(thread) })
    }

    /// The current decoding, which changes with a switch.
    #[must_use]
    pub fn current(&self) -> Arc<Decoding> {
        self.current.get()
    }

    /// A handle of the current decoding that outlives switches.
    #[must_use]
    pub fn follow(&self) -> CurrentDecoding {
        self.current.clone()
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Arc<RawLog> {
        &self.log
    }

    /// Decodes everything again with another decoder or other options; of a long log the end first.
    ///
    /// # Errors
    /// If the options contradict each other; the session then continues unchanged.
    pub fn switch(&self, decoder: Arc<Decoder>, options: Options) -> Result<(), Fault> {
        let opening =
            Opening { log: &self.log, settings: &self.options, decoder, options, learned: LearnedOptions::default() };
        let order = opening.order()?;
        self.orders.send(order).map_err(|_| Fault::new("the session has ended"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let (closed, _) = bounded(0);
        self.orders = closed;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Worker {
    current: CurrentDecoding,
    decode_loop: DecodeLoop,
    /// After a switch on a long log: the decoding from its start, which replaces the current one when it has caught up.
    full: Option<DecodeLoop>,
    news: Receiver<()>,
    wake: Sender<()>,
    log: Arc<RawLog>,
    settings: SessionOptions,
}

impl Worker {
    fn run(mut self, inbox: &Receiver<Order>) {
        loop {
            match inbox.try_recv() {
                Ok(order) => self.obey(order),
                Err(crossbeam_channel::TryRecvError::Disconnected) => return,
                Err(crossbeam_channel::TryRecvError::Empty) => {}
            }
            if self.step() {
                continue;
            }
            select! {
                recv(inbox) -> order => match order {
                    Ok(order) => self.obey(order),
                    Err(_) => return,
                },
                recv(self.news) -> news => match news {
                    Ok(()) => drop(self.wake.try_send(())),
                    Err(_) => std::thread::sleep(Duration::from_millis(100)),
                },
            }
        }
    }

    fn obey(&mut self, order: Order) {
        (self.decode_loop, self.full) = order;
        self.publish();
    }

    fn publish(&self) {
        self.current.set(self.decode_loop.decoded.clone());
        let _ = self.wake.try_send(());
    }

    /// Decodes a chunk; `false` if everything is decoded.
    fn step(&mut self) -> bool {
        // The link reports a log that can't be read; there is nothing to decode then.
        let news = self.decode_loop.step().unwrap_or(false);
        if news {
            self.log.consumed(self.decode_loop.decoded.pos());
            let _ = self.wake.try_send(());
        }
        let Some(full) = &mut self.full else {
            return self.learn() || news;
        };
        let more = full.step().unwrap_or(false);
        if full.behind() == 0
            && !more
            && let Some(full) = self.full.take()
        {
            self.decode_loop = full;
            self.publish();
        }
        true
    }

    /// Decodes again with the learned options. Not while only the end of a long log is decoded: the start of its epoch
    /// is unknown.
    fn learn(&mut self) -> bool {
        let Some(learned) = self.decode_loop.learned.take() else { return false };
        let Decoding { decoder, options, .. } = &*self.decode_loop.decoded;
        let (decoder, options) = (decoder.clone(), options.clone());
        let opening = Opening { log: &self.log, settings: &self.settings, decoder, options, learned };
        match opening.order() {
            Ok(order) => self.obey(order),
            Err(_) => return false,
        }
        true
    }
}
