//! Rows out of the store, rendered: for the list, the details, filters, searches and exports. The same [`Item`] as
//! in streaming, so that every view and export has one source of truth.

use spytui_plugin_api::{
    DictView, Rendered, Row, RowIn,
    batch::extra,
    row::{flag, note},
};

use super::decoded::{Decoded, State};
use crate::{
    log::RawLog,
    store::{Names, View},
    stream::{Item, item::not_rendered},
};

/// What rows are rendered for.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// Of [`spytui_plugin_api::render::want`].
    pub want: u32,
    /// Which names.
    pub view: View,
    /// Short forms of names where unique.
    pub short: bool,
    /// Time of the stamped row that is shown before the first one.
    pub before: Option<u64>,
}

/// Bytes read around a row, since its neighbours are likely asked for next.
const AROUND: usize = 64 * 1024;
/// Longest row whose bytes are read.
const LONGEST: u64 = 16 << 20;

/// A piece of the log that was read.
#[derive(Debug, Default)]
struct Window {
    pos: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// Bytes of the log; empty where it no longer has them.
    fn get(&mut self, log: &RawLog, pos: u64, len: u64) -> &[u8] {
        let len = len.min(LONGEST) as usize;
        let inside = |w: &Window| pos >= w.pos && pos + len as u64 <= w.pos + w.bytes.len() as u64;
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

/// Renders rows, keeping its buffers.
#[derive(Debug, Default)]
pub struct Renderer {
    window: Window,
    raw: Vec<u8>,
    rendered: Rendered,
}

impl Renderer {
    /// Renders these rows in the order given and hands each to `each`; rows that are not there are left out. Stops
    /// when `each` says `false`.
    pub fn items(
        &mut self,
        decoded: &Decoded,
        rows: impl IntoIterator<Item = u64>,
        mut ask: Ask,
        mut each: impl FnMut(u64, &Item<'_>) -> bool,
    ) {
        for number in rows {
            if !decoded.touch(number) {
                continue;
            }
            let state = decoded.read();
            if !self.one(decoded, &state, number, &mut ask, &mut each) {
                return;
            }
        }
    }

    fn one(
        &mut self,
        decoded: &Decoded,
        state: &State,
        number: u64,
        ask: &mut Ask,
        each: &mut impl FnMut(u64, &Item<'_>) -> bool,
    ) -> bool {
        let Some((columns, i)) = state.rows.place(number).and_then(|p| state.rows.columns(p)) else { return true };
        let row = columns.row(i, state.rows.tables());
        let shape = columns.shape(i, state.rows.tables());
        let (extras, blob) = (columns.extras(i), columns.bytes());
        let names =
            Names { dictionary: &state.dictionary, first: number, fixed: true, view: ask.view, short: ask.short };
        self.gather(&decoded.log, &row, extras);
        let input = RowIn { row: &row, raw: self.raw.as_slice().into(), extras: extras.into(), blob: blob.into() };
        let cfg = state.cfgs.get(usize::from(row.cfg)).map_or(&[][..], Vec::as_slice);
        render(decoded, cfg, &input, &names, ask.want, &mut self.rendered);
        let item = Item {
            info: &decoded.decoder.info,
            source: None,
            n: row.is_record().then(|| state.rows.records_before(number).map_or(0, |n| n + 1)),
            row: &row,
            span: (shape.span, shape.unsure),
            extras,
            acts: &[],
            blob,
            cfg,
            raw: &self.raw,
            rendered: &self.rendered,
            names: &names,
            clock: state.clock,
            before: ask.before,
            host_ns: decoded.log.host_time_at((row.pos + u64::from(row.len)).saturating_sub(1)),
            epoch: state.dictionary.epoch_of(number),
        };
        let go_on = each(number, &item);
        if row.has(flag::TIME_OWN | flag::TIME_KNOWN) {
            ask.before = Some(row.time);
        }
        go_on
    }

    /// All stretches of a row, put together.
    fn gather(&mut self, log: &RawLog, row: &Row, extras: &[spytui_plugin_api::Extra]) {
        self.raw.clear();
        if row.has(flag::PIECES) {
            for e in extras.iter().filter(|e| e.id == extra::PIECE) {
                let piece = self.window.get(log, e.a, e.b);
                self.raw.extend_from_slice(piece);
            }
        }
        if row.len > 0 {
            self.raw.extend_from_slice(self.window.get(log, row.pos, u64::from(row.len)));
        }
    }
}

/// Renders one row; rows of the host and failures are rendered here.
fn render(decoded: &Decoded, cfg: &[u8], input: &RowIn<'_>, names: &Names<'_>, want: u32, out: &mut Rendered) {
    out.clear();
    if input.row.kind >= note::LINK {
        out.text.extend_from_slice(input.extra_bytes(extra::TEXT).unwrap_or_default());
        return;
    }
    let answer = decoded.decoder.table.rows(cfg, std::slice::from_ref(input), &DictView::new(names), want, out);
    if let Err(fault) = answer {
        out.clear();
        out.text.extend_from_slice(not_rendered(&fault).as_bytes());
    }
}
