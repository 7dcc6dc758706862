//! Feed, keep the names as of now, render in blocks.

use std::{io, ops::Range, sync::Arc};

use spytui_plugin_api::{
    Batch, DecoderRef, DictView, Extra, Fault, Rendered, Row, RowIn, Source,
    batch::extra,
    chunk::MAX_CHUNK,
    render::want,
    row::{flag, note},
};

use super::{
    item::{Block, Item, not_rendered},
    window::Window,
};
use crate::{
    analysis::spread::{Spreads, Table},
    log::{SideMark, kind},
    plugin::{Decoder, Options},
    present::Clock,
    session::{feeder::Feeder, span::SpanState},
    store::{Counters, Dictionary, Names, Span, View, names::CachedNames},
};

/// Rows rendered in one call.
const BLOCK: usize = 1024;
/// In a block of so many rows names are asked for again.
const WORTH_CACHING: usize = 16;

/// Where rendered rows go.
pub trait Sink {
    /// What is to be rendered, of [`want`]; anything but text alone makes blocks of one row, handed to `item`.
    fn want(&self) -> u32;

    /// Which names rows are rendered with, and whether short forms are taken.
    fn names(&self) -> (View, bool);

    /// A block of rows, text only.
    ///
    /// # Errors
    /// What the output said.
    fn block(&mut self, block: &Block<'_>) -> io::Result<()> {
        let _ = block;
        Ok(())
    }

    /// One row.
    ///
    /// # Errors
    /// What the output said.
    fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        let _ = item;
        Ok(())
    }

    /// Whether rows come one by one even when only text is wanted.
    fn single(&self) -> bool {
        self.want() != want::TEXT
    }
}

/// Where rows go that are only counted, or decoded for their names.
#[derive(Debug, Clone, Copy)]
pub struct Nowhere;

impl Sink for Nowhere {
    fn want(&self) -> u32 {
        0
    }

    fn names(&self) -> (View, bool) {
        (View::AsOf, false)
    }

    fn single(&self) -> bool {
        false
    }
}

/// Bytes through a decoder to rendered rows.
#[derive(Debug)]
pub struct Pipeline {
    decoder: Arc<Decoder>,
    feeder: Feeder,
    batch: Batch,
    dictionary: Dictionary,
    cfgs: Vec<Vec<u8>>,
    clock: Clock,
    counters: Counters,
    spreads: Spreads,
    span: SpanState,
    spans: Vec<(Span, bool)>,
    window: Window,
    rendered: Rendered,
    state: State,
    pos: u64,
}

/// What goes on from row to row.
#[derive(Debug, Default)]
struct State {
    records: u64,
    before: Option<u64>,
    host_ns: Option<u64>,
    epoch: u32,
}

impl Pipeline {
    /// Opens the decoder.
    ///
    /// # Errors
    /// What is wrong with the options together.
    pub fn open(decoder: Arc<Decoder>, options: &Options) -> Result<Pipeline, Fault> {
        let instance = decoder.table.start(&options.vals(), &Source::default())?;
        Ok(Pipeline {
            feeder: Feeder::new(instance, 0).without_acts(),
            batch: Batch::default(),
            dictionary: Dictionary::new(&decoder.info, false),
            cfgs: Vec::new(),
            clock: Clock::default(),
            counters: Counters::default(),
            spreads: Spreads::new(&decoder.info),
            span: SpanState::default(),
            spans: Vec::new(),
            window: Window::default(),
            rendered: Rendered::default(),
            state: State::default(),
            pos: 0,
            decoder,
        })
    }

    /// The counters so far.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// What the decoder measured, with the names as of now.
    #[must_use]
    pub fn spreads(&self) -> Vec<Table> {
        let names =
            Names { dictionary: &self.dictionary, first: u64::MAX, fixed: true, view: View::Effective, short: true };
        self.spreads.tables(&self.decoder.info, &names)
    }

    /// The names as of now.
    #[must_use]
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// The decoder's fault, if it failed.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.feeder.fault()
    }

    /// Position of the next byte to feed.
    #[must_use]
    pub fn pos(&self) -> u64 {
        self.pos
    }

    /// The mark that begins a stream.
    ///
    /// # Errors
    /// What the sink said.
    pub fn begin(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        self.feed(b"", &[SideMark { pos: 0, host_ns: 0, kind: kind::START, arg: 0, text: Vec::new() }], sink)
    }

    /// The mark that ends a stream.
    ///
    /// # Errors
    /// What the sink said.
    pub fn end(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        let pos = self.pos;
        self.feed(b"", &[SideMark { pos, host_ns: 0, kind: kind::END, arg: 0, text: Vec::new() }], sink)
    }

    /// Feeds bytes with the marks that lie in them.
    ///
    /// # Errors
    /// What the sink said.
    pub fn feed(&mut self, bytes: &[u8], marks: &[SideMark], sink: &mut impl Sink) -> io::Result<()> {
        self.feed_at(self.pos, bytes, marks, sink)
    }

    /// The same at a position: behind the last byte, unless bytes between were lost by the host.
    ///
    /// # Errors
    /// What the sink said.
    pub fn feed_at(&mut self, pos: u64, bytes: &[u8], marks: &[SideMark], sink: &mut impl Sink) -> io::Result<()> {
        if pos != self.pos {
            self.window.restart(pos);
            self.pos = pos;
        }
        let mut marks = marks;
        let mut parts = bytes.chunks(MAX_CHUNK).peekable();
        loop {
            let part = parts.next().unwrap_or_default();
            let end = self.pos + part.len() as u64;
            // A mark at the very end of a part waits for the next part, unless there is none.
            let mine = if parts.peek().is_none() { marks.len() } else { marks.partition_point(|m| m.pos < end) };
            self.chunk(part, &marks[..mine], sink)?;
            marks = &marks[mine..];
            if parts.peek().is_none() {
                return Ok(());
            }
        }
    }

    fn chunk(&mut self, bytes: &[u8], marks: &[SideMark], sink: &mut impl Sink) -> io::Result<()> {
        self.window.add(bytes, self.feeder.oldest_pending(), self.most_kept());
        self.batch.clear();
        self.feeder.feed(self.pos, bytes, marks, &mut self.batch);
        self.pos += bytes.len() as u64;
        self.counters.add(&self.batch, bytes.len() as u64);
        self.spreads.add(&self.batch);
        if let Some(mark) = marks.iter().rev().find(|m| m.kind == kind::TIME && m.host_ns != 0) {
            self.state.host_ns = Some(mark.host_ns);
        }
        self.spans.clear();
        if sink.single() {
            self.span.places(&self.batch, &mut self.spans);
        }
        self.render(sink)
    }

    /// Bytes kept for rows to come: parts of a record may lie far apart, but not without bound.
    fn most_kept(&self) -> usize {
        let pending = usize::try_from(self.decoder.info.max_pending).ok().filter(|&n| n > 0).unwrap_or(1 << 20);
        pending.max(MAX_CHUNK).saturating_mul(4)
    }

    fn render(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        let mut events = Events::default();
        let single = sink.single();
        if sink.want() == 0 && !single {
            // Rows are only counted.
            self.apply(&mut events, self.batch.rows.len());
            return Ok(());
        }
        let mut first = 0;
        while first < self.batch.rows.len() {
            self.apply(&mut events, first);
            let end =
                if single || is_alone(&self.batch.rows[first]) { first + 1 } else { self.block_end(&events, first) };
            self.render_block(first, end, sink)?;
            first = end;
        }
        self.apply(&mut events, first);
        Ok(())
    }

    /// Names, configurations and clocks that hold from row `at` on.
    fn apply(&mut self, events: &mut Events, at: usize) {
        while let Some(event) = self.batch.dict.get(events.dict).filter(|e| e.at as usize <= at) {
            self.dictionary.apply(event, event.text.of(&self.batch.bytes), 0, 0, 0);
            events.dict += 1;
        }
        while let Some(event) = self.batch.cfgs.get(events.cfgs).filter(|e| e.at as usize <= at) {
            let id = usize::from(event.id);
            if id >= self.cfgs.len() {
                self.cfgs.resize(id + 1, Vec::new());
            }
            self.cfgs[id] = event.blob.of(&self.batch.bytes).to_vec();
            events.cfgs += 1;
        }
        while let Some(event) = self.batch.clocks.get(events.clocks).filter(|e| e.at as usize <= at) {
            self.clock = Clock::new(event);
            events.clocks += 1;
        }
    }

    /// How far a block goes: one configuration, no new names, no row that must stand alone.
    fn block_end(&self, events: &Events, first: usize) -> usize {
        let rows = &self.batch.rows;
        let names = self.batch.dict.get(events.dict).map_or(usize::MAX, |e| e.at as usize);
        let cfgs = self.batch.cfgs.get(events.cfgs).map_or(usize::MAX, |e| e.at as usize);
        let limit = (first + BLOCK).min(rows.len()).min(names).min(cfgs);
        let cfg = rows[first].cfg;
        (first + 1..limit).find(|&i| rows[i].cfg != cfg || is_alone(&rows[i])).unwrap_or(limit)
    }

    fn render_block(&mut self, first: usize, end: usize, sink: &mut impl Sink) -> io::Result<()> {
        let (view, short) = sink.names();
        let names = Names { dictionary: &self.dictionary, first: u64::MAX, fixed: true, view, short };
        let rows = &self.batch.rows[first..end];
        self.rendered.clear();
        if rows[0].kind >= note::LINK {
            host_text(&self.batch, first, &mut self.rendered);
        } else {
            let together = put_together(&self.batch, first, &self.window);
            let inputs = inputs(&self.batch, first..end, &self.window, together.as_deref());
            let cfg = self.cfgs.get(usize::from(rows[0].cfg)).map_or(&[][..], Vec::as_slice);
            if sink.want() != 0 {
                render_rows(self.decoder.table, cfg, &inputs, &names, sink.want(), &mut self.rendered);
            }
        }
        if !sink.single() {
            return sink.block(&Block { rows, rendered: &self.rendered });
        }
        let row = &rows[0];
        let resets = self.state.begin(row);
        let answer = sink.item(&Item {
            info: &self.decoder.info,
            n: row.is_record().then_some(self.state.records),
            row,
            span: self.spans.get(first).copied().unwrap_or_default(),
            extras: extras_of(&self.batch.extras, first),
            blob: &self.batch.bytes,
            rendered: &self.rendered,
            names: &names,
            clock: self.clock,
            before: self.state.before,
            host_ns: self.state.host_ns,
            epoch: self.state.epoch,
        });
        self.state.end(row);
        if resets {
            self.dictionary.begin_epoch(0);
        }
        answer
    }
}

impl State {
    /// `true` = a further epoch begins.
    fn begin(&mut self, row: &Row) -> bool {
        // The first reset of a stream begins its first epoch, not a second one.
        let resets = row.has(flag::EPOCH) && self.records > 1;
        self.records += u64::from(row.is_record());
        self.epoch += u32::from(resets);
        resets
    }

    fn end(&mut self, row: &Row) {
        if row.has(flag::TIME_OWN | flag::TIME_KNOWN) {
            self.before = Some(row.time);
        }
    }
}

/// How much of a batch's events is applied.
#[derive(Default)]
struct Events {
    dict: usize,
    cfgs: usize,
    clocks: usize,
}

/// Rows of the host are rendered here, rows in pieces need a buffer of their own.
fn is_alone(row: &Row) -> bool {
    row.kind >= note::LINK || row.has(flag::PIECES)
}

fn extras_of(extras: &[Extra], row: usize) -> &[Extra] {
    let first = extras.partition_point(|e| (e.at as usize) < row);
    let end = first + extras[first..].partition_point(|e| e.at as usize <= row);
    &extras[first..end]
}

/// Text of a row of the host: it was given when the row was made.
fn host_text(batch: &Batch, row: usize, out: &mut Rendered) {
    let text = extras_of(&batch.extras, row).iter().find(|e| e.id == extra::TEXT).map(|e| e.bytes(&batch.bytes));
    out.text.extend_from_slice(text.unwrap_or_default());
    out.ends.push(out.text.len() as u32);
}

/// The bytes of a row in several stretches; `None` where one stretch is all.
fn put_together(batch: &Batch, at: usize, window: &Window) -> Option<Vec<u8>> {
    let row = batch.rows.get(at).filter(|row| row.has(flag::PIECES))?;
    let mut out = Vec::new();
    for e in extras_of(&batch.extras, at).iter().filter(|e| e.id == extra::PIECE) {
        out.extend_from_slice(window.get(e.a, e.b));
    }
    out.extend_from_slice(window.get(row.pos, u64::from(row.len)));
    Some(out)
}

/// What the decoder needs to render these rows; `together` = the bytes of a row in several stretches, which is alone.
fn inputs<'a>(batch: &'a Batch, rows: Range<usize>, window: &'a Window, together: Option<&'a [u8]>) -> Vec<RowIn<'a>> {
    let blob = batch.bytes.as_slice().into();
    let mut rest = batch.extras.as_slice();
    rest = &rest[rest.partition_point(|e| (e.at as usize) < rows.start)..];
    let mut inputs = Vec::with_capacity(rows.len());
    inputs.extend(batch.rows[rows.clone()].iter().zip(rows).map(|(row, i)| {
        let mut extras: &[Extra] = &[];
        if rest.first().is_some_and(|e| e.at as usize == i) {
            let own = rest.iter().take_while(|e| e.at as usize == i).count();
            (extras, rest) = rest.split_at(own);
        }
        let raw = together.unwrap_or_else(|| window.get(row.pos, u64::from(row.len)));
        RowIn { row, raw: raw.into(), extras: extras.into(), blob }
    }));
    inputs
}

/// Renders rows. One that makes the decoder fail is shown by the fault; the others are rendered.
fn render_rows(table: DecoderRef, cfg: &[u8], rows: &[RowIn<'_>], names: &Names<'_>, want: u32, out: &mut Rendered) {
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
