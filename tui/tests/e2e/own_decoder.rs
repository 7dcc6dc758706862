//! A user's decoder on a page, loaded from its library: every view shows the meaning of its records.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use spytui_plugin_layer::Check;

use crate::rig::{folder, set_environment, spytui};

/// The example's library from the test build.
fn library() -> PathBuf {
    let name = format!("{}a5{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = std::env::current_exe().unwrap().parent().unwrap().join(name);
    assert!(path.exists(), "{} was not built", path.display());
    path
}

/// Frames of the example.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    sequence: u8,
    /// Milliseconds.
    time: u32,
}

impl Stream {
    fn frame(&mut self, kind: u8, payload: &[u8]) {
        let content = [&self.time.to_le_bytes(), payload].concat();
        let start = self.bytes.len();
        self.bytes.extend([0xA5, content.len() as u8, kind, self.sequence]);
        self.bytes.extend(content);
        self.bytes.push(Check::CRC8.of(&self.bytes[start + 1..]) as u8);
        self.sequence = self.sequence.wrapping_add(1);
    }

    /// The pump changes its state.
    fn switch(&mut self, from: u8, to: u8) {
        self.frame(3, &[7, from, to]);
    }
}

/// A pump that is switched occasionally while its flow is measured, then many times at once; finally the clock goes
/// back.
fn pump() -> Vec<u8> {
    let mut stream = Stream::default();
    for name in [&b"\x00\x07pump"[..], b"\x01\x01flow", b"\x02\x01off", b"\x02\x02run"] {
        stream.frame(5, name);
    }
    for n in 0..10_u8 {
        stream.time += 500;
        stream.switch(1 + n % 2, 2 - n % 2);
        stream.frame(2, &[1, n, 0]);
    }
    for n in 0..40 {
        stream.switch(1 + n % 2, 2 - n % 2);
    }
    stream.time -= 1_000;
    stream.frame(1, b"late");
    stream.bytes
}

/// The program's output for the trace.
fn printed(folder: &Path, command: &str, more: &[&str]) -> String {
    let mut spytui = Command::new(env!("CARGO_BIN_EXE_spytui"));
    let set = |name: &str, value| {
        spytui.env(name, value);
    };
    set_environment(set, &folder.join("home"));
    spytui.args([command, "--plugin"]).arg(library()).args(["--proto", "a5"]).args(more).arg(folder.join("pump.bin"));
    let output = spytui.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn its_findings_are_those_of_its_records() {
    let folder = folder();
    fs::write(folder.path().join("pump.bin"), pump()).unwrap();
    let found = printed(folder.path(), "stats", &["--findings", "--format", "json"]);
    let found: Value = serde_json::from_str(&found).unwrap();
    let finding = |word: &str| found["findings"].as_array().unwrap().iter().find(|one| one["finding"] == word).unwrap();
    let storm = finding("transition-storm");
    assert_eq!((&storm["object"], &storm["count"]), (&"pump".into(), &1.into()));
    // The note precedes the record.
    assert_eq!(finding("time-back")["evidence"][0]["at"], 64);
    let of_pump = printed(folder.path(), "stats", &["--measure", "rate", "--by", "kind,object", "--format", "csv"]);
    assert!(of_pump.contains("rate,B,STATE,,pump,,,50,600,"), "{of_pump}");
    assert!(of_pump.contains("rate,B,SAMPLE,,flow,,,10,120,"), "{of_pump}");
    let objects = printed(folder.path(), "stats", &["--objects", "--format", "csv"]);
    assert!(objects.contains("pump,machine,off,"), "{objects}");
}

#[test]
fn every_pane_shows_what_its_records_mean() {
    let folder = folder();
    let path = folder.path().join("pump.bin");
    fs::write(&path, pump()).unwrap();
    let args = ["--plugin".into(), library().into_os_string(), "--proto".into(), "a5".into(), path.into_os_string()];
    let mut stage = spytui(args).size(100, 30).start();
    stage.shows("65 rec");
    stage.types("0");
    stage.shows("warning storm of transitions pump 41 in a row");
    stage.shows("warning time went back");
    stage.types("/storm\r");
    stage.shows("first  #23  5.000  STATE pump run → off");
    stage.types("\r");
    stage.shows("#23 1 of 1: pump: storm of transitions");
    stage.types("3");
    stage.shows("─ Objects · by kind");
    stage.shows("as of #23, 5.000");
    stage.shows(" pump   off   #23     0ns STATE        44.4 %");
    stage.shows(" flow   8     #22   500ms SAMPLE");
    stage.types("4");
    stage.shows(" pump             │run────│off────│");
    stage.shows(" flow             ▁▁▁▁▁▁▁▁▂");
    stage.shows("machine pump: off for 0ns; 41 changes in this column");
    stage.types("7");
    stage.shows("─ Sequence");
    stage.shows("+500000  [off]");
    stage.shows("     +0  [run]");
    stage.types("8l");
    stage.shows(" STATE  ST          50     10.0      600   75.9 %");
    stage.types("g+o");
    stage.shows("by kind, group, object");
    stage.shows(" SAMPLE SA    flow ");
}
