//! Serial ports: opens them with helpful errors, reads from the first byte on, and finds them again by name after an
//! unplug.
//!
//! The device is opened twice: serialport sets up the line, locks it and controls the modem lines; a second descriptor
//! carries the bytes, so that one wait covers line and wake-up, and an idle port uses no CPU time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serialport::{SerialPort, TTYPort};

use super::{
    byte_sink::ByteSink,
    line::LineInput,
    port_owners::{in_use_text, permission_text, port_owners},
    ports::{missing_text, stable_names},
    read_loop::{Leave, read_loop},
    reconnect::{Connector, Refusal},
    shared::{Command, Shared},
    spec::{Flow, ModemLine, Parity, SerialSpec},
};
use crate::{
    log::{RawLog, format::grouped},
    sys::{AsHandle, OwnedHandle, Problem, open_tty, output_rate, problem, read_pending_and_mark_errors},
};

/// Connector of a serial port.
pub(super) struct Serial {
    spec: SerialSpec,
    /// The stable name of the device when it was last open: after an unplug it may return as another `ttyUSB`.
    by_id: Option<PathBuf>,
    /// The last message about the missing device and the modification time of `/dev` then, to make polling cheap.
    missing: Option<(SystemTime, String)>,
}

/// An open port.
pub(super) struct OpenPort {
    tty: Arc<OwnedHandle>,
    line: TTYPort,
    /// Bytes already received when the port was opened.
    early: Vec<u8>,
    path: PathBuf,
}

impl Serial {
    pub(super) fn new(spec: SerialSpec) -> Serial {
        Serial { spec, by_id: None, missing: None }
    }

    /// The path to open: the stable name if it exists, otherwise the user's path.
    fn path(&self) -> PathBuf {
        self.by_id.clone().filter(|stable| stable.exists()).unwrap_or_else(|| self.spec.path.clone())
    }

    fn missing_text(&mut self, path: &Path) -> String {
        let devices = Path::new("/dev").metadata().and_then(|dev| dev.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        match &self.missing {
            Some((then, text)) if *then == devices => text.clone(),
            _ => self.missing.insert((devices, missing_text(path))).1.clone(),
        }
    }

    fn open(&self, path: &Path) -> Result<OpenPort, Refusal> {
        let meta = path.metadata().map_err(|error| refusal(path, &error))?;
        if meta.is_file() {
            let shown = path.display();
            return Err(Refusal::Never(format!(
                "{shown} is a regular file, not a serial port: --file {shown} reads it."
            )));
        }
        let tty = open_tty(path).map_err(|error| refusal(path, &error))?;
        let line = self.set_up(path)?;
        let mut early = Vec::new();
        read_pending_and_mark_errors(&tty, |bytes| early.extend_from_slice(bytes))
            .map_err(|error| refusal(path, &error))?;
        Ok(OpenPort { tty: Arc::new(tty), line, early, path: path.to_path_buf() })
    }

    fn set_up(&self, path: &Path) -> Result<TTYPort, Refusal> {
        let Some(name) = path.to_str() else {
            return Err(Refusal::Never(format!("{}: the name of a serial port must be plain text.", path.display())));
        };
        let builder = serialport::new(name, self.spec.baud)
            .data_bits(data_bits(self.spec.bits))
            .parity(parity(self.spec.parity))
            .stop_bits(if self.spec.stop == 2 { serialport::StopBits::Two } else { serialport::StopBits::One })
            .flow_control(flow(self.spec.flow))
            .exclusive(self.spec.exclusive);
        builder.open_native().map_err(|error| match error.kind() {
            serialport::ErrorKind::NoDevice => Refusal::Retry(in_use_text(path)),
            serialport::ErrorKind::Io(kind) => refusal(path, &kind.into()),
            _ => Refusal::Retry(format!(
                "{}: the driver refused {} baud {}: {}.",
                path.display(),
                self.spec.baud,
                self.spec.format(),
                error.description
            )),
        })
    }

    /// Publishes the port's facts and reports anything unusual.
    fn describe(&mut self, shared: &Shared, port: &OpenPort) {
        self.by_id = stable_names(&port.path).into_iter().next().or(self.by_id.take());
        let baud = output_rate(&port.tty).unwrap_or(self.spec.baud);
        shared.facts(|facts| {
            facts.by_id = self.by_id.as_ref().map(|name| name.display().to_string());
            facts.baud = Some(baud);
            facts.line_rate = Some(self.spec.bytes_per_second(baud));
            facts.peer = Some(port.path.display().to_string());
        });
        if let Some(text) = rate_text(self.spec.baud, baud) {
            shared.note(text);
        }
    }

    /// Warns of other programs that read the same port: each would get only some of the bytes.
    fn warn_of_others(shared: &Shared, port: &OpenPort) {
        if let Some(other) = port_owners(&port.path).first() {
            let path = port.path.display();
            shared.note(format!("{path} is also open in {other}: each of the two gets only a part of the bytes."));
        }
    }

    fn move_lines(&self, shared: &Shared, port: &mut OpenPort) {
        for (name, line) in [("DTR", self.spec.dtr), ("RTS", self.spec.rts)] {
            match line {
                ModemLine::Keep => {}
                ModemLine::On => set_line(shared, &mut port.line, name, true),
                ModemLine::Off => set_line(shared, &mut port.line, name, false),
            }
        }
    }
}

impl Connector for Serial {
    type Connection = OpenPort;

    fn connect(&mut self, shared: &Shared) -> Result<OpenPort, Refusal> {
        let path = self.path();
        if path.symlink_metadata().is_err_and(|e| e.kind() == io::ErrorKind::NotFound) {
            return Err(Refusal::Missing(self.missing_text(&path)));
        }
        let port = self.open(&path)?;
        self.describe(shared, &port);
        Self::warn_of_others(shared, &port);
        Ok(port)
    }

    fn up_text(&self, port: &OpenPort) -> String {
        let baud = output_rate(&port.tty).unwrap_or(self.spec.baud);
        let name = self.by_id.as_ref().and_then(|n| n.file_name()).map(|n| format!(", {}", n.to_string_lossy()));
        format!("{} {baud} {}{}", port.path.display(), self.spec.format(), name.unwrap_or_default())
    }

    fn run(&mut self, shared: &Shared, log: &RawLog, mut port: OpenPort) -> Leave {
        shared.set_sink(0, Some(ByteSink::Tty(port.tty.clone())));
        if !port.early.is_empty() {
            shared.received(log, &port.early);
        }
        self.move_lines(shared, &mut port);
        let tty = port.tty.clone();
        let has_parity = self.spec.parity != Parity::None;
        let mut control = |shared: &Shared, command| self.control(shared, &mut port, command);
        let mut inlet = LineInput::new(has_parity, &mut control);
        let leave = read_loop(shared, log, tty.as_fd(), false, &mut inlet);
        let rest = inlet.unmark.rest();
        if !rest.is_empty() {
            shared.received(log, rest);
        }
        leave
    }

    fn down_text(&self, leave: &Leave) -> String {
        let path = self.spec.path.display();
        match leave {
            Leave::Failed(error) if !is_gone(error) => format!("{path}: {error}."),
            _ => format!("{path} was unplugged, or its other end closed."),
        }
    }
}

impl Serial {
    fn control(&mut self, shared: &Shared, port: &mut OpenPort, command: Command) {
        match command {
            Command::Baud(baud) => {
                self.spec.baud = baud;
                if let Err(error) = port.line.set_baud_rate(baud) {
                    shared.note(format!(
                        "The driver refused {} baud: {}.",
                        grouped(u64::from(baud)),
                        error.description
                    ));
                }
                self.describe(shared, port);
            }
            Command::Dtr(on) => {
                self.spec.dtr = if on { ModemLine::On } else { ModemLine::Off };
                set_line(shared, &mut port.line, "DTR", on);
            }
            Command::Rts(on) => {
                self.spec.rts = if on { ModemLine::On } else { ModemLine::Off };
                set_line(shared, &mut port.line, "RTS", on);
            }
        }
    }
}

fn set_line(shared: &Shared, line: &mut TTYPort, name: &str, on: bool) {
    let result = if name == "DTR" { line.write_data_terminal_ready(on) } else { line.write_request_to_send(on) };
    let Err(error) = result else { return };
    let port = line.name().unwrap_or_default();
    let text = error.description;
    // A pseudo-terminal returns ENOTTY, some adapters EINVAL: there are no such lines.
    if text.contains("typewriter") || text.contains("Inappropriate ioctl") || text.contains("Invalid argument") {
        shared.note(format!("{port} has no modem lines; {name} stays as it is."));
    } else {
        shared.note(format!("{port}: {name} could not be set: {text}."));
    }
}

/// Message for a failed open, and whether to try again.
fn refusal(path: &Path, error: &io::Error) -> Refusal {
    let shown = path.display();
    if error.kind() == io::ErrorKind::PermissionDenied {
        return Refusal::Retry(permission_text(path));
    }
    match problem(error) {
        Some(Problem::Missing) => Refusal::Missing(missing_text(path)),
        Some(Problem::Busy) => Refusal::Retry(in_use_text(path)),
        Some(Problem::NoTerminal) => Refusal::Never(format!("{shown} is not a serial port.")),
        Some(Problem::NoDevice) => Refusal::Missing(format!("{shown} is there, but its device is not.")),
        _ if error.kind() == io::ErrorKind::NotFound => Refusal::Missing(missing_text(path)),
        _ => Refusal::Retry(format!("{shown}: {error}.")),
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(problem(error), Some(Problem::NoDevice | Problem::Closed))
}

/// Message for a rate changed by the driver.
fn rate_text(asked: u32, real: u32) -> Option<String> {
    if asked == real {
        return None;
    }
    let off = (f64::from(real) - f64::from(asked)).abs() / f64::from(asked) * 100.0;
    let (real, asked) = (grouped(u64::from(real)), grouped(u64::from(asked)));
    Some(format!("The driver took {real} instead of {asked} baud ({off:.1} % off)."))
}

fn data_bits(bits: u8) -> serialport::DataBits {
    match bits {
        5 => serialport::DataBits::Five,
        6 => serialport::DataBits::Six,
        7 => serialport::DataBits::Seven,
        _ => serialport::DataBits::Eight,
    }
}

fn parity(parity: Parity) -> serialport::Parity {
    match parity {
        Parity::None => serialport::Parity::None,
        Parity::Odd => serialport::Parity::Odd,
        Parity::Even => serialport::Parity::Even,
    }
}

fn flow(flow: Flow) -> serialport::FlowControl {
    match flow {
        Flow::None => serialport::FlowControl::None,
        Flow::Hardware => serialport::FlowControl::Hardware,
        Flow::Software => serialport::FlowControl::Software,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_rate_is_said() {
        let text = "The driver took 916 667 instead of 921 600 baud (0.5 % off).";
        assert_eq!(rate_text(921_600, 916_667).as_deref(), Some(text));
        assert_eq!(rate_text(115_200, 115_200), None);
    }

    #[test]
    fn what_can_not_be_a_port_says_what_it_is() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let Err(Refusal::Never(text)) = Serial::new(SerialSpec::new(file.path())).open(file.path()) else {
            panic!("a file was opened as a port");
        };
        assert!(text.contains("regular file") && text.contains("--file"), "{text}");
        let null = Path::new("/dev/null");
        assert!(matches!(Serial::new(SerialSpec::new(null)).open(null), Err(Refusal::Never(_))));
        let gone = Path::new("/dev/ttyNOSUCH7");
        let Err(Refusal::Missing(text)) = Serial::new(SerialSpec::new(gone)).open(gone) else {
            panic!("opened a port that is not there");
        };
        assert!(text.starts_with("/dev/ttyNOSUCH7 does not exist. Present: "), "{text}");
    }
}
