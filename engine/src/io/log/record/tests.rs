//! Recordings are complete, and report what is missing.

use std::fs::File;
use std::time::Duration;

use super::*;
use crate::io::log::{LogOptions, kind, meta};

struct Meta {
    head: MetaHead,
    events: Vec<LogEvent>,
    skipped: u64,
}

fn read_meta(path: &Path) -> Meta {
    let mut events = Vec::new();
    let found = meta::read_meta(&std::fs::read(path).unwrap()[..], |event| events.push(event));
    let (head, skipped) = found.unwrap().unwrap();
    Meta { head, events, skipped }
}

fn work(log: &Arc<RawLog>, files: Files) -> RecordThread {
    let state = Arc::new(Mutex::new(RecordState::new("x.bin".into(), 0)));
    RecordThread::new(log.clone(), files, state, MetaHead::default(), None)
}

fn until(done: impl Fn() -> bool) {
    for _ in 0..2000 {
        if done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the state did not come");
}

#[test]
fn all_so_far_and_then_on_is_recorded_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let log = RawLog::new(&LogOptions::default());
    log.append(b"before ", 5_000_000);
    let head = MetaHead { link: "tcp:a:1".into(), decoder: "qs".into(), ..MetaHead::default() };
    let mut recorder = Recorder::start(log.clone(), &dir.path().join("run"), head, None).unwrap();
    log.add_event(kind::LINK_DOWN, 0, b"unplugged", 6_000_000);
    log.add_event(kind::SENT, 0, &[0x7e, 0], 7_000_000);
    log.append(b"after", 8_000_000);
    let state = recorder.stop();
    assert_eq!((state.bytes, &state.phase), (12, &RecordPhase::Stopped));
    assert_eq!(std::fs::read(dir.path().join("run.bin")).unwrap(), b"before after");
    let meta = read_meta(&dir.path().join("run.meta"));
    assert_eq!((meta.head.link.as_str(), meta.head.start_ns, meta.skipped), ("tcp:a:1", 5_000_000, 0));
    let mut events = Vec::new();
    log.all_events_from(0, 12, &mut events);
    assert_eq!(meta.events, events);
}

#[test]
fn it_never_overwrites() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.bin");
    std::fs::write(&path, b"precious").unwrap();
    let log = RawLog::new(&LogOptions::default());
    let error = Recorder::start(log.clone(), &path, MetaHead::default(), None).unwrap_err();
    assert!(error.to_string().contains("run.bin exists already"), "{error}");
    let other = dir.path().join("other");
    std::fs::write(dir.path().join("other.meta"), b"precious").unwrap();
    let error = Recorder::start(log, &other, MetaHead::default(), None).unwrap_err();
    assert!(error.to_string().contains("other.meta exists already"), "{error}");
    assert!(!dir.path().join("other.bin").exists(), "no half of a recording stays behind");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn a_full_disk_ends_the_recording_not_the_receiving() {
    let log = RawLog::new(&LogOptions::default());
    let full = File::options().write(true).open("/dev/full").unwrap();
    let meta = tempfile::NamedTempFile::new().unwrap();
    let paths = ["/dev/full".into(), meta.path().to_owned()];
    let files = Files { bin: full, meta: meta.reopen().unwrap(), paths };
    let recorder = Recorder::run(work(&log, files));
    log.append(b"bytes", 1);
    until(|| recorder.state().phase != RecordPhase::Recording);
    let state = recorder.state();
    let failure = state.failure().unwrap();
    let text = "Recording stopped at 0 B: disk full. The newest 64 MB stay in memory; :record PATH elsewhere.";
    assert_eq!(failure.on_screen(), text);
    assert_eq!(failure.to_string(), "Recording stopped at 0 B: disk full.");
    log.append(b"more", 2);
    assert_eq!((log.len(), log.lost()), (9, 0));
}

#[test]
fn a_recording_whose_files_go_away_fails() {
    type Loss = fn(&Path);
    let losses: [(Loss, &str); 6] = [
        (|dir| std::fs::remove_file(dir.join("a.bin")).unwrap(), "a.bin was removed or moved."),
        (|dir| std::fs::remove_file(dir.join("a.meta")).unwrap(), "a.meta was removed or moved."),
        (|dir| std::fs::rename(dir, dir.with_extension("old")).unwrap(), "a.bin was removed or moved."),
        (|dir| std::fs::remove_dir_all(dir).and_then(|()| std::fs::write(dir, b"")).unwrap(), "removed or moved."),
        (|dir| std::fs::rename(dir.join("a.meta"), dir.join("a.bin")).unwrap(), "a.bin was replaced."),
        (|dir| drop(File::create(dir.join("a.bin")).unwrap()), "a.bin was cut short by another program."),
    ];
    for (lose, says) in losses {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("runs");
        std::fs::create_dir(&dir).unwrap();
        let log = RawLog::new(&LogOptions::default());
        log.append(b"bytes", 1);
        let mut recorder = Recorder::start(log.clone(), &dir.join("a"), MetaHead::default(), None).unwrap();
        until(|| recorder.state().bytes == 5);
        lose(&dir);
        // Noticed even while no bytes arrive.
        until(|| recorder.state().phase != RecordPhase::Recording);
        let text = recorder.stop().failure().unwrap().to_string();
        assert!(text.starts_with("Recording stopped at 5 B: ") && text.ends_with(says), "{text}");
    }
}

#[test]
fn a_file_that_goes_away_just_before_the_end_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let log = RawLog::new(&LogOptions::default());
    let mut recorder = Recorder::start(log, &dir.path().join("a"), MetaHead::default(), None).unwrap();
    std::fs::remove_file(dir.path().join("a.bin")).unwrap();
    assert!(recorder.stop().failure().is_some());
}

#[test]
fn the_end_of_the_input_ends_the_recording() {
    let dir = tempfile::tempdir().unwrap();
    let log = RawLog::new(&LogOptions::default());
    let recorder = Recorder::start(log.clone(), &dir.path().join("a.bin"), MetaHead::default(), None).unwrap();
    log.append(&[7; 300_000], 1);
    log.end(2);
    until(|| recorder.state().phase == RecordPhase::Stopped);
    assert_eq!(recorder.state().bytes, 300_000);
    let meta = read_meta(&dir.path().join("a.meta"));
    assert_eq!(meta.events.last().map(|m| (m.kind, m.pos)), Some((kind::END, 300_000)));
}

#[test]
fn bytes_that_were_gone_before_are_said_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let log = RawLog::new(&LogOptions { memory: 1 << 20, spool: None });
    log.append(&vec![1; 3 << 20], 1);
    until(|| log.first() == 2 << 20);
    let mut recorder = Recorder::start(log, &dir.path().join("a"), MetaHead::default(), None).unwrap();
    assert_eq!(recorder.stop().bytes, 1 << 20);
    let meta = read_meta(&dir.path().join("a.meta"));
    assert_eq!((meta.head.first, meta.events.iter().all(|m| m.pos == 0)), (2 << 20, true));
    let loss = meta.events.iter().find(|m| m.kind == kind::HOST_LOSS).unwrap();
    assert_eq!(loss.arg, 2 << 20);
}

#[test]
fn bytes_that_go_while_the_disk_lags_are_said_in_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let log = RawLog::new(&LogOptions { memory: 1 << 20, spool: None });
    let create = |name: &str| File::create(dir.path().join(name)).unwrap();
    let paths = ["a.bin", "a.meta"].map(|name| dir.path().join(name));
    let files = Files { bin: create("a.bin"), meta: create("a.meta"), paths };
    let mut work = work(&log, files);
    work.begin().map_err(|_| "disk").unwrap();
    log.append(b"0123456789", 1);
    work.catch_up().map_err(|_| "disk").unwrap();
    log.append(&vec![1; 4 << 20], 2_000_000);
    until(|| log.first() == 3 << 20);
    log.add_event(kind::LINK_DOWN, 0, b"", 3);
    work.catch_up().map_err(|_| "disk").unwrap();

    let kept = (1 << 20) + 10;
    assert_eq!(work.bytes, 10 + kept);
    assert_eq!(dir.path().join("a.bin").metadata().unwrap().len(), work.bytes);
    let events = read_meta(&dir.path().join("a.meta")).events;
    let loss = events.iter().find(|m| m.kind == kind::HOST_LOSS).unwrap();
    assert_eq!((loss.pos, loss.arg), (10, (3 << 20) - 10));
    assert_eq!(events.last().map(|m| (m.kind, m.pos)), Some((kind::LINK_DOWN, work.bytes)));
}

#[test]
fn a_rotated_recording_is_the_whole_in_files_that_stand_for_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    std::fs::write(path("run.3.bin"), b"precious").unwrap();
    let log = RawLog::new(&LogOptions::default());
    let bytes: Vec<u8> = (0..2_500_u32).map(|n| n as u8).collect();
    log.add_event(kind::OPTIONS, 0, b"signal=2", 1_000_000);
    log.append(&bytes[..100], 2_000_000);
    let head = MetaHead { decoder: "qs".into(), ..MetaHead::default() };
    let rotation = Some(Rotation { size: Some(1_000), time: None });
    let mut recorder = Recorder::start(log.clone(), &path("run"), head, rotation).unwrap();
    log.append(&bytes[100..], 4_000_000);
    let state = recorder.stop();
    assert_eq!((state.bytes, state.files, &state.phase), (2_500, 3, &RecordPhase::Stopped));
    assert!(state.names().ends_with("run.bin and 2 more"), "{}", state.names());
    let mut whole = Vec::new();
    for (name, first) in [("run", 0), ("run.2", 1_000), ("run.4", 2_000)] {
        let part = std::fs::read(path(&format!("{name}.bin"))).unwrap();
        assert!(part.len() <= 1_000);
        whole.extend(part);
        let meta = read_meta(&path(&format!("{name}.meta")));
        assert_eq!((meta.head.decoder.as_str(), meta.head.first), ("qs", first), "{name}");
        let lasting = |m: &&crate::io::log::LogEvent| matches!(m.kind, kind::START | kind::OPTIONS);
        let lasting: Vec<_> = meta.events.iter().filter(lasting).map(|m| (m.kind, m.pos)).collect();
        assert_eq!(lasting, [(kind::START, 0), (kind::OPTIONS, 0)], "{name}");
    }
    assert_eq!(whole, bytes);
    assert_eq!(std::fs::read(path("run.3.bin")).unwrap(), b"precious");
}

#[test]
fn a_recording_rotates_by_time() {
    let dir = tempfile::tempdir().unwrap();
    let log = RawLog::new(&LogOptions::default());
    let rotation = Some(Rotation { size: None, time: Some(Duration::from_millis(1)) });
    let path = dir.path().join("run");
    let mut recorder = Recorder::start(log.clone(), &path, MetaHead::default(), rotation).unwrap();
    for n in 1..=3 {
        log.append(&[n], u64::from(n));
        until(|| recorder.state().bytes == u64::from(n));
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(recorder.stop().files, 3);
    assert_eq!(std::fs::read(dir.path().join("run.3.bin")).unwrap(), [3]);
}
