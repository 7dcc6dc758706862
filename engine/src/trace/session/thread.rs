//! The session's thread: decodes a log as it grows, and decodes it again when the decoder or an option changes.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use spytui_plugin_api::{Batch, Fault, Source, running};

use super::decoding::{Checkpoint, Decoding};
use crate::{
    decode::{
        core_of,
        instance_host::{InstanceHost, LearnedOptions, OptionLearner},
        span::SpanState,
    },
    io::log::{Cursor, LogError, LogReader, RawLog, kind},
    open::{Decoder, Options, overdue},
    store::{Span, rows::BUDGET},
};

/// Maximum length of a log that is decoded again from its start at once.
const SHORT: u64 = 16 << 20;
/// For longer logs, this much of the end is decoded first, to update the screen.
const TAIL: u64 = 2 << 20;

#[derive(Debug, Clone, Copy)]
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

/// The current decoding of a session; replaced by a switch.
#[derive(Debug, Clone)]
pub struct CurrentDecoding(Arc<RwLock<Arc<Decoding>>>);

impl CurrentDecoding {
    pub fn get(&self) -> Arc<Decoding> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, decoding: Arc<Decoding>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = decoding;
    }

    /// Replaces the decoding, unless there was a switch in the meantime.
    fn replace(&self, old: &Arc<Decoding>, new: Arc<Decoding>) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, old) {
            *current = new;
        }
    }
}

#[derive(Debug)]
pub struct Session {
    source: SessionSource,
    current: CurrentDecoding,
    /// Replaced if it is left behind.
    thread: Mutex<LeavableThread<DecodeOrder>>,
}

/// What a session decodes, and whom it notifies.
#[derive(Debug, Clone)]
struct SessionSource {
    log: Arc<RawLog>,
    settings: SessionOptions,
    wake: Sender<()>,
}

/// A decoding, and for a long log one from its start, which replaces the first when it has caught up.
type DecodeOrder = (DecodeLoop, Option<DecodeLoop>);

impl SessionSource {
    /// A decoding from a position on.
    fn open(
        &self,
        decoder: &Arc<Decoder>,
        options: &Options,
        learned: LearnedOptions,
        begins: u64,
    ) -> Result<DecodeLoop, Fault> {
        let SessionOptions { source, core, memory } = self.settings;
        let mut decoded = Decoding::new(decoder.clone(), options.clone(), self.log.clone(), source, begins, memory);
        decoded.core = core_of(&decoder.info, core, source);
        decoded.learned = learned;
        DecodeLoop::open(Arc::new(decoded))
    }

    /// Decodes everything again, the end of a long log first.
    fn order(&self, decoder: &Arc<Decoder>, options: &Options, learned: &LearnedOptions) -> Result<DecodeOrder, Fault> {
        let (first, len) = (self.log.first(), self.log.len());
        let open = |begins| self.open(decoder, options, learned.clone(), begins);
        if len - first.min(len) <= SHORT {
            return Ok((open(first)?, None));
        }
        Ok((open(len - TAIL)?, Some(open(first)?)))
    }
}

impl Session {
    /// Starts decoding `log`; `wake` is notified of changes.
    pub fn start(
        log: Arc<RawLog>,
        decoder: Arc<Decoder>,
        options: Options,
        settings: SessionOptions,
        wake: Sender<()>,
    ) -> Result<Session, Fault> {
        let source = SessionSource { log, settings, wake };
        let decode_loop = source.open(&decoder, &options, LearnedOptions::default(), source.log.first())?;
        let current = CurrentDecoding(Arc::new(RwLock::new(decode_loop.decoded.clone())));
        let thread = Mutex::new(DecodeWorker::start((decode_loop, None), &current, &source)?);
        Ok(Session { source, current, thread })
    }

    /// Leaves the thread behind if the decoder does not return, which becomes the decoding's fault. Call regularly.
    pub fn look(&self) {
        if let Some(what) = self.thread().leave_if_overdue() {
            self.current().fail(Fault { panicked: true, text: what.into(), ..Fault::default() });
            // The log receives to its end although nobody decodes it.
            self.source.log.consumed(u64::MAX);
        }
    }

    fn thread(&self) -> MutexGuard<'_, LeavableThread<DecodeOrder>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn current(&self) -> Arc<Decoding> {
        self.current.get()
    }

    /// A handle to the current decoding that survives switches.
    pub fn follow(&self) -> CurrentDecoding {
        self.current.clone()
    }

    pub fn log(&self) -> &Arc<RawLog> {
        &self.source.log
    }

    /// Decodes everything again with another decoder or other options, the end of a long log first. Takes effect at
    /// once, so nothing more is learned about the previous decoding. If the options contradict each other, the session
    /// goes on unchanged.
    pub fn switch(&self, decoder: Arc<Decoder>, options: Options) -> Result<(), Fault> {
        let order = self.source.order(&decoder, &options, &LearnedOptions::default())?;
        let mut thread = self.thread();
        self.current.set(order.0.decoded.clone());
        // Others notice another decoder, too.
        self.source.log.wake();
        if !thread.is_left.load(Ordering::Relaxed) {
            return thread.send(order);
        }
        *thread = DecodeWorker::start(order, &self.current, &self.source)?;
        Ok(())
    }
}

struct DecodeWorker {
    current: CurrentDecoding,
    decode_loop: DecodeLoop,
    /// After a switch on a long log: the decoding from its start, which replaces the current one when it has caught up.
    full: Option<DecodeLoop>,
    news: Receiver<()>,
    source: SessionSource,
}

/// Makes an order end when its thread is left behind.
fn under((mut first, mut full): DecodeOrder, is_left: &IsLeft) -> DecodeOrder {
    [Some(&mut first), full.as_mut()].into_iter().flatten().for_each(|decode| decode.is_left = is_left.clone());
    (first, full)
}

impl DecodeWorker {
    fn start(
        order: DecodeOrder,
        current: &CurrentDecoding,
        source: &SessionSource,
    ) -> Result<LeavableThread<DecodeOrder>, Fault> {
        let is_left = IsLeft::default();
        let (decode_loop, full) = under(order, &is_left);
        let (news, name) = (source.log.subscribe(), format!("decode {}", source.settings.source));
        let (current, source) = (current.clone(), source.clone());
        let worker = DecodeWorker { current, decode_loop, full, news, source };
        LeavableThread::start(name, is_left, move |inbox| worker.run(inbox))
    }

    fn run(mut self, inbox: &Receiver<DecodeOrder>) {
        while !self.decode_loop.is_left.load(Ordering::Relaxed) {
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
                    Ok(()) => drop(self.source.wake.try_send(())),
                    Err(_) => std::thread::sleep(Duration::from_millis(100)),
                },
            }
        }
    }

    fn obey(&mut self, order: DecodeOrder) {
        let is_left = self.decode_loop.is_left.clone();
        (self.decode_loop, self.full) = under(order, &is_left);
        let _ = self.source.wake.try_send(());
    }

    /// Switches to another decoding without a user's request.
    fn go_on_with(&mut self, order: DecodeOrder) {
        let old = self.decode_loop.decoded.clone();
        if !self.decode_loop.is_left.load(Ordering::Relaxed) {
            self.current.replace(&old, order.0.decoded.clone());
            self.source.log.wake();
        }
        self.obey(order);
    }

    /// Decodes a chunk; `false` if everything is decoded.
    fn step(&mut self) -> bool {
        // The link reports a log that can't be read; there is nothing to decode then.
        let news = self.decode_loop.step().unwrap_or(false);
        if news {
            self.source.log.consumed(self.decode_loop.decoded.pos());
            let _ = self.source.wake.try_send(());
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

    /// Decodes again with the learned options; not while only the end of a long log, with an unknown epoch, is decoded.
    fn learn(&mut self) -> bool {
        let Some(learned) = self.decode_loop.learned.take() else { return false };
        let Decoding { decoder, options, .. } = &*self.decode_loop.decoded;
        match self.source.order(decoder, options, &learned) {
            Ok(order) => self.go_on_with(order),
            Err(_) => return false,
        }
        true
    }
}

/// Backlog above which spans are not computed while decoding, but later for the rows shown.
const BULK: u64 = 4 << 20;

#[derive(Debug)]
pub struct DecodeLoop {
    pub decoded: Arc<Decoding>,
    reader: LogReader,
    instance: InstanceHost,
    span: SpanState,
    batch: Batch,
    spans: Vec<(Span, bool)>,
    /// Decodes without spans.
    bulk: bool,
    learner: OptionLearner,
    /// Learned options that also apply to rows already decoded; everything should be decoded again with them.
    pub(super) learned: Option<LearnedOptions>,
    is_left: IsLeft,
}

impl DecodeLoop {
    /// Opens the decoder at the start of the decoding.
    pub fn open(decoded: Arc<Decoding>) -> Result<DecodeLoop, Fault> {
        let source = Source { index: decoded.source, core: decoded.core };
        let instance = decoded.decoder.open(&decoded.options, &source)?;
        let pos = decoded.begins;
        // From the oldest byte on, carrying over the state of discarded bytes; a row reports how many.
        let begin = match pos <= decoded.log.first() {
            true => Cursor::default(),
            false => Cursor { pos, event: decoded.log.event_index_at(pos) },
        };
        let effects = decoded.decoder.effects(&decoded.options);
        let mut instance = InstanceHost::new(instance, &decoded.decoder.info, pos).with_effects(effects);
        instance.set_learned(&decoded.learned);
        Ok(DecodeLoop {
            reader: LogReader::new(decoded.log.clone(), begin),
            instance,
            span: SpanState::new(&decoded.decoder.info),
            batch: Batch::default(),
            spans: Vec::new(),
            bulk: false,
            learner: OptionLearner { epoch: pos },
            learned: None,
            is_left: IsLeft::default(),
            decoded,
        })
    }

    /// Decodes the next chunk; `false` if there is nothing new.
    pub fn step(&mut self) -> Result<bool, LogError> {
        self.decoded.forget_what_is_gone();
        let before = self.reader.at;
        if !self.reader.next(u64::MAX)? {
            return Ok(false);
        }
        if self.decoded.read().rows.at_segment_start() {
            let checkpoint = self.checkpoint();
            self.decoded.begin_segment(before, self.reader.pos, !self.bulk, checkpoint);
        }
        self.batch.clear();
        self.instance.feed(self.reader.pos, &self.reader.bytes, &self.reader.events, &mut self.batch);
        if self.is_left.load(Ordering::Relaxed) {
            return Ok(false);
        }
        self.spans.clear();
        if !self.bulk {
            self.span.places(&self.batch, &mut self.spans);
        }
        let fed = self.reader.bytes.len() as u64;
        let bytes = (fed, self.instance.pending());
        let Decoding { options, learned, .. } = &*self.decoded;
        let learned = self.learner.learn(&self.batch, options, learned);
        self.decoded.add(&mut self.batch, &self.spans, bytes, self.instance.fault(), self.reader.at);
        if self.reader.events.iter().any(|event| event.kind == kind::END) {
            self.decoded.end();
        }
        self.learned = learned.or(self.learned.take());
        Ok(true)
    }

    pub fn behind(&self) -> u64 {
        self.decoded.log.len().saturating_sub(self.reader.at.pos)
    }

    /// A decoder checkpoint for a segment; `None` if the decoder can't be forked.
    fn checkpoint(&mut self) -> Option<Checkpoint> {
        self.bulk = self.behind() > BULK;
        self.instance.wants_activities = !self.bulk;
        if self.bulk {
            self.span = self.span.interrupted();
        }
        let host = self.instance.fork().ok()?;
        Some(Checkpoint { host: Mutex::new(host), span: self.span })
    }
}

/// How long to wait for a thread to end; longer than any call that returns.
const PATIENCE: Duration = Duration::from_secs(3);

/// A thread that processes orders.
#[derive(Debug)]
struct LeavableThread<O> {
    orders: Option<Sender<O>>,
    /// Number of the thread among those that call plugins.
    number: Arc<OnceLock<usize>>,
    is_left: IsLeft,
    handle: Option<JoinHandle<()>>,
}

/// Whether a thread was left behind, so that its results are no longer used.
type IsLeft = Arc<AtomicBool>;

impl<O: Send + 'static> LeavableThread<O> {
    /// Starts a thread that ends with its orders.
    pub(super) fn start(
        name: String,
        is_left: IsLeft,
        run: impl FnOnce(&Receiver<O>) + Send + 'static,
    ) -> Result<LeavableThread<O>, Fault> {
        let (orders, inbox) = unbounded();
        let number = Arc::new(OnceLock::new());
        let own = number.clone();
        let handle = thread::Builder::new().name(name).spawn(move || {
            let _ = running::thread_number().map(|number| own.set(number));
            run(&inbox);
        });
        let handle = handle.map_err(|e| Fault::new(format!("can't start a thread for decoding: {e}")))?;
        Ok(LeavableThread { orders: Some(orders), number, is_left, handle: Some(handle) })
    }

    /// Leaves the thread behind if a call is overdue, and returns that call. `None` if already left.
    fn leave_if_overdue(&self) -> Option<String> {
        let what = overdue(*self.number.get()?)?;
        (!self.is_left.swap(true, Ordering::Relaxed)).then_some(what)
    }

    pub(super) fn send(&self, order: O) -> Result<(), Fault> {
        let sent = self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
        if sent { Ok(()) } else { Err(Fault::new("the session has ended")) }
    }
}

impl<O> Drop for LeavableThread<O> {
    fn drop(&mut self) {
        self.orders = None;
        let Some(handle) = self.handle.take() else { return };
        let since = Instant::now();
        while !handle.is_finished() && !self.is_left.load(Ordering::Relaxed) && since.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
        self.is_left.store(true, Ordering::Relaxed);
        if handle.is_finished() {
            let _ = handle.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_ends_with_its_orders_and_one_that_does_not_is_left() {
        let (done, ends) = crossbeam_channel::bounded(1);
        let run = move |orders: &Receiver<u32>| done.send(orders.iter().sum::<u32>()).unwrap_or_default();
        let thread = LeavableThread::start("orders".to_owned(), IsLeft::default(), run).expect("a thread");
        (1..4).for_each(|order| thread.send(order).expect("it runs"));
        assert!(thread.leave_if_overdue().is_none() && !thread.is_left.load(Ordering::Relaxed));
        drop(thread);
        assert_eq!(ends.try_recv(), Ok(6));
        let (hold, held) = crossbeam_channel::bounded::<()>(0);
        let is_left = IsLeft::default();
        let run = move |_: &Receiver<u32>| held.recv().unwrap_or_default();
        drop(LeavableThread::start("held".to_owned(), is_left.clone(), run));
        assert!(is_left.load(Ordering::Relaxed));
        drop(hold);
    }
}
