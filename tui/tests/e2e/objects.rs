//! The Objects pane and its keys, beside the list and instead of it.

use crate::rig::{Stage, file_args, spytui};

fn oven() -> Stage {
    let stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    stage
}

#[test]
fn the_objects_are_as_of_the_row_under_the_cursor() {
    let mut stage = oven();
    stage.command("goto #744");
    stage.shows("#744 @0x450c");
    stage.types("3");
    stage.shows("as of #744");
    stage.shows("motor         fault    #537  ! Ignore SPIN_REQ_SIG");
    stage.types("1");
    stage.command("goto #90");
    stage.shows("#90 @");
    stage.types("3");
    stage.shows("as of #90");
    stage.shows("l_super.beat armed    #90");
    stage.types("sss");
    stage.shows("Objects · by change");
    stage.types("S");
    stage.shows("Objects · by change, reversed");
}

#[test]
fn a_key_goes_to_the_changes_of_an_object_and_another_shows_its_rows() {
    let mut stage = oven();
    stage.command("goto #744");
    stage.types("3");
    stage.shows("as of #744");
    stage.types("/motor\r");
    stage.shows("/motor 1 of");
    stage.types(",");
    stage.shows("as of #537");
    stage.shows("motor         fault    #537");
    stage.types(",");
    stage.shows("as of #410");
    stage.types(".");
    stage.shows("as of #537");
    stage.types("\r");
    stage.shows("filter obj:AO(l_motor)");
    stage.types("a3");
    stage.shows("Objects · /motor");
    stage.types("q");
    stage.shows("─ Records");
}

#[test]
fn from_160_columns_on_they_are_beside_the_list() {
    let mut stage = spytui(file_args("oven-734.bin")).size(160, 40).start();
    stage.shows("2 360 rec");
    stage.shows("┬─ Objects");
    stage.command("goto #744");
    stage.shows("as of #744");
    stage.types("j");
    stage.shows("as of #745");
    stage.command("set ui.beside off");
    stage.shows_not("─ Objects");
    let narrow = spytui(file_args("oven-734.bin")).size(159, 40).start();
    narrow.shows("2 360 rec");
    narrow.has_never_shown("─ Objects");
}

#[test]
fn what_a_loss_makes_uncertain_is_marked_until_a_record_says_it_again() {
    let mut args = file_args("oven-734-drops.bin");
    args.extend(["-o", "obj-ptr=8", "-o", "fun-ptr=8"].map(Into::into));
    let mut stage = spytui(args).start();
    stage.shows("2 257 rec");
    stage.types("gxx3");
    stage.shows("~");
    stage.shows("~empty");
}
