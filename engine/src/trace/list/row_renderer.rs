//! Renders stored rows in bulk for views, filters, searches and exports, and passes them on as the [`RowView`] that
//! streaming uses, too. Rows that involve plugins are rendered on another thread, as plugins may never return.

use std::{
    borrow::Cow,
    cell::{Cell, OnceCell},
    collections::HashMap,
    ops::Range,
    sync::{Arc, RwLockReadGuard},
};

use spytui_plugin_api::{Attachment, Dict, Rendered, RenderedRow, Request, Row, RowIn, Want, row::RowFlags};

use super::{Bookmark, RowList};
use crate::{
    io::log::RawLog,
    open::contain::{survives, within},
    present::Clock,
    query::Needs,
    row::{Renderer, RowFilter, RowView, gather},
    store::{BlockNames, Columns, Dictionary, View, columns::Tables},
    trace::{
        order::DropInOrder,
        session::decoding::{Decoding, DecodingState},
    },
};

#[derive(Debug, Clone, Copy)]
pub struct RenderRequest {
    pub want: Want,
    pub view: View,
    /// Use short names where unique.
    pub short: bool,
    /// Time of the row with a time stamp shown before the first one.
    pub before: Option<u64>,
}

/// Rows rendered at once for a view, which may not need more.
const AT_ONCE: usize = 256;

/// Renders rows; reuses its buffers.
#[derive(Debug, Default)]
pub struct RowRenderer {
    /// Windows into the logs, by source.
    windows: Vec<LogWindow>,
    /// Concatenated bytes of the rows, and where each begins.
    raw: Vec<u8>,
    ranges: Vec<Range<usize>>,
    /// Rows rendered together, of one source and configuration.
    groups: Vec<Rendered>,
    /// Group and index of each row.
    rendered: Vec<(usize, usize)>,
    /// Also find host times for views, which is slow.
    pub has_host_times: bool,
}

/// Time, clock, epoch and target of a row with a time stamp.
type RowStamp = (u64, Clock, (u32, usize));

impl RowRenderer {
    /// Renders rows in the given order and passes them to `each`, skipping rows that are not loaded. Stops when `each`
    /// returns `false`. `each` must not lock the sources, which are locked.
    pub fn views(
        &mut self,
        list: &RowList,
        rows: impl IntoIterator<Item = u64>,
        mut ask: RenderRequest,
        mut each: impl FnMut(u64, &RowView<'_>) -> bool,
    ) {
        // Clock and epoch of the previous row with a time stamp, initially from before the first row.
        let mut scale = None;
        let needs = if self.has_host_times { Needs::ALL } else { Needs::ALL.difference(Needs::HOST) };
        let mut rows = rows.into_iter().peekable();
        while let Some(&first) = rows.peek() {
            let near = std::iter::from_fn(|| rows.next_if(|row| row.abs_diff(first) < NEAR));
            let places = locate(list, near.take(AT_ONCE));
            let locked = Locked::new(list, &places);
            let stored: Vec<StoredRow<'_>> = places.iter().filter_map(|&place| locked.row(place)).collect();
            self.render(&locked, &stored, (ask.view, ask.short), ask.want.into());
            for (i, stored) in stored.iter().enumerate() {
                let ListedRow { source, number, listed, .. } = stored.place;
                let others = locked.others(source);
                let names = names_at(&locked, source, &others, (ask.view, ask.short), number);
                let marks = locked.marks(stored);
                let mut view = locked.view(stored, &names, self.rendered(i), needs);
                view.marks = &marks;
                let own = (view.clock, (view.epoch, locked.target(source)));
                view.before = ask.before.filter(|_| *scale.get_or_insert(own) == own);
                if !each(listed, &view) {
                    return;
                }
                if stored.row.has(RowFlags::TIME_OWN) {
                    (ask.before, scale) = (Some(stored.row.time), Some(own));
                }
            }
        }
    }

    /// Passes each row of a range of at most [`NEAR`] rows to `each`, with whether it matches the filter of its target by
    /// the names as shown; `None` if exempt. Skips rows that are not loaded.
    pub(super) fn select(
        &mut self,
        list: &RowList,
        range: Range<u64>,
        filters: &mut [RowFilter],
        is_exempt: impl Fn(&Row) -> bool,
        mut each: impl FnMut(u64, Option<bool>),
    ) {
        let begin = range.start;
        let Some(asks_delta) = filters.first().map(|filter| filter.asks(Needs::DELTA)) else { return };
        let stamp_before = asks_delta.then(|| stamp_before(list, begin)).flatten();
        let places = locate(list, range);
        let locked = Locked::new(list, &places);
        let befores = asks_delta.then(|| times_before(&locked, &places, stamp_before));
        let before = |place: &ListedRow| befores.as_ref()?.get((place.listed - begin) as usize).copied().flatten();
        for source in 0..locked.sources.len() {
            let filter = &mut filters[locked.target(source)];
            let own = places.iter().filter(|place| place.source == source);
            let open = self.decide(&locked, source, own, filter, (&is_exempt, &before), &mut each);
            self.render(&locked, &open, (View::Effective, true), filter.request());
            let others = locked.others(source);
            for (i, stored) in open.iter().enumerate() {
                let names = names_at(&locked, source, &others, (View::Effective, true), stored.place.number);
                let marks = if filter.asks(Needs::MARK) { locked.marks(stored) } else { Vec::new() };
                let mut view = locked.view(stored, &names, self.rendered(i), filter.needs);
                (view.before, view.marks) = (before(&stored.place), &marks);
                each(stored.place.listed, Some(filter.matches(&view)));
            }
        }
    }

    /// Decides the rows of a source that need no rendering; returns the others.
    fn decide<'l>(
        &self,
        locked: &'l Locked<'_>,
        source: usize,
        places: impl Iterator<Item = &'l ListedRow>,
        filter: &mut RowFilter,
        (is_exempt, before): (&impl Fn(&Row) -> bool, &impl Fn(&ListedRow) -> Option<u64>),
        each: &mut impl FnMut(u64, Option<bool>),
    ) -> Vec<StoredRow<'l>> {
        let others = locked.others(source);
        let (state, decoded) = (&locked.states[source], locked.sources[source]);
        let needs = filter.needs;
        let traits = decoded.renderer.traits();
        let (mut open, mut run, mut epoch) = (Vec::new(), None, None);
        for place in places {
            // Consecutive rows are in the same columns.
            let Some(run) = locked.run_of(*place, &mut run) else { continue };
            let class = run.columns.class(run.index(*place), &state.rows.tables);
            if is_exempt(&class) {
                each(place.listed, None);
                continue;
            }
            let names = names_at(locked, source, &others, (View::Effective, true), place.number);
            let own = state.dictionary.epoch_of(place.number);
            if epoch.replace(own) != Some(own) {
                filter.begin_block(&names, own, traits);
            }
            let stored = OnceCell::new();
            let marks = OnceCell::new();
            let decided = filter.decide((&class, place.number), || {
                let stored = stored.get_or_init(|| locked.stored(*place, run));
                let marks = marks.get_or_init(|| locked.marks(stored));
                let mut view = locked.view(stored, &names, (&[], RenderedRow::default()), needs);
                (view.before, view.marks) = (before(place), marks);
                view
            });
            match decided {
                Some(matches) => each(place.listed, Some(matches)),
                None => open.push(stored.into_inner().unwrap_or_else(|| locked.stored(*place, run))),
            }
        }
        open
    }

    fn rendered(&self, row: usize) -> (&[u8], RenderedRow<'_>) {
        let (group, index) = self.rendered.get(row).copied().unwrap_or_default();
        let rendered = self.groups.get(group).map(|group| group.row(index)).unwrap_or_default();
        (self.raw(row), rendered)
    }

    fn raw(&self, row: usize) -> &[u8] {
        self.ranges.get(row).and_then(|range| self.raw.get(range.clone())).unwrap_or_default()
    }

    /// Renders rows with the names that each sees.
    fn render(&mut self, locked: &Locked<'_>, rows: &[StoredRow<'_>], names: (View, bool), request: Request<'_>) {
        self.gather(locked, rows);
        self.rendered.clear();
        self.rendered.resize(rows.len(), (0, 0));
        if request.want.is_empty() {
            self.groups.iter_mut().for_each(Rendered::clear);
            return;
        }
        let mut groups = std::mem::take(&mut self.groups);
        let key = |row: usize| (rows[row].place.source, rows[row].row.cfg);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&row| key(row));
        for (group, members) in order.chunk_by(|&a, &b| key(a) == key(b)).enumerate() {
            let Some(&first) = members.first() else { continue };
            let (source, cfg) = key(first);
            let inputs: Vec<RowIn<'_>> = members.iter().map(|&row| rows[row].input(self.raw(row))).collect();
            let numbers: Vec<u64> = members.iter().map(|&row| rows[row].place.number).collect();
            let configuration = locked.states[source].context.configuration(cfg);
            let renderer = &locked.sources[source].renderer;
            groups.resize_with(groups.len().max(group + 1), Rendered::default);
            let job = || {
                let own = &locked.states[source].dictionary;
                let dictionaries = [own].into_iter().chain(locked.shared_others(source)).cloned().collect();
                Job::new(configuration, &inputs, dictionaries, &numbers, names)
            };
            if let Some(rendered) = render_aside(renderer, job, request) {
                groups[group] = rendered;
            } else {
                let others = locked.others(source);
                let names = BlockNames { rows: &numbers, ..names_at(locked, source, &others, names, 0) };
                renderer.render(configuration, &inputs, &Dict::new(&names), request, None, &mut groups[group]);
            }
            members.iter().enumerate().for_each(|(index, &row)| self.rendered[row] = (group, index));
        }
        self.groups = groups;
    }

    /// Reads the bytes of rows, all fragments of each concatenated.
    fn gather(&mut self, locked: &Locked<'_>, rows: &[StoredRow<'_>]) {
        self.windows.resize_with(locked.sources.len(), LogWindow::default);
        self.raw.clear();
        self.ranges.clear();
        for stored in rows {
            let (window, log) = (&mut self.windows[stored.place.source], &locked.sources[stored.place.source].log);
            let begin = self.raw.len();
            gather(&stored.row, &stored.attachments, &mut self.raw, |pos, len, out| {
                out.extend_from_slice(window.get(log, pos, len));
            });
            self.ranges.push(begin..self.raw.len());
        }
    }
}

pub(super) fn names_at<'n>(
    locked: &'n Locked<'_>,
    source: usize,
    others: &'n [&'n crate::store::Dictionary],
    (view, short): (View, bool),
    row: u64,
) -> BlockNames<'n> {
    BlockNames { dictionary: &locked.states[source].dictionary, others, row, rows: &[], view, short }
}

/// The last time stamp before a row, among nearby rows.
fn stamp_before(list: &RowList, row: u64) -> Option<RowStamp> {
    let places = locate(list, row.saturating_sub(NEAR)..row);
    let locked = Locked::new(list, &places);
    places.iter().rev().find_map(|place| stamp(&locked, place))
}

fn stamp(locked: &Locked<'_>, place: &ListedRow) -> Option<RowStamp> {
    let (columns, index) = locked.columns(*place)?;
    let state = &locked.states[place.source];
    let row = Some(columns.row(index, &state.rows.tables)).filter(|row| row.has(RowFlags::TIME_OWN))?;
    let epoch = state.dictionary.epoch_of(place.number);
    Some((row.time, locked.clock(place.source, epoch), (epoch, locked.target(place.source))))
}

/// For each row, the time of the previous row with a comparable time stamp.
fn times_before(locked: &Locked<'_>, places: &[ListedRow], mut last: Option<RowStamp>) -> Vec<Option<u64>> {
    let Some(first) = places.first().map(|place| place.listed) else { return Vec::new() };
    let count = places.last().map_or(0, |place| (place.listed - first) as usize + 1);
    let mut times = vec![None; count];
    for place in places {
        let epoch = locked.states[place.source].dictionary.epoch_of(place.number);
        let scale = (locked.clock(place.source, epoch), (epoch, locked.target(place.source)));
        times[(place.listed - first) as usize] =
            last.filter(|(_, clock, epoch)| (*clock, *epoch) == scale).map(|(time, ..)| time);
        last = stamp(locked, place).or(last);
    }
    times
}

/// Rows with everything that rendering uses. It may continue when nobody waits for it, and locks nothing.
#[derive(Debug)]
pub(super) struct Job {
    configuration: Vec<u8>,
    rows: Vec<(Row, Range<usize>, Range<usize>)>,
    raw: Vec<u8>,
    attachments: Vec<Attachment>,
    blob: Vec<u8>,
    /// Dictionaries: that of the rows, then others of the target.
    dictionaries: Vec<Arc<Dictionary>>,
    /// Row numbers in the source.
    numbers: Vec<u64>,
    /// The view, and whether names are short.
    names: (View, bool),
}

impl Job {
    pub(super) fn new(
        configuration: &[u8],
        rows: &[RowIn<'_>],
        dictionaries: Vec<Arc<Dictionary>>,
        numbers: &[u64],
        names: (View, bool),
    ) -> Arc<Job> {
        let (configuration, numbers) = (configuration.to_vec(), numbers.to_vec());
        let (rows, inputs) = (Vec::with_capacity(rows.len()), rows);
        let (raw, attachments, blob) = (Vec::new(), Vec::new(), Vec::new());
        let mut job = Job { configuration, rows, raw, attachments, blob, dictionaries, numbers, names };
        inputs.iter().for_each(|row| job.push(row));
        Arc::new(job)
    }

    fn push(&mut self, input: &RowIn<'_>) {
        let (raw, attachments) = (self.raw.len(), self.attachments.len());
        self.raw.extend_from_slice(input.raw.as_slice());
        for one in input.attachments.iter() {
            let a = if one.is_bytes { self.blob.len() as u64 } else { one.a };
            self.blob.extend_from_slice(one.bytes(input.blob.as_slice()));
            self.attachments.push(Attachment { a, ..*one });
        }
        self.rows.push((*input.row, raw..self.raw.len(), attachments..self.attachments.len()));
    }

    fn inputs(&self) -> Vec<RowIn<'_>> {
        let blob = self.blob.as_slice().into();
        let rows = self.rows.iter().map(|(row, raw, attachments)| {
            let (raw, attachments) = (&self.raw[raw.clone()], &self.attachments[attachments.clone()]);
            RowIn { row, raw: raw.into(), attachments: attachments.into(), blob }
        });
        rows.collect()
    }

    fn render(&self, renderer: &Renderer, request: Request<'_>) -> Rendered {
        let others: Vec<&Dictionary> = self.dictionaries.iter().skip(1).map(|one| &**one).collect();
        let mut out = Rendered::default();
        let Some(dictionary) = self.dictionaries.first() else { return out };
        let (view, short) = self.names;
        let names = BlockNames { dictionary, others: &others, row: 0, rows: &self.numbers, view, short };
        renderer.render(&self.configuration, &self.inputs(), &Dict::new(&names), request, None, &mut out);
        out
    }
}

/// Renders rows on another thread; `None` if no external plugin takes part any more, or there is no thread. A plugin that
/// does not return is no longer called. Without a screen no thread is needed: the program ends with such a plugin.
fn render_aside(renderer: &Renderer, job: impl FnOnce() -> Arc<Job>, request: Request<'_>) -> Option<Rendered> {
    let job = (survives() && renderer.calls_files()).then(job)?;
    while renderer.calls_files() {
        let (own, job, want, all_fields) = (renderer.clone(), job.clone(), request.want, request.all_fields);
        let (names, spaces) = (request.names.to_vec(), request.spaces.to_vec());
        let call = move || {
            let request =
                Request { want, all_fields, names: names.as_slice().into(), spaces: spaces.as_slice().into() };
            job.render(&own, request)
        };
        match within("render", call) {
            Ok(rendered) => return Some(rendered),
            Err(left) => renderer.leave(&left.call?),
        }
    }
    None
}

/// Bytes read around a row, as its neighbours will probably follow.
const AROUND: usize = 64 * 1024;
/// Maximum length of a row whose bytes are read.
const LONGEST: u64 = 16 << 20;

/// A cached range of a log.
#[derive(Debug, Default)]
struct LogWindow {
    log: Option<Arc<RawLog>>,
    pos: u64,
    bytes: Vec<u8>,
}

impl LogWindow {
    /// Bytes of the log; empty if no longer kept.
    pub(super) fn get(&mut self, log: &Arc<RawLog>, pos: u64, len: u64) -> &[u8] {
        let len = len.min(LONGEST) as usize;
        if !self.log.as_ref().is_some_and(|of| Arc::ptr_eq(of, log)) {
            *self = LogWindow { log: Some(log.clone()), ..LogWindow::default() };
        }
        let inside = |w: &LogWindow| pos >= w.pos && pos + len as u64 <= w.pos + w.bytes.len() as u64;
        if !inside(self) {
            self.bytes.clear();
            self.pos = pos;
            if log.read_into(pos, len.max(AROUND), &mut self.bytes).is_err() {
                self.bytes.clear();
            }
        }
        let start = usize::try_from(pos - self.pos).unwrap_or(usize::MAX).min(self.bytes.len());
        &self.bytes[start..(start + len).min(self.bytes.len())]
    }
}

/// Maximum range of list rows handled together; they are in at most two segments of a source.
pub(super) const NEAR: u64 = 4096;
/// Distance up to which records are counted one by one.
const NEAR_BY: usize = 32;

#[derive(Debug, Clone, Copy)]
pub(super) struct ListedRow {
    /// Number of the row in the list.
    pub(super) listed: u64,
    pub(super) source: usize,
    /// Number of the row in its source.
    pub(super) number: u64,
}

/// Locates list rows within a range of [`NEAR`] rows, and loads them.
pub(super) fn locate(list: &RowList, rows: impl Iterator<Item = u64>) -> Vec<ListedRow> {
    let mut places = Vec::with_capacity(rows.size_hint().1.unwrap_or_default().min(NEAR as usize));
    let kept = rows.filter(|&row| list.ordered_drop(row).is_none_or(|drop| !drop.is_left_out));
    places.extend(kept.filter_map(|listed| {
        let (source, number) = list.locate(listed)?;
        Some(ListedRow { listed, source, number })
    }));
    for source in 0..list.sources() {
        let numbers = || places.iter().filter(|place| place.source == source).map(|place| place.number);
        for end in [numbers().min(), numbers().max()].into_iter().flatten() {
            list.source(source).ensure_loaded(end);
        }
    }
    places
}

/// The locked sources of a list. Don't call the list meanwhile: growing it holds the list and locks a source.
pub(super) struct Locked<'a> {
    pub(super) sources: Vec<&'a Decoding>,
    pub(super) states: Vec<RwLockReadGuard<'a, DecodingState>>,
    related: Vec<RwLockReadGuard<'a, DecodingState>>,
    bookmarks: Vec<Bookmark>,
    is_joint: bool,
    /// What drop rows say in the order of all sources, by list number.
    drops: HashMap<u64, DropInOrder>,
    /// The clock requested last, with its source and epoch.
    last_clock: Cell<Option<((usize, u32), Clock)>>,
}

pub(super) struct StoredRow<'l> {
    pub(super) place: ListedRow,
    pub(super) row: Row,
    /// Number of the record in the source, from 1; `None` for other rows.
    n: Option<u64>,
    columns: &'l Columns,
    /// Index of the row in `columns`.
    index: usize,
    pub(super) attachments: Cow<'l, [Attachment]>,
}

/// Columns whose rows are read in order.
pub(super) struct RowRun<'l> {
    pub(super) columns: &'l Columns,
    /// Number of the first row.
    first: u64,
    /// Attachments of the rows not read yet.
    attachments: Cell<&'l [Attachment]>,
    /// An index, and the number of records before it in the source.
    records: Cell<(usize, u64)>,
}

impl<'l> RowRun<'l> {
    #[inline]
    pub(super) fn index(&self, place: ListedRow) -> usize {
        (place.number - self.first) as usize
    }

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
    pub(super) fn input<'i>(&'i self, raw: &'i [u8]) -> RowIn<'i> {
        let (attachments, blob) = (self.attachments.as_ref().into(), self.columns.bytes.as_slice().into());
        RowIn { row: &self.row, raw: raw.into(), attachments, blob }
    }
}

impl<'a> Locked<'a> {
    pub(super) fn new(list: &'a RowList, places: &[ListedRow]) -> Locked<'a> {
        let drop = |place: &ListedRow| Some((place.listed, list.ordered_drop(place.listed)?.drop));
        Locked {
            bookmarks: list.bookmarks(),
            is_joint: list.is_joint,
            last_clock: Cell::new(None),
            drops: if list.sources() > 1 { places.iter().filter_map(drop).collect() } else { HashMap::new() },
            sources: (0..list.sources()).map(|source| list.source(source)).collect(),
            states: list.read_all(),
            related: list.related.iter().map(|related| related.read()).collect(),
        }
    }

    /// The columns that contain a row, and its index in them; `None` if not loaded.
    pub(super) fn columns(&self, place: ListedRow) -> Option<(&Columns, usize)> {
        let rows = &self.states[place.source].rows;
        rows.columns(rows.location(place.number)?)
    }

    /// The columns of a row as a run begun by this or an earlier row; `None` if not loaded.
    pub(super) fn run_of<'l, 'r>(
        &'l self,
        place: ListedRow,
        run: &'r mut Option<RowRun<'l>>,
    ) -> Option<&'r RowRun<'l>> {
        if run.as_ref().is_none_or(|run| place.number.wrapping_sub(run.first) >= run.columns.len() as u64) {
            let (columns, index) = self.columns(place)?;
            let attachments = columns.attachments_from(index).into();
            let records =
                (index, self.states[place.source].rows.records_before(place.number).unwrap_or_default()).into();
            *run = Some(RowRun { columns, first: place.number - index as u64, attachments, records });
        }
        run.as_ref()
    }

    /// A row; `None` if not loaded.
    pub(super) fn row(&self, place: ListedRow) -> Option<StoredRow<'_>> {
        Some(self.stored(place, self.run_of(place, &mut None)?))
    }

    /// A row of a run; must follow those requested before.
    pub(super) fn stored<'l>(&'l self, place: ListedRow, run: &RowRun<'l>) -> StoredRow<'l> {
        let (columns, index) = (run.columns, run.index(place));
        let row = columns.row(index, &self.states[place.source].rows.tables);
        let attachments = run.attachments(index);
        let attachments = match self.drops.get(&place.listed) {
            None => Cow::Borrowed(attachments),
            Some(drop) => attachments.iter().map(|&attachment| drop.corrected(attachment)).collect(),
        };
        let n = row.is_record().then(|| run.records_before(index, &self.states[place.source].rows.tables) + 1);
        StoredRow { place, row, n, columns, index, attachments }
    }

    /// The target's dictionaries other than that of a source.
    pub(super) fn others(&self, source: usize) -> Vec<&Dictionary> {
        self.shared_others(source).map(|dictionary| &**dictionary).collect()
    }

    /// [`Self::others`] with shared ownership.
    pub(super) fn shared_others(&self, source: usize) -> impl Iterator<Item = &Arc<Dictionary>> {
        self.of_target(source).skip(1).map(|state| &state.dictionary)
    }

    /// Distinguishes the targets of a list.
    fn target(&self, source: usize) -> usize {
        if self.is_joint { source } else { 0 }
    }

    /// The state of a source, then those of the target's other sources.
    fn of_target(&self, source: usize) -> impl Iterator<Item = &DecodingState> {
        let others = self.states.iter().enumerate().filter(move |(other, _)| *other != source && !self.is_joint);
        let others = others.map(|(_, state)| state).chain(&self.related);
        std::iter::once(&self.states[source]).chain(others).map(|state| &**state)
    }

    /// The clock of a source, or that of another source of the target.
    pub(super) fn clock(&self, source: usize, epoch: u32) -> Clock {
        if let Some((_, clock)) = self.last_clock.get().filter(|(of, _)| *of == (source, epoch)) {
            return clock;
        }
        let mut clocks = self.of_target(source).map(|state| state.context.clock_of(epoch));
        let clock = clocks.find(Clock::known).unwrap_or_default();
        self.last_clock.set(Some(((source, epoch), clock)));
        clock
    }

    /// Names of the bookmarks on a row.
    pub(super) fn marks(&self, stored: &StoredRow<'_>) -> Vec<&str> {
        let ListedRow { source, number, .. } = stored.place;
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

    /// A row with its bytes, its rendered parts, and the properties that `needs` asks for.
    pub(super) fn view<'i>(
        &'i self,
        stored: &'i StoredRow<'_>,
        names: &'i BlockNames<'i>,
        (raw, rendered): (&'i [u8], RenderedRow<'i>),
        needs: Needs,
    ) -> RowView<'i> {
        let StoredRow { place: ListedRow { source, number, .. }, row, columns, index, .. } = stored;
        let (state, decoded) = (&self.states[*source], self.sources[*source]);
        let shape = columns.shape(*index, &state.rows.tables);
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
