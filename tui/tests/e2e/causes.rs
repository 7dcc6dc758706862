//! Cause and effect: who posted an event, and what happened to it.

use crate::rig::{Stage, file_args, spytui};

fn oven() -> Stage {
    let stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage
}

#[test]
fn who_posted_it() {
    let mut stage = oven();
    stage.command("goto #722");
    stage.shows("why    #714: door posted it 7 ticks ago");
    stage.types("c");
    stage.shows("#714 @0x42ae");
    stage.shows("SPIN_REQ_SIG ← door");
    stage.shows("then   #722 Get, waited 7 ticks · #723 Disp · #724 Ignored");
    stage.types("c");
    stage.shows("#711 @0x4274");
    stage.types("<<");
    stage.shows("#722 @0x4358");
    stage.types(">");
    stage.types("C");
    stage.shows("#722 @0x4358");
    stage.types("C");
    stage.shows("#723 @");
    stage.command("goto #1");
    stage.types("c");
    stage.shows("no known cause");
}

#[test]
fn why_it_was_ignored() {
    let mut stage = oven();
    stage.command("goto #720");
    stage.types("w");
    stage.shows("#724 @0x4386");
    stage.shows("Motor_fault has no handler for SPIN_REQ_SIG");
    stage.types("W");
    stage.shows("#720 @");
    stage.shows("Heater_idle has no handler for TEMP_SIG");
}
