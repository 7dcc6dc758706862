//! The rows decoded last with their activities, for whoever follows a stream live: so they are not decoded twice.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use abi_stable::std_types::RVec;
use spytui_plugin_api::{Activity, Batch, Row, RowFlags};

use crate::io::log::Cursor;

/// Rows that are kept, and for which they are kept after somebody asked.
const ROWS: u64 = 1 << 16;

/// The rows of a feed.
#[derive(Debug, Default)]
pub(super) struct TappedRows {
    /// Where the feed begins and ends.
    pub(super) from: Cursor,
    pub(super) to: Cursor,
    pub(super) rows: RVec<Row>,
    pub(super) activities: RVec<Activity>,
    /// Indices of the rows with bytes elsewhere, and how many they have in all.
    pub(super) far: Vec<(u32, u64)>,
}

impl TappedRows {
    /// Takes rows and activities out of a batch, which gets the memory of others for them.
    fn fill(&mut self, batch: &mut Batch, (from, to): (Cursor, Cursor)) {
        (self.from, self.to) = (from, to);
        let is_far = |(_, row): &(usize, &Row)| row.flags.intersects(RowFlags::FRAGMENTED | RowFlags::SHARED);
        let far = batch.rows.iter().enumerate().filter(is_far);
        self.far.clear();
        self.far.extend(far.map(|(at, _)| (at as u32, batch.len_of(at))));
        self.rows.clear();
        self.activities.clear();
        std::mem::swap(&mut self.rows, &mut batch.rows);
        std::mem::swap(&mut self.activities, &mut batch.activities);
    }
}

/// The rows of the last feeds. Nothing is kept while nobody asks.
#[derive(Debug, Default)]
pub(super) struct Tap {
    /// Rows from this number on are not kept.
    until: AtomicU64,
    kept: Mutex<VecDeque<Arc<TappedRows>>>,
}

impl Tap {
    /// Takes the rows of a feed with their activities out of its batch, if they are to be kept; `first` = number of the first
    /// one. A batch without activities counts as none.
    pub(super) fn add(&self, batch: &mut Batch, first: u64, (from, to): (Cursor, Cursor), has_activities: bool) {
        if first >= self.until() || !has_activities {
            let mut kept = self.kept();
            if !kept.is_empty() {
                *kept = VecDeque::new();
            }
            return;
        }
        let mut kept = self.kept();
        let mut count = kept.iter().map(|feed| feed.rows.len() as u64).sum::<u64>() + batch.rows.len() as u64;
        let mut feed = TappedRows::default();
        while count > ROWS
            && let Some(oldest) = kept.pop_front()
        {
            count -= oldest.rows.len() as u64;
            // Its memory is used again, unless somebody still reads it.
            feed = Arc::into_inner(oldest).unwrap_or(feed);
        }
        feed.fill(batch, (from, to));
        kept.push_back(Arc::new(feed));
    }

    /// The feed that begins at a position, if it is kept. Those that follow are kept from now on, up to some rows behind
    /// `row`.
    pub(super) fn take(&self, at: Cursor, row: u64) -> Option<Arc<TappedRows>> {
        self.until.store(row + ROWS, Ordering::Release);
        let kept = self.kept();
        let found = kept.iter().position(|feed| feed.from == at)?;
        kept.get(found).cloned()
    }

    /// Rows from this number on are not kept; 0 = nobody ever asked.
    pub(super) fn until(&self) -> u64 {
        self.until.load(Ordering::Acquire)
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Arc<TappedRows>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(tap: &Tap, first: u64, rows: u64, has_activities: bool) {
        let at = |row| Cursor { pos: row * 10, event: 0 };
        let mut batch = Batch { rows: vec![Row::default(); rows as usize].into(), ..Batch::default() };
        tap.add(&mut batch, first, (at(first), at(first + rows)), has_activities);
    }

    fn is_kept(tap: &Tap, row: u64) -> bool {
        tap.take(Cursor { pos: row * 10, event: 0 }, row).is_some()
    }

    #[test]
    fn feeds_are_kept_for_whoever_asks() {
        let tap = Tap::default();
        feed(&tap, 0, 10, true);
        assert!(!is_kept(&tap, 0));
        feed(&tap, 10, 10, true);
        feed(&tap, 20, 10, true);
        assert!(is_kept(&tap, 10) && is_kept(&tap, 20) && !is_kept(&tap, 30));
        // In bulk there are no activities.
        feed(&tap, 30, 10, false);
        assert!(!is_kept(&tap, 30) && !is_kept(&tap, 20));
    }

    #[test]
    fn a_feed_that_is_read_stays_while_memory_is_used_again() {
        let tap = Tap::default();
        assert!(!is_kept(&tap, 0));
        feed(&tap, 0, 5_000, true);
        let read = tap.take(Cursor { pos: 0, event: 0 }, 0).expect("kept");
        for first in (5_000..100_000).step_by(1_000) {
            feed(&tap, first, 1_000, true);
            let newest = tap.take(Cursor { pos: first * 10, event: 0 }, first).expect("kept");
            assert_eq!((newest.rows.len(), newest.to.pos), (1_000, (first + 1_000) * 10));
        }
        assert!(!is_kept(&tap, 0) && !is_kept(&tap, 5_000));
        assert_eq!((read.rows.len(), read.to.pos), (5_000, 50_000));
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let tap = Tap::default();
        assert!(!is_kept(&tap, 0));
        (0..20).for_each(|n| feed(&tap, n * 5_000, 5_000, true));
        let rows = || tap.kept().iter().map(|feed| feed.rows.len()).sum::<usize>();
        // Nobody asks any more.
        assert_eq!(rows(), 0);
        assert!(!is_kept(&tap, 100_000));
        (20..33).for_each(|n| feed(&tap, n * 5_000, 5_000, true));
        assert!(rows() > 0 && rows() <= ROWS as usize);
    }
}
