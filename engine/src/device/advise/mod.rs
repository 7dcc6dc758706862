//! Which records a target should leave out when its link is too slow for all of them.
//!
//! | module | what is in it |
//! |---|---|
//! | `traffic` | traffic and losses of the last seconds |
//! | `advice` | proposes a filter with reasons; costs of the switches |

mod advice;
mod traffic;

pub use advice::{Advice, AdvisedWord, Price, Prices, Proposal, Question, advise, prices};
pub use traffic::{KindCount, Traffic, Window, records_not_sent};
