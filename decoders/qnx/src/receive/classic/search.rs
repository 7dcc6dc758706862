//! What may be the next record, and the search for it after damage.

use spytui_plugin_api::Output;

use super::receiver::ClassicLog;
use crate::{
    frame::{Chain, chain, follows},
    receive::{
        Ending,
        search::{MOST_SKIPPED, Search},
    },
    record::Classic,
};

/// Number of plausible records in a row that make a place the start of one.
const CHAIN: usize = 3;
/// The same in a search at the start of a stream, where there is no record before them.
const FIRST_CHAIN: usize = 8;

impl ClassicLog {
    /// Whether a record that is not complete may be the last one, cut by the end of the stream.
    pub(super) fn is_cut(&self, bytes: &[u8]) -> bool {
        (1..bytes.len())
            .all(|at| chain(self.format, bytes.get(at..).unwrap_or(&[]), CHAIN, self.last, true) != Chain::Enough)
    }

    /// Whether a record follows the last one. If its time is before that, and the records after it agree, another run
    /// begins with it.
    pub(super) fn fits(&self, record: &Classic<'_>, bytes: &[u8], ending: Ending) -> Chain {
        let ends = ending.is_some();
        match self.last {
            None => chain(self.format, bytes, CHAIN, None, ends),
            Some(_) if follows(record, self.last) => Chain::Enough,
            Some(last) if record.seconds < last => self.another_run(record.len, bytes, ends),
            Some(_) => Chain::TooFew,
        }
    }

    /// Whether a record whose time is before that of the last one begins another run: those after it agree with it, and
    /// the next one does not go on from the last one, as behind a damaged time.
    fn another_run(&self, len: usize, bytes: &[u8], ends: bool) -> Chain {
        let next = bytes.get(len..).unwrap_or(&[]);
        match chain(self.format, bytes, CHAIN, None, ends) {
            Chain::Enough if chain(self.format, next, 1, self.last, ends) == Chain::Enough => Chain::TooFew,
            agrees => agrees,
        }
    }

    /// Number of records in a row that a search looks for.
    fn chain(&self) -> usize {
        if self.last.is_some() { CHAIN } else { FIRST_CHAIN }
    }

    /// Looks for the next record, byte by byte; returns the number of bytes that rows were made of.
    pub(super) fn search(
        &mut self,
        pos: u64,
        bytes: &[u8],
        search: Search,
        ending: Ending,
        out: &mut Output<'_>,
    ) -> usize {
        let ends = ending.is_some();
        for at in search.tried.max(1)..bytes.len() {
            match chain(self.format, bytes.get(at..).unwrap_or(&[]), self.chain(), self.last, ends) {
                Chain::Enough => {
                    self.search = None;
                    self.skipped(search.row(pos, at), bytes, out);
                    return at;
                }
                Chain::Open if !ends => {
                    self.search = Some(Search { tried: at, ..search });
                    return 0;
                }
                _ if at + 1 >= MOST_SKIPPED => {
                    self.search = Some(Search::NEXT_ROW);
                    self.skipped(search.row(pos, at), bytes, out);
                    return at;
                }
                _ => {}
            }
        }
        if ends {
            self.search = None;
            self.skipped(search.row(pos, bytes.len()), bytes, out);
            return bytes.len();
        }
        self.search = Some(Search { tried: bytes.len().max(1), ..search });
        0
    }
}
