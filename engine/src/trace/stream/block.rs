//! Blocks: neighbouring rows of a batch that share one context (configuration, names, clock, epoch), so that they can
//! be rendered together. A block borrows everything that it needs and changes nothing: blocks could be rendered by
//! several threads, as long as they are emitted in order.

use std::ops::Range;

use spytui_plugin_api::{Activity, Attachment, Batch, Dict, Rendered, Request, Row, RowIn, row::RowFlags};

use super::window::StreamWindow;
use crate::{
    decode::RowContext,
    open::Decoder,
    present::Clock,
    row::Renderer,
    row::gather,
    store::{Dictionary, Names, RowNames, names::CachedNames},
};

/// Maximum number of rows of a block.
const MOST: usize = 4096;
/// Minimum number of rows for which caching names pays off.
const WORTH_CACHING: usize = 16;

/// Rows that share one context.
pub(super) struct Block<'a> {
    pub(super) decoder: &'a Decoder,
    pub(super) renderer: &'a Renderer,
    pub(super) batch: &'a Batch,
    /// Index of the first row.
    pub(super) first: usize,
    /// The rows.
    pub(super) rows: &'a [Row],
    window: &'a StreamWindow,
    /// Bytes of a fragmented row, which is the only one.
    pieces: Option<&'a [u8]>,
    pub(super) configuration: &'a [u8],
    pub(super) clock: Clock,
    pub(super) epoch: u32,
    /// Number of records up to and including the first row.
    pub(super) records: u64,
}

impl<'a> Block<'a> {
    /// The block that starts with the first of these rows, to which `context` was advanced, with the names so far. `pieces` = the bytes of a
    /// fragmented first row.
    pub(super) fn new(
        decoder: &'a Decoder,
        renderer: &'a Renderer,
        batch: &'a Batch,
        rows: Range<usize>,
        (context, names): (&'a RowContext, &Dictionary),
        window: &'a StreamWindow,
        pieces: Option<&'a [u8]>,
    ) -> Block<'a> {
        let first = rows.start;
        let end = context.next_change(batch, rows.end.min(first + MOST), names);
        let rows = together(batch.rows.get(first..end).unwrap_or_default());
        Block {
            decoder,
            renderer,
            batch,
            first,
            rows,
            window,
            pieces,
            configuration: context.configuration(batch.rows[first].cfg),
            clock: context.clock(),
            epoch: context.epoch(),
            records: context.records(),
        }
    }

    /// Index after the last row.
    pub(super) fn end(&self) -> usize {
        self.first + self.rows.len()
    }

    /// A row with its attachments as the decoder's input.
    #[inline]
    pub(super) fn input(&self, at: usize, attachments: &'a [Attachment]) -> RowIn<'a> {
        let row = &self.rows[at];
        let raw = self.pieces.unwrap_or_else(|| self.window.get(row.pos, row.len.into()));
        RowIn { row, raw: raw.into(), attachments: attachments.into(), blob: self.batch.bytes.as_slice().into() }
    }

    /// Activities of these and later rows.
    pub(super) fn activities(&self) -> &'a [Activity] {
        let activities = self.batch.activities.as_slice();
        &activities[activities.partition_point(|activity| (activity.at as usize) < self.first)..]
    }

    /// Attachments of these and later rows.
    pub(super) fn attachments(&self) -> &'a [Attachment] {
        let attachments = self.batch.attachments.as_slice();
        &attachments[attachments.partition_point(|attachment| (attachment.at as usize) < self.first)..]
    }

    /// Renders everything that is asked of the rows.
    pub(super) fn render<'r>(
        &self,
        inputs: &[RowIn<'_>],
        names: &Dict<'_>,
        request: impl Into<Request<'r>>,
        out: &mut Rendered,
    ) {
        self.renderer.render(self.configuration, inputs, names, request, out);
    }
}

/// Cached names, if there are enough rows to render.
pub(super) fn cache_of<'n>(names: &'n Names<'n>, rows: usize) -> Option<CachedNames<'n, 'n>> {
    (rows >= WORTH_CACHING).then(|| CachedNames::new(names, rows))
}

/// Names, cached if possible.
pub(super) fn seen<'n>(names: &'n Names<'n>, cached: &'n Option<CachedNames<'n, 'n>>) -> &'n dyn RowNames {
    match cached {
        Some(cached) => cached,
        None => names,
    }
}

/// The same as the decoder's view.
pub(super) fn dict_view<'n>(names: &'n Names<'n>, cached: &'n Option<CachedNames<'n, 'n>>) -> Dict<'n> {
    match cached {
        Some(cached) => Dict::new(cached),
        None => Dict::new(names),
    }
}

/// Whether a row is a block of its own: the decoder does not know rows of the host, fragmented rows need a buffer, and
/// a reset starts an epoch.
fn is_alone(row: &Row) -> bool {
    row.kind.is_of_host() || row.flags.intersects(RowFlags::FRAGMENTED | RowFlags::EPOCH)
}

/// The bytes of a fragmented row; `None` if it has one fragment only.
pub(super) fn pieces(batch: &Batch, at: usize, window: &StreamWindow) -> Option<Vec<u8>> {
    let row = batch.rows.get(at).filter(|row| row.has(RowFlags::FRAGMENTED))?;
    let mut out = Vec::new();
    let read = |pos, len, out: &mut Vec<u8>| out.extend_from_slice(window.get(pos, len));
    let attachments = &batch.attachments[batch.attachments.partition_point(|one| (one.at as usize) < at)..];
    let own = attachments.iter().take_while(|one| one.at as usize == at).count();
    gather(row, &attachments[..own], &mut out, read);
    Some(out)
}

/// The first of these rows and the following ones that can be rendered with it.
fn together(rows: &[Row]) -> &[Row] {
    let Some((first, rest)) = rows.split_first() else { return rows };
    let count = match is_alone(first) {
        true => 0,
        false => rest.iter().take_while(|row| row.cfg == first.cfg && !is_alone(row)).count(),
    };
    &rows[..=count]
}
