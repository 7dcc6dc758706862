//! A part of a capture as a recording that decodes alone to the same rows. In front of it is what its rows need: the last
//! reset, configurations since, and the names in force; if its rows then still differ, as many rows right before it as it
//! takes, at last all. What is missing in between is shown as the loss that it is.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    io, iter,
    ops::{Range, RangeInclusive},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use spytui_plugin_api::{Batch, Source, Want, row::RowFlags};

use super::capture::{ExportError, into_file, unplaced};
use crate::{
    decode::{Chosen, LogDecoding},
    io::log::{MetaHead, RawLog, excerpt, write_meta},
    query::Expr,
    row::{RowFilter, RowView},
    store::View,
    trace::stream::{Sink, TargetFlow, Targets, follow},
};

/// A capture, and which of its rows are wanted.
#[derive(Debug)]
pub struct CutRequest<'a> {
    pub log: &'a Arc<RawLog>,
    pub chosen: &'a Chosen,
    pub source: Source,
    /// All from the first record that matches to the last one.
    pub expr: Expr,
    /// Instead of these, this many records before and after the first match.
    pub margin: Option<u64>,
    /// Of the new recording.
    pub head: MetaHead,
    /// The files of the new recording.
    pub paths: [PathBuf; 2],
    pub replace: bool,
}

/// What was cut.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Numbers of the first and the last record in the capture.
    pub first: u64,
    pub last: u64,
    /// Their bytes in the capture, and where these begin in the cut.
    pub range: Range<u64>,
    pub at: u64,
    /// Number of records in front of them.
    pub in_front: u64,
    /// The target was reset in between, so that times occur more than once.
    pub epochs: u32,
    /// Time of the first record in the capture and in the cut, if they differ.
    pub times: Option<(String, String)>,
    /// Rows differ, although everything before is there.
    pub differs: bool,
}

/// Rows right before the cut that are tried in turn.
const IN_FRONT: [usize; 9] = [0, 4, 16, 64, 256, 1024, 4096, 16_384, MOST_IN_FRONT];
const MOST_IN_FRONT: usize = 65_536;

/// Writes the cut; `None` if no record matches.
///
/// # Errors
/// If the capture can't be read, or a file exists or can't be written.
pub fn cut(request: &CutRequest<'_>, stop: &AtomicBool) -> Result<Option<Cut>, ExportError> {
    let input = ExportError::Input;
    let CutRequest { log, replace, paths: [bin, meta], .. } = request;
    let mut found = Found { filter: RowFilter::new(request.expr.clone()), ..Found::default() };
    request.read(log, &mut found, stop).map_err(input)?;
    if let (Some(margin), Some(_)) = (request.margin, &found.range) {
        let middle = found.first;
        found =
            Found { records: Some(middle.saturating_sub(margin)..=middle.saturating_add(margin)), ..Found::default() };
        request.read(log, &mut found, stop).map_err(input)?;
    }
    let Some(range) = found.range.clone() else { return Ok(None) };
    let mut whole = RowDigest::of(range.clone());
    request.read(log, &mut whole, stop).map_err(input)?;
    let needs = CutNeeds::of(request, range.start).map_err(input)?;
    let (own, digest) = into_file(bin, *replace, |file| {
        let mut attempts = IN_FRONT.into_iter().map_while(|rows| needs.pieces(&range, rows));
        loop {
            let pieces = attempts.next().unwrap_or_else(|| iter::once(0..range.end).collect());
            let own = excerpt(log, &pieces, file, bin).map_err(unplaced)?;
            let mut digest = RowDigest::of(own.len() - (range.end - range.start)..own.len());
            request.read(&own, &mut digest, stop).map_err(input)?;
            if digest.is_same(&whole) || own.len() == range.end {
                return Ok((own, digest));
            }
        }
    })?;
    into_file(meta, *replace, |file| write_meta(&own, &request.head, file).map_err(unplaced))?;
    let differs = !digest.is_same(&whole);
    let times = whole.time.zip(digest.time).filter(|(is, was)| is != was);
    let Found { first, last, epochs, .. } = found;
    let at = own.len() - (range.end - range.start);
    Ok(Some(Cut { first, last, range, at, in_front: digest.before, epochs: epochs.1 - epochs.0, times, differs }))
}

/// Writes pieces of a log as they are, as a new recording.
///
/// # Errors
/// If the log can't be read, or a file exists or can't be written.
pub fn save_excerpt(
    log: &RawLog,
    pieces: &[Range<u64>],
    head: &MetaHead,
    (bin, meta): (&Path, &Path),
) -> Result<(), ExportError> {
    let own = into_file(bin, false, |file| excerpt(log, pieces, file, bin).map_err(unplaced))?;
    into_file(meta, false, |file| write_meta(&own, head, file).map_err(unplaced))
}

impl CutRequest<'_> {
    /// Passes all rows of a log to a sink, as `decode` does.
    fn read(&self, log: &Arc<RawLog>, sink: &mut impl Sink, stop: &AtomicBool) -> io::Result<()> {
        let (decoder, options) = self.chosen;
        let flow = TargetFlow::new(decoder, options, "", &[self.source], std::slice::from_ref(log), false);
        let mut targets = Targets::default();
        targets.add(flow.map_err(io::Error::other)?);
        follow(&mut targets, sink, stop)?;
        if targets.is_over() { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
    }
}

/// Where the wanted records are.
#[derive(Debug, Default)]
struct Found {
    filter: RowFilter,
    /// Their numbers, in place of the filter.
    records: Option<RangeInclusive<u64>>,
    range: Option<Range<u64>>,
    first: u64,
    last: u64,
    epochs: (u32, u32),
}

impl Sink for Found {
    fn filter(&mut self) -> Option<&mut RowFilter> {
        Some(&mut self.filter)
    }

    fn single(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        // Losses pass every filter.
        let is_wanted = |n: &u64| self.records.as_ref().is_none_or(|records| records.contains(n));
        let Some(n) = item.n.filter(is_wanted) else { return Ok(()) };
        let end = item.row.pos + u64::from(item.row.len);
        let range = self.range.get_or_insert_with(|| {
            (self.first, self.epochs.0) = (n, item.epoch);
            item.pos()..end
        });
        range.end = range.end.max(end);
        (self.last, self.epochs.1) = (n, item.epoch);
        Ok(())
    }
}

/// What the rows of a range say, whatever was before them.
struct RowDigest {
    range: Range<u64>,
    hash: DefaultHasher,
    rows: u64,
    /// Records before the range.
    before: u64,
    /// Time of the first row that has one.
    time: Option<String>,
    text: Vec<u8>,
}

impl RowDigest {
    fn of(range: Range<u64>) -> RowDigest {
        RowDigest { range, hash: DefaultHasher::new(), rows: 0, before: 0, time: None, text: Vec::new() }
    }

    fn is_same(&self, other: &RowDigest) -> bool {
        (self.rows, self.hash.finish()) == (other.rows, other.hash.finish())
    }

    /// Times of the range may begin at another number: what counts is the time from row to row.
    fn add_time(&mut self, item: &RowView<'_>) {
        if !item.row.has(RowFlags::TIME_OWN) {
            return;
        }
        if self.time.is_some() {
            item.before.map_or(item.row.time, |before| item.row.time.wrapping_sub(before)).hash(&mut self.hash);
        } else {
            self.text.clear();
            item.push_time(&mut self.text);
            self.time = Some(String::from_utf8_lossy(&self.text).into_owned());
        }
    }
}

impl Sink for RowDigest {
    fn want(&self) -> Want {
        Want::TEXT
    }

    fn names(&self) -> (View, bool) {
        (View::AsOf, true)
    }

    fn single(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        let row = item.row;
        if item.pos() < self.range.start {
            self.before += u64::from(row.is_record());
        }
        // Notes at its edges are about what is outside.
        let has_begun = self.rows > 0 || row.is_record();
        if item.pos() < self.range.start || row.pos >= self.range.end || !has_begun {
            return Ok(());
        }
        self.rows += 1;
        self.text.clear();
        item.push_kind(&mut self.text);
        self.text.push(0);
        item.push_object(&mut self.text);
        self.text.push(0);
        self.text.extend_from_slice(item.rendered.text);
        (&self.text, row.len, row.core, item.severity.0).hash(&mut self.hash);
        self.add_time(item);
        Ok(())
    }
}

/// The rows that may have to be in front of a cut.
#[derive(Debug, Default)]
struct CutNeeds {
    /// Bytes of the row that named something last, by space, key, scope and attribute.
    names: BTreeMap<(u16, u64, u64, u8), Range<u64>>,
    /// Bytes of the last reset, and of configurations since.
    lasting: Vec<Range<u64>>,
    /// Starts of the last rows before the cut.
    starts: VecDeque<u64>,
}

impl CutNeeds {
    fn of(request: &CutRequest<'_>, until: u64) -> io::Result<CutNeeds> {
        let (decoder, options) = request.chosen;
        let mut decoding = LogDecoding::open(decoder, options, &request.source, request.log, None)?;
        let mut needs = CutNeeds::default();
        while decoding.pos() < until
            && let Some(batch) = decoding.next_batch()?
        {
            needs.add(batch, until);
        }
        Ok(needs)
    }

    fn add(&mut self, batch: &Batch, until: u64) {
        let configured: BTreeSet<u32> =
            batch.cfgs.iter().map(|e| e.at).chain(batch.clocks.iter().map(|e| e.at)).collect();
        for (at, row) in (0..).zip(&batch.rows) {
            let bytes = row.pos..row.pos + u64::from(row.len);
            if row.len == 0 || bytes.end > until || row.has(RowFlags::SHARED) {
                continue;
            }
            if row.has(RowFlags::EPOCH) {
                self.lasting.clear();
            }
            if row.has(RowFlags::EPOCH) || configured.contains(&at) {
                self.lasting.push(bytes);
            }
            self.starts.push_back(row.pos);
        }
        for event in batch.dict.iter().filter(|event| !event.is_built_in) {
            let Some(row) = batch.rows.get(event.at as usize).filter(|row| row.pos < until) else { continue };
            let name = (event.space, event.key, event.scope, event.attr.0);
            self.names.insert(name, row.pos..row.pos + u64::from(row.len));
        }
        self.starts.drain(..self.starts.len().saturating_sub(MOST_IN_FRONT));
    }

    /// The pieces of the cut with so many rows right before it; `None` if there are fewer.
    fn pieces(&self, range: &Range<u64>, rows: usize) -> Option<Vec<Range<u64>>> {
        let at = self.starts.len().checked_sub(rows)?;
        let start = self.starts.get(at).copied().unwrap_or(range.start);
        let said = self.names.values().chain(&self.lasting).filter(|bytes| bytes.end <= start);
        let mut pieces: Vec<Range<u64>> = said.cloned().collect();
        pieces.sort_unstable_by_key(|bytes| bytes.start);
        pieces.dedup();
        pieces.push(start..range.end);
        Some(pieces)
    }
}
