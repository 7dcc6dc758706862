//! As a new user: a plugin created, built, loaded into a running demo, changed and reloaded.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::rig::{folder, set_environment, spytui};

/// Runs `spytui plugin new` in a folder.
fn begin(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    let set = |name: &str, value| {
        command.env(name, value);
    };
    set_environment(set, &folder.join("home"));
    command.args(["plugin", "new"]).args(args).current_dir(folder).output().unwrap()
}

/// Build folder of the crates, so that dependencies are compiled once.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin-new")
}

/// Cargo for crates outside the workspace, without debug information.
pub(crate) fn builder() -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.env("CARGO_TARGET_DIR", target()).env("CARGO_PROFILE_DEV_DEBUG", "0");
    command
}

/// Runs cargo in a crate with the workspace's dependency versions, which are already available.
fn cargo(krate: &Path, what: &str) {
    let lock = krate.join("Cargo.lock");
    if !lock.exists() {
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock"), &lock).unwrap();
    }
    let mut command = builder();
    command.args([what, "--quiet", "--offline"]).current_dir(krate);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The library of a crate.
pub(crate) fn library(name: &str) -> PathBuf {
    target().join("debug").join(format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
}

#[test]
fn a_name_that_is_taken_begins_nothing() {
    let folder = folder();
    let begun = begin(folder.path(), &["qs"]);
    let said = String::from_utf8(begun.stderr).unwrap();
    assert_eq!((begun.status.code(), folder.path().join("qs").exists()), (Some(2), false), "{said}");
    assert!(said.contains("qs: there is a decoder of this name"), "{said}");
}

#[test]
fn a_record_gets_its_text_in_the_running_demo() {
    let folder = folder();
    let begun = begin(folder.path(), &["first-record"]);
    let said = String::from_utf8(begun.stdout).unwrap();
    assert!(said.contains("cargo test") && said.contains(":plugin reload"), "{said}");
    let krate = folder.path().join("first-record");
    cargo(&krate, "test");
    cargo(&krate, "build");
    let library = library("first_record");
    let mut stage = spytui(["--demo", "qs"]).start();
    stage.shows("follow");
    stage.command("filter kind:BOILER");
    stage.shows("0.1 C");
    stage.command(&format!("plugin load {}", library.display()));
    stage.shows("loaded: formatter of qs BOILER");
    stage.until("the text of the record", |stage| stage.screen().contains(" °C") && stage.screen().contains("water"));
    let source = krate.join("src/lib.rs");
    let text = fs::read_to_string(&source).unwrap();
    fs::write(&source, text.replace("\"water\"", "\"kettle\"")).unwrap();
    cargo(&krate, "build");
    stage.shows("was rebuilt");
    stage.command("plugin reload first_record");
    stage.shows("kettle");
    stage.command("plugin disable BOILER");
    stage.until("the decoder's own text", |stage| !stage.screen().contains("kettle"));
}

#[test]
fn a_decoder_decodes_its_example() {
    let folder = folder();
    assert!(begin(folder.path(), &["first-decoder", "--kind", "decoder"]).status.success());
    let krate = folder.path().join("first-decoder");
    cargo(&krate, "test");
    cargo(&krate, "build");
    let capture = krate.join("tests/capture.bin");
    let (library, capture) = (library("first_decoder").into_os_string(), capture.into_os_string());
    let stage = spytui(["--plugin".into(), library, "--proto".into(), "first-decoder".into(), capture]).start();
    stage.shows("idle → run");
    stage.shows("temp 23.5 °C");
    stage.shows("all is well");
}

#[test]
fn what_is_there_stays_as_it_is() {
    let folder = folder();
    fs::create_dir(folder.path().join("mine")).unwrap();
    let refused = begin(folder.path(), &["mine"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(3) && said.contains("exists already"), "{said}");
    assert_eq!(begin(folder.path(), &["No Name"]).status.code(), Some(2));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was written");
}
