//! Link specifications, as written by the user.

use std::fmt;
use std::path::{Path, PathBuf};

pub use serialport::{FlowControl as Flow, Parity};

/// A link and the core of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSpec {
    /// The transport.
    pub kind: LinkKind,
    /// Core, for one file per core: `@N`.
    pub core: Option<u16>,
}

/// The transport.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkKind {
    /// A path: a regular file, a fifo, or a terminal device (a serial port); decided when it is opened.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// A serial port.
    Serial(SerialSpec),
    /// TCP client.
    Tcp(Address),
    /// Client of a Unix socket.
    Unix(PathBuf),
    /// TCP server; by default for clients on this machine only. Port 0 = any free port.
    Listen(Address),
    /// UDP receiver; addresses as for [`LinkKind::Listen`].
    Udp(Address),
    /// A target inside this program, with its name; see [`Link::run`](super::Link::run). No text stands for it.
    InProcess(String),
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Host name or IP address; IPv6 without brackets.
    pub host: String,
    pub port: u16,
}

/// A serial port and its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerialSpec {
    /// Device path.
    pub path: PathBuf,
    /// Bits per second, 1 and up.
    pub baud: u32,
    /// Data bits, 5 to 8.
    pub bits: u8,
    /// Parity bit.
    pub parity: Parity,
    /// Stop bits, 1 or 2.
    pub stop: u8,
    /// Flow control.
    pub flow: Flow,
    /// State of DTR when the port is opened; `None` leaves it to the driver (most drivers set it on opening).
    pub dtr: Option<bool>,
    /// The same of RTS.
    pub rts: Option<bool>,
    /// Lock the port against other programs.
    pub exclusive: bool,
}

/// Default rate.
pub const DEFAULT_BAUD: u32 = 115_200;

impl SerialSpec {
    /// 115200 8N1 without flow control, modem lines unchanged, locked.
    pub fn new(path: impl Into<PathBuf>) -> SerialSpec {
        SerialSpec {
            path: path.into(),
            baud: DEFAULT_BAUD,
            bits: 8,
            parity: Parity::None,
            stop: 1,
            flow: Flow::None,
            dtr: None,
            rts: None,
            exclusive: true,
        }
    }

    /// Short form, as `8N1`.
    pub fn format(&self) -> String {
        let parity = match self.parity {
            Parity::None => 'N',
            Parity::Odd => 'O',
            Parity::Even => 'E',
        };
        format!("{}{parity}{}", self.bits, self.stop)
    }

    /// Capacity of the line at `baud`, bytes per second.
    pub fn bytes_per_second(&self, baud: u32) -> u32 {
        let parity = u32::from(self.parity != Parity::None);
        baud / (1 + u32::from(self.bits) + parity + u32::from(self.stop))
    }
}

impl Address {
    /// Creates an address.
    pub fn new(host: impl Into<String>, port: u16) -> Address {
        Address { host: host.into(), port }
    }
}

impl LinkSpec {
    /// A link without a core.
    pub fn new(kind: LinkKind) -> LinkSpec {
        LinkSpec { kind, core: None }
    }

    /// A literal path: nothing in it has a special meaning.
    pub fn path(path: impl Into<PathBuf>) -> LinkSpec {
        LinkSpec::new(LinkKind::Path(path.into()))
    }

    /// Short name for the header: `ttyUSB0 115200`, `listen :6602`, `boiler_drops.bin`.
    pub fn short(&self) -> String {
        let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        match &self.kind {
            LinkKind::Path(path) => name(path),
            LinkKind::Stdin => "stdin".into(),
            LinkKind::Serial(s) if s.format() == "8N1" => format!("{} {}", name(&s.path), s.baud),
            LinkKind::Serial(s) => format!("{} {} {}", name(&s.path), s.baud, s.format()),
            LinkKind::Tcp(a) => format!("tcp {a}"),
            LinkKind::Unix(path) => format!("unix {}", name(path)),
            LinkKind::Listen(a) => format!("listen :{}", a.port),
            LinkKind::Udp(a) => format!("udp :{}", a.port),
            LinkKind::InProcess(name) => name.clone(),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Text that [`LinkSpec::parse`] parses to the same link; a target inside this program has only a name.
impl fmt::Display for LinkSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            LinkKind::Path(path) => write!(f, "{}", path.display())?,
            LinkKind::Stdin => write!(f, "-")?,
            LinkKind::Serial(serial) => write!(f, "{serial}")?,
            LinkKind::Tcp(a) => write!(f, "tcp:{a}")?,
            LinkKind::Unix(path) => write!(f, "unix:{}", path.display())?,
            LinkKind::Listen(a) => write!(f, "listen:{a}")?,
            LinkKind::Udp(a) => write!(f, "udp:{a}")?,
            LinkKind::InProcess(name) => write!(f, "{name}")?,
        }
        self.core.map_or(Ok(()), |core| write!(f, "@{core}"))
    }
}

impl fmt::Display for SerialSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "serial:{}?baud={}", self.path.display(), self.baud)?;
        if self.format() != "8N1" {
            write!(f, "&format={}", self.format())?;
        }
        match self.flow {
            Flow::None => {}
            Flow::Hardware => write!(f, "&flow=hard")?,
            Flow::Software => write!(f, "&flow=soft")?,
        }
        for (name, line) in [("dtr", self.dtr), ("rts", self.rts)] {
            if let Some(on) = line {
                write!(f, "&{name}={}", if on { "on" } else { "off" })?;
            }
        }
        if self.exclusive { Ok(()) } else { write!(f, "&exclusive=off") }
    }
}
