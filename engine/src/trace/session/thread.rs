//! The session's thread: decodes a log as it grows, and decodes it again when the decoder or an option changes.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, select};
use spytui_plugin_api::Fault;

use super::{
    decode_loop::DecodeLoop,
    decoding::Decoding,
    leavable::{IsLeft, LeavableThread},
};
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
    pub fn get(&self) -> Arc<Decoding> {
        self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    fn set(&self, decoding: Arc<Decoding>) {
        *self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner) = decoding;
    }

    /// Goes on from one to another, unless there was a switch in the meantime.
    fn replace(&self, old: &Arc<Decoding>, new: Arc<Decoding>) {
        let mut current = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if Arc::ptr_eq(&current, old) {
            *current = new;
        }
    }
}

/// Decodes one source into a store.
#[derive(Debug)]
pub struct Session {
    log: Arc<RawLog>,
    current: CurrentDecoding,
    options: SessionOptions,
    wake: Sender<()>,
    /// Another one takes its place if it is left behind.
    thread: Mutex<LeavableThread<Order>>,
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
        let thread = Mutex::new(Worker::start((decode_loop, None), &current, &log, &settings, &wake)?);
        Ok(Session { log, current, options: settings, wake, thread })
    }

    /// Leaves its thread behind if the decoder does not return; that is the decoding's fault then. To be called now and
    /// then.
    pub fn look(&self) {
        if let Some(what) = self.thread().leave_if_overdue() {
            self.current().fail(Fault { panicked: true, text: what.into(), ..Fault::default() });
            // The log is received to its end although nobody decodes it.
            self.log.consumed(u64::MAX);
        }
    }

    fn thread(&self) -> MutexGuard<'_, LeavableThread<Order>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current decoding, which changes with a switch.
    pub fn current(&self) -> Arc<Decoding> {
        self.current.get()
    }

    /// A handle of the current decoding that outlives switches.
    pub fn follow(&self) -> CurrentDecoding {
        self.current.clone()
    }

    pub fn log(&self) -> &Arc<RawLog> {
        &self.log
    }

    /// Decodes everything again with another decoder or other options; of a long log the end first. It is the current
    /// decoding at once, so that nothing is found out about the one before it any more.
    ///
    /// # Errors
    /// If the options contradict each other; the session then continues unchanged.
    pub fn switch(&self, decoder: Arc<Decoder>, options: Options) -> Result<(), Fault> {
        let opening =
            Opening { log: &self.log, settings: &self.options, decoder, options, learned: LearnedOptions::default() };
        let order = opening.order()?;
        let mut thread = self.thread();
        self.current.set(order.0.decoded.clone());
        if !thread.is_left() {
            return thread.send(order);
        }
        *thread = Worker::start(order, &self.current, &self.log, &self.options, &self.wake)?;
        Ok(())
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
    is_left: IsLeft,
}

/// An order that ends when its thread is left behind.
fn under((mut first, mut full): Order, is_left: &IsLeft) -> Order {
    [Some(&mut first), full.as_mut()].into_iter().flatten().for_each(|decode| decode.is_left = is_left.clone());
    (first, full)
}

impl Worker {
    /// Starts a thread that goes on with an order.
    fn start(
        order: Order,
        current: &CurrentDecoding,
        log: &Arc<RawLog>,
        settings: &SessionOptions,
        wake: &Sender<()>,
    ) -> Result<LeavableThread<Order>, Fault> {
        let is_left = IsLeft::default();
        let (decode_loop, full) = under(order, &is_left);
        let (news, name) = (log.subscribe(), format!("decode {}", settings.source));
        let (current, log, settings, wake) = (current.clone(), log.clone(), settings.clone(), wake.clone());
        let worker = Worker { current, decode_loop, full, news, wake, log, settings, is_left: is_left.clone() };
        LeavableThread::start(name, is_left, move |inbox| worker.run(inbox))
    }

    fn run(mut self, inbox: &Receiver<Order>) {
        while !self.is_left.get() {
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
        (self.decode_loop, self.full) = under(order, &self.is_left);
        let _ = self.wake.try_send(());
    }

    /// Goes on with another decoding than the current one, which nobody asked for.
    fn go_on_with(&mut self, order: Order) {
        let old = self.decode_loop.decoded.clone();
        if !self.is_left.get() {
            self.current.replace(&old, order.0.decoded.clone());
        }
        self.obey(order);
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
            self.go_on_with((full, None));
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
            Ok(order) => self.go_on_with(order),
            Err(_) => return false,
        }
        true
    }
}
