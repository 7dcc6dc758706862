//! The end of a program that a plugin ended or blocked: what was received is recorded, rows are written, the terminal is
//! given back, and one line says why.

use std::{thread::sleep, time::Duration};

use super::{failure, output::Stdout};
use crate::{
    app_log::{self, Level},
    sys,
    term::{give_back, is_held, leave},
};

/// Longer than recordings are behind what is received.
const LAST_BYTES: Duration = Duration::from_millis(200);

/// Ends the program, from any thread. Nothing is asked of other threads: they may be blocked.
pub fn end(code: u8, why: &str) -> ! {
    sleep(LAST_BYTES);
    Stdout::flush_from_outside();
    give_back();
    failure::say(why);
    sys::end_at_once(code)
}

/// Reports what a plugin did that the program goes on without.
pub fn report(text: &str) {
    match is_held() {
        true => app_log::note(Level::Error, "plugin", text),
        false => failure::say(text),
    }
}

/// Leaves the screen, whose thread is in a plugin. It comes back when that returns; until then signals end the program.
pub fn leave_screen(why: &str) {
    leave();
    failure::say(&format!("{why}, so there is no screen now. Receiving and recording continue; ^c twice ends."));
}
