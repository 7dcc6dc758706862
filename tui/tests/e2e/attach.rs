//! Attaching to a target: late, over each link, and again after it went away.

use std::time::Duration;

use crate::port::Port;
use crate::rig::{bytes_of, folder, spytui};

#[test]
fn names_that_come_late_are_given_to_older_rows() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let mut port = Port::plug(&path);
    let mut stage = spytui(["--proto", "qs", "--port", path.to_str().unwrap()]).start();
    stage.shows("live");
    let bytes = bytes_of("oven-734-nodict.bin");
    // The names come at 0x76d2.
    let (nameless, named) = bytes.split_at(0x7000);
    port.send_slowly(nameless, 1_000, Duration::from_millis(5));
    stage.types("2");
    stage.shows("no name");
    stage.types("1g");
    stage.shows("0x4110A0");
    port.send_slowly(named, 1_000, Duration::from_millis(5));
    stage.shows("2 202 rec");
    stage.shows_not("0x4110A0");
    stage.types("2");
    stage.shows("AO(l_motor)");
    stage.shows_not("no name");
}
