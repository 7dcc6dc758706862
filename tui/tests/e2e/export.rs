//! `:export perfetto` writes what the command writes, and never overwrites. A pipe stays one.

use crate::rig::{capture, file_args, folder, program, spytui};

#[test]
fn the_screen_exports_what_the_command_does() {
    let folder = folder();
    let (mine, theirs) = (folder.path().join("mine.pftrace"), folder.path().join("theirs.pftrace"));
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("file 100 %");
    stage.command(&format!("export perfetto {}", mine.display()));
    stage.shows("59 tracks");
    stage.command(&format!("export perfetto {}", mine.display()));
    stage.shows("exists already");
    stage.types("\x07");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    let capture = capture("oven-734.bin").display().to_string();
    let out = theirs.display().to_string();
    let args = ["export", "perfetto", "--proto", "qs", &capture, "-o", &out];
    let mut command = program(env!("CARGO_BIN_EXE_spytui"), args).start();
    assert_eq!(command.code(), 0);
    assert!(std::fs::read(mine).unwrap() == std::fs::read(theirs).unwrap());
}

#[test]
fn an_export_into_a_pipe_does_not_replace_it() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    let (capture, out) = (capture("oven-734.bin").display().to_string(), pipe.display().to_string());
    let args = ["export", "perfetto", "--force", "--proto", "qs", &capture, "-o", &out];
    let mut command = program(env!("CARGO_BIN_EXE_spytui"), args).start();
    assert_eq!(command.code(), 0);
    // First, as the reader waits for ever if the pipe was replaced.
    assert!(!pipe.symlink_metadata().unwrap().is_file());
    assert!(reader.join().unwrap().len() > 1000);
}
