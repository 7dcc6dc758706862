//! Links to targets inside this program.
#![allow(clippy::unwrap_used)]

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use std::time::{Duration, Instant};

use crate::common::{bytes, events, until};
use spytui_engine::io::link::{InProcessTarget, Link, LinkOptions, LinkState, WriteError};
use spytui_engine::io::log::kind::{END, LINK_UP, START};

/// Sends a byte at its start, and then echoes.
struct Echo {
    takes: bool,
    steps: Arc<AtomicUsize>,
    sleeps: Arc<AtomicBool>,
    sent: Vec<u8>,
}

impl Echo {
    fn new(takes: bool) -> Echo {
        Echo { takes, steps: Arc::default(), sleeps: Arc::default(), sent: vec![b'*'] }
    }
}

impl InProcessTarget for Echo {
    fn up_text(&self) -> String {
        "echo".to_owned()
    }

    fn step(&mut self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
        if self.sleeps.swap(false, Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1500));
        }
    }

    fn read(&mut self, to: &mut Vec<u8>) {
        to.append(&mut self.sent);
    }

    fn can_feed(&self) -> bool {
        self.takes
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.sent.extend_from_slice(bytes);
    }
}

#[test]
fn both_directions_are_connected() {
    let mut link = Link::run("echo", Box::new(Echo::new(true)), LinkOptions::default()).unwrap();
    let log = link.sources()[0].log.clone();
    until("its first byte", || log.len() == 1);
    assert_eq!((link.state(), link.sender(0).is_some(), link.is_live()), (LinkState::Live, true, true));
    link.sender(0).unwrap().write(b"one").unwrap();
    link.sender(0).unwrap().write(b"two").unwrap();
    until("the answers", || log.len() == 7);
    assert_eq!((link.counters().sent, link.counters().bytes), (6, 7));
    link.stop();
    assert_eq!((bytes(&log), link.state()), (b"*onetwo".to_vec(), LinkState::Ended));
    let kinds: Vec<u16> = events(&log).iter().map(|event| event.0).collect();
    assert_eq!(kinds, [START, LINK_UP, END]);
    assert_eq!(link.sender(0).unwrap().write(b"x"), Err(WriteError::NoLink));
}

#[test]
fn a_target_may_only_send() {
    let link = Link::run("mute", Box::new(Echo::new(false)), LinkOptions::default()).unwrap();
    let log = link.sources()[0].log.clone();
    until("its first byte", || log.len() == 1);
    assert_eq!((link.sender(0).is_some(), link.is_live(), link.spec().short()), (false, true, "mute".to_owned()));
}

#[test]
fn its_time_is_ours_but_after_a_long_pause_it_does_not_catch_up() {
    let target = Echo::new(true);
    let (steps, sleeps) = (target.steps.clone(), target.sleeps.clone());
    let link = Link::run("echo", Box::new(target), LinkOptions::default()).unwrap();
    let start = Instant::now();
    until("steps", || steps.load(Ordering::Relaxed) >= 20);
    assert!(start.elapsed() >= Duration::from_millis(150), "{:?}", start.elapsed());
    sleeps.store(true, Ordering::Relaxed);
    until("the pause", || !sleeps.load(Ordering::Relaxed));
    let (before, start) = (steps.load(Ordering::Relaxed), Instant::now());
    until("more steps", || steps.load(Ordering::Relaxed) >= before + 20);
    // The whole pause would be 150 steps at once.
    assert!(start.elapsed() >= Duration::from_millis(1600), "{:?}", start.elapsed());
    drop(link);
}
