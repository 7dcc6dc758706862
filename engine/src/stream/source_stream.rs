//! One source at work: its decoder, the end of its stream, and the rows of the last chunk that are not rendered yet.

use std::{io, ops::Range, sync::Arc};

use spytui_plugin_api::{Batch, Fault, Info, Rendered, Source, chunk::MAX_CHUNK, render::Want};

use super::{
    block::{block_limit, inputs, put_together},
    cores::{CoreFilter, KeptRows},
    emit::{Before, Progress, Walk},
    sink::Sink,
    window::Window,
};
use crate::{
    analysis::distribution::{Distributions, Table},
    decode::{instance_host::InstanceHost, learned_options::LearnedOptions, span::SpanState},
    log::{SideMark, kind},
    plugin::{Decoder, Options},
    present::Clock,
    render::item::Block,
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
    pub(super) before: Before,
}

impl Common {
    pub(super) fn new(decoder: &Decoder, several: bool) -> Common {
        let dictionary = Dictionary::new(&decoder.info, false);
        Common { dictionary, several, apart: false, clock: Clock::default(), before: Before::default() }
    }
}

/// One source.
#[derive(Debug)]
pub(super) struct SourceStream {
    decoder: Arc<Decoder>,
    number: u16,
    /// Which rows it hands on, where others are handed on by another one of the same source.
    kept: Option<KeptRows>,
    /// It is the first one of its source: what is of all of them is told by it.
    leads: bool,
    feeder: InstanceHost,
    batch: Batch,
    /// Rows of the batches before.
    rows_before: u64,
    /// The next row of the batch to render.
    next: usize,
    progress: Progress,
    cfgs: Vec<Vec<u8>>,
    counters: Counters,
    /// What the decoder measured.
    spreads: Distributions,
    span: SpanState,
    spans: Vec<(Span, bool)>,
    window: Window,
    rendered: Rendered,
    /// What is rendered of a row beside its text.
    details: Rendered,
    host_ns: Option<u64>,
    pos: u64,
}

impl SourceStream {
    /// Opens the decoder.
    pub(super) fn open(decoder: Arc<Decoder>, options: &Options, source: &Source<'_>) -> Result<SourceStream, Fault> {
        let instance = decoder.table.open(&options.vals(), source)?;
        Ok(SourceStream {
            feeder: InstanceHost::new(instance, 0),
            number: source.index,
            kept: None,
            leads: true,
            batch: Batch::default(),
            rows_before: 0,
            next: 0,
            progress: Progress::default(),
            cfgs: Vec::new(),
            counters: Counters::default(),
            spreads: Distributions::new(&decoder.info),
            span: SpanState::default(),
            spans: Vec::new(),
            window: Window::default(),
            rendered: Rendered::default(),
            details: Rendered::default(),
            host_ns: None,
            pos: 0,
            decoder,
        })
    }

    /// The same for one of several readings of the source; `leads` = the first.
    pub(super) fn reading(mut self, reading: &CoreFilter, leads: bool) -> SourceStream {
        (self.kept, self.leads) = (KeptRows::new(reading, leads), leads);
        self
    }

    /// Adds marks to those of the log, before anything is fed.
    pub(super) fn set_learnt(&mut self, learnt: &LearnedOptions) {
        self.feeder.set_learnt(learnt);
    }

    /// Takes over the clocks that a first pass has found out, one for each epoch.
    pub(super) fn set_clocks(&mut self, clocks: Vec<Clock>) {
        self.progress.set_clocks(clocks);
    }

    /// The clock as of now.
    pub(super) fn clock(&self) -> Clock {
        self.progress.clock
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
        self.next = 0;
        self.progress.begin_batch();
        self.feeder.set_activities(sink.activities());
        self.feeder.feed(self.pos, bytes, marks, &mut self.batch);
        self.pos += bytes.len() as u64;
        self.counters.add(&self.batch, bytes.len() as u64, self.feeder.pending());
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
        if sink.single() && !sink.activities() {
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
        if sink.want().is_empty() && !sink.single() {
            // Rows are only counted.
            self.next = upto;
            self.apply(upto, common);
            return Ok(());
        }
        self.pass(upto, common);
        while self.next < upto {
            let first = self.next;
            let limit = block_limit(&self.batch, &self.progress.events, first, upto);
            let limit = self.kept.as_ref().map_or(limit, |kept| kept.stop(first, limit));
            let end = self.render_block(first..limit, common, sink)?;
            self.next = end;
            self.apply(end, common);
            self.pass(upto, common);
        }
        Ok(())
    }

    /// Goes past rows up to index `upto` that it does not hand on; those of another core may begin an epoch.
    pub(super) fn pass(&mut self, upto: usize, common: &mut Common) {
        while self.next < upto && !self.keeps(self.next) {
            let at = self.next;
            if self.progress.step(&self.batch, at) && self.leads {
                common.dictionary.begin_epoch(0);
            }
            self.progress.activities(&self.batch, at);
            self.next = at + 1;
            self.apply(self.next, common);
        }
    }

    /// Names, configurations and clocks that hold from row `at` on.
    fn apply(&mut self, at: usize, common: &mut Common) {
        while let Some(event) = self.batch.dict.get(self.progress.events.dict).filter(|e| e.at as usize <= at) {
            if self.leads {
                common.dictionary.apply(event, event.text.of(&self.batch.bytes), 0, 0, 0);
            }
            self.progress.events.dict += 1;
        }
        while let Some(event) = self.batch.cfgs.get(self.progress.events.cfgs).filter(|e| e.at as usize <= at) {
            let id = usize::from(event.id);
            if id >= self.cfgs.len() {
                self.cfgs.resize(id + 1, Vec::new());
            }
            self.cfgs[id] = event.blob.of(&self.batch.bytes).to_vec();
            self.progress.events.cfgs += 1;
        }
        self.progress.apply_clocks(&self.batch, at);
    }

    /// Renders the first of these rows and those behind it that may share its block; where the block ends.
    fn render_block(&mut self, rows: Range<usize>, common: &mut Common, sink: &mut impl Sink) -> io::Result<usize> {
        let SourceStream { batch, window, rendered, details, .. } = self;
        let first = rows.start;
        let together = put_together(batch, first, window);
        let inputs = inputs(batch, rows, window, together.as_deref());
        let end = first + inputs.len();
        let rows = &batch.rows[first..end];
        let walk = Walk {
            decoder: &self.decoder,
            number: self.number,
            leads: self.leads,
            batch,
            first,
            inputs: &inputs,
            cfg: self.cfgs.get(usize::from(rows[0].cfg)).map_or(&[][..], Vec::as_slice),
            spans: &self.spans,
            host_ns: self.host_ns,
        };
        rendered.clear();
        if sink.want().contains(Want::TEXT) {
            walk.text(sink.dictionary().unwrap_or(&common.dictionary), sink, rendered);
        }
        if sink.single() {
            walk.items(&mut self.progress, (rendered, details), common, sink)?;
        } else {
            sink.block(&Block { rows, rendered })?;
        }
        Ok(end)
    }
}
