//! The terminal: claiming, drawing, listening, restoring.
//!
//! ```text
//! views ─▶ Screen (two buffers) ─▶ bytes ─▶ Output (budget, one write a frame) ─▶ Terminal
//! keys  ◀─ channel of TermEvent ◀─ input thread (Keyboard) ◀─ bytes ◀─ terminal
//!                               ◀─ signal thread
//! ```

mod capability;
#[cfg(test)]
mod contrast_tests;
mod keyboard;
#[cfg(test)]
mod keyboard_tests;
mod output;
#[cfg(test)]
mod same_screen_tests;
mod screen;
mod terminal_guard;
mod text;
mod theme;

pub use capability::{Capability, Depth, FrameBudget, LOCAL_BUDGET, SLOW_BUDGET, SSH_BUDGET};
pub use keyboard::{TermEvent, listen_to_keys};
pub use output::{Drawn, Figures, Output, Urgency};
pub use screen::Screen;
pub use terminal_guard::{
    Terminal, TerminalUse, give_back, install_panic_hook, is_held, leave, listen_to_signals, start_guard,
};
pub use text::{Glyphs, cut_end, cut_middle, cut_start, end_marked, width, wrap};
pub use theme::{Role, Theme, ThemeError};
