//! Which records a target should leave out when its link is too slow for all of them.
//!
//! | module | what is in it |
//! |---|---|
//! | `traffic` | what came over the last seconds, and what did not |
//! | `advice` | the filter that is proposed, and why; what each switch costs |

mod advice;
mod traffic;

pub use advice::{Advice, AdvisedWord, Price, Prices, Proposal, Question, advise, prices};
pub use traffic::{KindCount, Traffic, Window, records_not_sent};
