//! Rows of a batch put together for rendering: which ones share a call, with what bytes, attachments and names.

use std::ops::Range;

use spytui_plugin_api::{
    Activity, Attachment, Batch, DecoderRef, DictView, RSlice, Rendered, Row, RowIn, Want, batch::AttachmentId,
    row::RowFlags,
};

use super::window::Window;
use crate::{
    render::item::not_rendered,
    store::{Names, names::CachedNames},
};

/// Rows rendered in one call.
const BLOCK: usize = 4096;
/// In a block of so many rows names are asked for again.
const WORTH_CACHING: usize = 16;

/// How much of a batch's events is applied.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) dict: usize,
    pub(super) cfgs: usize,
    pub(super) clocks: usize,
}

/// Rows of the host are rendered here, rows in pieces need a buffer of their own.
pub(super) fn is_alone(row: &Row) -> bool {
    row.kind.is_of_host() || row.flags.intersects(RowFlags::FRAGMENTED)
}

/// How far a block may go: one configuration, no new names. A row that must stand alone may end it before.
pub(super) fn block_limit(batch: &Batch, events: &Events, first: usize, upto: usize) -> usize {
    let names = batch.dict.get(events.dict).map_or(usize::MAX, |e| e.at as usize);
    let cfgs = batch.cfgs.get(events.cfgs).map_or(usize::MAX, |e| e.at as usize);
    (first + BLOCK).min(upto).min(names).min(cfgs)
}

/// The activities of a row; `activities` begin with it or later.
pub(super) fn activities_of(activities: &[Activity], row: usize) -> &[Activity] {
    let own = activities.iter().take_while(|a| a.at as usize <= row).count();
    &activities[..own]
}

pub(super) fn attachments_of(attachments: &[Attachment], row: usize) -> &[Attachment] {
    let first = attachments.partition_point(|e| (e.at as usize) < row);
    let end = first + attachments[first..].partition_point(|e| e.at as usize <= row);
    &attachments[first..end]
}

/// Text of a row of the host: it was given when the row was made.
pub(super) fn host_text(batch: &Batch, row: usize, out: &mut Rendered) {
    let text = attachments_of(&batch.attachments, row)
        .iter()
        .find(|e| e.id == AttachmentId::TEXT)
        .map(|e| e.bytes(&batch.bytes));
    out.text.extend_from_slice(text.unwrap_or_default());
    out.ends.push(out.text.len() as u32);
}

/// The bytes of a row in several stretches; `None` where one stretch is all.
pub(super) fn put_together(batch: &Batch, at: usize, window: &Window) -> Option<Vec<u8>> {
    let row = batch.rows.get(at).filter(|row| row.has(RowFlags::FRAGMENTED))?;
    let mut out = Vec::new();
    for e in attachments_of(&batch.attachments, at).iter().filter(|e| e.id == AttachmentId::FRAGMENT) {
        out.extend_from_slice(window.get(e.a, e.b));
    }
    out.extend_from_slice(window.get(row.pos, u64::from(row.len)));
    Some(out)
}

/// What the decoder needs to render a block: the first of these rows and those behind it that share its configuration
/// and need not stand alone. `together` = the bytes of a first row in several stretches.
pub(super) fn inputs<'a>(
    batch: &'a Batch,
    rows: Range<usize>,
    window: &'a Window,
    together: Option<&'a [u8]>,
) -> Inputs<'a> {
    let mut attachments = InOrder(&batch.attachments);
    let start = rows.start;
    let rows = &batch.rows[rows];
    let Some(first) = rows.first() else { return Inputs::Many(Vec::new()) };
    let raw = together.unwrap_or_else(|| window.get(first.pos, first.len.into())).into();
    let input = RowIn { row: first, raw, attachments: attachments.first(start), blob: batch.bytes.as_slice().into() };
    if rows.len() == 1 || is_alone(first) {
        return Inputs::One([input]);
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
    Inputs::Many(inputs)
}

/// What is rendered in a block. A name that comes is in a block of its own, which needs no memory.
pub(super) enum Inputs<'a> {
    One([RowIn<'a>; 1]),
    Many(Vec<RowIn<'a>>),
}

impl<'a> std::ops::Deref for Inputs<'a> {
    type Target = [RowIn<'a>];

    fn deref(&self) -> &[RowIn<'a>] {
        match self {
            Inputs::One(one) => one,
            Inputs::Many(many) => many,
        }
    }
}

/// Does the same for rows up to one that is not like most; their number.
fn usual_inputs<'a>(rows: &'a [Row], cfg: u16, window: &'a Window, inputs: &mut [RowIn<'a>]) -> usize {
    for (i, (row, input)) in rows.iter().zip(inputs).enumerate() {
        let usual = row.cfg == cfg && !is_alone(row);
        match window.whole(row.pos, row.len.into()) {
            Some(raw) if usual => (input.row, input.raw) = (row, raw.into()),
            _ => return i,
        }
    }
    rows.len()
}

/// Extras of rows that are asked for one after the other. Few rows have any.
struct InOrder<'a>(&'a [Attachment]);

impl<'a> InOrder<'a> {
    /// Those of the first row that is asked for.
    fn first(&mut self, row: usize) -> RSlice<'a, Attachment> {
        self.0 = &self.0[self.0.partition_point(|e| (e.at as usize) < row)..];
        self.next(row)
    }

    /// Those of a later row.
    #[inline(never)]
    fn next(&mut self, row: usize) -> RSlice<'a, Attachment> {
        let rest = &self.0[self.0.iter().take_while(|e| (e.at as usize) < row).count()..];
        let (own, later) = rest.split_at(rest.iter().take_while(|e| e.at as usize == row).count());
        self.0 = later;
        own.into()
    }

    /// The next row that has some.
    fn next_row(&self) -> Option<usize> {
        self.0.first().map(|attachment| attachment.at as usize)
    }
}

/// Renders rows. One that makes the decoder fail is shown by the fault; the others are rendered.
pub(super) fn render_rows(
    table: DecoderRef,
    cfg: &[u8],
    rows: &[RowIn<'_>],
    names: &Names<'_>,
    want: Want,
    out: &mut Rendered,
) {
    while let Some(rest) = rows.get(out.ends.len()..).filter(|rest| !rest.is_empty()) {
        let cached;
        let view = if rest.len() < WORTH_CACHING {
            DictView::new(names)
        } else {
            cached = CachedNames::new(names);
            DictView::new(&cached)
        };
        match table.render(cfg, rest, &view, want, out) {
            Ok(()) => return,
            Err(fault) => out.text.extend_from_slice(not_rendered(&fault).as_bytes()),
        }
        out.ends.push(out.text.len() as u32);
    }
}
