//! `--exec FILE` and `--target-filter` without a screen: command lines, run one after the other while rows are printed.
//!
//! | module | what is in it |
//! |---|---|
//! | `script` | the lines of a file, or of stdin as they come |
//! | `runner` | runs the lines |
//! | `conductor` | the thread that runs them beside the printing |

mod conductor;
mod runner;
mod script;

pub use conductor::{Around, Conductor, ONE_LINK, Plan, check};

pub(super) use script::OWN;
