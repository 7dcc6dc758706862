//! Blocks: neighbouring rows of a batch that share one context (configuration, names, clock, epoch), so that they can
//! be rendered together. A block borrows everything that it needs and changes nothing: blocks could be rendered by
//! several threads, as long as they are emitted in order.

use std::ops::Range;

use spytui_plugin_api::{Activity, Attachment, Batch, DictView, RSlice, Rendered, Request, Row, RowIn, row::RowFlags};

use super::window::StreamWindow;
use crate::{
    decode::RowContext,
    formatting::Renderer,
    plugin::Decoder,
    present::Clock,
    render::{gather, render_rows},
    store::{Names, RowNames, names::CachedNames},
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
    pub(super) inputs: RenderInputs<'a>,
    pub(super) configuration: &'a [u8],
    pub(super) clock: Clock,
    pub(super) epoch: u32,
    /// Number of records up to and including the first row.
    pub(super) records: u64,
}

/// The decoder's input. A row with a name of its own is a block of one, which needs no allocation.
pub(super) enum RenderInputs<'a> {
    One([RowIn<'a>; 1]),
    Many(Vec<RowIn<'a>>),
}

impl<'a> std::ops::Deref for RenderInputs<'a> {
    type Target = [RowIn<'a>];

    fn deref(&self) -> &[RowIn<'a>] {
        match self {
            RenderInputs::One(one) => one,
            RenderInputs::Many(many) => many,
        }
    }
}

impl<'a> Block<'a> {
    /// The block that starts with the first of these rows, to which `context` was advanced. `pieces` = the bytes of a
    /// fragmented first row.
    pub(super) fn new(
        decoder: &'a Decoder,
        renderer: &'a Renderer,
        batch: &'a Batch,
        rows: Range<usize>,
        context: &'a RowContext,
        window: &'a StreamWindow,
        pieces: Option<&'a [u8]>,
    ) -> Block<'a> {
        let first = rows.start;
        let end = rows.end.min(first + MOST).min(context.next_change(batch));
        Block {
            decoder,
            renderer,
            batch,
            first,
            inputs: inputs(batch, first..end, window, pieces),
            configuration: context.configuration(batch.rows[first].cfg),
            clock: context.clock(),
            epoch: context.epoch(),
            records: context.records(),
        }
    }

    /// Index after the last row.
    pub(super) fn end(&self) -> usize {
        self.first + self.inputs.len()
    }

    /// The rows.
    pub(super) fn rows(&self) -> &'a [Row] {
        &self.batch.rows[self.first..self.end()]
    }

    /// Activities of these and later rows.
    pub(super) fn activities(&self) -> &'a [Activity] {
        let activities = self.batch.activities.as_slice();
        &activities[activities.partition_point(|activity| (activity.at as usize) < self.first)..]
    }

    /// Cached names, if there are enough rows.
    pub(super) fn cached<'n>(&self, names: &'n Names<'n>) -> Option<CachedNames<'n, 'n>> {
        (self.inputs.len() >= WORTH_CACHING).then(|| CachedNames::new(names, self.inputs.len()))
    }

    /// Renders everything that is asked of the rows.
    pub(super) fn render<'r>(
        &self,
        inputs: &[RowIn<'_>],
        names: &DictView<'_>,
        request: impl Into<Request<'r>>,
        out: &mut Rendered,
    ) {
        render_rows(self.renderer, self.configuration, inputs, names, request, out);
    }
}

/// Names, cached if possible.
pub(super) fn seen<'n>(names: &'n Names<'n>, cached: &'n Option<CachedNames<'n, 'n>>) -> &'n dyn RowNames {
    match cached {
        Some(cached) => cached,
        None => names,
    }
}

/// The same as the decoder's view.
pub(super) fn dict_view<'n>(names: &'n Names<'n>, cached: &'n Option<CachedNames<'n, 'n>>) -> DictView<'n> {
    match cached {
        Some(cached) => DictView::new(cached),
        None => DictView::new(names),
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
    gather(row, AttachmentsInOrder(&batch.attachments).first(at).as_slice(), &mut out, read);
    Some(out)
}

/// The first of these rows and the following ones with the same configuration.
fn inputs<'a>(
    batch: &'a Batch,
    rows: Range<usize>,
    window: &'a StreamWindow,
    pieces: Option<&'a [u8]>,
) -> RenderInputs<'a> {
    let mut attachments = AttachmentsInOrder(&batch.attachments);
    let start = rows.start;
    let rows = &batch.rows[rows];
    let Some(first) = rows.first() else { return RenderInputs::Many(Vec::new()) };
    let raw = pieces.unwrap_or_else(|| window.get(first.pos, first.len.into())).into();
    let input = RowIn { row: first, raw, attachments: attachments.first(start), blob: batch.bytes.as_slice().into() };
    if rows.len() == 1 || is_alone(first) {
        return RenderInputs::One([input]);
    }
    let mut inputs = vec![RowIn { attachments: RSlice::EMPTY, ..input }; rows.len()];
    inputs[0] = input;
    let mut done = 1;
    while let Some(row) = rows.get(done).filter(|row| row.cfg == first.cfg && !is_alone(row)) {
        inputs[done].attachments = attachments.next(start + done);
        (inputs[done].row, inputs[done].raw) = (row, window.get(row.pos, row.len.into()).into());
        done += 1;
        let bare = attachments.next_row().map_or(rows.len(), |at| at.saturating_sub(start).clamp(done, rows.len()));
        done += usual_inputs(&rows[done..bare], first.cfg, window, &mut inputs[done..]);
    }
    inputs.truncate(done);
    RenderInputs::Many(inputs)
}

/// The same for common rows, up to the first special one; returns their number.
fn usual_inputs<'a>(rows: &'a [Row], cfg: u16, window: &'a StreamWindow, inputs: &mut [RowIn<'a>]) -> usize {
    for (i, (row, input)) in rows.iter().zip(inputs).enumerate() {
        let usual = row.cfg == cfg && !is_alone(row);
        match window.whole(row.pos, row.len.into()) {
            Some(raw) if usual => (input.row, input.raw) = (row, raw.into()),
            _ => return i,
        }
    }
    rows.len()
}

/// Attachments of consecutive rows. Few rows have any.
struct AttachmentsInOrder<'a>(&'a [Attachment]);

impl<'a> AttachmentsInOrder<'a> {
    /// Attachments of the first row.
    fn first(&mut self, row: usize) -> RSlice<'a, Attachment> {
        self.0 = &self.0[self.0.partition_point(|e| (e.at as usize) < row)..];
        self.next(row)
    }

    /// Attachments of a later row.
    #[inline(never)]
    fn next(&mut self, row: usize) -> RSlice<'a, Attachment> {
        let rest = &self.0[self.0.iter().take_while(|e| (e.at as usize) < row).count()..];
        let (own, later) = rest.split_at(rest.iter().take_while(|e| e.at as usize == row).count());
        self.0 = later;
        own.into()
    }

    /// The next row with attachments.
    fn next_row(&self) -> Option<usize> {
        self.0.first().map(|attachment| attachment.at as usize)
    }
}
