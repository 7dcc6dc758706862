//! A first pass over files, because a target may report late what applies to a whole epoch.

use std::{io, sync::Arc};

use spytui_plugin_api::{Batch, Source};

use super::cores::{CoreFilter, Cores};
use crate::{
    decode::{Epochs, InstanceHost, LearnedOptions, RowContext},
    io::log::{Cursor, RawLog, reader::LogReader},
    open::{Decoder, Options},
    present::Clock,
    store::Dictionary,
    trace::order::Scales,
};

/// Results of a first pass over all sources of a target.
#[derive(Debug)]
pub struct Prepass {
    /// Clocks by source, then by epoch.
    clocks: Vec<Vec<Clock>>,
    /// Readings of each source, with their cores.
    readings: Vec<Vec<CoreFilter>>,
    names: Dictionary,
}

impl Prepass {
    /// Decodes these logs up to their current end, without rendering. Logs and learned options are in the order of the
    /// sources.
    ///
    /// # Errors
    /// If a log can't be read or the options contradict each other.
    pub fn of(
        decoder: &Decoder,
        options: &Options,
        sources: &[Source],
        logs: &[Arc<RawLog>],
        learned: &[LearnedOptions],
    ) -> io::Result<Prepass> {
        let mut prepass =
            Prepass { clocks: Vec::new(), readings: Vec::new(), names: Dictionary::new(&decoder.info, false) };
        let mut learned = learned.iter();
        for (source, log) in sources.iter().zip(logs) {
            let instance = decoder.open(options, source).map_err(io::Error::other)?;
            let mut instance = InstanceHost::new(instance, &decoder.info, 0).without_activities();
            learned.next().into_iter().for_each(|learned| instance.set_learned(learned));
            let mut reader = LogReader::new(log.clone(), Cursor::default());
            let (mut batch, mut of_source) = (Batch::default(), OfSource::default());
            while reader.next(u64::MAX).map_err(io::Error::other)? {
                batch.clear();
                instance.feed(reader.pos, &reader.bytes, &reader.events, &mut batch);
                of_source.add(&batch);
                batch.dict.iter().for_each(|e| prepass.names.apply(e, e.text.of(&batch.bytes), 0, 0, 0));
            }
            prepass.clocks.push(of_source.clocks());
            prepass.readings.push(of_source.cores.readings());
        }
        prepass.share();
        Ok(prepass)
    }

    /// A source without a clock rate uses that of the target's other sources.
    fn share(&mut self) {
        let epochs = self.clocks.iter().map(Vec::len).max().unwrap_or(0);
        for clocks in &mut self.clocks {
            clocks.resize(epochs, clocks.last().copied().unwrap_or_default());
        }
        for epoch in 0..epochs {
            let shared = self.clocks.iter().map(|c| c[epoch]).find(Clock::known);
            for clocks in self.clocks.iter_mut().filter(|c| !c[epoch].known()) {
                clocks[epoch] = shared.unwrap_or_default();
            }
        }
    }

    /// Clocks of a source by epoch.
    pub fn clocks(&self, source: usize) -> Vec<Clock> {
        self.clocks.get(source).cloned().unwrap_or_default()
    }

    /// Readings of a source: a single one if its rows are in order of time.
    pub(super) fn readings(&self, source: usize) -> &[CoreFilter] {
        self.readings.get(source).map_or(&[], Vec::as_slice)
    }

    /// Final names of all sources.
    pub fn names(&self) -> &Dictionary {
        &self.names
    }

    /// Time scales of all sources, by epoch.
    pub(super) fn scales(&self) -> Vec<Scales> {
        let epochs = self.clocks.first().map_or(0, Vec::len);
        let of_epoch = |epoch: usize| self.clocks.iter().map(|c| c[epoch]).collect::<Vec<_>>();
        (0..epochs).map(|epoch| Scales::new(&of_epoch(epoch))).collect()
    }
}

/// The first clock with a known rate that one of these logs reports, up to their current end.
///
/// # Errors
/// If a log can't be read or the options contradict each other.
pub fn first_clock(decoder: &Decoder, options: &Options, logs: &[Arc<RawLog>]) -> io::Result<Option<Clock>> {
    for log in logs {
        let instance = decoder.open(options, &Source::default()).map_err(io::Error::other)?;
        let mut instance = InstanceHost::new(instance, &decoder.info, 0).without_activities();
        let mut reader = LogReader::new(log.clone(), Cursor::default());
        let mut batch = Batch::default();
        while reader.next(u64::MAX).map_err(io::Error::other)? {
            batch.clear();
            instance.feed(reader.pos, &reader.bytes, &reader.events, &mut batch);
            if let Some(clock) = batch.clocks.iter().map(Clock::new).find(Clock::known) {
                return Ok(Some(clock));
            }
        }
    }
    Ok(None)
}

/// Clocks and cores of one source.
#[derive(Default)]
struct OfSource {
    context: RowContext,
    epochs: Epochs,
    cores: Cores,
}

impl OfSource {
    /// Adds the batch of a feed.
    fn add(&mut self, batch: &Batch) {
        for row in batch.rows.iter() {
            if self.epochs.step(row) {
                self.cores.reset();
            }
            self.cores.add(row);
        }
        self.context.begin_batch();
        self.context.advance(batch, usize::MAX, None);
    }

    /// Clocks by epoch; the last one of an epoch applies to the whole epoch, and the first one also to earlier epochs.
    fn clocks(&self) -> Vec<Clock> {
        (0..=self.context.epoch()).map(|epoch| self.context.clock_of(epoch)).collect()
    }
}
