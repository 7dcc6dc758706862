//! Where a decoder comes from, and calls of what may not return.

use std::path::PathBuf;

use spytui_plugin_api::Fault;

use super::{contain::report_if_left, within::within};
use crate::present::failure::safe_fault;

/// Origin of a decoder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Linked into this program.
    BuiltIn,
    /// Loaded from this file.
    File(PathBuf),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::BuiltIn => f.write_str("built in"),
            Origin::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Origin {
    pub(super) fn is_file(&self) -> bool {
        matches!(self, Origin::File(_))
    }

    /// The result of a call of what comes from here. One of a file is left behind if it does not return.
    pub(super) fn patiently<T: Send + 'static>(
        &self,
        what: &str,
        call: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let answer = if self.is_file() { within(what, call).flatten() } else { call() };
        answer.map_err(safe_fault)
    }

    /// A description of what comes from here.
    pub(super) fn described<T: Send + 'static>(
        &self,
        info: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let answer = self.patiently(&format!("{self} in info"), info);
        answer.inspect_err(report_if_left)
    }
}
