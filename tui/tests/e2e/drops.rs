//! Drops of the target: in their places, in the header, with repeats of its count hidden.

use std::path::Path;
use std::process::Command;

use spytui_decoder_harness::encode::tband::Stream;

use crate::rig::{Start, spytui};

fn boiler(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/tband/tests/captures");
    folder.join(name).to_string_lossy().into_owned()
}

/// A capture, or a file by its own path.
fn path(file: &str) -> String {
    if file.contains('/') { file.to_owned() } else { boiler(file) }
}

fn start(files: &[&str]) -> Start {
    spytui(["--proto", "tband"].map(str::to_owned).into_iter().chain(files.iter().map(|file| path(file))))
}

/// The screen in colour, mono and ASCII.
const LOOKS: [(&str, &str, &str); 3] =
    [("TERM", "xterm-256color", "░░ "), ("NO_COLOR", "1", "►░ "), ("LC_ALL", "C", "# LOST ")];
const UNCHANGED: &str = "dropped              total 44";

#[test]
fn a_count_that_did_not_change_is_out_of_the_way_until_it_is_asked_for() {
    for (name, value, loss) in LOOKS {
        let mut stage = start(&["boiler_drops.bin"]).env(name, value).start();
        stage.shows("file 100 %    25 ns a tick");
        stage.shows(" bad 0  skipped 0 B  target drops 97 in 5 places  202 rec   no checksum, no seq");
        stage.shows("148 repeats hidden");
        stage.types("x");
        let first = format!("{loss}44 events dropped by the target (total 44), between 0.009 and 0.018 ms");
        stage.until("the first loss", |stage| stage.cursor_line().contains(&first));
        stage.types("5");
        stage.shows("  44 in 1");
        stage.types("1");
        stage.until("the first loss again", |stage| stage.cursor_line().contains(&first));
        assert!(!stage.screen().contains(UNCHANGED), "{}", stage.screen());
        stage.types("=");
        stage.until("the message", |stage| stage.screen().ends_with("148 repeats shown"));
        stage.shows("355 rec");
        stage.shows(UNCHANGED);
        stage.until("the loss", |stage| stage.cursor_line().contains(&first));
        stage.types("=");
        stage.shows("148 repeats hidden, equal neighbours are folded");
        stage.shows("202 rec");
        stage.shows(" folded ");
        stage.shows_not(UNCHANGED);
        stage.types("=");
        stage.shows_not("folded");
        assert!(!stage.screen().contains(UNCHANGED), "{}", stage.screen());
        stage.types("5");
        stage.shows(" target drops 97 in 5 places ");
        stage.shows("after #52       44 events");
        stage.shows(" bad frames 0");
        stage.shows(" records 355 ");
        stage.shows("repeats 148");
        stage.types("2");
        stage.shows("18 names, 2 keys without one");
    }
}

#[test]
fn each_open_span_has_a_column_of_the_gutter() {
    for (name, value, gutters) in [
        ("TERM", "xterm-256color", ["┌  begin", "││┌enter", "││└exit", "│└ exit"]),
        ("LC_ALL", "C", ["/  begin", "||/enter", "||\\exit", "|\\ exit"]),
    ] {
        let stage = &mut start(&["boiler_drops.bin"]).env(name, value).start();
        stage.shows("202 rec");
        stage.types("x");
        for gutter in gutters {
            stage.shows(gutter);
        }
    }
}

#[test]
fn who_goes_to_a_repeat_sees_it_and_who_copies_takes_what_is_seen() {
    let mut stage = start(&["boiler_drops.bin"]).start();
    stage.shows("202 rec");
    stage.command("goto #60");
    // A single core needs no column.
    stage.shows("+0.12 ISR │┌ enter    level_irq");
    stage.types("vjjjy");
    stage.shows("copied 4 rows");
    stage.command("goto #55");
    stage.shows("148 repeats shown");
    stage.until("the repeat", |stage| stage.cursor_line().contains(UNCHANGED));
    stage.types("vjjjy");
    stage.shows("copied 4 rows");
    stage.types("==g/total 44\r");
    stage.until("the record that the loss is about", |stage| stage.cursor_line().contains("dropped by the target"));
    stage.types("n");
    stage.shows("148 repeats shown");
    stage.until("the record", |stage| stage.cursor_line().contains(UNCHANGED));
}

#[test]
fn files_of_one_target_report_the_same_drops() {
    let other = boiler("boiler_drops.bin") + "@1";
    let mut stage = start(&["boiler_drops.bin", &other]).start();
    stage.shows(" bad 0  skipped 0 B  target drops 97 in 5 places  404 rec   no checksum, no seq");
    stage.shows("296 repeats hidden");
    stage.types(")");
    stage.shows("target drops 97 in 5 places  202 rec");
    stage.types("5");
    stage.shows("repeats 148");
}

/// A file for each core of a target, which report its totals alternately: 4, 5, 6, 6 in time order.
fn cores_in_turn(folder: &Path) -> [String; 2] {
    let (mut first, mut second) = (Stream::default(), Stream::default());
    first.core(0, 0).event(0x04, 5, &[1], b"").dropped(10, 4).event(0x04, 15, &[1], b"");
    first.event(0x04, 25, &[1], b"").dropped(30, 6);
    second.core(0, 1).event(0x04, 6, &[1], b"").dropped(20, 5).event(0x04, 35, &[1], b"").dropped(40, 6);
    [(first, "a.bin"), (second, "b.bin")].map(|(stream, name)| {
        let path = folder.join(name);
        std::fs::write(&path, &stream.bytes).unwrap();
        path.to_str().unwrap().to_owned()
    })
}

#[test]
fn a_drop_that_several_files_report_is_one_row_of_its_size_in_the_order_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = cores_in_turn(folder.path());
    let files = [format!("{first}@0"), format!("{second}@1")];
    let decode = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        let output = command.args(["decode", "--proto", "tband"]).args(args).args(&files).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (lines, stats) = decode(&["--format", "jsonl", "--stats"]);
    let rows: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let drops = (0..rows.len()).filter(|i| rows[*i]["kind"] == "drop").map(|i| {
        let (drop, record) = (&rows[i], &rows[i + 1]);
        assert_eq!((drop["fields"]["to"].as_u64(), &drop["source"]), (record["time"].as_u64(), &record["source"]));
        [&drop["lost"], &drop["fields"]["total"], &drop["fields"]["from"], &drop["fields"]["to"]]
            .map(|n| n.as_u64().unwrap())
    });
    assert_eq!(drops.collect::<Vec<_>>(), [[4, 4, 6, 10], [1, 5, 15, 20], [1, 6, 25, 30]]);
    assert!(stats.lines().any(|line| line.split_whitespace().eq(["dropped", "6"])), "{stats}");
    let text = decode(&[]).0;
    let reported: Vec<&str> = text.lines().filter(|line| line.contains("dropped by the target")).collect();
    assert_eq!(reported.len(), 3, "{text}");
    assert!(reported[0].contains("4 events dropped by the target (total 4), between ticks 6 and 10"), "{text}");
    assert!(reported[2].contains("1 event dropped by the target (total 6), between ticks 25 and 30"), "{text}");
}

#[test]
fn a_drop_that_several_files_report_is_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = cores_in_turn(folder.path());
    let mut stage = start(&[&format!("{first}@0"), &format!("{second}@1")]).start();
    stage.shows("target drops 6 in 3 places");
    let drops = |stage: &crate::rig::Stage| -> Vec<String> {
        stage.screen().lines().filter(|line| line.starts_with("░░")).map(str::to_owned).collect()
    };
    stage.until("each drop once", |stage| drops(stage).len() == 3);
    let reported = [("4 events", 4, "6 and 10"), ("1 event", 5, "15 and 20"), ("1 event", 6, "25 and 30")];
    for (line, (lost, total, span)) in drops(&stage).iter().zip(reported) {
        let text = format!("{lost} dropped by the target (total {total}), between ticks {span}");
        assert!(line.contains(&text), "{line}");
    }
    stage.types("gxxx");
    stage.until("the third drop", |stage| stage.cursor_line().contains("(total 6)"));
    stage.types("5");
    stage.shows("target drops 6 in 3 places");
    stage.has_never_shown("5 records");
}

#[test]
fn lines_have_every_record() {
    let decode = |format| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        command.args(["decode", "--proto", "tband", "--stats", "--format", format, &boiler("boiler_drops.bin")]);
        let output = command.output().unwrap();
        let stats = String::from_utf8(output.stderr).unwrap();
        let reported = |name: &str, n| stats.lines().any(|l| l.split_whitespace().eq([name, n]));
        assert!(reported("records", "355"), "{stats}");
        assert_eq!(reported("dropped", "97"), format != "reference", "{stats}");
        String::from_utf8(output.stdout).unwrap().lines().count()
    };
    // The losses are separate rows, except for the reference tool; jsonl has a version line, a table a header.
    assert_eq!(["native", "reference", "jsonl", "csv"].map(decode), [360, 355, 361, 361]);
}
