//! The pane of issues: from issues to the rows that show them.

use std::path::Path;

use crate::rig::{file_args, spytui};

#[test]
fn enter_goes_to_the_rows_that_show_a_finding() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage.types("0");
    stage.shows("Issues · 3 warnings, 3 notes");
    stage.shows("all 2 360 rows");
    stage.shows("warning full                         l_super.raw 4/4                         13");
    stage.types("j");
    stage.shows("motor: no room");
    stage.shows("first   #504  327 791 262  AO-PostA motor FAULT_SIG ← super");
    // What led to it.
    stage.types("\r");
    stage.shows("─ Incident · AO-PostA motor FAULT_SIG");
    stage.shows("#504 1 of 14: motor: no room");
    stage.types("0n");
    stage.shows("#505 2 of 14: motor: no room");
    stage.types("1");
    stage.shows("#505 @");
    // Back to the original cursor.
    stage.types("<");
    stage.shows("#504 @0x2e01");
    stage.types("0N");
    stage.shows(">first   #504");
    stage.types("/ignored\r");
    stage.shows("motor: event ignored in every state, ALARM_SIG in 2 states");
    stage.types("1");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}

#[test]
fn where_nothing_is_found_it_is_said_what_was_looked_at() {
    let brew = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders/tband/tests/captures/brew_stream.bin");
    let mut stage = spytui(["--proto".into(), "tband".into(), brew.into_os_string()]).start();
    stage.types("0");
    stage.shows("nothing found");
    stage.shows("looked at: queues that never drain, leaks, waits for a core, interrupts, time");
    stage.shows("not judged: full queues and pools (needs levels that count what is free, or");
    // There is nothing to go to.
    stage.types("\rn");
    stage.shows("─ Issues");
}
