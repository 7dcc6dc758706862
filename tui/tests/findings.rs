//! Planted findings are found, and nothing else: captures made for one finding each, and the project's clean captures.

use std::{fs, path::PathBuf, process::Command};

use serde_json::Value;
use spytui_decoder_harness::encode::tband::Stream as Tband;
use spytui_decoder_harness::stuff;
use spytui_demo_target::{AVAILABLE, Faults, Proto, Target};

/// The command's output for the findings in a file.
fn printed(format: &str, protocol: &str, options: &[&str], path: &std::path::Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    command.env_remove("SPYTUI_WRITE_DOCS");
    command.args(["stats", "--findings", "--format", format, "--proto", protocol]);
    options.iter().for_each(|option| _ = command.args(["-o", option]));
    let output = command.arg("--file").arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The words of the findings in a file, with their objects.
fn found(protocol: &str, options: &[&str], path: &std::path::Path) -> Vec<String> {
    let json: Value = serde_json::from_str(&printed("json", protocol, options, path)).unwrap();
    let words = json["findings"].as_array().unwrap().iter().map(|finding| {
        let object = finding["object"].as_str().unwrap_or_default();
        format!("{} {object}", finding["finding"].as_str().unwrap()).trim_end().to_owned()
    });
    words.collect()
}

const DOOR: u32 = 0x2000_1000;
const CLOCK: u32 = 0x2000_2000;
const POOL: u32 = 0x2000_3000;
const CLOSED: u32 = 0x0800_1001;
const OPEN: u32 = 0x0800_2001;

/// A QS target whose objects, signals and states have names.
struct Qs {
    bytes: Vec<u8>,
    seq: u8,
    time: u32,
}

impl Qs {
    fn start() -> Qs {
        let mut target = Qs { bytes: Vec::new(), seq: 0, time: 0 };
        target.record(0, &[]);
        target.info();
        for (id, key, name) in
            [(61, DOOR, "door"), (61, CLOCK, "clock"), (61, POOL, "pool"), (62, CLOSED, "closed"), (62, OPEN, "open")]
        {
            target.record(id, &[&key.to_le_bytes()[..], name.as_bytes(), b"\0"].concat());
        }
        target
    }

    /// What it sends at its start.
    fn info(&mut self) {
        self.record(64, &[0xFF, 0xDE, 2, 0x22, 0x41, 0x22, 0x44, 0x04, 32, 0x23, 9, 30, 14, 20, 11, 26]);
    }

    fn record(&mut self, id: u8, payload: &[u8]) {
        self.seq = self.seq.wrapping_add(1);
        let mut plain = vec![self.seq, id];
        plain.extend(payload);
        plain.push(!plain.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
        stuff(&plain, &mut self.bytes);
    }

    /// A record with a time stamp, `ticks` after the previous one.
    fn after(&mut self, ticks: u32, id: u8, payload: &[&[u8]]) {
        self.time = self.time.wrapping_add(ticks);
        self.record(id, &[&self.time.to_le_bytes()[..], &payload.concat()].concat());
    }

    fn post(&mut self, free: u8, min: u8) {
        let [sender, door] = [CLOCK, DOOR].map(u32::to_le_bytes);
        self.after(1, 14, &[&sender, &[5, 0], &door, &[0, 0, free, min]]);
    }

    fn get(&mut self, free: u8) {
        self.after(1, 16, &[&[5, 0], &DOOR.to_le_bytes(), &[0, 0, free]]);
    }

    fn get_last(&mut self) {
        self.after(1, 17, &[&[5, 0], &DOOR.to_le_bytes(), &[0, 0]]);
    }

    /// A record of the door that names a signal and states.
    fn step(&mut self, id: u8, signal: u8, states: &[u32]) {
        let states: Vec<u8> = states.iter().flat_map(|state| state.to_le_bytes()).collect();
        self.after(1, id, &[&[signal, 0], &DOOR.to_le_bytes(), &states]);
    }

    fn arm(&mut self, period: u8) {
        let [clock, door] = [CLOCK, DOOR].map(u32::to_le_bytes);
        self.after(1, 32, &[&clock, &door, &[10, 0, 0, 0], &[period, 0, 0, 0], &[0]]);
    }

    fn expire(&mut self) {
        let [clock, door] = [CLOCK, DOOR].map(u32::to_le_bytes);
        self.after(10, 37, &[&clock, &[5, 0], &door, &[0]]);
    }

    fn tick(&mut self) {
        self.record(31, &[0, 0, 0, 0, 0]);
    }

    fn pool(&mut self, free: u16) {
        self.after(1, 25, &[&POOL.to_le_bytes(), &free.to_le_bytes()]);
    }
}

/// A name, what plants the findings, and the expected findings, which must be the only ones.
type Planted = (&'static str, fn(&mut Qs), &'static [&'static str]);

/// A target without problems.
fn healthy(target: &mut Qs) {
    target.arm(10);
    for turn in 0..200 {
        target.tick();
        target.expire();
        target.post(6, 6);
        target.get_last();
        target.step(8, 5, &[CLOSED]);
        target.step(6, 5, if turn % 2 == 0 { &[CLOSED, OPEN] } else { &[OPEN, CLOSED] });
        target.pool(9 - turn % 3);
        target.after(1, 41, &[&[1, 7]]);
        target.after(2, 42, &[&[1, 7]]);
    }
}

fn drained(target: &mut Qs, least: u8) {
    // The capacity is known once it was empty.
    for _ in 0..2 {
        target.post(6, least);
        target.get_last();
    }
}

const PLANTED: [Planted; 20] = [
    ("healthy", healthy, &[]),
    (
        "a queue that never drains",
        |target| {
            target.post(6, 5);
            (0..40).for_each(|_| {
                target.post(5, 5);
                target.get(6);
            });
        },
        &["never-empty door"],
    ),
    (
        "a queue that was full",
        |target| {
            drained(target, 6);
            (0..7).for_each(|used| target.post(6 - used, 6 - used));
        },
        &["full door"],
    ),
    (
        "a queue that was nearly full",
        |target| {
            drained(target, 6);
            (0..6).for_each(|used| target.post(6 - used, 6 - used));
        },
        &["nearly-full door"],
    ),
    (
        "a post that was refused",
        |target| {
            let [sender, door] = [CLOCK, DOOR].map(u32::to_le_bytes);
            target.after(1, 45, &[&sender, &[5, 0], &door, &[0, 0, 2, 2]]);
        },
        &["refused door"],
    ),
    ("a pool that leaks", |target| (0..320).for_each(|turn| target.pool(60 - turn / 32 - turn % 4)), &["leak pool"]),
    (
        "a pool that was empty",
        |target| [3, 2, 1, 0, 1, 2].into_iter().for_each(|free| target.pool(free)),
        &["full pool"],
    ),
    (
        "an event that is ignored in every state",
        |target| (0..4).for_each(|turn| target.step(7, 9, &[if turn % 2 == 0 { CLOSED } else { OPEN }])),
        &["ignored door"],
    ),
    (
        "a timer that is armed twice",
        |target| {
            target.arm(0);
            target.expire();
            target.arm(0);
            target.arm(0);
        },
        &["armed-twice clock"],
    ),
    (
        "a periodic event that is late",
        |target| {
            target.arm(10);
            for turn in 0..8 {
                target.expire();
                target.post(6, 6);
                if turn != 5 {
                    target.get_last();
                }
            }
        },
        &["deadline clock"],
    ),
    (
        "a storm of transitions",
        |target| {
            (0..3).for_each(|_| target.tick());
            (0..20).for_each(|_| {
                target.step(8, 5, &[CLOSED]);
                target.step(6, 5, &[CLOSED, OPEN]);
                target.step(6, 5, &[OPEN, CLOSED]);
            });
        },
        &["transition-storm door"],
    ),
    (
        "an interrupt storm",
        |target| {
            for _ in 0..130 {
                target.after(10, 41, &[&[1, 7]]);
                target.after(30, 42, &[&[1, 7]]);
            }
        },
        &["interrupt-storm isr 7"],
    ),
    (
        "a time stamp that stands still",
        |target| (0..1100).for_each(|_| target.after(0, 39, &[&[1]])),
        &["time-stands", "hidden"],
    ),
    (
        "a time stamp that jumps",
        |target| {
            healthy(target);
            target.after(3_000_000, 39, &[&[1]]);
            healthy(target);
        },
        // The running timer is armed again.
        &["time-jump", "armed-twice clock"],
    ),
    (
        "a target that resets again and again",
        |target| {
            for _ in 0..4 {
                healthy(target);
                target.info();
            }
        },
        &["resets"],
    ),
    (
        "two resets",
        |target| {
            for _ in 0..2 {
                healthy(target);
                target.info();
            }
        },
        &[],
    ),
    ("a failed assertion", |target| target.after(1, 69, &[&[42, 0], b"door\0"]), &["assertion"]),
    (
        "names that never came",
        |target| (0..6).for_each(|state| target.step(8, 5, &[0x0800_9001 + 16 * state])),
        &["no-names states and functions"],
    ),
    ("takes that are masked", |target| (0..80).for_each(|_| target.post(6, 6)), &["hidden"]),
    ("outcomes that are masked", |target| (0..80).for_each(|_| target.step(8, 5, &[CLOSED])), &["hidden"]),
];

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("findings");
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn what_is_planted_is_found_and_nothing_else() {
    for (name, plant, expected) in PLANTED {
        let mut target = Qs::start();
        plant(&mut target);
        let path = folder().join(format!("{}.bin", name.replace(' ', "-")));
        fs::write(&path, &target.bytes).unwrap();
        assert_eq!(found("qs", &[], &path), expected, "{name}");
    }
}

/// A trace in which 1 254 queues were full, the first 20 of them more than once.
pub(crate) fn many_full_queues() -> PathBuf {
    let mut target = Qs::start();
    let mut fill = |queue: u32| {
        let [sender, queue] = [CLOCK, 0x2100_0000 + 16 * queue].map(u32::to_le_bytes);
        for free in [9, 0] {
            target.after(1, 14, &[&sender, &[5, 0], &queue, &[0, 0, free, 0]]);
        }
    };
    for queue in 0..1_254 {
        (0..if queue < 20 { queue + 2 } else { 1 }).for_each(|_| fill(queue));
    }
    let path = folder().join("many-full-queues.bin");
    fs::write(&path, &target.bytes).unwrap();
    path
}

/// A trace in which a queue was full 9 000 times.
pub(crate) fn often_full() -> PathBuf {
    let mut target = Qs::start();
    (0..9_000).for_each(|_| [9, 0].into_iter().for_each(|free| target.post(free, 0)));
    let path = folder().join("often-full.bin");
    fs::write(&path, &target.bytes).unwrap();
    path
}

#[test]
fn thousands_of_findings_of_a_rule_are_a_few_lines_in_every_format() {
    let path = many_full_queues();
    let of_full = |text: &str| text.lines().filter(|line| line.contains("full")).map(str::to_owned).collect::<Vec<_>>();
    let csv = of_full(&printed("csv", "qs", &[], &path));
    assert_eq!(csv.len(), 21, "{csv:?}");
    assert_eq!(csv[19], "full,warning,0x21000130,free 0,21,#427,,#467");
    assert_eq!(csv[20], "full,warning,,and 1 234 more of this rule,1234,,,");
    let text = printed("text", "qs", &[], &path);
    let rest = text.lines().find(|line| line.contains("more of this rule")).unwrap();
    assert_eq!(
        rest.split_whitespace().collect::<Vec<_>>().join(" "),
        "warning full, and 1 234 more of this rule 1 234"
    );
    assert!(text.contains("Begin with what those above have in common"), "{text}");
    assert!(text.lines().count() < 120, "{text}");
    let json: Value = serde_json::from_str(&printed("json", "qs", &[], &path)).unwrap();
    let full = json["findings"].as_array().unwrap().iter().filter(|one| one["finding"] == "full");
    let full: Vec<&Value> = full.collect();
    assert_eq!((full.len(), full[19]["more"].as_u64(), full[20]["more"].as_u64()), (21, None, Some(1_234)));
    assert_eq!((&full[20]["count"], full[20]["evidence"].as_array().map(Vec::len)), (&1_234.into(), Some(0)));
}

/// A Tonbandgerät task that is ready while two others alternate; `rests` = how many ticks of 100 ns each of them runs.
fn starving(rests: u64) -> Vec<u8> {
    let mut target = Tband::default();
    target.core(0, 0).resolution(100);
    // It was suspended once, so it is not the idle task.
    target.run(10, 3).event(0x58, 11, &[3], b"").run(12, 1).event(0x55, 13, &[3], b"");
    let mut now = 13;
    for turn in 0..20 {
        now += rests;
        target.run(now, 1 + turn % 2);
    }
    target.bytes.clone()
}

#[test]
fn a_task_that_waits_for_a_core_is_found_where_the_wait_is_long() {
    for (rests, expected) in [(100_000, &["starved task 3"][..]), (100, &[])] {
        let path = folder().join(format!("starving-{rests}.bin"));
        fs::write(&path, starving(rests)).unwrap();
        assert_eq!(found("tband", &[], &path), expected, "{rests}");
    }
}

/// A minute of the boiler, in which its queue overflows and a task of lower priority blocks others, after which it
/// fails and restarts.
fn boiler(proto: Proto) -> PathBuf {
    let mut target = Target::new(proto, &Faults::default(), 1).unwrap();
    let mut bytes = Vec::new();
    for _ in 0..6_400 {
        target.step();
        target.read(&mut bytes);
    }
    let path = folder().join(format!("boiler-{}-{}.bin", proto.name(), std::process::id()));
    fs::write(&path, &bytes).unwrap();
    path
}

/// When the deadline is missed, the late task waits for a lock, whose holder waits for a task with a priority in
/// between.
#[test]
fn in_the_incident_everything_is_where_it_was() {
    if !AVAILABLE {
        return;
    }
    let path = boiler(Proto::Qs);
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        command.env_remove("SPYTUI_WRITE_DOCS").args(args).args(["--proto", "qs"]);
        String::from_utf8(command.arg(&path).output().unwrap().stdout).unwrap()
    };
    let records = run(&["decode", "--format", "jsonl"]);
    let mut records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let failed = records.find(|record| record["kind"] == "QS_ASSERT_FAIL").unwrap();
    let objects = run(&["stats", "--objects", "--format", "csv", "--at", &format!("#{}", failed["n"])]);
    for state in [
        "task 7,task,blocked Mtx-Blk bus_mutex,",
        "bus_mutex,lock,taken by task 3,",
        "task 3,task,ready,",
        "task 4,task,running,",
        // It has finished its work, as the core was idle since.
        "task 1,task,blocked,",
    ] {
        assert!(objects.lines().any(|line| line.starts_with(state)), "{state}\n{objects}");
    }
}

#[test]
fn the_incident_of_the_demo_is_found() {
    if !AVAILABLE {
        return;
    }
    for (proto, expected) in [
        (
            Proto::Qs,
            &["assertion", "refused readings", "refused supervisor", "full readings", "nearly-full supervisor"][..],
        ),
        (Proto::Rkh, &["assertion", "refused supervisor_queue", "full readings", "full supervisor_queue"]),
        (Proto::Tband, &["starved log_task"]),
        (Proto::Qnx, &["starved log_task:5", "starved supervisor:1"]),
    ] {
        let path = boiler(proto);
        assert_eq!(found(proto.name(), &[], &path), expected, "{proto:?}");
    }
}

/// What is missing in test captures; errors that their targets report.
const LOSSES: [(&str, &[&str]); 11] = [
    ("qs/oven-734-flips.bin", &["missing", "damaged"]),
    ("qs/oven-815-garbage.bin", &["missing", "damaged"]),
    ("qs/oven-734-drops.bin", &["missing", "damaged"]),
    ("rkh-trazer/gh340-default-flip.bin", &["missing", "damaged"]),
    ("tband/boiler_drops.bin", &["dropped"]),
    ("tband/damaged_boiler_flips.bin", &["damaged"]),
    ("tband/damaged_brew_gaps.bin", &["damaged"]),
    ("qnx/fast-2cpu.kev", &["error"]),
    ("qnx/wide-be.kev", &["error"]),
    ("qnx/smp-8.0.kev", &["missing", "dropped", "cut-off"]),
    ("qnx/gaps-damaged.kev", &["missing", "damaged", "cut-off", "error"]),
];

/// A test capture, its options, its other findings, and why they are true.
type Clean = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The ovens refuse posts of FAULT_SIG with a margin (AO-PostA) and blocks (MP-GetA), fill the raw queue of four
/// completely, and send ALARM_SIG to a motor that handles it in no state. Those without dictionaries have no names. The
/// elevators start a timer with a period of 2 to 5 ticks, which fires again before its event is taken, and defer five
/// calls into a queue of five. Functions of RKH have no names unless the application sends them. The damaged boiler has
/// flipped bits in time stamps. Captures of application records alone show no objects.
const CLEAN: [Clean; 29] = [
    ("qs/oven-734.bin", &[], OVEN),
    ("qs/oven-734-flips.bin", &[], OVEN),
    ("qs/oven-815.bin", &[], SHORT_OVEN),
    ("qs/oven-815-garbage.bin", &[], SHORT_OVEN),
    ("qs/oven-734-nodict.bin", &[], SHORT_OVEN),
    (
        "qs/oven-734-drops.bin",
        &["obj-ptr=8", "fun-ptr=8"],
        &[
            "refused 0x411130",
            "refused 0x4112C0",
            "full 0x411100",
            "ignored 0x4112C0",
            "nearly-full 0x411130",
            "nearly-full 0x4112C0",
            "no-names objects",
            "no-names signals",
            "no-names states and functions",
        ],
    ),
    (
        "qs/oven-734-small-assert.bin",
        &[],
        &[
            "assertion",
            "refused AO(l_motor)",
            "refused l_super.mp",
            "full l_super.raw",
            "nearly-full AO(l_motor)",
            "nearly-full l_super.mp",
        ],
    ),
    ("qs/formats-734.bin", &[], &["hidden"]),
    ("rkh-trazer/gh246-default.bin", &[], &["no-names functions"]),
    ("rkh-trazer/gh300-sig1ts1.bin", &[], &["no-names functions"]),
    ("rkh-trazer/gh340-bare.bin", &[], &["no-names functions"]),
    ("rkh-trazer/gh340-default.bin", &[], &["no-names functions"]),
    ("rkh-trazer/gh340-default-flip.bin", &[], &["no-names functions"]),
    (
        "rkh-trazer/el323-sig2.bin",
        &[],
        &[
            "deadline 0x80530AC",
            "deadline m->tmMove",
            "full m->pend",
            "nearly-full cab->equeue",
            "armed-twice m->tmDoor",
            "no-names functions",
        ],
    ),
    (
        "rkh-trazer/el340-wide.bin",
        &[],
        &["deadline 0x80530AC", "deadline m->tmMove", "full m->pend", "ignored doors", "no-names functions"],
    ),
    ("rkh-trazer/el340-filtered.bin", &[], &["deadline m->tmMove", "full m->pend", "armed-twice m->tmDoor"]),
    ("tband/boiler_basic.bin", &[], &[]),
    ("tband/boiler_drops.bin", &[], &[]),
    ("tband/boiler_long_text.bin", &[], &["hidden"]),
    ("tband/brew_stream.bin", &[], &[]),
    ("tband/brew_snapshot.bin", &[], &[]),
    ("tband/brew_late.bin", &[], &[]),
    ("tband/damaged_boiler_flips.bin", &[], &["time-back"]),
    ("tband/damaged_brew_gaps.bin", &[], &[]),
    ("qnx/fast-2cpu.kev", &[], &[]),
    ("qnx/wide-be.kev", &[], &[]),
    ("qnx/qnx71-wide64.kev", &[], &[]),
    ("qnx/smp-8.0.kev", &[], &[]),
    ("qnx/gaps-damaged.kev", &[], &[]),
];

const OVEN: &[&str] = &[
    "refused AO(l_motor)",
    "refused l_super.mp",
    "full l_super.raw",
    "ignored AO(l_motor)",
    "nearly-full AO(l_motor)",
    "nearly-full l_super.mp",
];
/// Shorter: too few ALARM_SIG events.
const SHORT_OVEN: &[&str] = &[
    "refused AO(l_motor)",
    "refused l_super.mp",
    "full l_super.raw",
    "nearly-full AO(l_motor)",
    "nearly-full l_super.mp",
];

#[test]
fn in_the_clean_captures_is_found_what_is_true() {
    for (capture, options, expected) in CLEAN {
        let (folder, file) = capture.split_once('/').unwrap();
        let captures =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(folder).join("tests/captures");
        let path = captures.join(file);
        let cfg = path.with_extension("cfg");
        let cfg = cfg.exists().then(|| format!("cfg={}", cfg.display()));
        let options: Vec<&str> = options.iter().copied().chain(cfg.as_deref()).collect();
        let protocol = folder.split('-').next().unwrap();
        let losses = LOSSES.iter().find(|(of, _)| of == &capture).map_or(&[][..], |(_, losses)| losses);
        assert_eq!(found(protocol, &options, &path), [losses, expected].concat(), "{capture}");
    }
}
