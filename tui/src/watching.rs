//! Judges the rows of a source as they come, on a thread that reads the log by itself: neither filters nor the screen
//! matter to it, and each row is judged once. Records and runs; everything else is news for the screen.

use std::{
    io,
    path::PathBuf,
    process::{Command, Stdio},
    slice,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;
use parking_lot::Mutex;
use spytui_engine::{
    decode::Chosen,
    export::cut::save_excerpt,
    io::log::{RawLog, recording_paths},
    present::{RowLine, clock::grouped},
    query::Expr,
    row::{RowFilter, RowView},
    store::View,
    trace::stream::{Sink, TargetFlow, Targets, follow},
};
use spytui_plugin_api::{Source, Want};

use crate::{
    recording::{Destination, RecordedSource},
    trigger::{TriggerAction, TriggerNews, TriggerRule},
};

/// What a source adds to the rule.
pub struct TriggerPlace {
    /// As recordings name it.
    pub subject: RecordedSource,
    pub chosen: Chosen,
    pub source: Source,
    /// Rows before this position are not judged.
    pub from: u64,
    pub destination: Destination,
    /// Programs may write to standard error.
    pub shows_output: bool,
}

/// Positions and messages kept until somebody looks.
const MOST: usize = 64;

/// A trigger on a source. Dropping it ends it; what it records is then completed with what came.
pub struct TriggerWatch {
    pub rule: TriggerRule,
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
        let ((decoder, options), log) = (&place.chosen, &place.subject.log);
        let is_live = log.file_path().is_none();
        let flow = TargetFlow::new(decoder, options, "", &[place.source], slice::from_ref(log), is_live);
        let mut targets = Targets::default();
        targets.add(flow.map_err(|fault| fault.to_string())?);
        let (news, stop) = (Arc::<Mutex<TriggerNews>>::default(), Arc::<AtomicBool>::default());
        let mut sink = Watcher {
            filter: RowFilter::new(expr),
            action: rule.action.clone(),
            busy_until: place.from,
            place,
            news: news.clone(),
            stop: stop.clone(),
            wake,
        };
        let watch = move || {
            let stop = sink.stop.clone();
            if let Err(error) = follow(&mut targets, &mut sink, &stop) {
                sink.say(true, format!("the trigger ended: {error}"));
            }
        };
        let thread = thread::Builder::new().name("trigger".into()).spawn(watch);
        let thread = thread.map_err(|error| format!("can't start a thread for a trigger: {error}"))?;
        Ok(TriggerWatch { rule: rule.clone(), news, stop, thread: Some(thread) })
    }

    pub fn take_news(&self) -> TriggerNews {
        std::mem::take(&mut self.news.lock())
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
        let is_busy = item.row.pos < self.busy_until;
        {
            let mut news = self.news.lock();
            news.hits += 1;
            news.skipped += u64::from(is_busy);
            news.at.push_back(item.row.pos);
            if news.at.len() > MOST {
                news.at.pop_front();
            }
        }
        let _ = self.wake.try_send(());
        match self.action.clone() {
            _ if is_busy => {}
            TriggerAction::Record(after) => self.record(item, after),
            TriggerAction::Run(command) => self.run(item, &command),
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

    /// Waits until something is done; after the end of the input at most for this long.
    fn wait(&self, last: Duration, mut is_done: impl FnMut() -> bool) {
        let mut ended = None;
        while !is_done() && !self.stop.load(Ordering::Relaxed) {
            let is_over = self.place.subject.log.ended();
            if is_over && ended.get_or_insert_with(Instant::now).elapsed() >= last {
                return;
            }
            thread::sleep(LOOK);
        }
    }

    /// Keeps bytes by the times of their arrival, so that of a file they are the same as they were of its link.
    fn record(&mut self, item: &RowView<'_>, after: Duration) {
        let Some(came) = item.host_ns else {
            return self.say(true, "record: nothing says when these bytes came, so none are kept".to_owned());
        };
        let until = Instant::now() + after;
        self.wait(Duration::ZERO, || Instant::now() >= until);
        let log = &self.place.subject.log;
        let from = first_since(log, log.first(), came.saturating_sub(BEFORE_NS));
        let after = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
        let to = first_since(log, item.row.pos, came.saturating_add(after));
        self.busy_until = to;
        match self.write(from..to) {
            Ok(path) => self.say(false, format!("{} bytes in {}", grouped(to - from), path.display())),
            Err(error) => self.say(true, error),
        }
    }

    fn write(&self, bytes: std::ops::Range<u64>) -> Result<PathBuf, String> {
        let TriggerPlace { subject, destination, .. } = &self.place;
        let paths = destination.paths(slice::from_ref(&subject.name)).map_err(|error| error.to_string())?;
        let paths = recording_paths(paths.first().ok_or("no name for a recording")?);
        let kept = save_excerpt(&subject.log, &[bytes], &subject.head, (&paths.0, &paths.1));
        kept.map_err(|error| error.to_string())?;
        Ok(paths.0)
    }

    /// Runs the user's command; the record is only in its environment, never in what a shell reads.
    fn run(&mut self, item: &RowView<'_>, command: &str) {
        let output = || if self.place.shows_output { io::stderr().into() } else { Stdio::null() };
        let mut program = Command::new("sh");
        program.args(["-c", command]).stdin(Stdio::null()).stdout(output()).stderr(output());
        program.envs(environment(item, &self.place.subject.name.word));
        let mut ended = Ok(None);
        match program.spawn() {
            Ok(mut child) => self.wait(LAST_WORD, || {
                ended = child.try_wait();
                !matches!(ended, Ok(None))
            }),
            Err(error) => ended = Err(error),
        }
        self.busy_until = self.place.subject.log.len();
        match ended {
            Ok(Some(status)) if !status.success() => self.say(true, format!("{command}: {status}")),
            Ok(_) => {}
            Err(error) => self.say(true, format!("{command}: {error}")),
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
fn environment(item: &RowView<'_>, source: &str) -> [(&'static str, String); 6] {
    let RowLine { time, kind, object, what, .. } = item.line();
    let [time, kind, object, what] = [time, kind, object, what].map(|text| text.trim().to_owned());
    [
        ("SPYTUI_TIME", time),
        ("SPYTUI_KIND", kind),
        ("SPYTUI_OBJECT", object),
        ("SPYTUI_TEXT", what),
        ("SPYTUI_NUMBER", item.n.map(|n| n.to_string()).unwrap_or_default()),
        ("SPYTUI_SOURCE", source.to_owned()),
    ]
}
