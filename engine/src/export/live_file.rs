//! A file that is written while a source is received: its bytes, or the text of its rows. Each has a thread and reads the
//! log by itself, so no filter, decoder or slow disk of another reader matters to it, and a failure ends only the file.

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

use parking_lot::Mutex;
use spytui_plugin_api::{Rendered, Row, RowKind, Source, Want};

use super::capture::is_device;
use crate::{
    decode::Chosen,
    io::log::{Cursor, LogReader, RawLog, kind},
    present::clock::grouped,
    trace::stream::{Sink, TargetFlow, Targets, follow},
    unwritable,
};

/// The name of a file with this content.
pub type NameOfContent = Box<dyn Fn(&[u8]) -> PathBuf + Send>;

/// Where a file goes.
pub enum LivePath {
    /// A new file.
    Named(PathBuf),
    /// A file named by its content, which may be there already.
    OfContent(NameOfContent),
}

/// What a file gets.
#[derive(Debug, Clone)]
pub enum LiveContent {
    /// All bytes.
    Bytes,
    /// The texts of all rows, one behind the other.
    Rows(Chosen, Source),
    /// The newest text of a row, in place of the one before.
    NewestRow(Chosen, Source),
}

/// A file being written. Dropping it completes it.
#[derive(Debug)]
pub struct LiveFile {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    failure: Mutex<Option<String>>,
}

impl LiveFile {
    /// Starts a file with everything still in the log. Errors: the file can't be created, or the options conflict.
    pub fn start(log: Arc<RawLog>, path: LivePath, content: LiveContent) -> Result<LiveFile, String> {
        let flow = match &content {
            LiveContent::Bytes => None,
            LiveContent::Rows((decoder, options), source) | LiveContent::NewestRow((decoder, options), source) => {
                let is_live = log.file_path().is_none();
                let flow =
                    TargetFlow::new(decoder, options, "", slice::from_ref(source), slice::from_ref(&log), is_live);
                Some(flow.map_err(|fault| fault.to_string())?)
            }
        };
        let mut file = Output::default();
        match path {
            LivePath::Named(path) => file.open(path, false)?,
            LivePath::OfContent(name) => file.name = Some(name),
        }
        let replaces = matches!(content, LiveContent::NewestRow(..));
        let shared = Arc::<Shared>::default();
        let seen = shared.clone();
        let work = move || {
            let result = match flow {
                Some(flow) => rows(flow, &mut LiveRows { file: &mut file, replaces }, &seen.stop),
                None => copy(&log, &mut file, &seen.stop),
            };
            let result = result.and_then(|left| file.flush().map(|()| left));
            *seen.failure.lock() = file.failure(result);
        };
        let thread = std::thread::Builder::new().name("live-file".into()).spawn(work);
        let thread = thread.map_err(|error| format!("can't start a thread for writing: {error}"))?;
        Ok(LiveFile { shared, thread: Some(thread) })
    }

    /// Why the file is incomplete; returned once.
    pub fn take_failure(&self) -> Option<String> {
        self.shared.failure.lock().take()
    }

    /// Whether nothing more will be written.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the file with what was received, within a time limit; returns why it is incomplete, unless that was reported.
    pub fn finish(&mut self) -> Option<String> {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It contains panics of plugins; nothing else is left of one.
            let _ = thread.join();
        }
        self.take_failure()
    }
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        self.finish();
    }
}

#[derive(Default)]
struct Output {
    /// Names it by its content.
    name: Option<NameOfContent>,
    /// Name of the open file.
    named: PathBuf,
    file: Option<BufWriter<File>>,
    bytes: u64,
    /// Number of places where the log had dropped bytes before they were written.
    lost: u64,
}

impl Output {
    fn open(&mut self, path: PathBuf, replace: bool) -> Result<(), String> {
        let replace = replace || is_device(&path);
        let file = File::options().write(true).create_new(!replace).create(replace).truncate(replace).open(&path);
        self.file = Some(BufWriter::new(file.map_err(|error| unwritable(&path, &error))?));
        self.named = path;
        Ok(())
    }

    /// Writes a text in place of the one before.
    fn replace(&mut self, text: &[u8]) -> io::Result<()> {
        let path = self.name.as_ref().map(|name| name(text)).filter(|path| *path != self.named);
        if let Some(path) = path {
            self.open(path, true).map_err(io::Error::other)?;
        }
        if let Some(out) = self.file.as_mut().filter(|_| !is_device(&self.named)) {
            out.rewind()?;
            out.get_mut().set_len(0)?;
        }
        self.bytes = 0;
        self.write_all(text)?;
        self.flush()
    }

    /// What is missing in the file, if anything.
    fn failure(&self, result: io::Result<u64>) -> Option<String> {
        let path = self.named.as_path();
        match result {
            Ok(left @ 1..) => Some(format!(
                "{}: {} bytes were received but not written before the end",
                path.display(),
                grouped(left)
            )),
            Err(error) => {
                let kept = self.bytes - self.file.as_ref().map_or(0, |out| out.buffer().len() as u64);
                let why = if path == Path::new("") { error.to_string() } else { unwritable(path, &error) };
                Some(format!("{why}. {} bytes are in it; the rest is not written.", grouped(kept)))
            }
            Ok(0) if self.lost > 0 => {
                Some(format!("{}: bytes were dropped before they were written, {} times", path.display(), self.lost))
            }
            Ok(0) => None,
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

/// How often a wait checks for a stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// Writes the bytes of a log as they come.
fn copy(log: &Arc<RawLog>, file: &mut Output, stop: &AtomicBool) -> io::Result<u64> {
    let (mut reader, wake) = (LogReader::new(log.clone(), Cursor::default()), log.subscribe());
    loop {
        let is_last = log.ended() || stop.load(Ordering::Relaxed);
        while reader.next(u64::MAX).map_err(io::Error::other)? {
            file.lost += reader.events.iter().filter(|event| event.kind == kind::HOST_LOSS).count() as u64;
            file.write_all(&reader.bytes)?;
        }
        file.flush()?;
        if is_last {
            return Ok(0);
        }
        // A time-out is no different from news.
        let _ = wake.recv_timeout(STOP_CHECK);
    }
}

/// Writes rows as they come; returns the number of bytes received before a stop whose rows are not written.
fn rows(flow: TargetFlow, sink: &mut LiveRows<'_>, stop: &AtomicBool) -> io::Result<u64> {
    let mut targets = Targets::default();
    targets.add(flow);
    follow(&mut targets, sink, stop)?;
    targets.finish(sink)
}

struct LiveRows<'a> {
    file: &'a mut Output,
    replaces: bool,
}

impl Sink for LiveRows<'_> {
    fn want(&self) -> Want {
        Want::TEXT
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    fn block(&mut self, rows: &[Row], rendered: &Rendered) -> io::Result<()> {
        if rows.first().is_some_and(|row| row.kind.is_of_host()) {
            self.file.lost += rows.iter().filter(|row| row.kind == RowKind::HOST_LOSS).count() as u64;
            return Ok(());
        }
        if !self.replaces {
            return self.file.write_all(&rendered.text);
        }
        let mut texts = (0..rows.len()).map(|at| rendered.row(at).text).filter(|text| !text.is_empty());
        texts.next_back().map_or(Ok(()), |text| self.file.replace(text))
    }
}
