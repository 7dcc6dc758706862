//! The pipeline of a target: decodes its sources, merges them and emits rendered rows. Each source is fed only as far
//! as the merge order needs; names are shared.

use std::{io, sync::Arc};

use spytui_plugin_api::{Fault, Source};

use super::{block::TargetContext, prepass::Prepass, sink::Sink, source_stream::SourceStream};
use crate::{
    analysis::{distribution::Table, kinds::NamedKind},
    decode::instance_host::LearnedOptions,
    io::log::{LogEvent, kind},
    open::{Decoder, Options},
    store::{Counters, Dictionary},
    trace::order::{Merge, Scales},
};

/// Decodes the sources of a target and emits their rows in one order. Each source has one input, or one per core if
/// cores must be put in order.
#[derive(Debug)]
pub struct Pipeline {
    streams: Vec<SourceStream>,
    /// Their rows in order, if there are several.
    merge: Merge,
    prepassed: bool,
    target: TargetContext,
}

impl Pipeline {
    /// Opens the decoder for each source.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn open(decoder: &Arc<Decoder>, options: &Options, sources: &[Source]) -> Result<Pipeline, Fault> {
        let streams: Result<Vec<SourceStream>, Fault> =
            sources.iter().map(|source| SourceStream::open(decoder.clone(), options, source)).collect();
        Ok(Pipeline::of(streams?, (0..sources.len()).collect(), decoder))
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
        sources: &[Source],
        prepass: &Prepass,
    ) -> Result<Pipeline, Fault> {
        let (mut streams, mut of) = (Vec::new(), Vec::new());
        for (number, source) in sources.iter().enumerate() {
            for (i, reading) in prepass.readings(number).iter().enumerate() {
                streams.push(SourceStream::open(decoder.clone(), options, source)?.reading(reading, i == 0));
                of.push(number);
            }
        }
        let mut merged = Pipeline::of(streams, of, decoder);
        merged.set_prepass(prepass);
        Ok(merged)
    }

    fn of(streams: Vec<SourceStream>, sources: Vec<usize>, decoder: &Decoder) -> Pipeline {
        let several = sources.last().is_some_and(|last| *last > 0);
        Pipeline {
            streams,
            merge: Merge::new(&decoder.info, sources),
            prepassed: false,
            target: TargetContext::new(decoder, several),
        }
    }

    /// Source of each input. All inputs of a source are fed the same bytes, each at its own pace.
    pub fn inputs(&self) -> &[usize] {
        self.merge.sources()
    }

    /// There are other targets, so rows name their source.
    pub fn set_apart(&mut self) {
        self.target.apart = true;
    }

    /// Number of its sources.
    pub fn sources(&self) -> usize {
        self.streams.len()
    }

    /// Uses the results of a prepass, so that rates reported late also apply to earlier rows.
    pub fn set_prepass(&mut self, prepass: &Prepass) {
        self.merge.set_scales(prepass.scales());
        self.prepassed = true;
        for (source, stream) in self.merge.sources().iter().zip(&mut self.streams) {
            stream.context.set_epoch_clocks(prepass.clocks(*source));
        }
    }

    /// Sets the learned options of each source, before the first feed; see [`crate::decode::instance_host`].
    pub fn set_learned(&mut self, learned: &[LearnedOptions]) {
        for (source, stream) in self.merge.sources().iter().zip(&mut self.streams) {
            learned.get(*source).into_iter().for_each(|learned| stream.instance.set_learned(learned));
        }
    }

    /// Current counters of a source.
    pub fn counters(&self, source: usize) -> Option<&Counters> {
        let at = self.inputs().iter().position(|s| *s == source)?;
        self.streams.get(at).map(|stream| &stream.counters)
    }

    /// Distributions of measured values of a source, with current names.
    pub fn distributions(&self, source: usize) -> Vec<Table> {
        let tables = |stream: &SourceStream| stream.distributions.tables(&stream.decoder.info, &self.target.names());
        self.streams.get(source).map_or_else(Vec::new, tables)
    }

    /// What each kind takes of a source, with current names.
    pub fn kinds(&self, source: usize) -> Vec<NamedKind> {
        let at = self.inputs().iter().position(|s| *s == source);
        let named = |stream: &SourceStream| stream.kinds.named(&stream.decoder.info, &self.target.names());
        at.and_then(|at| self.streams.get(at)).map_or_else(Vec::new, named)
    }

    /// Whether a source has reported the rate of its time stamps.
    pub fn knows_rate(&self) -> bool {
        self.target.clock.known() || self.streams.iter().any(|stream| stream.context.clock().known())
    }

    /// Current names of all sources.
    pub fn dictionary(&self) -> &Dictionary {
        &self.target.dictionary
    }

    /// The first decoder fault.
    pub fn fault(&self) -> Option<&Fault> {
        self.streams.iter().find_map(|stream| stream.instance.fault())
    }

    /// Whether an input needs to be fed.
    pub fn wants(&self, input: usize) -> bool {
        let is_read = |stream: &SourceStream| !stream.has_rows() && !self.merge.has_ended(input);
        self.streams.get(input).is_some_and(is_read)
    }

    /// Whether all inputs have ended.
    pub fn is_over(&self) -> bool {
        (0..self.streams.len()).all(|input| self.merge.has_ended(input))
    }

    /// Whether rows wait for a silent input.
    pub fn holds_back(&self) -> bool {
        self.merge.holds_back()
    }

    /// Feeds an input for which [`Pipeline::wants`] holds, with at most [`spytui_plugin_api::chunk::MAX_CHUNK`] bytes.
    pub fn feed(&mut self, input: usize, pos: u64, bytes: &[u8], events: &[LogEvent], sink: &mut impl Sink) {
        if !self.wants(input) {
            return;
        }
        let is_alone = self.streams.len() == 1;
        let Some(stream) = self.streams.get_mut(input) else { return };
        stream.skip_to(pos);
        stream.decode(bytes, events, sink, &mut self.target);
        if !is_alone {
            stream.wait(input, &mut self.merge);
            stream.pass(usize::MAX, &mut self.target);
        }
        self.follow_clocks();
    }

    /// Ends an input for which [`Pipeline::wants`] holds.
    pub fn end(&mut self, input: usize) {
        if self.wants(input) {
            self.merge.end(input);
        }
    }

    /// Feeds the stream of a single source from its beginning to its end, in chunks of at most this size, and emits its
    /// rows.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn feed_all(&mut self, bytes: &[u8], chunk: usize, sink: &mut impl Sink) -> io::Result<()> {
        let mut feed = |pos: usize, bytes: &[u8], event: Option<u16>| {
            let pos = pos as u64;
            let event = event.map(|kind| LogEvent { pos, host_ns: 0, kind, arg: 0, text: Vec::new() });
            self.feed(0, pos, bytes, event.as_slice(), sink);
            self.advance(sink, |_| true).map(drop)
        };
        feed(0, b"", Some(kind::START))?;
        for (i, part) in bytes.chunks(chunk).enumerate() {
            feed(i * chunk, part, None)?;
        }
        feed(bytes.len(), b"", Some(kind::END))
    }

    /// Emits all rows that are next. Rows of inputs that are `due` do not wait for silent inputs. Returns `true` if
    /// there were any.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn advance(&mut self, sink: &mut impl Sink, due: impl Fn(usize) -> bool) -> io::Result<bool> {
        // The rows of a single input are in order.
        if let [stream] = &mut *self.streams {
            let any = stream.has_rows();
            return stream.render(usize::MAX, &mut self.target, sink).map(|()| any);
        }
        let mut any = false;
        while let Some(input) = self.merge.next(&due) {
            let stream = &mut self.streams[input];
            let mut upto = 0;
            while self.merge.next(&due) == Some(input) {
                let drop = self.merge.take(input, |row, _| upto = stream.index_of(row));
                if let Some(drop) = drop {
                    stream.order_drops(upto, drop);
                }
            }
            let end = self.merge.first(input).map_or(usize::MAX, |row| stream.index_of(row));
            stream.render(end, &mut self.target, sink)?;
            self.follow_clocks();
            any = true;
        }
        Ok(any)
    }

    /// Without a prepass, rates apply from when they are reported.
    fn follow_clocks(&mut self) {
        if self.prepassed {
            return;
        }
        let clocks: Vec<_> = self.streams.iter().map(|stream| stream.context.clock()).collect();
        self.target.clock = clocks.iter().copied().find(|c| c.known()).unwrap_or_default();
        self.merge.set_scales(vec![Scales::new(&clocks)]);
    }
}
