//! What formatters say of application records among rows.

use crate::render::{Rendered, RenderedRow};

/// What formatters say of application records among rows, in order. Records that they do not know are not among them.
#[derive(Debug, Default)]
pub struct FormattedRows {
    /// Each with the index of its row.
    said: Vec<(usize, Formatted)>,
    given: Rendered,
}

/// What a formatter says of a record.
#[derive(Debug)]
pub(super) enum Formatted {
    /// Word, text and fields, in the row with this index of those given. What is empty stays as the decoder has it.
    Row {
        at: usize,
        /// The decoder has no word or text that stays.
        is_whole: bool,
    },
    /// It failed: this stands behind the decoder's text.
    Failed(String),
}

impl Formatted {
    pub(super) fn is_whole(&self) -> bool {
        matches!(self, Formatted::Row { is_whole: true, .. })
    }
}

/// Bytes of text that most records have at most.
const MOST_TEXT: usize = 64;

impl FormattedRows {
    /// Empty, with room for what is said of so many records.
    pub fn of(records: usize) -> FormattedRows {
        let mut given = Rendered::default();
        given.rows.reserve(records);
        given.text.reserve(MOST_TEXT * records);
        FormattedRows { said: Vec::with_capacity(records), given }
    }

    /// Adds what `ask` gives the row with this index: it adds a row to its output, or returns a mark for behind the decoder's
    /// text if a formatter failed, or `None` if none knows the record. `is_named` = the decoder gives no word.
    pub fn add(&mut self, index: usize, is_named: bool, ask: impl FnOnce(&mut Rendered) -> Option<Result<(), String>>) {
        let at = self.given.rows.len();
        let said = match ask(&mut self.given) {
            None => return,
            Some(Err(mark)) => Formatted::Failed(mark),
            Some(Ok(())) => {
                let given = self.given.row(at);
                let is_whole = (is_named || given.kind_word.is_some()) && !given.text.is_empty();
                Formatted::Row { at, is_whole }
            }
        };
        self.said.push((index, said));
    }

    /// What was given to the only row.
    #[must_use]
    pub fn into_only(self) -> Option<Rendered> {
        matches!(self.said.as_slice(), [(_, Formatted::Row { .. })]).then_some(self.given)
    }

    /// Those of rows from `first` on.
    pub fn from(&self, first: usize) -> FormattedFrom<'_> {
        FormattedFrom { said: &self.said, given: &self.given, first: 0 }.skip(first)
    }
}

/// [`FormattedRows`] of rows from one on.
#[derive(Clone, Copy, Debug)]
pub struct FormattedFrom<'f> {
    said: &'f [(usize, Formatted)],
    given: &'f Rendered,
    first: usize,
}

impl<'f> FormattedFrom<'f> {
    /// The first row that formatters know.
    pub(super) fn first(&self) -> Option<usize> {
        self.said.first().map(|(index, _)| index - self.first)
    }

    /// Rows whose text a formatter gave as a whole.
    pub(super) fn whole(&self) -> impl Iterator<Item = usize> {
        self.said.iter().filter(|(_, said)| said.is_whole()).map(|(index, _)| index - self.first)
    }

    /// Those of rows from this one on.
    pub(super) fn skip(self, rows: usize) -> FormattedFrom<'f> {
        let first = self.first + rows;
        let before = self.said.partition_point(|(index, _)| *index < first);
        FormattedFrom { said: self.said.get(before..).unwrap_or_default(), first, ..self }
    }

    /// Takes what is said of a row; rows come in order.
    pub(super) fn take(&mut self, row: usize) -> Option<(&'f Formatted, RenderedRow<'f>)> {
        let ((index, said), rest) = self.said.split_first()?;
        if *index != self.first + row {
            return None;
        }
        self.said = rest;
        let given = match said {
            Formatted::Row { at, .. } => self.given.row(*at),
            Formatted::Failed(_) => RenderedRow::default(),
        };
        Some((said, given))
    }
}
