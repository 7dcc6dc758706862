//! Rates and times of all records: the pane and its keys.

use crate::rig::{Stage, file_args, spytui};

fn oven() -> Stage {
    let stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage
}

#[test]
fn a_maximum_is_found_by_sorting_and_enter_goes_to_its_record() {
    let mut stage = oven();
    stage.types("8l");
    stage.shows("Statistics · rate · by kind, group");
    stage.shows("QS_QF_ACTIVE_POST");
    stage.types("lll");
    stage.shows("Statistics · step: run to completion, ticks · by object, signal");
    stage.shows("super  BEAT_SIG            32       29       38       42       53    53  #1388");
    // By the number of steps, then the fewest first.
    stage.types("ssssss");
    stage.shows("super BEAT_SIG: 32 values");
    stage.types("g-s");
    stage.shows("by object ");
    stage.shows("super        90");
    stage.types("/super\r");
    stage.shows("super: 90 values");
    stage.types("\r");
    stage.shows("#1388 @");
    stage.shows("─ Records");
    // The pane is as it was left.
    stage.types("8");
    stage.shows("super        90");
    stage.types("q");
    stage.shows("─ Records");
}

#[test]
fn what_is_not_known_is_said() {
    let mut args = file_args("oven-734-drops.bin");
    args.extend(["-o", "obj-ptr=8", "-o", "fun-ptr=8"].map(Into::into));
    let mut stage = spytui(args).start();
    stage.shows("2 257 rec");
    stage.types("8l");
    stage.shows("QS_QF_ACTIVE_POST");
    stage.types("ll");
    stage.shows("not counted: records were lost between begin and end");
    stage.shows("the rate of the target's clock is not known: times are in ticks");
    stage.types(":set ticks-per-second 1000000\r");
    stage.shows_not("times are in ticks");
    stage.shows("us");
}

#[test]
fn what_the_target_does_not_send_is_said() {
    if !spytui_demo_target::AVAILABLE {
        return;
    }
    let mut stage = spytui(["--demo", "qs"]).start();
    stage.shows("live");
    stage.command("target filter -SM");
    stage.shows(" SM off ");
    stage.types("8");
    stage.shows("the target does not send SM");
}
