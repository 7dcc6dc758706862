//! A first pass over files, because the target may report late what holds for a whole epoch.

use std::{io, sync::Arc};

use spytui_plugin_api::{Batch, Source};

use super::cores::{CoreFilter, Cores};
use crate::{
    decode::{instance_host::InstanceHost, learned_options::LearnedOptions},
    log::{Cursor, RawLog, reader::LogReader},
    order::{Epochs, Scales},
    plugin::{Decoder, Options},
    present::Clock,
    store::Dictionary,
};

/// What a first pass over all sources of a target has found out.
#[derive(Debug)]
pub struct Prepass {
    /// Of each source the clock of each epoch.
    clocks: Vec<Vec<Clock>>,
    /// Of each source how often it must be read, and for which cores.
    readings: Vec<Vec<CoreFilter>>,
    names: Dictionary,
}

impl Prepass {
    /// Decodes everything that these logs have now, without rendering. A log, and what is known to be told late in it,
    /// belong to the source of the same index.
    ///
    /// # Errors
    /// A log could not be read, or what is wrong with the options together.
    pub fn of(
        decoder: &Decoder,
        options: &Options,
        sources: &[Source<'_>],
        logs: &[Arc<RawLog>],
        learnt: &[LearnedOptions],
    ) -> io::Result<Prepass> {
        let mut survey =
            Prepass { clocks: Vec::new(), readings: Vec::new(), names: Dictionary::new(&decoder.info, false) };
        let mut learnt = learnt.iter();
        for (source, log) in sources.iter().zip(logs) {
            let instance = decoder.table.open(&options.vals(), source).map_err(io::Error::other)?;
            let mut feeder = InstanceHost::new(instance, 0).without_activities();
            learnt.next().into_iter().for_each(|learnt| feeder.set_learnt(learnt));
            let mut reader = LogReader::new(log.clone(), Cursor::default());
            let (mut batch, mut of_source) = (Batch::default(), OfSource::default());
            while reader.next(u64::MAX).map_err(io::Error::other)? {
                batch.clear();
                feeder.feed(reader.pos, &reader.bytes, &reader.marks, &mut batch);
                of_source.add(&batch);
                batch.dict.iter().for_each(|e| survey.names.apply(e, e.text.of(&batch.bytes), 0, 0, 0));
            }
            survey.clocks.push(of_source.clocks);
            survey.readings.push(of_source.cores.readings());
        }
        survey.share();
        Ok(survey)
    }

    /// Sources of one target share one clock unless told: one that told no rate has that of the others.
    fn share(&mut self) {
        let epochs = self.clocks.iter().map(Vec::len).max().unwrap_or(0);
        for clocks in &mut self.clocks {
            // A clock goes on until another is told: a step of the time tells none. What is told late holds before.
            let first = clocks.iter().copied().find(Clock::known).unwrap_or_default();
            clocks.iter_mut().take_while(|c| !c.known()).for_each(|c| *c = first);
            clocks.resize(epochs, clocks.last().copied().unwrap_or_default());
        }
        for epoch in 0..epochs {
            let shared = self.clocks.iter().map(|c| c[epoch]).find(Clock::known);
            for clocks in self.clocks.iter_mut().filter(|c| !c[epoch].known()) {
                clocks[epoch] = shared.unwrap_or_default();
            }
        }
    }

    /// The clock of each epoch of a source.
    #[must_use]
    pub fn clocks(&self, source: usize) -> Vec<Clock> {
        self.clocks.get(source).cloned().unwrap_or_default()
    }

    /// What each reading of a source keeps: all, where its rows are in order of time.
    pub(super) fn readings(&self, source: usize) -> &[CoreFilter] {
        self.readings.get(source).map_or(&[], Vec::as_slice)
    }

    /// The last name of everything, of all sources.
    #[must_use]
    pub fn names(&self) -> &Dictionary {
        &self.names
    }

    /// What makes the ticks of all sources comparable, in each epoch.
    pub(super) fn scales(&self) -> Vec<Scales> {
        let epochs = self.clocks.first().map_or(0, Vec::len);
        let of_epoch = |epoch: usize| self.clocks.iter().map(|c| c[epoch]).collect::<Vec<_>>();
        (0..epochs).map(|epoch| Scales::new(&of_epoch(epoch))).collect()
    }
}

/// The clocks of one source.
struct OfSource {
    epochs: Epochs,
    clocks: Vec<Clock>,
    cores: Cores,
}

impl Default for OfSource {
    fn default() -> Self {
        OfSource { epochs: Epochs::default(), clocks: vec![Clock::default()], cores: Cores::default() }
    }
}

impl OfSource {
    /// Takes over what a feed brought; the last clock of an epoch holds for all of it.
    fn add(&mut self, batch: &Batch) {
        let mut events = batch.clocks.iter().peekable();
        for (i, row) in batch.rows.iter().enumerate() {
            if self.epochs.step(row) {
                self.cores.reset();
                self.clocks.push(self.clocks.last().copied().unwrap_or_default());
            }
            self.cores.add(row);
            while let Some(event) = events.next_if(|e| e.at as usize <= i) {
                self.set(Clock::new(event));
            }
        }
        events.for_each(|event| self.set(Clock::new(event)));
    }

    fn set(&mut self, clock: Clock) {
        if let Some(last) = self.clocks.last_mut() {
            *last = clock;
        }
    }
}
