//! Finds the commit that is built, and says what a build without the demo target lacks.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

use std::{
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Its name is none of a setting: `cargo run` sets it for the program, too.
    println!("cargo::rustc-env=BUILD_COMMIT={}", commit().unwrap_or_else(|| "unknown".to_owned()));
    if std::env::var_os("CARGO_FEATURE_DEMO_TARGET").is_none() {
        println!("cargo::warning=without the feature demo-target, --demo replays captures");
    }
}

/// The commit of the clone that this crate is in; `None` outside of one, as in an unpacked archive. It is looked for again
/// when another one is checked out.
fn commit() -> Option<String> {
    let root = Path::new("..").canonicalize().ok()?;
    // An archive may have been unpacked within a clone of something else.
    let clone = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    if clone != root {
        return None;
    }
    // A commit changes the file of its branch, and the log of HEAD where there is one.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "logs/HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let path = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists());
        path.iter().for_each(|path| println!("cargo::rerun-if-changed={path}"));
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// What git prints.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
