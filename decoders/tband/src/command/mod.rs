//! The way back: commands of the companion, which is a choice of this program; Tonbandgerät has none. `PROTOCOL.md` §10
//! describes it.
//!
//! | module | what is in it |
//! |---|---|
//! | `filters` | the filter tables and their classes |
//! | `plan` | a filter to commands, and what is known of the target's filters |
//! | `answer` | answers in events |

mod answer;
mod filters;
mod plan;

pub(crate) use answer::{ACK, answer, text};
pub(crate) use filters::filters;
pub(crate) use plan::TbandFilters;
pub(crate) use spytui_companion::commands;

/// Turns commands into frames of the companion.
pub type TbandEncoder = spytui_companion::CompanionEncoder<TbandFilters>;
