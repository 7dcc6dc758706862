//! Rows of a batch put together for rendering: which ones share a call, with what bytes, extras and names.

use std::ops::Range;

use spytui_plugin_api::{
    Act, Batch, DecoderRef, DictView, Extra, RSlice, Rendered, Row, RowIn,
    batch::extra,
    row::{flag, note},
};

use super::{item::not_rendered, window::Window};
use crate::store::{Names, names::CachedNames};

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
    row.kind >= note::LINK || row.flags & flag::PIECES != 0
}

/// How far a block goes: one configuration, no new names, no row that must stand alone.
pub(super) fn block_end(batch: &Batch, events: &Events, first: usize, upto: usize) -> usize {
    let rows = &batch.rows;
    let names = batch.dict.get(events.dict).map_or(usize::MAX, |e| e.at as usize);
    let cfgs = batch.cfgs.get(events.cfgs).map_or(usize::MAX, |e| e.at as usize);
    let limit = (first + BLOCK).min(upto).min(names).min(cfgs);
    let (cfg, rest) = (rows[first].cfg, rows.get(first + 1..limit).unwrap_or_default());
    rest.iter().position(|row| row.cfg != cfg || is_alone(row)).map_or(limit, |i| first + 1 + i)
}

/// The activities of a row; `acts` begin with it or later.
pub(super) fn acts_of(acts: &[Act], row: usize) -> &[Act] {
    let own = acts.iter().take_while(|a| a.at as usize <= row).count();
    &acts[..own]
}

pub(super) fn extras_of(extras: &[Extra], row: usize) -> &[Extra] {
    let first = extras.partition_point(|e| (e.at as usize) < row);
    let end = first + extras[first..].partition_point(|e| e.at as usize <= row);
    &extras[first..end]
}

/// Text of a row of the host: it was given when the row was made.
pub(super) fn host_text(batch: &Batch, row: usize, out: &mut Rendered) {
    let text = extras_of(&batch.extras, row).iter().find(|e| e.id == extra::TEXT).map(|e| e.bytes(&batch.bytes));
    out.text.extend_from_slice(text.unwrap_or_default());
    out.ends.push(out.text.len() as u32);
}

/// The bytes of a row in several stretches; `None` where one stretch is all.
pub(super) fn put_together(batch: &Batch, at: usize, window: &Window) -> Option<Vec<u8>> {
    let row = batch.rows.get(at).filter(|row| row.has(flag::PIECES))?;
    let mut out = Vec::new();
    for e in extras_of(&batch.extras, at).iter().filter(|e| e.id == extra::PIECE) {
        out.extend_from_slice(window.get(e.a, e.b));
    }
    out.extend_from_slice(window.get(row.pos, u64::from(row.len)));
    Some(out)
}

/// What the decoder needs to render these rows; `together` = the bytes of a row in several stretches, which is alone.
pub(super) fn inputs<'a>(
    batch: &'a Batch,
    rows: Range<usize>,
    window: &'a Window,
    together: Option<&'a [u8]>,
) -> Vec<RowIn<'a>> {
    let blob = batch.bytes.as_slice().into();
    let mut rest = batch.extras.as_slice();
    rest = &rest[rest.partition_point(|e| (e.at as usize) < rows.start)..];
    let mut inputs = Vec::with_capacity(rows.len());
    inputs.extend(batch.rows[rows.clone()].iter().zip(rows).map(|(row, i)| {
        let mut extras: &[Extra] = &[];
        if row.flags & flag::EXTRAS != 0 {
            let own = rest.iter().take_while(|e| e.at as usize == i).count();
            (extras, rest) = rest.split_at(own);
        }
        let raw = together.unwrap_or_else(|| window.get(row.pos, u64::from(row.len)));
        RowIn { row, raw: RSlice::from_slice(raw), extras: RSlice::from_slice(extras), blob }
    }));
    inputs
}

/// Renders rows. One that makes the decoder fail is shown by the fault; the others are rendered.
pub(super) fn render_rows(
    table: DecoderRef,
    cfg: &[u8],
    rows: &[RowIn<'_>],
    names: &Names<'_>,
    want: u32,
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
        match table.rows(cfg, rest, &view, want, out) {
            Ok(()) => return,
            Err(fault) => out.text.extend_from_slice(not_rendered(&fault).as_bytes()),
        }
        out.ends.push(out.text.len() as u32);
    }
}
