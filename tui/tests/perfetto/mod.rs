//! Traces for Perfetto, read back from their packets: those of Tonbandgerät captures compared with the reference
//! converter, those of QS and RKH captures with the records.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cases;
mod cores;
mod qnx;
mod qs;
mod reference;
mod rkh;
mod serve;
pub(crate) mod summary;

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A folder of captures of a decoder.
pub(crate) fn folder_of(decoder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(decoder).join("tests/captures")
}

/// The program without any configuration of this user.
pub(crate) fn spytui(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    command.args(args).env_clear().env("HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/home-of-exports"));
    command
}

pub(crate) fn run(args: &[&str]) -> Output {
    spytui(args).output().expect("the program runs")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Exports captures of a decoder and reads the trace.
pub(crate) fn trace(proto: &str, options: &[&str], files: &[&str]) -> Vec<summary::Track> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("t.pftrace").display().to_string();
    let files: Vec<String> = files.iter().map(|f| folder_of(proto).join(f).display().to_string()).collect();
    let mut args = vec!["export", "perfetto", "--proto", proto, "-o", &out];
    args.extend(options.iter().flat_map(|o| ["-o", o]));
    args.extend(files.iter().map(String::as_str));
    let output = run(&args);
    assert!(output.status.success(), "{files:?}: {}", stderr(&output));
    summary::tracks(&std::fs::read(out).unwrap())
}
