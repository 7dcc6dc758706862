//! Opened again: filter, marks, cursor, columns and pane of last time; damaged and unwritable memory.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::rig::{Stage, bytes_of, folder, spytui};

const CAPTURE: &str = "oven-815.bin";

fn opens(home: TempDir, args: &[&str]) -> Stage {
    let args = ["--proto", "qs"].iter().chain(args).copied();
    spytui(args).size(120, 30).home(home).start()
}

/// A home with a capture.
fn home_with(name: &str) -> TempDir {
    let home = folder();
    fs::write(home.path().join(name), bytes_of(CAPTURE)).unwrap();
    home
}

/// Quits, and returns the home.
fn quits(mut stage: Stage) -> TempDir {
    stage.command("q");
    assert_eq!(stage.code(), 0, "{}", stage.screen());
    std::mem::replace(&mut stage.home, folder())
}

fn memory(home: &TempDir) -> Vec<PathBuf> {
    let files = fs::read_dir(home.path().join("state/spytui/targets"));
    let mut paths: Vec<PathBuf> = files.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Leaves a filter, a mark with a note at its cursor, columns, and the objects in front.
fn leaves(mut stage: Stage) -> TempDir {
    stage.shows("file 100 %");
    stage.command("filter kind:Tran");
    stage.shows("filter kind:Tran");
    stage.command("goto #410");
    stage.command("mark here it began");
    stage.shows("mark here; 'here");
    stage.command("set columns.qs=number,kind");
    stage.types("3");
    stage.shows("as of #410");
    quits(stage)
}

#[test]
fn a_file_opens_as_it_was_left_even_if_it_was_renamed_and_has_grown() {
    let home = leaves(opens(home_with("run.bin"), &["run.bin"]));
    let grown = [bytes_of(CAPTURE), bytes_of(CAPTURE)].concat();
    fs::remove_file(home.path().join("run.bin")).unwrap();
    fs::write(home.path().join("later.bin"), grown).unwrap();
    let mut stage = opens(home, &["later.bin"]);
    stage.shows("resumed: filter kind:Tran, 1 mark, columns, pane objects, cursor · :fresh forgets");
    stage.shows("as of #410");
    stage.types("q");
    stage.shows("filter kind:Tran");
    stage.types("M");
    stage.shows("it began");
    stage.types("\x1b\x1b");
    stage.command("fresh");
    stage.shows("forgotten: every row, from the start; 1 mark gone");
    stage.shows("QP 8.1.5");
    let home = quits(stage);
    assert_eq!(memory(&home), Vec::<PathBuf>::new());
    let stage = opens(home, &["later.bin"]);
    stage.shows("file 100 %");
    stage.has_never_shown("resumed");
}

#[test]
fn another_file_and_a_fresh_start_know_nothing() {
    let home = leaves(opens(home_with("run.bin"), &["run.bin"]));
    let mut other = bytes_of(CAPTURE);
    other.truncate(other.len() - 1);
    fs::write(home.path().join("other.bin"), other).unwrap();
    let stage = opens(home, &["other.bin"]);
    stage.shows("file 100 %");
    stage.has_never_shown("resumed");
    let stage = opens(quits(stage), &["--fresh", "run.bin"]);
    stage.shows("file 100 %");
    stage.has_never_shown("resumed");
    let home = quits(stage);
    assert_eq!(memory(&home), Vec::<PathBuf>::new(), "the start was left last");
}

#[test]
fn an_argument_is_newer_than_what_is_remembered() {
    let home = leaves(opens(home_with("run.bin"), &["run.bin"]));
    let mut stage = opens(home, &["--filter", "kind:Ignored", "run.bin"]);
    stage.shows("resumed: 1 mark, columns, pane objects, cursor");
    stage.types("q");
    stage.shows("filter kind:Ignored");
}

#[test]
fn marks_of_a_recording_are_in_it() {
    let home = home_with("run.bin");
    fs::write(home.path().join("run.meta"), "{\"spytui-recording\":1,\"decoder\":\"qs\",\"start_ns\":5}\n").unwrap();
    let mut stage = opens(home, &["run.bin"]);
    stage.shows("file 100 %");
    stage.command("goto #700");
    stage.command("mark one late");
    stage.shows("mark one");
    let mut home = quits(stage);
    assert!(fs::read_to_string(home.path().join("run.meta")).unwrap().contains("\"mark\":\"one\""));
    // A colleague has the recording, but not the memory.
    for path in memory(&home) {
        fs::remove_file(path).unwrap();
    }
    let mut stage = opens(home, &["run.bin"]);
    stage.shows("resumed: 1 mark of the recording · :fresh forgets");
    stage.shows("1 997 rec");
    stage.command("goto 'one");
    stage.shows("#700");
    stage.types("m");
    stage.shows("mark one removed");
    home = quits(stage);
    let stage = opens(home, &["run.bin"]);
    stage.shows("file 100 %");
    assert!(!stage.screen().contains("1 mark"), "{}", stage.screen());
}

#[test]
fn marks_are_in_what_was_recorded_meanwhile() {
    let mut stage = opens(home_with("run.bin"), &["run.bin"]);
    stage.shows("file 100 %");
    stage.command("goto #714");
    stage.command("mark two");
    stage.command("wq kept");
    assert_eq!(stage.code(), 0);
    let home = std::mem::replace(&mut stage.home, folder());
    for path in memory(&home) {
        fs::remove_file(path).unwrap();
    }
    let mut stage = opens(home, &["kept.bin"]);
    stage.shows("resumed: 1 mark of the recording");
    stage.command("goto 'two");
    stage.shows("#714");
}

#[test]
fn two_programs_at_once_keep_their_marks_in_the_recording() {
    let home = home_with("run.bin");
    let bin = home.path().join("run.bin").into_os_string().into_string().unwrap();
    fs::write(home.path().join("run.meta"), "{\"spytui-recording\":1,\"decoder\":\"qs\",\"start_ns\":5}\n").unwrap();
    let state = |start: super::rig::Start| start.env("XDG_STATE_HOME", home.path().join("state"));
    let open = || state(spytui(["--proto", "qs", &bin]).size(120, 30)).start();
    let (mut one, mut two) = (open(), open());
    // Neither knows of the other's marks.
    [&one, &two].into_iter().for_each(|stage| stage.shows("file 100 %"));
    for (stage, row, code) in [(&mut one, 500, 0), (&mut two, 700, 0)] {
        stage.command(&format!("goto #{row}"));
        stage.command("mark");
        stage.shows("mark 1;");
        stage.command("q");
        assert_eq!(stage.code(), code);
    }
    open().shows("resumed: 2 marks of the recording");
    assert_eq!(memory(&home).len(), 1);
}

#[test]
fn a_link_is_remembered_without_its_rows() {
    let open = |home| spytui(["--demo", "qs"]).size(120, 30).home(home).start();
    let mut stage = open(folder());
    stage.shows("Tran");
    stage.command("filter kind:Tran");
    stage.command("mark one");
    stage.shows("mark one");
    let stage = open(quits(stage));
    stage.shows("resumed: filter kind:Tran · :fresh forgets");
}

#[test]
fn a_state_folder_that_cannot_be_written_costs_one_line() {
    let home = home_with("run.bin");
    fs::write(home.path().join("state"), "a file").unwrap();
    let stage = opens(home, &["run.bin"]);
    stage.shows("file 100 %");
    let mut stage = stage;
    stage.command("filter kind:Tran");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    stage.shows("what you see is not remembered");
}

/// Changes the text of a memory.
type Damage = dyn Fn(&str) -> String;

#[test]
fn damaged_memory_costs_a_message() {
    let cases: [(&str, &Damage); 4] = [
        ("damaged, so nothing", &|text| text.replace(':', "")),
        ("damaged, so nothing", &|text| text.replace("\"marks\"", "\"marks\":7,\"x\"")),
        ("1 remembered marks are outside", &|text| beyond(text)),
        ("the filter of last time no longer fits", &|text| text.replace("kind:Tran", "fre<2")),
    ];
    for (said, damage) in cases {
        let home = leaves(opens(home_with("run.bin"), &["run.bin"]));
        damaged(&memory(&home)[0], damage);
        let stage = opens(home, &["run.bin"]);
        stage.shows(said);
        stage.shows("file 100 %");
        quits(stage);
    }
}

fn damaged(path: &Path, damage: &Damage) {
    let text = fs::read_to_string(path).unwrap();
    let changed = damage(&text);
    assert_ne!(text, changed);
    fs::write(path, changed).unwrap();
}

/// The text with all positions far beyond the file, in a source that is not there.
fn beyond(text: &str) -> String {
    let mut parts = text.split("\"pos\":");
    let first = parts.next().unwrap().replace("\"source\":0", "\"source\":99999");
    let rest = parts.map(|part| {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap();
        format!("\"pos\":18446744073709551615{}", &part[end..])
    });
    first + &rest.collect::<String>()
}
