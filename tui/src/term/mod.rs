//! The terminal: claimed and given back, drawn on, listened to.
//!
//! ```text
//! views ─▶ Screen (two buffers) ─▶ bytes ─▶ Output (pace, one write a frame) ─▶ Terminal
//! keys  ◀─ channel of TermEvent ◀─ input thread (probe, Esc joiner) ◀─ terminal
//!                               ◀─ signal thread
//! ```

mod capability;
mod claim;
mod event;
mod foreign;
mod glyphs;
mod input;
mod joiner;
mod output;
mod pace;
mod paint;
mod panic;
mod probe;
mod screen;
mod scroll;
mod sgr;
mod signals;
mod text;
mod theme;

#[cfg(test)]
mod same_screen;

pub use capability::{Capability, Depth};
pub use claim::{Claim, Terminal, give_back};
pub use event::TermEvent;
pub use glyphs::Glyphs;
pub use input::listen_to_keys;
pub use output::{Drawn, Figures, Output, Urgency};
pub use pace::{LOCAL_BUDGET, Pace, SLOW_BUDGET, SSH_BUDGET};
pub use panic::install_panic_hook;
pub use screen::Screen;
pub use signals::listen_to_signals;
pub use text::{cut_end, cut_middle, width, wrap};
pub use theme::{Role, Theme, ThemeError};
