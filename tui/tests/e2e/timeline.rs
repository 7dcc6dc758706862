//! The Timeline pane, its keys, and its cursor, which is that of the list.

use crate::rig::{Stage, file_args, spytui};

fn oven() -> Stage {
    let stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage
}

#[test]
fn the_timeline_zooms_and_its_cursor_is_that_of_the_list() {
    let mut stage = oven();
    stage.command("goto #744");
    stage.types("4");
    stage.shows("─ Timeline");
    stage.shows("250.0k ticks a column");
    stage.types("i");
    stage.shows("200.0k ticks a column");
    stage.types("i");
    stage.shows("100.0k ticks a column");
    stage.shows("│fault──");
    stage.types("i");
    stage.shows("50000 ticks a column");
    stage.types("o");
    stage.shows("100.0k ticks a column");
    // To the first row of the next column, and to the record.
    stage.types("l");
    stage.shows("#751");
    stage.types("\r");
    stage.shows("─ Records");
    stage.shows("#751 @");
    stage.command("goto #537");
    stage.types("4");
    stage.shows("· #537 · at 327 791 308 ─");
    stage.types("a");
    stage.shows("250.0k ticks a column");
}

#[test]
fn a_lane_is_found_and_its_changes_too() {
    let mut stage = oven();
    stage.command("goto #744");
    stage.types("4");
    stage.shows("lanes 1-17 of 19");
    stage.types("/motor\r");
    stage.shows("motor: Motor_fault for");
    stage.types(",");
    stage.shows("#537");
    stage.types(",");
    stage.shows("#410");
    stage.types("q");
    stage.shows("─ Records");
}

#[test]
fn losses_are_hatched() {
    let mut args = file_args("oven-734-drops.bin");
    args.extend(["-o", "obj-ptr=8", "-o", "fun-ptr=8"].map(Into::into));
    let mut stage = spytui(args).start();
    stage.shows("2 257 rec");
    stage.types("gxx4iiiii");
    stage.shows("╱╱╱╱");
}

#[test]
fn a_strip_stays_in_every_view_but_the_timeline() {
    let mut stage = oven();
    stage.has_never_shown("─ Timeline");
    stage.types("T");
    stage.shows("─ Timeline ─");
    // Even if nothing else happens.
    stage.shows("│closed─");
    stage.types("2");
    stage.shows("─ Dictionary");
    stage.shows("─ Timeline ─");
    stage.types("4");
    stage.shows("ticks a column");
    stage.types("1");
    stage.command("set ui.strip off");
    stage.shows_not("─ Timeline");
}
