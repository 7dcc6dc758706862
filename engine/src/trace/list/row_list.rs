//! The rows of one source, or of all sources of a target, as one list.

use std::{
    cmp::Ordering,
    collections::BTreeSet,
    ops::RangeInclusive,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
    time::Instant,
};

use spytui_plugin_api::{NONE, Row, RowKind};

use super::index::{Growth, Index, OrderedDrop};
use crate::{
    present::Clock,
    store::{Counters, Shape},
    trace::session::{Decoding, decoding::DecodingState},
};

pub const MOST_SOURCES: usize = 255;

/// Whether the log still contains the bytes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Yes, or the bytes are never dropped.
    Kept,
    /// Dropped, as for all earlier rows of its source; this row reports it.
    Marker,
    /// Dropped, and a later row reports it: this row is never shown.
    Gone,
}

/// A row marked by the user, identified by its position in the log, as row numbers may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bookmark {
    pub name: String,
    pub source: usize,
    pub pos: u64,
    /// Index among the rows at that position.
    pub nth: u64,
}

/// Rows of one or several sources. Clones share the list and its bookmarks.
#[derive(Debug, Clone)]
pub struct RowList {
    parts: Arc<[Arc<Decoding>]>,
    /// Other sources of the target, not in the list, that provide names and the clock.
    related: Arc<[Arc<Decoding>]>,
    /// Merge order, if there are several sources.
    index: Option<Arc<RwLock<Index>>>,
    bookmarks: Arc<RwLock<Vec<Bookmark>>>,
}

impl RowList {
    /// A list of at least one and at most [`MOST_SOURCES`] sources; others are ignored.
    pub fn new(mut parts: Vec<Arc<Decoding>>) -> RowList {
        parts.truncate(MOST_SOURCES);
        let index = (parts.len() > 1).then(|| Arc::new(RwLock::new(Index::new(&parts, Instant::now()))));
        RowList { parts: parts.into(), related: Arc::new([]), index, bookmarks: Arc::default() }
    }

    /// Adds other sources of the target, which provide names and the clock.
    pub fn with_related(self, related: Vec<Arc<Decoding>>) -> RowList {
        RowList { related: related.into(), ..self }
    }

    pub fn set_bookmarks(&self, bookmarks: Vec<Bookmark>) {
        *self.bookmarks.write().unwrap_or_else(PoisonError::into_inner) = bookmarks;
    }

    pub fn has_related(&self, related: &[Arc<Decoding>]) -> bool {
        self.related.len() == related.len() && self.related.iter().zip(related).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    pub fn parts(&self) -> &[Arc<Decoding>] {
        &self.parts
    }

    /// Whether it consists of exactly these decodings.
    pub fn is_of(&self, parts: &[Arc<Decoding>]) -> bool {
        self.parts.len() == parts.len() && self.parts.iter().zip(parts).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Adds a limited number of new rows.
    pub fn grow(&self, now: Instant) -> Growth {
        match &self.index {
            None => Growth::Done,
            Some(index) => index.write().unwrap_or_else(PoisonError::into_inner).grow(&self.parts, now),
        }
    }

    pub fn len(&self) -> u64 {
        match self.index() {
            None => self.parts.first().map_or(0, |part| part.len()),
            Some(index) => index.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn sources(&self) -> usize {
        self.parts.len()
    }

    /// A source, by valid index.
    pub fn source(&self, source: usize) -> &Decoding {
        &self.parts[source]
    }

    pub(super) fn related(&self) -> &[Arc<Decoding>] {
        &self.related
    }

    /// Source of a row, and its number in the source.
    pub fn locate(&self, row: u64) -> Option<(usize, u64)> {
        match self.index() {
            None => Some((0, row)),
            Some(index) => index.locate(row),
        }
    }

    /// [`RowList::locate`], with the number of consecutive rows of that source before `end`; `None` if there are none.
    pub(super) fn run(&self, row: u64, end: u64) -> Option<(usize, u64, u64)> {
        let most = end.checked_sub(row).filter(|most| *most > 0)?;
        match self.index() {
            None => Some((0, row, most)),
            Some(index) => index.run(row, most),
        }
    }

    /// Loads a row's columns; `false` if there is no such row, or it can't be decoded again.
    pub fn ensure_loaded(&self, row: u64) -> bool {
        self.locate(row).is_some_and(|(source, row)| self.source(source).ensure_loaded(row))
    }

    pub fn ensure_spans(&self, row: u64) {
        if let Some((source, row)) = self.locate(row) {
            self.source(source).ensure_spans(row);
        }
    }

    /// The row, if loaded.
    pub fn row(&self, row: u64) -> Option<Row> {
        let (source, row) = self.locate(row)?;
        self.source(source).read().rows.row(row)
    }

    pub fn shape(&self, row: u64) -> Option<Shape> {
        let (source, row) = self.locate(row)?;
        self.source(source).read().rows.shape(row)
    }

    /// Locks all sources for reading, always in the same order. Don't call the list meanwhile: growing it holds the
    /// list and locks a source.
    pub fn read_all(&self) -> Vec<RwLockReadGuard<'_, DecodingState>> {
        self.parts.iter().map(|part| part.read()).collect()
    }

    /// What a drop row says in the order of all sources, if the order matters.
    pub(super) fn ordered_drop(&self, row: u64) -> Option<OrderedDrop> {
        self.index()?.drop_rows().get(&row).copied()
    }

    /// Whether a row is never shown, because another source reported the same before, or because its bytes are gone.
    pub fn is_left_out(&self, row: u64) -> bool {
        self.ordered_drop(row).is_some_and(|drop| drop.is_left_out) || self.presence(row) == Presence::Gone
    }

    pub fn presence(&self, row: u64) -> Presence {
        if self.parts.iter().all(|part| part.gone() == 0) {
            return Presence::Kept;
        }
        let Some((source, row)) = self.locate(row) else { return Presence::Kept };
        match (row + 1).cmp(&self.source(source).gone()) {
            Ordering::Less => Presence::Gone,
            Ordering::Equal => Presence::Marker,
            Ordering::Greater => Presence::Kept,
        }
    }

    /// The first row that is not gone, or the marker of those that are.
    pub fn first_kept(&self) -> u64 {
        let firsts = self.parts.iter().enumerate();
        firsts.filter_map(|(source, part)| self.place(source, part.first_kept())).min().unwrap_or(0)
    }

    pub fn bookmarks(&self) -> Vec<Bookmark> {
        self.bookmarks.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Number of gap changes of each source: such rows now show something else.
    pub fn grown(&self) -> Vec<usize> {
        self.parts.iter().map(|part| part.read().grown_count()).collect()
    }

    pub fn name_changes(&self) -> u64 {
        let changes = self.parts.iter().chain(&*self.related).map(|part| part.read().dictionary.changes());
        // Changed formatters also change words and fields.
        changes.sum::<u64>() + self.formatter_changes()
    }

    pub fn formatter_changes(&self) -> u64 {
        self.parts.iter().map(|part| part.decoder.formatting.version()).sum()
    }

    /// Names of the fields from lines of format files, sorted.
    pub fn formatted_fields(&self) -> Vec<String> {
        let names: BTreeSet<String> =
            self.parts.iter().flat_map(|part| part.decoder.formatting.field_names()).collect();
        names.into_iter().collect()
    }

    fn index(&self) -> Option<RwLockReadGuard<'_, Index>> {
        self.index.as_ref().map(|index| index.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// How often the order was rebuilt, which renumbers rows.
    pub fn rebuilt(&self) -> u64 {
        self.index().map_or(0, |index| index.rebuilt)
    }

    /// List number of a source's row; `None` if not in the list yet.
    pub fn place(&self, source: usize, row: u64) -> Option<u64> {
        match self.index() {
            None => Some(row),
            Some(index) => index.place(source, row),
        }
    }

    /// Rows of each source before a list row.
    pub fn before(&self, row: u64) -> Vec<u64> {
        match self.index() {
            None => vec![row],
            Some(index) => index.before(row),
        }
    }

    /// Records before a row in its source, and the source if there are several.
    pub fn records_before(&self, row: u64) -> Option<(Option<u16>, u64)> {
        let (source, row) = self.locate(row)?;
        let records = self.parts.get(source)?.read().rows.records_before(row)?;
        Some((self.index.is_some().then_some(source as u16), records))
    }

    /// Number of a record: `#17`, or `#1:17` for source 1 of several; `None` for other rows.
    pub fn number(&self, row: u64) -> Option<String> {
        let (source, row) = self.locate(row)?;
        let state = self.parts.get(source)?.read();
        let n = state.rows.row(row).filter(Row::is_record).and_then(|_| state.rows.records_before(row))? + 1;
        Some(number_text(self.index.is_some().then_some(source as u16), n))
    }

    pub fn counters(&self) -> Counters {
        let states = self.read_all();
        let info = self.parts.first().map(|part| &part.decoder.info);
        info.map_or_else(Counters::default, |info| Counters::total(info, states.iter().map(|state| &state.counters)))
    }

    pub fn rows_of(&self, fits: impl Fn(&Shape) -> bool) -> u64 {
        self.parts.iter().map(|part| part.read().rows.tables().shapes.rows_of(&fits)).sum()
    }

    /// Records dropped by the target and number of drop rows; `None` if the protocol does not report drops.
    pub fn drops(&self) -> Option<(u64, u64)> {
        let info = &self.parts.first()?.decoder.info;
        if !self.parts.iter().any(|part| part.read().counters.report_drops(info)) {
            return None;
        }
        if let Some(dropped) = self.index().and_then(|index| index.dropped()) {
            return Some(dropped);
        }
        let each = self.parts.iter().map(|part| part.read().drops());
        Some(each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1)))
    }

    /// [`RowList::drops`] before a list row; `None` if each source counts separately.
    pub fn ordered_drops_before(&self, row: u64) -> Option<(u64, u64)> {
        let index = self.index()?;
        index.dropped()?;
        let drops = index.drop_rows().range(..row).map(|(_, drop)| drop);
        let lost = drops.filter(|drop| drop.kind == RowKind::DROP).map(|drop| drop.drop.lost()).filter(|n| *n > 0);
        Some(lost.fold((0, 0), |sum, n| (sum.0 + n, sum.1 + 1)))
    }

    /// Drop rows for which the order of all sources matters, in order.
    pub fn ordered_drops(&self) -> Vec<OrderedDrop> {
        self.index().map_or_else(Vec::new, |index| index.drop_rows().values().copied().collect())
    }

    /// Whether cores vary: those of the protocol, or one per source.
    pub fn has_cores(&self) -> bool {
        let [one] = &*self.parts else { return self.parts.len() > 1 };
        let state = one.read();
        let mut cores = state
            .rows
            .tables()
            .shapes
            .tally()
            .filter(|(shape, rows, _)| *rows > 0 && shape.core != NONE && shape.row().is_record());
        let first = cores.next().map(|(shape, ..)| shape.core);
        one.decoder.info.has_cores && cores.any(|(shape, ..)| Some(shape.core) != first)
    }

    pub fn epoch_of(&self, row: u64) -> Option<u32> {
        let (source, row) = self.locate(row)?;
        Some(self.source(source).read().dictionary.epoch_of(row))
    }

    /// The first known clock.
    pub fn clock(&self) -> Clock {
        let all = self.parts.iter().chain(&*self.related);
        all.map(|part| part.read().clock()).find(Clock::known).unwrap_or_default()
    }
}

/// `#17`, or `#1:17` for source 1.
pub fn number_text(source: Option<u16>, n: u64) -> String {
    source.map_or_else(|| format!("#{n}"), |source| format!("#{source}:{n}"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

/// Rows examined together.
const PORTION: u64 = 1024;

/// The nearest row after (before) `from` whose shape fits.
pub fn find_shape(
    list: &RowList,
    from: Option<u64>,
    direction: Direction,
    fits: impl Fn(&Shape) -> bool,
) -> Option<u64> {
    let mut portions = portions(from, list.len(), direction);
    portions.find_map(|portion| {
        let fitting = fitting(list, portion, &fits);
        match direction {
            Direction::Forward => fitting.first().copied(),
            Direction::Backward => fitting.last().copied(),
        }
    })
}

/// The rows of a portion whose shape fits.
fn fitting(list: &RowList, portion: RangeInclusive<u64>, fits: impl Fn(&Shape) -> bool) -> Vec<u64> {
    let portion = list.first_kept().max(*portion.start())..=*portion.end();
    let touched: Vec<u64> = match list.sources() {
        _ if portion.is_empty() => return Vec::new(),
        1 => vec![*portion.start(), *portion.end()],
        // Neighbours in the list may be anywhere in their sources.
        _ => portion.clone().filter(|&row| !list.is_left_out(row)).collect(),
    };
    if !touched.into_iter().all(|row| list.ensure_loaded(row)) {
        return Vec::new();
    }
    let shown = portion.filter(|&row| !list.is_left_out(row));
    let places: Vec<_> = shown.map(|row| (row, list.locate(row))).collect();
    let states = list.read_all();
    let hit = |(row, place): (u64, Option<(usize, u64)>)| {
        let shape = place.and_then(|(source, row)| states.get(source)?.rows.shape(row));
        shape.filter(|s| fits(s)).map(|_| row)
    };
    places.into_iter().filter_map(hit).collect()
}

/// Rank of a row among all rows with a fitting shape, from 1, and their number; consecutive rows count once. `None` in
/// a list of more than `most` rows.
pub fn place_of_shape(list: &RowList, row: u64, most: u64, fits: impl Fn(&Shape) -> bool) -> Option<(u64, u64)> {
    if list.len() > most {
        return None;
    }
    let (mut place, mut total, mut last) = (0, 0, None);
    for portion in portions(None, list.len(), Direction::Forward) {
        for fitting in fitting(list, portion, &fits) {
            total += u64::from(last.is_none_or(|last| last + 1 < fitting));
            place = if fitting <= row { total } else { place };
            last = Some(fitting);
        }
    }
    Some((place, total))
}

/// Ranges of rows from `from` to the end (or start).
fn portions(from: Option<u64>, len: u64, direction: Direction) -> impl Iterator<Item = RangeInclusive<u64>> {
    let mut next = match direction {
        Direction::Forward => Some(from.map_or(0, |f| f + 1)).filter(|&n| n < len),
        Direction::Backward => from.map_or(len, |f| f.min(len)).checked_sub(1),
    };
    std::iter::from_fn(move || {
        let at = next?;
        Some(match direction {
            Direction::Forward => {
                let end = (at + PORTION - 1).min(len - 1);
                next = Some(end + 1).filter(|&n| n < len);
                at..=end
            }
            Direction::Backward => {
                let start = at.saturating_sub(PORTION - 1);
                next = start.checked_sub(1);
                start..=at
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_cover_each_row_once() {
        let rows = |from, direction| portions(from, 3000, direction).flatten().count();
        assert_eq!(rows(None, Direction::Forward), 3000);
        assert_eq!(rows(Some(9), Direction::Forward), 2990);
        assert_eq!(rows(Some(2999), Direction::Forward), 0);
        assert_eq!(rows(None, Direction::Backward), 3000);
        assert_eq!(rows(Some(9), Direction::Backward), 9);
        assert_eq!(portions(Some(0), 0, Direction::Backward).count(), 0);
    }
}
