//! The way back: commands to the text lines of a companion, a program on the target. `PROTOCOL.md` §9 describes them.
//!
//! | module | what is in it |
//! |---|---|
//! | `id` | ids of commands |
//! | `table` | the commands and their arguments |
//! | `kernel` | the commands of the kernel that a companion passes on |
//! | `filters` | the filter tables and their groups |
//! | `spec` | a filter to commands of the kernel |
//! | `known` | what is known of the target's filters |
//! | `verdict` | what an answer says |
//! | `encode` | commands to lines |

mod encode;
mod filters;
mod id;
mod kernel;
mod known;
mod spec;
mod table;
mod verdict;

pub use encode::QnxEncoder;
pub(crate) use filters::filters;
pub(crate) use table::commands;
