//! The pipeline of a target: decodes its sources, merges them and emits rendered rows. Each source is fed only as far
//! as the merge order needs; names are shared.

use std::{io, sync::Arc};

use spytui_plugin_api::{Fault, RowFlags, Source, chunk::MAX_CHUNK};

use super::{prepass::Prepass, sink::Sink, source_stream::SourceStream, target_context::TargetContext};
use crate::{
    analysis::{distribution::Table, kinds::NamedKind},
    decode::{TargetDrops, learned_options::LearnedOptions},
    log::{LogEvent, kind},
    order::{Scales, SortKey, SortTime, SortTimes, SourceHead, next},
    plugin::{Decoder, Options},
    store::{Counters, Dictionary},
};

/// Decodes the sources of a target and emits their rows in one order. Each source has one input, or one per core if
/// cores must be put in order.
#[derive(Debug)]
pub struct Pipeline {
    strands: Vec<SourceStream>,
    /// Source of each input.
    sources: Vec<usize>,
    stamps: Vec<SortTimes>,
    heads: Vec<SourceHead>,
    /// Index of each head in the last batch of its input.
    rows: Vec<usize>,
    /// By epoch after a prepass, otherwise a single one for now.
    scales: Vec<Scales>,
    prepassed: bool,
    target: TargetContext,
    /// Drops in the order of all sources.
    drops: Option<TargetDrops>,
}

impl Pipeline {
    /// Opens the decoder for each source.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn open(decoder: &Arc<Decoder>, options: &Options, sources: &[Source<'_>]) -> Result<Pipeline, Fault> {
        let strands: Result<Vec<SourceStream>, Fault> =
            sources.iter().map(|source| SourceStream::open(decoder.clone(), options, source)).collect();
        Ok(Pipeline::of(strands?, (0..sources.len()).collect(), decoder))
    }

    /// Opens the decoder for a single source without a core.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn single(decoder: &Arc<Decoder>, options: &Options) -> Result<Pipeline, Fault> {
        Pipeline::open(decoder, options, &[Source::default()])
    }

    /// The same with the results of a prepass. Sources whose cores are not in order of time get several inputs, see
    /// [`Pipeline::inputs`].
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn in_order(
        decoder: &Arc<Decoder>,
        options: &Options,
        sources: &[Source<'_>],
        prepass: &Prepass,
    ) -> Result<Pipeline, Fault> {
        let (mut strands, mut of) = (Vec::new(), Vec::new());
        for (number, source) in sources.iter().enumerate() {
            for (i, reading) in prepass.readings(number).iter().enumerate() {
                strands.push(SourceStream::open(decoder.clone(), options, source)?.reading(reading, i == 0));
                of.push(number);
            }
        }
        let mut merged = Pipeline::of(strands, of, decoder);
        merged.set_prepass(prepass);
        Ok(merged)
    }

    fn of(strands: Vec<SourceStream>, sources: Vec<usize>, decoder: &Decoder) -> Pipeline {
        let count = sources.last().map_or(0, |last| last + 1);
        Pipeline {
            stamps: vec![SortTimes::new(&decoder.info); strands.len()],
            heads: vec![SourceHead::Waiting; strands.len()],
            rows: vec![0; strands.len()],
            strands,
            sources,
            scales: vec![Scales::default()],
            prepassed: false,
            target: TargetContext::new(decoder, count > 1),
            drops: TargetDrops::new(&decoder.info, count),
        }
    }

    /// Source of each input. All inputs of a source are fed the same bytes, each at its own pace.
    #[must_use]
    pub fn inputs(&self) -> &[usize] {
        &self.sources
    }

    /// There are other targets, so rows name their source.
    pub fn set_apart(&mut self) {
        self.target.apart = true;
    }

    /// Number of its sources.
    #[must_use]
    pub fn sources(&self) -> usize {
        self.strands.len()
    }

    /// Uses the results of a prepass, so that rates reported late also apply to earlier rows.
    pub fn set_prepass(&mut self, prepass: &Prepass) {
        self.scales = prepass.scales();
        self.prepassed = true;
        for (source, strand) in self.sources.iter().zip(&mut self.strands) {
            strand.set_clocks(prepass.clocks(*source));
        }
    }

    /// Sets the learned options of each source, before the first feed; see [`crate::decode::learned_options`].
    pub fn set_learned(&mut self, learned: &[LearnedOptions]) {
        for (source, strand) in self.sources.iter().zip(&mut self.strands) {
            learned.get(*source).into_iter().for_each(|learned| strand.set_learned(learned));
        }
    }

    /// Current counters of a source.
    #[must_use]
    pub fn counters(&self, source: usize) -> Option<&Counters> {
        let at = self.sources.iter().position(|s| *s == source)?;
        self.strands.get(at).map(SourceStream::counters)
    }

    /// Distributions of measured values of a source, with current names.
    #[must_use]
    pub fn distributions(&self, source: usize) -> Vec<Table> {
        self.strands.get(source).map_or_else(Vec::new, |strand| strand.distributions(&self.target))
    }

    /// What each kind takes of a source, with current names.
    #[must_use]
    pub fn kinds(&self, source: usize) -> Vec<NamedKind> {
        let at = self.sources.iter().position(|s| *s == source);
        at.and_then(|at| self.strands.get(at)).map_or_else(Vec::new, |strand| strand.kinds(&self.target))
    }

    /// Whether a source has told the rate of its time stamps.
    #[must_use]
    pub fn knows_rate(&self) -> bool {
        self.target.clock.known() || self.strands.iter().any(|strand| strand.clock().known())
    }

    /// Current names of all sources.
    #[must_use]
    pub fn dictionary(&self) -> &Dictionary {
        &self.target.dictionary
    }

    /// The first decoder fault.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.strands.iter().find_map(SourceStream::fault)
    }

    /// Whether an input needs to be fed.
    #[must_use]
    pub fn wants(&self, input: usize) -> bool {
        self.heads.get(input) == Some(&SourceHead::Waiting)
    }

    /// Whether all inputs have ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.heads.iter().all(|head| *head == SourceHead::Ended)
    }

    /// Whether rows wait for a silent input.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.heads.iter().any(|head| matches!(head, SourceHead::Row(_)))
    }

    /// Feeds an input for which [`Pipeline::wants`] holds, with at most [`spytui_plugin_api::chunk::MAX_CHUNK`] bytes.
    pub fn feed(&mut self, input: usize, pos: u64, bytes: &[u8], events: &[LogEvent], sink: &mut impl Sink) {
        if !self.wants(input) {
            return;
        }
        let Some(strand) = self.strands.get_mut(input) else { return };
        strand.skip_to(pos);
        strand.decode(bytes, events, sink, &mut self.target);
        let first = self.look(input, 0);
        self.strands[input].pass(first, &mut self.target);
        self.follow_clocks();
    }

    /// Ends an input for which [`Pipeline::wants`] holds.
    pub fn end(&mut self, input: usize) {
        if self.wants(input) {
            self.heads[input] = SourceHead::Ended;
        }
    }

    /// Feeds the START event of a single source.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn begin_stream(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        self.feed_stream(b"", &[LogEvent { pos: 0, host_ns: 0, kind: kind::START, arg: 0, text: Vec::new() }], sink)
    }

    /// Feeds bytes of a single source, of any length, with their stream events, and emits their rows.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn feed_stream(&mut self, bytes: &[u8], events: &[LogEvent], sink: &mut impl Sink) -> io::Result<()> {
        let mut events = events;
        let mut parts = bytes.chunks(MAX_CHUNK).peekable();
        loop {
            let part = parts.next().unwrap_or_default();
            let pos = self.stream_pos();
            let end = pos + part.len() as u64;
            // A stream event at the end of a part goes with the next part, unless there is none.
            let mine = if parts.peek().is_none() { events.len() } else { events.partition_point(|m| m.pos < end) };
            self.feed(0, pos, part, &events[..mine], sink);
            self.advance(sink, |_| true)?;
            events = &events[mine..];
            if parts.peek().is_none() {
                return Ok(());
            }
        }
    }

    /// Feeds the END event of a single source.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn end_stream(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        let pos = self.stream_pos();
        self.feed_stream(b"", &[LogEvent { pos, host_ns: 0, kind: kind::END, arg: 0, text: Vec::new() }], sink)
    }

    fn stream_pos(&self) -> u64 {
        self.strands.first().map_or(0, SourceStream::pos)
    }

    /// Finds the next head of an input, from a row of its last batch on. Returns the first row that goes with it.
    fn look(&mut self, input: usize, row: usize) -> usize {
        let (strand, stamps) = (&self.strands[input], &mut self.stamps[input]);
        let mut rows = (row..).zip(strand.batch().rows.iter().skip(row));
        let kept = rows.find(|(at, row)| {
            let kept = strand.keeps(*at);
            if !kept {
                stamps.pass(row);
            }
            kept
        });
        let Some((first, row)) = kept else {
            self.heads[input] = SourceHead::Waiting;
            self.rows[input] = strand.batch().rows.len();
            return self.rows[input];
        };
        let (mut head, mut time) = (first, stamps.of(row));
        // Rows that stand with the record behind them wait for its turn.
        while let Some(next) = strand.batch().rows.get(head + 1)
            && strand.batch().rows[head].has(RowFlags::OF_NEXT)
        {
            (head, time) = (head + 1, stamps.of(next));
        }
        self.heads[input] = SourceHead::Row(time);
        self.rows[input] = head;
        first
    }

    /// Emits all rows that are next. Rows of inputs that are `due` do not wait for silent inputs. Returns `true` if
    /// there were any.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn advance(&mut self, sink: &mut impl Sink, due: impl Fn(usize) -> bool) -> io::Result<bool> {
        let mut any = false;
        while let Some(input) = self.next(&due) {
            if self.strands.len() == 1 {
                // A single input needs no ordering.
                self.heads[input] = SourceHead::Waiting;
                self.strands[input].render(usize::MAX, &mut self.target, sink)?;
                return Ok(true);
            }
            let mut upto = self.rows[input];
            while self.next(&due) == Some(input) {
                if let Some(drops) = &mut self.drops {
                    self.strands[input].order_drops(self.rows[input], drops);
                }
                upto = self.look(input, self.rows[input] + 1);
            }
            self.strands[input].render(upto, &mut self.target, sink)?;
            self.follow_clocks();
            any = true;
        }
        Ok(any)
    }

    fn next(&self, due: &impl Fn(usize) -> bool) -> Option<usize> {
        next(&self.heads, |input, stamp| self.key(input, stamp), due)
    }

    /// Order by time, then source, then position in the stream.
    fn key(&self, input: usize, stamp: SortTime) -> (SortKey, usize, u64) {
        let source = self.sources[input];
        let scales = self.scales.get(stamp.epoch as usize).or(self.scales.last());
        let key = scales.map_or((stamp.epoch, None), |s| s.key(source, stamp));
        (key, source, self.strands[input].place(self.rows[input]))
    }

    /// Without a prepass, rates apply from when they are reported.
    fn follow_clocks(&mut self) {
        if self.prepassed {
            return;
        }
        let clocks: Vec<_> = self.strands.iter().map(SourceStream::clock).collect();
        self.target.clock = clocks.iter().copied().find(|c| c.known()).unwrap_or_default();
        self.scales = vec![Scales::new(&clocks)];
    }
}
