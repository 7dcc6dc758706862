//! The Target pane, the header and the keys that fill a command line, with the target inside the program.

use crate::rig::{Stage, file_args, spytui};

/// If the target could not be built, there is nothing to test.
fn is_there() -> bool {
    spytui_demo_target::AVAILABLE
}

/// A reset by command: the cursor goes to its row, and the filter is unknown again.
#[test]
fn a_reset_of_the_board_makes_its_filter_unknown() {
    if !is_there() {
        return;
    }
    let mut stage = spytui(["--demo", "qs"]).start();
    stage.shows("AO-Post");
    stage.types(":target reset\r");
    stage.shows("Enter again sends");
    stage.types("\r");
    stage.shows("done, the target was reset");
    stage.shows("filter: unknown");
    // Warnings may have arrived since.
    for _ in 0..10 {
        // It may have moved with what came, before the key did.
        let before = stage.cursor_line();
        if before.contains("target reset, epoch 2") {
            return;
        }
        stage.types("W");
        stage.until("another row", |stage| stage.cursor_line() != before);
    }
    panic!("no reset:\n{}", stage.screen());
}

fn header_has(stage: &Stage, words: [&str; 2]) -> bool {
    let screen = stage.screen();
    screen.lines().nth(1).is_some_and(|header| words.iter().all(|word| header.contains(word)))
}

/// The pane from an unknown filter over a change to a reset, and back to the earlier filter.
#[test]
fn a_filter_is_staged_sent_seen_and_sent_again_after_a_reset() {
    if !is_there() {
        return;
    }
    let mut stage = spytui(["--demo", "qs"]).start();
    stage.shows("AO-Post");
    stage.types("6");
    stage.shows("unknown: QS can't report this");
    stage.types("jj ");
    stage.shows("staged: filter -SM");
    stage.types("\r");
    stage.shows(":target filter -SM");
    assert!(!stage.screen().contains("#1 filter"), "nothing is sent before Enter in the line");
    stage.types("\r");
    stage.shows("#1 filter -SM   acknowledged after");
    // SM comes first, then the groups assumed to be off.
    stage.until("what is off", |stage| header_has(stage, ["SM, ", " off"]));
    stage.shows("[ ] SM");
    stage.shows_not("staged");
    stage.command("target reset!");
    stage.shows("its filter is unknown");
    stage.shows("send it again: Enter fills in :target filter =");
    stage.types("gjj\r");
    // The line may be longer than the screen.
    let is_filled = |line: &str| line.contains(" +") || line.contains(" -");
    stage.until("the line", |stage| stage.screen().lines().last().is_some_and(is_filled));
    stage.types("\r");
    stage.until("what is off", |stage| header_has(stage, ["SM, ", " off"]));
    stage.shows_not("its filter is unknown");
}

/// If the protocol can read back its filter, the pane says how.
#[test]
fn a_companion_is_asked_for_its_filter() {
    if !is_there() {
        return;
    }
    let mut stage = spytui(["--demo", "rkh"]).start();
    stage.shows("SMA");
    stage.command("target");
    stage.shows("assumed: :target info reads it");
    stage.command("target info");
    stage.shows_not("assumed: :target info reads it");
    stage.until("states", |stage| {
        stage.screen().lines().any(|line| line.contains("] QUE ") && line.trim_end().ends_with("  on"))
    });
}

#[test]
fn a_line_that_a_key_filled_says_what_enter_does() {
    if !spytui_demo_target::AVAILABLE {
        return;
    }
    let mut stage = spytui(["--demo", "qs"]).start();
    stage.shows("Disp");
    stage.command("filter kind:Disp");
    stage.shows("filter kind:Disp");
    stage.types("k");
    stage.types("-K");
    stage.shows(":target filter -Disp");
    stage.shows("Enter sends it to the target, Esc drops it");
    stage.types(" ");
    stage.shows_not("Esc drops it");
    stage.types("\x1b");
    stage.shows_not(":target filter");
}

/// Hiding a noisy object on the target from its row: the line is filled, nothing is sent.
#[test]
fn an_object_of_a_capture_goes_into_the_line_only() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("file 100 %");
    stage.command("goto #714");
    stage.types("-O");
    stage.shows(":target local -obj:AO(l_motor)");
    stage.types("\r");
    stage.shows("this link only reads");
}
