//! The thread that sends what is queued, and looks for answers in what was decoded.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender};

use super::{
    flight::Pace,
    rate::{Drops, Rate},
    shared::{Shared, name_of},
};
use crate::{
    log::{LogEvent, host_now, kind},
    session::{Decoding, news::NewsKind},
};

/// How often answers are looked for while a command waits.
const BUSY: Duration = Duration::from_millis(10);
/// How often else.
const IDLE: Duration = Duration::from_millis(100);

/// The thread.
pub(super) struct Worker {
    shared: Arc<Shared>,
    changed: Sender<()>,
    /// Number of the next stream event to look at.
    event: u64,
    /// The decoding whose news were read last, and the number of the next.
    reads: Option<Arc<Decoding>>,
    next_news: u64,
    /// News before this position were read from an earlier decoding.
    seen_pos: u64,
    rate: Rate,
    drops: Drops,
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>, changed: Sender<()>) -> Worker {
        Worker {
            shared,
            changed,
            event: 0,
            reads: None,
            next_news: 0,
            seen_pos: 0,
            rate: Rate::default(),
            drops: Drops::default(),
        }
    }

    pub(super) fn run(mut self, inbox: &Receiver<()>) {
        while !self.shared.stopping.load(Ordering::Relaxed) {
            let wait = if self.shared.dispatcher().is_busy() { BUSY } else { IDLE };
            if inbox.recv_timeout(wait) == Err(crossbeam_channel::RecvTimeoutError::Disconnected) {
                return;
            }
            self.rate.look(self.shared.log.len(), Instant::now());
            self.observe();
            self.begin();
            self.advance();
            self.publish();
        }
    }

    /// Takes what was received.
    fn observe(&mut self) {
        let decoding = self.shared.current.get();
        self.shared.follow_decoder(&decoding);
        self.drops.look(&decoding.read().counters, Instant::now());
        if self.went_down() {
            self.shared.dispatcher().disconnected();
            self.rate = Rate::default();
            self.shared.changed();
        }
        if self.reads.as_ref().is_none_or(|reads| !Arc::ptr_eq(reads, &decoding)) {
            (self.reads, self.next_news) = (Some(decoding.clone()), 0);
        }
        let (news, next) = decoding.read().news.since(self.next_news);
        self.next_news = next;
        let mut dispatcher = self.shared.dispatcher();
        // Decoding again tells everything again.
        let seen = self.seen_pos;
        for news in news.into_iter().filter(|news| news.pos >= seen) {
            let now = Instant::now();
            match news.kind {
                NewsKind::Answer(answer) => dispatcher.answer(answer, false, news.pos, now),
                NewsKind::AnswerToAny(answer) => dispatcher.answer(answer, true, news.pos, now),
                NewsKind::Reset => dispatcher.restarted(news.pos, now),
            }
            self.seen_pos = news.pos + 1;
            self.shared.changed();
        }
    }

    /// Whether the link went down since the last look.
    fn went_down(&mut self) -> bool {
        let mut events: Vec<LogEvent> = Vec::new();
        self.event = self.shared.log.events_from(self.event, u64::MAX, &mut events);
        events.iter().any(|event| event.kind == kind::LINK_DOWN)
    }

    /// Queues the command that waits for the link, when it is up.
    fn begin(&self) {
        let mut first = self.shared.first();
        let Some(command) = first.as_mut().filter(|_| self.shared.cannot_send().is_none()) else { return };
        let encoded = self.shared.encode(&command.line, &self.shared.current.get());
        if command.is_due(encoded.err().as_ref(), !self.shared.log.is_empty(), Instant::now())
            && let Some(command) = first.take()
        {
            let name = name_of(&command.line, &self.shared.current.get());
            let _ = self.shared.dispatcher().add(&command.line, &name, &command.origin, self.shared.log.len());
            self.shared.changed();
        }
    }

    /// Sends what is to be sent.
    fn advance(&mut self) {
        let next = self.shared.dispatcher().next().map(|next| (next.number, next.line.clone()));
        if let Some((number, line)) = next {
            let encoded = self.shared.encode(&line, &self.shared.current.get());
            let mut dispatcher = self.shared.dispatcher();
            match encoded {
                Ok((frames, _, encoder)) => dispatcher.begin(number, frames, encoder),
                Err(error) => dispatcher.failed(number, &error.message),
            }
        }
        let bytes = self.shared.dispatcher().next_write(Instant::now());
        self.publish();
        let (Some(bytes), Some(sender)) = (bytes, &self.shared.sender) else { return };
        let pos = self.shared.log.len();
        let written = sender.write(&bytes).and_then(|sent| sent.wait());
        let rate = sender.line_rate().map_or(self.rate.most, u64::from);
        let pace = Pace { rate, is_full: self.rate.is_busy() || self.drops.are_recent(Instant::now()) };
        let mut dispatcher = self.shared.dispatcher();
        match written {
            Ok(()) => dispatcher.was_written(pos, pace, Instant::now()),
            Err(error) => dispatcher.was_not_written(&error.to_string()),
        }
    }

    /// Logs what happened, which makes rows of it.
    fn publish(&self) {
        let lines = self.shared.dispatcher().take_log();
        if lines.is_empty() {
            return;
        }
        for line in lines {
            self.shared.log.add_event(line.kind, line.arg, line.text.as_bytes(), host_now());
        }
        self.shared.changed();
        let _ = self.changed.try_send(());
    }
}
