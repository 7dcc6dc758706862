//! The output of `decode` adds up: rows, their bytes and the counters, on every capture, damaged or not, in our own
//! style and in those of the reference hosts.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

/// A protocol: the folder of its captures, and the styles to read them in.
struct Protocol {
    id: &'static str,
    folder: &'static str,
    styles: &'static [&'static [&'static str]],
}

const PROTOCOLS: [Protocol; 4] = [
    Protocol {
        id: "qs",
        folder: "qs",
        styles: &[&[], &["-o", "reference=qspy-7.3.4"], &["-o", "reference=qspy-8.1.3"]],
    },
    Protocol { id: "rkh", folder: "rkh-trazer", styles: &[&[], &["-o", "reference=trazer-3.2"]] },
    Protocol { id: "tband", folder: "tband", styles: &[&[], &["-o", "reference=tband-0.1.0"]] },
    Protocol { id: "qnx", folder: "qnx", styles: &[&[], &["-o", "reference=traceprinter-1.02"]] },
];

fn captures(protocol: &Protocol) -> Vec<PathBuf> {
    let folder = format!("../decoders/{}/tests/captures", protocol.folder);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut list: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    list.retain(|p| p.extension().is_some_and(|e| e == "bin" || e == "kev"));
    list.sort();
    assert!(list.len() >= if protocol.id == "qnx" { 4 } else { 10 }, "captures are missing");
    list
}

/// Decodes to JSON lines and checks that they add up to the counters, and these to the file.
fn adds_up(protocol: &Protocol, path: &Path, options: &[&str]) {
    let home = tempfile::tempdir().unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_spytui"))
        .args(["decode", "--proto", protocol.id, "--format", "jsonl", "--stats=json"])
        .args(options)
        .arg(path)
        .env("HOME", home.path())
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let name = format!("{} {} {options:?}", protocol.id, path.display());
    assert!(out.status.success(), "{name}");
    let (mut records, mut record_bytes, mut note_bytes) = (0, 0, 0);
    // Number of records missing in each gap, by position: a late frame reports the remaining ones.
    let mut missing: HashMap<u64, u64> = HashMap::new();
    // Records showing that more were lost in an earlier gap, which may not have counted as a loss so far.
    let (mut more_lost, mut grown) = (0, 0);
    for line in out.stdout.split(|&b| b == b'\n').skip(1).filter(|l| !l.is_empty()) {
        let row: Value = serde_json::from_slice(line).unwrap();
        let number = |key: &str| row[key].as_u64();
        if row["type"] == "record" {
            records += 1;
            assert_eq!(number("n"), Some(records), "{name}");
            record_bytes += number("len").unwrap();
            if let Some(more) = row["fields"]["more_lost"].as_u64() {
                more_lost += more;
                grown += 1;
            }
        } else {
            note_bytes += number("bytes").unwrap_or(0);
            if row["kind"] == "gap" {
                missing.insert(number("pos").unwrap(), number("lost").unwrap());
            }
            if let Some(gap) = row["fields"]["gap"].as_u64() {
                missing.insert(gap, row["fields"]["missing"].as_u64().unwrap());
            }
        }
    }
    let stats: Value = serde_json::from_slice(out.stderr.split(|&b| b == b'\n').rev().nth(1).unwrap()).unwrap();
    let stat = |key: &str| stats[key].as_u64().unwrap_or_else(|| panic!("{name}: no {key}"));
    let len = fs::metadata(path).unwrap().len();
    let parts = ["record_bytes", "other_bytes", "skipped_bytes", "pending_bytes"].map(stat);
    assert_eq!((stat("bytes"), parts.iter().sum::<u64>()), (len, len), "{name}");
    assert_eq!((stat("records"), stat("record_bytes")), (records, record_bytes), "{name}");
    let gaps = missing.values().filter(|left| **left > 0).count() as u64;
    assert!((gaps..=gaps + grown).contains(&stat("gaps")), "{name}: {gaps} and {grown} of {}", stat("gaps"));
    assert_eq!(stat("lost"), missing.values().sum::<u64>() + more_lost, "{name}");
    assert_eq!(record_bytes + note_bytes, len, "{name}: bytes of rows");
    for key in ["bad_checksum", "bad_frame", "resyncs", "unknown"] {
        stat(key);
    }
}

#[test]
fn rows_and_counters_add_up_on_every_capture() {
    for protocol in &PROTOCOLS {
        for capture in captures(protocol) {
            protocol.styles.iter().for_each(|options| adds_up(protocol, &capture, options));
        }
    }
}

#[test]
fn they_add_up_on_damaged_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.bin");
    let mut random = spytui_plugin_host::kit::Random::new(2026);
    for protocol in &PROTOCOLS {
        for (i, capture) in captures(protocol).iter().cycle().take(26).enumerate() {
            let bytes = fs::read(capture).unwrap();
            let edits = [1, 8, 60, 400][i % 4];
            let mut damaged = random.damage(&bytes, edits);
            let at = random.below(damaged.len());
            damaged.splice(at..at, b"\r\nboot: 2 tasks, 17 kB free\r\n".iter().copied());
            fs::write(&path, &damaged).unwrap();
            adds_up(protocol, &path, protocol.styles[i % protocol.styles.len()]);
        }
    }
}

#[test]
fn they_add_up_on_what_is_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let noise = spytui_plugin_host::kit::Random::new(1).bytes(200_000);
    for (name, bytes) in
        [("noise", noise), ("zeros", vec![0; 200_000]), ("flags", vec![0x7E; 5_000]), ("nothing", vec![])]
    {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        for protocol in &PROTOCOLS {
            protocol.styles.iter().for_each(|options| adds_up(protocol, &path, options));
        }
    }
}
