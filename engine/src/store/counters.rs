//! The decoder's counters and the accounting identity.

use spytui_plugin_api::{
    Batch, Info, Row,
    batch::{count, extra},
    info::more,
    row::flag,
};

/// Counters of one source as of one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    known: [u64; 32],
    own: Vec<(u16, u64)>,
    /// Bytes handed to the decoder.
    pub fed: u64,
    /// Bytes in records.
    pub record_bytes: u64,
    /// Bytes in rows that are neither records nor skipped: banners, file headers, idle flags.
    pub other_bytes: u64,
    /// Bytes in rows that say they are skipped.
    pub skipped_bytes: u64,
    /// Bytes in no row yet.
    pub pending_bytes: u64,
    /// Records.
    pub records: u64,
}

/// What the rows of a feed add up to.
#[derive(Debug, Default)]
struct Sums {
    records: u64,
    record_bytes: u64,
    other_bytes: u64,
    skipped_bytes: u64,
}

impl Sums {
    fn of(batch: &Batch) -> Sums {
        let mut sums = Sums::default();
        for row in &batch.rows {
            if row.is_record() && row.flags & (flag::SHARED | flag::SKIPPED) == 0 {
                // Most rows.
                sums.records += 1;
                sums.record_bytes += u64::from(row.len);
            } else {
                sums.add_unusual(row);
            }
        }
        for e in batch.extras.iter().filter(|e| e.id == extra::PIECE) {
            if let Some(row) = batch.rows.get(e.at as usize).filter(|row| row.flags & flag::SHARED == 0) {
                *sums.bytes_of(row) += e.b;
            }
        }
        sums
    }

    #[inline(never)]
    fn add_unusual(&mut self, row: &Row) {
        self.records += u64::from(row.is_record());
        if row.flags & flag::SHARED == 0 {
            *self.bytes_of(row) += u64::from(row.len);
        }
    }

    fn bytes_of(&mut self, row: &Row) -> &mut u64 {
        if row.flags & flag::SKIPPED != 0 {
            &mut self.skipped_bytes
        } else if row.is_record() {
            &mut self.record_bytes
        } else {
            &mut self.other_bytes
        }
    }
}

impl Counters {
    /// Takes over what a feed of `fed` bytes brought.
    pub fn add(&mut self, batch: &Batch, fed: u64) {
        self.fed += fed;
        self.pending_bytes = batch.pending;
        for c in &batch.counts {
            match self.known.get_mut(usize::from(c.id)) {
                Some(slot) => *slot = c.val,
                None => match self.own.iter_mut().find(|o| o.0 == c.id) {
                    Some(own) => own.1 = c.val,
                    None => self.own.push((c.id, c.val)),
                },
            }
        }
        let rows = Sums::of(batch);
        self.records += rows.records;
        self.record_bytes += rows.record_bytes;
        self.other_bytes += rows.other_bytes;
        self.skipped_bytes += rows.skipped_bytes;
    }

    /// Whether one count of drops is for all sources of a target: each tells the same ones.
    #[must_use]
    pub fn are_drops_shared(info: &Info) -> bool {
        more(&info.more, "drops") == Some("target")
    }

    /// What several sources of a target add up to.
    #[must_use]
    pub fn total<'a>(info: &Info, all: impl IntoIterator<Item = &'a Counters>) -> Counters {
        let mut total = Counters::default();
        let (shared, mut most) = (Counters::are_drops_shared(info), 0);
        for c in all {
            most = c.get(count::DROPPED).max(most);
            total.known.iter_mut().zip(&c.known).for_each(|(sum, val)| *sum += val);
            for &(id, val) in &c.own {
                match total.own.iter_mut().find(|own| own.0 == id) {
                    Some(own) => own.1 += val,
                    None => total.own.push((id, val)),
                }
            }
            total.fed += c.fed;
            total.record_bytes += c.record_bytes;
            total.other_bytes += c.other_bytes;
            total.skipped_bytes += c.skipped_bytes;
            total.pending_bytes += c.pending_bytes;
            total.records += c.records;
        }
        if let (true, Some(drops)) = (shared, total.known.get_mut(usize::from(count::DROPPED))) {
            *drops = most;
        }
        total
    }

    /// A counter of the contract, by id.
    #[must_use]
    pub fn get(&self, id: u16) -> u64 {
        match self.known.get(usize::from(id)) {
            Some(&val) => val,
            None => self.own.iter().find(|o| o.0 == id).map_or(0, |o| o.1),
        }
    }

    /// The decoder's own counters.
    #[must_use]
    pub fn own(&self) -> &[(u16, u64)] {
        &self.own
    }

    /// Sequence gaps.
    #[must_use]
    pub fn gaps(&self) -> u64 {
        self.get(count::GAPS)
    }

    /// Records lost, a lower bound.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.get(count::LOST)
    }

    /// Damaged frames of all sorts.
    #[must_use]
    pub fn bad(&self) -> u64 {
        [count::BAD_CHECK, count::BAD_FRAME, count::SHORT, count::LONG].iter().map(|&id| self.get(id)).sum()
    }

    /// Whether every byte fed is in a row or pending.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        self.record_bytes + self.other_bytes + self.skipped_bytes + self.pending_bytes == self.fed
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{batch::Count, info::pairs};

    use super::*;

    #[test]
    fn drops_that_all_sources_tell_are_counted_once() {
        let of = |dropped, gaps| {
            let mut c = Counters::default();
            let mut batch = Batch::default();
            batch.counts.push(Count { id: count::DROPPED, val: dropped, ..Count::default() });
            batch.counts.push(Count { id: count::GAPS, val: gaps, ..Count::default() });
            c.add(&batch, 0);
            c
        };
        let sources = [of(97, 1), of(83, 2)];
        let total = |drops: &str| {
            let info = Info { more: pairs(&[("drops", drops)]), ..Info::default() };
            let total = Counters::total(&info, &sources);
            (total.get(count::DROPPED), total.gaps())
        };
        assert_eq!((total("target"), total("source")), ((97, 3), (180, 3)));
    }
}
