//! The filter proposed for a line that is too slow: filled in, and only sent by Enter.

use std::time::Duration;

use crate::rig::{Stage, spytui};
use crate::target::Target;

/// The share of the line in the header.
fn share(stage: &Stage) -> Option<u64> {
    let screen = stage.screen();
    let (before, _) = screen.lines().next()?.split_once("% of line")?;
    before.rsplit([' ', '!']).next()?.parse().ok()
}

/// Shows the Counters pane, and waits until it has measured something.
fn measures(stage: &mut Stage) {
    stage.types("5z");
    stage.shows("line without it");
    stage.shows("Enter: :target filter -");
}

#[test]
fn a_line_that_is_too_small_gets_a_filter_by_a_key_and_enter() {
    // The demo produces 240 bytes per second, less on a busy machine: twice the capacity of this line, so that it stays
    // full.
    let Some(target) = Target::start("qs", "pty") else { return };
    let mut stage = spytui(["--proto", "qs", "--baud", "1200", "--port", &target.place]).size(100, 40).start();
    measures(&mut stage);
    stage.until("a full line", |stage| share(stage).is_some_and(|share| share > 90));
    stage.types("A");
    stage.shows("\n:target filter -");
    stage.shows("Enter sends it");
    // Nothing was sent: the line can be cancelled.
    stage.types("\x07");
    stage.shows_not("Enter sends it");
    stage.types(":target advise\r");
    stage.shows("Enter sends it");
    assert!(!stage.screen().contains("#1"), "{}", stage.screen());
    stage.types("\r");
    stage.shows("#1 filter acknowledged after ");
    stage.until("what is off in the header", |stage| {
        stage.screen().lines().nth(1).is_some_and(|line| line.contains(" off "))
    });
    // What the demo sends differs from one part of its cycle to the next, and on a busy machine a part is long.
    let falls = stage.comes_within(Duration::from_secs(120), |stage| share(stage).is_some_and(|share| share < 90));
    assert!(falls, "the share stays:\n{}", stage.screen());
}

#[cfg(feature = "demo-target")]
#[test]
fn a_rate_that_no_link_has_is_given() {
    if !spytui_demo_target::AVAILABLE {
        return;
    }
    let mut stage = spytui(["--demo", "rkh"]).size(100, 40).start();
    measures(&mut stage);
    stage.types("A");
    stage.shows("link speed unknown: give it in B/s, target advise RATE");
    stage.command("target advise 0");
    stage.shows("\"0\": RATE is a number of bytes a second");
    // On a busy machine the demo sends less than usual, but always more than this.
    stage.types("\x07:target advise 60\r");
    stage.shows("Enter sends it");
    stage.types("\r");
    stage.shows("#1 filter acknowledged after ");
    // The Counters pane shows the costs, and a filter for each group.
    stage.shows("line without it");
    stage.shows("Enter: :target filter -");
}
