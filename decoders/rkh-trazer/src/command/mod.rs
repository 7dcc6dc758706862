//! The way back: commands of the companion, which is a choice of this program; RKH has none. `PROTOCOL.md` §8 describes it.
//!
//! | module | what is in it |
//! |---|---|
//! | `filters` | the filter tables and their groups |
//! | `plan` | a filter to commands, and what is known of the target's filters |
//! | `answer` | answers in records |

mod answer;
mod filters;
mod plan;

pub(crate) use answer::{answer, text};
pub(crate) use filters::filters;
pub(crate) use plan::RkhFilters;
pub(crate) use spytui_companion::commands;

/// Turns commands into frames of the companion.
pub type RkhEncoder = spytui_companion::CompanionEncoder<RkhFilters>;
