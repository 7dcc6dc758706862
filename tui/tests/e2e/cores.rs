//! Several sources of one target: files of one core each, as lines and on the screen. The test protocol has cores.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use spytui_testing_decoder::frame::line;
use tempfile::TempDir;

use crate::rig::{Stage, capture, folder, set_environment, spytui};

/// The test protocol's library from the test build.
pub fn toy() -> PathBuf {
    let path = std::env::current_exe().unwrap().parent().unwrap().join("libspytui_testing_plugin.so");
    assert!(path.exists(), "{} was not built", path.display());
    path
}

/// Frames of one core.
fn frames(core: u8, texts: &[&str]) -> Vec<u8> {
    (0..).zip(texts).flat_map(|(seq, text)| line(core, seq, text)).collect()
}

/// Files of two cores: core 1 continues when core 0 has fallen silent, and reports the rate only at its end.
fn two_cores() -> TempDir {
    let folder = folder();
    let zero = frames(0, &["N 10 7 valve", "S 10 7 1", "S 20 7 2", "S 30 7 3"]);
    let one = frames(1, &["N 10 8 pump", "S 15 8 1", "S 18 7 9", "S 35 8 2", "S 40 8 3", "K 3e8 1"]);
    fs::write(folder.path().join("core0.bin"), zero).unwrap();
    fs::write(folder.path().join("core1.bin"), one).unwrap();
    folder
}

/// Runs the program with the test protocol in a folder.
fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    let set = |name: &str, value| {
        command.env(name, value);
    };
    set_environment(set, &folder.join("home"));
    let (first, rest) = args.split_first().unwrap();
    let plugin = toy();
    let options = ["--plugin", plugin.to_str().unwrap(), "--proto", "toy"];
    let args = [first].into_iter().chain(&options).chain(rest);
    command.args(args).stdin(Stdio::null()).current_dir(folder).output().unwrap()
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

const TWO: [&str; 2] = ["core0.bin@0", "core1.bin@1"];
/// Objects and levels in time order; nothing after core 0 fell silent is lost.
const ORDER: [&str; 7] = ["valve = 1", "pump = 1", "valve = 9", "valve = 2", "valve = 3", "pump = 2", "pump = 3"];

/// The last three words of lines with a level.
fn levels(text: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let levels = text.lines().filter(|line| line.contains(" = ") && !line.contains("─ Records")).map(words);
    levels.map(|words| words[words.len() - 3..].join(" ")).collect()
}

#[test]
fn two_cores_are_one_list_in_every_format() {
    let folder = two_cores();
    let decode = |format| run(folder.path(), &[&["decode", "--format", format][..], &TWO].concat());
    let native = text(&decode("native"));
    assert_eq!(levels(&native), ORDER, "{native}");
    // The rate is reported at the end and applies from the beginning.
    assert!(native.contains(" 0.000 016 ") && native.contains(" 0.000 064 "), "{native}");

    let reference = text(&decode("reference"));
    assert_eq!(levels(&reference), ORDER, "{reference}");
    let alone = text(&run(folder.path(), &["decode", "--format", "reference", TWO[0]]));
    let mut merged = reference.lines();
    assert!(alone.lines().all(|line| merged.any(|l| l == line)), "{alone} in\n{reference}");

    let jsonl = text(&decode("jsonl"));
    let rows: Vec<serde_json::Value> = jsonl.lines().skip(1).map(|l| serde_json::from_str(l).unwrap()).collect();
    let timed: Vec<(u64, u64, u64)> =
        rows.iter().filter_map(|r| Some((r["ns"].as_u64()?, r["source"].as_u64()?, r["lane"].as_u64()?))).collect();
    assert_eq!(timed.len(), 7, "{jsonl}");
    assert!(timed.is_sorted_by_key(|t| t.0) && timed.iter().all(|t| t.1 == t.2), "{timed:?}");
    assert!(rows.iter().all(|r| r["source"].is_u64()), "{jsonl}");
    let csv = text(&decode("csv"));
    assert!(csv.starts_with("type,source,n,pos,") && csv.lines().nth(1).unwrap().starts_with("record,0,1,0,"), "{csv}");
}

#[test]
fn lines_are_those_of_decode_and_each_source_is_recorded() {
    let folder = two_cores();
    let decoded = run(folder.path(), &[&["decode", "--format", "jsonl"][..], &TWO].concat());
    let lines = run(folder.path(), &[&["--headless", "--format", "jsonl", "--record", "run"][..], &TWO].concat());
    assert_eq!(text(&decoded), text(&lines));
    for (copy, original) in [("run.c0.bin", "core0.bin"), ("run.c1.bin", "core1.bin")] {
        assert_eq!(fs::read(folder.path().join(copy)).unwrap(), fs::read(folder.path().join(original)).unwrap());
    }
}

#[test]
fn counters_are_reported_for_each_source_and_add_up() {
    let folder = two_cores();
    let stats = run(folder.path(), &[&["stats", "--json"][..], &TWO].concat());
    let object: serde_json::Value = serde_json::from_str(&text(&stats)).unwrap();
    let of = |value: &serde_json::Value, key: &str| value[key].as_u64().unwrap();
    let sources = object["sources"].as_array().unwrap();
    for key in ["bytes", "record_bytes", "records", "pending_bytes", "gaps"] {
        assert_eq!(of(&object, key), sources.iter().map(|s| of(s, key)).sum::<u64>(), "{key}");
    }
    assert_eq!((of(&sources[0], "records"), of(&sources[1], "records")), (4, 6));
    assert_eq!(sources[1]["name"], "core1.bin@1");
    let words = text(&run(folder.path(), &[&["stats"][..], &TWO].concat()));
    assert!(words.contains("source 1: core1.bin@1") && words.matches("adds up").count() == 3, "{words}");
}

#[test]
fn a_file_whose_name_ends_like_a_core_can_be_opened() {
    let folder = folder();
    let copy = |name: &str| fs::copy(capture("oven-734.bin"), folder.path().join(name)).unwrap();
    copy("log@0");
    let core = |file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        let set = |name: &str, value| {
            command.env(name, value);
        };
        set_environment(set, &folder.path().join("home"));
        let args = ["decode", "--proto", "qs", "--format", "jsonl", file, "log@0@7"];
        let output = command.args(args).current_dir(folder.path()).output().unwrap();
        let text = text(&output);
        let rows = text.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
        rows.filter(|row| row["source"] == 0).map(|row| row["lane"].as_u64().unwrap()).next().unwrap()
    };
    assert_eq!((core("log@0"), core("./log@0@1"), core("log@0@1")), (0, 1, 1));
    // The whole name takes precedence while it exists; another notation of the number names the core.
    copy("log");
    assert_eq!((core("log@0"), core("log@05")), (0, 5));
}

#[test]
fn what_can_not_be_opened_is_said() {
    let folder = two_cores();
    for (args, code, text) in [
        (["core0.bin@0", "core2.bin@1"], 3, "core2.bin: no such file. Nearest here: core0.bin."),
        (["-", "-"], 2, "- is given twice: stdin can be read only once"),
        (["core0.bin@0", "core1.bin@70000"], 2, "core 70000 is too large; @N takes 0 to 65534"),
        (["core0.bin", "tcp:127.0.0.1:1"], 2, "decode reads files and stdin"),
    ] {
        let output = run(folder.path(), &[&["decode"][..], &args].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert!(stderr.contains(text) && stderr.lines().count() == 1, "{args:?}: {stderr}");
        assert!(output.stdout.is_empty());
    }
}

/// The program on a terminal with both cores.
fn stage(folder: &Path) -> Stage {
    let plugin = toy();
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let options = ["--plugin", plugin.to_str().unwrap(), "--proto", "toy"].map(str::to_owned);
    spytui(options.into_iter().chain([file("core0.bin@0"), file("core1.bin@1")])).start()
}

#[test]
fn two_files_are_one_list_on_the_screen() {
    let folder = two_cores();
    let mut stage = stage(folder.path());
    stage.shows("2 sources: core0.bin core1.bin");
    stage.shows("file 100 %");
    stage.shows("10 rec");
    stage.until("the rows of both cores", |stage| levels(&stage.screen()) == ORDER);
    stage.shows("0.000 016         0  le…s  state");
    stage.shows("0.000 021      +5 1  le…s  state");
    // Names of the other core; records of each source are numbered separately.
    stage.command("goto #1:3");
    stage.until("the third record of core 1", |stage| stage.cursor_line().contains("valve = 9"));
    stage.shows("#1:3 @0x");
    stage.shows("valve  stream 0");
    stage.types("/valve = 3\r");
    stage.until("the match", |stage| stage.cursor_line().contains("valve = 3"));
    stage.types("m<");
    stage.until("the place before", |stage| stage.cursor_line().contains("valve = 9"));
    stage.types("u");
    stage.until("the mark", |stage| stage.cursor_line().contains("•") && stage.cursor_line().contains("valve = 3"));
    stage.command("filter core:1");
    stage.shows("hides 4");
    assert_eq!(levels(&stage.screen()), ["pump = 1", "valve = 9", "pump = 2", "pump = 3"], "{}", stage.screen());
    stage.types("aG");
    stage.until("the end", |stage| stage.cursor_line().contains("clock"));
}

#[test]
fn each_source_can_be_seen_counted_and_recorded() {
    let folder = two_cores();
    let mut stage = stage(folder.path());
    stage.shows("10 rec");
    stage.types("5");
    stage.shows(" lost 0 ");
    stage.shows(" records 10 ");
    stage.shows("core0.bin: received 64 B");
    stage.shows(" records 4   lost 0 ");
    stage.shows(" records 6   lost 0 ");
    assert!(stage.screen().matches("adds up").count() >= 2, "{}", stage.screen());
    stage.types("2");
    stage.shows("valve");
    stage.shows("pump");
    stage.types("1)");
    stage.shows("source 1 of 2, #0: core0.bin");
    stage.shows("4 rec");
    assert!(!stage.screen().contains("pump ="), "{}", stage.screen());
    stage.types("(");
    stage.shows("10 rec");
    let copy = folder.path().join("copy");
    stage.command(&format!("record {}", copy.display()));
    stage.shows("copy.c1.bin");
    stage.command("record stop");
    stage.shows("B in ");
    for core in ["0", "1"] {
        let [copy, original] = [format!("copy.c{core}.bin"), format!("core{core}.bin")];
        assert_eq!(fs::read(folder.path().join(copy)).unwrap(), fs::read(folder.path().join(original)).unwrap());
    }
    // Another decoder, for all of them.
    stage.command("set width=6");
    stage.shows("width = 6: decoding again");
    stage.shows("10 rec");
    // A further core joins; anything else is a separate list.
    let third = folder.path().join("core2.bin");
    fs::write(&third, frames(2, &["S 16 9 5"])).unwrap();
    stage.command(&format!("open {}@2", third.display()));
    stage.shows("3 sources: ");
    stage.shows("= 5");
    stage.command(&format!("open {}", third.display()));
    stage.shows("TOY  core2.bin");
}

#[test]
fn sources_that_grow_are_merged_as_they_come() {
    let folder = folder();
    let path = |core: u8| folder.path().join(format!("core{core}.bin"));
    fs::write(path(0), frames(0, &["S 10 7 1"])).unwrap();
    fs::write(path(1), frames(1, &["S 11 8 1"])).unwrap();
    let plugin = toy();
    let files = [0, 1].map(|core| format!("{}@{core}", path(core).display()));
    let args = ["--plugin", plugin.to_str().unwrap(), "--proto", "toy", "--follow", &files[0], &files[1]];
    let mut stage = spytui(args).start();
    stage.shows("0008 = 1");
    let append = |core: u8, seq, text: &str| {
        let mut file = fs::OpenOptions::new().append(true).open(path(core)).unwrap();
        file.write_all(&line(core, seq, text)).unwrap();
    };
    // One is silent: rows of the other are shown anyway.
    append(0, 1, "S 12 7 2");
    stage.shows("0007 = 2");
    append(1, 1, "S 13 8 2");
    stage.shows("0008 = 2");
    stage.shows("follow");
    assert_eq!(levels(&stage.screen()), ["0007 = 1", "0008 = 1", "0007 = 2", "0008 = 2"], "{}", stage.screen());
    stage.types("q");
}

#[test]
fn targets_are_one_list_in_the_order_of_arrival() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("left"), frames(0, &["S 10 7 1"])).unwrap();
    fs::write(path("right"), frames(0, &["S 11 8 1"])).unwrap();
    let plugin = toy();
    let files = [path("left"), path("right")];
    let [left, right] = files.each_ref().map(|file| file.to_str().unwrap());
    let args = ["--plugin", plugin.to_str().unwrap(), "--proto", "toy", "--follow", left, right];
    let mut stage = spytui(args).start();
    stage.shows("0007 = 1");
    stage.types(")");
    stage.shows("TOY  right");
    stage.types(")");
    stage.shows("all targets, at ");
    stage.shows(" ALL  2 sources: left right");
    let append = |file: &Path, seq, text: &str| {
        fs::OpenOptions::new().append(true).open(file).unwrap().write_all(&line(0, seq, text)).unwrap();
    };
    append(&files[1], 1, "S 5 8 2");
    stage.shows("0008 = 2");
    append(&files[0], 1, "S 99 7 2");
    stage.shows("0007 = 2");
    append(&files[1], 2, "S 6 8 3");
    stage.shows("0008 = 3");
    let order = levels(&stage.screen());
    assert_eq!(order[order.len() - 3..], ["0008 = 2", "0007 = 2", "0008 = 3"], "{}", stage.screen());
    let owner = |level: &str| stage.screen().lines().find(|row| row.contains(level)).unwrap().contains(" right ");
    assert!(owner("0008 = 3") && !owner("0007 = 2"), "each row says whose it is: {}", stage.screen());
    append(&files[0], 9, "S 100 7 9");
    // So do losses.
    stage.shows("left: ≥7 records lost");
    stage.types("kk");
    // Commands go to the source of the row under the cursor.
    stage.shows("at right");
    stage.types("k");
    stage.shows("at left");
    stage.types(":send x");
    stage.shows("left: send TEXT");
    stage.types("\x1b2");
    stage.shows("this pane is about one target");
    stage.command("goto 12t");
    stage.shows("targets have no common clock");
    stage.types("\x1b");
    stage.types("q");
}

/// A capture of a real target with a file per core.
fn boiler(core: u8, ending: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/tband/tests/captures");
    format!("{folder}/boiler_two_core.c{core}.{ending}")
}

#[test]
fn the_reference_tools_lines_of_two_cores_come_in_order_of_time() {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    let set = |name: &str, value| {
        command.env(name, value);
    };
    set_environment(set, &folder.path().join("home"));
    let files = [0, 1].map(|core| format!("{}@{core}", boiler(core, "bin")));
    let args = ["decode", "--proto", "tband", "-o", "mode=bare-metal", "--format", "reference", &files[0], &files[1]];
    let merged = text(&command.args(args).output().unwrap());
    // Each core's lines equal those printed by the tool for its file, in order; nothing is omitted.
    let texts = [0, 1].map(|core| fs::read_to_string(boiler(core, "txt")).unwrap());
    let mut cores = [0, 1].map(|core| texts[core as usize].lines().peekable());
    let (mut last, mut stamped) = (0, 0);
    for line in merged.lines() {
        let core = if cores[0].peek() == Some(&line) { 0 } else { 1 };
        assert_eq!(cores[core].next(), Some(line));
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        if let Some(time) = row.as_object().unwrap().values().find_map(|kind| kind["ts"].as_u64()) {
            assert!(time >= last, "{line} after {last}");
            (last, stamped) = (time, stamped + 1);
        }
    }
    assert!(cores.iter_mut().all(|core| core.next().is_none()));
    assert!(merged.lines().count() == 399 && stamped > 350, "core 1 goes on when core 0 has ended");
}

#[test]
fn pipes_give_what_files_give() {
    let folder = folder();
    let decode = |files: [&str; 2]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        let set = |name: &str, value| {
            command.env(name, value);
        };
        set_environment(set, &folder.path().join("home"));
        let args = ["decode", "--proto", "tband", "-o", "mode=bare-metal", "--format", "reference"];
        command.args(args).args(files).current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::piped());
        command.spawn().unwrap()
    };
    let files = [0, 1].map(|core| format!("{}@{core}", boiler(core, "bin")));
    let expected = decode([&files[0], &files[1]]).wait_with_output().unwrap().stdout;
    for core in 0..2 {
        let status = Command::new("mkfifo").arg(folder.path().join(format!("pipe{core}"))).status().unwrap();
        assert!(status.success());
    }
    let child = decode(["pipe0@0", "pipe1@1"]);
    // The later core arrives first: its rows wait for those of the other.
    for core in [1, 0] {
        fs::write(folder.path().join(format!("pipe{core}")), fs::read(boiler(core, "bin")).unwrap()).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout == expected, "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn two_real_cores_on_the_screen() {
    let files = [0, 1].map(|core| format!("{}@{core}", boiler(core, "bin")));
    let args = ["--proto", "tband", "-o", "mode=bare-metal", "--file", &files[0], "--file", &files[1]];
    let mut stage = spytui(args).start();
    // Six of 399 report that nothing was dropped.
    stage.shows("393 rec");
    stage.shows("6 repeats hidden");
    stage.shows(" 0  ISR");
    stage.shows(" 1  ISR");
    stage.command("filter core:1");
    // The metadata of core 1 is in the file of core 0.
    stage.shows("hides 139");
    stage.shows_not(" 0  ISR");
    stage.types("G");
    stage.until("what core 1 sent when core 0 had ended", |stage| stage.cursor_line().contains("VAL"));
    // Shown alone, its source keeps the names and resolution that only the other one reports.
    stage.types("a");
    stage.shows("all sources");
    stage.command("show 2");
    stage.shows("source 2 of 2");
    stage.shows("251 rec");
    stage.shows("file 100 %    25 ns a tick");
    stage.command("find core1_calc");
    stage.until("the name", |stage| stage.cursor_line().contains("core1_calc"));
}

#[test]
fn the_order_of_plugins_decides_between_two_of_a_name() {
    let folder = folder();
    let plugins = folder.path().join("plugins");
    fs::create_dir(&plugins).unwrap();
    for name in ["libspytui_a.so", "libspytui_b.so"] {
        fs::copy(toy(), plugins.join(name)).unwrap();
    }
    let used = |order: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        let set = |name: &str, value| {
            command.env(name, value);
        };
        set_environment(set, &folder.path().join("home"));
        command.env("SPYTUI_PLUGIN_PATH", &plugins).env("SPYTUI_PLUGINS_ORDER", order);
        let listed = text(&command.arg("plugins").output().unwrap());
        listed.lines().find(|line| line.starts_with("toy ")).unwrap().to_owned()
    };
    assert!(used("").ends_with("libspytui_b.so)"));
    assert!(used("libspytui_a.so").ends_with("libspytui_a.so)"));
    assert!(used("libspytui_b.so,libspytui_a.so").ends_with("libspytui_b.so)"));
}
