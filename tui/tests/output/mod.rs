//! Output for scripts matches `docs/output.md` and `docs/output.schema.json`.
//!
//! | module | what is in it |
//! |---|---|
//! | [`schema`] | checks values against the schema |

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod schema;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use schema::Schema;
use serde_json::{Value, json};
use spytui_plugin_api::row::RowKind;

use crate::fuzzing::fixture::registry;

/// Protocols, and the folders of their captures.
const PROTOCOLS: [(&str, &str); 4] = [("qs", "qs"), ("rkh", "rkh-trazer"), ("tband", "tband"), ("qnx", "qnx")];

const DOCUMENT: &str = include_str!("../../../docs/output.md");

fn run(args: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    command.args(args).env("HOME", home.path()).env_remove("XDG_CONFIG_HOME").env_remove("SPYTUI_PLUGIN_PATH");
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn captures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(folder).join("tests/captures");
    let is_capture = |path: &PathBuf| path.extension().is_some_and(|end| end == "bin" || end == "kev" || end == "log");
    let list: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).filter(is_capture).collect();
    assert!(list.len() >= 7, "captures are missing");
    list
}

fn object(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap()
}

/// The object after the remarks.
fn last_line(stderr: &[u8]) -> Value {
    object(stderr.trim_ascii_end().rsplit(|&byte| byte == b'\n').next().unwrap())
}

/// The checked jsonl lines; the first one has the version.
fn lines(schema: &Schema, name: &str, stdout: &[u8]) -> Vec<Value> {
    let lines: Vec<Value> = str::from_utf8(stdout).unwrap().lines().map(|line| object(line.as_bytes())).collect();
    for line in &lines {
        schema.check("line", line).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    }
    assert_eq!(lines[0], json!({ "type": "schema", "version": 1 }), "{name}");
    assert!(lines[1..].iter().all(|line| line["type"] != "schema"), "{name}");
    lines
}

#[test]
fn every_capture_is_written_as_the_schema_says() {
    let schema = Schema::read();
    for (proto, folder) in PROTOCOLS {
        for path in captures(folder) {
            let name = path.to_str().unwrap();
            let decoded = run(&["decode", "--proto", proto, "--format", "jsonl", "--stats=json", name]);
            assert!(lines(&schema, name, &decoded.stdout).len() > 1, "{name}");
            let stats = last_line(&decoded.stderr);
            schema.check("stats", &stats).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
            assert_eq!(object(&run(&["stats", "--proto", proto, "--format", "json", name]).stdout), stats, "{name}");
        }
    }
}

#[test]
fn what_objects_were_doing_is_written_as_the_schema_says() {
    let schema = Schema::read();
    for (proto, folder) in PROTOCOLS {
        for path in captures(folder) {
            let name = path.to_str().unwrap();
            let objects = object(&run(&["stats", "--objects", "--proto", proto, "--format", "json", name]).stdout);
            schema.check("objects", &objects).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        }
    }
    for key in schema.keys("object") {
        assert!(DOCUMENT.contains(&format!("`{key}`")), "{key} is not described");
    }
}

#[test]
fn findings_are_written_as_the_schema_says_and_the_same_in_every_format() {
    let schema = Schema::read();
    for (proto, folder) in PROTOCOLS {
        for path in captures(folder) {
            let name = path.to_str().unwrap();
            let print = |format| run(&["stats", "--findings", "--proto", proto, "--format", format, name]).stdout;
            let findings = object(&print("json"));
            schema.check("findings", &findings).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
            let count = findings["findings"].as_array().unwrap().len();
            let csv = String::from_utf8(print("csv")).unwrap();
            assert_eq!(csv.lines().count(), count + 1, "{name}: {csv}");
            let text = String::from_utf8(print("text")).unwrap();
            let table = if count == 0 { 0 } else { text.lines().take_while(|line| !line.is_empty()).count() - 1 };
            assert_eq!(table, count, "{name}: {text}");
        }
    }
    for key in ["finding", "evidence", "judged"].into_iter().flat_map(|part| schema.keys(part)) {
        assert!(DOCUMENT.contains(&format!("`{key}`")), "{key} is not described");
    }
}

#[test]
fn incidents_are_written_as_the_schema_says() {
    let schema = Schema::read();
    for (proto, folder) in PROTOCOLS {
        for path in captures(folder) {
            let name = path.to_str().unwrap();
            let args = ["stats", "--incident", "--at", "1", "--proto", proto, "--format", "json", name];
            schema.check("incident", &object(&run(&args).stdout)).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        }
    }
    for key in schema.keys("incident_line") {
        assert!(DOCUMENT.contains(&format!("`{key}`")), "{key} is not described");
    }
}

#[test]
fn statistics_are_written_as_the_schema_says() {
    let schema = Schema::read();
    for (proto, folder) in PROTOCOLS {
        for path in captures(folder) {
            let name = path.to_str().unwrap();
            let args = ["stats", "--measure", "all", "--proto", proto, "--format", "json", name];
            schema.check("statistics", &object(&run(&args).stdout)).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        }
    }
    for key in ["measure", "figures"].iter().flat_map(|of| schema.keys(of)) {
        assert!(DOCUMENT.contains(&format!("`{key}`")), "{key} is not described");
    }
}

#[test]
fn objects_as_of_a_record_are_the_same_in_every_format() {
    let file = captures("qs").into_iter().find(|path| path.ends_with("oven-734.bin")).unwrap();
    let file = file.to_str().unwrap();
    let at = |format: &str| {
        let args = ["stats", "--objects", "--at", "#744", "--proto", "qs", "--format", format, file];
        String::from_utf8(run(&args).stdout).unwrap()
    };
    let json = object(at("json").as_bytes());
    let motor = json["objects"].as_array().unwrap().iter().find(|object| object["object"] == "AO(l_motor)").unwrap();
    let expected = json!({
        "object": "AO(l_motor)", "kind": "machine", "state": "Motor_fault", "since": 537, "uncertain": false,
        "in_state_permille": 371, "used": 0, "min_free": 2, "level_uncertain": false,
        "event": "Ignore", "item": "SPIN_REQ_SIG", "at": 724, "events": 74
    });
    assert_eq!(*motor, expected);
    let csv = "AO(l_motor),machine,Motor_fault,false,#537,371,0,,2,,false,Ignore,SPIN_REQ_SIG,#724,74";
    assert!(at("csv").lines().any(|line| line == csv), "{}", at("csv"));
    let text = at("text");
    let line = text.lines().find(|line| line.starts_with("AO(l_motor)")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    let expected = "AO(l_motor) Motor_fault #537 ! Ignore SPIN_REQ_SIG 0/7, peak 5 37.1 % 74";
    assert_eq!(words.join(" "), expected);
}

#[test]
fn several_sources_are_written_as_the_schema_says() {
    let (schema, files) = (Schema::read(), captures("qs"));
    let files = [&files[0], &files[1]].map(|path| path.to_str().unwrap());
    let decoded = run(&[&["decode", "--proto", "qs", "--format", "jsonl", "--stats=json"], &files[..]].concat());
    let rows = lines(&schema, "two", &decoded.stdout);
    assert!(rows[1..].iter().all(|row| row["source"].is_u64()));
    let stats = last_line(&decoded.stderr);
    assert_eq!((schema.check("stats", &stats), stats["sources"].as_array().unwrap().len()), (Ok(()), 2));
    assert!(schema.check("source", &stats["sources"][0]).is_ok() && schema.check("source", &stats).is_err());
}

/// Rows that only live links have: the link, commands and their results, arrival times.
#[test]
fn a_live_link_is_written_as_the_schema_says() {
    if !spytui::demo::HAS_TARGET {
        return;
    }
    let schema = Schema::read();
    for (proto, filter) in [("qs", "-SM"), ("rkh", "-SM"), ("tband", "-marker"), ("qnx", "-COMM")] {
        let home = tempfile::tempdir().unwrap();
        let script = home.path().join("script");
        fs::write(&script, format!("target filter {filter}\nwait 300ms\nq\n")).unwrap();
        let args = ["--demo", proto, "--format", "jsonl", "--exec", script.to_str().unwrap()];
        let rows = lines(&schema, proto, &run(&args).stdout);
        for kind in ["link", "command", "result"] {
            assert!(rows.iter().any(|row| row["type"] == "note" && row["kind"] == kind), "{proto}: {kind}");
        }
        assert!(rows[1..].iter().all(|row| row["host"].is_u64()), "{proto}");
    }
}

#[test]
fn the_version_is_there_without_rows() {
    let file = captures("qs").into_iter().find(|path| path.ends_with("oven-734.bin")).unwrap();
    for command in [&["decode"][..], &["--headless"]] {
        let args = ["--proto", "qs", "--format", "jsonl", "--filter", "kind:ASSERT", file.to_str().unwrap()];
        let output = run(&[command, &args].concat());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "{\"type\":\"schema\",\"version\":1}\n", "{command:?}");
    }
    assert!(DOCUMENT.contains("```json\n{\"type\":\"schema\",\"version\":1}\n```"));
}

#[test]
fn the_header_of_csv_is_the_documented_one() {
    let file = captures("qs").remove(0);
    let csv =
        String::from_utf8(run(&["decode", "-p", "qs", "--format", "csv", file.to_str().unwrap()]).stdout).unwrap();
    let header = csv.lines().next().unwrap();
    assert!(DOCUMENT.contains(&format!("```csv\n{header}\n```")), "{header}");
}

#[test]
fn what_is_not_described_is_found() {
    let schema = Schema::read();
    let row = json!({
        "type": "note", "kind": "gap", "pos": 7, "lost": 3, "exact": true, "cause": "line", "fields": { "any": 1 },
        "raw": { "any": "00ff" }, "text": "3 records lost",
    });
    assert_eq!(schema.check("line", &row), Ok(()));
    for (key, value) in [
        ("colour", json!("red")),
        ("pos", json!("7")),
        ("pos", json!(-7)),
        ("pos", json!(null)),
        ("cause", json!("moon")),
        ("fields", json!({ "any": {} })),
        ("fields", json!({ "any": [[]] })),
        ("raw", json!({ "any": "0" })),
        ("raw", json!({ "any": "0G" })),
        ("type", json!("row")),
        ("type", json!("schema")),
    ] {
        let mut wrong = row.clone();
        wrong[key] = value;
        assert!(schema.check("line", &wrong).is_err(), "{wrong}");
    }
    for key in ["type", "kind", "pos", "text", "exact"] {
        let mut wrong = row.clone();
        wrong.as_object_mut().unwrap().remove(key);
        assert!(schema.check("line", &wrong).is_err(), "{key}");
    }
    let file = captures("qs").remove(0);
    let mut stats = object(&run(&["stats", "-p", "qs", "--format", "json", file.to_str().unwrap()]).stdout);
    assert_eq!(schema.check("stats", &stats), Ok(()));
    stats["recods"] = json!(1);
    assert!(schema.check("stats", &stats).is_err());
}

#[test]
fn counters_and_notes_of_every_decoder_are_described() {
    let (schema, registry) = (Schema::read(), registry());
    for decoder in &registry.decoders {
        let names = decoder.info.counters.iter().map(|counter| counter.name.as_str());
        let others: Vec<&str> = names.filter(|name| !schema.keys("counters").contains(name)).collect();
        assert!(others.is_empty(), "{others:?} of {}", decoder.info.id);
    }
    let notes = DOCUMENT.split("### ").find(|section| section.starts_with("Notes\n")).unwrap();
    for word in (0xFF00..=0xFFFF).filter_map(|kind| RowKind(kind).word()) {
        assert!(notes.contains(&format!("`{word}`")), "{word}");
    }
}
