//! What an expert would spot in a capture, with the rows that show it: from activities, row kinds and names alone, so that
//! it is the same for any protocol. Each rule takes row by row and keeps a bounded number of things.
//!
//! | module | what it finds |
//! |---|---|
//! | [`finding`] | the rules, and what one of them found with its rows |
//! | [`table`] | passes rows to all rules |
//! | `queue` | queues and pools that were nearly or quite full, and queues that are never empty |
//! | `leak` | pools of which more and more is in use |
//! | `ignored` | events that a machine ignores in every state |
//! | `timer` | timers armed while they run |
//! | `deadline` | events of a periodic timer that were not taken before the next one |
//! | `storm` | machines with a storm of transitions |
//! | `starved` | tasks that are ready and get no core |
//! | `interrupt` | interrupts that take most of a core |
//! | `clock` | time stamps that stand still, jump or go back |
//! | `trouble` | resets again and again, failed assertions |
//! | `names` | keys for which no dictionary came |
//! | `hidden` | records that panes need and that never came |
//! | [`mod@line`] | findings in words |

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
