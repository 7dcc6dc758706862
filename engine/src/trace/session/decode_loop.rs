//! Advances a decoding chunk by chunk.

use std::sync::{Arc, Mutex};

use spytui_plugin_api::{Batch, Fault, Source};

use super::{
    decoding::{Checkpoint, Decoding},
    leavable::IsLeft,
};
use crate::{
    decode::{
        instance_host::InstanceHost,
        learned_options::{LearnedOptions, OptionLearner},
        span::SpanState,
    },
    io::log::{Cursor, LogError, kind, reader::LogReader},
    store::Span,
};

/// Backlog above which spans are not computed while decoding, but later, for the rows shown.
const BULK: u64 = 4 << 20;

/// A decoding in progress.
#[derive(Debug)]
pub struct DecodeLoop {
    /// The result.
    pub decoded: Arc<Decoding>,
    reader: LogReader,
    instance: InstanceHost,
    span: SpanState,
    batch: Batch,
    spans: Vec<(Span, bool)>,
    /// Decodes without spans.
    bulk: bool,
    learner: OptionLearner,
    /// Options learned that apply to rows already decoded: everything should be decoded again with them.
    pub(super) learned: Option<LearnedOptions>,
    /// What it decodes is not used any more.
    pub(super) is_left: IsLeft,
}

impl DecodeLoop {
    /// Opens the decoder at the start of the decoding.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn open(decoded: Arc<Decoding>) -> Result<DecodeLoop, Fault> {
        let source = Source { index: decoded.source, core: decoded.core };
        let instance = decoded.decoder.open(&decoded.options, &source)?;
        let pos = decoded.begins;
        // From the oldest byte on, carrying over the state of discarded bytes; a row says how many they are.
        let begin = match pos <= decoded.log.first() {
            true => Cursor::default(),
            false => Cursor { pos, event: decoded.log.event_index_at(pos) },
        };
        let effects = decoded.decoder.effects(&decoded.options);
        let instance = InstanceHost::new(instance, &decoded.decoder.info, pos).with_effects(effects);
        Ok(DecodeLoop {
            reader: LogReader::new(decoded.log.clone(), begin),
            instance: instance.with_learned(&decoded.learned),
            span: SpanState::new(&decoded.decoder.info),
            batch: Batch::default(),
            spans: Vec::new(),
            bulk: false,
            learner: OptionLearner::new(pos),
            learned: None,
            is_left: IsLeft::default(),
            decoded,
        })
    }

    /// Decodes the next chunk; `false` if there is nothing new.
    ///
    /// # Errors
    /// If the log can't be read.
    pub fn step(&mut self) -> Result<bool, LogError> {
        self.decoded.forget_what_is_gone();
        let before = self.reader.at();
        if !self.reader.next(u64::MAX)? {
            return Ok(false);
        }
        if self.decoded.read().rows.at_segment_start() {
            let checkpoint = self.checkpoint();
            self.decoded.begin_segment(before, self.reader.pos, !self.bulk, checkpoint);
        }
        self.batch.clear();
        self.instance.feed(self.reader.pos, &self.reader.bytes, &self.reader.events, &mut self.batch);
        if self.is_left.get() {
            return Ok(false);
        }
        self.spans.clear();
        if !self.bulk {
            self.span.places(&self.batch, &mut self.spans);
        }
        let fed = self.reader.bytes.len() as u64;
        let bytes = (fed, self.instance.pending());
        let Decoding { options, learned, .. } = &*self.decoded;
        let learned = self.learner.learn(&self.batch, options, learned);
        self.decoded.add(&mut self.batch, &self.spans, bytes, self.instance.fault(), self.reader.at());
        if self.reader.events.iter().any(|event| event.kind == kind::END) {
            self.decoded.end();
        }
        self.learned = learned.or(self.learned.take());
        Ok(true)
    }

    /// Backlog in bytes.
    pub fn behind(&self) -> u64 {
        self.decoded.log.len().saturating_sub(self.reader.at().pos)
    }

    /// A checkpoint of the decoder before a segment; `None` if it can't be forked.
    fn checkpoint(&mut self) -> Option<Checkpoint> {
        self.bulk = self.behind() > BULK;
        self.instance.set_activities(!self.bulk);
        if self.bulk {
            self.span = self.span.interrupted();
        }
        let host = self.instance.fork().ok()?;
        Some(Checkpoint { host: Mutex::new(host), span: self.span })
    }
}
