//! Merge order of the stored rows of several sources: one byte per row of the merged list with its source. The index
//! only grows; a row that arrives too late is appended.

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use spytui_plugin_api::{Attachment, Row, RowKind};

use crate::{
    store::rows::ROWS,
    trace::{
        order::{DropInOrder, Merge, PATIENCE, Scales},
        session::Decoding,
    },
};

/// Rows between two entries of `ranks`.
const BLOCK: usize = 256;
/// Rows of a source read at once.
const PORTION: u64 = 4096;
/// A source with pending bytes and no progress for this long counts as silent.
const STALLED: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    More,
    /// Rows wait for a silent source.
    Waits,
    /// All rows are in the list.
    Done,
}

#[derive(Debug)]
struct Progress {
    read: u64,
    listed: u64,
    /// Row counts at certain times.
    arrivals: VecDeque<(u64, Instant)>,
    /// Rows below this number no longer wait for silent sources.
    due: u64,
    /// Last position of the decoder, and when it changed.
    moved: (u64, Instant),
}

/// A row with a total of dropped records, as seen in the order of all sources.
#[derive(Debug, Clone, Copy)]
pub struct OrderedDrop {
    /// What is new in this order.
    pub drop: DropInOrder,
    /// Another source reported the same before, so the row is not shown.
    pub is_left_out: bool,
    pub kind: RowKind,
    /// Source of the row, and its number there.
    pub at: (usize, u64),
}

#[derive(Debug)]
pub struct Index {
    merge: Merge,
    progress: Vec<Progress>,
    scales: Scales,
    sources: Vec<u8>,
    /// Rows of each source before each block.
    ranks: Vec<u64>,
    pub(super) rebuilt: u64,
    /// Drop rows in the order of all sources, by number in the list.
    drop_rows: BTreeMap<u64, OrderedDrop>,
    /// Records dropped, and number of places.
    dropped: (u64, u64),
}

impl Index {
    pub fn new(parts: &[std::sync::Arc<Decoding>], now: Instant) -> Index {
        let info = parts.first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        let progress = |_| Progress { read: 0, listed: 0, arrivals: VecDeque::new(), due: 0, moved: (0, now) };
        Index {
            merge: Merge::new(&info, (0..parts.len()).collect()),
            progress: (0..parts.len()).map(progress).collect(),
            scales: Scales::default(),
            sources: Vec::new(),
            ranks: Vec::new(),
            rebuilt: 0,
            drop_rows: BTreeMap::new(),
            dropped: (0, 0),
        }
    }

    pub fn drop_rows(&self) -> &BTreeMap<u64, OrderedDrop> {
        &self.drop_rows
    }

    /// Records dropped and number of places, in the order of all sources; `None` if each source counts separately.
    pub fn dropped(&self) -> Option<(u64, u64)> {
        self.merge.orders_drops().then_some(self.dropped)
    }

    pub fn len(&self) -> u64 {
        self.sources.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Source of a list row, and its number in the source.
    pub fn locate(&self, row: u64) -> Option<(usize, u64)> {
        let at = usize::try_from(row).ok()?;
        let source = *self.sources.get(at)?;
        Some((usize::from(source), self.count_before(at, source)))
    }

    /// [`Index::locate`], with the number of consecutive rows of that source, at most `most`.
    pub(super) fn run(&self, row: u64, most: u64) -> Option<(usize, u64, u64)> {
        let (source, number) = self.locate(row)?;
        let rest = self.sources.get(usize::try_from(row).ok()?..)?.iter();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let count = rest.take(most).take_while(|of| usize::from(**of) == source).count();
        Some((source, number, count as u64))
    }

    fn count_before(&self, at: usize, source: u8) -> u64 {
        let block = at / BLOCK;
        let before = self.ranks.get(block * self.progress.len() + usize::from(source)).copied().unwrap_or(0);
        before + count(&self.sources[block * BLOCK..at], source)
    }

    /// Rows of each source before a list row.
    pub fn before(&self, row: u64) -> Vec<u64> {
        let at = usize::try_from(row).unwrap_or(usize::MAX).min(self.sources.len());
        (0..self.progress.len()).map(|source| self.count_before(at, source as u8)).collect()
    }

    /// List number of a source's row.
    pub fn place(&self, source: usize, row: u64) -> Option<u64> {
        let (wanted, parts) = (u8::try_from(source).ok()?, self.progress.len());
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

    /// Appends the next row of a source to the list, with the record that it belongs to, if any.
    fn push(&mut self, source: usize) {
        let Index { merge, progress, sources, ranks, .. } = self;
        let mut kinds = Vec::new();
        let drop = merge.take(source, |_, kind| {
            if sources.len().is_multiple_of(BLOCK) {
                ranks.extend(progress.iter().map(|progress| progress.listed));
            }
            sources.push(source as u8);
            progress[source].listed += 1;
            kinds.push(kind);
        });
        if let (Some(drop), Some((_, kinds))) = (drop, kinds.split_last()) {
            let record = self.progress[source].listed - 1;
            self.order_drops(drop, kinds, (source, record));
        }
    }

    /// Describes what is new in the rows of these kinds that precede the record just added.
    fn order_drops(&mut self, drop: DropInOrder, kinds: &[RowKind], (source, record): (usize, u64)) {
        let count = kinds.len() as u64;
        let first = self.len() - 1 - count;
        for (i, kind) in (0..).zip(kinds) {
            let at = (source, record - count + i);
            self.drop_rows.insert(first + i, OrderedDrop { drop, is_left_out: !drop.keeps(*kind), kind: *kind, at });
        }
        if drop.lost() > 0 && kinds.contains(&RowKind::DROP) {
            self.dropped.0 += drop.lost();
            self.dropped.1 += 1;
        }
    }

    /// Adds up to a few thousand new rows.
    pub fn grow(&mut self, parts: &[std::sync::Arc<Decoding>], now: Instant) -> Growth {
        self.follow_clocks(parts, now);
        let mut behind = false;
        for (source, part) in parts.iter().enumerate() {
            self.progress[source].follow_time(part.len(), now);
            behind |= self.read(source, part, now);
        }
        let begin = self.sources.len();
        while self.sources.len() - begin < ROWS {
            let due = |source: usize| !behind && self.progress[source].is_due();
            let Some(source) = self.merge.next(due) else { break };
            self.push(source);
            behind |= self.read(source, &parts[source], now);
        }
        match self.merge.holds_back() {
            true if self.sources.len() - begin >= ROWS => Growth::More,
            true => Growth::Waits,
            false => Growth::Done,
        }
    }

    /// Reads rows of a source if none are waiting; returns whether more will follow soon.
    fn read(&mut self, source: usize, part: &Decoding, now: Instant) -> bool {
        if self.merge.has_row(source) || self.merge.has_ended(source) {
            return false;
        }
        // Checked first: no rows are added after the end.
        let ended = part.ended();
        let upto = part.len().min(self.progress[source].read + PORTION);
        while self.progress[source].read < upto && !self.take(source, part, upto) {
            // A row that can't be decoded again is placed with its predecessor.
            if !part.ensure_loaded(self.progress[source].read) {
                self.add(source, &Row::default(), &[]);
            }
        }
        if self.merge.first(source).is_none() && ended {
            self.merge.end(source);
        }
        let waits = !self.merge.has_row(source) && !self.merge.has_ended(source);
        waits && self.progress[source].is_behind(part, now)
    }

    /// Reads rows while they are loaded; returns `false` if one must be decoded again.
    fn take(&mut self, source: usize, part: &Decoding, upto: u64) -> bool {
        let state = part.read();
        while self.progress[source].read < upto {
            let location = state.rows.location(self.progress[source].read);
            let Some((columns, i)) = location.and_then(|at| state.rows.columns(at)) else { return false };
            let attachments = if self.merge.orders_drops() { columns.attachments(i) } else { &[] };
            self.add(source, &columns.row(i, state.rows.tables()), attachments);
        }
        true
    }

    fn add(&mut self, source: usize, row: &Row, attachments: &[Attachment]) {
        let at = self.progress[source].read;
        self.merge.add(source, at, row, attachments);
        self.progress[source].read += 1;
    }

    /// Starts over if the clock rates turn out to differ.
    fn follow_clocks(&mut self, parts: &[std::sync::Arc<Decoding>], now: Instant) {
        let clocks: Vec<_> = parts.iter().map(|part| part.read().clock()).collect();
        let scales = Scales::new(&clocks);
        if scales == self.scales {
            return;
        }
        let rebuilt = self.rebuilt + u64::from(!self.is_empty());
        *self = Index { scales: scales.clone(), rebuilt, ..Index::new(parts, now) };
        self.merge.set_scales(vec![scales]);
    }
}

fn count(sources: &[u8], wanted: u8) -> u64 {
    sources.iter().filter(|source| **source == wanted).count() as u64
}

impl Progress {
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

    fn is_due(&self) -> bool {
        self.listed < self.due
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
