//! Stored rows of a list, located and locked, as the [`RowView`] that streaming uses, too.

use std::{
    borrow::Cow,
    cell::Cell,
    collections::HashMap,
    sync::{Arc, RwLockReadGuard},
};

use spytui_plugin_api::{Attachment, RenderedRow, Row, RowIn};

use super::{Bookmark, RowList};
use crate::{
    present::Clock,
    query::Needs,
    row::RowView,
    store::{Columns, Dictionary, Names, shape::Tables},
    trace::{
        order::DropInOrder,
        session::decoding::{Decoding, DecodingState},
    },
};

/// Rows that are taken together lie within as many of a list: a source has them in two segments at most.
pub(super) const NEAR: u64 = 4096;
/// Rows whose records are counted one by one.
const NEAR_BY: usize = 32;

/// A row of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its number in the list.
    pub(super) listed: u64,
    pub(super) source: usize,
    /// Its number in the source.
    pub(super) number: u64,
}

/// Locates rows of a list, which lie within [`NEAR`] rows, and makes sure that they are loaded.
pub(super) fn locate(list: &RowList, rows: impl Iterator<Item = u64>) -> Vec<Place> {
    let mut places = Vec::with_capacity(rows.size_hint().1.unwrap_or_default().min(NEAR as usize));
    let kept = rows.filter(|&row| list.ordered_drop(row).is_none_or(|drop| !drop.is_left_out));
    places.extend(kept.filter_map(|listed| {
        let (source, number) = list.locate(listed)?;
        Some(Place { listed, source, number })
    }));
    for source in 0..list.sources() {
        let numbers = || places.iter().filter(|place| place.source == source).map(|place| place.number);
        for end in [numbers().min(), numbers().max()].into_iter().flatten() {
            list.source(source).ensure_loaded(end);
        }
    }
    places
}

/// The sources of a list, locked. Do not call the list meanwhile: growing it holds the list and locks a source.
pub(super) struct Locked<'a> {
    pub(super) sources: Vec<&'a Decoding>,
    pub(super) states: Vec<RwLockReadGuard<'a, DecodingState>>,
    /// Other sources of the target.
    related: Vec<RwLockReadGuard<'a, DecodingState>>,
    bookmarks: Vec<Bookmark>,
    /// What rows about dropped records say in the order of all sources, by number in the list.
    drops: HashMap<u64, DropInOrder>,
    /// The clock that was asked for last, and of which source and epoch it is.
    last_clock: Cell<Option<((usize, u32), Clock)>>,
}

/// A loaded row.
pub(super) struct StoredRow<'l> {
    pub(super) place: Place,
    pub(super) row: Row,
    /// Number of the record in the source, from 1; `None` if the row is no record.
    n: Option<u64>,
    columns: &'l Columns,
    /// Its index in these columns.
    index: usize,
    pub(super) attachments: Cow<'l, [Attachment]>,
}

/// Columns whose rows are read one after the other.
pub(super) struct Run<'l> {
    pub(super) columns: &'l Columns,
    /// Number of their first row.
    first: u64,
    /// Attachments of rows that were not read yet.
    attachments: Cell<&'l [Attachment]>,
    /// An index, and the records before it in the source.
    records: Cell<(usize, u64)>,
}

impl<'l> Run<'l> {
    /// Index of a row in the columns.
    #[inline]
    pub(super) fn index(&self, place: Place) -> usize {
        (place.number - self.first) as usize
    }

    /// Records before a row in the source.
    fn records_before(&self, index: usize, tables: &Tables) -> u64 {
        let (known, records) = self.records.get();
        let records = match index.checked_sub(known) {
            Some(0..=NEAR_BY) => records + u64::from(self.columns.records_in(known..index, tables)),
            _ => {
                let before = |index| u64::from(self.columns.records_before(index, tables));
                records + before(index) - before(known)
            }
        };
        self.records.set((index, records));
        records
    }

    /// The attachments of a row.
    #[inline]
    fn attachments(&self, index: usize) -> &'l [Attachment] {
        let rest = self.attachments.get();
        let passed = rest.iter().take_while(|one| (one.at as usize) < index).count();
        let own = rest[passed..].iter().take_while(|one| one.at as usize == index).count();
        let (own, later) = rest[passed..].split_at(own);
        self.attachments.set(later);
        own
    }
}

impl StoredRow<'_> {
    /// The row as the decoder's input.
    pub(super) fn input<'i>(&'i self, raw: &'i [u8]) -> RowIn<'i> {
        let (attachments, blob) = (self.attachments.as_ref().into(), self.columns.bytes().into());
        RowIn { row: &self.row, raw: raw.into(), attachments, blob }
    }
}

impl<'a> Locked<'a> {
    /// For these rows of the list.
    pub(super) fn new(list: &'a RowList, places: &[Place]) -> Locked<'a> {
        let drop = |place: &Place| Some((place.listed, list.ordered_drop(place.listed)?.drop));
        Locked {
            bookmarks: list.bookmarks(),
            last_clock: Cell::new(None),
            drops: if list.sources() > 1 { places.iter().filter_map(drop).collect() } else { HashMap::new() },
            sources: (0..list.sources()).map(|source| list.source(source)).collect(),
            states: list.read_all(),
            related: list.related().iter().map(|related| related.read()).collect(),
        }
    }

    /// The columns of the segment of a row, and the row's index in them; `None` if it is not loaded.
    pub(super) fn columns(&self, place: Place) -> Option<(&Columns, usize)> {
        let rows = &self.states[place.source].rows;
        rows.columns(rows.location(place.number)?)
    }

    /// The columns of a row as part of a run, which this or an earlier row began; `None` if it is not loaded.
    pub(super) fn run_of<'l, 'r>(&'l self, place: Place, run: &'r mut Option<Run<'l>>) -> Option<&'r Run<'l>> {
        if run.as_ref().is_none_or(|run| place.number.wrapping_sub(run.first) >= run.columns.len() as u64) {
            let (columns, index) = self.columns(place)?;
            let attachments = columns.attachments_from(index).into();
            let records =
                (index, self.states[place.source].rows.records_before(place.number).unwrap_or_default()).into();
            *run = Some(Run { columns, first: place.number - index as u64, attachments, records });
        }
        run.as_ref()
    }

    /// A row; `None` if it is not loaded.
    pub(super) fn row(&self, place: Place) -> Option<StoredRow<'_>> {
        Some(self.stored(place, self.run_of(place, &mut None)?))
    }

    /// A row of a run, behind those that were asked for before.
    pub(super) fn stored<'l>(&'l self, place: Place, run: &Run<'l>) -> StoredRow<'l> {
        let (columns, index) = (run.columns, run.index(place));
        let row = columns.row(index, self.states[place.source].rows.tables());
        let attachments = run.attachments(index);
        let attachments = match self.drops.get(&place.listed) {
            None => Cow::Borrowed(attachments),
            Some(drop) => attachments.iter().map(|&attachment| drop.corrected(attachment)).collect(),
        };
        let n = row.is_record().then(|| run.records_before(index, self.states[place.source].rows.tables()) + 1);
        StoredRow { place, row, n, columns, index, attachments }
    }

    /// The dictionaries of the target besides that of a source.
    pub(super) fn others(&self, source: usize) -> Vec<&Dictionary> {
        self.shared_others(source).map(|dictionary| &**dictionary).collect()
    }

    /// The same to be kept.
    pub(super) fn shared_others(&self, source: usize) -> impl Iterator<Item = &Arc<Dictionary>> {
        let others = self.states.iter().enumerate().filter(move |(other, _)| *other != source);
        others.map(|(_, state)| state).chain(&self.related).map(|state| &state.dictionary)
    }

    /// The clock of a source, otherwise that of another source of the target.
    pub(super) fn clock(&self, source: usize, epoch: u32) -> Clock {
        if let Some((_, clock)) = self.last_clock.get().filter(|(of, _)| *of == (source, epoch)) {
            return clock;
        }
        let all = || self.states.iter().chain(&self.related).map(|state| state.clock_of(epoch));
        let own = self.states[source].clock_of(epoch);
        let clock = if own.known() { own } else { all().find(Clock::known).unwrap_or_default() };
        self.last_clock.set(Some(((source, epoch), clock)));
        clock
    }

    /// Names of the bookmarks on a row.
    pub(super) fn marks(&self, stored: &StoredRow<'_>) -> Vec<&str> {
        let Place { source, number, .. } = stored.place;
        if self.bookmarks.is_empty() {
            return Vec::new();
        }
        let (rows, pos) = (&self.states[source].rows, stored.row.pos);
        let begins_at = |row: Option<u64>| row.and_then(|row| rows.row(row)).is_some_and(|row| row.pos == pos);
        let is_here = |mark: &&Bookmark| {
            let first = number.checked_sub(mark.nth);
            let before = first.and_then(|first| first.checked_sub(1));
            (mark.source, mark.pos) == (source, pos) && begins_at(first) && !begins_at(before)
        };
        self.bookmarks.iter().filter(is_here).map(|mark| mark.name.as_str()).collect()
    }

    /// A row with its bytes and what was rendered, and with what its source knows of it, as far as it `needs` that.
    pub(super) fn view<'i>(
        &'i self,
        stored: &'i StoredRow<'_>,
        names: &'i Names<'i>,
        (raw, rendered): (&'i [u8], RenderedRow<'i>),
        needs: Needs,
    ) -> RowView<'i> {
        let StoredRow { place: Place { source, number, .. }, row, columns, index, .. } = stored;
        let (state, decoded) = (&self.states[*source], self.sources[*source]);
        let shape = columns.shape(*index, state.rows.tables());
        let last = (row.pos + u64::from(row.len)).saturating_sub(1);
        let (decoder, input) = (&decoded.decoder, stored.input(raw));
        let mut view = RowView::new(&decoder.info, decoder.labels(), input, names, rendered);
        view.source = (self.states.len() > 1).then_some(*source as u16);
        view.n = stored.n;
        view.span = (shape.span, shape.unsure);
        view.cfg = state.context.configuration(row.cfg);
        view.epoch = state.dictionary.epoch_of(*number);
        view.clock = self.clock(*source, view.epoch);
        view.host_ns = needs.intersects(Needs::HOST).then(|| decoded.log.host_time_at(last)).flatten();
        view
    }
}
