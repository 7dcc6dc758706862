//! Questions about a trace, answered with only the keys of the bottom line: what went wrong first, what everything was
//! doing then, who was slow and by how much, and which queue was nearly full.

use crate::rig::{file_args, spytui};

#[test]
fn from_the_first_warning_to_who_was_slow_and_which_queue_was_full() {
    let mut stage = spytui(file_args("oven-734.bin")).start();
    stage.shows("2 360 rec");
    // The first warning after the reset.
    stage.types("gww");
    stage.shows("warning or reset 2 of 53");
    stage.shows("#86 @0x6ca");
    // What everything was doing then.
    stage.types("3");
    stage.shows("as of #86, 325 415 397");
    stage.shows("motor        stopped  #77   Init Motor_stopped");
    // When that was.
    stage.types("4");
    stage.shows("Timeline");
    stage.shows("#86 · at 325 415 397 ─");
    stage.shows("motor");
    // Who was slow, and by how much; typed before the first figures appear.
    stage.types("8lll");
    stage.shows("latency: post to dispatch, ticks · by object, signal");
    stage.shows("motor  SPIN_DONE_SIG        8      545      659      764      764   764  #2071");
    stage.types("\r");
    stage.shows("#2071 @0xc2c0");
    stage.shows("latency motor SPIN_DONE_SIG: max 764, ends here");
    stage.shows("why    #2059: l_clock posted it 764 ticks ago");
    // Which queue was full, and the row that shows it.
    stage.types("0");
    stage.shows("warning full                         l_super.raw 4/4                         13");
    stage.types("/raw\r\r");
    stage.shows("l_super.raw");
    stage.shows("1 of 13: l_super.raw");
    // And back to the beginning.
    stage.types("<<");
    stage.shows("#86 @0x6ca");
    stage.command("q");
    assert_eq!(stage.code(), 0);
}
