//! The terminal: claimed and given back, drawn on, listened to.
//!
//! ```text
//! views ─▶ Screen (two buffers) ─▶ bytes ─▶ Output (budget, one write a frame) ─▶ Terminal
//! keys  ◀─ channel of TermEvent ◀─ input thread (Keyboard) ◀─ bytes ◀─ terminal
//!                               ◀─ signal thread
//! ```

mod capability;
#[cfg(test)]
mod contrast_tests;
mod event;
mod frame_budget;
mod glyphs;
mod input;
mod keyboard;
#[cfg(test)]
mod keyboard_tests;
mod output;
mod paint;
mod panic;
#[cfg(test)]
mod same_screen_tests;
mod screen;
mod scroll;
mod sgr;
mod signals;
mod stdio_capture;
mod terminal_guard;
mod text;
mod theme;

pub use capability::{Capability, Depth};
pub use event::TermEvent;
pub use frame_budget::{FrameBudget, LOCAL_BUDGET, SLOW_BUDGET, SSH_BUDGET};
pub use glyphs::Glyphs;
pub use input::listen_to_keys;
pub use output::{Drawn, Figures, Output, Urgency};
pub use panic::install_panic_hook;
pub use screen::Screen;
pub use signals::listen_to_signals;
pub use terminal_guard::{Terminal, TerminalUse, give_back, is_held, leave, start_guard};
pub use text::{cut_end, cut_middle, cut_start, end_marked, width, wrap};
pub use theme::{Role, Theme, ThemeError};
