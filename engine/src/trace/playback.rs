//! A log that is played again at its pace, as a link inside this program or for the readers of a socket. The pace comes
//! from the host times of the log, else from the time stamps of its rows, else from a rate. Instead, records can be sent
//! one by one. What is to be sent is worked out a chunk at a time, so that long logs begin at once and take no memory.

use std::{
    collections::VecDeque,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use spytui_plugin_api::{Source, row::RowFlags};

use super::stream::prepass;
use crate::{
    decode::{Chosen, LogDecoding, RowContext, guess},
    io::{
        link::{InProcessTarget, LinkState, STEP},
        log::{LogEvent, RawLog, format::grouped, host_now, kind},
    },
    present::Clock,
};

/// How a log is played.
#[derive(Debug, Clone)]
pub struct PlayPlan {
    /// Seconds of the log per second.
    pub speed: f64,
    /// Begin again a second after the end.
    pub looped: bool,
    /// Bytes per second, whatever the times are.
    pub rate: Option<u64>,
    /// How many records may have been sent, if they are sent one by one.
    pub steps: Option<Arc<AtomicU64>>,
    /// Longer pauses are shortened to this.
    pub longest_pause: Duration,
}

impl Default for PlayPlan {
    fn default() -> Self {
        PlayPlan { speed: 1.0, looped: false, rate: None, steps: None, longest_pause: Duration::MAX }
    }
}

/// Bytes per second where no times are known: a serial line with 115200 baud.
const USUAL_RATE: u64 = 11_520;
/// Pause between two rounds.
const REST: Duration = Duration::from_secs(1);
/// Bytes sent at once.
const MOST: u64 = 1 << 20;
/// Bytes of a log with host times that are planned at once.
const STRETCH: u64 = 1 << 16;

/// Bytes up to `end` are sent together, then a stream event.
#[derive(Debug)]
struct Piece {
    end: u64,
    due: Duration,
    is_record: bool,
    event: Option<LogEvent>,
}

/// What the pace of a log is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaceSource {
    HostTimes,
    TimeStamps,
    Rate(u64),
    Steps,
}

impl std::fmt::Display for PaceSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PaceSource::HostTimes => write!(f, "as its bytes arrived"),
            PaceSource::TimeStamps => write!(f, "by the target's time stamps"),
            PaceSource::Rate(rate) => write!(f, "{} bytes per second", grouped(*rate)),
            PaceSource::Steps => write!(f, "record by record"),
        }
    }
}

#[derive(Debug)]
pub struct Playback {
    log: Arc<RawLog>,
    chosen: Option<Chosen>,
    plan: PlayPlan,
    pub source: PaceSource,
    round: Round,
    /// Records sent, all rounds together.
    records: u64,
    failure: Option<String>,
}

/// One time through the log.
#[derive(Debug, Default)]
struct Round {
    /// If these say when bytes are due.
    rows: Option<PacedRows>,
    /// Planned, not sent.
    pieces: VecDeque<Piece>,
    /// Position up to which pieces are planned.
    planned: u64,
    /// Stream events to come before this position, and index of the next one from there on.
    events: VecDeque<LogEvent>,
    events_until: u64,
    next_event: u64,
    /// Index of the next stream event whose host time is looked at.
    next_time: u64,
    due: DueTime,
    sent: u64,
    /// Time in the log since the round began.
    elapsed: Duration,
}

impl Playback {
    /// Plays a log that has ended; with a decoder, the times of its rows are known.
    ///
    /// # Errors
    /// If records are to be sent one by one and there is no decoder, or it can't be opened.
    pub fn new(log: Arc<RawLog>, chosen: Option<Chosen>, plan: PlayPlan) -> Result<Playback, String> {
        let chosen = chosen.map(|(decoder, options)| {
            let guessed = guess::of_target(&decoder, &options, std::slice::from_ref(&log));
            (decoder, guessed.map_or(options, |(options, _)| options))
        });
        let source = source_of(&log, chosen.as_ref(), &plan)?;
        let round = Round::default();
        let mut playback = Playback { log, chosen, plan, source, round, records: 0, failure: None };
        playback.begin().map_err(|error| error.to_string())?;
        Ok(playback)
    }

    fn begin(&mut self) -> io::Result<()> {
        let rows = match (self.source, &self.chosen) {
            (PaceSource::TimeStamps | PaceSource::Steps, Some(chosen)) => Some(PacedRows::new(&self.log, chosen)?),
            _ => None,
        };
        self.round = Round { rows, ..Round::default() };
        Ok(())
    }

    fn begin_again(&mut self) {
        self.failure = self.begin().err().map(|error| error.to_string());
        for (kind, text) in [(kind::LINK_DOWN, "played to the end".to_owned()), (kind::LINK_UP, self.up_text())] {
            let event = LogEvent { pos: 0, host_ns: 0, kind, arg: 0, text: text.into_bytes() };
            self.round.pieces.push_back(Piece { end: 0, due: Duration::ZERO, is_record: false, event: Some(event) });
        }
    }

    /// Whether everything of this round is sent.
    fn is_sent(&self) -> bool {
        self.round.sent >= self.log.len() && self.round.pieces.is_empty()
    }

    /// Plans the next pieces; `false` at the end of the log.
    fn plan_more(&mut self) -> io::Result<bool> {
        let (log, round, pauses) = (&*self.log, &mut self.round, self.plan.longest_pause);
        let before = round.planned;
        if let Some(mut rows) = round.rows.take() {
            let has_more = rows.next(|end, ns, epoch, is_record| {
                round.due.pass_row(ns, epoch, pauses);
                if is_record {
                    round.add(log, end, true);
                }
            })?;
            round.rows = Some(rows);
            if !has_more {
                round.add(log, log.len(), false);
            }
            return Ok(has_more || round.planned > before);
        }
        if let PaceSource::Rate(rate) = self.source {
            round.due.at = Duration::from_nanos((u128::from(before) * 1_000_000_000 / u128::from(rate)) as u64);
            round.add(log, before.saturating_add((rate / 100).max(1)).min(log.len()), true);
        } else {
            let until = before.saturating_add(STRETCH).min(log.len());
            let mut events = Vec::new();
            round.next_time = log.all_events_from(round.next_time, until, &mut events);
            for event in events.iter().filter(|event| event.host_ns > 0 && event.kind != kind::START) {
                round.add(log, event.pos, true);
                round.due.pass(event.host_ns, pauses);
            }
            round.add(log, until, true);
        }
        Ok(round.planned > before)
    }

    fn is_due(&self, piece: &Piece) -> bool {
        match &self.plan.steps {
            Some(steps) => !piece.is_record || self.records < steps.load(Ordering::Relaxed),
            None => piece.due <= self.round.elapsed,
        }
    }

    /// Sends what is due, up to the next stream event.
    fn send(&mut self, to: &mut Vec<u8>) -> io::Result<()> {
        let (sent, mut until) = (self.round.sent, self.round.sent);
        while until - sent < MOST {
            if self.round.pieces.is_empty() && !self.plan_more()? {
                break;
            }
            let Some(piece) = self.round.pieces.front() else { continue };
            if !self.is_due(piece) {
                break;
            }
            until = piece.end;
            if piece.event.is_some() {
                break;
            }
            self.records += u64::from(piece.is_record);
            self.round.pieces.pop_front();
        }
        self.log.copy_to(sent..until, to)?;
        self.round.sent = until;
        Ok(())
    }
}

impl Round {
    /// Plans the bytes up to `end` for now, with the stream events in them; those at `end` come with what follows.
    fn add(&mut self, log: &RawLog, end: u64, is_record: bool) {
        if end <= self.planned {
            return;
        }
        let (due, until) = (self.due.at, if end == log.len() { end + 1 } else { end });
        if until > self.events_until {
            // Many pieces have none.
            self.events_until = until + STRETCH;
            let mut events = Vec::new();
            self.next_event = log.all_events_from(self.next_event, self.events_until - 1, &mut events);
            self.events.extend(events.into_iter().filter(is_played));
        }
        while self.events.front().is_some_and(|event| event.pos < until)
            && let Some(event) = self.events.pop_front()
        {
            self.pieces.push_back(Piece { end: event.pos, due, is_record, event: Some(event) });
        }
        self.pieces.push_back(Piece { end, due, is_record, event: None });
        self.planned = end;
    }
}

/// Whether a stream event is part of what is played; bytes that were sent to the target are not.
fn is_played(event: &LogEvent) -> bool {
    !matches!(event.kind, kind::START | kind::END | kind::TIME | kind::SENT)
}

impl InProcessTarget for Playback {
    fn up_text(&self) -> String {
        match (self.source, self.plan.speed) {
            (source @ PaceSource::Steps, _) | (source, 1.0) => format!("played again, {source}"),
            (source, speed) => format!("played again, {source}, {speed} times as fast"),
        }
    }

    fn step(&mut self) {
        self.round.elapsed += STEP.mul_f64(self.plan.speed);
        let rest = REST.mul_f64(self.plan.speed);
        if self.plan.looped
            && self.is_sent()
            && (self.plan.steps.is_some() || self.round.elapsed >= self.round.due.at + rest)
        {
            self.begin_again();
        }
    }

    fn read(&mut self, to: &mut Vec<u8>) {
        if let Err(error) = self.send(to) {
            self.failure = Some(error.to_string());
        }
    }

    fn event(&mut self) -> Option<LogEvent> {
        let piece = self.round.pieces.front().filter(|piece| piece.end <= self.round.sent && self.is_due(piece))?;
        piece.event.as_ref()?;
        let event = self.round.pieces.pop_front()?.event?;
        Some(LogEvent { host_ns: host_now(), ..event })
    }

    fn end(&self) -> Option<LinkState> {
        if let Some(failure) = &self.failure {
            return Some(LinkState::Failed(failure.clone()));
        }
        (!self.plan.looped && self.is_sent()).then_some(LinkState::Ended)
    }
}

fn source_of(log: &Arc<RawLog>, chosen: Option<&Chosen>, plan: &PlayPlan) -> Result<PaceSource, String> {
    if plan.steps.is_some() {
        let no_records = || "--step: the bytes show no decoder, and so no records; --proto NAME names it".to_owned();
        return chosen.map(|_| PaceSource::Steps).ok_or_else(no_records);
    }
    if let Some(rate) = plan.rate {
        return Ok(PaceSource::Rate(rate.max(1)));
    }
    let host_time = |pos| log.host_time_at(pos);
    if host_time(0).zip(host_time(log.len().saturating_sub(1))).is_some_and(|(first, last)| last > first) {
        return Ok(PaceSource::HostTimes);
    }
    let clock = chosen.map(|(decoder, options)| prepass::first_clock(decoder, options, std::slice::from_ref(log)));
    let clock = clock.transpose().map_err(|error| error.to_string())?.flatten();
    Ok(clock.map_or(PaceSource::Rate(USUAL_RATE), |_| PaceSource::TimeStamps))
}

/// When what comes next is due. Times that step back, as in a file of several cores, cause no pause.
#[derive(Debug, Default)]
struct DueTime {
    at: Duration,
    newest_ns: Option<u64>,
    epoch: u32,
}

impl DueTime {
    fn pass(&mut self, ns: u64, longest_pause: Duration) {
        let newest = self.newest_ns.unwrap_or(ns);
        self.at += Duration::from_nanos(ns.saturating_sub(newest)).min(longest_pause);
        self.newest_ns = Some(ns.max(newest));
    }

    fn pass_row(&mut self, ns: Option<u64>, epoch: u32, longest_pause: Duration) {
        if epoch != self.epoch {
            (self.epoch, self.newest_ns) = (epoch, None);
        }
        ns.into_iter().for_each(|ns| self.pass(ns, longest_pause));
    }
}

/// Rows with their times, decoded a chunk at a time.
#[derive(Debug)]
struct PacedRows {
    decoding: LogDecoding,
    context: RowContext,
    /// For rows before the target reports its clock.
    clock: Clock,
}

impl PacedRows {
    fn new(log: &Arc<RawLog>, (decoder, options): &Chosen) -> io::Result<PacedRows> {
        let clock = prepass::first_clock(decoder, options, std::slice::from_ref(log))?.unwrap_or_default();
        let decoding = LogDecoding::open(decoder, options, &Source::default(), log, None)?;
        Ok(PacedRows { decoding, context: RowContext::default(), clock })
    }

    /// Passes on the end, time and epoch of each row of the next chunk, and whether it is a record; `false` at the end.
    fn next(&mut self, mut row_ends: impl FnMut(u64, Option<u64>, u32, bool)) -> io::Result<bool> {
        let Some(batch) = self.decoding.next_batch()? else { return Ok(false) };
        self.context.begin_batch();
        for (at, row) in batch.rows.iter().enumerate() {
            self.context.advance(batch, at, None);
            let clock = if self.context.clock.known() { self.context.clock } else { self.clock };
            let ns = if row.has(RowFlags::TIME_OWN) { clock.ns(row.time) } else { None };
            row_ends(row.pos + u64::from(row.len), ns, self.context.epochs.epoch, row.is_record());
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::log::LogOptions;

    const MS: u64 = 1_000_000;

    /// A log whose pieces arrived after so many milliseconds.
    fn log(pieces: &[(&str, u64)]) -> Arc<RawLog> {
        let log = RawLog::new(&LogOptions::default());
        pieces.iter().for_each(|(bytes, ms)| log.append(bytes.as_bytes(), 1_000 * MS + ms * MS));
        log.end(0);
        log
    }

    /// What is sent, with the tenths of a second after which it is, and the words of stream events.
    fn played(log: &Arc<RawLog>, plan: PlayPlan, tenths: u64) -> Vec<(u64, String)> {
        let mut playback = Playback::new(log.clone(), None, plan).unwrap();
        let (mut sent, mut bytes) = (Vec::new(), Vec::new());
        for step in 0..tenths * 10 {
            loop {
                playback.read(&mut bytes);
                let text = String::from_utf8(std::mem::take(&mut bytes)).unwrap();
                let event = playback.event().map(|event| format!("({})", String::from_utf8(event.text).unwrap()));
                let is_over = event.is_none();
                sent.extend(
                    [Some(text), event].into_iter().flatten().filter(|t| !t.is_empty()).map(|t| (step / 10, t)),
                );
                if is_over {
                    break;
                }
            }
            if playback.end().is_some() {
                break;
            }
            playback.step();
        }
        sent
    }

    fn plan(speed: f64) -> PlayPlan {
        PlayPlan { speed, ..PlayPlan::default() }
    }

    #[test]
    fn bytes_come_when_they_arrived_or_as_many_times_as_fast() {
        let log = log(&[("one", 0), ("two", 505), ("three", 1_005)]);
        let all =
            |times: [u64; 3]| times.into_iter().zip(["one", "two", "three"].map(str::to_owned)).collect::<Vec<_>>();
        assert_eq!(played(&log, plan(1.0), 30), all([0, 5, 10]));
        assert_eq!(played(&log, plan(5.0), 30), all([0, 1, 2]));
        assert_eq!(played(&log, plan(0.5), 30), all([0, 10, 20]));
        let short = PlayPlan { longest_pause: Duration::from_millis(105), ..plan(1.0) };
        assert_eq!(played(&log, short, 30), all([0, 1, 2]));
    }

    #[test]
    fn without_times_bytes_come_at_a_rate() {
        let log = log(&[("0123456789", 0)]);
        let rate = PlayPlan { rate: Some(20), ..plan(2.0) };
        let sent = played(&log, rate, 30);
        assert_eq!(sent.iter().map(|(_, text)| text.as_str()).collect::<String>(), "0123456789");
        assert_eq!((sent.len(), sent.last().map(|last| last.0)), (10, Some(2)));
        assert_eq!(Playback::new(log, None, plan(1.0)).unwrap().source, PaceSource::Rate(USUAL_RATE));
    }

    #[test]
    fn stream_events_stay_at_their_places_and_a_loop_says_where_it_begins() {
        let log = RawLog::new(&LogOptions::default());
        log.append(b"one", 1_000 * MS);
        log.add_event(kind::LINK_DOWN, 0, b"unplugged", 1_100 * MS);
        log.append(b"two", 1_305 * MS);
        log.end(0);
        let sent = played(&log, PlayPlan { looped: true, ..plan(1.0) }, 16);
        let text: Vec<&str> = sent.iter().map(|(_, text)| text.as_str()).collect();
        let again = "(played again, as its bytes arrived)";
        assert_eq!(text, ["one", "(unplugged)", "two", "(played to the end)", again, "one"]);
        assert_eq!(sent.iter().map(|(tenth, _)| *tenth).collect::<Vec<_>>(), [0, 3, 3, 13, 13, 13]);
    }

    #[test]
    fn records_one_by_one_need_a_decoder() {
        let steps = PlayPlan { steps: Some(Arc::default()), ..plan(1.0) };
        assert!(Playback::new(log(&[("x", 0)]), None, steps).unwrap_err().contains("--proto"));
    }
}
