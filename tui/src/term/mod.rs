//! The terminal: claiming, drawing, listening, restoring.
//!
//! ```text
//! views ─▶ Screen (two buffers) ─▶ bytes ─▶ Output (budget, one write a frame) ─▶ Terminal
//! keys  ◀─ channel of TermEvent ◀─ input thread (Keyboard) ◀─ bytes ◀─ terminal
//!                               ◀─ signal thread
//! ```

#[cfg(test)]
mod contrast_tests;
mod keyboard;
#[cfg(test)]
mod keyboard_tests;
#[cfg(test)]
mod same_screen_tests;
mod screen;
mod terminal_guard;
mod text;
mod theme;

pub use keyboard::{TermEvent, listen_to_keys};
pub use screen::{Drawn, Figures, Screen, ScreenOutput, Urgency};
pub use terminal_guard::{
    Terminal, TerminalUse, give_back_for_good, install_panic_hook, is_held, leave, listen_to_signals, start_guard,
};
pub use text::{Glyphs, cut_apart, cut_end, cut_middle, cut_start, end_marked, width, wrap};
pub use theme::{Capability, Depth, FrameBudget, LOCAL_BUDGET, Role, SLOW_BUDGET, SSH_BUDGET, Theme};
