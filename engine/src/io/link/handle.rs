//! The handle of a link: opening, querying, writing, closing.

use std::{
    fs::File,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, bounded, select, unbounded};

use super::{
    file,
    reader::{self, Connector, keep_connected},
    serial::Serial,
    shared::{ByteSink, LineCommand, LinkCounters, LinkEvent, LinkFacts, LinkSource, LinkState, Shared, WriteError},
    socket::{Listen, Tcp, Udp, Unix, bind_udp},
    spec::{LinkKind, LinkOptions, LinkSpec, SerialSpec},
};
use crate::{
    io::{
        log::{LogEvent, MetaHead, RawLog, format::grouped, host_now, kind, open_recorded},
        packed::{Packing, Unpacked},
        sys::{AsHandle as _, FileTypeExt as _, open_fifo, stdin},
    },
    is_a_folder, unreadable,
};

/// How long a stop waits for the reader; one that is stuck in a name lookup ends by itself later.
const STOP: Duration = Duration::from_millis(500);

const NO_TEXT: &str =
    "text that stands for bytes comes from files and stdin only: pipe it in, as in  cat DEVICE | spytui -";

/// An open link. Dropping it stops it; its logs live as long as they are referenced.
#[derive(Debug)]
pub struct Link {
    shared: Arc<Shared>,
    /// State changes, new sources and messages. States and sources can also be queried at any time.
    pub events: Receiver<LinkEvent>,
    reader: Option<(JoinHandle<()>, Receiver<()>)>,
    is_two_way: bool,
    /// Set if the link reads a recording.
    pub recording: Option<MetaHead>,
}

impl Link {
    /// Opens a link and starts receiving. A missing port or server is an error only with `once`; otherwise the state
    /// reports it, and the link comes up by itself.
    pub fn open(mut spec: LinkSpec, options: LinkOptions) -> Result<Link, String> {
        if let LinkKind::Serial(serial) = &mut spec.kind {
            options.complete(serial);
        }
        let (kind, is_text) = (spec.kind.clone(), options.is_converted());
        let mut link = Link::new(spec, options)?;
        match kind {
            LinkKind::Path(path) => link.open_path(path)?,
            LinkKind::Stdin => link.open_stdin()?,
            LinkKind::InProcess(name) => return Err(format!("{name} is built into this program")),
            _ if is_text => return Err(NO_TEXT.into()),
            LinkKind::Serial(serial) => link.connect(Serial::new(serial))?,
            LinkKind::Tcp(address) => link.connect(Tcp { address })?,
            LinkKind::Unix(path) => link.connect(Unix { path })?,
            LinkKind::Listen(address) => {
                let listen = Listen::bind(&address)?;
                link.shared.facts(|facts| facts.local = Some(listen.local));
                link.connect(listen)?;
            }
            LinkKind::Udp(address) => {
                let (socket, local) = bind_udp(&address)?;
                let log = link.add_log();
                link.shared.facts(|facts| facts.local = Some(local));
                link.is_two_way = true;
                link.read(move |shared| Udp::new(shared, socket, local, log).run(shared))?;
            }
        }
        Ok(link)
    }

    fn new(spec: LinkSpec, options: LinkOptions) -> Result<Link, String> {
        let (shared, events) = Shared::new(spec, options)?;
        Ok(Link { shared, events, reader: None, is_two_way: false, recording: None })
    }

    /// Runs a target inside this program, in its own thread.
    pub fn run(name: &str, target: Box<dyn InProcessTarget>, options: LinkOptions) -> Result<Link, String> {
        let mut link = Link::new(LinkSpec::new(LinkKind::InProcess(name.to_owned())), options)?;
        let log = link.add_log();
        let (sender, inbox) = unbounded();
        // Even if it takes no bytes: without a sender, the inbox would report its end.
        link.shared.set_sink(0, Some(ByteSink::InProcess(sender, target.room())));
        link.is_two_way = target.can_feed();
        link.read(move |shared| run(shared, &log, target, &inbox))?;
        Ok(link)
    }

    fn open_path(&mut self, path: PathBuf) -> Result<(), String> {
        let kind = path.metadata().map_err(|error| unreadable(&path, &error))?.file_type();
        let is_text = self.shared.options.is_converted();
        // Read errors are reported when it is opened.
        let packing = || File::open(&path).and_then(|file| Packing::of_file(&file)).ok().flatten();
        if kind.is_dir() {
            Err(is_a_folder(&path))
        } else if kind.is_socket() {
            Err(format!("{} is a socket; unix:{} connects to it.", path.display(), path.display()))
        } else if kind.is_file() && packing() == Some(Packing::Gzip) {
            self.open_gzip(path)
        } else if kind.is_file() && !is_text {
            self.open_file(&path)
        } else if kind.is_fifo() && !is_text {
            self.open_fifo(path)
        } else if is_text && !(kind.is_file() || kind.is_fifo()) {
            Err(NO_TEXT.into())
        } else {
            self.open_device(path)
        }
    }

    fn open_file(&mut self, path: &Path) -> Result<(), String> {
        let opened = open_recorded(path).map_err(|error| unreadable(path, &error))?;
        let log = opened.log;
        self.shared.add_source(self.shared.spec.short(), log.clone());
        self.recording = opened.head;
        if let Some(note) = opened.note {
            self.shared.note(note);
        }
        if self.shared.options.follow {
            return self.read(move |shared| file::follow(shared, &log));
        }
        log.end(0);
        self.shared.set_state(LinkState::Ended);
        if self.shared.options.watch {
            // Without a thread, nobody watches.
            let _ = self.read(move |shared| file::watch(shared, &log));
        }
        Ok(())
    }

    fn open_gzip(&mut self, path: PathBuf) -> Result<(), String> {
        if self.shared.options.undo.is_some() {
            return Err(format!("{}: --undo is not for packed files; unpack it first", path.display()));
        }
        if self.shared.options.follow {
            return Err(format!("{} is packed with gzip: what is packed can't be followed", path.display()));
        }
        let unpacked = File::open(&path).and_then(Unpacked::new).map_err(|error| unreadable(&path, &error))?;
        let log = self.add_log();
        self.read(move |shared| reader::read_packed(shared, &log, unpacked, &path))
    }

    fn open_fifo(&mut self, path: PathBuf) -> Result<(), String> {
        // The pipe of a shell's <(command) has no name, so there is no next writer to wait for.
        let is_named = path.canonicalize().is_ok();
        let opened = if is_named { open_fifo(&path) } else { File::open(&path) };
        let opened = opened.map_err(|error| unreadable(&path, &error))?;
        let log = self.add_log();
        self.read(move |shared| {
            if is_named {
                reader::read_fifo(shared, &log, opened, &path);
            } else {
                reader::read_once(shared, &log, opened.as_fd(), &path.display().to_string());
            }
        })
    }

    fn open_device(&mut self, path: PathBuf) -> Result<(), String> {
        let opened = File::open(&path).map_err(|error| unreadable(&path, &error))?;
        if opened.is_terminal() {
            drop(opened);
            let mut serial = SerialSpec::new(path);
            self.shared.options.complete(&mut serial);
            return self.connect(Serial::new(serial));
        }
        let log = self.add_log();
        self.read(move |shared| reader::read_once(shared, &log, opened.as_fd(), &path.display().to_string()))
    }

    fn open_stdin(&mut self) -> Result<(), String> {
        if std::io::stdin().is_terminal() {
            return Err("stdin is a terminal: pipe a trace in, as in  cat trace.bin | spytui -".into());
        }
        let log = self.add_log();
        self.read(move |shared| reader::read_once(shared, &log, stdin(), "stdin"))
    }

    fn connect(&mut self, connector: impl Connector + Send + 'static) -> Result<(), String> {
        self.add_log();
        self.is_two_way = true;
        self.read(move |shared| keep_connected(shared, connector))
    }

    fn add_log(&self) -> Arc<RawLog> {
        let log = self.shared.new_log();
        self.shared.add_source(self.shared.spec.short(), log.clone());
        log
    }

    fn read(&mut self, work: impl FnOnce(&Arc<Shared>) + Send + 'static) -> Result<(), String> {
        let shared = self.shared.clone();
        let (done, ended) = bounded::<()>(0);
        let reader = std::thread::Builder::new().name("link-rx".into()).spawn(move || {
            let _done = done;
            work(&shared);
        });
        let reader = reader.map_err(|error| format!("can't start a thread for the link: {error}"))?;
        self.reader = Some((reader, ended));
        Ok(())
    }

    pub fn spec(&self) -> &LinkSpec {
        &self.shared.spec
    }

    /// UDP adds one per sender.
    pub fn sources(&self) -> Vec<LinkSource> {
        self.shared.sources()
    }

    pub fn state(&self) -> LinkState {
        self.shared.state()
    }

    pub fn counters(&self) -> LinkCounters {
        self.shared.counters()
    }

    pub fn facts(&self) -> LinkFacts {
        self.shared.facts(|facts| facts.clone())
    }

    /// One sentence: what the link waits for, why it failed, or what to check when nothing arrives.
    pub fn hint(&self) -> Option<String> {
        hint(&self.shared.spec, &self.state(), &self.counters())
    }

    /// Sends to the target of a source (0 except for UDP); `None` for read-only links.
    pub fn sender(&self, source: usize) -> Option<LinkSender> {
        self.is_two_way.then(|| LinkSender { shared: self.shared.clone(), source })
    }

    /// Whether bytes arrive as they are produced: from a line, a network or a growing file.
    pub fn is_live(&self) -> bool {
        self.is_two_way || self.shared.options.follow || matches!(self.spec().kind, LinkKind::InProcess(_))
    }

    /// Sends a request to a serial line; no effect on other links.
    pub fn command(&self, command: LineCommand) {
        if command != LineCommand::Baud(0) {
            self.shared.command(command);
        }
    }

    /// Sends a request to a serial line, and another after a time. Errors: there is no thread that could wait.
    pub fn pulse(&self, begin: LineCommand, end: LineCommand, time: Duration) -> Result<(), String> {
        let shared = self.shared.clone();
        let pulse = move || {
            shared.command(begin);
            shared.sleep(time);
            shared.command(end);
        };
        let thread = std::thread::Builder::new().name("pulse".into()).spawn(pulse);
        thread.map(drop).map_err(|error| format!("can't start a thread for the pulse: {error}"))
    }

    pub fn stop(&mut self) {
        self.shared.stop();
        if let Some((reader, ended)) = self.reader.take() {
            // The channel is only ever closed: any error other than a time-out means that the reader has finished.
            if ended.recv_timeout(STOP) != Err(crossbeam_channel::RecvTimeoutError::Timeout) {
                let _ = reader.join();
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A connected link that is silent for this long gets a hint.
const SILENT: Duration = Duration::from_secs(5);

pub(super) fn hint(spec: &LinkSpec, state: &LinkState, counters: &LinkCounters) -> Option<String> {
    if let Some(text) = state.text() {
        return Some(text.to_string());
    }
    let LinkState::Quiet(time) = state else { return None };
    if *time < SILENT || counters.bytes > 0 {
        return None;
    }
    let seconds = time.as_secs();
    match &spec.kind {
        LinkKind::Serial(serial) => {
            let is_on = |line| line != Some(false);
            let lines = match (is_on(serial.dtr), is_on(serial.rts)) {
                (true, true) => "DTR and RTS are on: :set dtr off. ",
                (true, false) => "DTR is on: :set dtr off. ",
                (false, _) => "DTR is off: :set dtr on. ",
            };
            let path = serial.path.display();
            Some(format!(
                "No byte for {seconds} s on {path}. Cable, TX/RX, rate? {lines}A target that streams only after reset: \
                 :target reset."
            ))
        }
        _ => Some(format!("No byte for {seconds} s on {}. Does the target send?", spec.short())),
    }
}

/// Interval of the steps of a target in this program.
pub const STEP: Duration = Duration::from_millis(10);
/// After a longer pause, as when the program was suspended, the target does not catch up.
const CATCH_UP: Duration = Duration::from_secs(1);

pub trait InProcessTarget: Send {
    /// Text of the link up row.
    fn up_text(&self) -> String;

    /// Its time goes on by [`STEP`].
    fn step(&mut self);

    /// Appends the bytes sent by the target.
    fn read(&mut self, to: &mut Vec<u8>);

    /// Whether it takes bytes.
    fn can_feed(&self) -> bool {
        false
    }

    fn feed(&mut self, _: &[u8]) {}

    /// A stream event at the end of the bytes sent so far.
    fn event(&mut self) -> Option<LogEvent> {
        None
    }

    /// The state of the link once everything is sent; `None` = it goes on.
    fn end(&self) -> Option<LinkState> {
        None
    }

    /// How many more bytes it accepts, as on a line with flow control; `None` = no limit.
    fn room(&self) -> Option<Arc<AtomicUsize>> {
        None
    }
}

/// Runs a target in real time until it ends or the link is stopped.
pub(super) fn run(shared: &Shared, log: &RawLog, mut target: Box<dyn InProcessTarget>, inbox: &Receiver<Vec<u8>>) {
    shared.up(log, &target.up_text());
    let mut sent = Vec::new();
    let mut due = Instant::now();
    let end = loop {
        target.read(&mut sent);
        if !sent.is_empty() {
            shared.received(log, &sent);
            sent.clear();
        }
        if let Some(event) = target.event() {
            log.add_event(event.kind, event.arg, &event.text, event.host_ns);
            continue;
        }
        if let Some(state) = target.end() {
            break state;
        }
        select! {
            recv(shared.stop.1) -> _ => break LinkState::Ended,
            recv(inbox) -> bytes => match bytes {
                Ok(bytes) => target.feed(&bytes),
                Err(_) => break LinkState::Ended,
            },
            default(due.saturating_duration_since(Instant::now())) => {
                target.step();
                due += STEP;
                if due.elapsed() > CATCH_UP {
                    due = Instant::now();
                }
            }
        }
    };
    shared.set_sink(0, None);
    log.end(host_now());
    shared.set_state(end);
}

/// Maximum time that a write blocks.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a blocked write checks whether the link is being stopped.
const LOOK: Duration = Duration::from_millis(100);

/// Sends bytes to the target of a source, from any thread. Does not keep the link open.
#[derive(Debug, Clone)]
pub struct LinkSender {
    pub(super) shared: Arc<Shared>,
    pub(super) source: usize,
}

impl LinkSender {
    /// Sends bytes and returns when they are sent.
    pub fn write(&self, bytes: &[u8]) -> Result<(), WriteError> {
        let sink = self.shared.sink(self.source).filter(|_| self.is_up()).ok_or(WriteError::NoLink)?;
        let turn = self.shared.writing.lock();
        let (sent, result) = write_all(&self.shared, &sink, bytes);
        drop(turn);
        self.shared.count(|counters| counters.sent += sent as u64);
        if let Some(source) = self.shared.sources().get(self.source).filter(|_| sent > 0) {
            source.log.add_event(kind::SENT, 0, bytes.get(..sent).unwrap_or_default(), host_now());
        }
        match result {
            Err(error) if sent > 0 => Err(in_part(sent, bytes.len(), error)),
            result => result,
        }
    }

    pub fn is_up(&self) -> bool {
        !self.shared.stopping() && self.shared.sink(self.source).is_some()
    }

    /// Capacity of the line, bytes per second, if known.
    pub fn line_rate(&self) -> Option<u32> {
        self.shared.facts(|facts| facts.line_rate)
    }
}

fn in_part(sent: usize, of: usize, error: WriteError) -> WriteError {
    let why = match error {
        WriteError::Failed(why) => why,
        error => error.to_string(),
    };
    WriteError::InPart(format!("the line took {} of {} bytes: {why}", grouped(sent as u64), grouped(of as u64)))
}

/// Writes all bytes; returns how many were written, even after an error.
fn write_all(shared: &Shared, sink: &ByteSink, bytes: &[u8]) -> (usize, Result<(), WriteError>) {
    let deadline = Instant::now() + PATIENCE;
    let mut sent = 0;
    while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
        match sink.write(rest) {
            Ok(0) => return (sent, Err(WriteError::NoLink)),
            Ok(n) => sent += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                if shared.stopping() {
                    return (sent, Err(WriteError::NoLink));
                }
                if Instant::now() >= deadline {
                    let text = format!("nothing accepted for {} s; does flow control hold it?", PATIENCE.as_secs());
                    return (sent, Err(WriteError::Failed(text)));
                }
                sink.wait(LOOK);
            }
            Err(e) => return (sent, Err(WriteError::Failed(e.to_string()))),
        }
    }
    (sent, Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_port_gets_advice_until_its_first_byte() {
        let spec = LinkSpec::of_scheme("serial", "/dev/ttyUSB0").unwrap();
        let quiet = LinkState::Quiet(Duration::from_secs(5));
        let none = LinkCounters::default();
        assert_eq!(
            hint(&spec, &quiet, &none).unwrap(),
            "No byte for 5 s on /dev/ttyUSB0. Cable, TX/RX, rate? DTR and RTS are on: :set dtr off. \
             A target that streams only after reset: :target reset."
        );
        assert_eq!(hint(&spec, &quiet, &LinkCounters { bytes: 1, ..none }), None);
        assert_eq!(hint(&spec, &LinkState::Quiet(Duration::from_secs(3)), &none), None);
        assert_eq!(hint(&spec, &LinkState::Failed("why".into()), &none).as_deref(), Some("why"));
    }
}
