//! The terminal: claimed and given back, drawn on, listened to.
//!
//! ```text
//! views ─▶ Screen (two buffers) ─▶ bytes ─▶ Output (pace, one write a frame) ─▶ Terminal
//! keys  ◀─ channel of TermEvent ◀─ input thread (probe, Esc joiner) ◀─ terminal
//!                               ◀─ signal thread
//! ```

mod capability;
mod glyphs;
mod pace;
mod paint;
mod screen;
mod scroll;
mod sgr;
mod text;

#[cfg(test)]
mod same_screen;

pub use capability::{Capability, Depth};
pub use glyphs::Glyphs;
pub use pace::{LOCAL_BUDGET, Pace, SLOW_BUDGET, SSH_BUDGET};
pub use screen::Screen;
pub use text::{cut_end, cut_middle, sanitise, sanitise_bytes, width};
