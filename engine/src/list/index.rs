//! Merge order of the stored rows of several sources: the source of each row of the merged list, one byte per row. The
//! index only grows; a row that arrives too late is appended.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use spytui_plugin_api::Row;

use crate::{
    order::{
        PATIENCE,
        next::{Scales, SourceHead, next},
        sort_time::{SortTime, SortTimes},
    },
    session::Decoding,
    store::segment::ROWS,
};

/// Rows between two entries of `ranks`.
const BLOCK: usize = 256;
/// Rows of a source read at once.
const PORTION: u64 = 4096;
/// A source with pending bytes that makes no progress for this long counts as silent.
const STALLED: Duration = Duration::from_secs(2);

/// Result of a step of [`Index::grow`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// There is more to do.
    More,
    /// Rows wait for a silent source.
    Waits,
    /// All rows are in the list.
    Done,
}

/// Rows of a source waiting to enter the list.
#[derive(Debug)]
struct Queue {
    stamps: SortTimes,
    /// Sort times of rows read but not yet in the list.
    waiting: VecDeque<SortTime>,
    /// Number of rows read.
    read: u64,
    /// Number of rows at these times.
    arrivals: VecDeque<(u64, Instant)>,
    /// Rows below this number do not wait for silent sources any more.
    due: u64,
    /// Last position of the decoder, and when it changed.
    moved: (u64, Instant),
}

/// The merge order of all rows.
#[derive(Debug)]
pub struct Index {
    queues: Vec<Queue>,
    scales: Scales,
    sources: Vec<u8>,
    /// Rows of each source before each block.
    ranks: Vec<u64>,
    rebuilt: u64,
}

impl Index {
    /// Empty, for these sources.
    #[must_use]
    pub fn new(parts: &[std::sync::Arc<Decoding>], now: Instant) -> Index {
        let queue = |part: &std::sync::Arc<Decoding>| Queue {
            stamps: SortTimes::new(&part.decoder.info),
            waiting: VecDeque::new(),
            read: 0,
            arrivals: VecDeque::new(),
            due: 0,
            moved: (0, now),
        };
        let queues = parts.iter().map(queue).collect();
        Index { queues, scales: Scales::default(), sources: Vec::new(), ranks: Vec::new(), rebuilt: 0 }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.sources.len() as u64
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// How often it was rebuilt because the clocks turned out to differ.
    #[must_use]
    pub fn rebuilt(&self) -> u64 {
        self.rebuilt
    }

    /// Source of a row of the list, and its number in the source.
    #[must_use]
    pub fn locate(&self, row: u64) -> Option<(usize, u64)> {
        let at = usize::try_from(row).ok()?;
        let source = *self.sources.get(at)?;
        Some((usize::from(source), self.count_before(at, source)))
    }

    fn count_before(&self, at: usize, source: u8) -> u64 {
        let block = at / BLOCK;
        let before = self.ranks.get(block * self.queues.len() + usize::from(source)).copied().unwrap_or(0);
        before + count(&self.sources[block * BLOCK..at], source)
    }

    /// Rows of each source before a row of the list.
    #[must_use]
    pub fn before(&self, row: u64) -> Vec<u64> {
        let at = usize::try_from(row).unwrap_or(usize::MAX).min(self.sources.len());
        (0..self.queues.len()).map(|source| self.count_before(at, source as u8)).collect()
    }

    /// Number in the list of a source's row.
    #[must_use]
    pub fn place(&self, source: usize, row: u64) -> Option<u64> {
        let (wanted, parts) = (u8::try_from(source).ok()?, self.queues.len());
        let blocks = self.ranks.len() / parts.max(1);
        let rank = |block: usize| self.ranks.get(block * parts + source).copied().unwrap_or(0);
        let (mut low, mut high) = (0, blocks);
        while low < high {
            let middle = low + (high - low) / 2;
            if rank(middle) <= row { low = middle + 1 } else { high = middle }
        }
        let block = low.checked_sub(1)?;
        let mut left = row - rank(block);
        let start = block * BLOCK;
        let stretch = self.sources.get(start..)?.iter().take(BLOCK).enumerate();
        for (i, _) in stretch.filter(|(_, source)| **source == wanted) {
            if left == 0 {
                return Some((start + i) as u64);
            }
            left -= 1;
        }
        None
    }

    fn push(&mut self, source: usize) {
        if self.sources.len().is_multiple_of(BLOCK) {
            let ranks: Vec<u64> = self.queues.iter().map(|q| q.read - q.waiting.len() as u64).collect();
            self.ranks.extend(ranks);
        }
        self.sources.push(source as u8);
        self.queues[source].waiting.pop_front();
    }

    /// Adds new rows, a few thousand at most.
    pub fn grow(&mut self, parts: &[std::sync::Arc<Decoding>], now: Instant) -> Growth {
        self.follow_clocks(parts, now);
        let (mut heads, mut behind) = (Vec::with_capacity(parts.len()), false);
        for (queue, part) in self.queues.iter_mut().zip(parts) {
            queue.follow_time(part.len(), now);
            let head = queue.look(part);
            behind |= head == SourceHead::Waiting && queue.is_behind(part, now);
            heads.push(head);
        }
        let mut taken = 0;
        while taken < ROWS {
            let queues = &self.queues;
            let due = |source: usize| !behind && queues[source].is_due();
            let Some(source) = next(&heads, |s, stamp| self.scales.key(s, stamp), due) else { break };
            self.push(source);
            taken += 1;
            heads[source] = self.queues[source].look(&parts[source]);
            behind |= heads[source] == SourceHead::Waiting && self.queues[source].is_behind(&parts[source], now);
        }
        match heads.iter().any(|head| matches!(head, SourceHead::Row(_))) {
            true if taken == ROWS => Growth::More,
            true => Growth::Waits,
            false => Growth::Done,
        }
    }

    /// Starts over if the clock rates turn out to differ.
    fn follow_clocks(&mut self, parts: &[std::sync::Arc<Decoding>], now: Instant) {
        let clocks: Vec<_> = parts.iter().map(|part| part.read().clock()).collect();
        let scales = Scales::new(&clocks);
        if scales == self.scales {
            return;
        }
        let rebuilt = self.rebuilt + u64::from(!self.is_empty());
        *self = Index { scales, rebuilt, ..Index::new(parts, now) };
    }
}

fn count(sources: &[u8], wanted: u8) -> u64 {
    sources.iter().filter(|source| **source == wanted).count() as u64
}

impl Queue {
    /// Current head of the source.
    fn look(&mut self, part: &Decoding) -> SourceHead {
        if self.waiting.is_empty() {
            // Checked first: no row is added after the end.
            let ended = part.ended();
            self.read_on(part);
            if self.waiting.is_empty() && ended {
                return SourceHead::Ended;
            }
        }
        self.waiting.front().map_or(SourceHead::Waiting, |stamp| SourceHead::Row(*stamp))
    }

    /// Marks rows that have waited long enough as due.
    fn follow_time(&mut self, len: u64, now: Instant) {
        if self.arrivals.back().map_or(0, |a| a.0) < len {
            self.arrivals.push_back((len, now));
        }
        while let Some(&(rows, at)) = self.arrivals.front() {
            if now.saturating_duration_since(at) < PATIENCE {
                break;
            }
            self.due = rows;
            self.arrivals.pop_front();
        }
    }

    fn read_on(&mut self, part: &Decoding) {
        let upto = part.len().min(self.read + PORTION);
        while self.read < upto && !self.take(part, upto) {
            // A row that can't be decoded again is placed with the one before it.
            if !part.ensure_loaded(self.read) {
                self.waiting.push_back(self.stamps.of(&Row::default()));
                self.read += 1;
            }
        }
    }

    /// Reads rows while they are loaded; returns `false` if one must be decoded again.
    fn take(&mut self, part: &Decoding, upto: u64) -> bool {
        let state = part.read();
        while self.read < upto {
            let Some(row) = state.rows.row(self.read) else { return false };
            self.waiting.push_back(self.stamps.of(&row));
            self.read += 1;
        }
        true
    }

    /// Whether the next row has waited long enough.
    fn is_due(&self) -> bool {
        self.read - (self.waiting.len() as u64) < self.due
    }

    /// Whether the decoder is working on pending bytes.
    fn is_behind(&mut self, part: &Decoding, now: Instant) -> bool {
        let pos = part.pos();
        if pos != self.moved.0 {
            self.moved = (pos, now);
        }
        pos < part.log.len() && now.saturating_duration_since(self.moved.1) < STALLED
    }
}
