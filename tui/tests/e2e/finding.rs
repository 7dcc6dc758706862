//! Finding things: one meaning of a name in every place, and a word where there is nothing.

use std::ffi::OsString;
use std::process::{Command, Output, Stdio};

use crate::rig::{Stage, capture, file_args, folder, set_environment, spytui};

/// A capture of the tband decoder.
fn brew() -> OsString {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/tband/tests/captures/brew_stream.bin").into()
}

fn decode(protocol: &str, filter: &str, file: OsString) -> Output {
    let home = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    set_environment(
        |name, value| {
            command.env(name, value);
        },
        home.path(),
    );
    command.args(["decode", "--proto", protocol, "--filter", filter]).arg(file);
    command.stdin(Stdio::null()).output().unwrap()
}

/// The lines of a QS capture that pass a filter.
fn passing(filter: &str) -> Vec<String> {
    let output = decode("qs", filter, capture("oven-734.bin").into());
    assert_eq!(output.status.code(), Some(0), "{filter}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn oven() -> Stage {
    let stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage
}

#[test]
fn every_name_of_a_thing_means_the_same() {
    for same in [
        &["obj:motor", "obj:l_motor", "obj:AO(l_motor)", "obj:MOTOR", "obj:ao(L_MOTOR)"][..],
        &["kind:Ignore", "kind:Ignored", "kind:IGNORED", "kind:QS_QEP_IGNORED", "kind:7"],
        &["kind:Tran", "kind:tran", "kind:TRAN", "kind:QS_QEP_TRAN", "kind:6"],
        &["sig:TEMP*", "sig:temp_sig", "sig:\"TEMP_SIG\"", "sig:4"],
        &["group:SM", "group:sm", "group:\"SM\""],
        &["state:motor_Faul*", "state:Motor_fault", "state:MOTOR_FAULT"],
    ] {
        let rows = passing(same[0]);
        assert!(rows.len() > 10, "{}: {}", same[0], rows.len());
        for filter in &same[1..] {
            assert!(passing(filter) == rows, "{filter}");
        }
    }
    assert_eq!(passing("kind:Tran").len(), 51);
    // What is quoted is meant exactly.
    assert_eq!(passing("obj:\"Motor\" or obj:\"mot*\" or kind:\"TRAN\" or sig:\"temp_sig\"").len(), 0);
}

#[test]
fn the_screen_means_the_same_as_decode() {
    let mut stage = oven();
    for filter in ["obj:motor", "obj:l_motor", "obj:AO(l_motor)", "obj:0x4112C0", "obj:\"l_motor\""] {
        stage.command(&format!("filter {filter}"));
        stage.shows(&format!("filter {filter}  hides 2 034"));
    }
}

/// `+` and `-` do what they offer.
#[test]
fn offers_are_counted_by_the_same_test() {
    let mut stage = spytui([OsString::from("--proto"), "tband".into(), brew()]).start();
    stage.shows("file 100 %");
    stage.command("find task:Mash");
    stage.until("a row of Mash", |stage| stage.cursor_line().contains(" Mash "));
    stage.types("+");
    stage.until("a count", |stage| offered(stage).is_some());
    let offered = offered(&stage).unwrap();
    let all = decode("tband", "n>0", brew()).stdout;
    let of_mash = decode("tband", "obj:Mash", brew()).stdout;
    let lines = |text: &[u8]| text.iter().filter(|&&b| b == b'\n').count();
    assert_eq!(offered, lines(&of_mash));
    stage.types("o");
    stage.shows(&format!("hides {}", lines(&all) - offered));
}

/// The number of rows that the menu offers of the object.
fn offered(stage: &Stage) -> Option<usize> {
    let screen = stage.screen();
    let (_, rest) = screen.lines().last()?.split_once("  o Mash ")?;
    rest.split("  ").next()?.replace(' ', "").parse().ok()
}
