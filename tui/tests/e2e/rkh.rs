//! RKH as its users meet it: a first error found and understood, sizes that nobody told, response times.

use std::path::PathBuf;

use crate::rig::spytui;

fn capture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../decoders/rkh-trazer/tests/captures").join(name)
}

fn args(name: &str) -> [String; 3] {
    ["--proto".into(), "rkh".into(), capture(name).display().to_string()]
}

#[test]
fn the_first_error_is_shown_with_the_bytes_of_the_damaged_frame() {
    let mut stage = spytui(args("gh340-default-flip.bin")).start();
    stage.shows("1 859 rec");
    stage.types("g");
    stage.types("x");
    stage.until("the first loss", |stage| {
        stage.cursor_line().contains("1 record lost, nseq 110: its frame came damaged")
    });
    stage.shows("110 expected, 111 came");
    // The damaged frame itself, and what is uncertain until the step ends.
    stage.shows("68 6e c5 81");
    stage.shows("~CND_NFOUND climate");
    stage.shows("~GET");
    stage.types("5");
    stage.shows("bad checksum 14");
    stage.shows("response time, post to get, ticks (rt)");
    stage.shows("sCOND");
}

#[test]
fn sizes_come_from_a_configuration_where_the_target_tells_none() {
    let mut stage = spytui(args("gh340-notcfg-nosnr.bin")).start();
    stage.shows("No TCFG yet. Guess 100 %: pool-lwm=1");
    stage.shows("sizes: guess");
    let cfg = capture("gh340-notcfg-nosnr.cfg");
    stage.command(&format!("set cfg={} pool-lwm=1", cfg.display()));
    stage.shows("decoding again");
    stage.shows("bad 0");
    stage.shows("1 268 rec");
    stage.shows_not("sizes: guess");
    stage.types("G");
    stage.shows("climate");
}

#[test]
fn the_demo_moves() {
    let stage = spytui(["--demo", "rkh"]).start();
    stage.shows("RKH  demo");
    stage.shows("EVT_PROC");
    stage.shows("/s");
}
