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

use spytui_plugin_api::row::RowFlags;

use super::stream::{LogInput, Pipeline, Sink, prepass};
use crate::{
    decode::{Chosen, guess},
    io::{
        link::{InProcessTarget, LinkState},
        log::{LogEvent, RawLog, format::grouped, host_now, kind},
    },
    present::Clock,
    row::RowView,
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
/// Interval at which bytes are sent.
const STEP: Duration = Duration::from_millis(10);
/// Pause between two rounds.
const REST: Duration = Duration::from_secs(1);
/// Bytes sent at once.
const MOST: u64 = 1 << 20;
/// Bytes of a log with host times that are planned at once.
const STRETCH: u64 = 1 << 16;

/// Bytes up to `end` are sent together.
#[derive(Debug)]
struct Piece {
    end: u64,
    due: Duration,
    is_record: bool,
}

#[derive(Debug)]
enum Pace {
    /// The host times of the log; index of the next stream event.
    Arrivals(u64),
    Rows(Box<RowPace>),
    Rate(u64),
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
    pace: Pace,
    /// Planned, not sent.
    pieces: VecDeque<Piece>,
    /// Position up to which pieces are planned.
    planned: u64,
    due: DueTime,
    /// Position up to which bytes are due, and to which they are sent.
    reached: u64,
    sent: u64,
    /// Records sent, all rounds together.
    records: u64,
    /// Stream events that are due, and the index of the next one.
    events: VecDeque<LogEvent>,
    next_event: u64,
    /// Time in the log since the round began.
    elapsed: Duration,
    failure: Option<String>,
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
        let mut playback = Playback {
            chosen,
            plan,
            source,
            pace: Pace::Arrivals(0),
            pieces: VecDeque::new(),
            planned: 0,
            due: DueTime::default(),
            reached: 0,
            sent: 0,
            records: 0,
            events: VecDeque::new(),
            next_event: 0,
            elapsed: Duration::ZERO,
            failure: None,
            log,
        };
        playback.pace = playback.pace()?;
        Ok(playback)
    }

    fn pace(&self) -> Result<Pace, String> {
        Ok(match (self.source, &self.chosen) {
            (PaceSource::TimeStamps | PaceSource::Steps, Some(chosen)) => {
                Pace::Rows(Box::new(RowPace::new(&self.log, chosen)?))
            }
            (PaceSource::Rate(rate), _) => Pace::Rate(rate.max(1)),
            _ => Pace::Arrivals(0),
        })
    }

    fn begin_again(&mut self) {
        match self.pace() {
            Ok(pace) => self.pace = pace,
            Err(error) => self.failure = Some(error),
        }
        self.due = DueTime::default();
        (self.planned, self.reached, self.sent, self.next_event) = (0, 0, 0, 0);
        self.elapsed = Duration::ZERO;
        let event = |kind, text: &str| LogEvent { pos: 0, host_ns: 0, kind, arg: 0, text: text.into() };
        self.events.push_back(event(kind::LINK_DOWN, "played to the end"));
        self.events.push_back(event(kind::LINK_UP, &self.up_text()));
    }

    /// Whether everything of this round is sent.
    fn is_sent(&self) -> bool {
        self.sent >= self.log.len() && self.events.is_empty()
    }

    /// Plans the next pieces; `false` at the end of the log.
    fn plan_more(&mut self) -> io::Result<bool> {
        let (before, len) = (self.planned, self.log.len());
        let pauses = self.plan.longest_pause;
        let mut add = |end: u64, due: Duration, is_record: bool| {
            if end > self.planned {
                self.planned = end;
                self.pieces.push_back(Piece { end, due, is_record });
            }
        };
        match &mut self.pace {
            Pace::Arrivals(next) => {
                let until = before.saturating_add(STRETCH).min(len);
                let mut events = Vec::new();
                *next = self.log.all_events_from(*next, until, &mut events);
                for event in events.iter().filter(|event| event.host_ns > 0 && event.kind != kind::START) {
                    add(event.pos, self.due.at, true);
                    self.due.pass(event.host_ns, pauses);
                }
                add(until, self.due.at, true);
            }
            Pace::Rate(rate) => {
                let due = Duration::from_nanos((u128::from(before) * 1_000_000_000 / u128::from(*rate)) as u64);
                add(before.saturating_add((*rate / 100).max(1)).min(len), due, true);
            }
            Pace::Rows(rows) => {
                let is_over = rows.feed()?;
                for row in rows.sink.ends.drain(..) {
                    self.due.pass_row(&row, pauses);
                    if row.is_record {
                        add(row.end, self.due.at, true);
                    }
                }
                if is_over {
                    add(len, self.due.at, false);
                }
                return Ok(!is_over || self.planned > before);
            }
        }
        Ok(self.planned > before)
    }

    /// Position up to which bytes are due now.
    fn reach(&mut self) -> io::Result<()> {
        while self.reached - self.sent < MOST {
            if self.pieces.is_empty() && !self.plan_more()? {
                break;
            }
            let Some(piece) = self.pieces.front() else { continue };
            let is_due = match &self.plan.steps {
                Some(steps) => !piece.is_record || self.records < steps.load(Ordering::Relaxed),
                None => piece.due <= self.elapsed,
            };
            if !is_due {
                break;
            }
            self.records += u64::from(piece.is_record);
            self.reached = piece.end;
            self.pieces.pop_front();
        }
        Ok(())
    }

    fn send(&mut self, to: &mut Vec<u8>) -> io::Result<()> {
        self.reach()?;
        let len = self.log.len();
        // Events at the end of what is due come with what follows.
        let upto = if self.reached == len { Some(len) } else { self.reached.checked_sub(1) };
        if let Some(upto) = upto {
            let mut events = Vec::new();
            self.next_event = self.log.all_events_from(self.next_event, upto, &mut events);
            self.events.extend(events.into_iter().filter(is_played));
        }
        let until = self.events.front().map_or(self.reached, |event| event.pos.min(self.reached));
        let mut bytes = Vec::new();
        let count = usize::try_from(until.saturating_sub(self.sent)).unwrap_or(0);
        self.log.read_into(self.sent, count, &mut bytes).map_err(io::Error::other)?;
        to.extend_from_slice(&bytes);
        self.sent += bytes.len() as u64;
        Ok(())
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

    fn step_time(&self) -> Duration {
        STEP
    }

    fn step(&mut self) {
        self.elapsed += STEP.mul_f64(self.plan.speed);
        let rest = REST.mul_f64(self.plan.speed);
        if self.plan.looped && self.is_sent() && (self.plan.steps.is_some() || self.elapsed >= self.due.at + rest) {
            self.begin_again();
        }
    }

    fn read(&mut self, to: &mut Vec<u8>) {
        if let Err(error) = self.send(to) {
            self.failure = Some(error.to_string());
        }
    }

    fn can_feed(&self) -> bool {
        false
    }

    fn feed(&mut self, _: &[u8]) {}

    fn event(&mut self) -> Option<LogEvent> {
        let is_due = self.events.front().is_some_and(|event| event.pos <= self.sent);
        let event = if is_due { self.events.pop_front() } else { None };
        event.map(|event| LogEvent { host_ns: host_now(), ..event })
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
        return Ok(PaceSource::Rate(rate));
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

    fn pass_row(&mut self, row: &RowEnd, longest_pause: Duration) {
        if row.epoch != self.epoch {
            (self.epoch, self.newest_ns) = (row.epoch, None);
        }
        if let Some(ns) = row.ns {
            self.pass(ns, longest_pause);
        }
    }
}

/// The ends of rows, decoded a chunk at a time.
#[derive(Debug)]
struct RowPace {
    pipeline: Pipeline,
    input: LogInput,
    sink: RowEnds,
}

impl RowPace {
    fn new(log: &Arc<RawLog>, (decoder, options): &Chosen) -> Result<RowPace, String> {
        let text = |error: io::Error| error.to_string();
        let clock = prepass::first_clock(decoder, options, std::slice::from_ref(log)).map_err(text)?;
        let pipeline = Pipeline::single(decoder, options).map_err(|fault| fault.to_string())?;
        let sink = RowEnds { clock: clock.unwrap_or_default(), ends: Vec::new() };
        Ok(RowPace { pipeline, input: LogInput::new(log.clone(), None), sink })
    }

    /// Decodes the next chunk; `true` at the end.
    fn feed(&mut self) -> io::Result<bool> {
        if self.pipeline.wants(0) && !self.input.feed(0, &mut self.pipeline, &mut self.sink)? {
            return Ok(true);
        }
        self.pipeline.advance(&mut self.sink, |_| true)?;
        Ok(self.pipeline.is_over())
    }
}

#[derive(Debug)]
struct RowEnd {
    end: u64,
    ns: Option<u64>,
    epoch: u32,
    is_record: bool,
}

#[derive(Debug)]
struct RowEnds {
    /// For rows before the target reports its clock.
    clock: Clock,
    ends: Vec<RowEnd>,
}

impl Sink for RowEnds {
    fn single(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        let own = item.row.has(RowFlags::TIME_OWN);
        let ns = own.then(|| item.ns().or_else(|| self.clock.ns(item.row.time))).flatten();
        let end = item.row.pos + u64::from(item.row.len);
        self.ends.push(RowEnd { end, ns, epoch: item.epoch, is_record: item.row.is_record() });
        Ok(())
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
