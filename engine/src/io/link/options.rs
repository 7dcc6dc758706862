//! Link settings that are not part of its name.

use std::time::Duration;

use super::{
    spec::{LinkKind, LinkSpec, SerialSpec},
    strangers::FrameTest,
    undo::Undo,
};
use crate::io::{log::LogOptions, text::TextForm};

/// Settings of a link.
#[derive(Debug, Clone)]
pub struct LinkOptions {
    /// For scripts: no reconnecting. A missing device is an error, a lost connection is the end.
    pub once: bool,
    /// Keep reading a file as it grows, also after it was cut or replaced.
    pub follow: bool,
    /// Say when a file that is not followed changes after it was read: its rows are still looked at.
    pub watch: bool,
    /// Bytes that a file, pipe or TCP source may be ahead of its decoder; `None` = unlimited (nothing decodes).
    /// Serial ports and UDP are never throttled. Default 64 MB.
    pub throttle: Option<u64>,
    /// Maximum number of active UDP senders, each with a stream of its own. Default 16.
    pub peers: usize,
    /// Silence after which the stream of a UDP sender may end to make room for another one. Default 10 s.
    pub makes_room_after: Duration,
    /// A UDP sender gets a stream when it has sent a frame; `None`: with its first datagram.
    pub frames: Option<FrameTest>,
    /// Encoding of files, pipes and stdin as text; `None` = raw bytes.
    pub input: Option<TextForm>,
    /// What something did to the bytes of files, pipes and stdin; `None` = they are as they were sent.
    pub undo: Option<Undo>,
    /// Storage of the link's logs.
    pub log: LogOptions,
    /// What a serial port does that its name leaves open.
    pub serial: SerialDefaults,
}

/// What a serial port does that its name leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SerialDefaults {
    /// State of DTR when the port is opened; `None` leaves it to the driver.
    pub dtr: Option<bool>,
    /// The same of RTS.
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
    /// A port with what its name leaves open.
    pub(super) fn complete(self, mut serial: SerialSpec) -> SerialSpec {
        serial.dtr = serial.dtr.or(self.dtr);
        serial.rts = serial.rts.or(self.rts);
        serial.exclusive &= self.exclusive;
        serial
    }

    /// The same for a link, if it is a serial port.
    pub(super) fn complete_link(self, spec: LinkSpec) -> LinkSpec {
        match spec.kind {
            LinkKind::Serial(serial) => LinkSpec { kind: LinkKind::Serial(self.complete(serial)), ..spec },
            _ => spec,
        }
    }
}

impl LinkOptions {
    /// Whether the bytes of files, pipes and stdin stand for others.
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
}
