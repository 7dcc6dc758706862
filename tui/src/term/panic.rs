//! The panic hook: log, restore the terminal, print.

use std::panic;
use std::sync::Once;

use super::terminal_guard::{give_back, holder};
use crate::app_log::{self, Level};

/// Installs the hook, once. Hooks installed later (those that catch plugins) run before it.
///
/// A panic of the drawing thread ends the program, so the terminal is restored before the message is printed. A panic
/// of another thread goes to the log while the screen stays.
pub fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            app_log::note(Level::Error, "panic", &info.to_string());
            let (held, ours) = holder();
            if ours {
                give_back();
            }
            if ours || !held {
                print(info);
            }
        }));
    });
}
