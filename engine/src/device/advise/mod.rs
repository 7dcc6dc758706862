//! Which records a target should leave out when its link is too slow for all of them.
//!
//! | module | what is in it |
//! |---|---|
//! | `traffic` | what came over the last seconds, and what did not |
//! | `made` | what the target made, whether it came or not |
//! | `units` | what can be switched off, and what that saves |
//! | `choose` | the units without which the trace fits and loses least |
//! | `prices` | what each group costs |
//! | `advice` | the filter that is proposed, and why |

mod advice;
mod choose;
mod made;
mod prices;
mod traffic;
mod units;

pub use advice::{Advice, AdvisedWord, Proposal, Question, advise};
pub use prices::{Price, Prices, prices};
pub use traffic::{KindCount, Traffic, Window, records_not_sent};
