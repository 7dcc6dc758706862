//! The pipeline of a target: decodes its sources, merges them and emits rendered rows. Each source is fed only as far
//! as the merge order needs; names are shared.

use std::{io, ops::Range, sync::Arc};

use spytui_plugin_api::{Batch, Fault, Row, RowFlags, RowKind, Source, Verb, chunk::MAX_CHUNK};

use super::{
    block::{FilteredPart, RowBlock, Sink, StreamWindow, TargetContext, has_severity_from_rendering, pieces, together},
    parts::most_parts,
    prepass::{KeptRows, Prepass},
};
use crate::{
    analysis::{
        distribution::{DistributionTable, Distributions},
        kinds::{KindTally, NamedKind},
    },
    decode::{InstanceHost, NameTarget, RowContext, instance_host::LearnedOptions},
    io::log::{LogEvent, kind},
    open::{Decoder, Options},
    query::Expr,
    row::{Renderer, subject::passes_all},
    store::{Counters, Dictionary},
    trace::order::{DropInOrder, Merge, Scales},
};

/// Decodes the sources of a target and emits their rows in one order. Each source has one input, or one per core if
/// cores must be put in order.
#[derive(Debug)]
pub struct Pipeline {
    streams: Vec<SourceStream>,
    /// Merges several inputs.
    merge: Merge,
    prepassed: bool,
    target: TargetContext,
}

impl Pipeline {
    /// Opens the decoder for each source.
    pub fn open(decoder: &Arc<Decoder>, options: &Options, sources: &[Source]) -> Result<Pipeline, Fault> {
        let streams: Result<Vec<SourceStream>, Fault> =
            sources.iter().map(|source| SourceStream::open(decoder.clone(), options, source)).collect();
        Ok(Pipeline::of(streams?, (0..sources.len()).collect(), decoder))
    }

    /// [`Pipeline::open`] with the results of a prepass. Sources whose cores are not in time order get several inputs,
    /// see [`Pipeline::inputs`].
    pub fn in_order(
        decoder: &Arc<Decoder>,
        options: &Options,
        sources: &[Source],
        prepass: &Prepass,
    ) -> Result<Pipeline, Fault> {
        let (mut streams, mut of) = (Vec::new(), Vec::new());
        for (number, source) in sources.iter().enumerate() {
            for (i, reading) in prepass.readings(number).iter().enumerate() {
                let kept = KeptRows::new(reading, i == 0);
                let stream = SourceStream::open(decoder.clone(), options, source)?;
                streams.push(SourceStream { kept, leads: i == 0, ..stream });
                of.push(number);
            }
        }
        let mut merged = Pipeline::of(streams, of, decoder);
        merged.set_prepass(prepass);
        Ok(merged)
    }

    fn of(streams: Vec<SourceStream>, sources: Vec<usize>, decoder: &Decoder) -> Pipeline {
        let dictionary = Dictionary::new(&decoder.info, false);
        let several = sources.last().is_some_and(|last| *last > 0);
        Pipeline {
            streams,
            merge: Merge::new(&decoder.info, sources),
            prepassed: false,
            target: TargetContext { dictionary, several, ..TargetContext::default() },
        }
    }

    /// Source of each input. All inputs of a source are fed the same bytes, each at its own pace.
    pub fn inputs(&self) -> &[usize] {
        &self.merge.sources
    }

    /// Makes rows name their source, because there are other targets.
    pub fn set_apart(&mut self) {
        self.target.apart = true;
    }

    pub fn sources(&self) -> usize {
        self.streams.len()
    }

    /// Uses the results of a prepass, so that rates reported late also apply to earlier rows.
    pub fn set_prepass(&mut self, prepass: &Prepass) {
        self.merge.scales = prepass.scales();
        self.prepassed = true;
        for (source, stream) in self.merge.sources.iter().zip(&mut self.streams) {
            stream.context.set_epoch_clocks(prepass.clocks(*source));
        }
    }

    /// Sets the learned options of each source, before the first feed; see [`crate::decode::instance_host`].
    pub fn set_learned(&mut self, learned: &[LearnedOptions]) {
        for (source, stream) in self.merge.sources.iter().zip(&mut self.streams) {
            learned.get(*source).into_iter().for_each(|learned| stream.instance.set_learned(learned));
        }
    }

    pub fn counters(&self, source: usize) -> Option<&Counters> {
        self.first_stream(source).map(|stream| &stream.counters)
    }

    fn first_stream(&self, source: usize) -> Option<&SourceStream> {
        self.streams.get(self.inputs().iter().position(|of| *of == source)?)
    }

    /// Distributions of measured values of a source, with current names.
    pub fn distributions(&self, source: usize) -> Vec<DistributionTable> {
        let tables = |stream: &SourceStream| stream.distributions.tables(&stream.decoder.info, &self.target.names());
        self.first_stream(source).map_or_else(Vec::new, tables)
    }

    /// Rows and bytes of each kind of a source, with current names.
    pub fn kinds(&self, source: usize) -> Vec<NamedKind> {
        let named = |stream: &SourceStream| stream.kinds.named(&stream.decoder.info, &self.target.names());
        self.first_stream(source).map_or_else(Vec::new, named)
    }

    /// Whether a source has reported the rate of its time stamps.
    pub fn knows_rate(&self) -> bool {
        self.target.clock.known() || self.streams.iter().any(|stream| stream.context.clock.known())
    }

    pub fn dictionary(&self) -> &Dictionary {
        &self.target.dictionary
    }

    /// The first decoder fault.
    pub fn fault(&self) -> Option<&Fault> {
        self.streams.iter().find_map(|stream| stream.instance.fault())
    }

    pub fn wants(&self, input: usize) -> bool {
        let is_read = |stream: &SourceStream| !stream.has_rows() && !self.merge.has_ended(input);
        self.streams.get(input).is_some_and(is_read)
    }

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

    /// Emits all rows whose turn it is; `true` if any. Rows of inputs that are `due` do not wait for silent inputs.
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
        let clocks: Vec<_> = self.streams.iter().map(|stream| stream.context.clock).collect();
        self.target.clock = clocks.iter().copied().find(|c| c.known()).unwrap_or_default();
        self.merge.scales = vec![Scales::new(&clocks)];
    }
}

#[derive(Debug)]
pub(super) struct SourceStream {
    pub(super) decoder: Arc<Decoder>,
    options: Options,
    /// Version of the format lines passed to a decoder that accepts them.
    formats: u64,
    renderer: Renderer,
    number: u16,
    /// The rows it emits if the source is read several times.
    kept: Option<KeptRows>,
    /// It is the first reading of its source, which reports what all readings share.
    leads: bool,
    pub(super) instance: InstanceHost,
    batch: Batch,
    /// Number of rows in earlier batches.
    rows_before: u64,
    /// Index of the next row to render.
    next: usize,
    pub(super) context: RowContext,
    pub(super) counters: Counters,
    pub(super) distributions: Distributions,
    pub(super) kinds: KindTally,
    window: StreamWindow,
    parts: Vec<FilteredPart>,
    /// Host time before the batch.
    host_ns: Option<u64>,
    /// Host times within the batch, with the positions where they begin.
    host_times: Vec<(u64, u64)>,
    /// Position of the next byte to feed.
    pub(super) pos: u64,
}

impl SourceStream {
    pub(super) fn open(decoder: Arc<Decoder>, options: &Options, source: &Source) -> Result<SourceStream, Fault> {
        let formats = decoder.formatting.lines.version();
        let instance = decoder.open(options, source)?;
        Ok(SourceStream {
            instance: InstanceHost::new(instance, &decoder.info, 0).with_effects(decoder.effects(options)),
            number: source.index,
            kept: None,
            leads: true,
            batch: Batch::default(),
            rows_before: 0,
            next: 0,
            context: RowContext::default(),
            counters: Counters::default(),
            distributions: Distributions::new(&decoder.info),
            kinds: KindTally::default(),
            window: StreamWindow::default(),
            parts: (0..most_parts()).map(|_| FilteredPart::default()).collect(),
            host_ns: None,
            host_times: Vec::new(),
            pos: 0,
            renderer: decoder.renderer(options),
            options: options.clone(),
            formats,
            decoder,
        })
    }

    /// Whether some rows of the last batch are not rendered yet.
    pub(super) fn has_rows(&self) -> bool {
        self.next < self.batch.rows.len()
    }

    fn keeps(&self, row: usize) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.has(row))
    }

    /// Queues the rows of the last batch for merging.
    pub(super) fn wait(&self, input: usize, merge: &mut Merge) {
        let mut attachments = self.batch.attachments.as_slice();
        for (i, row) in self.batch.rows.iter().enumerate() {
            let own = attachments.iter().take_while(|attachment| attachment.at as usize <= i).count();
            let (own, later) = attachments.split_at(own);
            attachments = later;
            if self.keeps(i) {
                merge.add(input, self.rows_before + i as u64, row, own);
            } else {
                merge.pass(input, row);
            }
        }
        merge.release(input);
    }

    /// Index of a row in the last batch, by its number in the stream.
    pub(super) fn index_of(&self, row: u64) -> usize {
        row.saturating_sub(self.rows_before) as usize
    }

    /// Corrects a record with a total of dropped records, and the rows that precede it, for the order of all sources.
    pub(super) fn order_drops(&mut self, at: usize, drop: DropInOrder) {
        let Batch { rows, attachments, activities, .. } = &mut self.batch;
        let range = |row: usize| {
            let of = |at: usize| attachments.partition_point(|attachment| (attachment.at as usize) < at);
            of(row)..of(row + 1)
        };
        if at >= rows.len() {
            return;
        }
        let first = at - rows[..at].iter().rev().take_while(|row| row.has(RowFlags::OF_NEXT)).count();
        let about = range(first).start..range(at).start;
        attachments[about].iter_mut().for_each(|attachment| *attachment = drop.corrected(*attachment));
        let drop_row = rows[first..at].iter().any(|row| row.kind == RowKind::DROP);
        rows[at].flags = rows[at].flags.difference(RowFlags::REDUNDANT) | drop.flags(drop_row);
        for (i, _) in rows.iter().enumerate().take(at).skip(first).filter(|(_, row)| !drop.keeps(row.kind)) {
            self.kept.get_or_insert_with(|| KeptRows::all(rows.len())).leave_out(i);
        }
        let own = activities.partition_point(|activity| (activity.at as usize) < at);
        let mut wrong = false;
        for activity in activities.iter_mut().skip(own).take_while(|activity| activity.at as usize == at) {
            wrong |= !drop.keeps_activity(activity.verb);
            if activity.verb == Verb::LOST {
                activity.val = drop.lost();
            }
        }
        if wrong {
            activities.retain(|activity| activity.at as usize != at || drop.keeps_activity(activity.verb));
        }
    }

    /// The host lost the bytes before `pos`.
    pub(super) fn skip_to(&mut self, pos: u64) {
        if pos != self.pos {
            self.window.restart(pos);
            self.pos = pos;
        }
    }

    /// Decodes a chunk; all rows of the previous one must be rendered.
    pub(super) fn decode(
        &mut self,
        bytes: &[u8],
        events: &[LogEvent],
        sink: &mut impl Sink,
        target: &mut TargetContext,
    ) {
        self.window.add(bytes, self.instance.oldest_pending(), self.most_kept());
        self.rows_before += self.batch.rows.len() as u64;
        self.batch.clear();
        self.next = 0;
        self.context.begin_batch();
        self.instance.wants_activities = sink.activities();
        self.instance.leaves_effects = has_severity_from_rendering(sink);
        let with_formats = self.changed_formats().map(|changed| [&[changed], events].concat());
        let events = with_formats.as_deref().unwrap_or(events);
        self.instance.feed(self.pos, bytes, events, &mut self.batch);
        self.pos += bytes.len() as u64;
        if let Some(filter) = sink.filter() {
            filter.learn(&self.decoder.info, &self.decoder.formatting, &self.batch);
        }
        self.counters.add(&self.batch, bytes.len() as u64, self.instance.pending());
        if let Some(kept) = &mut self.kept {
            kept.look(&mut self.batch.rows);
        }
        self.leave_out_masked();
        if self.leads && sink.measures() {
            self.distributions.add(&self.batch);
            self.kinds.add(&self.batch);
        }
        self.host_ns = self.host_times.last().map(|(_, ns)| *ns).or(self.host_ns);
        self.host_times.clear();
        let times = events.iter().filter(|m| matches!(m.kind, kind::TIME | kind::DATAGRAM) && m.host_ns != 0);
        self.host_times.extend(times.map(|event| (event.pos, event.host_ns)));
        self.advance(0, target);
        rename(target, sink);
    }

    /// The event that format files changed: they apply from here on, as earlier bytes are gone.
    fn changed_formats(&mut self) -> Option<LogEvent> {
        let version = self.decoder.formatting.lines.version();
        if std::mem::replace(&mut self.formats, version) == version {
            return None;
        }
        let text = self.decoder.formats_event(&self.options);
        if text.is_empty() {
            return None;
        }
        Some(LogEvent { pos: self.pos, host_ns: 0, kind: kind::OPTIONS, arg: 0, text })
    }

    /// Removes rows that an option disables.
    fn leave_out_masked(&mut self) {
        let rows = &self.batch.rows;
        let Some(first) = rows.iter().position(|row| row.has(RowFlags::MASKED)) else { return };
        let kept = self.kept.get_or_insert_with(|| KeptRows::all(rows.len()));
        for (at, _) in rows.iter().enumerate().skip(first).filter(|(_, row)| row.has(RowFlags::MASKED)) {
            kept.leave_out(at);
        }
    }

    /// Maximum number of bytes kept for later rows: fragments of a record may be far apart, but the window is bounded.
    fn most_kept(&self) -> usize {
        let pending = usize::try_from(self.decoder.info.max_pending).ok().filter(|&n| n > 0).unwrap_or(1 << 20);
        pending.max(MAX_CHUNK).saturating_mul(4)
    }

    /// Renders rows up to index `upto`, and advances the context.
    pub(super) fn render(&mut self, upto: usize, target: &mut TargetContext, sink: &mut impl Sink) -> io::Result<()> {
        let upto = upto.min(self.batch.rows.len());
        if sink.want().is_empty() && !sink.single() {
            // Only counts the rows.
            self.next = upto;
            self.advance(upto, target);
            return Ok(());
        }
        self.pass(upto, target);
        rename(target, sink);
        while self.next < upto {
            let rejects_all = sink.filter().is_some_and(|filter| filter.rest == Expr::nothing());
            let rejected = rejects_all.then(|| self.reject(upto, target));
            self.next = match rejected.flatten() {
                Some(next) => next,
                None => self.render_block(self.next..upto, target, sink)?,
            };
            self.advance(self.next, target);
            self.pass(upto, target);
            rename(target, sink);
        }
        Ok(())
    }

    /// Skips rows up to index `upto`.
    pub(super) fn pass(&mut self, upto: usize, target: &mut TargetContext) {
        let first = self.next;
        let upto = upto.min(self.batch.rows.len());
        while self.next < upto && !self.keeps(self.next) {
            self.next += 1;
        }
        if self.next > first {
            self.advance(self.next, target);
        }
    }

    /// Advances the context to row `at`. Only the first reading of a source sets names.
    fn advance(&mut self, at: usize, target: &mut TargetContext) {
        let dictionary = &mut target.dictionary;
        let names = self.leads.then_some(NameTarget { dictionary, first_row: self.rows_before, source: self.number });
        self.context.advance(&self.batch, at, names);
    }

    /// Skips rows with a common context that the filter rejects; `None` if the first one passes every filter.
    fn reject(&self, upto: usize, target: &mut TargetContext) -> Option<usize> {
        let first = self.next;
        let end = self.context.next_change(&self.batch, upto, &target.dictionary);
        let end = self.kept.as_ref().map_or(end, |kept| kept.stop(first, end));
        let rows = self.batch.rows.get(first..end)?;
        let (_, rest) = rows.split_first().filter(|(head, _)| !passes_all(head))?;
        let stop = |row: &Row| passes_all(row) || row.has(RowFlags::EPOCH);
        let rejected = &rows[..=rest.iter().position(stop).unwrap_or(rest.len())];
        target.pass(rejected, &self.context);
        Some(first + rejected.len())
    }

    /// Renders the first of these rows and the following ones with the same context; returns the index after them.
    fn render_block(
        &mut self,
        rows: Range<usize>,
        target: &mut TargetContext,
        sink: &mut impl Sink,
    ) -> io::Result<usize> {
        let SourceStream { decoder, renderer, batch, window, context, host_ns, host_times, parts, .. } = self;
        let first = rows.start;
        let end = self.kept.as_ref().map_or(rows.end, |kept| kept.stop(first, rows.end));
        let pieces = pieces(batch, first, window);
        let block = RowBlock {
            decoder,
            renderer,
            batch,
            first,
            rows: together(batch, first..end, context, &target.dictionary),
            window,
            pieces: pieces.as_deref(),
            context,
            source: self.number,
            host_ns: *host_ns,
            host_times,
        };
        block.emit(target, parts, sink)?;
        target.pass(block.rows, context);
        Ok(first + block.rows.len())
    }
}

fn rename(target: &mut TargetContext, sink: &mut impl Sink) {
    if let Some(filter) = sink.filter() {
        filter.rename(&mut target.dictionary);
    }
}
