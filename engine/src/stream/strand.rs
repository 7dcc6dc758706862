//! One source at work: its decoder, the end of its stream, and the rows of the last chunk that are not rendered yet.

use std::{io, ops::Range, sync::Arc};

use spytui_plugin_api::{
    Batch, Fault, Info, Rendered, Row, Source,
    chunk::MAX_CHUNK,
    render::want,
    row::{flag, note},
};

use super::{
    block::{Events, acts_of, block_end, extras_of, host_text, inputs, is_alone, put_together, render_rows},
    item::{Block, Item},
    lanes::{Kept, Reading},
    sink::Sink,
    window::Window,
};
use crate::{
    analysis::spread::{Spreads, Table},
    log::{SideMark, kind},
    merge::Epochs,
    plugin::{Decoder, Options},
    present::Clock,
    session::{feeder::Feeder, learn::Learnt, span::SpanState},
    store::{Counters, Dictionary, Names, Span, View},
};

/// What the sources of a target share.
#[derive(Debug)]
pub(super) struct Common {
    /// The names as of now.
    pub(super) dictionary: Dictionary,
    /// There are several sources.
    pub(super) several: bool,
    /// There are other targets.
    pub(super) apart: bool,
    /// The clock of a source that told none.
    pub(super) clock: Clock,
    /// Time of the stamped row before, by its clock.
    before: Option<(u64, Clock)>,
}

impl Common {
    pub(super) fn new(decoder: &Decoder, several: bool) -> Common {
        let dictionary = Dictionary::new(&decoder.info, false);
        Common { dictionary, several, apart: false, clock: Clock::default(), before: None }
    }

    /// Time of the row before, in ticks of this clock.
    fn before(&self, clock: Clock) -> Option<u64> {
        self.before.filter(|b| b.1 == clock).map(|b| b.0)
    }
}

/// One source.
#[derive(Debug)]
pub(super) struct Strand {
    decoder: Arc<Decoder>,
    number: u16,
    /// Which rows it hands on, where others are handed on by another one of the same source.
    kept: Option<Kept>,
    /// It is the first one of its source: what is of all of them is told by it.
    leads: bool,
    feeder: Feeder,
    batch: Batch,
    /// Rows of the batches before.
    rows_before: u64,
    /// The next row of the batch to render.
    next: usize,
    /// The first of its activities.
    next_act: usize,
    events: Events,
    cfgs: Vec<Vec<u8>>,
    clock: Clock,
    /// The clock of each epoch, where a first pass has found it out.
    clocks: Option<Vec<Clock>>,
    counters: Counters,
    /// What the decoder measured.
    spreads: Spreads,
    span: SpanState,
    spans: Vec<(Span, bool)>,
    window: Window,
    rendered: Rendered,
    epochs: Epochs,
    host_ns: Option<u64>,
    pos: u64,
}

impl Strand {
    /// Opens the decoder.
    pub(super) fn open(decoder: Arc<Decoder>, options: &Options, source: &Source<'_>) -> Result<Strand, Fault> {
        let instance = decoder.table.start(&options.vals(), source)?;
        Ok(Strand {
            feeder: Feeder::new(instance, 0),
            number: source.index,
            kept: None,
            leads: true,
            batch: Batch::default(),
            rows_before: 0,
            next: 0,
            next_act: 0,
            events: Events::default(),
            cfgs: Vec::new(),
            clock: Clock::default(),
            clocks: None,
            counters: Counters::default(),
            spreads: Spreads::new(&decoder.info),
            span: SpanState::default(),
            spans: Vec::new(),
            window: Window::default(),
            rendered: Rendered::default(),
            epochs: Epochs::default(),
            host_ns: None,
            pos: 0,
            decoder,
        })
    }

    /// The same for one of several readings of the source; `leads` = the first.
    pub(super) fn reading(mut self, reading: &Reading, leads: bool) -> Strand {
        (self.kept, self.leads) = (Kept::new(reading, leads), leads);
        self
    }

    /// Adds marks to those of the log, before anything is fed.
    pub(super) fn set_learnt(&mut self, learnt: &Learnt) {
        self.feeder.set_learnt(learnt);
    }

    /// Takes over the clocks that a first pass has found out, one for each epoch.
    pub(super) fn set_clocks(&mut self, clocks: Vec<Clock>) {
        self.clock = clocks.first().copied().unwrap_or_default();
        self.clocks = Some(clocks);
    }

    /// The clock as of now.
    pub(super) fn clock(&self) -> Clock {
        self.clock
    }

    pub(super) fn info(&self) -> &Info {
        &self.decoder.info
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// What the decoder measured, with the names as of now.
    pub(super) fn spreads(&self, common: &Common) -> Vec<Table> {
        let dictionary = &common.dictionary;
        let (view, short) = (View::Effective, true);
        self.spreads.tables(self.info(), &Names { dictionary, others: &[], first: u64::MAX, fixed: true, view, short })
    }

    pub(super) fn fault(&self) -> Option<&Fault> {
        self.feeder.fault()
    }

    /// Position of the next byte to feed.
    pub(super) fn pos(&self) -> u64 {
        self.pos
    }

    /// What the last chunk brought.
    pub(super) fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Whether it hands on a row of the last chunk.
    pub(super) fn keeps(&self, row: usize) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.has(row))
    }

    /// Number of a row of the last chunk in the stream.
    pub(super) fn place(&self, row: usize) -> u64 {
        self.rows_before + row as u64
    }

    /// Bytes before `pos` were lost by the host.
    pub(super) fn skip_to(&mut self, pos: u64) {
        if pos != self.pos {
            self.window.restart(pos);
            self.pos = pos;
        }
    }

    /// Decodes one chunk; all rows of the one before are rendered.
    pub(super) fn decode(&mut self, bytes: &[u8], marks: &[SideMark], sink: &impl Sink, common: &mut Common) {
        self.window.add(bytes, self.feeder.oldest_pending(), self.most_kept());
        self.rows_before += self.batch.rows.len() as u64;
        self.batch.clear();
        (self.next, self.next_act, self.events) = (0, 0, Events::default());
        self.feeder.set_acts(sink.acts());
        self.feeder.feed(self.pos, bytes, marks, &mut self.batch);
        self.pos += bytes.len() as u64;
        self.counters.add(&self.batch, bytes.len() as u64);
        if let Some(kept) = &mut self.kept {
            kept.look(&self.batch.rows);
        }
        if self.leads {
            self.spreads.add(&self.batch);
        }
        if let Some(mark) = marks.iter().rev().find(|m| m.kind == kind::TIME && m.host_ns != 0) {
            self.host_ns = Some(mark.host_ns);
        }
        self.spans.clear();
        if sink.single() && !sink.acts() {
            self.span.places(&self.batch, &mut self.spans);
        }
        self.apply(0, common);
    }

    /// Bytes kept for rows to come: parts of a record may lie far apart, but not without bound.
    fn most_kept(&self) -> usize {
        let pending = usize::try_from(self.decoder.info.max_pending).ok().filter(|&n| n > 0).unwrap_or(1 << 20);
        pending.max(MAX_CHUNK).saturating_mul(4)
    }

    /// Renders rows up to index `upto`; what holds from there on is applied.
    pub(super) fn render(&mut self, upto: usize, common: &mut Common, sink: &mut impl Sink) -> io::Result<()> {
        let upto = upto.min(self.batch.rows.len());
        let single = sink.single();
        if sink.want() == 0 && !single {
            // Rows are only counted.
            self.next = upto;
            self.apply(upto, common);
            return Ok(());
        }
        // Rows with nothing but text are rendered together, also where they are handed on one by one.
        let blocks = !single || sink.want() == want::TEXT;
        self.pass(upto, common);
        while self.next < upto {
            let first = self.next;
            let alone = !blocks || is_alone(&self.batch.rows[first]);
            let end = if alone { first + 1 } else { block_end(&self.batch, &self.events, first, upto) };
            let end = self.kept.as_ref().map_or(end, |kept| kept.stop(first, end));
            self.render_block(first, end, common, sink)?;
            self.next = end;
            self.apply(end, common);
            self.pass(upto, common);
        }
        Ok(())
    }

    /// Goes past rows up to index `upto` that it does not hand on; those of another lane may begin an epoch.
    pub(super) fn pass(&mut self, upto: usize, common: &mut Common) {
        while self.next < upto && !self.keeps(self.next) {
            let at = self.next;
            if self.step(at) && self.leads {
                common.dictionary.begin_epoch(0);
            }
            self.next_act += acts_of(&self.batch.acts[self.next_act..], at).len();
            self.next = at + 1;
            self.apply(self.next, common);
        }
    }

    /// Counts a row; whether an epoch begins with it.
    #[inline]
    fn step(&mut self, at: usize) -> bool {
        let resets = self.epochs.step(&self.batch.rows[at]);
        if let (true, Some(clocks)) = (resets, &self.clocks) {
            self.clock = clocks.get(self.epochs.epoch as usize).copied().unwrap_or_default();
        }
        resets
    }

    /// Names, configurations and clocks that hold from row `at` on.
    fn apply(&mut self, at: usize, common: &mut Common) {
        while let Some(event) = self.batch.dict.get(self.events.dict).filter(|e| e.at as usize <= at) {
            if self.leads {
                common.dictionary.apply(event, event.text.of(&self.batch.bytes), 0, 0, 0);
            }
            self.events.dict += 1;
        }
        while let Some(event) = self.batch.cfgs.get(self.events.cfgs).filter(|e| e.at as usize <= at) {
            let id = usize::from(event.id);
            if id >= self.cfgs.len() {
                self.cfgs.resize(id + 1, Vec::new());
            }
            self.cfgs[id] = event.blob.of(&self.batch.bytes).to_vec();
            self.events.cfgs += 1;
        }
        while let Some(event) = self.batch.clocks.get(self.events.clocks).filter(|e| e.at as usize <= at) {
            if self.clocks.is_none() {
                self.clock = Clock::new(event);
            }
            self.events.clocks += 1;
        }
    }

    fn render_block(&mut self, first: usize, end: usize, common: &mut Common, sink: &mut impl Sink) -> io::Result<()> {
        let mut rendered = std::mem::take(&mut self.rendered);
        rendered.clear();
        if sink.want() != 0 {
            self.text(first..end, &common.dictionary, sink, &mut rendered);
        }
        let answer = if sink.single() {
            self.items(first..end, &rendered, common, sink)
        } else {
            sink.block(&Block { rows: &self.batch.rows[first..end], rendered: &rendered })
        };
        self.rendered = rendered;
        answer
    }

    fn cfg(&self, row: &Row) -> &[u8] {
        self.cfgs.get(usize::from(row.cfg)).map_or(&[][..], Vec::as_slice)
    }

    fn text(&self, rows: Range<usize>, dictionary: &Dictionary, sink: &impl Sink, rendered: &mut Rendered) {
        let (first, row) = (rows.start, &self.batch.rows[rows.start]);
        if row.kind >= note::LINK {
            return host_text(&self.batch, first, rendered);
        }
        let (view, short) = sink.names();
        let dictionary = sink.dictionary().unwrap_or(dictionary);
        let names = Names { dictionary, others: &[], first: u64::MAX, fixed: true, view, short };
        let together = put_together(&self.batch, first, &self.window);
        let inputs = inputs(&self.batch, rows, &self.window, together.as_deref());
        render_rows(self.decoder.table, self.cfg(row), &inputs, &names, sink.want(), rendered);
    }

    /// Hands on rows one by one.
    fn items(
        &mut self,
        rows: Range<usize>,
        rendered: &Rendered,
        common: &mut Common,
        sink: &mut impl Sink,
    ) -> io::Result<()> {
        let mut begin = 0;
        for (i, at) in rows.enumerate() {
            let end = rendered.ends.get(i).map_or(rendered.text.len(), |&end| end as usize);
            let text = rendered.text.get(begin..end).unwrap_or_default();
            self.item(at, text, rendered, common, sink)?;
            begin = end;
        }
        Ok(())
    }

    /// Hands on one row.
    fn item(
        &mut self,
        at: usize,
        text: &[u8],
        rendered: &Rendered,
        common: &mut Common,
        sink: &mut impl Sink,
    ) -> io::Result<()> {
        let resets = self.step(at);
        let row = &self.batch.rows[at];
        let clock = if self.clock.known() { self.clock } else { common.clock };
        let (view, short) = sink.names();
        let names = Names { dictionary: &common.dictionary, others: &[], first: u64::MAX, fixed: true, view, short };
        let together = put_together(&self.batch, at, &self.window);
        let raw = together.as_deref().unwrap_or_else(|| self.window.get(row.pos, u64::from(row.len)));
        let extras = if row.has(flag::EXTRAS) { extras_of(&self.batch.extras, at) } else { &[] };
        let acts = acts_of(&self.batch.acts[self.next_act..], at);
        self.next_act += acts.len();
        let answer = sink.item(&Item {
            info: &self.decoder.info,
            source: (common.several || common.apart).then_some(self.number),
            apart: common.apart,
            n: row.is_record().then_some(self.epochs.records),
            row,
            span: self.spans.get(at).copied().unwrap_or_default(),
            extras,
            acts,
            blob: &self.batch.bytes,
            cfg: self.cfg(row),
            raw,
            text,
            rendered,
            names: &names,
            clock,
            before: common.before(clock),
            host_ns: self.host_ns,
            epoch: self.epochs.epoch,
        });
        if row.has(flag::TIME_OWN | flag::TIME_KNOWN) {
            common.before = Some((row.time, clock));
        }
        if resets && self.leads {
            common.dictionary.begin_epoch(0);
        }
        answer
    }
}
