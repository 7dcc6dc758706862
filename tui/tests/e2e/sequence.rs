//! The Sequence pane, and `:export sequence`, which writes what the command writes.

use crate::rig::{capture, file_args, folder, program, spytui};

#[test]
fn who_sent_it_and_who_ignored_it() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage.command("goto #724");
    stage.types("7");
    stage.shows("Sequence");
    stage.shows("× SPIN_REQ_SIG ignored in Motor_fault");
    stage.shows("◄────────────┼─────────────┼────POLL_SIG─┤");
    // Up to the post, and from there to its record.
    stage.types("kk\r");
    stage.shows("#714 @0x42ae");
    stage.shows("SPIN_REQ_SIG ← door");
    stage.types("7");
    stage.command("set lifelines door,motor");
    stage.shows("├─SPIN_REQ_SIG──");
    stage.command("set lifelines nobody");
    stage.shows("no messages and no states around here");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}

#[test]
fn the_screen_exports_what_the_command_does() {
    let folder = folder();
    let (mine, theirs) = (folder.path().join("mine.mmd"), folder.path().join("theirs.mmd"));
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("file 100 %");
    stage.command(&format!("export sequence {}", folder.path().join("mine.svg").display()));
    stage.shows(".mmd for Mermaid");
    stage.types("\x07");
    stage.command(&format!("export sequence {} n:600..800", mine.display()));
    stage.shows("messages in");
    stage.command(&format!("export sequence {}", mine.display()));
    stage.shows("exists already");
    stage.types("\x07");
    stage.command("q");
    assert_eq!(stage.code(), 0);
    let capture = capture("oven-734.bin").display().to_string();
    let out = theirs.display().to_string();
    let args = ["export", "sequence", "--proto", "qs", &capture, "-o", &out, "--filter", "n:600..800"];
    let mut command = program(env!("CARGO_BIN_EXE_spytui"), args).start();
    assert_eq!(command.code(), 0);
    assert!(std::fs::read(mine).unwrap() == std::fs::read(theirs).unwrap());
}
