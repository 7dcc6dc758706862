//! Rows and bytes of each kind of row.

use spytui_plugin_api::{Batch, Info, Row, RowKind, render::Lookup};

use crate::present::words::{given_name, group_tag, kind_name};

/// Rows and bytes.
type Sum = (u64, u64);

/// The sum of each possible kind, by its number; empty before the first row.
#[derive(Debug, Clone, Default)]
pub struct KindTally(Vec<Sum>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedKind {
    /// The protocol's name of the kind, as in exports; a word for notes.
    pub kind: String,
    /// The name given by the target; may be empty.
    pub name: String,
    /// Short name of its group; empty for notes.
    pub group: String,
    pub rows: u64,
    /// Bytes on the wire.
    pub bytes: u64,
}

impl KindTally {
    pub fn add(&mut self, batch: &Batch) {
        if self.0.is_empty() {
            self.0 = vec![(0, 0); 1 << u16::BITS];
        }
        for (at, row) in batch.rows.iter().enumerate() {
            let (rows, bytes) = &mut self.0[usize::from(row.kind.0)];
            (*rows, *bytes) = (*rows + 1, *bytes + batch.len_of(at));
        }
    }

    /// The kinds seen, with names; sorted by bytes, then rows, then name.
    pub fn named(&self, info: &Info, names: &impl Lookup) -> Vec<NamedKind> {
        let came = (0..=u16::MAX).map(RowKind).zip(&self.0).filter(|(_, (rows, _))| *rows > 0);
        let mut kinds: Vec<NamedKind> = came.map(|(kind, sum)| named(info, names, kind, *sum)).collect();
        kinds.sort_by(|a, b| (b.bytes, b.rows, &a.kind).cmp(&(a.bytes, a.rows, &b.kind)));
        kinds
    }
}

fn named(info: &Info, names: &impl Lookup, kind: RowKind, (rows, bytes): Sum) -> NamedKind {
    let given = given_name(&Row { kind, ..Row::default() }, names, 0);
    let name = given.map(|given| String::from_utf8_lossy(given).into_owned()).unwrap_or_default();
    let described = info.kind(kind);
    let group = described.filter(|_| !kind.is_note()).map_or("", |kind| group_tag(info, kind.group)).to_owned();
    let is_nameless = described.is_none_or(|kind| kind.name.is_empty()) && !name.is_empty();
    let word = if is_nameless { name.clone() } else { kind_name(info, kind).replace(' ', "_") };
    NamedKind { kind: word, name, group, rows, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::{Attachment, batch::AttachmentId, row::RowFlags};

    #[test]
    fn each_kind_has_its_rows_and_bytes() {
        let row = |kind, len| Row { kind, len, ..Row::default() };
        let rows = [row(RowKind(7), 10), row(RowKind(9), 30), row(RowKind(7), 5), Row::skipped(RowKind::RESYNC, 0, 20)];
        let batch = Batch { rows: rows.to_vec().into(), ..Batch::default() };
        let mut tally = KindTally::default();
        tally.add(&batch);
        tally.add(&batch);
        let named = tally.named(&Info::default(), &());
        let found: Vec<_> = named.iter().map(|kind| (kind.kind.as_str(), kind.rows, kind.bytes)).collect();
        assert_eq!(found, [("kind_9", 2, 60), ("resync", 2, 40), ("kind_7", 4, 30)]);
    }

    #[test]
    fn bytes_that_lie_elsewhere_count_once() {
        let row = |flags| Row { kind: RowKind(7), len: 10, flags, ..Row::default() };
        let rows = vec![row(RowFlags::empty()), row(RowFlags::FRAGMENTED), row(RowFlags::SHARED)];
        let fragment = |b| Attachment { at: 1, id: AttachmentId::FRAGMENT, b, ..Attachment::default() };
        let batch = Batch { rows: rows.into(), attachments: vec![fragment(3), fragment(4)].into(), ..Batch::default() };
        let mut tally = KindTally::default();
        tally.add(&batch);
        let named = tally.named(&Info::default(), &());
        assert_eq!(named.first().map(|kind| (kind.rows, kind.bytes)), Some((3, 10 + 17)));
    }
}
