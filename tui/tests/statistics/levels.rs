//! Fill levels of queues and pools: fewest free and most used elements, and the last ones.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::{BREW, GREENHOUSE, KERNEL, OVEN, kind_of, n, names::about, records, run};

/// For each protocol with levels, two captures, and one with damage or loss.
const CAPTURES: [[&str; 2]; 9] = [
    OVEN,
    ["qs", "qs/tests/captures/oven-815.bin"],
    ["qs", "qs/tests/captures/oven-734-flips.bin"],
    GREENHOUSE,
    ["rkh", "rkh-trazer/tests/captures/el323-sig2.bin"],
    ["rkh", "rkh-trazer/tests/captures/gh340-default-flip.bin"],
    BREW,
    ["tband", "tband/tests/captures/brew_late.bin"],
    ["tband", "tband/tests/captures/damaged_brew_gaps.bin"],
];

/// Levels with the numbers of the records.
#[derive(Default)]
struct Levels {
    free: Vec<(u64, u64)>,
    /// Fewest free elements, as reported by the target.
    fewest: Vec<(u64, u64)>,
    used: Vec<(u64, u64)>,
    /// Number of free and used elements in the last record.
    last: [Option<u64>; 2],
}

impl Levels {
    fn free(&mut self, record: &Value, free: &str, fewest: &str) {
        let field = |name| record["fields"][name].as_u64();
        self.free.extend(field(free).map(|free| (free, n(record))));
        self.fewest.extend(field(fewest).filter(|fewest| *fewest > 0).map(|fewest| (fewest, n(record))));
        self.last = [field(free), None];
    }

    fn used(&mut self, record: &Value, used: u64) {
        self.used.push((used, n(record)));
        self.last = [None, Some(used)];
    }
}

/// The levels of each object, by name.
fn levels(proto: &str, records: &[Value]) -> BTreeMap<String, Levels> {
    let mut all: BTreeMap<String, Levels> = BTreeMap::new();
    let mut pools: HashMap<u64, String> = HashMap::new();
    let mut queues: HashMap<u64, String> = HashMap::new();
    for record in records {
        let text = |name: &str| record["fields"][name].as_str().unwrap().to_owned();
        let number = |name: &str| record["fields"][name].as_u64();
        match kind_of(record) {
            "FWK.EPOOL" => _ = pools.insert(number("ep").unwrap(), text("nm")),
            "queue_name" => _ = queues.insert(number("queue_id").unwrap(), text("name")),
            _ => {}
        }
    }
    for (record, [_, object, _]) in records.iter().zip(about(proto, records)) {
        let number = |name: &str| record["fields"][name].as_u64();
        match kind_of(record) {
            // At first all of it is free.
            "MP.INIT" => all.entry(object).or_default().free(record, "nb", ""),
            kind if kind.starts_with("MP.") => all.entry(object).or_default().free(record, "nfree", "nmin"),
            kind if kind.ends_with("GET_LAST") || kind == "RQ.DPT" => {
                // It reports that nothing is left, but without a number, so nothing is measured.
                all.entry(object).or_default().last = [None, Some(0)];
            }
            kind if kind.starts_with("QS_") && number("free").is_some() => {
                all.entry(object).or_default().free(record, "free", "min");
            }
            "RQ.FIFO" | "RQ.LIFO" | "RQ.GET" | "SMA.FIFO" | "SMA.LIFO" | "SMA.GET" => {
                let levels = all.entry(object).or_default();
                levels.used(record, number("nelem").unwrap());
                levels.fewest.extend(number("nmin").filter(|min| *min > 0).map(|min| (min, n(record))));
            }
            "FWK.AE" | "FWK.GCR" => {
                let pool = number("pid").unwrap();
                let name = pools.get(&pool).cloned().unwrap_or_else(|| format!("pool {pool}"));
                all.entry(name).or_default().used(record, number("nb").unwrap());
            }
            kind if kind.starts_with("queue_") => {
                let Some(used) = number("len_after").or_else(|| number("length")) else { continue };
                let queue = number("queue_id").unwrap();
                let name = queues.get(&queue).cloned().unwrap_or_else(|| format!("queue {queue}"));
                all.entry(name).or_default().used(record, used);
            }
            _ => {}
        }
    }
    all
}

/// The first record with the greatest value.
fn most(values: &[(u64, u64)]) -> Option<(u64, u64)> {
    let most = values.iter().map(|value| value.0).max()?;
    values.iter().find(|value| value.0 == most).copied()
}

/// The first record with the least value.
fn least(values: &[(u64, u64)]) -> Option<(u64, u64)> {
    values.iter().min().copied()
}

#[test]
fn levels_are_those_of_the_lines() {
    for capture in CAPTURES {
        let records = records(capture);
        let expected = levels(capture[0], &records);
        let tables = run("stats", "json", capture, &["--measure", "free,used", "--by", "object"]);
        let tables: Value = serde_json::from_str(&tables).unwrap();
        let mut compared = 0;
        for (table, is_free) in [(0, true), (1, false)] {
            let rows = tables["measures"][table]["rows"].as_array().unwrap();
            let rows: BTreeMap<&str, &Value> = rows.iter().map(|row| (row["object"].as_str().unwrap(), row)).collect();
            let wanted = expected.iter().filter(|(_, levels)| {
                if is_free { levels.free.len() + levels.fewest.len() > 0 } else { !levels.used.is_empty() }
            });
            let wanted: BTreeMap<&str, &Levels> = wanted.map(|(name, levels)| (name.as_str(), levels)).collect();
            assert_eq!(rows.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{capture:?} {is_free}");
            for (name, levels) in wanted {
                let values = if is_free { &levels.free } else { &levels.used };
                let lowest = if is_free { [&levels.free[..], &levels.fewest].concat() } else { levels.used.clone() };
                let pair = |at: &str, value: &str| Some((rows[name][value].as_u64()?, rows[name][at].as_u64()?));
                assert_eq!(rows[name]["count"], values.len(), "{capture:?} {name}");
                assert_eq!(pair("min_at", "min"), least(&lowest), "{capture:?} {name}");
                assert_eq!(pair("max_at", "max"), most(values), "{capture:?} {name}");
                compared += 1;
            }
        }
        assert!(compared > 8, "{capture:?}: {compared}");
    }
}

#[test]
fn the_last_levels_are_those_of_the_lines() {
    for capture in CAPTURES {
        let expected = levels(capture[0], &records(capture));
        let objects: Value = serde_json::from_str(&run("stats", "json", capture, &["--objects"])).unwrap();
        for (name, levels) in expected {
            let mut named = objects["objects"].as_array().unwrap().iter().filter(|object| object["object"] == *name);
            let object = named.find(|object| object["min_free"].is_u64() || object["max_used"].is_u64());
            let object = object.unwrap_or_else(|| panic!("{capture:?}: no level of {name}"));
            let found = ["free", "used"].map(|key| object[key].as_u64());
            assert_eq!(found, levels.last, "{capture:?} {name}");
            let fewest = least(&[&levels.free[..], &levels.fewest].concat()).map(|least| least.0);
            assert_eq!(object["min_free"].as_u64(), fewest, "{capture:?} {name}");
            let used = most(&levels.used).map(|most| most.0);
            assert_eq!(object["max_used"].as_u64(), used, "{capture:?} {name}");
        }
    }
}

/// If no record reports a level, none is invented.
#[test]
fn there_are_no_levels_without_records_of_them() {
    for capture in
        [KERNEL, ["qnx", "qnx/tests/captures/gaps-damaged.kev"], ["tband", "tband/tests/captures/boiler_basic.bin"]]
    {
        let tables = run("stats", "json", capture, &["--measure", "free,used", "--by", "object"]);
        let tables: Value = serde_json::from_str(&tables).unwrap();
        for table in tables["measures"].as_array().unwrap() {
            assert_eq!(table["rows"].as_array().unwrap().len(), 0, "{capture:?}");
        }
    }
}
