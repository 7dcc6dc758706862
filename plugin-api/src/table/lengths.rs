//! Lengths of a rendered output.

use crate::render::Rendered;

/// Length of an output, to remove incomplete rows.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    text: usize,
    rows: usize,
    fields: usize,
    payload: usize,
    blob: usize,
}

impl Lengths {
    pub(super) fn of(out: &Rendered) -> Lengths {
        let (text, rows) = (out.text.len(), out.rows.len());
        Lengths { text, rows, fields: out.fields.len(), payload: out.payload.len(), blob: out.blob.len() }
    }

    pub(super) fn restore(self, out: &mut Rendered) {
        out.text.truncate(self.text);
        out.rows.truncate(self.rows);
        out.fields.truncate(self.fields);
        out.payload.truncate(self.payload);
        out.blob.truncate(self.blob);
    }

    /// Whether exactly this many rows were completed since then.
    pub(super) fn plus_rows(self, rows: usize, out: &Rendered) -> bool {
        let ends = [out.text.len(), out.fields.len(), out.payload.len()];
        out.rows.len() == self.rows + rows
            && match out.rows.last().filter(|_| rows > 0) {
                Some(last) => [last.text, last.fields, last.payload].map(|end| end as usize) == ends,
                None => [self.text, self.fields, self.payload] == ends,
            }
    }
}
