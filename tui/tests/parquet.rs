//! `spytui export parquet`: what stands in the tables is what the other outputs say, and no table is incomplete.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use parquet::{
    file::reader::{FileReader as _, SerializedFileReader},
    record::Field,
};
use serde_json::{Value, json};
use spytui_engine::export::tables::schema::TABLES;

const PROTOCOLS: [(&str, &str); 4] = [("qs", "qs"), ("rkh", "rkh-trazer"), ("tband", "tband"), ("qnx", "qnx")];

fn command(args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    command.args(args).env("HOME", "/nonexistent").stdin(Stdio::null());
    for name in ["XDG_CONFIG_HOME", "SPYTUI_PLUGIN_PATH", "SPYTUI_WRITE_DOCS"] {
        command.env_remove(name);
    }
    command
}

fn run(args: &[impl AsRef<OsStr>]) -> Output {
    command(args).output().unwrap()
}

fn good(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn captures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(folder).join("tests/captures");
    let is_capture = |path: &PathBuf| path.extension().is_some_and(|end| end == "bin" || end == "kev");
    let list: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).filter(is_capture).collect();
    assert!(list.len() >= 4, "captures are missing");
    list
}

/// All files with this end below a folder.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let each = |path: PathBuf| if path.is_dir() { files(&path, end) } else { vec![path] };
    let all = entries.flat_map(|entry| each(entry.unwrap().path()));
    all.filter(|path| path.to_str().unwrap().ends_with(end)).collect()
}

fn value(field: &Field) -> Value {
    match field {
        Field::Bool(is) => json!(is),
        Field::Int(n) => json!(n),
        Field::Long(n) | Field::TimestampMicros(n) => json!(n),
        Field::Double(n) => json!(n),
        Field::Str(text) => json!(text),
        Field::Group(row) => row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect(),
        Field::MapInternal(map) => {
            let cell = |(key, field): &(Field, Field)| (value(key).as_str().unwrap().to_owned(), value(field));
            map.entries().iter().map(cell).collect()
        }
        _ => Value::Null,
    }
}

/// The rows of the only file of a table.
fn table(folder: &Path, name: &str) -> Vec<Value> {
    let [file] = &*files(&folder.join(name), ".parquet") else { panic!("{name}: not one file") };
    let reader = SerializedFileReader::try_from(file.as_path()).unwrap();
    let row = |row: Result<parquet::record::Row, _>| {
        row.unwrap().get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect()
    };
    reader.get_row_iter(None).unwrap().map(row).collect()
}

/// The rows of each table of a capture.
type Tables = BTreeMap<&'static str, Vec<Value>>;

fn tables(folder: &Path) -> Tables {
    ["records", "losses", "spans", "states", "recordings"].map(|name| (name, table(folder, name))).into()
}

/// Exports a capture to a folder of its own.
fn exported(proto: &str, capture: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (out, capture) = (folder.path().to_str().unwrap(), capture.to_str().unwrap());
    good(&["export", "parquet", "-O", out, "--target", "board", "--proto", proto, capture]);
    folder
}

/// Compares the columns of a row with the keys of a line.
fn same(name: &str, row: &Value, line: &Value, columns: &[(&str, &str)]) {
    for (column, key) in columns {
        let wanted = line.get(*key).cloned().unwrap_or(Value::Null);
        assert_eq!(row[*column], wanted, "{name}: {column} of {row} is not {key} of {line}");
    }
}

/// Checks that each field of a line is among the fields of its row.
fn same_fields(name: &str, row: &Value, line: &Value) {
    for (key, field) in line["fields"].as_object().into_iter().flatten() {
        let text = &row["fields"][key];
        match field {
            Value::Number(number) if number.is_i64() => {
                assert_eq!(row["num"][key]["i64"], *field, "{name}: {key} of {row}");
                let shown = line["names"].get(key).cloned();
                assert!(shown.is_none_or(|shown| shown == *text), "{name}: {key} of {row} in {line}");
            }
            Value::String(wanted) => assert_eq!(text, wanted, "{name}: {key} of {row}"),
            _ => assert!(!text.is_null(), "{name}: {key} of {row}"),
        }
    }
}

const RECORD: [(&str, &str); 12] = [
    ("n", "n"),
    ("pos", "pos"),
    ("bytes", "len"),
    ("seq", "seq"),
    ("ticks", "time"),
    ("ns", "ns"),
    ("host_ns", "host"),
    ("core", "lane"),
    ("kind", "kind"),
    ("kind_id", "id"),
    ("kind_group", "group"),
    ("text", "text"),
];
const LOSS: [(&str, &str); 9] = [
    ("pos", "pos"),
    ("ticks", "time"),
    ("ns", "ns"),
    ("host_ns", "host"),
    ("kind", "kind"),
    ("expected", "expected"),
    ("lost", "lost"),
    ("cause", "cause"),
    ("text", "text"),
];

#[test]
fn tables_of_every_capture_say_what_the_other_outputs_say() {
    let (mut measured, mut open) = (0, 0);
    for (proto, folder) in PROTOCOLS {
        for capture in captures(folder) {
            let tables = tables(exported(proto, &capture).path());
            every_record_and_loss_is_there_once_as_in_jsonl(proto, &capture, &tables);
            measured += spans_are_those_of_the_statistics(proto, &capture, &tables);
            open += what_is_not_seen_to_end_lasts_as_long_as_its_epoch(&capture, &tables);
        }
    }
    assert!(measured > 5_000 && open > 100, "{measured} {open}");
}

fn every_record_and_loss_is_there_once_as_in_jsonl(proto: &str, capture: &Path, tables: &Tables) {
    let name = capture.to_str().unwrap();
    let lines = good(&["decode", "--proto", proto, "--format", "jsonl", name]);
    let mut rows: BTreeMap<i64, (bool, &Value)> = BTreeMap::new();
    for (table, is_record) in [("records", true), ("losses", false)] {
        rows.extend(tables[table].iter().map(|row| (row["row_no"].as_i64().unwrap(), (is_record, row))));
    }
    let lines: Vec<Value> = lines.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.keys().copied().collect::<Vec<i64>>(), (0..lines.len() as i64).collect::<Vec<i64>>(), "{name}");
    for ((is_record, row), line) in rows.values().zip(&lines) {
        assert_eq!(*is_record, line["type"] == "record", "{name}: {line}");
        same(name, row, line, if *is_record { &RECORD } else { &LOSS });
        same_fields(name, row, line);
    }
    let [recording] = &*tables["recordings"] else { panic!("{name}: not one recording") };
    let bytes = ["record_bytes", "other_bytes", "skipped_bytes", "pending_bytes"];
    let sum: i64 = bytes.iter().map(|column| recording[*column].as_i64().unwrap()).sum();
    assert_eq!(sum as u64, fs::metadata(capture).unwrap().len(), "{name}");
    assert_eq!(recording["records"], lines.iter().filter(|line| line["type"] == "record").count(), "{name}");
}

/// Returns the number of spans.
fn spans_are_those_of_the_statistics(proto: &str, capture: &Path, tables: &Tables) -> u64 {
    let name = capture.to_str().unwrap();
    let mut spans: HashMap<String, u64> = HashMap::new();
    for span in tables["spans"].iter().chain(&tables["states"]) {
        if span["certain"] == true && !span["end_row"].is_null() && !span["length_ticks"].is_null() {
            *spans.entry(span["measure"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    let args = ["stats", "--measure", "all", "--proto", proto, "--format", "json", name];
    let stats: Value = serde_json::from_str(&good(&args)).unwrap();
    let mut counts: HashMap<String, u64> = HashMap::new();
    for of in stats["measures"].as_array().unwrap() {
        let (measure, rows) = (of["measure"].as_str().unwrap(), of["rows"].as_array().unwrap());
        counts.insert(measure.to_owned(), rows.iter().map(|row| row["count"].as_u64().unwrap()).sum());
    }
    for measure in ["rate", "free", "used", "value"] {
        counts.remove(measure);
    }
    counts.retain(|_, count| *count > 0);
    assert_eq!(spans, counts, "{name}");
    spans.values().sum::<u64>()
}

#[test]
fn what_a_reset_interrupts_lasts_until_it() {
    let folder = tempfile::tempdir().unwrap();
    let open = |times: usize| {
        let path = folder.path().join(format!("{times}.bin"));
        fs::write(&path, fs::read(capture("oven-734.bin")).unwrap().repeat(times)).unwrap();
        let tables = tables(exported("qs", &path).path());
        let epochs = tables["records"].iter().map(|record| record["epoch"].as_u64().unwrap()).max();
        assert_eq!(epochs, Some(times as u64 - 1));
        what_is_not_seen_to_end_lasts_as_long_as_its_epoch(&path, &tables)
    };
    let once = open(1);
    assert_eq!((once, open(3)), (3, 9));
}

/// Returns the number of such spans.
fn what_is_not_seen_to_end_lasts_as_long_as_its_epoch(capture: &Path, tables: &Tables) -> u64 {
    let (mut epochs, mut last): (HashMap<i64, i64>, HashMap<i64, i64>) = Default::default();
    for record in &tables["records"] {
        let epoch = record["epoch"].as_i64().unwrap();
        epochs.insert(record["row_no"].as_i64().unwrap(), epoch);
        last.extend(record["ticks"].as_i64().map(|ticks| (epoch, ticks)));
    }
    let mut open = 0;
    for span in tables["spans"].iter().chain(&tables["states"]) {
        let length = span["begin_ticks"].as_i64().zip(span["length_ticks"].as_i64());
        if let Some((begin, length)) = length.filter(|_| span["end_row"].is_null()) {
            let epoch = epochs[&span["begin_row"].as_i64().unwrap()];
            assert_eq!(begin + length, last[&epoch], "{}: {span}", capture.display());
            open += 1;
        }
    }
    open
}

fn capture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/qs/tests/captures").join(name).to_str().unwrap().to_owned()
}

#[test]
fn what_is_there_is_left_out_and_each_failure_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tables");
    let noise = folder.path().join("noise.bin");
    fs::write(&noise, (0..999_u32).map(|n| (n.wrapping_mul(n).wrapping_mul(7919) >> 7) as u8).collect::<Vec<u8>>())
        .unwrap();
    let missing = folder.path().join("missing.bin");
    let good = [capture("oven-734.bin"), capture("oven-734-flips.bin")];
    let export = |files: &[&str], more: &[&str]| {
        let fixed = ["export", "parquet", "-O", out.to_str().unwrap(), "--report", "json", "--jobs", "2"];
        let output = run(&[&fixed[..], more, files].concat());
        let lines = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let results: BTreeMap<String, String> = lines
            .iter()
            .map(|line| {
                let name = Path::new(line["file"].as_str().unwrap()).file_stem().unwrap().to_str().unwrap().to_owned();
                (name, line["result"].as_str().unwrap().to_owned())
            })
            .collect();
        (output.status.code().unwrap(), results, String::from_utf8(output.stderr).unwrap())
    };
    let results = |list: [(&str, &str); 4]| list.map(|(name, result)| (name.to_owned(), result.to_owned())).into();
    let all = [&*good[0], noise.to_str().unwrap(), missing.to_str().unwrap(), &*good[1]];
    let (code, said, stderr) = export(&all, &[]);
    let written = [("oven-734", "written"), ("oven-734-flips", "written"), ("noise", "failed"), ("missing", "failed")];
    assert_eq!((code, said), (3, results(written)), "{stderr}");
    assert!(stderr.contains("noise.bin: no decoder recognises") && stderr.contains("missing.bin: "), "{stderr}");
    let before = files(&out, "");
    // A message about a format file, which all use, is printed once.
    let formats = folder.path().join("wrong.fmt");
    fs::write(&formats, "qs:nonsense\n").unwrap();
    let (code, said, stderr) = export(&all, &["--fmt", formats.to_str().unwrap()]);
    assert_eq!(stderr.matches("wrong.fmt").count(), 1, "{stderr}");
    let there = [("oven-734", "there"), ("oven-734-flips", "there"), ("noise", "failed"), ("missing", "failed")];
    assert_eq!((code, said), (3, results(there)));
    assert_eq!(files(&out, ""), before);
    assert_eq!(before.len(), 2 * TABLES.len());
    assert!(before.iter().all(|path| path.to_str().unwrap().contains("target=captures/date=unknown/")), "{before:?}");
    // Read in another way it is another recording.
    let (code, ..) = export(&[&*good[0]], &["--proto", "qs", "-o", "reference=qspy-7.3.4", "--target", "board 7/é"]);
    assert_eq!((code, files(&out, ".parquet").len()), (0, 3 * TABLES.len()));
    assert_eq!(fs::read_dir(out.join("records/target=board%207%2F%C3%A9")).unwrap().count(), 1);
}

/// Tables are named after all bytes of a file, which a pipe gives once.
#[test]
fn a_pipe_is_refused_and_what_is_no_trace_fails_as_one_of_many_does() {
    let folder = tempfile::tempdir().unwrap();
    let (out, noise) = (folder.path().join("tables"), folder.path().join("noise.bin"));
    let code = |input: &str| run(&["export", "parquet", "-O", out.to_str().unwrap(), input]).status.code();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(code(pipe.to_str().unwrap()), Some(2));
    fs::write(&noise, [0x55; 999]).unwrap();
    assert_eq!(code(noise.to_str().unwrap()), Some(3));
    assert!(!out.exists());
}

#[test]
fn a_killed_export_leaves_no_half_table() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("long.bin");
    fs::write(&long, fs::read(capture("oven-734.bin")).unwrap().repeat(8)).unwrap();
    let out = folder.path().join("tables");
    let args = ["export", "parquet", "--proto", "qs", "-O", out.to_str().unwrap(), long.to_str().unwrap()];
    for milliseconds in [0, 3, 20, 60, 150, 400] {
        let mut child = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        for file in files(&out, ".parquet") {
            SerializedFileReader::try_from(file.as_path()).expect("a whole table");
        }
    }
    good(&args);
    let records = table(&out, "records").len();
    assert_eq!(table(&out, "recordings")[0]["records"], records);
    assert!(records > 8 * 2_000, "{records}");
}

#[test]
fn the_command_for_duckdb_has_a_view_for_each_table() {
    let folder = exported("qs", Path::new(&capture("oven-734.bin")));
    let sql = |folder: &Path, path: &Path| {
        let args = ["sql", folder.to_str().unwrap(), "SELECT 'it''s' FROM records"];
        let output = command(&args).env("PATH", path).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let bin = tempfile::tempdir().unwrap();
    let (code, text) = sql(folder.path(), bin.path());
    assert!(code == Some(3) && text.contains("duckdb is not in PATH"), "{text}");
    fs::write(bin.path().join("duckdb"), "").unwrap();
    let (code, text) = sql(bin.path(), bin.path());
    assert!(code == Some(3) && text.contains("no tables; spytui export parquet"), "{text}");
    let (code, text) = sql(folder.path(), bin.path());
    assert_eq!((code, text.matches("CREATE VIEW ").count()), (Some(0), TABLES.len()), "{text}");
    // The shell hands the statements over as one word.
    let printed = Command::new("sh").args(["-c", &text.replacen("duckdb -c", "printf %s", 1)]).output().unwrap();
    let statements = String::from_utf8(printed.stdout).unwrap();
    assert!(statements.ends_with("; SELECT 'it''s' FROM records"), "{statements}");
}

#[test]
fn what_cannot_be_written_is_said() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let output = run(&["export", "parquet", "-O", file.path().to_str().unwrap(), &capture("oven-734.bin")]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8(output.stderr).unwrap().contains("Not a directory"));
}

#[test]
fn a_full_disk_is_said_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tables");
    // Files of at most 8 blocks: writing more fails, as on a full disk.
    let shell = ["-c", "ulimit -f 8; exec \"$0\" export parquet -O \"$1\" \"$2\"", env!("CARGO_BIN_EXE_spytui")];
    let mut command = Command::new("sh");
    command.args(shell).arg(&out).arg(capture("oven-734.bin")).env("HOME", "/nonexistent").stdin(Stdio::null());
    let output = command.env_remove("SPYTUI_WRITE_DOCS").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("File too large") && said.contains("tables"), "{said}");
    assert_eq!(files(&out, ""), Vec::<PathBuf>::new());
}

#[test]
fn two_exports_at_once_write_each_table_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tables");
    let captures: Vec<String> = ["oven-734.bin", "oven-815.bin", "oven-734-flips.bin"].map(capture).into();
    let args = [&["export", "parquet", "-O", out.to_str().unwrap()].map(str::to_owned), &*captures].concat();
    let start = || command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for mut child in [start(), start(), start()] {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(files(&out, "").len(), captures.len() * TABLES.len());
    for file in files(&out, ".parquet") {
        SerializedFileReader::try_from(file.as_path()).expect("a whole table");
    }
}

#[test]
fn times_of_arrival_units_and_the_build_are_in_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (run, out) = (folder.path().join("run.bin"), folder.path().join("tables"));
    let stdin = fs::File::open(root.join("tests/captures/boiler-qs.bin")).unwrap();
    let record = ["record", "--proto", "qs", "-O", run.to_str().unwrap(), "-"];
    assert!(command(&record).stdin(stdin).output().unwrap().status.success());
    let formats = root.join("../firmware/demo/boiler_qs.fmt");
    let (run, formats) = (run.to_str().unwrap(), formats.to_str().unwrap());
    good(&["export", "parquet", "-O", out.to_str().unwrap(), "--build", "1.7", "--fmt", formats, run]);
    let head = fs::read_to_string(folder.path().join("run.meta")).unwrap();
    let arrived = head.lines().find(|line| line.contains("\"pos\":0,") && !line.contains("event")).unwrap();
    let arrived = serde_json::from_str::<Value>(arrived).unwrap()["host_ns"].as_i64().unwrap();
    let records = table(&out, "records");
    for row in &records {
        assert_eq!((row["host_ns"].as_i64(), row["host"].as_i64()), (Some(arrived), Some(arrived / 1_000)));
    }
    let units: Vec<&Value> = records.iter().filter(|row| row["kind"] == "USER+0").map(|row| &row["units"]).collect();
    assert!(units.len() > 5 && units.iter().all(|units| **units == json!({ "temp": "°C" })), "{units:?}");
    let recording = &table(&out, "recordings")[0];
    assert_eq!((&recording["build"], &recording["first_host"]), (&json!("1.7"), &json!(arrived / 1_000)));
    assert!(files(&out, ".parquet").iter().all(|file| !file.to_str().unwrap().contains("date=unknown")));
}

#[test]
fn levels_have_the_capacity_of_their_queue() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/rkh-trazer/tests/captures");
    let tables = exported("rkh", &root.join("gh340-default.bin"));
    let levels = table(tables.path(), "levels");
    let of = |object: &str| {
        let levels = levels.iter().filter(move |row| row["object"] == object);
        levels.map(|row| (row["value"].as_f64().unwrap(), row["capacity"].as_i64())).collect::<Vec<_>>()
    };
    for (object, capacity) in [("climate->equeue", 8), ("memPool0", 60)] {
        let all = of(object);
        assert!(all.len() > 50, "{object}: {all:?}");
        assert!(all.iter().all(|(value, of)| *of == Some(capacity) && *value <= capacity as f64), "{object}: {all:?}");
    }
}

/// Engines leave out row groups by the least and greatest values in them.
#[test]
fn a_second_job_does_not_wait_for_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let [long, out] = ["long.bin", "tables"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    fs::write(&long, fs::read(capture("oven-734.bin")).unwrap().repeat(20)).unwrap();
    let files = [long, capture("oven-734.bin")];
    let fixed = ["export", "parquet", "-p", "qs", "-O", &out, "--report", "json", "--jobs", "2"];
    let said = good(&[&fixed[..], &files.each_ref().map(String::as_str)].concat());
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let order: Vec<&str> = lines.iter().map(|line| line["file"].as_str().unwrap()).collect();
    assert_eq!(order, [&*files[1], &*files[0]]);
}

#[test]
fn a_long_recording_has_row_groups_that_engines_can_leave_out() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("long.bin");
    fs::write(&long, fs::read(capture("oven-734.bin")).unwrap().repeat(60)).unwrap();
    let tables = exported("qs", &long);
    let [file] = &*files(&tables.path().join("records"), ".parquet") else { panic!("not one file") };
    let reader = SerializedFileReader::try_from(file.as_path()).unwrap();
    let groups = reader.metadata().row_groups();
    assert!(groups.len() > 1);
    for group in groups {
        assert!(group.num_rows() <= 1 << 16, "{}", group.num_rows());
        let column = |name: &str| group.columns().iter().find(|column| column.column_path().string() == name).unwrap();
        for name in ["kind", "object", "severity", "row_no", "ticks", "seq"] {
            let statistics = column(name).statistics().unwrap_or_else(|| panic!("{name}"));
            assert!(statistics.min_bytes_opt().is_some() && statistics.max_bytes_opt().is_some(), "{name}");
        }
        for name in ["kind", "object", "severity", "signal", "state"] {
            assert!(column(name).dictionary_page_offset().is_some(), "{name}");
        }
    }
}

#[test]
fn tables_written_while_bytes_arrive_are_those_of_an_export() {
    let folder = tempfile::tempdir().unwrap();
    let write = format!("parquet={}", folder.path().display());
    let path = capture("oven-734-flips.bin");
    let lines = good(&["--headless", "--proto", "qs", "--format", "reference", "--write", &write, &path]);
    assert!(!lines.is_empty());
    let whole = exported("qs", Path::new(&path));
    for schema in TABLES {
        let rows = |folder: &Path| {
            let mut rows = table(folder, schema.name);
            for column in ["recording", "name", "path"] {
                rows.iter_mut().filter_map(|row| row.get_mut(column)).for_each(|cell| *cell = Value::Null);
            }
            rows
        };
        let (live, later) = (rows(folder.path()), rows(whole.path()));
        assert!(!live.is_empty(), "{}", schema.name);
        assert_eq!(live, later, "{}", schema.name);
    }
}

#[test]
fn a_run_that_is_killed_or_cannot_write_leaves_no_table() {
    let folder = tempfile::tempdir().unwrap();
    let write = format!("parquet={}", folder.path().display());
    let path = capture("oven-734.bin");
    let mut child = command(&["--headless", "--proto", "qs", "--tcp", "127.0.0.1:1", "--write", &write])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while files(folder.path(), "").is_empty() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(files(folder.path(), ".parquet"), <[PathBuf; 0]>::default());
    for write in ["parquet", "parquet="] {
        let output = run(&["--headless", "--proto", "qs", &path, "--write", write]);
        assert_eq!(output.status.code(), Some(2), "{write}");
    }
    let output = run(&["--headless", "--proto", "qs", &path, "--write", "parquet=/proc/tables"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/proc/tables"));
}

/// With `SPYTUI_WRITE_DOCS` set, writes the columns instead.
#[test]
fn the_page_describes_all_columns() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/fleet.md");
    let page = fs::read_to_string(&path).unwrap();
    let [begin, end] = ["<!-- columns -->\n", "<!-- end of columns -->\n"];
    let (before, rest) = page.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let mut columns = String::new();
    for table in TABLES {
        columns += &format!("\n### `{}`\n\n{}\n\n| column | type | |\n|---|---|---|\n", table.name, table.meaning);
        for column in table.columns {
            let maybe = if column.is_optional { ", may be NULL" } else { "" };
            columns += &format!("| `{}` | {}{maybe} | {} |\n", column.name, column.sql(), column.meaning);
        }
    }
    let now = format!("{before}{begin}{columns}\n{end}{after}");
    if std::env::var_os("SPYTUI_WRITE_DOCS").is_some() {
        fs::write(&path, &now).unwrap();
    }
    assert!(page == now, "run the test again with SPYTUI_WRITE_DOCS=1");
}
