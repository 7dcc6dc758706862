//! `--demo`: the target inside the program, with and without faults. It sends the same bytes in every run, so a target
//! of the test itself shows what was sent and how the faults changed it.

#![allow(clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use spytui_demo_target::{AVAILABLE, Faults, Proto, QNX_FORMATS, Target, Totals};
use spytui_engine::present::clock::grouped;

use crate::lines::{command, refused, run};
use crate::rig::{Stage, folder, spytui};

/// Seed of the scenario.
const SEED: u32 = 1;

/// If the target could not be built, there is nothing to test.
fn is_there() -> bool {
    if !AVAILABLE {
        eprintln!("skipped: there is no C compiler");
    }
    AVAILABLE
}

fn target(proto: Proto, faults: &str) -> Target {
    let mut faults = Faults::parse(faults).unwrap();
    if faults.seed == 0 {
        faults.seed = SEED;
    }
    Target::new(proto, &faults, SEED).unwrap()
}

/// What a target sends in some seconds, and the rest when it is halted.
fn stream_of(target: &mut Target, seconds: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    target.read(&mut bytes);
    for _ in 0..seconds * 100 {
        target.step();
        target.read(&mut bytes);
    }
    target.halt();
    for _ in 0..100 {
        target.step();
        target.read(&mut bytes);
    }
    bytes
}

/// Counters of a stream, and the number of its notes of each kind.
struct Account {
    stats: Value,
    notes: BTreeMap<String, u64>,
}

impl Account {
    fn of(proto: Proto, file: &Path) -> Account {
        let file = file.to_str().unwrap();
        let output = run(["decode", "--proto", proto.name(), "--format", "jsonl", "--stats=json", file]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let stats = String::from_utf8(output.stderr).unwrap();
        let stats = serde_json::from_str(stats.lines().last().unwrap()).unwrap();
        let mut notes = BTreeMap::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            if row["type"] == "note" && row["bytes"].as_u64().is_some_and(|bytes| bytes > 0) {
                // Records with a valid checksum that are not believed are those listed by the injector as undetectable
                // by the checksum.
                let right_sum = row["text"].as_str().unwrap().contains("neither number nor payload fit");
                let kind = if right_sum { "beyond" } else { row["kind"].as_str().unwrap() };
                *notes.entry(kind.to_owned()).or_default() += 1;
            }
        }
        Account { stats, notes }
    }

    fn count(&self, key: &str) -> u64 {
        self.stats[key].as_u64().unwrap_or_else(|| panic!("{key} in {}", self.stats))
    }

    fn notes(&self, kind: &str) -> u64 {
        self.notes.get(kind).copied().unwrap_or_default()
    }

    /// Every byte is in a row.
    fn adds_up(&self, totals: &Totals) {
        let parts = ["record_bytes", "other_bytes", "skipped_bytes", "pending_bytes"];
        let sum: u64 = parts.iter().map(|part| self.count(part)).sum();
        assert_eq!((self.count("bytes"), sum), (totals.bytes_out, totals.bytes_out), "{}", self.stats);
    }

    /// Every byte is in a row, and damaged pieces are those made by the injector.
    fn agrees_with(&self, totals: &Totals) {
        self.adds_up(totals);
        // A damaged piece that looks like text is shown as text, one at the start as a frame that began before.
        let bad = ["bad_checksum", "bad_frame", "too_short", "console", "partial"];
        let bad: u64 = bad.iter().map(|kind| self.notes(kind)).sum();
        assert_eq!(bad + totals.beyond, totals.damaged, "{totals:?} {:?}", self.notes);
        assert!(self.notes("beyond") <= totals.beyond, "{totals:?} {:?}", self.notes);
    }

    /// Number of records sent but neither received nor found lost, modulo 256: damage that the 8-bit checksum can't
    /// detect may hit an 8-bit number.
    fn missing(&self, totals: &Totals) -> u64 {
        (256 + totals.frames - (self.count("records") + self.count("lost")) % 256) % 256
    }

    fn reports_no_loss(&self) {
        for key in ["gaps", "lost", "skipped_bytes", "bad_checksum", "bad_frame", "too_short", "resyncs", "unknown"] {
            assert_eq!(self.count(key), 0, "{key} in {}", self.stats);
        }
        assert_eq!((self.count("payload_errors"), self.count("dropped")), (0, 0), "{}", self.stats);
        assert!(self.notes.keys().all(|kind| kind == "prolog"), "{:?}", self.notes);
    }
}

/// What the README suggests to type in the first minute: the code in the first column of its table.
fn first_minute() -> Vec<String> {
    let (_, section) = include_str!("../../../README.md").split_once("\n## 60 seconds").unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("| `")).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').nth(1).unwrap());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn the_first_minute_of_the_readme_is_as_it_says() {
    if !is_there() {
        return;
    }
    let minute = first_minute();
    assert_eq!(minute[1..], ["x", "j", "c", "- o", ":target filter -SM"]);
    let args = minute[0].strip_prefix("spytui ").unwrap().split(' ');
    let mut stage = spytui(args).start();
    // The first two are between names, which have no cause.
    stage.shows("gaps 3 (");
    stage.types("x");
    stage.until("a loss under the cursor", |stage| stage.cursor_line().contains("lost"));
    stage.types("jc");
    stage.shows("records were lost in between");
    stage.types("-o");
    stage.shows("filter -obj:");
    stage.types(":target filter -SM\r");
    stage.shows("acknowledged");
}

#[test]
fn without_faults_all_arrives() {
    if !is_there() {
        return;
    }
    let folder = folder();
    for proto in Proto::ALL {
        let mut target = target(proto, "");
        let file = folder.path().join(proto.name());
        std::fs::write(&file, stream_of(&mut target, 120)).unwrap();
        let account = Account::of(proto, &file);
        account.reports_no_loss();
        assert!(account.count("records") > 1000);
        if proto != Proto::Qnx {
            assert_eq!(account.count("records"), target.totals().frames, "{proto:?}");
        }
    }
}

#[test]
fn with_faults_the_account_is_that_of_the_injector() {
    if !is_there() {
        return;
    }
    let folder = folder();
    for proto in [Proto::Qs, Proto::Rkh] {
        for seed in 1..4 {
            let faults = format!("flip=500,loss=500,noise=500,dup=500,burst=40,seed={seed}");
            // Before a reset, whose last records nobody may miss.
            let mut target = target(proto, &faults);
            let file = folder.path().join(proto.name());
            std::fs::write(&file, stream_of(&mut target, 59)).unwrap();
            let (account, totals) = (Account::of(proto, &file), target.totals());
            account.agrees_with(&totals);
            assert_eq!(account.missing(&totals), 0, "{proto:?}: {totals:?} {}", account.stats);
            assert!(totals.damaged > 20, "{proto:?}: {totals:?}");
        }
    }
}

/// tband and QNX have no checksums: damage may go unseen, but every byte is accounted for, and damage adds no records.
#[test]
fn with_faults_that_no_sum_finds_the_bytes_add_up() {
    if !is_there() {
        return;
    }
    let folder = folder();
    for proto in [Proto::Tband, Proto::Qnx] {
        for seed in 1..4 {
            let faults = format!("flip=200,loss=200,noise=200,dup=200,garbage=100,seed={seed}");
            let mut target = target(proto, &faults);
            let file = folder.path().join(proto.name());
            std::fs::write(&file, stream_of(&mut target, 120)).unwrap();
            let (account, totals) = (Account::of(proto, &file), target.totals());
            account.adds_up(&totals);
            if proto == Proto::Tband {
                let whole = totals.pieces - totals.damaged;
                assert!((whole..=totals.pieces).contains(&account.count("records")), "{totals:?} {}", account.stats);
            }
        }
    }
}

#[test]
fn a_reset_is_no_loss() {
    if !is_there() {
        return;
    }
    let folder = folder();
    for proto in Proto::ALL {
        let mut target = target(proto, "reset-every=30");
        let file = folder.path().join(proto.name());
        std::fs::write(&file, stream_of(&mut target, 125)).unwrap();
        let (account, totals) = (Account::of(proto, &file), target.totals());
        assert_eq!((account.count("lost"), account.count("gaps"), totals.resets), (0, 0, 4), "{proto:?}");
        assert!(account.count("epochs") >= totals.resets, "{proto:?}: {}", account.stats);
        if proto != Proto::Qnx {
            assert_eq!(account.count("records"), totals.frames, "{proto:?}");
        }
    }
}

/// No frame is damaged, but the link is too slow: exactly what the target dropped is missing.
#[test]
fn what_a_slow_link_drops_is_counted() {
    if !is_there() {
        return;
    }
    let folder = folder();
    for (proto, faults) in Proto::ALL
        .into_iter()
        .flat_map(|proto| ["burst=4000,link-rate=3000", "burst=4139,link-rate=3000"].map(|faults| (proto, faults)))
    {
        let mut target = target(proto, faults);
        let file = folder.path().join(proto.name());
        std::fs::write(&file, stream_of(&mut target, 30)).unwrap();
        let (account, totals) = (Account::of(proto, &file), target.totals());
        assert!(totals.dropped > 3000, "{proto:?}: {totals:?}");
        assert_eq!(account.count("dropped"), totals.dropped, "{proto:?}: {totals:?}");
        if matches!(proto, Proto::Qs | Proto::Rkh) {
            assert_eq!(account.count("lost"), totals.dropped, "{proto:?}: {totals:?}");
            assert_eq!(account.stats["lost_exact"], true, "{}", account.stats);
        }
        assert_eq!((account.count("skipped_bytes"), totals.damaged), (0, 0), "{proto:?}");
        let dropped = grouped(totals.dropped);
        let header = match proto {
            Proto::Qs | Proto::Rkh => format!("({dropped} lost)  bad 0  skipped 0 B  target drops {dropped}  "),
            Proto::Tband => format!("target drops {dropped} in "),
            _ => format!("drops {dropped}  "),
        };
        let mut stage = spytui(["--proto", proto.name(), file.to_str().unwrap()]).start();
        stage.until("the target's count", |stage| {
            stage.screen().lines().nth(1).is_some_and(|line| line.contains(&header))
        });
        assert!(stage.screen().lines().nth(1).unwrap().contains(" rec"), "{}", stage.screen());
        stage.command("q");
        assert_eq!(stage.code(), 0, "{proto:?}");
    }
}

/// Waits until the header counts at least this many records.
fn has_records(stage: &Stage, wanted: u64) {
    stage.until(&format!("{wanted} records"), |stage| {
        let screen = stage.screen();
        let before = screen.lines().nth(1).and_then(|line| line.split(" rec ").next()).unwrap_or_default();
        let number = before.rsplit("  ").next().unwrap_or_default().replace(' ', "");
        number.parse::<u64>().is_ok_and(|records| records >= wanted)
    });
}

#[test]
fn each_demo_has_all_its_scenes() {
    if !is_there() {
        return;
    }
    // Each waits for the next traced reading.
    std::thread::scope(|scope| {
        for (size, proto, header, words) in [
            ((80, 24), "qs", "QS 7.3.4  demo   ● live", ["AO-Post", "BOILER"]),
            ((80, 24), "rkh", "RKH 3.4.00  demo   ● live", ["TEMPERATURE", "BOILER"]),
            ((80, 24), "tband", "TBAND FreeRTOS  demo   ● live", ["sendISR", "BOILER 0.1C"]),
            ((80, 24), "qnx", "QNX kev 6.4.1  2 CPU  demo   ● live", ["READINGS", "BOILER"]),
            ((200, 50), "qs", "QS 7.3.4  demo   ● live", ["TEMPERATURE ← sensor_irq", "0.1 C"]),
            ((200, 50), "qnx", "QNX kev 6.4.1  2 CPU  demo   ● live", ["supervisor:1", "[0.1 C]"]),
        ] {
            scope.spawn(move || has_its_scenes(size, proto, header, words));
        }
    });
}

fn has_its_scenes(size: (u16, u16), proto: &str, header: &str, words: [&str; 2]) {
    let mut stage = spytui(["--demo", proto]).size(size.0, size.1).start();
    stage.shows(header);
    for word in words {
        stage.shows(word);
    }
    has_records(&stage, 100);
    stage.shows(match proto {
        "qnx" => "buffers lost 0  short 0  unbalanced 0  skipped 0 B",
        _ => "bad 0  skipped 0 B",
    });
    // Nor does any text leave a rest of its record.
    let screen = stage.screen();
    assert!(!screen.contains("░") && !screen.contains("[+"), "{proto}:\n{screen}");
    stage.command("q");
    assert_eq!(stage.code(), 0, "{proto}");
}

/// What the lines of a demo report in order, each with all words of its step: the tasks in normal operation, then the
/// incident.
fn story(proto: Proto) -> Vec<&'static [&'static str]> {
    let steps: &[&[&str]] = match proto {
        Proto::Qs => &[
            &["AO-Defer", "burner", "SELF_TEST → burner_deferred"],
            &["Sem-Sgnl", "control_sem"],
            &["Sem-Take", "control_sem"],
            &["EQ-Post", "log_lines", "LINE"],
            &["Sem-Blk", "control_sem"],
            &["EQ-GetL", "log_lines", "LINE"],
            &["Sch-Idle"],
            &["AO-RCall", "burner", "SELF_TEST ← burner_deferred"],
            &["Mtx-Blk", "bus_mutex"],
            &["Mtx-Unlk", "bus_mutex"],
            &["Mtx-Lock", "bus_mutex"],
            &["log_task holds bus_mutex"],
            &["Sch-Pre", "3 → 4"],
            &["modem_task preempts log_task"],
            &["QF-New", "PACKET"],
            &["Sem-Take", "control_sem"],
            &["control_task waits for bus_mutex"],
            &["Mtx-Blk", "bus_mutex"],
            &["Sch-Rest", "7 → 4"],
            &["MP-GetA", "readings"],
            &["QF-NewA", "PACKET"],
            &["QF-NewA", "TEMPERATURE"],
            &["control_task missed its deadline"],
            &["ASSERT", "control_task:210"],
            &["target reset"],
            &["STY_RESET", "assertion"],
            &["QF_RUN"],
        ],
        Proto::Rkh => &[
            &["SMA", "DEFER", "burner_deferred", "SELF_TEST"],
            &["control_task takes control_sem"],
            &["QUE", "FIFO", "log_lines"],
            &["log_task unlocks bus_mutex"],
            &["SMA", "RCALL", "burner", "SELF_TEST"],
            &["log_task locks bus_mutex"],
            &["log_task holds bus_mutex"],
            &["modem_task preempts log_task"],
            &["AE", "modem_task", "PACKET"],
            &["control_task waits for bus_mutex"],
            &["readings has no event for PACKET"],
            &["readings has no event for TEMPERATURE"],
            &["control_task missed its deadline"],
            &["ASSERT", "control_task:210"],
            &["target reset"],
            &["RESET", "assertion"],
            &["FWK", "EN"],
        ],
        Proto::Tband => &[
            &["deferred", "SELF_TEST"],
            &["recv", "control_task", "control_sem"],
            &["send", "control_task", "log_lines"],
            &["recv", "log_task", "log_lines"],
            &["recalled", "SELF_TEST"],
            &["inherit", "log_task", "priority 7"],
            &["delay", "log_task", "for 200 ticks"],
            &["send", "log_task", "bus_mutex"],
            &["disinhrt", "log_task", "priority 3"],
            &["recv", "control_task", "bus_mutex"],
            &["recv", "log_task", "bus_mutex"],
            &["log_task", "holds bus_mutex"],
            &["run", "modem_task"],
            &["modem_task", "preempts log_task"],
            &["control_task", "waits for bus_mutex"],
            &["blkRecv", "control_task", "bus_mutex"],
            &["inherit", "log_task", "priority 7"],
            &["delay", "log_task", "for 3000 ticks"],
            &["run", "modem_task"],
            &["pool empty", "PACKET"],
            &["pool empty", "TEMPERATURE"],
            &["control_task", "missed its deadline"],
            &["control_task", "assertion failed"],
            &["target reset"],
            &["reset", "assertion"],
            &["run", "control_task"],
        ],
        _ => &[
            &["burner puts off SELF_TEST"],
            &["MSG_SENDV", "control_task"],
            &["SND", "control_task", "→ boiler"],
            &["reply", "control_task"],
            &["REC", "log_task"],
            &["MSG_REPLYV", "log_task"],
            &["REPLY", "log_task", "→ control_task"],
            &["MSG_SENDV", "control_task", "ok"],
            &["sem", "control_task"],
            &["receive", "log_task"],
            &["burner comes back to SELF_TEST"],
            &["SYNC_MUTEX_LOCK", "control_task"],
            &["nanosleep", "log_task"],
            &["SYNC_MUTEX_UNLOCK", "log_task"],
            &["SYNC_MUTEX_LOCK", "control_task", "ok"],
            &["USER", "log_task", "holds bus_mutex"],
            &["running", "modem_task"],
            &["USER", "modem_task", "preempts log_task"],
            &["USER", "control_task", "waits for bus_mutex"],
            &["mutex", "control_task"],
            &["nanosleep", "log_task"],
            &["running", "modem_task"],
            &["readings has no event for PACKET"],
            &["readings has no event for TEMPERATURE"],
            &["USER", "control_task", "missed its deadline"],
            &["USER", "control_task", "assertion failed"],
            &["new trace run"],
            &["USER", "RESET", "assertion"],
            &["running", "control_task"],
        ],
    };
    steps.to_vec()
}

#[test]
fn the_incident_is_seen_step_by_step_and_then_all_is_well() {
    if !is_there() {
        return;
    }
    let folder = folder();
    let fmt = folder.path().join("boiler.fmt");
    std::fs::write(&fmt, QNX_FORMATS).unwrap();
    for proto in Proto::ALL {
        let mut target = target(proto, "");
        let file = folder.path().join(proto.name());
        std::fs::write(&file, stream_of(&mut target, 195)).unwrap();
        let args = ["decode", "--proto", proto.name(), "--fmt", fmt.to_str().unwrap(), file.to_str().unwrap()];
        let text = run(args).stdout;
        let text = String::from_utf8(text).unwrap();
        let mut lines = text.lines();
        // The first one, and the one two minutes later.
        for story in [story(proto), story(proto)] {
            for step in story {
                let found = lines.any(|line| step.iter().all(|word| line.contains(word)));
                assert!(found, "{proto:?}: {step:?} does not follow");
            }
        }
        let (account, totals) = (Account::of(proto, &file), target.totals());
        account.reports_no_loss();
        assert_eq!(totals.resets, 2, "{proto:?}");
    }
}

#[test]
fn an_incident_begins_when_it_is_asked_for() {
    if !is_there() {
        return;
    }
    std::thread::scope(|scope| {
        for (proto, command) in [
            ("qs", "command INCIDENT"),
            ("rkh", "fault incident 1"),
            ("tband", "fault incident 1"),
            ("qnx", "fault incident 1"),
        ] {
            scope.spawn(move || {
                let mut stage = spytui(["--demo", proto]).size(100, 40).start();
                stage.shows("● live");
                // Names of commands come with the others.
                has_records(&stage, 80);
                stage.command(&format!("target {command}"));
                stage.shows("preempts log_task");
                stage.shows("missed its deadline");
                // The names of a new start replace it.
                stage.until("a reset", |stage| !stage.screen().contains("missed its deadline"));
                stage.types("/epoch 2\r");
                stage.until("where it is", |stage| stage.cursor_line().contains(", epoch 2 · "));
            });
        }
    });
}

#[test]
fn it_ends_when_it_is_closed() {
    if !is_there() {
        return;
    }
    let mut stage = spytui(["--demo", "rkh"]).start();
    stage.shows("RKH 3.4.00  demo   ● live");
    let file = crate::rig::capture("oven-734.bin");
    stage.command(&format!("open {}", file.display()));
    stage.shows("source 2 of 2");
    stage.types("(");
    stage.shows("RKH 3.4.00  demo   ● live");
    stage.command("close");
    stage.shows("oven-734.bin");
    stage.shows_not("source 2 of 2");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}

#[test]
fn a_demo_with_faults_loses_now_and_then() {
    if !is_there() {
        return;
    }
    let mut stage = spytui(["--demo", "qs", "--faults", "flip=2000,seed=3"]).start();
    stage.shows("QS 7.3.4  demo   ● live");
    stage.shows("B/s");
    stage.shows("follow");
    stage.shows("AO-Post");
    stage.types("p");
    stage.shows("held +");
    let held = stage.cursor_line();
    stage.until("more rows behind the held ones", |stage| !stage.screen().contains("held +0"));
    assert_eq!(stage.cursor_line(), held);
    stage.types("p");
    stage.shows("follow");
    stage.until("a loss", |stage| !stage.screen().contains("gaps 0"));
    // A following list has no next one: it is at the newest.
    stage.types("x");
    stage.until("the cursor on the loss", |stage| stage.cursor_line().contains("lost"));
    stage.shows(" s ago");
    // Requested options are reported where the stream begins.
    stage.types("g");
    stage.shows("faults flip=2000,seed=3");
}

#[test]
fn drops_of_the_demo_are_reported_on_the_screen() {
    if !is_there() {
        return;
    }
    let mut stage = spytui(["--demo", "tband", "--faults", "burst=4000"]).start();
    stage.until("drops", |stage| stage.screen().contains("drops 3 "));
    stage.types("X");
    stage.until("the cursor on them", |stage| stage.cursor_line().contains("dropped by the target"));
}

/// The demo's bytes as recorded, and the injector's totals up to then.
fn recorded(proto: Proto, faults: &str, file: &Path) -> Totals {
    let bytes = std::fs::read(file).unwrap();
    let mut target = target(proto, faults);
    let mut sent = Vec::new();
    target.read(&mut sent);
    while sent.len() < bytes.len() {
        target.step();
        target.read(&mut sent);
    }
    assert!(sent == bytes, "{} bytes were recorded, the target sends others", bytes.len());
    target.totals()
}

#[test]
fn what_the_screen_received_agrees_with_the_injector() {
    if !is_there() {
        return;
    }
    let faults = "flip=2000,loss=2000,noise=2000,dup=2000,burst=40,garbage=100,seed=7";
    let folder = folder();
    let file = folder.path().join("run");
    let mut stage = spytui(["--demo", "qs", "--faults", faults, "--record", file.to_str().unwrap()]).start();
    has_records(&stage, 200);
    stage.command("q");
    assert_eq!(stage.code(), 0);
    let file = file.with_extension("bin");
    let totals = recorded(Proto::Qs, faults, &file);
    let account = Account::of(Proto::Qs, &file);
    account.agrees_with(&totals);
    // It ended anywhere; the last records may be damaged.
    assert!(account.missing(&totals) < 8, "{totals:?} {}", account.stats);
    assert!(totals.damaged > 10, "{totals:?}");
}

#[test]
fn without_a_screen_it_is_the_same_demo() {
    if !is_there() {
        return;
    }
    let folder = folder();
    let file = folder.path().join("run");
    let mut child = crate::lines::command(["--demo", "qnx", "--format", "jsonl", "--record", file.to_str().unwrap()])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let found = lines.by_ref().any(|line| line.unwrap().contains("BOILER"));
    assert!(found, "its user events have no names");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::INT).unwrap();
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    recorded(Proto::Qnx, "", &file.with_extension("bin"));
}

#[test]
fn what_is_wrong_with_faults_is_reported() {
    if !is_there() {
        return;
    }
    for (faults, text) in [
        ("flip=200,lost=1", "--faults lost=1: no such fault; did you mean \"loss\"?"),
        ("flip=1000001", "--faults flip=1000001: flip must be a number from 0 to 1000000"),
        ("burst", "--faults burst: burst must be a number from 0 to 1000000"),
    ] {
        let (code, stderr) = refused(&["--demo", "qs", "--faults", faults]);
        assert!(code == 2 && stderr.contains(text), "{code}: {stderr}");
    }
}

#[test]
fn a_demo_is_recorded_without_a_screen() {
    if !is_there() {
        return;
    }
    let folder = folder();
    for (name, proto, faults) in [
        ("qs", Proto::Qs, "flip=200,seed=7"),
        ("rkh", Proto::Rkh, ""),
        ("tband", Proto::Tband, "loss=100"),
        ("qnx", Proto::Qnx, ""),
    ] {
        let bin = folder.path().join(name).with_extension("bin");
        let args = ["record", "--demo", name, "--faults", faults, "-O", bin.to_str().unwrap()];
        let mut child = command(args).stderr(Stdio::piped()).spawn().unwrap();
        while !bin.metadata().is_ok_and(|bin| bin.len() > 500) {
            assert_eq!(child.try_wait().unwrap(), None, "{name}");
            std::thread::sleep(Duration::from_millis(10));
        }
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
        // The same as any other run with these faults.
        let (bytes, whole) = (std::fs::read(&bin).unwrap(), stream_of(&mut target(proto, faults), 60));
        assert!(whole.starts_with(&bytes), "{name}");
        let meta = std::fs::read_to_string(bin.with_extension("meta")).unwrap();
        let head: Value = serde_json::from_str(meta.lines().next().unwrap()).unwrap();
        assert_eq!((&head["decoder"], &head["link"]), (&Value::from(name), &Value::from("demo")));
        assert_eq!(run(["stats", bin.to_str().unwrap()]).status.code(), Some(0), "{name}");
    }
}

#[test]
fn what_is_wrong_with_a_demo_to_record_is_what_is_wrong_with_one_to_show() {
    if !is_there() {
        return;
    }
    for args in [
        &["--demo", "qs", "--port", "/dev/null"][..],
        &["--demo", "qs", "x.bin"],
        &["--demo", "qz"],
        &["--demo", "qs", "--faults", "flp=1"],
        &["--faults", "flip=1", "oven-734.bin"],
    ] {
        let (shown, recorded) = (refused(args), refused(&[&["record"], args].concat()));
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        assert_eq!((recorded.0, first(&recorded.1)), (2, first(&shown.1)), "{args:?}");
    }
}

/// Ends a run without a screen once it has recorded this many bytes.
fn record_until(args: &[&str], bin: &Path, bytes: usize) {
    let mut child = command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !bin.metadata().is_ok_and(|bin| bin.len() >= bytes as u64) {
        assert_eq!(child.try_wait().unwrap(), None, "{args:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{args:?}");
}

#[test]
fn a_recording_keeps_the_names_of_user_events_that_the_demo_showed() {
    if !is_there() {
        return;
    }
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let decoded = |args: &[&str]| {
        let output = run([&["decode"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // Includes the first of the temperatures.
    let bytes = stream_of(&mut target(Proto::Qnx, ""), 1).len();
    let paths = ["command", "lines", "screen"].map(|name| path(&format!("{name}.bin")));
    record_until(&["record", "--demo", "qnx", "-O", &paths[0]], Path::new(&paths[0]), bytes);
    record_until(&["--demo", "qnx", "--record", &paths[1]], Path::new(&paths[1]), bytes);
    let mut stage = spytui(["--demo", "qnx"]).start();
    stage.shows("BOILER");
    stage.command(&format!("record {}", paths[2]));
    stage.shows("everything received so far");
    stage.command("record stop");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    for path in &paths {
        assert!(decoded(&[path]).contains("BOILER"), "{path}");
        assert!(String::from_utf8_lossy(&run([path.as_str()]).stdout).contains("BOILER"), "{path}");
        assert!(decoded(&["--format", "jsonl", "--proto", "qnx", path]).contains("BOILER"), "{path}");
    }
    let mut stage = spytui([&paths[0]]).start();
    stage.shows("link up");
    stage.types("/BOILER\r");
    stage.shows("[0.1 C]");
    drop(stage);

    // A later file of the user overrides the recorded lines one by one; recorded lines are only data of the recording.
    let fmt = path("own.fmt");
    std::fs::write(&fmt, "user 0 KESSEL \"%d\"\n").unwrap();
    let text = decoded(&["--fmt", &fmt, &paths[0]]);
    assert!(text.contains("KESSEL") && !text.contains("BOILER"), "{text}");
    let mine = path("mine.bin");
    record_until(&["--demo", "qnx", "--fmt", &fmt, "--record", &mine], Path::new(&mine), bytes);
    std::fs::write(&fmt, "").unwrap();
    assert!(decoded(&[&mine]).contains("KESSEL"));
    std::fs::write(&fmt, "user 0 BOILER \"%d\"\n").unwrap();
    let text = decoded(&["--fmt", &fmt, &mine]);
    assert!(text.contains("BOILER") && !text.contains("KESSEL"), "{text}");
    std::fs::remove_file(path("mine.meta")).unwrap();
    assert!(!decoded(&["--proto", "qnx", &mine]).contains("KESSEL"));
}
