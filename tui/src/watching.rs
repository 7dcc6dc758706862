//! Judges the rows of a source as they come, on a thread that reads the log by itself: neither filters nor the screen
//! matter to it, and each row is judged once. Records and runs; everything else is news for the screen.

use std::{
    fs::File,
    io,
    path::PathBuf,
    process::{Command, Stdio},
    slice,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;
use parking_lot::Mutex;
use spytui_engine::{
    decode::Chosen,
    io::log::{MetaHead, RawLog, excerpt, recording_paths, write_meta},
    present::{clock::grouped, sanitise},
    query::Expr,
    row::{RowFilter, RowView},
    store::View,
    trace::stream::{Sink, TargetFlow, Targets, follow},
    unwritable,
};
use spytui_plugin_api::{Source, Want};

use crate::{
    recording::{Destination, SourceName},
    trigger::{TriggerAction, TriggerNews, TriggerRule},
};

/// From where on rows are judged.
#[derive(Debug, Clone, Copy)]
pub enum Begin {
    Start,
    Now,
}

/// What a source adds to the rule.
pub struct TriggerPlace {
    pub log: Arc<RawLog>,
    pub chosen: Chosen,
    pub source: Source,
    /// Rows before this position are not judged.
    pub from: u64,
    pub name: SourceName,
    /// Of recordings.
    pub head: MetaHead,
    pub destination: Destination,
    /// Programs may write to standard error.
    pub shows_output: bool,
}

/// Positions and messages kept until somebody looks.
const MOST: usize = 64;

/// A trigger on a source. Dropping it ends it; what it records is then completed with what came.
pub struct TriggerWatch {
    pub rule: TriggerRule,
    /// Of all rows that matched, those that came while the action of an earlier one was under way.
    skipped: Arc<AtomicU64>,
    news: Arc<Mutex<TriggerNews>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TriggerWatch {
    /// Errors: the decoder can't be opened, or there is no thread.
    pub fn start(
        rule: &TriggerRule,
        expr: Expr,
        place: TriggerPlace,
        wake: Sender<()>,
    ) -> Result<TriggerWatch, String> {
        let (decoder, options) = &place.chosen;
        let is_live = place.log.file_path().is_none();
        let flow = TargetFlow::new(decoder, options, "", &[place.source], slice::from_ref(&place.log), is_live);
        let mut targets = Targets::default();
        targets.add(flow.map_err(|fault| fault.to_string())?);
        let (news, stop) = (Arc::<Mutex<TriggerNews>>::default(), Arc::<AtomicBool>::default());
        let skipped = Arc::<AtomicU64>::default();
        let mut sink = Watcher {
            filter: RowFilter::new(expr),
            action: rule.action.clone(),
            busy_until: place.from,
            place,
            is_running: Arc::default(),
            skipped: skipped.clone(),
            news: news.clone(),
            stop: stop.clone(),
            wake,
        };
        let watch = move || {
            let stop = sink.stop.clone();
            if let Err(error) = follow(&mut targets, &mut sink, &stop) {
                sink.say(true, format!("the trigger ended: {error}"));
            }
            // A program that is about to end may fail.
            let until = Instant::now() + LAST_WORD;
            while sink.is_running.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) && Instant::now() < until {
                thread::sleep(LOOK);
            }
        };
        let thread = thread::Builder::new().name("trigger".into()).spawn(watch);
        let thread = thread.map_err(|error| format!("can't start a thread for a trigger: {error}"))?;
        Ok(TriggerWatch { rule: rule.clone(), skipped, news, stop, thread: Some(thread) })
    }

    pub fn take_news(&self) -> TriggerNews {
        std::mem::take(&mut self.news.lock())
    }

    pub fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// Waits until all rows of a log that has ended are judged.
    pub fn finish(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Panics of plugins are contained; nothing else is left of one.
            let _ = thread.join();
        }
    }
}

impl Drop for TriggerWatch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.finish();
    }
}

struct Watcher {
    filter: RowFilter,
    action: TriggerAction,
    place: TriggerPlace,
    /// Rows up to here came before the trigger, or while the action of an earlier one was under way.
    busy_until: u64,
    is_running: Arc<AtomicBool>,
    skipped: Arc<AtomicU64>,
    news: Arc<Mutex<TriggerNews>>,
    stop: Arc<AtomicBool>,
    wake: Sender<()>,
}

impl Sink for Watcher {
    fn want(&self) -> Want {
        Want::TEXT | Want::FIELDS
    }

    fn names(&self) -> (View, bool) {
        (View::AsOf, true)
    }

    fn filter(&mut self) -> Option<&mut RowFilter> {
        Some(&mut self.filter)
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        // Losses pass every filter.
        if item.row.pos < self.place.from || item.n.is_none() && !self.filter.matches(item) {
            return Ok(());
        }
        let is_busy = item.row.pos < self.busy_until || self.is_running.load(Ordering::Relaxed);
        {
            let mut news = self.news.lock();
            news.hits += 1;
            news.skipped += u64::from(is_busy);
            self.skipped.fetch_add(is_busy.into(), Ordering::Relaxed);
            news.at.push_back(item.row.pos);
            if news.at.len() > MOST {
                news.at.pop_front();
            }
        }
        let _ = self.wake.try_send(());
        match &self.action {
            _ if is_busy => {}
            TriggerAction::Record(after) => self.record(item, *after),
            TriggerAction::Run(command) => self.run(item, command),
            TriggerAction::Bell | TriggerAction::Mark | TriggerAction::Hold => {}
        }
        Ok(())
    }
}

/// Bytes before the row that are kept, by the time of their arrival.
const BEFORE_NS: u64 = 10_000_000_000;
const LOOK: Duration = Duration::from_millis(50);
/// How long a program is waited for at the end.
const LAST_WORD: Duration = Duration::from_secs(1);

impl Watcher {
    fn say(&self, failed: bool, text: String) {
        let mut news = self.news.lock();
        if news.said.len() < MOST {
            news.said.push((failed, text));
        }
        let _ = self.wake.try_send(());
    }

    /// Keeps bytes by the times of their arrival, so that of a file they are the same as they were of its link.
    fn record(&mut self, item: &RowView<'_>, after: Duration) {
        let log = self.place.log.clone();
        let Some(came) = item.host_ns else {
            return self.say(true, "record: nothing says when these bytes came, so none are kept".to_owned());
        };
        let until = Instant::now() + after;
        while Instant::now() < until && !self.stop.load(Ordering::Relaxed) && !log.ended() {
            thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
        let from = first_since(&log, log.first(), came.saturating_sub(BEFORE_NS));
        let after = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
        let to = first_since(&log, item.row.pos, came.saturating_add(after));
        self.busy_until = to;
        match self.write(from..to) {
            Ok(path) => self.say(false, format!("{} bytes in {}", grouped(to - from), path.display())),
            Err(error) => self.say(true, error),
        }
    }

    fn write(&self, bytes: std::ops::Range<u64>) -> Result<PathBuf, String> {
        let place = &self.place;
        let paths = place.destination.paths(slice::from_ref(&place.name)).map_err(|error| error.to_string())?;
        let (bin, meta) = recording_paths(paths.first().ok_or("no name for a recording")?);
        let create = |path: &PathBuf| File::options().read(true).write(true).create_new(true).open(path);
        let mut file = create(&bin).map_err(|error| unwritable(&bin, &error))?;
        let own = excerpt(&place.log, &[bytes], &mut file, &bin).map_err(|error| unwritable(&bin, &error))?;
        let head = MetaHead { start_ns: own.host_time_at(0).unwrap_or_default(), ..place.head.clone() };
        let written = create(&meta).and_then(|file| write_meta(&own, &head, file));
        written.map_err(|error| unwritable(&meta, &error))?;
        Ok(bin)
    }

    /// Runs the user's command; the record is only in its environment, never in what a shell reads.
    fn run(&self, item: &RowView<'_>, command: &str) {
        let output = || if self.place.shows_output { io::stderr().into() } else { Stdio::null() };
        let mut program = Command::new("sh");
        program.args(["-c", command]).stdin(Stdio::null()).stdout(output()).stderr(output());
        program.envs(environment(item, &self.place.name.word));
        let mut child = match program.spawn() {
            Ok(child) => child,
            Err(error) => return self.say(true, format!("{command}: {error}")),
        };
        self.is_running.store(true, Ordering::Relaxed);
        let (is_running, news, wake, command) =
            (self.is_running.clone(), self.news.clone(), self.wake.clone(), command.to_owned());
        let wait = move || {
            let failure = match child.wait() {
                Ok(status) if status.success() => None,
                Ok(status) => Some(format!("{command}: {status}")),
                Err(error) => Some(format!("{command}: {error}")),
            };
            is_running.store(false, Ordering::Relaxed);
            news.lock().said.extend(failure.map(|text| (true, text)));
            let _ = wake.try_send(());
        };
        if thread::Builder::new().name("trigger-run".into()).spawn(wait).is_err() {
            self.is_running.store(false, Ordering::Relaxed);
        }
    }
}

/// The first byte from `pos` on that arrived at this time or later; the end if there is none.
fn first_since(log: &RawLog, pos: u64, host_ns: u64) -> u64 {
    let (mut low, mut high) = (pos, log.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if log.host_time_at(middle).is_some_and(|at| at >= host_ns) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// A row for a program. Texts are safe for a terminal.
fn environment(item: &RowView<'_>, source: &str) -> Vec<(&'static str, String)> {
    let text = |push: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        push(&mut out);
        sanitise(&out).trim().to_owned()
    };
    vec![
        ("SPYTUI_TIME", text(&|out| item.push_time(out))),
        ("SPYTUI_KIND", text(&|out| item.push_kind(out))),
        ("SPYTUI_OBJECT", text(&|out| item.push_object(out))),
        ("SPYTUI_TEXT", text(&|out| item.push_what(out))),
        ("SPYTUI_NUMBER", item.n.map(|n| n.to_string()).unwrap_or_default()),
        ("SPYTUI_SOURCE", source.to_owned()),
    ]
}
