//! Configuration: defaults as data, files, environment and flags over them.

mod source;

pub use source::ConfigError;
pub(crate) use source::{Source, items};
