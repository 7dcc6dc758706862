//! Shared by the link tests: pseudo-terminals as ports, and waiting for a state.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each test file uses a part

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use spytui_engine::io::link::{Link, LinkEvent, LinkOptions, LinkSpec};
use spytui_engine::io::log::RawLog;

/// A pseudo-terminal: its master end is the board.
pub struct Board {
    pub master: OwnedFd,
    pub path: PathBuf,
}

impl Board {
    pub fn new() -> Board {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let path = PathBuf::from(ptsname(&master, Vec::new()).unwrap().to_str().unwrap());
        Board { master, path }
    }

    /// The other end in raw mode, kept open.
    pub fn raw_end(&self) -> OwnedFd {
        let end = rustix::fs::open(
            &self.path,
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY,
            rustix::fs::Mode::empty(),
        )
        .unwrap();
        let mut settings = tcgetattr(&end).unwrap();
        settings.make_raw();
        tcsetattr(&end, OptionalActions::Now, &settings).unwrap();
        end
    }

    pub fn send(&self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let n = rustix::io::write(&self.master, bytes).unwrap();
            bytes = &bytes[n..];
        }
    }

    pub fn receive(&self, len: usize) -> Vec<u8> {
        let mut all = Vec::new();
        let mut piece = [0; 4096];
        while all.len() < len {
            let n = rustix::io::read(&self.master, &mut piece).unwrap();
            all.extend_from_slice(&piece[..n]);
        }
        all
    }
}

pub fn open(text: &str, options: LinkOptions) -> Link {
    Link::open(LinkSpec::parse(text).unwrap(), options).unwrap()
}

pub fn once() -> LinkOptions {
    LinkOptions { once: true, ..LinkOptions::default() }
}

/// Waits for an effect of other threads; the time limit only ends a failed test.
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub fn bytes(log: &RawLog) -> Vec<u8> {
    let mut out = Vec::new();
    log.read_into(log.first(), usize::MAX / 2, &mut out).unwrap();
    out
}

/// Kinds and positions of the events, without time events.
pub fn events(log: &RawLog) -> Vec<(u16, u64)> {
    let all = log.events(0, u64::MAX);
    all.into_iter().filter(|m| m.kind != spytui_engine::io::log::kind::TIME).map(|m| (m.kind, m.pos)).collect()
}

/// Waits for a message that contains `part`.
pub fn note(link: &Link, part: &str) -> String {
    let mut seen = Vec::new();
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if let Ok(LinkEvent::Note(text)) = link.events.recv_timeout(Duration::from_millis(100)) {
            if text.contains(part) {
                return text;
            }
            seen.push(text);
        }
    }
    panic!("no message with {part:?}; there were {seen:?}");
}

pub fn symlink(to: &Path, at: &Path) {
    let _ = std::fs::remove_file(at);
    std::os::unix::fs::symlink(to, at).unwrap();
}
