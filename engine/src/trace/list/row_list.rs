//! The rows of one source, of all sources of a target, or of several targets, as one list. The merge order of several
//! sources takes one byte per row, and only grows: a row that arrives too late is appended. Targets share neither names
//! nor clocks, so theirs is the order of arrival.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, VecDeque},
    ops::RangeInclusive,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
    time::{Duration, Instant},
};

use spytui_plugin_api::{Attachment, Info, NONE, Row, RowKind, row::RowFlags};

use crate::{
    present::Clock,
    store::{Counters, Shape, rows::ROWS},
    trace::{
        order::{DropInOrder, Merge, PATIENCE, Scales},
        session::{Decoding, decoding::DecodingState},
    },
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
    pub parts: Arc<[Arc<Decoding>]>,
    /// Other sources of the target, not in the list, that provide names and the clock.
    pub(super) related: Arc<[Arc<Decoding>]>,
    /// Merge order, if there are several sources.
    index: Option<Arc<RwLock<Index>>>,
    /// Its sources are different targets.
    pub is_joint: bool,
    bookmarks: Arc<RwLock<Vec<Bookmark>>>,
}

impl RowList {
    /// A list of at least one and at most [`MOST_SOURCES`] sources; others are ignored.
    pub fn new(parts: Vec<Arc<Decoding>>) -> RowList {
        RowList::ordered(parts, false)
    }

    /// A list of the sources of several targets, by the times at which the host received them.
    pub fn joint(parts: Vec<Arc<Decoding>>) -> RowList {
        RowList::ordered(parts, true)
    }

    fn ordered(mut parts: Vec<Arc<Decoding>>, is_joint: bool) -> RowList {
        parts.truncate(MOST_SOURCES);
        let index = (parts.len() > 1).then(|| Arc::new(RwLock::new(Index::new(&parts, is_joint, Instant::now()))));
        RowList { parts: parts.into(), related: Arc::new([]), index, is_joint, bookmarks: Arc::default() }
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

    /// Whether it consists of exactly these decodings.
    pub fn is_of(&self, parts: &[Arc<Decoding>]) -> bool {
        self.parts.len() == parts.len() && self.parts.iter().zip(parts).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Adds a limited number of new rows.
    pub fn grow(&self, now: Instant) -> ListGrowth {
        match &self.index {
            None => ListGrowth::Done,
            Some(index) => index.write().unwrap_or_else(PoisonError::into_inner).grow(&self.parts, now),
        }
    }

    pub fn len(&self) -> u64 {
        self.index().map_or_else(|| self.parts.first().map_or(0, |part| part.len()), |index| index.len())
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

    /// Source of a row, and its number in the source.
    pub fn locate(&self, row: u64) -> Option<(usize, u64)> {
        self.index().map_or(Some((0, row)), |index| index.locate(row))
    }

    /// [`RowList::locate`], with the number of consecutive rows of that source before `end`; `None` if there are none.
    pub(super) fn run(&self, row: u64, end: u64) -> Option<(usize, u64, u64)> {
        let most = end.checked_sub(row).filter(|most| *most > 0)?;
        self.index().map_or(Some((0, row, most)), |index| index.run(row, most))
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
        self.index()?.drop_rows.get(&row).copied()
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
        let changes = self.parts.iter().chain(&*self.related).map(|part| part.read().dictionary.changes);
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
        self.index().map_or(Some(row), |index| index.place(source, row))
    }

    /// Rows of each source before a list row.
    pub fn before(&self, row: u64) -> Vec<u64> {
        self.index().map_or_else(|| vec![row], |index| index.before(row))
    }

    /// Records before a row in its source, and the source if there are several.
    pub fn records_before(&self, row: u64) -> Option<(Option<u16>, u64)> {
        let (source, row) = self.locate(row)?;
        let records = self.parts.get(source)?.read().rows.records_before(row)?;
        Some((self.index.is_some().then_some(source as u16), records))
    }

    /// Number of a record: `#17`, or `#1:17` for source 1 of several; `None` for other rows.
    pub fn number(&self, row: u64) -> Option<String> {
        self.row(row).filter(Row::is_record)?;
        let (source, before) = self.records_before(row)?;
        Some(number_text(source, before + 1))
    }

    pub fn counters(&self) -> Counters {
        let states = self.read_all();
        // Targets count their drops each for themselves.
        let own = Info::default();
        let info = self.parts.first().filter(|_| !self.is_joint).map_or(&own, |part| &part.decoder.info);
        Counters::total(info, states.iter().map(|state| &state.counters))
    }

    pub fn rows_of(&self, fits: impl Fn(&Shape) -> bool) -> u64 {
        self.parts.iter().map(|part| part.read().rows.tables.shapes.rows_of(&fits)).sum()
    }

    /// Records dropped by the target and number of drop rows; `None` if the protocol does not report drops.
    pub fn drops(&self) -> Option<(u64, u64)> {
        if !self.parts.iter().any(|part| part.read().counters.report_drops(&part.decoder.info)) {
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
        let drops = index.drop_rows.range(..row).map(|(_, drop)| drop);
        let lost = drops.filter(|drop| drop.kind == RowKind::DROP).map(|drop| drop.drop.lost()).filter(|n| *n > 0);
        Some(lost.fold((0, 0), |sum, n| (sum.0 + n, sum.1 + 1)))
    }

    /// Drop rows for which the order of all sources matters, in order.
    pub fn ordered_drops(&self) -> Vec<OrderedDrop> {
        self.index().map_or_else(Vec::new, |index| index.drop_rows.values().copied().collect())
    }

    /// Whether cores vary: those of the protocol, or one per source.
    pub fn has_cores(&self) -> bool {
        let [one] = &*self.parts else { return self.parts.len() > 1 };
        let state = one.read();
        let is_of_core =
            |(shape, rows, _): &(&Shape, u64, u64)| *rows > 0 && shape.row.core != NONE && shape.row.is_record();
        let mut cores = state.rows.tables.shapes.tally().filter(is_of_core);
        let first = cores.next().map(|(shape, ..)| shape.row.core);
        one.decoder.info.has_cores && cores.any(|(shape, ..)| Some(shape.row.core) != first)
    }

    pub fn epoch_of(&self, row: u64) -> Option<u32> {
        let (source, row) = self.locate(row)?;
        Some(self.source(source).read().dictionary.epoch_of(row))
    }

    /// The first known clock; of several targets, the one that all have.
    pub fn clock(&self) -> Clock {
        if self.is_joint {
            let mut clocks = self.parts.iter().map(|part| part.read().context.clock);
            let first = clocks.next().filter(Clock::known).unwrap_or_default();
            return if clocks.all(|clock| clock.known() && clock.runs_like(&first)) { first } else { Clock::default() };
        }
        let all = self.parts.iter().chain(&*self.related);
        all.map(|part| part.read().context.clock).find(Clock::known).unwrap_or_default()
    }

    /// Whether times between rows of a source can be shown in seconds, whatever the source.
    pub fn measures_seconds(&self) -> bool {
        let all_do = || self.parts.iter().all(|part| part.read().context.clock.shows_seconds());
        self.clock().shows_seconds() || self.is_joint && all_do()
    }

    /// The clock of a row's source, if known, otherwise that of the list.
    pub fn clock_of(&self, row: u64) -> Clock {
        let own = self.locate(row).map(|(source, row)| self.source(source).read().clock_at(row));
        own.filter(Clock::known).unwrap_or_else(|| self.clock())
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
const PORTION: usize = 1024;

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

/// Rank of a row among those with a fitting shape, from 1, and their number; neighbours count once. `None` if the list
/// has more than `most` rows.
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

/// Ranges of rows from `from` to the end, or back to the start.
fn portions(from: Option<u64>, len: u64, direction: Direction) -> impl Iterator<Item = RangeInclusive<u64>> {
    let (after, before) = match direction {
        Direction::Forward => (from.map_or(0, |from| from + 1)..len, 0..0),
        Direction::Backward => (0..0, 0..from.map_or(len, |from| from.min(len))),
    };
    let after = after.step_by(PORTION).map(move |at| at..=(at + PORTION as u64).min(len) - 1);
    after.chain(before.rev().step_by(PORTION).map(|at| (at + 1).saturating_sub(PORTION as u64)..=at))
}

/// Rows between two entries of `ranks`.
const BLOCK: usize = 256;
/// Rows of a source read at once.
const READ_AT_ONCE: u64 = 4096;
/// A source with pending bytes and no progress for this long counts as silent.
const STALLED: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListGrowth {
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
struct Index {
    /// By time of arrival.
    is_joint: bool,
    merge: Merge,
    progress: Vec<Progress>,
    scales: Scales,
    sources: Vec<u8>,
    /// Rows of each source before each block.
    ranks: Vec<u64>,
    rebuilt: u64,
    /// Drop rows in the order of all sources, by number in the list.
    drop_rows: BTreeMap<u64, OrderedDrop>,
    /// Records dropped, and number of places.
    dropped: (u64, u64),
}

impl Index {
    fn new(parts: &[Arc<Decoding>], is_joint: bool, now: Instant) -> Index {
        let info = parts.first().filter(|_| !is_joint).map(|part| part.decoder.info.clone()).unwrap_or_default();
        let progress = |_| Progress { read: 0, listed: 0, arrivals: VecDeque::new(), due: 0, moved: (0, now) };
        Index {
            is_joint,
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

    /// Records dropped and number of places, in the order of all sources; `None` if each source counts separately.
    fn dropped(&self) -> Option<(u64, u64)> {
        self.merge.orders_drops().then_some(self.dropped)
    }

    fn len(&self) -> u64 {
        self.sources.len() as u64
    }

    /// Source of a list row, and its number in the source.
    fn locate(&self, row: u64) -> Option<(usize, u64)> {
        let at = usize::try_from(row).ok()?;
        let source = *self.sources.get(at)?;
        Some((usize::from(source), self.count_before(at, source)))
    }

    /// [`Index::locate`], with the number of consecutive rows of that source, at most `most`.
    fn run(&self, row: u64, most: u64) -> Option<(usize, u64, u64)> {
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
    fn before(&self, row: u64) -> Vec<u64> {
        let at = usize::try_from(row).unwrap_or(usize::MAX).min(self.sources.len());
        (0..self.progress.len()).map(|source| self.count_before(at, source as u8)).collect()
    }

    /// List number of a source's row.
    fn place(&self, source: usize, row: u64) -> Option<u64> {
        let (wanted, parts) = (u8::try_from(source).ok()?, self.progress.len());
        let blocks = self.ranks.len() / parts.max(1);
        let rank = |block: usize| self.ranks.get(block * parts + source).copied().unwrap_or(0);
        let (mut low, mut high) = (0, blocks);
        while low < high {
            let middle = low + (high - low) / 2;
            if rank(middle) <= row { low = middle + 1 } else { high = middle }
        }
        let block = low.checked_sub(1)?;
        let start = block * BLOCK;
        let stretch = self.sources.get(start..)?.iter().take(BLOCK).enumerate();
        let mut own = stretch.filter(|(_, source)| **source == wanted);
        own.nth((row - rank(block)) as usize).map(|(i, _)| (start + i) as u64)
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
    fn grow(&mut self, parts: &[Arc<Decoding>], now: Instant) -> ListGrowth {
        self.follow_clocks(parts, now);
        let mut behind = false;
        for (source, part) in parts.iter().enumerate() {
            self.progress[source].follow_time(part.len(), now);
            behind |= self.read(source, part, now);
        }
        let begin = self.sources.len();
        while self.sources.len() - begin < ROWS {
            let due = |source: usize| !behind && self.progress[source].listed < self.progress[source].due;
            let Some(source) = self.merge.next(due) else { break };
            self.push(source);
            behind |= self.read(source, &parts[source], now);
        }
        match self.merge.holds_back() {
            true if self.sources.len() - begin >= ROWS => ListGrowth::More,
            true => ListGrowth::Waits,
            false => ListGrowth::Done,
        }
    }

    /// Reads rows of a source if none are waiting; returns whether more will follow soon.
    fn read(&mut self, source: usize, part: &Decoding, now: Instant) -> bool {
        if self.merge.has_row(source) || self.merge.has_ended(source) {
            return false;
        }
        // Checked first: no rows are added after the end.
        let ended = part.ended();
        let upto = part.len().min(self.progress[source].read + READ_AT_ONCE);
        while self.progress[source].read < upto && !self.take(source, part, upto) {
            // A row that can't be decoded again is placed with its predecessor.
            if !part.ensure_loaded(self.progress[source].read) {
                self.add(source, part, &Row::default(), &[]);
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
            self.add(source, part, &columns.row(i, &state.rows.tables), attachments);
        }
        true
    }

    fn add(&mut self, source: usize, part: &Decoding, row: &Row, attachments: &[Attachment]) {
        let at = self.progress[source].read;
        let mut row = *row;
        if self.is_joint {
            // A reset of one target says nothing about the others.
            row.flags &= RowFlags::OF_NEXT;
            if let Some(arrival) = part.log.host_time_at((row.pos + u64::from(row.len)).saturating_sub(1)) {
                row.time = arrival;
                row.flags |= RowFlags::TIME_OWN;
            }
        }
        self.merge.add(source, at, &row, attachments);
        self.progress[source].read += 1;
    }

    /// Starts over if the clock rates turn out to differ.
    fn follow_clocks(&mut self, parts: &[Arc<Decoding>], now: Instant) {
        if self.is_joint {
            return;
        }
        let clocks: Vec<_> = parts.iter().map(|part| part.read().context.clock).collect();
        let scales = Scales::new(&clocks);
        if scales == self.scales {
            return;
        }
        let rebuilt = self.rebuilt + u64::from(!self.sources.is_empty());
        *self = Index { scales: scales.clone(), rebuilt, ..Index::new(parts, false, now) };
        self.merge.scales = vec![scales];
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

    /// Whether the decoder is working on pending bytes.
    fn is_behind(&mut self, part: &Decoding, now: Instant) -> bool {
        let pos = part.pos();
        if pos != self.moved.0 {
            self.moved = (pos, now);
        }
        pos < part.log.len() && now.saturating_duration_since(self.moved.1) < STALLED
    }
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
