//! Stored rows of a list, located and locked, as the [`Item`] that streaming uses, too.

use std::{borrow::Cow, sync::RwLockReadGuard};

use spytui_plugin_api::{Attachment, RenderedRow, Row};

use super::{Bookmark, RowSource};
use crate::{
    order::DropInOrder,
    present::Clock,
    query::Needs,
    render::Item,
    session::decoding::{Decoding, DecodingState},
    store::{Columns, Dictionary, Names},
};

/// Rows that are taken together lie within as many of a list: a source has them in two segments at most.
pub(super) const NEAR: u64 = 4096;

/// A row of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its number in the list.
    pub(super) listed: u64,
    pub(super) source: usize,
    /// Its number in the source.
    pub(super) number: u64,
    /// Of a row about dropped records: what it says in the order of all sources.
    drop: Option<DropInOrder>,
}

/// Locates rows of a list, which lie within [`NEAR`] rows, and makes sure that they are loaded.
pub(super) fn locate(list: &impl RowSource, rows: impl Iterator<Item = u64>) -> Vec<Place> {
    let place = |listed| {
        let drop = list.ordered_drop(listed);
        let (source, number) = list.locate(listed).filter(|_| drop.is_none_or(|drop| !drop.is_left_out))?;
        Some(Place { listed, source, number, drop: drop.map(|drop| drop.told) })
    };
    let places: Vec<Place> = rows.filter_map(place).collect();
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
}

/// A loaded row.
pub(super) struct StoredRow<'l> {
    pub(super) place: Place,
    pub(super) row: Row,
    columns: &'l Columns,
    /// Its index in these columns.
    index: usize,
    pub(super) attachments: Cow<'l, [Attachment]>,
}

impl StoredRow<'_> {
    /// Arena of the attachments.
    pub(super) fn blob(&self) -> &[u8] {
        self.columns.bytes()
    }
}

/// What an item has from elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Around<'i> {
    pub(super) names: &'i Names<'i>,
    pub(super) raw: &'i [u8],
    pub(super) rendered: RenderedRow<'i>,
    /// Time of the previous row with a time stamp.
    pub(super) before: Option<u64>,
    /// What will be asked: the rest is left out.
    pub(super) needs: Needs,
    pub(super) marks: &'i [&'i str],
}

impl<'a> Locked<'a> {
    pub(super) fn new(list: &'a impl RowSource) -> Locked<'a> {
        Locked {
            bookmarks: list.bookmarks(),
            sources: (0..list.sources()).map(|source| list.source(source)).collect(),
            states: list.read_all(),
            related: list.kin().iter().map(|related| related.read()).collect(),
        }
    }

    /// The columns of the segment of a row, and the row's index in them; `None` if it is not loaded.
    pub(super) fn columns(&self, place: Place) -> Option<(&Columns, usize)> {
        let rows = &self.states[place.source].rows;
        rows.columns(rows.location(place.number)?)
    }

    /// The same; `run` = the columns of the row before, and the number of their first row.
    pub(super) fn columns_in<'l>(
        &'l self,
        place: Place,
        run: &mut Option<(&'l Columns, u64)>,
    ) -> Option<(&'l Columns, usize)> {
        let same = run.filter(|(columns, first)| place.number.wrapping_sub(*first) < columns.len() as u64);
        if let Some((columns, first)) = same {
            return Some((columns, (place.number - first) as usize));
        }
        let (columns, index) = self.columns(place)?;
        *run = Some((columns, place.number - index as u64));
        Some((columns, index))
    }

    /// A row; `None` if it is not loaded.
    pub(super) fn row(&self, place: Place) -> Option<StoredRow<'_>> {
        let (columns, index) = self.columns(place)?;
        Some(self.stored(place, columns, index))
    }

    /// The row at an index of the columns.
    pub(super) fn stored<'l>(&'l self, place: Place, columns: &'l Columns, index: usize) -> StoredRow<'l> {
        let row = columns.row(index, self.states[place.source].rows.tables());
        let attachments = columns.attachments(index);
        let attachments = place.drop.map_or(Cow::Borrowed(attachments), |drop| {
            attachments.iter().map(|&attachment| drop.corrected(attachment)).collect()
        });
        StoredRow { place, row, columns, index, attachments }
    }

    /// The dictionaries of the target besides that of a source.
    pub(super) fn others(&self, source: usize) -> Vec<&Dictionary> {
        let others = self.states.iter().enumerate().filter(|(other, _)| *other != source);
        let others = others.map(|(_, state)| state).chain(&self.related);
        others.map(|state| &state.dictionary).collect()
    }

    /// The clock of a source, otherwise that of another source of the target.
    pub(super) fn clock(&self, source: usize, epoch: u32) -> Clock {
        let all = || self.states.iter().chain(&self.related).map(|state| state.clock_of(epoch));
        let own = self.states[source].clock_of(epoch);
        if own.known() { own } else { all().find(Clock::known).unwrap_or_default() }
    }

    /// Names of the bookmarks on a row.
    pub(super) fn marks(&self, stored: &StoredRow<'_>) -> Vec<&str> {
        let Place { source, number, .. } = stored.place;
        let (rows, pos) = (&self.states[source].rows, stored.row.pos);
        let begins_at = |row: Option<u64>| row.and_then(|row| rows.row(row)).is_some_and(|row| row.pos == pos);
        let is_here = |mark: &&Bookmark| {
            let first = number.checked_sub(mark.nth);
            let before = first.and_then(|first| first.checked_sub(1));
            (mark.source, mark.pos) == (source, pos) && begins_at(first) && !begins_at(before)
        };
        self.bookmarks.iter().filter(is_here).map(|mark| mark.name.as_str()).collect()
    }

    /// A row with everything that a view or filter asks for.
    pub(super) fn item<'i>(&'i self, stored: &'i StoredRow<'_>, around: Around<'i>) -> Item<'i> {
        let StoredRow { place: Place { source, number, .. }, row, columns, index, .. } = stored;
        let (state, decoded) = (&self.states[*source], self.sources[*source]);
        let epoch = state.dictionary.epoch_of(*number);
        let shape = columns.shape(*index, state.rows.tables());
        let last = (row.pos + u64::from(row.len)).saturating_sub(1);
        let asks = |needs| around.needs.intersects(needs);
        Item {
            info: &decoded.decoder.info,
            labels: decoded.decoder.labels(),
            source: (self.states.len() > 1).then_some(*source as u16),
            apart: false,
            n: (row.is_record() && asks(Needs::NUMBER))
                .then(|| state.rows.records_before(*number).map_or(0, |n| n + 1)),
            row,
            span: (shape.span, shape.unsure),
            attachments: &stored.attachments,
            activities: &[],
            blob: stored.blob(),
            cfg: state.context.configuration(row.cfg),
            raw: around.raw,
            rendered: around.rendered,
            names: around.names,
            clock: self.clock(*source, epoch),
            before: around.before,
            host_ns: asks(Needs::HOST).then(|| decoded.log.host_time_at(last)).flatten(),
            epoch,
            marks: around.marks,
        }
    }
}
