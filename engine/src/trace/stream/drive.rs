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

use super::{block::Sink, pipeline::Pipeline, prepass::Prepass};
use crate::{
    decode::{
        LearnedOptions, Looks,
        guess::{self, SAMPLE, Suggestion},
        is_known_at_start, learn_from_beginning,
    },
    io::log::{Cursor, LogEvent, LogReader, RawLog, host_now, kind},
    open::{Decoder, Options},
    present::clock::grouped,
    store::Counters,
};

/// How often a wait checks for a stop.
pub(crate) const STOP_CHECK: Duration = Duration::from_millis(100);

/// How long bytes received before a stop are still decoded.
const LAST_ROWS: Duration = Duration::from_millis(400);

/// Processes the logs of independent targets as they grow, until all inputs end or `stop` is set: each target with its own
/// merge order and names, interleaved as rows arrive. `patience` limits the wait for a silent source. `grow` is called at
/// every turn and may add targets; `idle` is called when there is nothing to do, after flushing the sink. A target is
/// decoded once the start of its streams was examined.
///
/// At a stop, the logs are ended, their content is decoded within a time limit, and pending bytes get their row.
/// Returns the number of received bytes that were not decoded.
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
        targets.wait_for_rows(patience);
    }
    let mut left = 0;
    if !targets.is_over() {
        grow(targets)?;
        // The rest of their bytes can be decoded.
        targets.list.iter().flat_map(|flow| &flow.inputs).for_each(|input| input.log.end(host_now()));
        left = targets.finish(sink)?;
    }
    idle()?;
    Ok(left)
}

/// Processes logs that others process, too, until all inputs end or `stop` is set; the logs stay as they are.
pub fn follow(targets: &mut Targets, sink: &mut impl Sink, stop: &AtomicBool) -> io::Result<()> {
    while !stop.load(Ordering::Relaxed) && !targets.is_over() {
        if !targets.turn(sink, None)? {
            sink.flush()?;
            targets.wait_for_rows(None);
        }
    }
    targets.fault().map_or(Ok(()), |fault| Err(io::Error::other(fault.to_string())))
}

#[derive(Debug, Default)]
pub struct Targets {
    list: Vec<TargetFlow>,
}

impl Targets {
    /// Adds a target. With two or more targets, rows name their source.
    pub fn add(&mut self, target: TargetFlow) {
        self.list.push(target);
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
            flow.logs.iter().enumerate().map(move |(at, log)| (log.as_ref(), counters(at)))
        })
    }

    pub fn fault(&self) -> Option<&Fault> {
        self.iter().find_map(Pipeline::fault)
    }

    /// Messages for the user since the last call.
    pub fn take_notes(&mut self) -> Vec<String> {
        let apart = self.list.len() > 1;
        let named = |flow: &mut TargetFlow| -> Vec<String> {
            let notes = std::mem::take(&mut flow.notes).into_iter();
            notes.map(|note| if apart { format!("{}: {note}", flow.name) } else { note }).collect()
        };
        self.list.iter_mut().flat_map(named).collect()
    }

    pub fn is_over(&self) -> bool {
        self.list.iter().all(TargetFlow::is_over)
    }

    /// Waits for news of a log, for some time.
    fn wait_for_rows(&self, patience: Option<Duration>) {
        let holds_back = self.iter().any(Pipeline::holds_back);
        let time = patience.filter(|_| holds_back).map_or(STOP_CHECK, |p| p / 4);
        let inputs: Vec<&LogInput> = self.list.iter().flat_map(|flow| &flow.inputs).collect();
        let mut select = Select::new();
        inputs.iter().for_each(|input| _ = select.recv(&input.wake));
        if let Ok(news) = select.select_timeout(time) {
            // A disconnected receiver has no notifications to miss.
            let _ = inputs.get(news.index()).map(|input| news.recv(&input.wake));
        }
    }

    /// Decodes what was received before a stop, within a time limit, and gives pending bytes their row. Returns the number
    /// of received bytes that were not decoded.
    pub(crate) fn finish(&mut self, sink: &mut impl Sink) -> io::Result<u64> {
        let until = Instant::now() + LAST_ROWS;
        while !self.are_drained() && Instant::now() < until && self.turn(sink, Some(Duration::ZERO))? {}
        let mut left = 0;
        for flow in self.list.iter_mut().filter(|flow| !flow.is_over()) {
            left += flow.close(sink)?;
        }
        Ok(left)
    }

    /// Gives each target a turn; returns `false` if there is nothing to do.
    fn turn(&mut self, sink: &mut impl Sink, patience: Option<Duration>) -> io::Result<bool> {
        let apart = self.list.len() > 1;
        let mut any = false;
        for flow in self.list.iter_mut().filter(|flow| !flow.is_over()) {
            any |= flow.turn(apart, sink, patience)?;
        }
        Ok(any)
    }

    /// Whether everything received is decoded. A file is read, not received, so reading it may stop anywhere.
    fn are_drained(&self) -> bool {
        let is_drained = |input: &LogInput| input.log.file_path().is_some() || input.left() == 0;
        self.list.iter().all(|flow| flow.is_over() || flow.pipeline.is_some() && flow.inputs.iter().all(is_drained))
    }
}

/// A target whose decoder is opened once the start of its streams was examined.
#[derive(Debug)]
pub struct TargetFlow {
    decoder: Arc<Decoder>,
    options: Options,
    name: String,
    sources: Vec<Source>,
    logs: Vec<Arc<RawLog>>,
    /// The streams are live, so they are examined before the whole sample has arrived.
    is_live: bool,
    /// A first pass over files finds what they report late.
    pub has_prepass: bool,
    looks: Looks,
    /// Length of all logs when the target's own configuration was last searched.
    searched: u64,
    /// The wait was reported.
    waits: bool,
    guessed: Vec<(String, String)>,
    notes: Vec<String>,
    /// `None` until the start of the streams was examined.
    pipeline: Option<Pipeline>,
    inputs: Vec<LogInput>,
}

impl TargetFlow {
    /// A target with these sources and their logs; `name` = name of the first source.
    pub fn new(
        decoder: &Arc<Decoder>,
        options: &Options,
        name: &str,
        sources: &[Source],
        logs: &[Arc<RawLog>],
        is_live: bool,
    ) -> Result<TargetFlow, Fault> {
        for source in sources {
            decoder.open(options, source)?;
        }
        Ok(TargetFlow {
            decoder: decoder.clone(),
            options: options.clone(),
            name: name.to_owned(),
            sources: sources.to_vec(),
            logs: logs.to_vec(),
            is_live,
            has_prepass: false,
            looks: Looks::default(),
            searched: 0,
            waits: false,
            guessed: Vec::new(),
            notes: Vec::new(),
            pipeline: None,
            inputs: logs.iter().map(|log| LogInput::new(log.clone(), None)).collect(),
        })
    }

    fn is_over(&self) -> bool {
        self.pipeline.as_ref().is_some_and(Pipeline::is_over)
    }

    /// Feeds new bytes and emits the next rows; returns `false` if there is nothing to do.
    fn turn(&mut self, apart: bool, sink: &mut impl Sink, patience: Option<Duration>) -> io::Result<bool> {
        let now = Instant::now();
        if self.pipeline.is_none() {
            self.pipeline = self.open(now)?;
            if let (Some(pipeline), true) = (&mut self.pipeline, apart) {
                pipeline.set_apart();
            }
            return Ok(self.pipeline.is_some());
        }
        if let Some(options) = self.look_again(now) {
            self.inputs.iter_mut().for_each(|input| input.options = Some(options.clone().into_bytes()));
        }
        let Some(pipeline) = &mut self.pipeline else { return Ok(false) };
        let mut news = false;
        for (source, input) in self.inputs.iter_mut().enumerate() {
            news |= pipeline.wants(source) && input.feed(source, pipeline, sink)?;
        }
        let due = |source: usize| patience.is_some_and(|p| self.inputs[source].came.elapsed() >= p);
        Ok(pipeline.advance(sink, due)? || news)
    }

    /// Ends each source at its decoder's position, so that pending bytes get their row. Returns the number of received
    /// bytes after that, which are not decoded.
    fn close(&mut self, sink: &mut impl Sink) -> io::Result<u64> {
        let pipeline = match self.pipeline.take() {
            Some(pipeline) => pipeline,
            None => self.open_now()?,
        };
        let pipeline = self.pipeline.insert(pipeline);
        pipeline.advance(sink, |_| true)?;
        let mut left = 0;
        for (source, input) in self.inputs.iter().enumerate() {
            if input.has_ended || !pipeline.wants(source) {
                continue;
            }
            end_here(source, input.reader.at.pos, host_now(), pipeline, sink);
            left += if input.log.file_path().is_some() { 0 } else { input.left() };
        }
        while pipeline.advance(sink, |_| true)? {}
        (0..self.inputs.len()).for_each(|source| pipeline.end(source));
        Ok(left)
    }

    /// Opens the decoder if the start of the streams can be judged now; adds messages for the user to `notes`.
    fn open(&mut self, now: Instant) -> io::Result<Option<Pipeline>> {
        let waits = guess::is_useful(&self.decoder, &self.options);
        if self.looks.due(&self.logs, self.is_live, now) || !waits || self.is_known() {
            return self.open_now().map(Some);
        }
        if !self.waits && self.looks.waited(now) {
            self.waits = true;
            self.notes.push(format!("waiting for sizes: {} of {} B", grouped(self.len()), grouped(SAMPLE as u64)));
        }
        Ok(None)
    }

    /// Opens the decoder with the bytes received so far.
    fn open_now(&mut self) -> io::Result<Pipeline> {
        let found = guess::of_target(&self.decoder, &self.options, &self.logs);
        let options = match found {
            Some((options, suggestion)) => {
                self.notes.push(suggestion.to_string());
                self.guessed = suggestion.options;
                options
            }
            None => self.options.clone(),
        };
        let learned: Vec<LearnedOptions> =
            self.logs.iter().map(|log| learn_from_beginning(&self.decoder, &options, log)).collect();
        for mark in learned.iter().flat_map(|learned| learned.iter()) {
            let reported = String::from_utf8_lossy(&mark.text).trim_end().replace('\n', " ");
            self.notes
                .push(format!("the target reported {reported}: taken for all of its epoch, from @{:#x}", mark.pos));
        }
        self.pipeline(&options, &learned)
    }

    fn pipeline(&self, options: &Options, learned: &[LearnedOptions]) -> io::Result<Pipeline> {
        let mut pipeline = Pipeline::open(&self.decoder, options, &self.sources).map_err(io::Error::other)?;
        pipeline.set_learned(learned);
        let complete = self.logs.iter().all(|log| log.file_path().is_some() && log.ended());
        if self.has_prepass && complete && self.sources.len() > 1 {
            let prepass = Prepass::of(&self.decoder, options, &self.sources, &self.logs, learned)?;
            pipeline.set_prepass(&prepass);
        }
        Ok(pipeline)
    }

    /// Examines the start again when due: options that apply from now on, as `k=v` lines, if the guess changed.
    fn look_again(&mut self, now: Instant) -> Option<String> {
        if self.looks.is_complete || !self.looks.due(&self.logs, self.is_live, now) {
            return None;
        }
        let found = guess::of_target(&self.decoder, &self.options, &self.logs).map(|(_, suggestion)| suggestion);
        let options = found.as_ref().map(|found| found.options.clone()).unwrap_or_default();
        if options == self.guessed || found.as_ref().is_some_and(|found| found.options.is_empty()) {
            return None;
        }
        self.notes.push(match &found {
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

fn end_here(source: usize, pos: u64, host_ns: u64, pipeline: &mut Pipeline, sink: &mut impl Sink) {
    let end = LogEvent { pos, host_ns, kind: kind::END, arg: 0, text: Vec::new() };
    pipeline.feed(source, pos, b"", &[end], sink);
}

#[derive(Debug)]
pub(crate) struct LogInput {
    log: Arc<RawLog>,
    /// The stream ends here even if the log continues.
    limit: Option<u64>,
    wake: Receiver<()>,
    reader: LogReader,
    /// Arrival of its last rows.
    came: Instant,
    /// The decoder knows that its stream has ended.
    has_ended: bool,
    /// Options that apply from the next bytes on.
    options: Option<Vec<u8>>,
}

impl LogInput {
    pub(crate) fn new(log: Arc<RawLog>, limit: Option<u64>) -> LogInput {
        let reader = LogReader::new(log.clone(), Cursor::default());
        LogInput { limit, reader, wake: log.subscribe(), log, came: Instant::now(), has_ended: false, options: None }
    }

    /// Bytes of the log that are not decoded yet.
    fn left(&self) -> u64 {
        self.log.len().saturating_sub(self.reader.at.pos)
    }

    /// Feeds new bytes; returns `false` if there are none.
    pub(crate) fn feed(&mut self, source: usize, pipeline: &mut Pipeline, sink: &mut impl Sink) -> io::Result<bool> {
        // In this order: later bytes may have to wait for another filter.
        let (ended, received) = (self.log.ended(), self.log.len());
        let reader = &mut self.reader;
        let until = sink.read_until(&self.log, reader.at.pos).min(self.limit.unwrap_or(u64::MAX));
        let is_over = self.has_ended && self.limit.is_some();
        let more = !is_over && reader.next(until.min(received)).map_err(io::Error::other)?;
        if more && self.limit.is_none_or(|limit| reader.at.pos <= limit) {
            if let Some(text) = self.options.take() {
                let options = LogEvent { pos: reader.pos, host_ns: 0, kind: kind::OPTIONS, arg: 0, text };
                reader.events.insert(0, options);
            }
            pipeline.feed(source, reader.pos, &reader.bytes, &reader.events, sink);
            if self.limit.is_none() {
                self.log.consumed(reader.at.pos);
            }
            self.has_ended = reader.events.iter().any(|event| event.kind == kind::END);
            self.came = Instant::now();
        } else if is_over || self.limit.is_none() && ended && until >= received {
            pipeline.end(source);
        } else if let Some(limit) = self.limit {
            end_here(source, limit, 0, pipeline, sink);
            self.has_ended = true;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
