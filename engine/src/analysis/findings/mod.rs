//! What an expert would spot in a capture, with the rows that show it. Only activities, row kinds and names are used,
//! so the rules work for every protocol. Each rule processes row by row in bounded memory.
//!
//! | module | what it finds |
//! |---|---|
//! | [`finding`] | the rules, and what a rule found with the rows that show it |
//! | [`table`] | passes rows to all rules |
//! | `queue` | queues and pools that were full or nearly full, and queues that are never empty |
//! | `leak` | pools whose use keeps growing |
//! | `ignored` | events that a machine ignores in every state |
//! | `timer` | timers armed while they run |
//! | `deadline` | events of a periodic timer that were not taken before the next one |
//! | `storm` | machines with a storm of transitions |
//! | `starved` | tasks that are ready but get no core |
//! | `interrupt` | interrupts that take most of a core |
//! | `clock` | time stamps that stand still, jump or go back |
//! | `trouble` | repeated resets, failed assertions |
//! | `names` | keys without a dictionary entry |
//! | `hidden` | record types that panes need and that are absent |
//! | [`mod@line`] | findings as text |

mod clock;
mod deadline;
pub mod finding;
mod hidden;
mod ignored;
mod interrupt;
mod leak;
pub mod line;
mod names;
mod queue;
mod starved;
mod storm;
pub mod table;
mod timer;
mod trouble;

#[cfg(test)]
mod table_tests;

pub use finding::{Evidence, Rule};
pub use line::{Finding, Findings, Judged};
pub use table::FindingTable;
