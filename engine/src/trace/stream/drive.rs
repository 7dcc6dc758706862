//! Runs pipelines over logs, which may still grow.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Select};
use spytui_plugin_api::{Fault, Source};

use super::{pipeline::Pipeline, prepass::Prepass, sink::Sink};
use crate::{
    decode::{LearnedOptions, Looks, is_known_at_start, learn_from_beginning},
    io::log::{Cursor, LogEvent, LogReader, RawLog, host_now, kind},
    open::{
        Decoder, Options,
        guess::{self, SAMPLE, Suggestion},
    },
    present::clock::grouped,
    store::Counters,
};

/// How often a wait checks for a stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// How long bytes received before a stop are still decoded.
const LAST_ROWS: Duration = Duration::from_millis(400);

/// Processes the logs of a target in merge order as they grow, until all inputs end or `stop` is set. `patience` limits
/// the wait for a silent source. `idle` is called when there is nothing to do, after flushing the sink.
///
/// At a stop, the logs are ended, their content is decoded within a time limit, and pending bytes get their row.
/// Returns the number of received bytes that were not decoded.
///
/// # Errors
/// If the sink or a log fails.
pub fn drive_logs(
    logs: &[Arc<RawLog>],
    pipeline: &mut Pipeline,
    sink: &mut impl Sink,
    stop: &AtomicBool,
    patience: Option<Duration>,
    mut idle: impl FnMut() -> io::Result<()>,
) -> io::Result<u64> {
    let mut inputs = LogInputs::new(logs);
    while !stop.load(Ordering::Relaxed) && !pipeline.is_over() {
        if inputs.turn(pipeline, sink, patience)? {
            continue;
        }
        sink.flush()?;
        idle()?;
        wait(inputs.wakes.iter(), patience.filter(|_| pipeline.holds_back()).map_or(STOP_CHECK, |p| p / 4));
    }
    let mut left = 0;
    if !pipeline.is_over() {
        inputs.end_logs();
        let until = Instant::now() + LAST_ROWS;
        while !inputs.are_drained() && Instant::now() < until && inputs.turn(pipeline, sink, Some(Duration::ZERO))? {}
        left = inputs.close(pipeline, sink)?;
    }
    idle()?;
    Ok(left)
}

/// [`drive_logs`] for independent targets, each with its own order and names, interleaved as rows arrive. `grow` is
/// called at every turn and may add targets. A target is decoded once the start of its streams was examined; at a stop,
/// everything received is decoded.
///
/// # Errors
/// If the sink or a log fails.
pub fn drive_targets(
    targets: &mut Targets,
    sink: &mut impl Sink,
    stop: &AtomicBool,
    patience: Option<Duration>,
    mut grow: impl FnMut(&mut Targets) -> io::Result<()>,
    mut idle: impl FnMut() -> io::Result<()>,
) -> io::Result<u64> {
    while !stop.load(Ordering::Relaxed) && !targets.is_over() {
        grow(targets)?;
        if targets.turn(sink, patience)? {
            continue;
        }
        sink.flush()?;
        idle()?;
        wait(targets.wakes(), patience.filter(|_| targets.holds_back()).map_or(STOP_CHECK, |p| p / 4));
    }
    let mut left = 0;
    if !targets.is_over() {
        grow(targets)?;
        targets.end_logs();
        let until = Instant::now() + LAST_ROWS;
        while !targets.are_drained() && Instant::now() < until && targets.turn(sink, Some(Duration::ZERO))? {}
        left = targets.close(sink)?;
    }
    idle()?;
    Ok(left)
}

/// Waits for one of these notifications.
fn wait<'a>(wakes: impl Iterator<Item = &'a Receiver<()>>, time: Duration) {
    let wakes: Vec<&Receiver<()>> = wakes.collect();
    let mut select = Select::new();
    for wake in &wakes {
        select.recv(wake);
    }
    if let Ok(news) = select.select_timeout(time) {
        // A disconnected receiver has no notifications to miss.
        let _ = wakes.get(news.index()).map(|wake| news.recv(wake));
    }
}

#[derive(Debug, Default)]
pub struct Targets {
    list: Vec<TargetFlow>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct TargetFlow {
    start: TargetStart,
    /// `None` until the start of its streams was examined.
    pipeline: Option<Pipeline>,
    inputs: LogInputs,
}

impl Targets {
    /// Adds a target. With two or more targets, rows name their source.
    pub fn add(&mut self, start: TargetStart) {
        let inputs = LogInputs::new(start.logs());
        self.list.push(TargetFlow { start, pipeline: None, inputs });
        if self.list.len() > 1 {
            self.list.iter_mut().filter_map(|flow| flow.pipeline.as_mut()).for_each(Pipeline::set_apart);
        }
    }

    /// The targets being decoded, in order of addition; all targets at the end of a run.
    pub fn iter(&self) -> impl Iterator<Item = &Pipeline> {
        self.list.iter().filter_map(|flow| flow.pipeline.as_ref())
    }

    /// Log and counters of each source, in order of addition; no counters until the start of its streams was examined.
    pub fn sources(&self) -> impl Iterator<Item = (&RawLog, Option<&Counters>)> {
        self.list.iter().flat_map(|flow| {
            let counters = |at| flow.pipeline.as_ref().and_then(|pipeline| pipeline.counters(at));
            flow.start.logs().iter().enumerate().map(move |(at, log)| (log.as_ref(), counters(at)))
        })
    }

    /// The first decoder fault.
    pub fn fault(&self) -> Option<&Fault> {
        self.iter().find_map(Pipeline::fault)
    }

    /// Messages for the user since the last call.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Whether all targets have ended.
    pub fn is_over(&self) -> bool {
        self.list.iter().all(TargetFlow::is_over)
    }

    pub(super) fn holds_back(&self) -> bool {
        self.iter().any(Pipeline::holds_back)
    }

    pub(super) fn wakes(&self) -> impl Iterator<Item = &Receiver<()>> {
        self.list.iter().flat_map(|flow| &flow.inputs.wakes)
    }

    /// Gives each target a turn; returns `false` if there is nothing to do.
    pub(super) fn turn(&mut self, sink: &mut impl Sink, patience: Option<Duration>) -> io::Result<bool> {
        let apart = self.list.len() > 1;
        let mut any = false;
        for flow in self.list.iter_mut().filter(|flow| !flow.is_over()) {
            let mut notes = Vec::new();
            any |= flow.turn(apart, sink, patience, &mut notes)?;
            self.notes.extend(notes.into_iter().map(|note| flow.named(note, apart)));
        }
        Ok(any)
    }

    /// Ends the logs that still receive.
    fn end_logs(&self) {
        self.list.iter().for_each(|flow| flow.inputs.end_logs());
    }

    /// Whether everything received is decoded.
    fn are_drained(&self) -> bool {
        self.list.iter().all(|flow| flow.is_over() || (flow.pipeline.is_some() && flow.inputs.are_drained()))
    }

    /// Ends all sources at their decoders' positions; returns the number of received bytes that are not decoded.
    pub(super) fn close(&mut self, sink: &mut impl Sink) -> io::Result<u64> {
        let apart = self.list.len() > 1;
        let mut left = 0;
        for flow in self.list.iter_mut().filter(|flow| !flow.is_over()) {
            let mut notes = Vec::new();
            let pipeline = match &mut flow.pipeline {
                Some(pipeline) => pipeline,
                None => flow.pipeline.insert(flow.start.open_now(&mut notes)?),
            };
            left += flow.inputs.close(pipeline, sink)?;
            self.notes.extend(notes.into_iter().map(|note| flow.named(note, apart)));
        }
        Ok(left)
    }
}

impl TargetFlow {
    fn is_over(&self) -> bool {
        self.pipeline.as_ref().is_some_and(Pipeline::is_over)
    }

    /// A note, with the target's name if there are others.
    fn named(&self, note: String, apart: bool) -> String {
        if apart { format!("{}: {note}", self.start.name()) } else { note }
    }

    fn turn(
        &mut self,
        apart: bool,
        sink: &mut impl Sink,
        patience: Option<Duration>,
        notes: &mut Vec<String>,
    ) -> io::Result<bool> {
        let now = Instant::now();
        let Some(pipeline) = &mut self.pipeline else {
            self.pipeline = self.start.open(now, notes)?;
            if let (Some(pipeline), true) = (&mut self.pipeline, apart) {
                pipeline.set_apart();
            }
            return Ok(self.pipeline.is_some());
        };
        if let Some(options) = self.start.look_again(now, notes) {
            self.inputs.set_options(&options);
        }
        self.inputs.turn(pipeline, sink, patience)
    }
}

/// A target whose decoder is opened once the start of its streams was examined.
#[derive(Debug)]
pub struct TargetStart {
    decoder: Arc<Decoder>,
    options: Options,
    name: String,
    sources: Vec<Source>,
    logs: Vec<Arc<RawLog>>,
    live: bool,
    prepass: bool,
    looks: Looks,
    /// Length of all logs when the target's own configuration was last searched.
    searched: u64,
    /// The wait was reported.
    waits: bool,
    /// Guessed options.
    guessed: Vec<(String, String)>,
}

impl TargetStart {
    /// A target with these sources and their logs; `name` = name of the first source.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn new(
        decoder: &Arc<Decoder>,
        options: &Options,
        name: &str,
        sources: &[Source],
        logs: &[Arc<RawLog>],
    ) -> Result<TargetStart, Fault> {
        for source in sources {
            decoder.open(options, source)?;
        }
        Ok(TargetStart {
            decoder: decoder.clone(),
            options: options.clone(),
            name: name.to_owned(),
            sources: sources.to_vec(),
            logs: logs.to_vec(),
            live: false,
            prepass: false,
            looks: Looks::default(),
            searched: 0,
            waits: false,
            guessed: Vec::new(),
        })
    }

    /// The streams are live, so they are examined before the whole sample has arrived.
    pub fn live(self, live: bool) -> TargetStart {
        TargetStart { live, ..self }
    }

    /// With a first pass over files, which finds what they report late.
    pub fn with_prepass(self, prepass: bool) -> TargetStart {
        TargetStart { prepass, ..self }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn logs(&self) -> &[Arc<RawLog>] {
        &self.logs
    }

    /// Opens the decoder if the start of the streams can be judged now; adds messages for the user to `notes`.
    ///
    /// # Errors
    /// If a log can't be read.
    pub(super) fn open(&mut self, now: Instant, notes: &mut Vec<String>) -> io::Result<Option<Pipeline>> {
        let waits = guess::is_useful(&self.decoder, &self.options);
        if self.looks.due(&self.logs, self.live, now) || !waits || self.is_known() {
            return self.open_now(notes).map(Some);
        }
        if !self.waits && self.looks.waited(now) {
            self.waits = true;
            notes.push(format!("waiting for sizes: {} of {} B", grouped(self.len()), grouped(SAMPLE as u64)));
        }
        Ok(None)
    }

    /// Opens the decoder with the bytes received so far.
    ///
    /// # Errors
    /// If a log can't be read.
    pub fn open_now(&mut self, notes: &mut Vec<String>) -> io::Result<Pipeline> {
        let found = guess::of_target(&self.decoder, &self.options, &self.logs);
        let options = match found {
            Some((options, suggestion)) => {
                notes.push(suggestion.to_string());
                self.guessed = suggestion.options;
                options
            }
            None => self.options.clone(),
        };
        let learned: Vec<LearnedOptions> =
            self.logs.iter().map(|log| learn_from_beginning(&self.decoder, &options, log)).collect();
        for mark in learned.iter().flat_map(|learned| learned.iter()) {
            let reported = String::from_utf8_lossy(&mark.text).trim_end().replace('\n', " ");
            notes.push(format!("the target reported {reported}: taken for all of its epoch, from @{:#x}", mark.pos));
        }
        self.pipeline(&options, &learned)
    }

    fn pipeline(&self, options: &Options, learned: &[LearnedOptions]) -> io::Result<Pipeline> {
        let mut pipeline = Pipeline::open(&self.decoder, options, &self.sources).map_err(io::Error::other)?;
        pipeline.set_learned(learned);
        let complete = self.logs.iter().all(|log| log.file_path().is_some() && log.ended());
        if self.prepass && complete && self.sources.len() > 1 {
            let prepass = Prepass::of(&self.decoder, options, &self.sources, &self.logs, learned)?;
            pipeline.set_prepass(&prepass);
        }
        Ok(pipeline)
    }

    /// Examines the start again when due: options that apply from now on, as `k=v` lines, if the guess changed.
    fn look_again(&mut self, now: Instant, notes: &mut Vec<String>) -> Option<String> {
        if self.looks.is_complete() || !self.looks.due(&self.logs, self.live, now) {
            return None;
        }
        let found = guess::of_target(&self.decoder, &self.options, &self.logs).map(|(_, suggestion)| suggestion);
        let options = found.as_ref().map(|found| found.options.clone()).unwrap_or_default();
        if options == self.guessed || found.as_ref().is_some_and(|found| found.options.is_empty()) {
            return None;
        }
        notes.push(match &found {
            Some(suggestion) => format!("{suggestion}; from here on"),
            None => "the usual sizes fit better than those guessed before: taken from here on".to_owned(),
        });
        let text = self.changed(found.as_ref());
        self.guessed = options;
        Some(text)
    }

    /// The options of a guess, with defaults for those that it no longer sets.
    fn changed(&self, found: Option<&Suggestion>) -> String {
        let now = found.map_or(&[][..], |found| &found.options);
        let gone = self.guessed.iter().filter(|(key, _)| now.iter().all(|(named, _)| named != key));
        let default = |key: &str| self.decoder.info.option(key).map(|spec| spec.default.to_string());
        let back = gone.filter_map(|(key, _)| Some((key.clone(), default(key)?)));
        now.iter().cloned().chain(back).map(|(key, value)| format!("{key}={value}\n")).collect()
    }

    fn len(&self) -> u64 {
        self.logs.iter().map(|log| log.len()).sum()
    }

    /// Whether each stream begins with the target's own configuration, so that nothing needs guessing.
    fn is_known(&mut self) -> bool {
        let len = self.len();
        // Searched at every notification at first, then ever more rarely.
        if len < self.searched + self.searched / 4 + 1 {
            return false;
        }
        self.searched = len;
        self.logs.iter().all(|log| is_known_at_start(&self.decoder, &self.options, log))
            && guess::of_target(&self.decoder, &self.options, &self.logs).is_none()
    }
}

#[derive(Debug)]
struct LogInputs {
    list: Vec<LogInput>,
    pub(super) wakes: Vec<Receiver<()>>,
}

impl LogInputs {
    pub(super) fn new(logs: &[Arc<RawLog>]) -> LogInputs {
        LogInputs {
            wakes: logs.iter().map(|log| log.subscribe()).collect(),
            list: logs.iter().cloned().map(LogInput::new).collect(),
        }
    }

    /// Options that apply from the next bytes on, as `k=v` lines.
    pub(super) fn set_options(&mut self, text: &str) {
        for input in &mut self.list {
            input.options = Some(text.as_bytes().to_vec());
        }
    }

    /// Feeds new bytes and emits the next rows; returns `false` if there is nothing to do.
    pub(super) fn turn(
        &mut self,
        pipeline: &mut Pipeline,
        sink: &mut impl Sink,
        patience: Option<Duration>,
    ) -> io::Result<bool> {
        let mut news = false;
        for (source, input) in self.list.iter_mut().enumerate() {
            news |= pipeline.wants(source) && input.feed(source, pipeline, sink)?;
        }
        let due = |source: usize| patience.is_some_and(|p| self.list[source].came.elapsed() >= p);
        Ok(pipeline.advance(sink, due)? || news)
    }

    /// Ends the logs that still receive, so that the rest of their bytes can be decoded.
    fn end_logs(&self) {
        self.list.iter().for_each(|input| input.log.end(host_now()));
    }

    /// Whether everything received is decoded. A file is read, not received, so reading it may stop anywhere.
    fn are_drained(&self) -> bool {
        self.list.iter().all(|input| input.log.file_path().is_some() || input.left() == 0)
    }

    /// Ends each source at its decoder's position, so that pending bytes get their row. Returns the number of received
    /// bytes after that, which are not decoded.
    pub(super) fn close(&mut self, pipeline: &mut Pipeline, sink: &mut impl Sink) -> io::Result<u64> {
        pipeline.advance(sink, |_| true)?;
        let mut left = 0;
        for (source, input) in self.list.iter().enumerate() {
            if input.has_ended || !pipeline.wants(source) {
                continue;
            }
            let pos = input.reader.at.pos;
            let end = LogEvent { pos, host_ns: host_now(), kind: kind::END, arg: 0, text: Vec::new() };
            pipeline.feed(source, pos, b"", &[end], sink);
            left += if input.log.file_path().is_some() { 0 } else { input.left() };
        }
        while pipeline.advance(sink, |_| true)? {}
        for source in 0..self.list.len() {
            pipeline.end(source);
        }
        Ok(left)
    }
}

#[derive(Debug)]
struct LogInput {
    log: Arc<RawLog>,
    reader: LogReader,
    /// Arrival of its last rows.
    came: Instant,
    /// Its decoder knows that it has ended.
    has_ended: bool,
    /// Options that apply from the next bytes on.
    options: Option<Vec<u8>>,
}

impl LogInput {
    fn new(log: Arc<RawLog>) -> LogInput {
        let reader = LogReader::new(log.clone(), Cursor::default());
        LogInput { reader, log, came: Instant::now(), has_ended: false, options: None }
    }

    /// Bytes of the log that are not decoded yet.
    fn left(&self) -> u64 {
        self.log.len().saturating_sub(self.reader.at.pos)
    }

    /// Feeds new bytes; returns `false` if there are none.
    fn feed(&mut self, source: usize, pipeline: &mut Pipeline, sink: &mut impl Sink) -> io::Result<bool> {
        // In this order: later bytes may have to wait for another filter.
        let (ended, received) = (self.log.ended(), self.log.len());
        let reader = &mut self.reader;
        let until = sink.read_until(&self.log, reader.at.pos);
        if reader.next(until.min(received)).map_err(io::Error::other)? {
            if let Some(text) = self.options.take() {
                let options = LogEvent { pos: reader.pos, host_ns: 0, kind: kind::OPTIONS, arg: 0, text };
                reader.events.insert(0, options);
            }
            pipeline.feed(source, reader.pos, &reader.bytes, &reader.events, sink);
            self.log.consumed(reader.at.pos);
            self.has_ended = reader.events.iter().any(|event| event.kind == kind::END);
            self.came = Instant::now();
        } else if ended && until >= received {
            pipeline.end(source);
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
