//! Renders stored rows for views, filters, searches and exports, as the same [`Item`] that streaming uses.

use std::sync::{Arc, RwLockReadGuard};

use spytui_plugin_api::{Attachment, DictView, Rendered, RenderedRow, Row, Want, row::RowFlags};

use super::{Bookmark, RowSource};
use crate::{
    decode::DropInOrder,
    log::RawLog,
    present::Clock,
    render::{Item, RowFilter, gather, render_rows},
    session::decoding::{Decoding, DecodingState},
    store::{Dictionary, Names, View},
};

/// What to render.
#[derive(Debug, Clone, Copy)]
pub struct RenderRequest {
    /// Requested parts.
    pub want: Want,
    /// Which names.
    pub view: View,
    /// Use short names where unique.
    pub short: bool,
    /// Time of the row with a time stamp shown before the first one.
    pub before: Option<u64>,
}

/// Bytes read around a row, because its neighbours are likely to follow.
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
    fn get(&mut self, log: &Arc<RawLog>, pos: u64, len: u64) -> &[u8] {
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

/// A row with its source.
struct Own<'a> {
    list: &'a [RwLockReadGuard<'a, DecodingState>],
    /// Other sources of the target.
    kin: &'a [RwLockReadGuard<'a, DecodingState>],
    source: usize,
    decoded: &'a Decoding,
    row: u64,
    /// Of a row about dropped records: what it says in the order of all sources.
    told: Option<DropInOrder>,
    bookmarks: &'a [Bookmark],
}

impl<'a> Own<'a> {
    fn state(&self) -> &'a DecodingState {
        &self.list[self.source]
    }

    fn others(&self) -> Vec<&'a Dictionary> {
        let others = self.list.iter().enumerate().filter(|(source, _)| *source != self.source);
        let others = others.map(|(_, state)| state).chain(self.kin);
        others.map(|state| &state.dictionary).collect()
    }

    /// Names as the row sees them.
    fn names<'n>(&self, others: &'n [&'n Dictionary], ask: &RenderRequest) -> Names<'n>
    where
        'a: 'n,
    {
        let dictionary = &self.state().dictionary;
        Names { dictionary, others, first: self.row, fixed: true, view: ask.view, short: ask.short }
    }

    /// Names of the bookmarks on the row.
    fn marks(&self, pos: u64) -> Vec<&'a str> {
        let rows = &self.state().rows;
        let begins_at = |row: Option<u64>| row.and_then(|row| rows.row(row)).is_some_and(|row| row.pos == pos);
        let is_here = |mark: &&Bookmark| {
            let first = self.row.checked_sub(mark.nth);
            let before = first.and_then(|first| first.checked_sub(1));
            (mark.source, mark.pos) == (self.source, pos) && begins_at(first) && !begins_at(before)
        };
        self.bookmarks.iter().filter(is_here).map(|mark| mark.name.as_str()).collect()
    }

    /// The clock of its source, otherwise that of another source of the target.
    fn clock(&self, epoch: u32) -> Clock {
        let known = || self.list.iter().chain(self.kin).map(|state| state.clock_of(epoch)).find(Clock::known);
        [self.state().clock_of(epoch)].into_iter().find(Clock::known).or_else(known).unwrap_or_default()
    }
}

/// Renders rows; reuses its buffers.
#[derive(Debug, Default)]
pub struct RowRenderer {
    /// By source.
    windows: Vec<LogWindow>,
    raw: Vec<u8>,
    rendered: Rendered,
    /// Clock and epoch of the previous row with a time stamp, before that of the first row.
    scale: Option<(Clock, u32)>,
}

/// What is done with each row.
trait RowVisitor {
    /// What is to be rendered of a row, which comes unrendered.
    fn want(&mut self, unrendered: &Item<'_>) -> Want;

    /// Takes the rendered row; `false` = no further ones.
    fn visit(&mut self, number: u64, item: &Item<'_>) -> bool;
}

/// All rows, rendered.
struct RenderAll<F>(Want, F);

impl<F: FnMut(u64, &Item<'_>) -> bool> RowVisitor for RenderAll<F> {
    fn want(&mut self, _: &Item<'_>) -> Want {
        self.0
    }

    fn visit(&mut self, number: u64, item: &Item<'_>) -> bool {
        (self.1)(number, item)
    }
}

/// Whether each row matches; what is known before is not rendered.
struct Select<'f, F> {
    filter: &'f RowFilter,
    decided: Option<bool>,
    each: F,
}

impl<F: FnMut(u64, bool) -> bool> RowVisitor for Select<'_, F> {
    fn want(&mut self, unrendered: &Item<'_>) -> Want {
        self.decided = self.filter.decide_alone(unrendered);
        if self.decided.is_some() { Want::empty() } else { self.filter.want() }
    }

    fn visit(&mut self, number: u64, item: &Item<'_>) -> bool {
        (self.each)(number, self.decided.unwrap_or_else(|| self.filter.matches(item)))
    }
}

impl RowRenderer {
    /// Renders these rows in the order given and passes them to `each`; rows that are not loaded are left out. Stops
    /// when `each` returns `false`. `each` must not lock the sources: they are locked.
    pub fn items(
        &mut self,
        list: &impl RowSource,
        rows: impl IntoIterator<Item = u64>,
        ask: RenderRequest,
        each: impl FnMut(u64, &Item<'_>) -> bool,
    ) {
        self.visit(list, rows, ask, &mut RenderAll(ask.want, each));
    }

    /// The same for whether rows match an expression, with names as shown.
    pub fn select(
        &mut self,
        list: &impl RowSource,
        rows: impl IntoIterator<Item = u64>,
        filter: &RowFilter,
        each: impl FnMut(u64, bool) -> bool,
    ) {
        let ask = RenderRequest { want: Want::empty(), view: View::Effective, short: true, before: None };
        self.visit(list, rows, ask, &mut Select { filter, decided: None, each });
    }

    fn visit(
        &mut self,
        list: &impl RowSource,
        rows: impl IntoIterator<Item = u64>,
        mut ask: RenderRequest,
        visitor: &mut impl RowVisitor,
    ) {
        self.scale = None;
        let bookmarks = list.bookmarks();
        self.windows.resize_with(list.sources(), LogWindow::default);
        for number in rows {
            let drop = list.ordered_drop(number);
            if drop.is_some_and(|drop| drop.is_left_out) {
                continue;
            }
            let Some((source, row)) =
                list.locate(number).filter(|&(source, row)| list.source(source).ensure_loaded(row))
            else {
                continue;
            };
            let states = list.read_all();
            let kin: Vec<_> = list.kin().iter().map(|kin| kin.read()).collect();
            let told = drop.map(|drop| drop.told);
            let own = Own {
                list: &states,
                kin: &kin,
                source,
                decoded: list.source(source),
                row,
                told,
                bookmarks: &bookmarks,
            };
            if !self.one(&own, &mut ask, number, visitor) {
                return;
            }
        }
    }

    fn one(&mut self, own: &Own<'_>, ask: &mut RenderRequest, listed: u64, visitor: &mut impl RowVisitor) -> bool {
        let Own { decoded, row: number, .. } = *own;
        let state = own.state();
        let Some((columns, i)) = state.rows.location(number).and_then(|p| state.rows.columns(p)) else { return true };
        let row = columns.row(i, state.rows.tables());
        let shape = columns.shape(i, state.rows.tables());
        let (mut attachments, blob) = (columns.attachments(i), columns.bytes());
        let ordered: Vec<Attachment>;
        if let Some(told) = own.told {
            ordered = attachments.iter().map(|&attachment| told.corrected(attachment)).collect();
            attachments = &ordered;
        }
        let marks = own.marks(row.pos);
        let others = own.others();
        let names = own.names(&others, ask);
        self.gather(own, &row, attachments);
        let cfg = state.context.configuration(row.cfg);
        let epoch = state.dictionary.epoch_of(number);
        let clock = own.clock(epoch);
        let comparable = *self.scale.get_or_insert((clock, epoch)) == (clock, epoch);
        let mut item = Item {
            info: &decoded.decoder.info,
            labels: decoded.decoder.labels(),
            source: (own.list.len() > 1).then_some(own.source as u16),
            apart: false,
            n: row.is_record().then(|| state.rows.records_before(number).map_or(0, |n| n + 1)),
            row: &row,
            span: (shape.span, shape.unsure),
            attachments,
            activities: &[],
            blob,
            cfg,
            raw: &self.raw,
            rendered: RenderedRow::default(),
            names: &names,
            clock,
            before: ask.before.filter(|_| comparable),
            host_ns: decoded.log.host_time_at((row.pos + u64::from(row.len)).saturating_sub(1)),
            epoch,
            marks: &marks,
        };
        let want = visitor.want(&item);
        if !want.is_empty() {
            let view = DictView::new(&names);
            render_rows(&decoded.renderer, cfg, &[item.row_in()], &view, want, &mut self.rendered);
            item.rendered = self.rendered.row(0);
        }
        let go_on = visitor.visit(listed, &item);
        if row.has(RowFlags::TIME_OWN) {
            (ask.before, self.scale) = (Some(row.time), Some((clock, epoch)));
        }
        go_on
    }

    /// All fragments of a row, concatenated.
    fn gather(&mut self, own: &Own<'_>, row: &Row, attachments: &[Attachment]) {
        let log = &own.decoded.log;
        let Some(window) = self.windows.get_mut(own.source) else { return };
        gather(row, attachments, &mut self.raw, |pos, len, out| out.extend_from_slice(window.get(log, pos, len)));
    }
}
