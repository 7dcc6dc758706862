//! Options of links, restoring of altered bytes, and which datagrams come from a target.

use std::{collections::HashMap, fmt, net::SocketAddr, sync::Arc, time::Duration};

use super::spec::{LinkKind, LinkSpec, SerialSpec};
use crate::io::{log::LogOptions, text::TextForm};

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
    /// Serial settings that the port's name leaves open.
    pub serial: SerialDefaults,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SerialDefaults {
    /// State of DTR when the port is opened; `None` leaves it to the driver.
    pub dtr: Option<bool>,
    pub rts: Option<bool>,
    /// Lock the port against other programs.
    pub exclusive: bool,
}

impl Default for SerialDefaults {
    fn default() -> Self {
        SerialDefaults { dtr: None, rts: None, exclusive: true }
    }
}

impl SerialDefaults {
    pub(super) fn complete(self, mut serial: SerialSpec) -> SerialSpec {
        serial.dtr = serial.dtr.or(self.dtr);
        serial.rts = serial.rts.or(self.rts);
        serial.exclusive &= self.exclusive;
        serial
    }

    /// [`Self::complete`] for a link, if it is a serial port.
    pub(super) fn complete_link(self, spec: LinkSpec) -> LinkSpec {
        match spec.kind {
            LinkKind::Serial(serial) => LinkSpec { kind: LinkKind::Serial(self.complete(serial)), ..spec },
            _ => spec,
        }
    }
}

impl LinkOptions {
    pub(super) fn is_converted(&self) -> bool {
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
            serial: SerialDefaults::default(),
        }
    }
}

/// Bytes kept per sender: enough for a frame spread over several datagrams.
const KEPT: usize = 16 << 10;
/// Maximum number of senders kept.
const MOST: usize = 64;

type Test = dyn Fn(&[u8]) -> bool + Send + Sync;

/// Checks bytes for frames of the protocol, more than noise contains by chance.
#[derive(Clone)]
pub struct FrameTest(Arc<Test>);

impl FrameTest {
    pub fn new(test: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> FrameTest {
        FrameTest(Arc::new(test))
    }

    fn has_frame(&self, bytes: &[u8]) -> bool {
        (self.0)(bytes)
    }
}

impl fmt::Debug for FrameTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FrameTest")
    }
}

/// Senders without a frame so far, with their latest datagrams.
#[derive(Debug)]
pub(super) struct Strangers {
    /// `None`: every datagram counts as a frame.
    test: Option<FrameTest>,
    kept: HashMap<SocketAddr, Datagrams>,
}

#[derive(Debug, Default)]
struct Datagrams {
    list: Vec<Vec<u8>>,
    bytes: usize,
}

impl Strangers {
    pub(super) fn new(test: Option<FrameTest>) -> Strangers {
        Strangers { test, kept: HashMap::new() }
    }

    /// The datagrams that begin the stream of this sender: this one if it contains a frame, preceded by earlier ones if
    /// they form a frame together. `None` without a frame.
    pub(super) fn first_with_frame(&mut self, from: SocketAddr, datagram: &[u8]) -> Option<Vec<Vec<u8>>> {
        let Some(test) = self.test.as_ref().filter(|test| !test.has_frame(datagram)) else {
            self.kept.remove(&from);
            return Some(vec![datagram.to_vec()]);
        };
        if self.kept.len() >= MOST && !self.kept.contains_key(&from) {
            self.kept.clear();
        }
        let kept = self.kept.entry(from).or_default();
        if kept.bytes + datagram.len() > KEPT {
            *kept = Datagrams::default();
        }
        kept.bytes += datagram.len();
        kept.list.push(datagram.to_vec());
        // Rarely for a sender of much noise.
        let due = kept.list.len() > 1 && (kept.list.len() <= 8 || kept.list.len().is_power_of_two());
        if due && test.has_frame(&kept.list.concat()) { self.kept.remove(&from).map(|kept| kept.list) } else { None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// Each LF became CR LF.
    CrLf,
    /// Each byte from 0x80 became two: the UTF-8 encoding of the character with that number.
    Utf8,
}

#[derive(Debug)]
pub struct Restorer {
    undo: Undo,
    /// A byte whose meaning depends on the next one.
    held: Option<u8>,
    taken: u64,
}

impl Restorer {
    pub fn new(undo: Undo) -> Restorer {
        Restorer { undo, held: None, taken: 0 }
    }

    /// Restores `bytes` and appends them to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        for &byte in bytes {
            match (self.undo, self.held.take()) {
                (Undo::CrLf, None) if byte == b'\r' => self.held = Some(byte),
                (Undo::CrLf, Some(before)) if byte != b'\n' => {
                    out.push(before);
                    match byte {
                        b'\r' => self.held = Some(byte),
                        _ => out.push(byte),
                    }
                }
                (Undo::CrLf, _) => out.push(byte),
                (Undo::Utf8, None) if matches!(byte, 0xC2 | 0xC3) => self.held = Some(byte),
                (Undo::Utf8, None) if byte < 0x80 => out.push(byte),
                (Undo::Utf8, Some(first)) if matches!(byte, 0x80..=0xBF) => out.push(first << 6 | byte & 0x3F),
                (Undo::Utf8, _) => {
                    let at = self.taken;
                    return Err(format!(
                        "byte 0x{byte:02X} at @{at:#x} is not part of a byte encoded as UTF-8; try without --undo utf8"
                    ));
                }
            }
            self.taken += 1;
        }
        Ok(())
    }

    pub fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend(self.held.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_port_wins_over_defaults() {
        let defaults = SerialDefaults { dtr: Some(false), rts: Some(true), exclusive: false };
        let plain = LinkSpec::of_scheme("serial", "/dev/ttyUSB0").unwrap();
        let full = defaults.complete_link(plain.clone()).to_string();
        assert_eq!(full, "serial:/dev/ttyUSB0?baud=115200&dtr=off&rts=on&exclusive=off");
        assert_eq!(SerialDefaults::default().complete_link(plain.clone()), plain);
        let named = LinkSpec::of_scheme("serial", "/dev/ttyUSB0?dtr=on").unwrap();
        assert!(defaults.complete_link(named).to_string().contains("dtr=on"));
    }

    fn strangers() -> Strangers {
        Strangers::new(Some(FrameTest::new(|bytes| bytes.windows(3).any(|w| w == b"<f>"))))
    }

    fn from(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    #[test]
    fn a_stream_begins_with_the_datagram_in_which_a_frame_is_seen() {
        let mut all = strangers();
        assert_eq!(all.first_with_frame(from(1), b"noise"), None);
        assert_eq!(all.first_with_frame(from(1), b"x<f>y"), Some(vec![b"x<f>y".to_vec()]));
        assert_eq!(Strangers::new(None).first_with_frame(from(1), b"any"), Some(vec![b"any".to_vec()]));
    }

    #[test]
    fn a_frame_may_be_spread_over_datagrams_of_one_sender() {
        let mut all = strangers();
        assert_eq!(all.first_with_frame(from(1), b"<"), None);
        assert_eq!(all.first_with_frame(from(2), b"f>"), None);
        assert_eq!(all.first_with_frame(from(1), b"f>"), Some(vec![b"<".to_vec(), b"f>".to_vec()]));
    }

    #[test]
    fn noise_takes_little_memory() {
        let mut all = strangers();
        for n in 0..10_000 {
            assert_eq!(all.first_with_frame(from(n % 1000), &[0; 1000]), None);
        }
        assert!(all.kept.len() <= MOST && all.kept.values().all(|kept| kept.bytes <= KEPT));
    }

    fn restored(undo: Undo, bytes: &[u8], size: usize) -> Result<Vec<u8>, String> {
        let (mut restorer, mut out) = (Restorer::new(undo), Vec::new());
        bytes.chunks(size).try_for_each(|piece| restorer.feed(piece, &mut out))?;
        restorer.finish(&mut out);
        Ok(out)
    }

    #[test]
    fn every_sequence_of_bytes_comes_back() {
        let all: Vec<u8> = (0..=255).flat_map(|byte| [byte, b'\r', b'\n', 255 - byte, b'\r', b'\r']).collect();
        let with_cr: Vec<u8> =
            all.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
        let utf8: Vec<u8> = all.iter().map(|&b| char::from(b)).collect::<String>().into_bytes();
        for size in [1, 3, usize::MAX] {
            assert_eq!(restored(Undo::CrLf, &with_cr, size).as_deref(), Ok(&all[..]));
            assert_eq!(restored(Undo::Utf8, &utf8, size).as_deref(), Ok(&all[..]));
        }
    }

    #[test]
    fn bytes_that_are_not_of_utf8_are_an_error_with_their_place() {
        let error = restored(Undo::Utf8, b"ab\xC3\xA9\xE9", 2).unwrap_err();
        assert_eq!(error, "byte 0xE9 at @0x4 is not part of a byte encoded as UTF-8; try without --undo utf8");
    }
}
