//! Statistics of captures compared with figures computed from `decode --format jsonl` by independent, simple code,
//! which knows each protocol by the names of its records.
//!
//! | module | what is in it |
//! |---|---|
//! | `names` | subject of each record |
//! | `rates` | records and bytes by kind, object and signal |
//! | `levels` | fill levels of queues and pools, fewest and last |
//! | `parts` | streams and live sources, format files and other decoders |

mod levels;
mod names;
mod parts;
mod rates;

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;
const OVEN: [&str; 2] = ["qs", "qs/tests/captures/oven-734.bin"];
const GREENHOUSE: [&str; 2] = ["rkh", "rkh-trazer/tests/captures/gh340-default.bin"];
const BREW: [&str; 2] = ["tband", "tband/tests/captures/brew_stream.bin"];
const KERNEL: [&str; 2] = ["qnx", "qnx/tests/captures/fast-2cpu.kev"];
const SIZES: [&str; 4] = ["-o", "obj-ptr=8", "-o", "fun-ptr=8"];

fn run(command: &str, format: &str, [proto, capture]: [&str; 2], more: &[&str]) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(capture);
    let home = tempfile::tempdir().unwrap();
    // Its start with the sizes is lost.
    let sizes: &[&str] = if capture.ends_with("oven-734-drops.bin") { &SIZES } else { &[] };
    let mut spytui = Command::new(env!("CARGO_BIN_EXE_spytui"));
    spytui.args([command, "--proto", proto, "--format", format]).args(sizes).args(more).arg(file);
    let output = spytui.env("HOME", home.path()).env_remove("XDG_CONFIG_HOME").stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{more:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The records of a capture.
fn records(capture: [&str; 2]) -> Vec<Value> {
    let lines = run("decode", "jsonl", capture, &[]);
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == "record").collect()
}

/// Values with the number of the record, by names.
type Values = BTreeMap<Vec<String>, Vec<(u64, u64)>>;

#[test]
fn shares_of_states_are_of_all_the_time_in_them() {
    let printed = run("stats", "json", ["qs", "qs/tests/captures/oven-734-flips.bin"], &["--measure", "state"]);
    let object: Value = serde_json::from_str(&printed).unwrap();
    let mut shares: BTreeMap<&str, u64> = BTreeMap::new();
    for row in object["measures"][0]["rows"].as_array().unwrap() {
        *shares.entry(row["object"].as_str().unwrap()).or_default() += row["share_permille"].as_u64().unwrap();
        // The state at the end counts, too.
        assert!(row["total"].as_u64().unwrap() >= row["open"].as_u64().unwrap_or(1), "{row}");
    }
    assert!(shares.len() >= 3 && shares.values().all(|sum| (998..=1002).contains(sum)), "{shares:?}");
}

/// Compares a table of `stats` with values computed elsewhere; `within` = allowed difference, as the `ns` of jsonl are
/// rounded individually.
fn same(capture: [&str; 2], measure: &str, by: &str, expected: &Values, within: u64) {
    let printed = run("stats", "json", capture, &["--measure", measure, "--by", by]);
    let object: Value = serde_json::from_str(&printed).unwrap();
    let table = &object["measures"][0];
    let what = format!("{capture:?} {measure} by {by}");
    let name = |row: &Value| by.split(',').map(|column| row[column].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let rows: BTreeMap<Vec<String>, &Value> =
        table["rows"].as_array().unwrap().iter().map(|row| (name(row), row)).collect();
    assert!(!expected.is_empty(), "{what}: nothing to compare");
    assert_eq!(rows.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{what}");
    for (names, values) in expected {
        let row = rows[names];
        let mut sorted: Vec<u64> = values.iter().map(|value| value.0).collect();
        sorted.sort_unstable();
        let rank = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100) - 1];
        let figures =
            [("min", sorted[0]), ("median", rank(50)), ("p95", rank(95)), ("p99", rank(99)), ("max", rank(100))];
        for (figure, value) in figures {
            let found = row[figure].as_u64().unwrap();
            assert!(found.abs_diff(value) <= within, "{what} {names:?}: {figure} {found}, not {value}");
        }
        assert_eq!(row["count"], values.len(), "{what} {names:?}");
        let total: u64 = sorted.iter().sum();
        let summed = row["total"].as_u64().unwrap_or(total);
        assert!(summed.abs_diff(total) <= within * values.len() as u64, "{what} {names:?}: {summed}, not {total}");
        let at = |end: u64| values.iter().filter(|(value, _)| *value == end).map(|(_, n)| *n).min().unwrap();
        if within == 0 {
            assert_eq!(row["max_at"], at(rank(100)), "{what} {names:?}");
            assert_eq!(row["min_at"], at(sorted[0]), "{what} {names:?}");
        }
        let bins = row["histogram"].as_array().unwrap();
        for bin in bins {
            let (from, to) = (bin["from"].as_u64().unwrap(), bin["to"].as_u64().unwrap());
            if within == 0 {
                let inside = sorted.iter().filter(|value| (from..=to).contains(*value)).count();
                assert_eq!(bin["count"], inside, "{what} {names:?}: {from} to {to}");
            }
        }
        let in_bins: u64 = bins.iter().map(|bin| bin["count"].as_u64().unwrap()).sum();
        assert_eq!(in_bins, values.len() as u64, "{what} {names:?}");
    }
}

fn time(record: &Value) -> u64 {
    record["time"].as_u64().unwrap()
}

fn n(record: &Value) -> u64 {
    record["n"].as_u64().unwrap()
}

fn kind_of(record: &Value) -> &str {
    record["kind"].as_str().unwrap()
}

/// The name of a field that is an id, or its word without one.
fn named(record: &Value, field: &str, word: &str) -> String {
    let name = record["names"][field].as_str().map(str::to_owned);
    let id = record["fields"][field].as_u64().unwrap();
    name.unwrap_or_else(|| if word.is_empty() { format!("0x{id:X}") } else { format!("{word} {id}") })
}

#[test]
fn rates_are_those_of_the_lines() {
    for capture in [OVEN, GREENHOUSE, BREW, KERNEL] {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // Names given to kinds by the target are not in jsonl.
        for by in ["group", "core", "group,core"] {
            let mut values = Values::new();
            for record in records(capture) {
                let core = if record["lane"].is_null() { "0".to_owned() } else { text(&record["lane"]) };
                let group = if capture == KERNEL { None } else { record["group"].as_str() };
                let names = by.split(',').map(|column| match column {
                    "core" => core.clone(),
                    _ => group.unwrap_or_default().to_owned(),
                });
                values.entry(names.collect()).or_default().push((record["len"].as_u64().unwrap(), n(&record)));
            }
            // The groups of QNX have other words there.
            if capture != KERNEL || by == "core" {
                same(capture, "rate", by, &values, 0);
            }
        }
    }
}

/// Stages of events, by object and signal.
#[derive(Default)]
struct Way {
    wait: Values,
    latency: Values,
    step: Values,
    response: Values,
    queues: HashMap<String, VecDeque<(String, u64)>>,
    taken: HashMap<String, (String, u64)>,
    steps: HashMap<String, (String, u64, Option<u64>)>,
}

impl Way {
    fn add(values: &mut Values, object: &str, signal: &str, begin: u64, record: &Value) {
        let names = vec![object.to_owned(), signal.to_owned()];
        values.entry(names).or_default().push((time(record) - begin, n(record)));
    }

    fn posted(&mut self, object: &str, signal: String, record: &Value, is_in_front: bool) {
        let queue = self.queues.entry(object.to_owned()).or_default();
        if is_in_front {
            queue.push_front((signal, time(record)));
        } else {
            queue.push_back((signal, time(record)));
        }
    }

    fn got(&mut self, object: &str, signal: &str, record: &Value) {
        self.taken.remove(object);
        let Some((posted, at)) = self.queues.entry(object.to_owned()).or_default().pop_front() else { return };
        assert_eq!(posted, signal, "#{}: another event is taken", n(record));
        Way::add(&mut self.wait, object, signal, at, record);
        self.taken.insert(object.to_owned(), (posted, at));
    }

    fn dispatched(&mut self, object: &str, signal: String, record: &Value) {
        let post = self.taken.remove(object).filter(|(taken, _)| *taken == signal).map(|(_, at)| at);
        if let Some(at) = post {
            Way::add(&mut self.latency, object, &signal, at, record);
        }
        self.steps.insert(object.to_owned(), (signal, time(record), post));
    }

    fn done(&mut self, object: &str, record: &Value) {
        let Some((signal, begin, post)) = self.steps.remove(object) else { return };
        Way::add(&mut self.step, object, &signal, begin, record);
        if let Some(post) = post {
            Way::add(&mut self.response, object, &signal, post, record);
        }
    }

    fn check(&self, capture: [&str; 2]) {
        same(capture, "wait", "object,signal", &self.wait, 0);
        same(capture, "latency", "object,signal", &self.latency, 0);
        same(capture, "step", "object,signal", &self.step, 0);
        same(capture, "response", "object,signal", &self.response, 0);
        for (measure, values) in [("step", &self.step), ("wait", &self.wait)] {
            let mut by_signal = Values::new();
            for (names, values) in values {
                by_signal.entry(vec![names[1].clone()]).or_default().extend(values);
            }
            same(capture, measure, "signal", &by_signal, 0);
        }
    }
}

#[test]
fn times_of_events_are_those_of_qs() {
    let mut way = Way::default();
    for record in records(OVEN) {
        let names = || (named(&record, "obj", ""), named(&record, "sig", "sig"));
        match kind_of(&record) {
            "QS_QF_ACTIVE_POST" | "QS_QF_EQUEUE_POST" => way.posted(&names().0, names().1, &record, false),
            "QS_QF_ACTIVE_POST_LIFO" | "QS_QF_EQUEUE_POST_LIFO" => way.posted(&names().0, names().1, &record, true),
            "QS_QF_ACTIVE_GET" | "QS_QF_ACTIVE_GET_LAST" | "QS_QF_EQUEUE_GET" | "QS_QF_EQUEUE_GET_LAST" => {
                way.got(&names().0, &names().1, &record);
            }
            "QS_QEP_DISPATCH" => way.dispatched(&names().0, names().1, &record),
            "QS_QEP_INTERN_TRAN" | "QS_QEP_TRAN" | "QS_QEP_IGNORED" => way.done(&names().0, &record),
            _ => {}
        }
    }
    way.check(OVEN);
}

#[test]
fn times_of_events_are_those_of_rkh() {
    let mut way = Way::default();
    for record in records(GREENHOUSE) {
        let ao = || named(&record, "ao", "");
        match kind_of(&record) {
            "SMA.FIFO" => way.posted(&ao(), named(&record, "sig", "sig"), &record, false),
            "SMA.LIFO" => way.posted(&ao(), named(&record, "sig", "sig"), &record, true),
            "SMA.GET" => way.got(&ao(), &named(&record, "sig", "sig"), &record),
            "SM.DCH" => way.dispatched(&ao(), named(&record, "sig", "sig"), &record),
            "SM.EVT_PROC" | "SM.EVT_NFOUND" | "SM.GRD_FALSE" | "SM.CND_NFOUND" => way.done(&ao(), &record),
            _ => {}
        }
    }
    way.check(GREENHOUSE);
}

#[test]
fn times_of_tasks_and_interrupts_are_those_of_tband() {
    let (mut interrupts, mut ready, mut runs) = (Values::new(), Values::new(), Values::new());
    let mut entered: HashMap<String, u64> = HashMap::new();
    let mut ready_since: HashMap<String, u64> = HashMap::new();
    // The running task, since when, and whether it waits when it is switched out.
    let mut current: Option<(String, u64, bool)> = None;
    // Time in which any interrupt is active, as they may be nested.
    let (mut active, mut interrupted) = (0, 0);
    // One tick is 100 ns.
    let add = |values: &mut Values, name: &str, begin: u64, record: &Value| {
        values.entry(vec![name.to_owned()]).or_default().push(((time(record) - begin) * 100, n(record)));
    };
    for record in records(BREW) {
        let task = || named(&record, "task_id", "task");
        match kind_of(&record) {
            "isr_enter" => {
                active = if entered.is_empty() { time(&record) } else { active };
                entered.insert(named(&record, "isr_id", "isr"), time(&record));
            }
            "isr_exit" => {
                let name = named(&record, "isr_id", "isr");
                let is_last = entered.len() == 1 && entered.contains_key(&name);
                interrupted += if is_last { (time(&record) - active) * 100 } else { 0 };
                if let Some(begin) = entered.remove(&name) {
                    add(&mut interrupts, &name, begin, &record);
                }
            }
            "task_to_rdy_state" | "task_resumed" | "task_resumed_from_isr"
                if current.as_ref().is_none_or(|current| current.0 != task()) =>
            {
                ready_since.entry(task()).or_insert(time(&record));
            }
            "task_switched_in" => {
                if current.as_ref().is_some_and(|current| current.0 == task() && !current.2) {
                    continue;
                }
                if let Some((former, since, waits)) = current.take() {
                    add(&mut runs, &former, since, &record);
                    if !waits {
                        ready_since.insert(former, time(&record));
                    }
                }
                if let Some(begin) = ready_since.remove(&task()) {
                    add(&mut ready, &task(), begin, &record);
                }
                current = Some((task(), time(&record), false));
            }
            kind if kind.starts_with("curtask_") || matches!(kind, "task_suspended" | "task_deleted") => {
                if let Some(current) = &mut current {
                    current.2 = true;
                }
            }
            _ => {}
        }
    }
    same(BREW, "interrupt", "object", &interrupts, 0);
    same(BREW, "ready", "object", &ready, 0);
    same(BREW, "run", "object", &runs, 0);
    let ran: u64 = runs.values().flatten().map(|value| value.0).sum();
    let total = |rows: &Value| rows.as_array().unwrap().iter().map(|row| row["total"].as_u64().unwrap()).sum::<u64>();
    let printed: Value =
        serde_json::from_str(&run("stats", "json", BREW, &["--measure", "cpu", "--by", "object"])).unwrap();
    let all = total(&printed["measures"][0]["rows"]);
    // Tasks do not run while an interrupt does; interrupts before the first task also count, and what runs at the end
    // is open.
    assert!(all.abs_diff(ran) <= interrupted, "{all} {ran}");
    let handlers: u64 = printed["measures"][0]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| interrupts.contains_key(&vec![row["object"].as_str().unwrap().to_owned()]))
        .map(|row| row["total"].as_u64().unwrap())
        .sum();
    assert_eq!(handlers, interrupted);
}

#[test]
fn times_of_messages_and_calls_are_those_of_qnx() {
    let (mut receive, mut reply, mut calls) = (Values::new(), Values::new(), Values::new());
    let mut sent: HashMap<(u64, u64), (u64, [u64; 2])> = HashMap::new();
    let mut called: HashMap<([u64; 2], [u64; 2]), u64> = HashMap::new();
    let ns = |record: &Value| record["ns"].as_u64().unwrap();
    for record in records(KERNEL) {
        let number = |field: &str| record["fields"][field].as_u64().unwrap_or(0);
        let owner = [&record["owner"]["pid"], &record["owner"]["tid"]].map(|id| id.as_u64().unwrap_or(0));
        let name = || vec![record["owner"]["name"].as_str().unwrap().to_owned()];
        match kind_of(&record) {
            call if record["fields"]["took"].is_u64() => {
                let names = vec![name()[0].clone(), call.to_owned()];
                calls.entry(names).or_default().push((number("took"), n(&record)));
            }
            "SND_MESSAGE" => _ = sent.insert((number("rcvid"), number("pid")), (ns(&record), owner)),
            "REC_MESSAGE" => {
                if let Some((begin, client)) = sent.remove(&(number("rcvid"), number("pid"))) {
                    receive.entry(name()).or_default().push((ns(&record) - begin, n(&record)));
                    called.insert((client, owner), begin);
                }
            }
            "REPLY_MESSAGE" | "MSG_ERROR" => {
                if let Some(begin) = called.remove(&([number("pid"), number("tid")], owner)) {
                    reply.entry(name()).or_default().push((ns(&record) - begin, n(&record)));
                }
            }
            _ => {}
        }
    }
    same(KERNEL, "receive", "object", &receive, 1);
    same(KERNEL, "reply", "object", &reply, 1);
    same(KERNEL, "span", "object,signal", &calls, 1);
}

/// Intervals that contain a loss are not measured, as is reported.
#[test]
fn what_records_do_not_say_is_counted_and_not_estimated() {
    let drops = ["qs", "qs/tests/captures/oven-734-drops.bin"];
    let tables = run("stats", "json", drops, &["--measure", "wait,step", "--by", "kind"]);
    let tables: Value = serde_json::from_str(&tables).unwrap();
    let [wait, step] = [0, 1].map(|at| &tables["measures"][at]);
    let (of_wait, of_step) = (wait["notes"].to_string(), step["notes"].to_string());
    assert!(of_step.contains("not counted: records were lost between begin and end"), "{of_step}");
    assert!(of_wait.contains("the rate of the target's clock is not known: times are in ticks"), "{of_wait}");
    // The decoder itself measures the waits of active objects, and also discards those across a loss.
    let mut own = Values::new();
    for record in records(drops) {
        if let Some(rt) = record["fields"]["rt"].as_u64() {
            own.entry(vec![kind_of(&record).to_owned()]).or_default().push((rt, n(&record)));
        }
    }
    assert_eq!(own.len(), 2);
    for (names, values) in own {
        let rows = wait["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["kind"] == names[0]).unwrap();
        let greatest = values.iter().map(|value| value.0).max().unwrap();
        assert_eq!((row["count"].as_u64(), row["max"].as_u64()), (Some(values.len() as u64), Some(greatest)));
    }
}

#[test]
fn tables_have_any_column_in_any_order_in_every_format() {
    let csv = run("stats", "csv", OVEN, &["--measure", "step", "--by", "object", "--sort", "count"]);
    let counts: Vec<u64> = csv.lines().skip(1).map(|line| line.split(',').nth(7).unwrap().parse().unwrap()).collect();
    assert!(counts.len() > 3 && counts.is_sorted_by(|a, b| a >= b), "{csv}");
    let reversed = run("stats", "csv", OVEN, &["--measure", "step", "--by", "object", "--sort", "count", "--reverse"]);
    assert_eq!(reversed.lines().nth(1), csv.lines().last());
    let text = run("stats", "text", OVEN, &["--by", "all"]);
    assert!(
        text.contains("rate, records and bytes, by all") && text.contains("step, run to completion, ticks"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let empty = run("stats", "text", OVEN, &["--measure", "interrupt"]);
    assert!(empty.contains("no record shows an interrupt entered and left"), "{empty}");
}
