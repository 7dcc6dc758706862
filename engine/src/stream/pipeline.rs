//! The stream of a single source: decode, keep current names, render.

use std::{io, sync::Arc};

use spytui_plugin_api::{Fault, Source, chunk::MAX_CHUNK};

use super::{sink::Sink, source_stream::SourceStream, target_context::TargetContext};
use crate::{
    analysis::distribution::Table,
    decode::learned_options::LearnedOptions,
    log::{SideMark, kind},
    plugin::{Decoder, Options},
    store::{Counters, Dictionary},
};

/// Decodes and renders a single source.
#[derive(Debug)]
pub struct Pipeline {
    strand: SourceStream,
    target: TargetContext,
}

impl Pipeline {
    /// Opens the decoder for a single source.
    ///
    /// # Errors
    /// What is wrong with the options together.
    pub fn open(decoder: Arc<Decoder>, options: &Options) -> Result<Pipeline, Fault> {
        Pipeline::of_source(decoder, options, &Source::default())
    }

    /// The same with source details.
    ///
    /// # Errors
    /// What is wrong with the options together.
    pub fn of_source(decoder: Arc<Decoder>, options: &Options, source: &Source<'_>) -> Result<Pipeline, Fault> {
        let target = TargetContext::new(&decoder, false);
        Ok(Pipeline { strand: SourceStream::open(decoder, options, source)?, target })
    }

    /// Sets learned options, see [`crate::decode::learned_options`].
    #[must_use]
    pub fn with_learnt(mut self, learnt: &LearnedOptions) -> Pipeline {
        self.strand.set_learnt(learnt);
        self
    }

    /// Current counters.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        self.strand.counters()
    }

    /// Distributions of measured values, with current names.
    #[must_use]
    pub fn spreads(&self) -> Vec<Table> {
        self.strand.spreads(&self.target)
    }

    /// Current names.
    #[must_use]
    pub fn dictionary(&self) -> &Dictionary {
        &self.target.dictionary
    }

    /// The decoder's fault, if it failed.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.strand.fault()
    }

    /// Position of the next byte to feed.
    #[must_use]
    pub fn pos(&self) -> u64 {
        self.strand.pos()
    }

    /// Feeds the START event.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn begin(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        self.feed(b"", &[SideMark { pos: 0, host_ns: 0, kind: kind::START, arg: 0, text: Vec::new() }], sink)
    }

    /// Feeds the END event.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn end(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        let pos = self.pos();
        self.feed(b"", &[SideMark { pos, host_ns: 0, kind: kind::END, arg: 0, text: Vec::new() }], sink)
    }

    /// Feeds bytes with their stream events.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn feed(&mut self, bytes: &[u8], marks: &[SideMark], sink: &mut impl Sink) -> io::Result<()> {
        self.feed_at(self.pos(), bytes, marks, sink)
    }

    /// The same at a position: after the last byte, unless bytes in between were lost by the host.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn feed_at(&mut self, pos: u64, bytes: &[u8], marks: &[SideMark], sink: &mut impl Sink) -> io::Result<()> {
        self.strand.skip_to(pos);
        let mut marks = marks;
        let mut parts = bytes.chunks(MAX_CHUNK).peekable();
        loop {
            let part = parts.next().unwrap_or_default();
            let end = self.pos() + part.len() as u64;
            // A stream event at the end of a part goes with the next part, unless there is none.
            let mine = if parts.peek().is_none() { marks.len() } else { marks.partition_point(|m| m.pos < end) };
            self.strand.decode(part, &marks[..mine], sink, &mut self.target);
            self.strand.render(usize::MAX, &mut self.target, sink)?;
            marks = &marks[mine..];
            if parts.peek().is_none() {
                return Ok(());
            }
        }
    }
}
