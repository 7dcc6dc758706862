//! Counters of a source, and their values at any row.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use spytui_plugin_api::{
    Attachment, AttachmentId, Batch, CounterId, Growth, Info, Row, RowKind, batch::lost, info::DropTotals,
    row::RowFlags,
};
use spytui_plugin_host::RowCounters;

use super::columns::{Columns, Tables};

/// Largest size of a sequence number, in bits, that may wrap within one loss.
const MOST_BITS_THAT_HIDE: u8 = 16;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    pub rows: RowCounters,
    /// The decoder's own counters.
    pub own: IndexMap<CounterId, u64, FxBuildHasher>,
    /// Bytes fed to the decoder.
    pub fed: u64,
    /// Bytes not yet in a row.
    pub pending_bytes: u64,
    /// Gaps in which more records may be lost than counted.
    unsure_gaps: u64,
}

impl Counters {
    /// Adds the batch of a feed of `fed` bytes; `pending` bytes are not yet in a row.
    pub fn add(&mut self, batch: &Batch, fed: u64, pending: u64) {
        self.fed += fed;
        self.pending_bytes = pending;
        self.rows.add(batch);
        let of_gap = |a: &Attachment| batch.rows.get(a.at as usize).is_some_and(|row| is_at_least(row, a));
        self.unsure_gaps += batch.attachments.iter().filter(|a| of_gap(a)).count() as u64;
        let settled = Growth::in_batch(batch).filter(Growth::is_certain).count() as u64;
        self.unsure_gaps = self.unsure_gaps.saturating_sub(settled);
        self.own.extend(batch.counts.iter().map(|count| (count.id, count.val)));
    }

    pub(super) fn add_attachments(&mut self, row: &Row, attachments: &[Attachment]) {
        self.rows.add_attachments_of(row, attachments);
        self.unsure_gaps += attachments.iter().filter(|a| is_at_least(row, a)).count() as u64;
    }

    /// Settles an earlier gap.
    pub(crate) fn grow(&mut self, growth: Growth) {
        self.rows.grow(growth);
        self.unsure_gaps = self.unsure_gaps.saturating_sub(u64::from(growth.is_certain()));
    }

    /// Whether drops of the target are reported: by totals, or by a counter of the decoder's own.
    pub fn report_drops(&self, info: &Info) -> bool {
        let mut of_drops = info.counters.iter().filter(|counter| counter.counts_drops);
        info.drop_totals != DropTotals::NONE
            || self.rows.drop_reports > 0
            || of_drops.any(|counter| self.own.contains_key(&counter.id))
    }

    /// Losses counted by the decoder itself and reported by the stream, summed up by their word in the header.
    pub fn header_losses<'a>(&self, info: &'a Info) -> Vec<(&'a str, u64)> {
        let mut sums: Vec<(&str, u64)> = Vec::new();
        for counter in info.counters.iter().filter(|counter| !counter.header.is_empty()) {
            let (word, Some(&n)) = (counter.header.as_str(), self.own.get(&counter.id)) else { continue };
            match sums.iter_mut().find(|sum| sum.0 == word) {
                Some(sum) => sum.1 += n,
                None => sums.push((word, n)),
            }
        }
        sums
    }

    /// Whether the stream reports losses and damage. If the decoder counts them itself, as for several formats, it does
    /// not until one of these counters appears.
    pub fn reports_losses(&self, info: &Info) -> bool {
        let mut own = info.counters.iter().filter(|counter| !counter.header.is_empty()).peekable();
        own.peek().is_none() || own.any(|counter| self.own.contains_key(&counter.id))
    }

    /// Sum of the counters of several sources of a target.
    pub fn total<'a>(info: &Info, all: impl IntoIterator<Item = &'a Counters>) -> Counters {
        let mut total = Counters::default();
        let mut most_dropped = 0;
        for counters in all {
            most_dropped = counters.rows.dropped.max(most_dropped);
            total.rows += counters.rows;
            total.unsure_gaps += counters.unsure_gaps;
            total.fed += counters.fed;
            total.pending_bytes += counters.pending_bytes;
            for (&id, val) in &counters.own {
                *total.own.entry(id).or_default() += val;
            }
        }
        if info.drop_totals == DropTotals::PER_TARGET {
            total.rows.dropped = most_dropped;
        }
        total
    }

    /// Whether the number of lost records is exact. Short sequence numbers don't reveal the loss of a multiple of their
    /// range; only the target's own drop reports do.
    pub fn is_lost_exact(&self, info: &Info) -> bool {
        let may_hide = (1..=MOST_BITS_THAT_HIDE).contains(&info.sequence_bits) && self.rows.records > 0;
        self.unsure_gaps == 0 && self.rows.hiding == 0 && (!may_hide || self.rows.drop_reports > 0)
    }

    pub fn bad(&self) -> u64 {
        self.rows.bad()
    }

    /// Whether every byte fed is in a row or pending.
    pub fn adds_up(&self) -> bool {
        self.rows.bytes() + self.pending_bytes == self.fed
    }
}

/// Whether an attachment's number of lost records may be too small.
fn is_at_least(row: &Row, attachment: &Attachment) -> bool {
    let of_gap = attachment.id == AttachmentId::LOST && row.kind == RowKind::GAP;
    of_gap && attachment.b == lost::AT_LEAST
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sums {
    /// Counters that follow from the rows.
    pub counters: Counters,
    /// Records that only repeat known information.
    pub repeats: u64,
    /// Rows about records dropped by the target.
    pub drop_rows: u64,
    /// Records and bytes, by group.
    groups: Vec<(u64, u64)>,
}

impl Sums {
    /// Over all rows counted so far.
    pub fn of(counters: &Counters, tables: &Tables) -> Sums {
        let of_rows = Counters { rows: counters.rows, unsure_gaps: counters.unsure_gaps, ..Counters::default() };
        let mut sums = Sums { counters: of_rows, ..Sums::default() };
        for (shape, rows, bytes) in tables.shapes.tally() {
            sums.add_shape(&shape.row, rows, bytes);
        }
        sums
    }

    /// Adds the first rows of a segment.
    pub(crate) fn add_rows(&mut self, columns: &Columns, count: usize, tables: &Tables) {
        columns.each_shape(count, tables, |row, bytes| {
            self.counters.rows.add_row(row);
            self.add_shape(row, 1, bytes);
        });
        for of_row in columns.attachments_from(0).chunk_by(|a, b| a.at == b.at) {
            let at = of_row.first().map_or(count, |a| a.at as usize);
            if at < count {
                self.counters.add_attachments(&columns.shape(at, tables).row, of_row);
            }
        }
    }

    /// Adds the sums of another source; counters are summed elsewhere.
    pub fn join(&mut self, other: &Sums) {
        self.repeats += other.repeats;
        self.drop_rows += other.drop_rows;
        for (group, (rows, bytes)) in other.groups() {
            self.add_to_group(group, rows, bytes);
        }
    }

    /// Records and bytes of each non-empty group.
    pub fn groups(&self) -> impl Iterator<Item = (u8, (u64, u64))> + '_ {
        (0..=u8::MAX).zip(self.groups.iter().copied()).filter(|(_, (rows, _))| *rows > 0)
    }

    /// Adds rows of a shape to everything but the counters.
    fn add_shape(&mut self, shape: &Row, rows: u64, bytes: u64) {
        if shape.has(RowFlags::UNCHANGED) {
            self.repeats += rows;
        }
        if shape.kind == RowKind::DROP {
            self.drop_rows += rows;
        }
        if shape.is_record() && rows > 0 {
            self.add_to_group(shape.group, rows, bytes);
        }
    }

    fn add_to_group(&mut self, group: u8, rows: u64, bytes: u64) {
        let group = usize::from(group);
        if group >= self.groups.len() {
            self.groups.resize(group + 1, (0, 0));
        }
        let sum = &mut self.groups[group];
        *sum = (sum.0 + rows, sum.1 + bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_that_all_sources_report_are_counted_once() {
        let of = |dropped, gaps| {
            let rows = RowCounters { dropped, gaps, ..RowCounters::default() };
            Counters { rows, ..Counters::default() }
        };
        let sources = [of(97, 1), of(83, 2)];
        let total = |drop_totals| {
            let info = Info { drop_totals, ..Info::default() };
            let total = Counters::total(&info, &sources);
            (total.rows.dropped, total.rows.gaps)
        };
        assert_eq!((total(DropTotals::PER_TARGET), total(DropTotals::PER_SOURCE)), ((97, 3), (180, 3)));
    }
}
