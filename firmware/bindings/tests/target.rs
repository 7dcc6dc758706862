//! The target as its users see it. If it could not be built, there is nothing to test.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use spytui_demo_target::{AVAILABLE, FaultError, Faults, Proto, Target};

fn skipped() -> bool {
    if !AVAILABLE {
        eprintln!("skipped: there is no C compiler");
    }
    !AVAILABLE
}

/// What a target sends in a number of seconds, and the rest after it is halted.
fn bytes_of(target: &mut Target, seconds: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    target.read(&mut bytes);
    for _ in 0..seconds * 100 {
        target.step();
        target.read(&mut bytes);
    }
    target.halt();
    target.step();
    target.read(&mut bytes);
    bytes
}

#[test]
fn it_sends_what_the_boards_send() {
    if skipped() {
        return;
    }
    for proto in Proto::ALL {
        let path = format!("{}/../tests/captures/demo.{}", env!("CARGO_MANIFEST_DIR"), proto.name());
        let mut target = Target::new(proto, &Faults::default(), 1).unwrap();
        assert!(bytes_of(&mut target, 70) == std::fs::read(path).unwrap(), "{proto:?}");
    }
}

#[test]
fn targets_do_not_disturb_each_other() {
    if skipped() {
        return;
    }
    let faults =
        Faults::parse("flip=500,loss=500,noise=500,dup=500,burst=40,reset-every=3,garbage=100,seed=7").unwrap();
    let alone = bytes_of(&mut Target::new(Proto::Rkh, &faults, 3).unwrap(), 10);
    let mut several: Vec<Target> = (1..4).map(|seed| Target::new(Proto::Rkh, &faults, seed).unwrap()).collect();
    let mut third = Vec::new();
    several[2].read(&mut third);
    for _ in 0..1000 {
        let mut other = Vec::new();
        several.iter_mut().for_each(Target::step);
        several[0].read(&mut other);
        several[2].read(&mut third);
    }
    assert!(alone.starts_with(&third) && third.len() > 1000);
}

#[test]
fn it_writes_down_what_the_faults_did() {
    if skipped() {
        return;
    }
    let mut clean = Target::new(Proto::Qs, &Faults::default(), 1).unwrap();
    let sent = bytes_of(&mut clean, 10).len() as u64;
    let totals = clean.totals();
    assert_eq!((totals.bytes_in, totals.bytes_out, totals.damaged, totals.dropped), (sent, sent, 0, 0));
    let faults = Faults::parse("flip=1000,noise=1000,garbage=50,reset-every=4,burst=2000,seed=5").unwrap();
    let mut target = Target::new(Proto::Qs, &faults, 1).unwrap();
    let sent = bytes_of(&mut target, 10).len() as u64;
    let totals = target.totals();
    assert_eq!((totals.bytes_out, totals.garbage, totals.resets), (sent, 50, 2));
    assert_eq!(totals.bytes_out, totals.bytes_in + totals.noises + totals.garbage);
    assert!(totals.flips > 0 && totals.damaged > 0 && totals.dropped > 1000, "{totals:?}");
}

#[test]
fn a_slow_link_carries_what_its_rate_is() {
    if skipped() {
        return;
    }
    let faults = Faults::parse("link-rate=100").unwrap();
    let mut target = Target::new(Proto::Qs, &faults, 1).unwrap();
    let mut bytes = Vec::new();
    for _ in 0..1000 {
        target.step();
        target.read(&mut bytes);
    }
    assert!((900..=1100).contains(&bytes.len()), "{} bytes in 10 s", bytes.len());
}

#[test]
fn it_answers_the_host() {
    if skipped() {
        return;
    }
    let mut target = Target::new(Proto::Qs, &Faults::default(), 1).unwrap();
    let mut bytes = Vec::new();
    target.read(&mut bytes);
    bytes.clear();
    // A request for the target info: sequence number 1, command 0, checksum.
    target.feed(&[0x01, 0x00, 0xFE, 0x7E]);
    target.read(&mut bytes);
    // Target info is record 64; a status record precedes it.
    assert!(bytes.split(|&byte| byte == 0x7E).any(|frame| frame.get(1) == Some(&64)), "{bytes:02x?}");
}

#[test]
fn what_is_wrong_with_faults_is_reported() {
    if skipped() {
        assert_eq!(Faults::parse("flip=1"), Err(FaultError::NoTarget));
        return;
    }
    let all = "flip=200,loss=1,noise=2,dup=3,burst=40,link-rate=2000,reset-every=60,garbage=100,seed=7";
    let faults = Faults::parse(all).unwrap();
    let expected = Faults {
        flip: 200,
        loss: 1,
        noise: 2,
        dup: 3,
        burst: 40,
        link_rate: 2000,
        reset_every: 60,
        garbage: 100,
        seed: 7,
    };
    assert_eq!(faults, expected);
    assert_eq!(Faults::parse(""), Ok(Faults::default()));
    for (text, error) in [
        ("flip=1,flop=2", "flop=2: no such fault"),
        ("flip=1,,loss=2", ": no such fault"),
        ("loss", "loss: loss must be a number from 0 to 1000000"),
        ("dup=1,flip=1000001", "flip=1000001: flip must be a number from 0 to 1000000"),
        ("seed=4294967296", "seed=4294967296: seed must be a number from 0 to 4294967295"),
        ("burst=-1", "burst=-1: burst must be a number from 0 to 1000000"),
        ("burst=1 ", "burst=1 : burst must be a number from 0 to 1000000"),
        ("flip=1,lo\0ss=2", "lo\0ss=2: no such fault"),
        ("ä=1", "ä=1: no such fault"),
    ] {
        assert_eq!(Faults::parse(text).unwrap_err().to_string(), error);
    }
}
