//! What an expert would spot in a capture, with the rows that show it. Only activities, row kinds and names are used,
//! so the rules work for every protocol. Each rule processes row by row in bounded memory.
//!
//! | module | what it finds |
//! |---|---|
//! | [`finding`] | the rules, and what a rule found with the rows that show it |
//! | [`table`] | passes rows to all rules |
//! | `levels` | queues and pools that were full or nearly full, or never empty; pools whose use keeps growing |
//! | `machines` | events that a machine ignores in every state, storms of transitions |
//! | `timers` | timers armed while they run, and events of periodic timers that were late |
//! | `cores` | tasks that are ready but get no core, interrupts that take most of one |
//! | `trace` | time stamps, resets, assertions, keys without names, absent record types |
//! | [`mod@line`] | findings as text |

mod cores;
pub mod finding;
mod levels;
pub mod line;
mod machines;
pub mod table;
mod timers;
mod trace;

#[cfg(test)]
mod table_tests;

pub use finding::{Evidence, ExaminedEvidence, Rule};
pub use line::{Finding, Findings};
pub use table::FindingTable;
