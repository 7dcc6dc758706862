//! Fault switches as text. The C parser knows their names and limits.

use crate::Faults;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    #[error("{text}: no such fault")]
    Unknown { text: String, known: Vec<&'static str> },
    /// A number is missing, malformed or too large.
    #[error("{text}: {name} must be a number from 0 to {most}")]
    Number { text: String, name: &'static str, most: u32 },
    #[error("there is no demo target in this build")]
    NoTarget,
}

impl Faults {
    /// Parses a list such as `flip=200,burst=40`.
    ///
    /// # Errors
    /// An unknown switch, a malformed number, or no target in this build.
    #[cfg(has_target)]
    pub fn parse(text: &str) -> Result<Faults, FaultError> {
        use crate::target;
        target::parse_faults(text).map_err(|at| error_of(text.get(at..).unwrap_or_default(), &target::fault_limits()))
    }

    /// Fails, because there is no target.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(has_target))]
    pub fn parse(_: &str) -> Result<Faults, FaultError> {
        Err(FaultError::NoTarget)
    }
}

/// Explains the fault in the first switch of a list.
#[cfg(has_target)]
fn error_of(rest: &str, limits: &[(&'static str, u32)]) -> FaultError {
    let text = rest.split(',').next().unwrap_or_default();
    let name = text.split('=').next().unwrap_or_default();
    match limits.iter().find(|limit| limit.0 == name) {
        Some(&(name, most)) => FaultError::Number { text: text.to_owned(), name, most },
        None => FaultError::Unknown { text: text.to_owned(), known: limits.iter().map(|limit| limit.0).collect() },
    }
}
