//! Rows that a plugin failed to render: the first fault is kept, and how many rows have one. The rows themselves are
//! marked where they are shown; a command without a screen ends with the fault.

use std::sync::{Mutex, OnceLock, PoisonError};

use spytui_plugin_api::Fault;

use crate::present::failure::safe_fault;

/// What failed when rows of a decoder were rendered.
#[derive(Debug, Default)]
pub struct RenderFaults {
    first: Mutex<Option<First>>,
    /// Why the decoder is not asked again: it has not returned.
    left: OnceLock<String>,
}

/// The first fault.
#[derive(Debug)]
struct First {
    /// `panics failed in render`.
    what: String,
    /// Position of its row.
    pos: u64,
    /// `None` if it is reported elsewhere.
    fault: Option<Fault>,
    /// Rows with a fault so far.
    rows: u64,
}

impl RenderFaults {
    /// Keeps the fault of a row at `pos`; `what` failed, in words.
    pub fn add(&self, pos: u64, fault: Option<&Fault>, what: impl FnOnce() -> String) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = || First { what: what(), pos, fault: fault.cloned().map(safe_fault), rows: 0 };
        first.get_or_insert_with(begin).rows += 1;
    }

    /// Notes that the decoder has not returned from a call: `render of rows from @0x0 has not returned for 2 s`.
    pub fn leave(&self, why: String) {
        let _ = self.left.set(why);
    }

    /// Why the decoder is not to be asked again; `None` if it is.
    pub fn left(&self) -> Option<&str> {
        self.left.get().map(String::as_str)
    }

    /// The first fault, in one line; `None` if nothing failed.
    pub fn said(&self) -> Option<String> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.as_ref().map(|First { what, pos, fault, rows }| {
            let more = if *rows > 1 { format!("; {rows} times in all") } else { String::new() };
            let why = fault.as_ref().map(|fault| format!(": {fault}")).unwrap_or_default();
            format!("{what} at @{pos:#x}{why}{more}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fault_is_said_with_the_number_of_all() {
        let faults = RenderFaults::default();
        assert_eq!(faults.said(), None);
        let add = |pos, text: &str| faults.add(pos, Some(&Fault::new(text)), || "toy failed in render".to_owned());
        add(16, "no");
        assert_eq!(faults.said().as_deref(), Some("toy failed in render at @0x10: no"));
        add(3, "other");
        assert_eq!(faults.said().as_deref(), Some("toy failed in render at @0x10: no; 2 times in all"));
    }
}
