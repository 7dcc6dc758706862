//! RKH as users see it: a first error found and understood, unspecified sizes, response times.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::rig::{folder, spytui};

/// Start of the first step in gh340-default.
const FIRST_STEP: usize = 2240;

fn capture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../decoders/rkh-trazer/tests/captures").join(name)
}

fn args(name: &str) -> [String; 3] {
    ["--proto".into(), "rkh".into(), capture(name).display().to_string()]
}

#[test]
fn a_step_that_begins_the_stream_goes_on_behind_its_transition() {
    let home = folder();
    let file = home.path().join("late.bin");
    let bytes = std::fs::read(capture("gh340-default.bin")).unwrap();
    std::fs::write(&file, &bytes[FIRST_STEP..]).unwrap();
    let mut stage = spytui(["--proto".into(), "rkh".into(), file.display().to_string()]).start();
    stage.shows("│TRN        0x8053180 0x804ECC0 → 0x804EC40");
    stage.types("d");
    stage.shows("└EVT_PROC   0x8053180");
}

#[test]
fn a_frame_that_came_twice_is_in_no_list_of_losses() {
    let mut stage = spytui(args("el340-filtered-mix.bin")).start();
    stage.shows("1 909 rec");
    stage.types("5");
    stage.shows(" lost ≥7 in 7 places");
    stage.shows(" duplicates 5");
    stage.shows(" 3 earlier losses below");
}

#[test]
fn a_tick_rate_in_doubt_is_not_called_unknown() {
    let mut stage = spytui(args("gh340-default.bin")).start();
    stage.shows("1 873 rec");
    stage.types("t");
    stage.shows("time since the row above · no seconds: tick rate in doubt");
}

#[test]
fn the_first_error_is_shown_with_the_bytes_of_the_damaged_frame() {
    let mut stage = spytui(args("gh340-default-flip.bin")).start();
    stage.shows("1 859 rec");
    stage.types("g");
    stage.types("x");
    stage.until("the first loss", |stage| stage.cursor_line().contains("≥1 record lost, nseq 110: frame damaged"));
    stage.shows("expected 110, got 111");
    // The damaged frame itself, and what is uncertain until the step ends.
    stage.shows("68 6e c5 81");
    stage.shows("~CND_NFOUND climate");
    stage.shows("~GET");
    stage.types("5");
    stage.shows("bad checksum 14");
    // They follow everything that reports losses.
    stage.types("   ");
    stage.shows("waited, post to get, ticks (rt)");
    stage.shows("sCOND");
}

#[test]
fn sizes_come_from_a_configuration_where_the_target_reports_none() {
    let mut stage = spytui(args("gh340-notcfg-nosnr.bin")).start();
    stage.shows("No TCFG yet. Guess 100 %: pool-lwm=1");
    stage.shows("sizes: guess");
    let cfg = capture("gh340-notcfg-nosnr.cfg");
    stage.command(&format!("set cfg={} pool-lwm=1", cfg.display()));
    stage.shows("bad 0");
    stage.shows("1 268 rec");
    stage.shows_not("sizes: guess");
    // A version guessed as well is not a size.
    stage.settles();
    stage.shows("sizes: cfg");
    stage.types("G");
    stage.shows("climate");
}

#[test]
fn the_demo_moves() {
    let stage = spytui(["--demo", "rkh"]).start();
    stage.shows("RKH 3.4.00  demo");
    stage.shows("sizes: TCFG");
    stage.shows("EVT_PROC");
    stage.shows("/s");
}

/// Output of a command.
fn printed(args: &[&str], captures: &[&str]) -> String {
    let files = captures.iter().map(|name| capture(name));
    let output = Command::new(env!("CARGO_BIN_EXE_spytui")).args(args).args(["--proto", "rkh"]).args(files).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Count, least, median, 95th percentile and greatest, by nearest rank.
fn figures(mut values: Vec<u64>) -> [u64; 5] {
    values.sort_unstable();
    let rank = |percent: usize| values[(values.len() * percent).div_ceil(100) - 1];
    [values.len() as u64, values[0], rank(50), rank(95), values[values.len() - 1]]
}

type Figures = BTreeMap<(String, String), [u64; 5]>;

/// The figures of `stats` by object and signal.
fn reported(object: &Value) -> Figures {
    let figures = |row: &Value| ["count", "min", "median", "p95", "max"].map(|key| row[key].as_u64().unwrap());
    let key = |row: &Value| ["object", "signal"].map(|key| row[key].as_str().unwrap().to_owned()).into();
    object["rt"].as_array().unwrap().iter().map(|row| (key(row), figures(row))).collect()
}

#[test]
fn response_times_in_the_statistics_are_those_of_the_records() {
    let mut times: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
    for line in printed(&["decode", "--format", "jsonl"], &["gh340-default.bin"]).lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let Some(time) = row["fields"]["rt"].as_u64() else { continue };
        let signal =
            row["names"]["sig"].as_str().map_or_else(|| format!("sig {}", row["fields"]["sig"]), str::to_owned);
        times.entry((row["names"]["ao"].as_str().unwrap().to_owned(), signal)).or_default().push(time);
    }
    let expected: Figures = times.into_iter().map(|(key, values)| (key, figures(values))).collect();
    let stats = printed(&["stats", "--json"], &["gh340-default.bin"]);
    assert_eq!(reported(&serde_json::from_str(&stats).unwrap()), expected);
    // One of them compared with the reference host's text.
    let reference = std::fs::read_to_string(capture("gh340-default.txt")).unwrap();
    let gets = reference.lines().filter(|line| line.contains("SMA | GET") && line.contains("ao=irrig, sig=sTMO_VALVE"));
    let theirs = gets.map(|line| line.split("rt=").nth(1).unwrap().split(',').next().unwrap().parse().unwrap());
    assert_eq!(figures(theirs.collect()), expected[&("irrig".into(), "sTMO_VALVE".into())]);
    let words = printed(&["stats"], &["gh340-default.bin"]);
    let line = words.lines().find(|line| line.contains("sTMO_VALVE")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["irrig", "sTMO_VALVE", "6", "7", "18", "24", "24"]);
}

#[test]
fn response_times_can_be_filtered() {
    let rows = |filter: &[&str]| -> Vec<String> {
        let printed = printed(&[&["decode", "--format", "jsonl"], filter].concat(), &["gh340-default.bin"]);
        printed.lines().filter(|line| line.contains("\"rt\":")).map(str::to_owned).collect()
    };
    let time = |line: &String| serde_json::from_str::<Value>(line).unwrap()["fields"]["rt"].as_u64().unwrap();
    let long: Vec<String> = rows(&[]).into_iter().filter(|line| time(line) > 100).collect();
    assert!(!long.is_empty());
    assert_eq!(rows(&["--filter", "rt>100"]), long);
    assert_eq!(rows(&["--filter", "rt>100ms"]), long, "1 000 ticks a second");
    let mut stage = spytui(args("gh340-default.bin")).start();
    // Before the first row comes, `:goto` is refused and its line stays open.
    stage.shows("1 873 rec");
    stage.command("filter rt>100");
    stage.shows("filter rt>100  hides");
    stage.command("goto first");
    stage.shows("waited");
    stage.command("filter rt:130..140");
    stage.types("\r");
    stage.shows(" rt ");
}

#[test]
fn response_times_are_reported_for_each_source() {
    let captures = ["gh340-default.bin", "gh340-default-flip.bin"];
    let json = |captures: &[&str]| serde_json::from_str::<Value>(&printed(&["stats", "--json"], captures)).unwrap();
    let both = json(&captures);
    assert!(both["rt"].is_null());
    for (source, name) in captures.into_iter().enumerate() {
        assert_eq!(reported(&both["sources"][source]), reported(&json(&[name])), "{name}");
    }
    let words = printed(&["stats"], &captures);
    let (sums, each) = words.split_once("\nsource 0: ").unwrap();
    assert!(!sums.contains("waited, post") && each.matches("waited, post to get").count() == 2, "{words}");
}

#[test]
fn a_step_that_nothing_took_causes_nothing_later() {
    let mut stage = spytui(args("gh340-default.bin")).start();
    stage.shows("1 873 rec");
    stage.types("\r");
    for (record, step) in
        [(1834, Some("#1829: logger's step")), (1700, Some("#1698: climate's step")), (1750, None), (600, None)]
    {
        stage.command(&format!("goto #{record}"));
        stage.shows(&format!("  #{record} @"));
        match step {
            Some(step) => stage.shows(step),
            None => stage.shows_not("'s step"),
        }
    }
}
