//! A file that is written while a source is received: its bytes, the text of its rows, or tables. Each has a thread and
//! reads the log by itself, so no filter, decoder or slow disk of another reader matters to it, and a failure ends only the
//! file.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, Write},
    path::{Path, PathBuf},
    slice,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use spytui_plugin_api::{Rendered, Row, RowKind, Source, Want};

use super::{
    capture::is_device,
    tables::{RecordingFacts, TablesSink},
};
use crate::{
    decode::Chosen,
    io::log::{Cursor, LogReader, RawLog, kind},
    present::clock::grouped,
    trace::stream::{Sink, TargetFlow, Targets, follow},
    unwritable,
};

/// The name of a file with this text.
pub type NameOfText = Box<dyn Fn(&[u8]) -> PathBuf + Send>;

/// Where a file goes, and how it grows.
pub enum LivePath {
    /// A new file with everything, one behind the other.
    Growing(PathBuf),
    /// A new file with the newest text of a row, in place of the one before.
    Newest(PathBuf),
    /// The same, but its text names it, and it may be there already.
    NewestNamed(NameOfText),
}

/// A file being written. Dropping it completes it.
#[derive(Debug)]
pub struct LiveFile {
    stop: Arc<AtomicBool>,
    /// Returns why the file is incomplete.
    thread: Option<JoinHandle<Option<String>>>,
}

impl LiveFile {
    /// Starts a file with everything still in the log: the texts of `rows`, else its bytes. Errors: the file can't be
    /// created, or the options conflict.
    pub fn start(log: Arc<RawLog>, path: LivePath, rows: Option<(Chosen, Source)>) -> Result<LiveFile, String> {
        let flow = rows.map(|(chosen, source)| flow(&chosen, source, &log)).transpose()?;
        let mut file = Output { replaces: !matches!(path, LivePath::Growing(_)), ..Output::default() };
        match path {
            LivePath::Growing(path) | LivePath::Newest(path) => {
                file.open(path, false).map_err(|error| unwritable(&file.named, &error))?;
            }
            LivePath::NewestNamed(name) => file.name = Some(name),
        }
        LiveFile::spawn(move |stop| {
            let result = match flow {
                Some(flow) => write_rows(flow, &mut file, stop).map(|(_, left)| left),
                None => copy(&log, &mut file, stop).map(|()| 0),
            };
            let result = result.and_then(|left| Write::flush(&mut file).map(|()| left));
            file.failure(result)
        })
    }

    /// Starts tables of everything still in the log, complete once the file is finished. Errors: they can't be created.
    pub fn tables(
        log: &Arc<RawLog>,
        folder: PathBuf,
        facts: RecordingFacts,
        chosen: &Chosen,
        source: Source,
    ) -> Result<LiveFile, String> {
        let flow = flow(chosen, source, log)?;
        let sink = TablesSink::create(&folder, facts, &chosen.0).map_err(|error| unwritable(&folder, &error))?;
        LiveFile::spawn(move |stop| match write_tables(flow, sink, stop) {
            Ok(left) => unwritten(&folder, left),
            Err(error) => Some(format!("{}. No table of this run is there.", unwritable(&folder, &error))),
        })
    }

    fn spawn(work: impl FnOnce(&AtomicBool) -> Option<String> + Send + 'static) -> Result<LiveFile, String> {
        let stop = Arc::<AtomicBool>::default();
        let seen = stop.clone();
        let work = move || work(&seen);
        let thread = std::thread::Builder::new().name("live-file".into()).spawn(work);
        let thread = thread.map_err(|error| format!("can't start a thread for writing: {error}"))?;
        Ok(LiveFile { stop, thread: Some(thread) })
    }

    /// Why the file is incomplete, once nothing more will be written; returned once.
    pub fn take_failure(&mut self) -> Option<String> {
        // Panics of plugins are contained; nothing else is left of one.
        self.thread.take_if(|thread| thread.is_finished())?.join().ok().flatten()
    }

    /// Whether nothing more will be written.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the file with what was received, within a time limit; returns why it is incomplete, unless that was reported.
    pub fn finish(&mut self) -> Option<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok().flatten()
    }
}

fn flow((decoder, options): &Chosen, source: Source, log: &Arc<RawLog>) -> Result<TargetFlow, String> {
    let is_live = log.file_path().is_none();
    TargetFlow::new(decoder, options, "", &[source], slice::from_ref(log), is_live).map_err(|fault| fault.to_string())
}

/// Gives the rows to a sink; returns what was decoded, and the number of bytes that were not.
fn write_rows(flow: TargetFlow, sink: &mut impl Sink, stop: &AtomicBool) -> io::Result<(Targets, u64)> {
    let mut targets = Targets::default();
    targets.add(flow);
    follow(&mut targets, sink, stop)?;
    let left = targets.finish(sink)?;
    Ok((targets, left))
}

fn write_tables(flow: TargetFlow, mut sink: TablesSink, stop: &AtomicBool) -> io::Result<u64> {
    let (targets, left) = write_rows(flow, &mut sink, stop)?;
    if let Some(pipeline) = targets.iter().next() {
        sink.finish(pipeline.dictionary(), &pipeline.counters(0).cloned().unwrap_or_default())?;
    }
    Ok(left)
}

fn unwritten(path: &Path, left: u64) -> Option<String> {
    (left > 0)
        .then(|| format!("{}: {} bytes were received but not written before the end", path.display(), grouped(left)))
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        self.finish();
    }
}

#[derive(Default)]
struct Output {
    /// Names it by its text.
    name: Option<NameOfText>,
    /// A text takes the place of the one before.
    replaces: bool,
    /// Name of the open file.
    named: PathBuf,
    file: Option<BufWriter<File>>,
    bytes: u64,
    /// Number of places where the log had dropped bytes before they were written.
    lost: u64,
}

impl Output {
    fn open(&mut self, path: PathBuf, replace: bool) -> io::Result<()> {
        let replace = replace || is_device(&path);
        self.named = path;
        let file =
            File::options().write(true).create_new(!replace).create(replace).truncate(replace).open(&self.named)?;
        self.file = Some(BufWriter::new(file));
        Ok(())
    }

    /// What is missing in the file, if anything.
    fn failure(&self, result: io::Result<u64>) -> Option<String> {
        let path = self.named.display();
        match result {
            Ok(0) if self.lost == 0 => None,
            Ok(0) => Some(format!("{path}: bytes were dropped before they were written, {} times", self.lost)),
            Ok(left) => unwritten(&self.named, left),
            Err(error) => {
                let kept = self.bytes - self.file.as_ref().map_or(0, |out| out.buffer().len() as u64);
                let is_named = !self.named.as_os_str().is_empty();
                let why = if is_named { unwritable(&self.named, &error) } else { error.to_string() };
                Some(format!("{why}. {} bytes are in it; the rest is not written.", grouped(kept)))
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(out) = &mut self.file else { return Ok(bytes.len()) };
        let written = out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Sink for Output {
    fn want(&self) -> Want {
        Want::TEXT
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(self)
    }

    fn block(&mut self, rows: &[Row], rendered: &Rendered) -> io::Result<()> {
        if rows.first().is_some_and(|row| row.kind.is_of_host()) {
            self.lost += rows.iter().filter(|row| row.kind == RowKind::HOST_LOSS).count() as u64;
            return Ok(());
        }
        if !self.replaces {
            return self.write_all(&rendered.text);
        }
        let mut texts = (0..rows.len()).map(|at| rendered.row(at).text).filter(|text| !text.is_empty());
        let Some(text) = texts.next_back() else { return Ok(()) };
        self.bytes = 0;
        if let Some(path) = self.name.as_ref().map(|name| name(text)).filter(|path| *path != self.named) {
            self.open(path, true)?;
        } else if let Some(out) = self.file.as_mut().filter(|_| !is_device(&self.named)) {
            out.rewind()?;
            out.get_mut().set_len(0)?;
        }
        self.write_all(text)?;
        Write::flush(self)
    }
}

/// How often a wait checks for a stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// Writes the bytes of a log as they come.
fn copy(log: &Arc<RawLog>, file: &mut Output, stop: &AtomicBool) -> io::Result<()> {
    let (mut reader, wake) = (LogReader::new(log.clone(), Cursor::default()), log.subscribe());
    loop {
        let is_last = log.ended() || stop.load(Ordering::Relaxed);
        while reader.next(u64::MAX).map_err(io::Error::other)? {
            file.lost += reader.events.iter().filter(|event| event.kind == kind::HOST_LOSS).count() as u64;
            file.write_all(&reader.bytes)?;
        }
        Write::flush(file)?;
        if is_last {
            return Ok(());
        }
        // A time-out is no different from news.
        let _ = wake.recv_timeout(STOP_CHECK);
    }
}
