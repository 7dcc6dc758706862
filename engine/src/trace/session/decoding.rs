//! A decoding of a log: the result of one decoder with one set of options. Written by the session's thread, read by all
//! others. Activities are not in the store: [`ActivityReader`] decodes rows again.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use spytui_plugin_api::{
    Activity, Attachment, Batch, Fault, Growth, NONE, Row, RowFlags, RowKind, Severity,
    batch::{AttachmentId, wire_len},
};

use super::news::{Losses, Tap, TappedRows, TargetNews};
use crate::{
    analysis::{CauseFinder, Causes, distribution::Distributions},
    decode::{
        NameTarget, RowContext,
        instance_host::{InstanceHost, LearnedOptions},
        span::SpanState,
    },
    io::log::{Cursor, LogReader, RawLog},
    open::{Decoder, Options},
    present::{Clock, clock::grouped},
    replay::{FedRow, MissingRecords, Moment, Reader},
    row::Renderer,
    store::{
        Columns, Counters, Dictionary, Rows, Span, Sums,
        rows::{RowLocation, SegmentStart},
    },
};

/// Records and bytes of each kind.
pub type KindSums = BTreeMap<RowKind, (u64, u64)>;

#[derive(Debug, Default)]
pub struct DecodingState {
    pub rows: Rows,
    /// Decoder checkpoints by segment; `None` if it could not be forked.
    pub(super) checkpoints: Vec<Option<Arc<Checkpoint>>>,
    /// Sums over all rows before each segment.
    sums: Vec<Sums>,
    pub dictionary: Arc<Dictionary>,
    /// Context of the latest row.
    pub context: RowContext,
    pub counters: Counters,
    pub distributions: Distributions,
    /// The fault after which decoding stopped.
    pub fault: Option<Fault>,
    pub losses: Losses,
    /// Gaps that changed after they were added.
    grown: Vec<Grown>,
    /// Number of forgotten entries, whose gaps are no longer in the log.
    grown_gone: usize,
    /// The latest rows that start an epoch.
    pub resets: VecDeque<u64>,
    pub news: TargetNews,
    /// Decoded up to here.
    pub(super) end: Cursor,
}

/// A gap that changed after it was added.
#[derive(Debug)]
struct Grown {
    growth: Growth,
    /// The gap, if loaded.
    gap: Option<u64>,
    /// The row that reports the change.
    by: u64,
}

/// The decoder's state at the start of a segment.
#[derive(Debug)]
pub(super) struct Checkpoint {
    /// A fork of the decoder; forked again for each use.
    pub(super) host: Mutex<InstanceHost>,
    pub(super) span: SpanState,
}

/// Minimum number of rows before and after a row that are searched for its causes and effects.
pub(super) const MARGIN: u64 = 4096;

#[derive(Debug)]
pub struct CauseRange {
    pub first: u64,
    /// The first row whose causes are complete.
    pub(super) from: u64,
    /// Number of rows of the decoding when it was made.
    pub(super) rows: u64,
    /// Causes by row index, from the first row.
    pub causes: Causes,
}

impl CauseRange {
    /// Whether it has everything known about a row, now that there are `rows` rows.
    pub(super) fn serves(&self, row: u64, rows: u64) -> bool {
        let end = self.first + self.causes.rows() as u64;
        let complete = rows == self.rows && end == rows;
        row >= self.from && (row + MARGIN < end || complete && row < end)
    }
}

pub(super) const NOT_AGAIN: &str = "this part can't be decoded again";

/// Maximum number of resets listed; all of them are also rows.
const RESETS: usize = 2048;

#[derive(Debug)]
pub struct Decoding {
    pub decoder: Arc<Decoder>,
    pub options: Options,
    pub renderer: Renderer,
    pub log: Arc<RawLog>,
    /// Index of the source within its target.
    pub source: u16,
    /// Core of its rows; [`spytui_plugin_api::NONE`] = given by the stream.
    pub core: u16,
    /// Start position in the log; not 0 while only the end of a long log is decoded.
    pub begins: u64,
    pub learned: LearnedOptions,
    state: RwLock<DecodingState>,
    pos: AtomicU64,
    /// Number of leading rows whose bytes are gone.
    gone: AtomicU64,
    ended: AtomicBool,
    /// Recently decoded rows for followers.
    pub(super) tap: Tap,
    /// Causes and effects around the row requested last.
    pub(super) causes: Mutex<Option<Arc<CauseRange>>>,
}

impl Decoding {
    /// `memory` = budget of the rows, bytes.
    pub fn new(
        decoder: Arc<Decoder>,
        options: Options,
        log: Arc<RawLog>,
        source: u16,
        begins: u64,
        memory: usize,
    ) -> Decoding {
        let state = DecodingState {
            rows: Rows::new(memory),
            dictionary: Arc::new(Dictionary::new(&decoder.info, true)),
            distributions: Distributions::new(&decoder.info),
            end: Cursor { pos: begins, event: 0 },
            ..DecodingState::default()
        };
        Decoding {
            renderer: decoder.renderer(&options),
            decoder,
            options,
            log,
            source,
            core: NONE,
            begins,
            learned: LearnedOptions::default(),
            state: RwLock::new(state),
            pos: AtomicU64::new(begins),
            gone: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            tap: Tap::default(),
            causes: Mutex::default(),
        }
    }

    /// Locks the state for reading. A writer that panicked left complete batches, so a poisoned lock is usable.
    pub fn read(&self) -> RwLockReadGuard<'_, DecodingState> {
        self.state.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, DecodingState> {
        self.state.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Changes the state from outside the stream (`:name`, name files).
    pub fn edit(&self, change: impl FnOnce(&mut DecodingState)) {
        change(&mut self.write());
    }

    /// Stops decoding with a fault; an earlier fault is kept.
    pub(super) fn fail(&self, fault: Fault) {
        self.edit(|state| {
            state.fault.get_or_insert(fault);
        });
    }

    /// Decoded up to this log position.
    pub fn pos(&self) -> u64 {
        self.pos.load(Ordering::Acquire)
    }

    /// Whether all input is decoded, so that no rows will follow.
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    pub fn len(&self) -> u64 {
        self.read().rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Starts a segment with the next feed; without a checkpoint it can't be decoded again.
    pub(super) fn begin_segment(&self, at: Cursor, first_byte: u64, spans: bool, checkpoint: Option<Checkpoint>) {
        let mut state = self.write();
        state.rows.begin(SegmentStart { at, first_byte, reloadable: checkpoint.is_some(), spans });
        state.checkpoints.push(checkpoint.map(Arc::new));
        let sums = state.sums();
        state.sums.push(sums);
    }

    /// Number of leading rows whose bytes are no longer in the log, including their marker, which is the last of them.
    pub fn gone(&self) -> u64 {
        self.gone.load(Ordering::Acquire)
    }

    /// The first row that is not gone, or the marker of those that are.
    pub fn first_kept(&self) -> u64 {
        self.gone().saturating_sub(1)
    }

    /// Forgets rows that can't be decoded again because the log dropped their bytes.
    pub(super) fn forget_what_is_gone(&self) {
        let first = self.log.first();
        if first == 0 || !self.read().rows.forgets(first) {
            return;
        }
        let mut state = self.write();
        state.forget(first);
        self.gone.store(state.rows.gone(), Ordering::Release);
    }

    /// Adds the batch of a feed. Rows and activities are passed to followers, if any.
    pub(super) fn add(
        &self,
        batch: &mut Batch,
        spans: &[(Span, bool)],
        (fed, pending): (u64, u64),
        fault: Option<&Fault>,
        end: Cursor,
    ) {
        {
            let mut state = self.write();
            let (first, begin) = (state.rows.len(), state.end);
            let resets = state.add(batch, self.source);
            state.distributions.add(batch);
            state.rows.add(batch, spans, end);
            let DecodingState { news, rows, .. } = &mut *state;
            news.add(batch, &resets, rows.len(), &rows.tables);
            state.grow(batch, first);
            state.counters.add(batch, fed, pending);
            state.end = end;
            if state.fault.is_none() {
                state.fault = fault.cloned();
            }
            // Spans are made from activities. Followers look for the feed once its end is known, which is after the
            // lock ends.
            let has_activities = batch.rows.is_empty() || !spans.is_empty();
            self.tap.add(batch, first, (begin, end), has_activities);
        }
        self.pos.store(end.pos, Ordering::Release);
    }

    /// Restores the columns of a dropped segment by decoding it again.
    pub fn reload(&self, segment: usize) -> Result<(), String> {
        let (checkpoint, start, end, (first, rows), first_byte) = {
            let state = self.read();
            let Some(s) = state.rows.segments.get(segment) else { return Ok(()) };
            let Some(checkpoint) = state.checkpoints.get(segment).cloned().flatten() else {
                return Err(NOT_AGAIN.to_owned());
            };
            (checkpoint, s.start.at, s.end, (s.first, s.rows), s.start.first_byte)
        };
        let (mut decoder, mut span) = (Redecoder::new(&checkpoint, start)?, checkpoint.span);
        let (mut columns, mut batch, mut spans) = (Columns::new(start.pos, rows), Batch::default(), Vec::new());
        while decoder.feed(&self.log, end, u64::MAX, &mut batch)? {
            spans.clear();
            span.places(&batch, &mut spans);
            let mut state = self.write();
            columns.add(&batch, &spans, &mut state.rows.tables, false);
            for growth in Growth::in_batch(&batch) {
                columns.grow(growth, &state.rows.tables);
            }
            batch.clear();
        }
        let mut state = self.write();
        let here = first_byte..=end.pos;
        let later = state.grown.iter().filter(|grown| grown.by >= first + rows as u64);
        for growth in later.map(|grown| grown.growth).filter(|growth| here.contains(&growth.pos)) {
            columns.grow(growth, &state.rows.tables);
        }
        if columns.len() != rows {
            return Err(format!("decoding again produced {} rows instead of {rows}", columns.len()));
        }
        state.rows.reload(segment, columns);
        Ok(())
    }

    /// Up to which row activities are kept for followers, which requests extend; 0 if nobody ever followed.
    pub fn followed(&self) -> u64 {
        self.tap.until()
    }

    /// Computes the spans around a row, which bulk decoding omits.
    pub fn ensure_spans(&self, row: u64) {
        let without = self.read().rows.without_spans(row);
        if let Some(segment) = without {
            // If it can't be decoded again, it is shown without spans.
            let _ = self.reload(segment);
        }
    }

    /// Loads a row's columns; `false` if there is no such row, or it can't be decoded again.
    pub fn ensure_loaded(&self, row: u64) -> bool {
        let location = {
            let state = self.read();
            match state.rows.location(row) {
                Some(location) if state.rows.columns(location).is_some() => return true,
                location => location,
            }
        };
        match location {
            Some(RowLocation::Closed(segment, _)) => self.reload(segment).is_ok(),
            _ => false,
        }
    }

    /// Causes and effects around a row, found by decoding that range again; `None` if that is not possible.
    pub fn causes(&self, row: u64) -> Option<Arc<CauseRange>> {
        let (first, from, end, rows) = {
            let state = self.read();
            let kept = self.causes.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(range) = kept.as_ref().filter(|range| range.serves(row, state.rows.len())) {
                return Some(range.clone());
            }
            let (begin, end) = state.around(row)?;
            let (first, _) = state.rows.segment_start(begin)?;
            let before = begin.checked_sub(1).and_then(|before| state.checkpoints.get(before)?.as_ref());
            let from = if before.is_some() { first + MARGIN } else { first };
            (first, from, end, state.rows.len())
        };
        let mut finder = CauseFinder::new(&self.decoder.info);
        let take = |own: FedRow, activities: &[Activity]| {
            let at = Moment { row: finder.rows(), ..Moment::default() };
            finder.row(&FedRow { at, ..own }, activities);
        };
        ActivityReader::open(self, first).ok()?.pass(self, end, take).ok()?;
        let range = Arc::new(CauseRange { first, from, rows, causes: finder.finish() });
        *self.causes.lock().unwrap_or_else(PoisonError::into_inner) = Some(range.clone());
        Some(range)
    }
}

/// Decodes a part of the log again, with activities.
#[derive(Debug)]
struct Redecoder {
    instance: InstanceHost,
    at: Cursor,
}

impl Redecoder {
    fn new(checkpoint: &Checkpoint, at: Cursor) -> Result<Redecoder, String> {
        let instance = checkpoint.host.lock().unwrap_or_else(PoisonError::into_inner).fork();
        let mut instance = instance.map_err(|fault| fault.to_string())?;
        instance.wants_activities = true;
        Ok(Redecoder { instance, at })
    }

    /// Decodes the next bytes, at most up to `limit`; `false` if there are none before `end`.
    fn feed(&mut self, log: &Arc<RawLog>, end: Cursor, limit: u64, batch: &mut Batch) -> Result<bool, String> {
        let mut reader = LogReader::new(log.clone(), self.at);
        if self.at == end || !reader.next(end.pos.min(limit)).map_err(|error| error.to_string())? {
            return Ok(false);
        }
        // Stream events at the end may belong to what follows.
        let over = if reader.at.pos == end.pos { reader.at.event.saturating_sub(end.event) } else { 0 };
        let kept = reader.events.len().saturating_sub(usize::try_from(over).unwrap_or(usize::MAX));
        self.instance.feed(reader.pos, &reader.bytes, &reader.events[..kept], batch);
        self.at = Cursor { event: reader.at.event - over, ..reader.at };
        Ok(true)
    }
}

impl DecodingState {
    /// The configuration in force at the end; may be empty.
    pub fn configuration(&self) -> &[u8] {
        self.context.configuration(self.news.cfg)
    }

    pub fn kinds_seen(&self) -> Vec<RowKind> {
        self.news.kinds_seen(&self.rows.tables)
    }

    /// Records and bytes of each kind so far, without notes.
    pub fn kind_sums(&self) -> KindSums {
        let mut sums = KindSums::new();
        for (shape, records, bytes) in self.rows.tables.shapes.tally().filter(|(shape, ..)| !shape.row.kind.is_note()) {
            let sum = sums.entry(shape.row.kind).or_default();
            *sum = (sum.0 + records, sum.1 + bytes);
        }
        sums
    }

    pub fn clock_at(&self, row: u64) -> Clock {
        self.context.clock_of(self.dictionary.epoch_of(row))
    }

    /// Records dropped by the target, and number of drop rows and gaps that report them.
    pub fn drops(&self) -> (u64, u64) {
        let rows = self.rows.tables.shapes.rows_of(|shape| shape.row.kind == RowKind::DROP);
        (self.counters.rows.dropped, rows + self.counters.rows.dropped_gaps)
    }

    pub fn sums(&self) -> Sums {
        Sums::of(&self.counters, &self.rows.tables)
    }

    /// Sums over the rows before `row`; `None` if their segment is not loaded.
    pub fn sums_before(&self, row: u64) -> Option<Sums> {
        let Some(location) = self.rows.location(row) else { return Some(self.sums()) };
        let (columns, i) = self.rows.columns(location)?;
        let mut sums = self.sums.get(self.rows.segment(location)).cloned().unwrap_or_default();
        sums.add_rows(columns, i, &self.rows.tables);
        Some(sums)
    }

    /// The first segment of the range that may contain a row's causes and effects, and the row after the range.
    pub(super) fn around(&self, row: u64) -> Option<(usize, u64)> {
        let segments = &self.rows.segments;
        let own = self.rows.segment(self.rows.location(row)?);
        let (first, _) = self.rows.segment_start(own)?;
        let begin = if row < first + MARGIN { own.saturating_sub(1) } else { own };
        let begin = if self.checkpoints.get(begin)?.is_some() { begin } else { own };
        let of_next = segments.get(own).is_some_and(|segment| row + MARGIN > segment.first + segment.rows as u64);
        let last = segments.get(if of_next { own + 1 } else { own });
        let end = last.map_or(self.rows.len(), |last| last.first + last.rows as u64);
        Some((begin, end))
    }

    /// Forgets segments that begin before the log's first byte.
    fn forget(&mut self, first: u64) {
        let segments = self.rows.segments_before(first);
        let begin = self.rows.segment_start(segments).map_or(first, |(_, start)| start.pos);
        self.rows.forget(segments, &marker(begin));
        let gone = self.grown.iter().take_while(|grown| grown.growth.pos < begin).count();
        self.grown.drain(..gone);
        self.grown_gone += gone;
        self.checkpoints[..segments].fill(None);
    }

    /// Rows of gaps that changed after they were added, from change number `first` on.
    pub fn grown(&self, first: usize) -> impl Iterator<Item = u64> + '_ {
        self.grown.iter().skip(first.saturating_sub(self.grown_gone)).filter_map(|grown| grown.gap)
    }

    /// The names, for changing them. A plugin call that was left behind keeps the old ones.
    pub fn names(&mut self) -> &mut Dictionary {
        Arc::make_mut(&mut self.dictionary)
    }

    pub fn grown_count(&self) -> usize {
        self.grown_gone + self.grown.len()
    }

    /// Changes earlier gaps that a batch settles; `first` = its first row.
    fn grow(&mut self, batch: &Batch, first: u64) {
        for attachment in &batch.attachments {
            let Some(growth) = Growth::of(attachment) else { continue };
            let (segment, row) = self.rows.grow(growth);
            self.sums.iter_mut().skip(segment + 1).for_each(|sums| sums.counters.grow(growth));
            if let Some(row) = row {
                self.losses.grow(row, growth);
            }
            self.grown.push(Grown { growth, gap: row, by: first + u64::from(attachment.at) });
        }
    }

    /// Adds names, context and losses of a batch; returns its reset rows.
    fn add(&mut self, batch: &Batch, source: u16) -> Vec<usize> {
        let first_row = self.rows.len();
        self.context.begin_batch();
        let names = NameTarget { dictionary: Arc::make_mut(&mut self.dictionary), first_row, source };
        let resets = self.context.advance(batch, usize::MAX, Some(names));
        for reset in &resets {
            if self.resets.len() == RESETS {
                self.resets.pop_front();
            }
            self.resets.push_back(first_row + *reset as u64);
        }
        self.losses.add(batch, first_row);
        resets
    }
}

/// The marker row for all rows before a log position.
fn marker(pos: u64) -> Batch {
    let text = format!("oldest {} bytes and their rows are gone: the spool is full", grouped(pos));
    let row = Row { severity: Severity::ERROR, core: NONE, ..Row::note(RowKind::HOST_LOSS, pos, 0) };
    let text_of_row = Attachment { at: 0, id: AttachmentId::TEXT, is_bytes: true, a: 0, b: text.len() as u64 };
    Batch {
        rows: vec![row].into(),
        attachments: vec![text_of_row].into(),
        bytes: text.into_bytes().into(),
        ..Batch::default()
    }
}

/// Bytes decoded at once; small enough for the screen's thread to answer keys in between.
const CHUNK: u64 = 1 << 16;

/// Reads decoded rows with their activities from the start of a segment. Recently decoded rows are not decoded again.
#[derive(Debug)]
pub struct ActivityReader {
    decoder: Redecoder,
    /// The decoder has not seen all feeds.
    is_stale: bool,
    /// It takes feeds that others decoded again, until it has to catch up by itself.
    shares: bool,
    batch: Batch,
    /// The present feed.
    fed: Arc<TappedRows>,
    /// Number of its first row.
    first: u64,
    /// Index in the feed of the next row and of its first activity.
    next: (usize, usize),
    /// Records before the next row.
    records: u64,
    epoch: u32,
    /// Counts it as a reader of its decoding.
    _counted: Arc<()>,
}

impl ActivityReader {
    /// Starts at the segment that contains a row.
    pub fn open(decoding: &Decoding, row: u64) -> Result<ActivityReader, String> {
        let state = decoding.read();
        let location = state.rows.location(row).ok_or_else(|| format!("there is no row {row}"))?;
        let segment = state.rows.segment(location);
        let start = state.rows.segment_start(segment).zip(state.checkpoints.get(segment).cloned().flatten());
        let Some(((first, at), checkpoint)) = start else { return Err(NOT_AGAIN.to_owned()) };
        Ok(ActivityReader {
            decoder: Redecoder::new(&checkpoint, at)?,
            is_stale: false,
            shares: true,
            batch: Batch::default(),
            fed: Arc::default(),
            first,
            next: (0, 0),
            records: state.rows.records_before_segment(segment),
            epoch: state.dictionary.epoch_of(first),
            _counted: decoding.tap.readers.clone(),
        })
    }

    pub fn row(&self) -> u64 {
        self.first + self.next.0 as u64
    }

    /// Passes on the rows before `end`, by their numbers in this source and without times; `false` if not all of them
    /// are decoded yet.
    pub fn pass(
        &mut self,
        decoding: &Decoding,
        end: u64,
        mut take: impl FnMut(FedRow, &[Activity]),
    ) -> Result<bool, String> {
        while self.row() < end {
            if self.next.0 < self.fed.rows.len() {
                self.pass_fed(decoding, end, &mut take);
            } else if !self.feed(decoding)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn pass_fed(&mut self, decoding: &Decoding, end: u64, take: &mut impl FnMut(FedRow, &[Activity])) {
        let fed = self.fed.clone();
        let (first, mut begin) = self.next;
        let count = usize::try_from(end - self.row()).unwrap_or(usize::MAX);
        let mut attachments = &fed.attachments[fed.attachments.partition_point(|one| (one.at as usize) < first)..];
        let mut next = first;
        for row in fed.rows.iter().skip(first).take(count) {
            let own = fed.activities.get(begin..).unwrap_or_default();
            let own = &own[..own.iter().take_while(|activity| activity.at as usize <= next).count()];
            self.records += u64::from(row.is_record());
            if row.has(RowFlags::EPOCH) {
                self.epoch = decoding.read().dictionary.epoch_of(self.first + next as u64);
            }
            let at = Moment { row: self.first + next as u64, n: self.records, ..Moment::default() };
            let count = attachments.iter().take_while(|attachment| attachment.at as usize <= next).count();
            let attached = attachments.split_off(..count).unwrap_or_default();
            let (bytes, missing) = (wire_len(row, attached), MissingRecords::of(attached));
            take(FedRow { bytes, missing, ..FedRow::new(row, at, self.epoch) }, own);
            (next, begin) = (next + 1, begin + own.len());
        }
        self.next = (next, begin);
    }

    /// Reads the next feed, up to the decoding's position; `false` if there is nothing new.
    fn feed(&mut self, decoding: &Decoding) -> Result<bool, String> {
        let end = decoding.read().end;
        if self.decoder.at == end {
            return Ok(false);
        }
        let first = self.row();
        if let Some(tapped) = decoding.tap.take(self.decoder.at, first, self.shares) {
            (self.decoder.at, self.is_stale) = (tapped.to, true);
            (self.fed, self.first, self.next) = (tapped, first, (0, 0));
            return Ok(true);
        }
        if self.is_stale { self.begin_again(decoding, first) } else { self.decode(decoding, end) }
    }

    /// Restarts at the segment of a row, and advances to that row.
    fn begin_again(&mut self, decoding: &Decoding, row: u64) -> Result<bool, String> {
        if row >= decoding.len() {
            return Ok(false);
        }
        *self = ActivityReader { shares: false, ..ActivityReader::open(decoding, row)? };
        let end = decoding.read().end;
        // Without the tap, which would leave the instance behind again.
        while self.row() < row {
            if self.next.0 == self.fed.rows.len() && !self.decode(decoding, end)? {
                return Ok(false);
            }
            self.pass_fed(decoding, row, &mut |_, _| {});
        }
        Ok(true)
    }

    fn decode(&mut self, decoding: &Decoding, end: Cursor) -> Result<bool, String> {
        let (first, from) = (self.row(), self.decoder.at);
        self.batch.clear();
        if !self.decoder.feed(&decoding.log, end, from.pos + CHUNK, &mut self.batch)? {
            return Ok(false);
        }
        // Its memory is reused, if nobody else reads it.
        self.fed = Arc::default();
        self.fed = decoding.tap.add_again(&mut self.batch, (from, self.decoder.at));
        (self.first, self.next) = (first, (0, 0));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use spytui_testing_decoder::frame::line;

    use super::*;
    use crate::{
        io::log::LogOptions,
        open::{Origin, Registry},
        trace::session::thread::DecodeLoop,
    };

    const ROWS: u64 = 60_000;

    fn decoding() -> Arc<Decoding> {
        let mut registry = Registry::new();
        registry.add(spytui_testing_decoder::plugin(), &Origin::BuiltIn).expect("a decoder");
        let decoder = registry.find("toy").expect("there");
        let log = RawLog::new(&LogOptions::default());
        let decoding = Arc::new(Decoding::new(decoder, Options::default(), log.clone(), 0, 0, 64 << 20));
        let mut decode_loop = DecodeLoop::open(decoding.clone()).expect("it decodes");
        let frames = (0..ROWS).flat_map(|n| line(0, n as u8, &format!("S {n:x} 7 {n:x}")));
        log.append(&frames.collect::<Vec<u8>>(), 1);
        log.end(1);
        while decode_loop.step().expect("no fault") {}
        decoding
    }

    /// What a reader passes on up to a row.
    fn passed(reader: &mut ActivityReader, decoding: &Decoding, end: u64) -> Vec<(u64, u64, usize)> {
        let mut rows = Vec::new();
        let take = |row: FedRow, own: &[Activity]| rows.push((row.row.pos, row.at.n, own.len()));
        assert!(reader.pass(decoding, end, take).expect("read"));
        rows
    }

    #[test]
    fn readers_that_advance_in_turn_decode_once() {
        let decoding = decoding();
        let open = || ActivityReader::open(&decoding, 0).expect("open");
        let expected = passed(&mut open(), &decoding, ROWS);
        let (mut first, mut second) = (open(), open());
        let (mut ones, mut others) = (Vec::new(), Vec::new());
        for end in (0..ROWS / 2).step_by(4096) {
            ones.extend(passed(&mut first, &decoding, end));
            others.extend(passed(&mut second, &decoding, end));
        }
        assert_eq!((first.is_stale, second.is_stale), (false, true));
        drop(first);
        others.extend(passed(&mut second, &decoding, ROWS));
        assert!(!second.is_stale);
        // The first feed is left of one that stops there.
        passed(&mut open(), &decoding, 1);
        assert!(passed(&mut open(), &decoding, ROWS) == expected);
        assert!(others == expected && expected.starts_with(&ones));
    }
}
