//! Subject of each record, by kind, object and signal: from the fields of jsonl, by rules that are written here again,
//! protocol by protocol. Later names count.

use std::collections::HashMap;

use serde_json::Value;

use super::kind_of;

/// Kind, object and signal of a record.
pub(super) type About = [String; 3];

/// Text for unknown subjects.
const NOTHING: &str = "–";

/// Subjects of the records of a protocol.
pub(super) fn about(proto: &str, records: &[Value]) -> Vec<About> {
    match proto {
        "qs" => of_qs(records),
        "rkh" => of_rkh(records),
        "tband" => of_tband(records),
        _ => of_qnx(records),
    }
}

fn field(record: &Value, name: &str) -> Option<u64> {
    record["fields"][name].as_u64()
}

fn text(record: &Value, name: &str) -> String {
    record["fields"][name].as_str().unwrap().to_owned()
}

/// The fields of a record that have a name, with the name.
fn named(record: &Value) -> impl Iterator<Item = (&str, u64, String)> {
    let names = record["names"].as_object().into_iter().flatten();
    names.filter_map(|(of, name)| Some((of.as_str(), field(record, of)?, name.as_str()?.to_owned())))
}

fn or_nothing(name: Option<String>) -> String {
    name.unwrap_or_else(|| NOTHING.to_owned())
}

/// Names of signals, by number and owner.
type Signals = HashMap<(u64, Option<u64>), String>;

/// Names of objects and signals; `owner` returns the owner of a signal.
fn objects_and_signals(records: &[Value], owner: impl Fn(&Value) -> Option<u64>) -> (HashMap<u64, String>, Signals) {
    let (mut objects, mut signals) = (HashMap::new(), HashMap::new());
    for record in records {
        for (of, key, name) in named(record) {
            if of == "sig" {
                signals.insert((key, owner(record)), name);
            } else {
                objects.insert(key, name);
            }
        }
    }
    (objects, signals)
}

fn of_qs(records: &[Value]) -> Vec<About> {
    // The signal of a time event belongs to its receiver.
    let owner = |record: &Value| field(record, "ao").or_else(|| field(record, "obj"));
    let (mut kinds, (objects, signals)) = (HashMap::new(), objects_and_signals(records, owner));
    for record in records {
        if kind_of(record) == "QS_USR_DICT" {
            kinds.insert(record["fields"]["rec"].clone(), text(record, "name"));
        }
    }
    let about = |record: &Value| {
        let object = field(record, if kind_of(record) == "QS_QF_PUBLISH" { "sdr" } else { "obj" });
        let signal = field(record, "sig");
        [
            kinds.get(&record["id"]).cloned().unwrap_or_else(|| kind_of(record).to_owned()),
            or_nothing(object.map(|key| objects.get(&key).cloned().unwrap_or_else(|| format!("0x{key:X}")))),
            or_nothing(signal.map(|signal| {
                signals.get(&(signal, owner(record))).cloned().unwrap_or_else(|| format!("sig {signal}"))
            })),
        ]
    };
    records.iter().map(about).collect()
}

fn of_rkh(records: &[Value]) -> Vec<About> {
    let owner = |record: &Value| field(record, "ao");
    let (mut kinds, (objects, signals)) = (HashMap::new(), objects_and_signals(records, owner));
    for record in records {
        if kind_of(record) == "FWK.TUSR" {
            kinds.insert(format!("USR.{}", record["fields"]["ut"]), text(record, "nm"));
        }
    }
    let about = |record: &Value| {
        let kind = kind_of(record);
        let object = ["q", "mp", "t", "ao", "actor", "obj"].into_iter().find_map(|name| field(record, name));
        // There it is the size of signals.
        let signal = field(record, "sig").filter(|_| kind != "FWK.TCFG");
        [
            kinds.get(kind).cloned().unwrap_or_else(|| kind.to_owned()),
            or_nothing(object.map(|key| objects.get(&key).cloned().unwrap_or_else(|| format!("0x{key:X}")))),
            or_nothing(signal.map(|signal| {
                let name = signals.get(&(signal, owner(record))).or_else(|| signals.get(&(signal, None)));
                name.cloned().unwrap_or_else(|| format!("sig {signal}"))
            })),
        ]
    };
    records.iter().map(about).collect()
}

/// The ids of tband and the words for those without a name.
const IDS: [(&str, &str); 5] = [
    ("task_id", "task"),
    ("isr_id", "isr"),
    ("evtmarker_id", "marker"),
    ("valmarker_id", "value"),
    ("queue_id", "queue"),
];

fn of_tband(records: &[Value]) -> Vec<About> {
    let id = |record: &Value| IDS.iter().find_map(|(of, word)| Some((*of, *word, field(record, of)?)));
    let mut names = HashMap::new();
    for record in records.iter().filter(|record| kind_of(record).ends_with("_name") && record["group"] != "TMK") {
        let (of, _, key) = id(record).unwrap();
        names.insert((of, key), text(record, "name"));
    }
    let name = |of: &'static str, word: &str, key: u64| {
        names.get(&(of, key)).cloned().unwrap_or_else(|| format!("{word} {key}"))
    };
    // Markers of a task, with the task.
    let mut markers: HashMap<(Option<u64>, &str, u64), String> = HashMap::new();
    let mut running: HashMap<String, u64> = HashMap::new();
    let mut rows = Vec::new();
    let mut end = 0;
    for record in records {
        let (kind, lane) = (kind_of(record), record["lane"].to_string());
        let pos = record["pos"].as_u64().unwrap();
        if pos != end {
            // After damage another task may run.
            running.clear();
        }
        end = pos + record["len"].as_u64().unwrap();
        if kind == "task_switched_in" {
            running.insert(lane.clone(), field(record, "task_id").unwrap());
        }
        let task = running.get(&lane).copied();
        let of_task =
            record["group"] == "TMK" || kind.starts_with("curtask_") || matches!(kind, "queue_send" | "queue_receive");
        let object = match id(record) {
            _ if of_task => task.map(|task| name("task_id", "task", task)),
            Some((of, word, key)) => Some(name(of, word, key)),
            None => None,
        };
        let queue = field(record, "queue_id").filter(|_| of_task).map(|queue| name("queue_id", "queue", queue));
        let is_naming = record["group"] == "TMK" && kind.ends_with("_name");
        let marker = id(record).filter(|_| is_naming).map(|_| {
            let key = IDS[2..4].iter().find_map(|(of, _)| Some((task, *of, field(record, of)?))).unwrap();
            markers.insert(key, text(record, "name"));
            key
        });
        rows.push((kind.to_owned(), object, queue, marker));
    }
    let about = |(kind, object, queue, marker): (String, Option<String>, Option<String>, Option<_>)| {
        [kind, or_nothing(object), or_nothing(marker.map(|marker| markers[&marker].clone()).or(queue))]
    };
    rows.into_iter().map(about).collect()
}

fn of_qnx(records: &[Value]) -> Vec<About> {
    let (mut processes, mut threads) = (HashMap::new(), HashMap::new());
    for record in records {
        for (_, key, name) in named(record).filter(|named| named.0 == "pid") {
            processes.insert(key, name);
        }
        if kind_of(record) == "PROCTHREAD_NAME" {
            threads.insert((field(record, "pid"), field(record, "tid")), text(record, "name"));
        }
    }
    let thread = |pid: Option<u64>, tid: Option<u64>| {
        let (pid, tid) = (pid?, tid?);
        let name = threads.get(&(Some(pid), Some(tid))).or_else(|| processes.get(&pid)).cloned();
        Some(format!("{}:{tid}", name.unwrap_or_else(|| pid.to_string())))
    };
    let about = |record: &Value| {
        let (kind, group) = (kind_of(record), record["group"].as_str().unwrap());
        let [pid, tid, interrupt] = ["pid", "tid", "intr"].map(|name| field(record, name));
        let object = match group {
            "THREAD" | "VTHREAD" => thread(pid, tid),
            "PROCESS" if kind == "PROCTHREAD_NAME" => thread(pid, tid),
            "PROCESS" => pid.map(|pid| processes.get(&pid).cloned().unwrap_or_else(|| format!("pid {pid}"))),
            _ if group.starts_with("INT_") && interrupt.is_some() => {
                interrupt.map(|irq| if irq < 1 << 16 { format!("irq {irq}") } else { format!("irq 0x{irq:X}") })
            }
            "CONTROL" => None,
            _ => thread(record["owner"]["pid"].as_u64(), record["owner"]["tid"].as_u64()),
        };
        let signal = match group {
            "KER_CALL" | "KER_EXIT" => Some(kind.trim_end_matches("|64").to_owned()),
            "USER" => Some(format!("user-event {}", record["id"])),
            _ => None,
        };
        [kind.to_owned(), or_nothing(object), or_nothing(signal)]
    };
    records.iter().map(about).collect()
}
