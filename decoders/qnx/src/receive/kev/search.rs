//! The search for the next event, after damage or at the start of a stream.

use spytui_plugin_api::Output;

use super::{
    buffer::is_buffer_end,
    receiver::{Kev, Stage},
};
use crate::{
    frame::{CHAIN, FIRST_CHAIN, WITH_COOKIE, near},
    receive::{
        Ending,
        search::{MOST_SKIPPED, Search},
    },
    record::{BEGIN, EVENT, Event, event},
};

impl Kev {
    /// Looks for the next event, byte by byte.
    pub(super) fn search(
        &mut self,
        pos: u64,
        bytes: &[u8],
        search: Search,
        ending: Ending,
        out: &mut Output<'_>,
    ) -> (usize, bool) {
        let ends = ending.is_some();
        for at in search.tried..=bytes.len() {
            let window = bytes.get(at..).unwrap_or(&[]);
            if window.len() < self.window() && !ends {
                self.stage = Stage::Search(Search { tried: at, ..search });
                return (0, false);
            }
            if let Some((more, stage)) = self.resumes(window) {
                let (at, window) = (at + more, window.get(more..).unwrap_or(&[]));
                self.skipped(search, pos, bytes.get(..at).unwrap_or(bytes), out);
                self.stage = stage;
                self.resumed(pos + at as u64, window, out);
                return (at, true);
            }
            if at + 1 == MOST_SKIPPED {
                self.skipped(search, pos, bytes.get(..=at).unwrap_or(bytes), out);
                self.stage = Stage::Search(Search::NEXT_ROW);
                return (at + 1, true);
            }
        }
        self.skipped(search, pos, bytes, out);
        (bytes.len(), false)
    }

    /// Where events or a header begin, if it is at the start of these bytes or close to it.
    fn resumes(&mut self, window: &[u8]) -> Option<(usize, Stage)> {
        if window.starts_with(BEGIN) {
            return Some((0, Stage::Header));
        }
        let raw = window.get(..EVENT)?;
        if self.rules.release >= WITH_COOKIE && is_buffer_end(raw) && self.rules.chain(raw, 1, |_, _| true) == 1 {
            self.last = None;
            return Some((0, Stage::Events));
        }
        match self.last {
            Some(_) => (self.chain(window, CHAIN) == CHAIN).then_some((0, Stage::Events)),
            None => Some((self.first_event(window)?, Stage::Events)),
        }
    }

    /// Where the first event of a stream begins. There is none before it to be measured against, and four bytes of
    /// another event look like its header quite often: the longest chain counts.
    fn first_event(&self, window: &[u8]) -> Option<usize> {
        (self.chain(window, CHAIN) == CHAIN).then_some(())?;
        let lengths = (0..EVENT).map(|at| self.chain(window.get(at..).unwrap_or(&[]), FIRST_CHAIN));
        let mut best = (0, 0);
        for (at, length) in lengths.enumerate() {
            if length > best.1 {
                best = (at, length);
            }
        }
        Some(best.0)
    }

    /// Number of plausible events at the start of these bytes.
    fn chain(&self, bytes: &[u8], most: usize) -> usize {
        let follows = |before: Option<&Event>, event: &Event| match before {
            Some(before) => near(event.low, before.low) || self.cpus.is_near(event),
            None => self.is_near(event),
        };
        self.rules.chain(bytes, most, follows)
    }

    /// Number of bytes that decide.
    fn window(&self) -> usize {
        match self.last {
            Some(_) => CHAIN * EVENT,
            None => (FIRST_CHAIN + 1) * EVENT,
        }
    }

    /// An event was found: those that began before it won't end any more.
    fn resumed(&mut self, pos: u64, window: &[u8], out: &mut Output<'_>) {
        if let (Stage::Events, Ok((_, event))) = (self.stage, event(window, self.rules.big)) {
            self.give_up_before(pos, event.low, out);
        }
    }

    /// Adds the rows of skipped bytes.
    pub(super) fn skipped(&mut self, search: Search, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        if !bytes.is_empty() {
            self.no_event(search.row(pos, bytes.len()), bytes, out);
        }
    }
}
