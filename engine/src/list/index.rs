//! Merge order of the stored rows of several sources: the source of each row of the merged list, one byte per row. The
//! index only grows; a row that arrives too late is appended.

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use spytui_plugin_api::{Attachment, AttachmentId, Row, RowFlags, RowKind};

use crate::{
    decode::{DropInOrder, TargetDrops},
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
    /// Rows read but not yet in the list.
    waiting: VecDeque<Waiting>,
    /// Rows at the end of these that stand with the record behind them, which is yet to come.
    held: usize,
    /// Totals of dropped records are needed.
    reads_totals: bool,
    /// Number of rows read.
    read: u64,
    /// Number of rows at these times.
    arrivals: VecDeque<(u64, Instant)>,
    /// Rows below this number do not wait for silent sources any more.
    due: u64,
    /// Last position of the decoder, and when it changed.
    moved: (u64, Instant),
}

/// A row that is not in the list yet.
#[derive(Debug)]
struct Waiting {
    time: SortTime,
    row: Row,
    /// Its total of dropped records, if it has one.
    total: Option<Attachment>,
}

/// A row that says what a total of dropped records means, as it is in the order of all sources.
#[derive(Debug, Clone, Copy)]
pub struct OrderedDrop {
    /// What is new in this order.
    pub told: DropInOrder,
    /// The row says nothing that another source did not tell before: it is not shown.
    pub is_left_out: bool,
    /// Kind of the row.
    pub kind: RowKind,
    /// Source of the row, and its number there.
    pub at: (usize, u64),
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
    /// Drops in the order of all sources, where it makes a difference.
    drops: Option<TargetDrops>,
    /// Their rows, by number in the list.
    drop_rows: BTreeMap<u64, OrderedDrop>,
    /// Records dropped, and in how many places.
    dropped: (u64, u64),
}

impl Index {
    /// Empty, for these sources.
    #[must_use]
    pub fn new(parts: &[std::sync::Arc<Decoding>], now: Instant) -> Index {
        let drops = parts.first().and_then(|part| TargetDrops::new(&part.decoder.info, parts.len()));
        let queue = |part: &std::sync::Arc<Decoding>| Queue {
            stamps: SortTimes::new(&part.decoder.info),
            waiting: VecDeque::new(),
            held: 0,
            reads_totals: drops.is_some(),
            read: 0,
            arrivals: VecDeque::new(),
            due: 0,
            moved: (0, now),
        };
        let queues = parts.iter().map(queue).collect();
        Index {
            queues,
            scales: Scales::default(),
            sources: Vec::new(),
            ranks: Vec::new(),
            rebuilt: 0,
            drops,
            drop_rows: BTreeMap::new(),
            dropped: (0, 0),
        }
    }

    /// Rows that say what a total of dropped records means, by number in the list.
    #[must_use]
    pub fn drop_rows(&self) -> &BTreeMap<u64, OrderedDrop> {
        &self.drop_rows
    }

    /// Records dropped and number of places, in the order of all sources; `None` if each source has its own.
    #[must_use]
    pub fn dropped(&self) -> Option<(u64, u64)> {
        self.drops.is_some().then_some(self.dropped)
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

    /// Moves the next row of a source into the list, and with a row that stands with the one behind it that one too.
    /// Returns the number of rows moved.
    fn push(&mut self, source: usize) -> usize {
        let first = self.sources.len();
        let mut kinds = Vec::new();
        while let Some(waiting) = self.queues[source].waiting.front() {
            if self.sources.len().is_multiple_of(BLOCK) {
                let ranks = self.queues.iter().map(Queue::moved_rows);
                self.ranks.extend(ranks);
            }
            self.sources.push(source as u8);
            let waits = waiting.row.has(RowFlags::OF_NEXT);
            if waits {
                kinds.push(waiting.row.kind);
            } else if let Some(drops) = &mut self.drops
                && let Some(told) = drops.pass(&waiting.row, waiting.total.as_slice())
            {
                let record = self.queues[source].moved_rows();
                self.order_drops(told, &kinds, (source, record));
            }
            self.queues[source].waiting.pop_front();
            if !waits {
                break;
            }
        }
        self.sources.len() - first
    }

    /// Says of rows of these kinds, which stand before the record just moved, what is new in them.
    fn order_drops(&mut self, told: DropInOrder, kinds: &[RowKind], (source, record): (usize, u64)) {
        let count = kinds.len() as u64;
        let first = self.len() - 1 - count;
        for (i, kind) in (0..).zip(kinds) {
            let at = (source, record - count + i);
            self.drop_rows.insert(first + i, OrderedDrop { told, is_left_out: !told.keeps(*kind), kind: *kind, at });
        }
        if told.lost() > 0 && kinds.contains(&RowKind::DROP) {
            self.dropped.0 += told.lost();
            self.dropped.1 += 1;
        }
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
            taken += self.push(source);
            heads[source] = self.queues[source].look(&parts[source]);
            behind |= heads[source] == SourceHead::Waiting && self.queues[source].is_behind(&parts[source], now);
        }
        match heads.iter().any(|head| matches!(head, SourceHead::Row(_))) {
            true if taken >= ROWS => Growth::More,
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
        if self.waiting.len() == self.held {
            // Checked first: no row is added after the end.
            let ended = part.ended();
            self.read_on(part);
            if self.waiting.is_empty() && ended {
                return SourceHead::Ended;
            }
        }
        let front = self.waiting.front().filter(|_| self.waiting.len() > self.held);
        front.map_or(SourceHead::Waiting, |waiting| SourceHead::Row(waiting.time))
    }

    /// Number of its rows that are in the list.
    fn moved_rows(&self) -> u64 {
        self.read - self.waiting.len() as u64
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
                self.add(Row::default(), None);
            }
        }
    }

    /// Reads rows while they are loaded; returns `false` if one must be decoded again.
    fn take(&mut self, part: &Decoding, upto: u64) -> bool {
        let state = part.read();
        while self.read < upto {
            let Some((columns, i)) = state.rows.location(self.read).and_then(|at| state.rows.columns(at)) else {
                return false;
            };
            let row = columns.row(i, state.rows.tables());
            let attachments = if self.reads_totals { columns.attachments(i) } else { &[] };
            let total = attachments.iter().find(|attachment| attachment.id == AttachmentId::DROP_TOTAL).copied();
            self.add(row, total);
        }
        true
    }

    /// Adds the next row to those that wait.
    fn add(&mut self, row: Row, total: Option<Attachment>) {
        let time = self.stamps.of(&row);
        self.waiting.push_back(Waiting { time, row, total });
        self.read += 1;
        if row.has(RowFlags::OF_NEXT) {
            self.held += 1;
            return;
        }
        // Rows that stand with the record behind them wait for its turn.
        let held = std::mem::take(&mut self.held);
        self.waiting.iter_mut().rev().skip(1).take(held).for_each(|waiting| waiting.time = time);
    }

    /// Whether the next row has waited long enough.
    fn is_due(&self) -> bool {
        self.moved_rows() < self.due
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
