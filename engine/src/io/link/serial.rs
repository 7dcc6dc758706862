//! Serial ports: opens them with helpful errors, reads from the first byte on, and finds them again by name after an
//! unplug.
//!
//! The device is opened twice: serialport sets up the line, locks it and controls the modem lines; a second descriptor
//! carries the bytes, so that one wait covers line and wake-up, and an idle port uses no CPU time.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serialport::{SerialPort, TTYPort};

use super::{
    ports::{DeviceIdentity, in_use_text, missing_text, permission_text, port_owners},
    reader::{Connection, Connector, InputHandler, Leave, OpenFailure, read_loop},
    shared::{LineCommand, Shared},
    spec::{Parity, SerialSpec},
};
use crate::io::{
    log::{RawLog, format::grouped, host_now, kind, line_error},
    sys::{AsHandle, Errno, OwnedHandle, open_tty, output_rate, read_pending_and_mark_errors},
};

pub(super) struct Serial {
    spec: SerialSpec,
    /// Identifies a device; replaced in tests.
    identify: fn(&Path) -> DeviceIdentity,
    /// Boards connected so far, the present one first: after an unplug it may return as another `ttyUSB`.
    boards: Vec<Board>,
    port: Option<OpenPort>,
    unmark: Unmark,
    /// When an error and a break were last added to the log as stream events.
    last_event: [u64; 2],
}

/// A board connected before, with the index of its source.
struct Board {
    identity: DeviceIdentity,
    source: usize,
}

struct OpenPort {
    tty: Arc<OwnedHandle>,
    line: TTYPort,
    /// Bytes already received when the port was opened.
    early: Vec<u8>,
}

impl Serial {
    pub(super) fn new(spec: SerialSpec) -> Serial {
        Serial {
            spec,
            identify: DeviceIdentity::of,
            boards: Vec::new(),
            port: None,
            unmark: Unmark::default(),
            last_event: [0; 2],
        }
    }

    /// The path to open: a stable name of a board connected before, if it exists, otherwise the user's path.
    fn path(&self) -> PathBuf {
        let mut names = self.boards.iter().filter_map(|board| board.identity.by_id.as_ref());
        names.find(|stable| stable.exists()).unwrap_or(&self.spec.path).clone()
    }

    /// Index among the known boards (the first if the system does not say), and whether that is certain; `None` = new.
    fn known_board(&self, identity: &DeviceIdentity) -> Option<(usize, bool)> {
        let compared = || self.boards.iter().map(|board| board.identity.is_same(identity));
        let same = compared().position(|is_same| is_same == Some(true)).map(|at| (at, true));
        same.or_else(|| compared().position(|is_same| is_same.is_none()).map(|at| (at, false)))
    }

    fn open(&self, path: &Path) -> Result<OpenPort, OpenFailure> {
        let meta = path.metadata().map_err(|error| refusal(path, &error))?;
        if meta.is_file() {
            let shown = path.display();
            return Err(OpenFailure::Never(format!(
                "{shown} is a regular file, not a serial port: --file {shown} reads it."
            )));
        }
        let tty = open_tty(path).map_err(|error| refusal(path, &error))?;
        let line = self.set_up(path)?;
        let mut early = Vec::new();
        read_pending_and_mark_errors(&tty, |bytes| early.extend_from_slice(bytes))
            .map_err(|error| refusal(path, &error))?;
        Ok(OpenPort { tty: Arc::new(tty), line, early })
    }

    fn set_up(&self, path: &Path) -> Result<TTYPort, OpenFailure> {
        let Some(name) = path.to_str() else {
            return Err(OpenFailure::Never(format!(
                "{}: the name of a serial port must be plain text.",
                path.display()
            )));
        };
        let builder = serialport::new(name, self.spec.baud)
            .data_bits(self.spec.bits.try_into().unwrap_or(serialport::DataBits::Eight))
            .parity(self.spec.parity)
            .stop_bits(if self.spec.stop == 2 { serialport::StopBits::Two } else { serialport::StopBits::One })
            .flow_control(self.spec.flow)
            .exclusive(self.spec.exclusive);
        builder.open_native().map_err(|error| match error.kind() {
            serialport::ErrorKind::NoDevice => OpenFailure::Retry(in_use_text(path)),
            serialport::ErrorKind::Io(kind) => refusal(path, &kind.into()),
            _ => OpenFailure::Retry(format!(
                "{}: the driver refused {} baud {}: {}.",
                path.display(),
                self.spec.baud,
                self.spec.format(),
                error.description
            )),
        })
    }

    /// Publishes the actual rate of a port, and returns it.
    fn describe(&self, shared: &Shared, tty: &OwnedHandle) -> u32 {
        let baud = output_rate(tty).unwrap_or(self.spec.baud);
        shared.facts(|facts| {
            facts.baud = Some(baud);
            facts.line_rate = Some(self.spec.bytes_per_second(baud));
        });
        if let Some(text) = rate_text(self.spec.baud, baud) {
            shared.note(text);
        }
        baud
    }

    /// The source of the board that is at `path` now, and what the link up row adds about it.
    fn take_board(&mut self, shared: &Shared, path: &Path) -> (usize, String) {
        let identity = (self.identify)(path);
        let known = self.known_board(&identity);
        let about = match (known, self.boards.first()) {
            (_, None) | (Some((0, true)), _) => String::new(),
            (Some((_, true)), _) => format!(", a former board again: {}", identity.words()),
            (Some((_, false)), _) => ", the same board or another: the system does not say".to_owned(),
            (None, Some(before)) => format!(", another board: {}, not {}", identity.words(), before.identity.words()),
        };
        let board = match known {
            Some((at, certain)) => {
                let mut board = self.boards.remove(at);
                board.identity = if certain { identity } else { board.identity };
                board
            }
            None if self.boards.is_empty() => Board { identity, source: 0 },
            None => {
                shared.note(format!("{}{about}; it is a source of its own.", path.display()));
                let name = format!("{} {}", shared.spec.short(), identity.words());
                Board { identity, source: shared.add_source(name, shared.new_log()) }
            }
        };
        let source = board.source;
        self.boards.insert(0, board);
        (source, about)
    }

    /// Keeps a setting for this port and its successors.
    fn keep(&mut self, command: LineCommand) {
        match command {
            LineCommand::Baud(baud) => self.spec.baud = baud,
            LineCommand::Dtr(on) => self.spec.dtr = on.or(Some(self.spec.dtr == Some(false))),
            LineCommand::Rts(on) => self.spec.rts = on.or(Some(self.spec.rts == Some(false))),
            LineCommand::Break(_) => {}
        }
    }

    fn is_due(&mut self, flaw: Flaw, now: u64) -> bool {
        let last = &mut self.last_event[usize::from(flaw.is_break)];
        let due = now.saturating_sub(*last) >= MARK_STEP_NS;
        if due {
            *last = now;
        }
        due
    }
}

impl Connector for Serial {
    fn connect(&mut self, shared: &Shared) -> Result<Connection, OpenFailure> {
        // Requests made while there was no port.
        while let Some(command) = shared.next_command() {
            self.keep(command);
        }
        let path = self.path();
        if path.symlink_metadata().is_err_and(|e| e.kind() == io::ErrorKind::NotFound) {
            return Err(OpenFailure::Missing(missing_text(&path)));
        }
        let port = self.open(&path)?;
        // Each of the two would get only some of the bytes.
        if let Some(other) = port_owners(&path).first() {
            let path = path.display();
            shared.note(format!("{path} is also open in {other}: each of the two gets only a part of the bytes."));
        }
        let (source, about_board) = self.take_board(shared, &path);
        let (stream, baud) = (port.tty.clone(), self.describe(shared, &port.tty));
        let stable_name = self.boards.first().and_then(|board| board.identity.by_id.as_ref()?.file_name());
        let name = stable_name.map(|name| format!(", {}", name.to_string_lossy())).unwrap_or_default();
        let up_text = format!("{} {baud} {}{name}{about_board}", path.display(), self.spec.format());
        self.port = Some(port);
        Ok(Connection { stream, source, up_text })
    }

    fn name(&self) -> String {
        self.spec.path.display().to_string()
    }

    fn run(&mut self, shared: &Shared, log: &RawLog, stream: &OwnedHandle) -> Leave {
        let Some(port) = &mut self.port else { return Leave::Closed };
        if !port.early.is_empty() {
            shared.received(log, &port.early);
        }
        for (name, line) in [("DTR", self.spec.dtr), ("RTS", self.spec.rts)] {
            line.into_iter().for_each(|on| set_line(shared, &mut port.line, name, on));
        }
        (self.unmark, self.last_event) = (Unmark::default(), [0; 2]);
        let leave = read_loop(shared, log, stream.as_fd(), false, self);
        if let Some(port) = self.port.take() {
            // Some drivers keep up a break that was not ended.
            let _ = port.line.clear_break();
        }
        // Bytes held back when the line was lost.
        if !self.unmark.held.is_empty() {
            shared.received(log, &self.unmark.held);
        }
        leave
    }

    fn down_text(&self, leave: &Leave) -> String {
        match leave {
            Leave::Failed(error) if !is_gone(error) => error.to_string(),
            _ => "unplugged, or its other end closed".to_owned(),
        }
    }
}

fn set_line(shared: &Shared, line: &mut TTYPort, name: &str, on: bool) {
    let result = if name == "DTR" { line.write_data_terminal_ready(on) } else { line.write_request_to_send(on) };
    let Err(error) = result else { return };
    let port = line.name().unwrap_or_default();
    let text = error.description;
    // Pseudo-terminals return ENOTTY and some adapters EINVAL: they have no such lines.
    if text.contains("typewriter") || text.contains("Inappropriate ioctl") || text.contains("Invalid argument") {
        shared.note(format!("{port} has no modem lines; {name} stays as it is."));
    } else {
        shared.note(format!("{port}: {name} could not be set: {text}."));
    }
}

/// Message for a failed open, and whether to try again.
fn refusal(path: &Path, error: &io::Error) -> OpenFailure {
    let shown = path.display();
    if error.kind() == io::ErrorKind::PermissionDenied {
        return OpenFailure::Retry(permission_text(path));
    }
    match Errno::from_io_error(error) {
        Some(Errno::BUSY) => OpenFailure::Retry(in_use_text(path)),
        Some(Errno::NOTTY) => OpenFailure::Never(format!("{shown} is not a serial port.")),
        Some(Errno::NXIO | Errno::NODEV | Errno::IO) => {
            OpenFailure::Missing(format!("{shown} is there, but its device is not."))
        }
        _ if error.kind() == io::ErrorKind::NotFound => OpenFailure::Missing(missing_text(path)),
        _ => OpenFailure::Retry(format!("{shown}: {error}.")),
    }
}

fn is_gone(error: &io::Error) -> bool {
    let gone = [Errno::NXIO, Errno::NODEV, Errno::IO, Errno::PIPE, Errno::BADF];
    Errno::from_io_error(error).is_some_and(|errno| gone.contains(&errno))
}

fn rate_text(asked: u32, real: u32) -> Option<String> {
    if asked == real {
        return None;
    }
    let off = (f64::from(real) - f64::from(asked)).abs() / f64::from(asked) * 100.0;
    let (real, asked) = (grouped(u64::from(real)), grouped(u64::from(asked)));
    Some(format!("The driver took {real} instead of {asked} baud ({off:.1} % off)."))
}

/// Minimum interval between two stream events for errors of one kind; all errors are counted.
const MARK_STEP_NS: u64 = 1_000_000;

/// Parses the kernel's error marking: `FF FF` = byte FF, `FF 00 x` = x had an error, `FF 00 00` = break.
#[derive(Debug, Default)]
struct Unmark {
    /// The beginning of a marking whose end has not arrived.
    held: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Flaw {
    at: usize,
    is_break: bool,
}

impl Unmark {
    /// Returns the bytes in `raw` without markings, and appends the errors.
    fn take(&mut self, raw: &[u8], flaws: &mut Vec<Flaw>) -> Vec<u8> {
        let mut out = Vec::with_capacity(raw.len());
        self.held.extend_from_slice(raw);
        let mut rest = self.held.as_slice();
        loop {
            rest = match rest {
                [] | [0xff] | [0xff, 0] => break,
                [0xff, 0, byte, tail @ ..] => {
                    flaws.push(Flaw { at: out.len(), is_break: *byte == 0 });
                    out.push(*byte);
                    tail
                }
                [0xff, 0xff, tail @ ..] => {
                    out.push(0xff);
                    tail
                }
                // Arrived before marking was enabled.
                [0xff, byte, tail @ ..] => {
                    out.extend([0xff, *byte]);
                    tail
                }
                _ => {
                    let (clean, tail) = rest.split_at(memchr::memchr(0xff, rest).unwrap_or(rest.len()));
                    out.extend_from_slice(clean);
                    tail
                }
            };
        }
        let done = self.held.len() - rest.len();
        self.held.drain(..done);
        out
    }
}

/// Appends the bytes of the line to the log, with stream events for errors.
impl InputHandler for Serial {
    fn bytes(&mut self, shared: &Shared, log: &RawLog, raw: &[u8]) -> Result<(), String> {
        let mut flaws = Vec::new();
        let bytes = self.unmark.take(raw, &mut flaws);
        let now = host_now();
        let mut done = 0;
        for flaw in &flaws {
            if !self.is_due(*flaw, now) {
                continue;
            }
            shared.received(log, bytes.get(done..flaw.at).unwrap_or_default());
            done = flaw.at;
            let what = match (flaw.is_break, self.spec.parity != Parity::None) {
                (true, _) => line_error::BREAK,
                (false, true) => line_error::PARITY,
                (false, false) => line_error::FRAMING,
            };
            log.add_event(kind::LINE_ERROR, what, &[], now);
        }
        shared.received(log, bytes.get(done..).unwrap_or_default());
        let breaks = flaws.iter().filter(|flaw| flaw.is_break).count() as u64;
        shared.count(|counters| {
            counters.line_errors += flaws.len() as u64 - breaks;
            counters.breaks += breaks;
        });
        Ok(())
    }

    fn command(&mut self, shared: &Shared, command: LineCommand) {
        self.keep(command);
        let Some(port) = &mut self.port else { return };
        match command {
            LineCommand::Baud(baud) => {
                if let Err(error) = port.line.set_baud_rate(baud) {
                    let baud = grouped(u64::from(baud));
                    shared.note(format!("The driver refused {baud} baud: {}.", error.description));
                }
                let tty = port.tty.clone();
                self.describe(shared, &tty);
            }
            LineCommand::Dtr(_) => set_line(shared, &mut port.line, "DTR", self.spec.dtr != Some(false)),
            LineCommand::Rts(_) => set_line(shared, &mut port.line, "RTS", self.spec.rts != Some(false)),
            LineCommand::Break(on) => {
                let result = if on { port.line.set_break() } else { port.line.clear_break() };
                if let Err(error) = result {
                    shared.note(format!("{}: no break: {}.", self.spec.path.display(), error.description));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;
    use crate::io::{
        link::{LinkKind, LinkOptions, LinkSpec, LinkState, reader::keep_connected},
        log::kind,
    };

    #[test]
    fn a_changed_rate_is_said() {
        let text = "The driver took 916 667 instead of 921 600 baud (0.5 % off).";
        assert_eq!(rate_text(921_600, 916_667).as_deref(), Some(text));
        assert_eq!(rate_text(115_200, 115_200), None);
    }

    #[test]
    fn what_can_not_be_a_port_says_what_it_is() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let Err(OpenFailure::Never(text)) = Serial::new(SerialSpec::new(file.path())).open(file.path()) else {
            panic!("a file was opened as a port");
        };
        assert!(text.contains("regular file") && text.contains("--file"), "{text}");
        let null = Path::new("/dev/null");
        assert!(matches!(Serial::new(SerialSpec::new(null)).open(null), Err(OpenFailure::Never(_))));
        let gone = Path::new("/dev/ttyNOSUCH7");
        let Err(OpenFailure::Missing(text)) = Serial::new(SerialSpec::new(gone)).open(gone) else {
            panic!("opened a port that is not there");
        };
        assert!(text.starts_with("/dev/ttyNOSUCH7 does not exist. Present: "), "{text}");
    }

    /// A board on a pseudo-terminal; without a name the system can't identify it.
    struct Plugged {
        far: std::fs::File,
        path: PathBuf,
    }

    impl Plugged {
        fn at(path: &Path, name: Option<&str>) -> Plugged {
            let far = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
            grantpt(&far).unwrap();
            unlockpt(&far).unwrap();
            if let Some(name) = name {
                std::fs::write(path.with_extension("id"), name).unwrap();
            }
            let device = ptsname(&far, Vec::new()).unwrap().into_string().unwrap();
            std::os::unix::fs::symlink(device, path).unwrap();
            Plugged { far: far.into(), path: path.to_path_buf() }
        }

        /// Sends until the log has everything, because the line is raw only while it is open.
        fn sends(mut self, text: &str, shared: &Shared) {
            let bytes = || shared.counters().bytes;
            let before = bytes();
            wait(|| matches!(shared.state(), LinkState::Live));
            self.far.write_all(text.as_bytes()).unwrap();
            wait(|| bytes() == before + text.len() as u64);
            std::fs::remove_file(&self.path).unwrap();
            let _ = std::fs::remove_file(self.path.with_extension("id"));
            drop(self.far);
            wait(|| matches!(shared.state(), LinkState::NoLink { .. }));
        }
    }

    fn wait(done: impl Fn() -> bool) {
        let start = std::time::Instant::now();
        while !done() {
            assert!(start.elapsed().as_secs() < 20, "waited in vain");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    #[test]
    fn another_board_under_the_old_name_is_a_source_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ttyX");
        let spec = LinkSpec::new(LinkKind::Serial(SerialSpec::new(&path)));
        let (shared, _events) = Shared::new(spec, LinkOptions::default()).unwrap();
        let log = shared.new_log();
        shared.add_source("ttyX".into(), log.clone());
        let identify = |path: &Path| {
            let name = std::fs::read_to_string(path.with_extension("id")).ok();
            let mut identity = DeviceIdentity::default();
            identity.by_id = name.map(PathBuf::from);
            identity
        };
        let serial = Serial { identify, ..Serial::new(SerialSpec::new(&path)) };
        let ours = shared.clone();
        let reader = std::thread::spawn(move || keep_connected(&ours, serial));
        for (name, text) in [(Some("A"), "a1"), (Some("B"), "b1"), (Some("A"), "a2"), (None, "a3?")] {
            Plugged::at(&path, name).sends(text, &shared);
        }
        shared.stop();
        reader.join().unwrap();
        let sources = shared.sources();
        let said = |log: &RawLog| -> Vec<String> {
            let events = log.events(0, u64::MAX).into_iter().filter(|event| event.kind == kind::LINK_UP);
            events.map(|event| String::from_utf8(event.text).unwrap().split_once(", ").unwrap().1.to_owned()).collect()
        };
        let bytes = |log: &RawLog| {
            let mut bytes = Vec::new();
            log.read_into(0, 100, &mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!((sources.len(), sources[1].name.as_str()), (2, "ttyX 115200 B"));
        assert_eq!((bytes(&log), bytes(&sources[1].log)), ("a1a2a3?".into(), "b1".into()));
        assert!(log.ended() && sources[1].log.ended());
        assert_eq!(said(&sources[1].log), ["B, another board: B, not A"]);
        let again = "A, a former board again: A";
        assert_eq!(said(&log), ["A", again, "A, the same board or another: the system does not say"]);
    }

    fn marked(plain: &[(u8, bool)]) -> Vec<u8> {
        let mut raw = Vec::new();
        for (byte, flawed) in plain {
            match (byte, flawed) {
                (byte, true) => raw.extend([0xff, 0, *byte]),
                (0xff, false) => raw.extend([0xff, 0xff]),
                (byte, false) => raw.push(*byte),
            }
        }
        raw
    }

    #[test]
    fn errors_and_breaks_have_their_place() {
        let mut unmark = Unmark::default();
        let mut flaws = Vec::new();
        let bytes = unmark.take(&[1, 0xff, 0, 2, 0xff, 0xff, 0xff, 0, 0, 3], &mut flaws);
        assert_eq!(bytes, [1, 2, 0xff, 0, 3]);
        assert_eq!(flaws, [Flaw { at: 1, is_break: false }, Flaw { at: 3, is_break: true }]);
    }

    #[test]
    fn nothing_held_back_is_lost() {
        let mut unmark = Unmark::default();
        let mut flaws = Vec::new();
        assert_eq!(unmark.take(&[0xff, 7, 0xff], &mut flaws), [0xff, 7]);
        assert_eq!(std::mem::take(&mut unmark.held), [0xff]);
        assert_eq!(unmark.take(&[8, 0xff, 0], &mut flaws), [8]);
        assert_eq!((unmark.held.as_slice(), flaws.len()), (&[0xff, 0][..], 0));
    }

    proptest! {
        #[test]
        fn any_bytes_come_back_in_any_pieces(plain in prop::collection::vec((prop_oneof![Just(0xff), Just(0), any::<u8>()], any::<bool>()), 0..200),
                                             piece in 1usize..20) {
            let mut unmark = Unmark::default();
            let (mut bytes, mut count) = (Vec::new(), 0);
            for raw in marked(&plain).chunks(piece) {
                let mut flaws = Vec::new();
                bytes.extend(unmark.take(raw, &mut flaws));
                count += flaws.len();
            }
            let expect: Vec<u8> = plain.iter().map(|(byte, _)| *byte).collect();
            prop_assert_eq!(bytes, expect);
            prop_assert_eq!(count, plain.iter().filter(|(_, flawed)| *flawed).count());
        }
    }
}
