//! The thread that sends what is queued, and looks for answers in what was decoded.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender};
use spytui_plugin_api::{Answer, Want, info::AnswerStage};

use super::{
    first::Start,
    flight::Pace,
    rate::{Drops, Rate},
    shared::Shared,
};
use crate::{
    device::command::{ParsedCommand, parse},
    io::log::{LogEvent, host_now, kind},
    store::View,
    trace::list::{RenderRequest, RowList, RowRenderer},
    trace::session::{
        Decoding,
        news::{News, NewsKind},
    },
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
    start: Start,
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
            start: Start::default(),
            rate: Rate::default(),
            drops: Drops::default(),
        }
    }

    pub(super) fn run(mut self, inbox: &Receiver<()>) {
        while !self.shared.stopping.load(Ordering::Relaxed) {
            let wait = if self.shared.dispatcher.lock().is_busy() { BUSY } else { IDLE };
            if inbox.recv_timeout(wait) == Err(crossbeam_channel::RecvTimeoutError::Disconnected) {
                return;
            }
            let (len, now) = (self.shared.log.len(), Instant::now());
            self.start.look(self.shared.cannot_send().is_none(), len, now);
            self.rate.look(len, now);
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
            self.shared.dispatcher.lock().disconnected();
            self.rate = Rate::default();
            self.start = Start::default();
            self.shared.changed();
        }
        if self.reads.as_ref().is_none_or(|reads| !Arc::ptr_eq(reads, &decoding)) {
            (self.reads, self.next_news) = (Some(decoding.clone()), 0);
        }
        let (news, next) = decoding.read().news.since(self.next_news);
        self.next_news = next;
        // Decoding again brings everything again.
        let seen = self.seen_pos;
        for news in news.into_iter().filter(|news| news.pos >= seen) {
            match news.kind {
                NewsKind::Answer(answer) => self.answer(&decoding, news, answer, false),
                NewsKind::AnswerToAny(answer) => self.answer(&decoding, news, answer, true),
                NewsKind::Reset => self.shared.dispatcher.lock().restarted(news.pos, Instant::now()),
            }
            self.seen_pos = news.pos + 1;
            self.shared.changed();
        }
    }

    fn answer(&self, decoding: &Arc<Decoding>, news: News, answer: Answer, is_to_any: bool) {
        // Rendered before the queue is locked: whoever encodes holds the rows while waiting for the queue.
        let text = if answer.stage == AnswerStage::DATA { row_text(decoding, news.row) } else { String::new() };
        self.shared.dispatcher.lock().answer(answer, is_to_any, news.pos, Instant::now(), text);
    }

    /// Whether the link went down since the last look.
    fn went_down(&mut self) -> bool {
        let mut events: Vec<LogEvent> = Vec::new();
        self.event = self.shared.log.events_from(self.event, u64::MAX, &mut events);
        events.iter().any(|event| event.kind == kind::LINK_DOWN)
    }

    /// Queues the command that waits for the link, when it is up.
    fn begin(&self) {
        let mut first = self.shared.first.lock();
        let Some(command) = first.as_ref().filter(|_| self.shared.cannot_send().is_none()) else { return };
        let decoding = self.shared.current.get();
        let parsed = parse(&command.line, &decoding.decoder.info, &decoding.read().dictionary);
        let pos = self.shared.log.len();
        if !self.start.is_due(parsed.as_ref().err(), pos, Instant::now()) {
            return;
        }
        let mut dispatcher = self.shared.dispatcher.lock();
        match parsed {
            Ok(parsed) => _ = dispatcher.add(parsed, &command.origin, pos),
            Err(error) => {
                let number = dispatcher.add(ParsedCommand::unread(&command.line), &command.origin, pos);
                number.into_iter().for_each(|number| dispatcher.failed(number, &error.message));
            }
        }
        *first = None;
        self.shared.changed();
    }

    /// Encodes the next command, when what was received before its turn is decoded: a reset in it changes what its frames
    /// must be.
    fn encode_next(&mut self) {
        let next = self.shared.dispatcher.lock().next().map(|(number, command)| (number, command.clone()));
        let Some((number, command)) = next else { return };
        let (decoding, now) = (self.shared.current.get(), Instant::now());
        if !self.start.is_ready(number, self.shared.log.len(), decoding.pos(), now) {
            return;
        }
        self.observe();
        let encoded = self.shared.encode(&command, &decoding);
        let mut dispatcher = self.shared.dispatcher.lock();
        match encoded {
            Ok((frames, _)) if frames.is_early && self.start.may_report(now) => {}
            Ok((frames, encoder)) => dispatcher.begin(number, frames, encoder),
            Err(error) => dispatcher.failed(number, &error.message),
        }
    }

    /// How long an answer may take.
    fn pace(&self, line_rate: Option<u64>) -> Pace {
        let is_full = self.rate.is_busy() || self.drops.are_recent(Instant::now());
        Pace { rate: line_rate.unwrap_or(self.rate.most), line_rate, is_full }
    }

    /// Sends what is to be sent.
    fn advance(&mut self) {
        self.encode_next();
        let now = Instant::now();
        let bytes = self.shared.dispatcher.lock().next_write(self.rate.is_quiet(now), now);
        self.publish();
        let (Some(bytes), Some(sender)) = (bytes, &self.shared.sender) else { return };
        let pos = self.shared.log.len();
        let written = sender.write(&bytes);
        let pace = self.pace(sender.line_rate().map(u64::from));
        let mut dispatcher = self.shared.dispatcher.lock();
        match written {
            Ok(()) => {
                dispatcher.was_written(pos, pace, Instant::now());
                self.shared.changed();
            }
            Err(error) => dispatcher.was_not_written(&error),
        }
    }

    /// Logs what happened, which makes rows of it.
    fn publish(&self) {
        let lines = self.shared.dispatcher.lock().take_log();
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

/// What a row says, as it is listed.
fn row_text(decoding: &Arc<Decoding>, row: u64) -> String {
    let ask = RenderRequest { want: Want::TEXT, view: View::AsOf, short: true, before: None };
    let mut text = Vec::new();
    RowRenderer::default().views(&RowList::new(vec![decoding.clone()]), [row], ask, |_, item| {
        item.push_object(&mut text);
        if !text.is_empty() {
            text.push(b' ');
        }
        item.push_what(&mut text);
        false
    });
    String::from_utf8_lossy(&text).trim().to_owned()
}
