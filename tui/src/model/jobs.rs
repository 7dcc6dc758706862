//! What is going on beside the screen.

use std::time::Instant;

use spytui_engine::query::Expr;

/// Work that takes more than one turn of the main loop.
#[derive(Debug, Default)]
pub struct Jobs {
    /// The last search.
    pub last_search: Option<LastSearch>,
    /// A search is at work.
    pub searching: bool,
    /// Listening for the right baud rate.
    pub baud_scan: Option<BaudScan>,
    /// There is more to do at once.
    pub unfinished: bool,
}

impl Jobs {
    /// Forgets a search at work; whether there was one.
    pub fn stop_search(&mut self) -> bool {
        std::mem::take(&mut self.searching)
    }
}

/// What was searched for.
#[derive(Debug, Clone)]
pub struct LastSearch {
    /// What passes.
    pub expr: Expr,
    /// As the user wrote it.
    pub text: String,
}

/// How far the scan of the baud rates is.
#[derive(Debug, Clone)]
pub struct BaudScan {
    /// Index of the rate listened at.
    pub at: usize,
    /// Since when.
    pub since: Option<Instant>,
    /// Bytes of the log when listening at this rate began.
    pub from: u64,
    /// The best rate so far, with its bits of evidence.
    pub best: (u32, u32),
}

impl BaudScan {
    /// Begins at the end of the log.
    pub fn start(pos: u64) -> BaudScan {
        BaudScan { at: 0, since: None, from: pos, best: (0, 0) }
    }
}
