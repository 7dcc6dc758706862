//! `--exec FILE` and `--target-filter` without a screen: command lines, run one after the other while rows are printed.
//!
//! | module | what is in it |
//! |---|---|
//! | `script` | the lines of a file, or of stdin as they come |
//! | `step` | a line to what it asks for |
//! | `words` | the words that lines are made of |
//! | `link_wait` | how long the link is waited for |
//! | `problem` | where a script ended, and why |
//! | `advice` | the filter with which a trace fits its link |
//! | `target` | sends a command and waits for its end |
//! | `expect` | waits for a row |
//! | `statistics` | prints the figures of the rows that have come, or what an expert would spot in them |
//! | `runner` | runs the lines |
//! | `conductor` | the thread that runs them beside the printing |
//! | `filters` | the filters of the rows that are printed, as lines change them |

mod advice;
mod conductor;
mod expect;
mod filters;
mod link_wait;
mod problem;
mod runner;
mod script;
mod statistics;
mod step;
mod target;
mod words;

pub use conductor::{Around, Conductor, ONE_LINK, Plan, check};
pub(super) use words::OWN;
