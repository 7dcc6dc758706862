//! What the page of an incident says, compared with what the target did.

use std::{fs, path::PathBuf, process::Command};

use serde_json::Value;
use spytui_decoder_harness::encode::tband::Stream as Tband;
use spytui_demo_target::{AVAILABLE, Faults, Proto, QNX_FORMATS, Target};

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("incident");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Seventy seconds of the boiler, with the incident and the reset that follows.
fn boiler(proto: Proto) -> Vec<u8> {
    let mut target = Target::new(proto, &Faults::default(), 1).unwrap();
    let mut bytes = Vec::new();
    for _ in 0..7_000 {
        target.step();
        target.read(&mut bytes);
    }
    bytes
}

/// Output and exit code of `spytui stats --incident`.
fn printed(proto: &str, args: &[&str], path: &PathBuf) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    command.env_remove("SPYTUI_WRITE_DOCS").args(["stats", "--incident", "--proto", proto]).args(args).arg(path);
    let output = command.output().unwrap();
    let text = if output.status.success() { output.stdout } else { output.stderr };
    (String::from_utf8(text).unwrap(), output.status.code())
}

/// The lines of an incident: part, then what it says; uncertain ones begin with `~`.
fn lines(proto: &str, args: &[&str], path: &PathBuf) -> Vec<String> {
    let (text, _) = printed(proto, &[&["--format", "json"], args].concat(), path);
    let json: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let text = |line: &Value| {
        let words = ["part", "object", "text", "because"].map(|key| word(line, key));
        let sign = if line["uncertain"] == true { "~" } else { "" };
        sign.to_owned() + words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").trim()
    };
    json["lines"].as_array().unwrap().iter().map(text).collect()
}

fn has(lines: &[String], expected: &[&str]) {
    for one in expected {
        assert!(lines.iter().any(|line| line == one), "{one}: {lines:#?}");
    }
}

/// `demo_incident.c`: log_task holds bus_mutex at 60 s; modem_task preempts it 200 ms later and takes ten events of the pool;
/// control_task waits for the mutex from 60.5 s on. Where a mutex lends priorities, log_task runs then, and sleeps. At
/// 62.51 s an assertion fails, whose record QNX and Tonbandgerät don't have; the next one is that of the reset.
#[test]
fn the_incident_of_each_demo_is_what_its_source_does() {
    if !AVAILABLE {
        return;
    }
    let formats = file("boiler.fmt", QNX_FORMATS.as_bytes());
    let expected: [(Proto, &str, &[&str]); 4] = [
        (
            Proto::Qs,
            "ASSERT control_task:210 at 62 510 002, #1017",
            &[
                "wait task 7 waits 2.0M ticks for bus_mutex held by task 3 (2.5M ticks)",
                "wait task 3 ready 2.3M ticks without running core taken by task 4 (2.0M ticks)",
                "verdict priority inversion: task 7 ← task 3 ← task 4",
                "level readings free 10 → free 0 in 5.5M ticks refused 3",
                "level supervisor 2/8 → 6/8 in 2.0M ticks, now 3/8 refused 3",
                "event task 3 takes bus_mutex",
                "event task 7 waits for bus_mutex",
                "event TASK control_task missed its deadline",
                "event ASSERT control_task:210",
            ],
        ),
        (
            Proto::Rkh,
            "ASSERT control_task:210 at 3 125 501, #1083",
            &[
                "wait no record says what tasks do, so who waits for whom is unknown",
                "level supervisor_queue 2/8 → 8/8 in 150.0k ticks, now 3/8 refused 1",
                "level readings 0/10 → 10/10 in 279.9k ticks",
                "event ASSERT control_task:210",
            ],
        ),
        (
            Proto::Tband,
            "target reset, epoch 2 · time went back from tick 62 510 002 to 108 at 62.510 002, #1066",
            &[
                "wait control_task waits 2.00s for bus_mutex held by log_task (2.50s)",
                "wait log_task blocked delay 2.00s",
                "verdict control_task can't go on before log_task does",
                "wait supervisor ready 2.00s without running core 0 taken by modem_task (2.00s)",
                "event log_task takes bus_mutex",
                "event modem_task runs",
                "event instant control_task assertion failed",
            ],
        ),
        (
            Proto::Qnx,
            "new trace run, epoch 2 · trace of QNX 6.4.1, boiler, 2 CPU, 1000000 cycles/s, from Sun Nov 22 09:00:00 2026 \
             at 62.510 000 00, #1442",
            &[
                // No record says which mutex, and who holds it.
                "event control_task:7 is blocked mutex",
                "event log_task:5 is blocked nanosleep",
                "wait supervisor:1 ready 2.00s without running core 0 taken by modem_task:6 (2.00s)",
                "event control_task modem_task:6 assertion failed",
            ],
        ),
    ];
    for (proto, title, expected) in expected {
        let path = file(&format!("boiler-{}.bin", proto.name()), &boiler(proto));
        let args = ["--fmt", formats.to_str().unwrap()];
        let (text, _) = printed(proto.name(), &args, &path);
        assert_eq!(text.lines().next(), Some(title));
        has(&lines(proto.name(), &args, &path), expected);
    }
}

const MUTEX: u64 = 3;

/// Two tasks and two mutexes of Tonbandgerät. Each task takes one, then waits for the other.
fn deadlock(gap: bool) -> Vec<u8> {
    let mut target = Tband::default();
    target.core(0, 0).resolution(1000);
    for (task, name) in [(1, "rx"), (2, "tx")] {
        target.meta(0x5F, &[task], name.as_bytes());
    }
    for (mutex, name) in [(8, "bus"), (9, "flash")] {
        target.meta(0x64, &[mutex], name.as_bytes()).meta(0x65, &[mutex, MUTEX], b"");
    }
    target.run(10, 1).event(0x6A, 11, &[8, 0], b"").run(20, 2).event(0x6A, 21, &[9, 0], b"");
    if gap {
        target.dropped(22, 14);
    }
    target.event(0x6F, 30, &[8, 500], b"").run(40, 1).event(0x6F, 41, &[9, 500], b"").run(50, 3);
    target.bytes.clone()
}

#[test]
fn tasks_that_wait_for_one_another_are_a_deadlock() {
    let path = file("deadlock.bin", &deadlock(false));
    let found = lines("tband", &["--at", "16"], &path);
    has(
        &found,
        &[
            "wait tx waits 10.0us for bus held by rx (39.0us)",
            "wait rx waits 0ns for flash held by tx (29.0us)",
            "verdict deadlock: tx ← rx ← tx",
        ],
    );
}

/// A mutex may have changed hands where records are missing.
#[test]
fn over_a_loss_nothing_certain_is_said_that_is_not() {
    let path = file("deadlock-gap.bin", &deadlock(true));
    let found = lines("tband", &["--at", "17"], &path);
    let verdict = found.iter().find(|line| line.contains("deadlock")).unwrap();
    assert!(verdict.starts_with('~'), "{found:#?}");
    has(&found, &["missing 14 events are missing since 0.000 021: what they said is unknown"]);
    let ran = found.iter().find(|line| line.contains("ran core 0")).unwrap();
    assert!(ran.starts_with('~'), "{found:#?}");
    let (text, _) = printed("tband", &["--at", "17"], &path);
    assert!(text.contains("~ perhaps deadlock: ") && !text.contains('⇒'), "{text}");
}

/// Targets that count free elements say of the last one that is taken out only that the queue is empty.
#[test]
fn a_queue_that_was_emptied_is_shown_so() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../decoders/qs/tests/captures/oven-734-small-assert.bin");
    let found = lines("qs", &[], &path);
    has(
        &found,
        &[
            "level AO(l_motor) 0/7 → 6/7 in 191.1k ticks, now 0/7 refused 9",
            "level l_super.raw 0/4 → 4/4 in 40975 ticks, now 0/4",
        ],
    );
}

#[test]
fn what_can_t_be_shown_is_said() {
    let path = file("calm.bin", &deadlock(false));
    let (text, code) = printed("tband", &[], &path);
    assert!(text.contains("no assertion, error or reset; --at '#744' shows"), "{text}");
    assert_eq!(code, Some(2));
    let (text, code) = printed("tband", &["--at", "#900"], &path);
    assert!(text.contains("there is no such record"), "{text}");
    assert_eq!(code, Some(2));
}
