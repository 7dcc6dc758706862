//! What a link is, with its syntax, and its options.

use std::{
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crate::{
    io::{log::LogOptions, sys, text::TextForm},
    nearest::nearest,
};

pub use serialport::{FlowControl as Flow, Parity};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSpec {
    pub kind: LinkKind,
    /// Core, for one file per core: `@N`.
    pub core: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkKind {
    /// A path: a regular file, a fifo, or a terminal device (a serial port); decided when it is opened.
    Path(PathBuf),
    Stdin,
    Serial(SerialSpec),
    Tcp(Address),
    /// Client of a Unix socket.
    Unix(PathBuf),
    /// TCP server; by default for clients on this machine only. Port 0 = any free port.
    Listen(Address),
    /// UDP receiver; addresses as in [`LinkKind::Listen`].
    Udp(Address),
    /// A target inside this program, with its name; see [`Link::run`](super::Link::run). Has no syntax.
    InProcess(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Host name or IP address; IPv6 without brackets.
    pub host: String,
    pub port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerialSpec {
    pub path: PathBuf,
    /// Bits per second, 1 and up.
    pub baud: u32,
    /// Data bits, 5 to 8.
    pub bits: u8,
    pub parity: Parity,
    /// Stop bits, 1 or 2.
    pub stop: u8,
    pub flow: Flow,
    /// State of DTR when the port is opened; `None` leaves it to the driver (most set it on opening).
    pub dtr: Option<bool>,
    /// State of RTS, as for `dtr`.
    pub rts: Option<bool>,
    /// Lock the port against other programs.
    pub exclusive: bool,
}

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
    pub fn new(host: impl Into<String>, port: u16) -> Address {
        Address { host: host.into(), port }
    }
}

impl LinkSpec {
    pub fn new(kind: LinkKind) -> LinkSpec {
        LinkSpec { kind, core: None }
    }

    /// A literal path without special characters.
    pub fn path(path: impl Into<PathBuf>) -> LinkSpec {
        LinkSpec::new(LinkKind::Path(path.into()))
    }

    /// The regular file that it reads, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.kind {
            LinkKind::Path(path) if path.is_file() => Some(path),
            _ => None,
        }
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

    /// Parses a link; only paths may have invalid UTF-8. `@N` at the end is the core, unless a file of that exact name
    /// exists; `x@0@1` is core 1 of `x@0`.
    pub fn parse(text: impl AsRef<OsStr>) -> Result<LinkSpec, String> {
        let text = text.as_ref();
        let is_file = |name: &str| Path::new(name).symlink_metadata().is_ok();
        text.to_str().map_or_else(|| LinkSpec::parse_bytes(text), |text| LinkSpec::parse_with(text, is_file))
    }

    /// A path with invalid UTF-8.
    fn parse_bytes(text: &OsStr) -> Result<LinkSpec, String> {
        if Path::new(text).symlink_metadata().is_ok() {
            return Ok(LinkSpec::path(text));
        }
        // The core is at the end of the readable text, where each invalid byte takes more room.
        let lossy = text.to_string_lossy();
        let (body, core) = split_core(&lossy)?;
        let path = sys::without_end(text, lossy.len() - body.len());
        Ok(LinkSpec { kind: LinkKind::Path(path.into()), core })
    }

    fn parse_with(text: &str, is_file: impl Fn(&str) -> bool) -> Result<LinkSpec, String> {
        if text.is_empty() {
            return bad("no link given: PATH, serial:DEVICE, tcp:HOST:PORT, unix:PATH, listen:PORT, udp:PORT or -");
        }
        if is_file(text) {
            return Ok(LinkSpec::path(text));
        }
        let (body, core) = split_core(text)?;
        let kind = match body.split_once(':') {
            _ if body == "-" => LinkKind::Stdin,
            Some((scheme, rest)) if SCHEMES.contains(&scheme) => kind_of(scheme, rest)?,
            // Without a similar scheme, it is a file with a colon in its name.
            Some((word, rest)) if !is_file(body) && !word.contains('/') => match nearest(word, SCHEMES) {
                Some(near) => {
                    return bad(format!("{word}: unknown; nearest: {near}:{rest}. A file of that name: ./{body}"));
                }
                None => LinkKind::Path(body.into()),
            },
            _ => LinkKind::Path(body.into()),
        };
        Ok(LinkSpec { kind, core })
    }

    /// Parses what follows a scheme: `DEVICE[?baud=…&…]` of `serial`, `HOST:PORT` of `tcp`, `PATH` of `unix`,
    /// `[ADDRESS:]PORT` of `listen` and `udp`.
    pub fn of_scheme(scheme: &str, rest: &str) -> Result<LinkSpec, String> {
        kind_of(scheme, rest).map(LinkSpec::new)
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

/// Text that [`LinkSpec::parse`] parses to the same link; a target inside this program only has a name.
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

const THIS_MACHINE: &str = "127.0.0.1";
const SCHEMES: [&str; 5] = ["serial", "tcp", "unix", "listen", "udp"];
const SERIAL_KEYS: [&str; 9] = ["baud", "format", "bits", "parity", "stop", "flow", "dtr", "rts", "exclusive"];

fn kind_of(scheme: &str, rest: &str) -> Result<LinkKind, String> {
    Ok(match scheme {
        "serial" => LinkKind::Serial(serial(rest)?),
        "tcp" => LinkKind::Tcp(remote(rest)?),
        "unix" if rest.is_empty() => return bad("unix: which socket? As in unix:/run/qemu/serial"),
        "unix" => LinkKind::Unix(rest.into()),
        "listen" => LinkKind::Listen(local(scheme, rest)?),
        _ => LinkKind::Udp(local(scheme, rest)?),
    })
}

fn bad<T>(text: impl Into<String>) -> Result<T, String> {
    Err(text.into())
}

fn split_core(text: &str) -> Result<(&str, Option<u16>), String> {
    match text.rsplit_once('@') {
        Some((body, core)) if !body.is_empty() && !core.is_empty() && core.bytes().all(|b| b.is_ascii_digit()) => {
            match core.parse() {
                Ok(core) if core < u16::MAX => Ok((body, Some(core))),
                _ => bad(format!("{text}: core {core} is too large; @N takes 0 to 65534")),
            }
        }
        _ => Ok((text, None)),
    }
}

fn remote(text: &str) -> Result<Address, String> {
    let usage = "tcp takes HOST:PORT, as in tcp:10.0.0.7:6602 or tcp:[::1]:6602";
    match split_address(text) {
        Some((host, port)) if !host.is_empty() => match port_number("tcp", port)? {
            0 => bad(format!("tcp:{text}: port 0 can't be connected to")),
            port => Ok(Address::new(host, port)),
        },
        _ => bad(format!("tcp:{text}: {usage}")),
    }
}

fn local(scheme: &str, text: &str) -> Result<Address, String> {
    let (host, port) = split_address(text).unwrap_or(("", text));
    let host = if host.is_empty() { THIS_MACHINE } else { host };
    Ok(Address::new(host, port_number(scheme, port)?))
}

/// Splits host and port; IPv6 addresses are in brackets.
fn split_address(text: &str) -> Option<(&str, &str)> {
    let (host, port) = text.rsplit_once(':')?;
    match host.strip_prefix('[').map(|h| h.strip_suffix(']')) {
        Some(inner) => Some((inner?, port)),
        None => (!host.contains(':')).then_some((host, port)),
    }
}

fn port_number(scheme: &str, text: &str) -> Result<u16, String> {
    text.parse().or_else(|_| bad(format!("{scheme}: \"{text}\" is not a port; ports are 0 to 65535")))
}

fn serial(text: &str) -> Result<SerialSpec, String> {
    let (path, settings) = text.split_once('?').unwrap_or((text, ""));
    if path.is_empty() {
        return bad("serial: which device? As in serial:/dev/ttyUSB0?baud=115200");
    }
    let mut spec = SerialSpec::new(path);
    for setting in settings.split('&').filter(|s| !s.is_empty()) {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        set_serial(&mut spec, key, value)?;
    }
    Ok(spec)
}

fn set_serial(spec: &mut SerialSpec, key: &str, value: &str) -> Result<(), String> {
    match key {
        "baud" => spec.baud = baud(value)?,
        "format" => set_format(spec, value)?,
        "bits" => spec.bits = choice(key, value, &[("5", 5), ("6", 6), ("7", 7), ("8", 8)])?,
        "stop" => spec.stop = choice(key, value, &[("1", 1), ("2", 2)])?,
        "parity" => spec.parity = parity(value)?,
        "flow" => {
            spec.flow =
                choice(key, value, &[("none", Flow::None), ("hard", Flow::Hardware), ("soft", Flow::Software)])?;
        }
        "dtr" => spec.dtr = line(key, value)?,
        "rts" => spec.rts = line(key, value)?,
        "exclusive" => spec.exclusive = choice(key, value, &[("on", true), ("off", false)])?,
        _ => {
            let near = nearest(key, SERIAL_KEYS).map(|n| format!("; nearest: {n}")).unwrap_or_default();
            return bad(format!("serial: {key}: unknown setting{near}. Known: {}", SERIAL_KEYS.join(" ")));
        }
    }
    Ok(())
}

/// A rate in bits per second: `921600`, `500kHz` or `1.5MHz`. 0 is refused, as it would hang up the line.
pub fn line_rate(text: &str) -> Option<u32> {
    let number = text.strip_suffix("Hz").unwrap_or(text);
    let thousands = number.strip_suffix('k').map(|number| (number, 3));
    let millions = || number.strip_suffix('M').map(|number| (number, 6));
    let (number, digits) = thousands.or_else(millions).unwrap_or((number, 0));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || number.ends_with('.') || part.len() > digits {
        return None;
    }
    let is_number = whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit());
    format!("{whole}{part:0<digits$}").parse().ok().filter(|rate| is_number && *rate > 0)
}

pub(super) fn baud(value: &str) -> Result<u32, String> {
    let wrong = || format!("baud={value}: must be a whole number, 1 and up, as in baud=921600 or baud=1MHz");
    line_rate(value).ok_or_else(wrong)
}

fn set_format(spec: &mut SerialSpec, value: &str) -> Result<(), String> {
    let chars: Vec<char> = value.chars().collect();
    let [bits, par, stop] = chars.as_slice() else {
        return bad(format!("format={value}: must be data bits, parity, stop bits, as in 8N1 or 7E2"));
    };
    set_serial(spec, "bits", &bits.to_string())?;
    spec.parity = parity(&par.to_string())?;
    set_serial(spec, "stop", &stop.to_string())
}

fn parity(value: &str) -> Result<Parity, String> {
    let short = value.to_ascii_lowercase();
    let word = match short.as_str() {
        "n" => "none",
        "o" => "odd",
        "e" => "even",
        other => other,
    };
    choice("parity", word, &[("none", Parity::None), ("odd", Parity::Odd), ("even", Parity::Even)])
}

fn line(key: &str, value: &str) -> Result<Option<bool>, String> {
    choice(key, value, &[("on", Some(true)), ("off", Some(false)), ("keep", None)])
}

fn choice<T: Copy>(key: &str, value: &str, choices: &[(&str, T)]) -> Result<T, String> {
    if let Some((_, chosen)) = choices.iter().find(|(name, _)| *name == value) {
        return Ok(*chosen);
    }
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    bad(format!("{key}={value}: must be one of {}", names.join(" ")))
}

#[derive(Debug, Clone)]
pub struct LinkOptions {
    /// For scripts: no reconnecting. A missing device is an error, a lost connection ends the link.
    pub once: bool,
    /// Keep reading a file as it grows, even after it was truncated or replaced.
    pub follow: bool,
    /// Report when a file that is not followed changes after it was read, because its rows are still viewed.
    pub watch: bool,
    /// Bytes that a file, pipe or TCP source may be ahead of its decoder; `None` = unlimited (nothing decodes).
    /// Serial ports and UDP are never throttled. Default 64 MB.
    pub throttle: Option<u64>,
    /// Maximum number of active UDP senders, each with its own stream. Default 16.
    pub peers: usize,
    /// Silence after which the stream of a UDP sender may end to make room for another one. Default 10 s.
    pub makes_room_after: Duration,
    /// A UDP sender gets a stream once it has sent a frame; `None` = with its first datagram.
    pub frames: Option<FrameTest>,
    /// Encoding of files, pipes and stdin as text; `None` = raw bytes.
    pub input: Option<TextForm>,
    /// How files, pipes and stdin were altered in transit; `None` = not at all.
    pub undo: Option<Undo>,
    pub log: LogOptions,
    /// State of DTR when a serial port is opened whose name leaves it open; `None` leaves it to the driver.
    pub dtr: Option<bool>,
    /// State of RTS, as for `dtr`.
    pub rts: Option<bool>,
    /// Lock serial ports against other programs, unless their names say otherwise.
    pub exclusive: bool,
}

impl LinkOptions {
    /// Sets what the name of a serial port leaves open.
    pub(super) fn complete(&self, serial: &mut SerialSpec) {
        serial.dtr = serial.dtr.or(self.dtr);
        serial.rts = serial.rts.or(self.rts);
        serial.exclusive &= self.exclusive;
    }

    pub(crate) fn is_converted(&self) -> bool {
        self.input.is_some() || self.undo.is_some()
    }
}

impl Default for LinkOptions {
    fn default() -> Self {
        LinkOptions {
            once: false,
            follow: false,
            watch: false,
            throttle: Some(64_000_000),
            peers: 16,
            makes_room_after: Duration::from_secs(10),
            frames: None,
            input: None,
            undo: None,
            log: LogOptions::default(),
            dtr: None,
            rts: None,
            exclusive: true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// Each LF became CR LF.
    CrLf,
    /// Each byte from 0x80 became two: the UTF-8 encoding of the character with that number.
    Utf8,
}

type Test = dyn Fn(&[u8]) -> bool + Send + Sync;

/// Checks bytes for frames of the protocol, more than noise contains by chance.
#[derive(Clone)]
pub struct FrameTest(pub Arc<Test>);

impl fmt::Debug for FrameTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FrameTest")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<LinkSpec, String> {
        LinkSpec::parse_with(text, |name| name == "core@0" || name == "tcp:odd")
    }

    fn kind(text: &str) -> LinkKind {
        parse(text).unwrap().kind
    }

    #[test]
    fn line_rates_have_units() {
        let rates = ["115200", "500kHz", "1MHz", "1.5MHz", "921.6k", "3M", "50Hz"].map(line_rate);
        assert_eq!(rates, [115_200, 500_000, 1_000_000, 1_500_000, 921_600, 3_000_000, 50].map(Some));
        for wrong in ["", "0", "0MHz", "MHz", "1.MHz", ".5MHz", "1.5", "1mHz", "+1", "1e6", "9999M", "1.2345k"] {
            assert_eq!(line_rate(wrong), None, "{wrong}");
        }
        let LinkKind::Serial(serial) = kind("serial:/dev/ttyUSB0?baud=1MHz") else { panic!("not a serial port") };
        assert_eq!(serial.baud, 1_000_000);
    }

    #[test]
    fn the_documented_forms() {
        assert_eq!(kind("trace.bin"), LinkKind::Path("trace.bin".into()));
        assert_eq!(kind("-"), LinkKind::Stdin);
        assert_eq!(kind("tcp:10.0.0.7:6602"), LinkKind::Tcp(Address::new("10.0.0.7", 6602)));
        assert_eq!(kind("tcp:[::1]:6602"), LinkKind::Tcp(Address::new("::1", 6602)));
        assert_eq!(kind("listen:9000"), LinkKind::Listen(Address::new("127.0.0.1", 9000)));
        assert_eq!(kind("listen:0.0.0.0:9000"), LinkKind::Listen(Address::new("0.0.0.0", 9000)));
        assert_eq!(kind("unix:/run/qemu/serial"), LinkKind::Unix("/run/qemu/serial".into()));
        assert_eq!(parse("unix:vm.sock@1").unwrap().to_string(), "unix:vm.sock@1");
        assert_eq!(kind("udp:[::]:7"), LinkKind::Udp(Address::new("::", 7)));
        let LinkKind::Serial(serial) = kind("serial:/dev/ttyUSB0?baud=921600&parity=even&stop=2&dtr=off&flow=hard")
        else {
            panic!("not serial");
        };
        assert_eq!(
            (serial.baud, serial.format().as_str(), serial.dtr, serial.rts),
            (921_600, "8E2", Some(false), None)
        );
        assert_eq!(serial.bytes_per_second(921_600), 921_600 / 12);
    }

    #[test]
    fn a_core_stands_behind_the_last_at_unless_the_file_is_named_so() {
        let core = |text: &str| parse(text).map(|s| (s.to_string(), s.core)).unwrap();
        assert_eq!(core("a.bin@1"), ("a.bin@1".into(), Some(1)));
        assert_eq!(core("core@0"), ("core@0".into(), None));
        assert_eq!(kind("core@0"), LinkKind::Path("core@0".into()));
        assert_eq!((kind("core@0@1"), core("core@0@1").1), (LinkKind::Path("core@0".into()), Some(1)));
        assert_eq!(core("listen:9000@3"), ("listen:127.0.0.1:9000@3".into(), Some(3)));
        assert_eq!(kind("user@host"), LinkKind::Path("user@host".into()));
        assert!(parse("a@70000").unwrap_err().contains("0 to 65534"));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_need_not_be_utf_8() {
        let name = |bytes| OsStr::from_bytes(bytes);
        let spec = LinkSpec::parse(name(b"a\xff@b.bin")).unwrap();
        assert_eq!((spec.kind, spec.core), (LinkKind::Path(name(b"a\xff@b.bin").into()), None));
        let spec = LinkSpec::parse(name(b"\xff\xfe.bin@12")).unwrap();
        assert_eq!((spec.kind, spec.core), (LinkKind::Path(name(b"\xff\xfe.bin").into()), Some(12)));
    }

    #[test]
    fn errors_say_what_would_be_right() {
        let error = |text: &str| parse(text).unwrap_err();
        assert!(error("sreial:/dev/x").contains("nearest: serial:/dev/x"));
        assert!(error("serial:/dev/x?bud=1").contains("nearest: baud"));
        assert!(error("serial:/dev/x?baud=0").contains("1 and up"));
        assert!(error("serial:/dev/x?dtr=maybe").contains("on off keep"));
        assert!(error("serial:/dev/x?format=9N1").contains("5 6 7 8"));
        assert!(error("unix:").contains("which socket?"));
        assert!(error("tcp:6602").contains("HOST:PORT"));
        assert!(error("tcp:h:0").contains("port 0"));
        assert!(error("listen:http").contains("0 to 65535"));
        assert!(error("").contains("no link"));
        assert_eq!(kind("tcp:odd"), LinkKind::Path("tcp:odd".into()), "a file that exists wins");
        assert_eq!(kind("./tcp:h:1"), LinkKind::Path("./tcp:h:1".into()));
    }

    #[test]
    fn header_names_are_short() {
        let short = |text: &str| parse(text).unwrap().short();
        assert_eq!(short("serial:/dev/ttyUSB0"), "ttyUSB0 115200");
        assert_eq!(short("serial:/dev/ttyUSB0?format=7E1"), "ttyUSB0 115200 7E1");
        assert_eq!(short("listen:6602"), "listen :6602");
        assert_eq!(short("a/boiler_drops.bin"), "boiler_drops.bin");
    }

    proptest! {
        #[test]
        fn any_text_parses_or_says_why(text in ".{0,40}") {
            let _ = parse(&text);
        }

        #[test]
        fn the_text_of_a_link_reads_back(baud in 1u32.., bits in 5u8..9, stop in 1u8..3, p in 0usize..3, f in 0usize..3, d in 0usize..3,
                                         exclusive: bool, core in proptest::option::of(0u16..65535)) {
            let mut spec = SerialSpec::new("/dev/ttyACM0");
            (spec.baud, spec.bits, spec.stop, spec.exclusive) = (baud, bits, stop, exclusive);
            spec.parity = [Parity::None, Parity::Odd, Parity::Even][p];
            spec.flow = [Flow::None, Flow::Hardware, Flow::Software][f];
            spec.dtr = [Some(true), Some(false), None][d];
            let link = LinkSpec { kind: LinkKind::Serial(spec), core };
            prop_assert_eq!(parse(&link.to_string()).unwrap(), link);
        }
    }

    #[test]
    fn the_name_of_a_port_wins_over_defaults() {
        let defaults = LinkOptions { dtr: Some(false), rts: Some(true), exclusive: false, ..LinkOptions::default() };
        let completed = |options: &LinkOptions, name: &str| {
            let mut spec = serial(name).unwrap();
            options.complete(&mut spec);
            spec.to_string()
        };
        let full = completed(&defaults, "/dev/ttyUSB0");
        assert_eq!(full, "serial:/dev/ttyUSB0?baud=115200&dtr=off&rts=on&exclusive=off");
        assert_eq!(completed(&LinkOptions::default(), "/dev/ttyUSB0"), "serial:/dev/ttyUSB0?baud=115200");
        assert!(completed(&defaults, "/dev/ttyUSB0?dtr=on").contains("dtr=on"));
    }
}
