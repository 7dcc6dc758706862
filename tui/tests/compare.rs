//! `spytui compare`: a capture with itself, and with one in which a record was removed, replaced, swapped, delayed or
//! lost.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

const CAPTURE: &[u8] = include_bytes!("../../decoders/qs/tests/captures/oven-734.bin");
/// A record of a state machine; its index, from 0.
const AT: usize = 713;

/// The frames of a capture: number, kind and data, without check byte.
pub(crate) fn frames() -> Vec<Vec<u8>> {
    let unescaped = |frame: &[u8]| {
        let mut bytes = Vec::new();
        let mut escaped = false;
        for &byte in frame {
            match (escaped, byte) {
                (false, 0x7D) => escaped = true,
                (true, _) => (bytes, escaped) = ([bytes, vec![byte ^ 0x20]].concat(), false),
                (false, _) => bytes.push(byte),
            }
        }
        bytes.pop();
        bytes
    };
    CAPTURE.split(|byte| *byte == 0x7E).filter(|frame| frame.len() > 2).map(unescaped).collect()
}

pub(crate) fn numbered(frames: &mut [Vec<u8>]) {
    let first = frames[0][0];
    frames.iter_mut().enumerate().for_each(|(at, frame)| frame[0] = first.wrapping_add(at as u8));
}

pub(crate) fn capture_of(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for frame in frames {
        let check = !frame.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        for byte in frame.iter().copied().chain([check]) {
            match byte {
                0x7D | 0x7E => bytes.extend([0x7D, byte ^ 0x20]),
                _ => bytes.push(byte),
            }
        }
        bytes.push(0x7E);
    }
    bytes
}

fn run(folder: &Path, a: &str, b: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    command.args(["compare", "--proto", "qs", a, b]).args(more).env("HOME", folder).env_remove("XDG_CONFIG_HOME");
    command.current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// Compares the capture with a changed one; returns the exit code, the report as text and as JSON.
fn compared(change: impl FnOnce(&mut Vec<Vec<u8>>)) -> (i32, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let mut frames = frames();
    fs::write(folder.path().join("a.bin"), capture_of(&frames)).unwrap();
    change(&mut frames);
    fs::write(folder.path().join("b.bin"), capture_of(&frames)).unwrap();
    let text = run(folder.path(), "a.bin", "b.bin", &[]);
    let json = run(folder.path(), "a.bin", "b.bin", &["--report", "json"]);
    assert_eq!(text.status.code(), json.status.code());
    let words = String::from_utf8(text.stdout).unwrap();
    let said = String::from_utf8_lossy(&json.stderr).into_owned();
    (text.status.code().unwrap(), words, serde_json::from_slice(&json.stdout).expect(&said))
}

#[test]
fn a_capture_is_the_same_as_itself() {
    assert_eq!(capture_of(&frames()), CAPTURE);
    let (code, text, json) = compared(|_| ());
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("no difference: 2 291 records alike, in the same order\n"), "{text}");
    assert_eq!((&json["same"], &json["different"], &json["losses"]), (&true.into(), &0.into(), &0.into()));
}

/// Changes the frames of a capture.
type Change<'a> = dyn Fn(&mut Vec<Vec<u8>>) + 'a;

#[test]
fn the_record_that_was_removed_replaced_or_swapped_is_named() {
    let other = |frames: &Vec<Vec<u8>>| (AT + 1..).find(|at| frames[*at][1] != frames[AT][1]).unwrap();
    let cases: [(&str, &Change<'_>); 4] = [
        ("only in A", &|frames| drop(frames.remove(AT))),
        ("only in B", &|frames| frames.insert(AT, frames[other(frames)].clone())),
        ("other records", &|frames| frames[AT] = frames[other(frames)].clone()),
        ("other order", &|frames| {
            let other = other(frames);
            frames.swap(AT, other);
        }),
    ];
    for (what, change) in cases {
        let (code, text, json) = compared(|frames| {
            change(frames);
            numbered(frames);
        });
        assert_eq!((code, &json["different"], &json["losses"]), (1, &1.into(), &0.into()), "{what}: {text}");
        let found = &json["differences"][0];
        assert_eq!((&found["what"], &found["unsure"]), (&what.into(), &false.into()), "{text}");
        assert!(found["a"].as_u64().unwrap().abs_diff(AT as u64 + 1) < 3, "{text}");
        assert!(text.contains("first divergence\n") && text.contains("1 difference\n"), "{text}");
    }
}

#[test]
fn a_record_that_came_later_is_named_unless_times_do_not_matter() {
    let delay = |frames: &mut Vec<Vec<u8>>| {
        let time: [u8; 4] = frames[AT][2..6].try_into().unwrap();
        let later = u32::from_le_bytes(time) + 100_000;
        frames[AT][2..6].copy_from_slice(&later.to_le_bytes());
    };
    let (code, text, json) = compared(delay);
    assert_eq!((code, &json["different"], &json["times"][0]["a"]), (1, &0.into(), &(AT + 1).into()), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let mut late = frames();
    delay(&mut late);
    fs::write(folder.path().join("a.bin"), CAPTURE).unwrap();
    fs::write(folder.path().join("b.bin"), capture_of(&late)).unwrap();
    assert_eq!(run(folder.path(), "a.bin", "b.bin", &["--no-times"]).status.code(), Some(0));
}

#[test]
fn a_lost_record_is_a_loss_and_no_difference() {
    let (code, text, json) = compared(|frames| drop(frames.drain(AT..AT + 3)));
    assert_eq!((code, &json["different"], &json["losses"]), (0, &0.into(), &1.into()), "{text}");
    assert_eq!((&json["missing"][0]["in"], &json["missing"][0]["missing"]), (&"B".into(), &3.into()));
    assert!(text.contains("no difference where both have records"), "{text}");
    assert!(text.contains("3 records missing here: what they said is unknown"), "{text}");
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.bin"), CAPTURE).unwrap();
    assert_eq!(run(folder.path(), "a.bin", "none.bin", &[]).status.code(), Some(3));
    assert_eq!(run(folder.path(), "a.bin", "a.bin", &["--report", "xml"]).status.code(), Some(2));
}
