//! Losses: where they are, how large, and that the sums add up.

use std::ffi::OsString;

use crate::rig::{file_args, spytui};

/// Without the start of the stream the sizes come from the options.
fn sized(name: &str) -> Vec<OsString> {
    let mut args = file_args(name);
    args.extend(["-o", "obj-ptr=8", "-o", "fun-ptr=8"].map(OsString::from));
    args
}

#[test]
fn the_next_loss_and_the_sums() {
    let mut stage = spytui(sized("oven-734-drops.bin")).start();
    stage.shows("2 257 rec");
    stage.types("x");
    stage.shows("3 records lost");
    assert!(stage.cursor_line().contains("3 records lost"), "{}", stage.cursor_line());
    stage.types("x");
    stage.shows("9 records lost");
    assert!(stage.cursor_line().contains("9 records lost"), "{}", stage.cursor_line());
    stage.types("5");
    stage.shows("lost ≥58 in 14 places");
    stage.shows("adds up");
}
