//! Sums over the first rows of a source: its counters as of any row. They are kept for the start of each segment; from
//! there on, the rows are added.

use spytui_plugin_api::{Growth, Row, RowKind, row::RowFlags};

use super::{columns::Columns, counters::Counters, tables::Tables};

/// Sums over rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sums {
    /// Counters that follow from the rows.
    pub counters: Counters,
    /// Records that only repeat what is known.
    pub repeats: u64,
    /// Rows about records dropped by the target.
    pub drop_rows: u64,
    /// Records and bytes, by group.
    groups: Vec<(u64, u64)>,
}

impl Sums {
    /// Over all rows counted so far.
    pub fn of(counters: &Counters, tables: &Tables) -> Sums {
        let mut sums = Sums { counters: counters.of_rows(), ..Sums::default() };
        for (shape, rows, bytes) in tables.shapes.tally() {
            sums.add_shape(&shape.row(), rows, bytes);
        }
        sums
    }

    /// Adds the first rows of a segment.
    pub(crate) fn add_rows(&mut self, columns: &Columns, count: usize, tables: &Tables) {
        columns.each_shape(count, tables, |row, bytes| {
            self.counters.add_row(row);
            self.add_shape(row, 1, bytes);
        });
        for of_row in columns.attachments_before(count).chunk_by(|a, b| a.at == b.at) {
            let shape = of_row.first().map(|a| columns.shape(a.at as usize, tables));
            self.counters.add_attachments(&shape.unwrap_or_default().row(), of_row);
        }
    }

    /// A gap before is settled.
    pub(crate) fn grow(&mut self, growth: Growth) {
        self.counters.grow(growth);
    }

    /// Rows and gaps in which the target dropped records.
    pub fn drop_places(&self) -> u64 {
        self.drop_rows + self.counters.rows.dropped_gaps
    }

    /// Adds the sums of another source; counters are summed elsewhere.
    pub fn join(&mut self, other: &Sums) {
        self.repeats += other.repeats;
        self.drop_rows += other.drop_rows;
        for (group, (rows, bytes)) in other.groups() {
            self.add_to_group(group, rows, bytes);
        }
    }

    /// Records and bytes of each group that has some.
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
