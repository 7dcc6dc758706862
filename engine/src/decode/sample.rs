//! Decodes the beginning of a log to learn what the target reports late, for those who read the log once, in order.

use std::sync::Arc;

use spytui_plugin_api::{Batch, Source};

use super::{
    instance_host::InstanceHost,
    learned_options::{LearnedOptions, OptionLearner},
};
use crate::{
    log::{Cursor, LogReader, RawLog},
    plugin::{Decoder, Options, guess::SAMPLE},
};

/// The options that the beginning of a log reports late. It is decoded again with each option learned.
#[must_use]
pub fn learn_from_beginning(decoder: &Decoder, options: &Options, log: &Arc<RawLog>) -> LearnedOptions {
    let mut learned = LearnedOptions::default();
    while let Some(more) = pass(decoder, options, log, &learned) {
        learned = more;
    }
    learned
}

fn pass(decoder: &Decoder, options: &Options, log: &Arc<RawLog>, before: &LearnedOptions) -> Option<LearnedOptions> {
    let first = log.first();
    // What can't be opened or read is reported by whoever reads the whole log.
    let instance = decoder.table.open(&options.vals(), &Source::default()).ok()?;
    let mut host = InstanceHost::new(instance, first).without_activities().with_learnt(before);
    let mut reader = LogReader::new(log.clone(), Cursor { pos: first, mark: 0 });
    let (mut batch, mut learner) = (Batch::default(), OptionLearner::new(first));
    while reader.next(first + SAMPLE as u64).ok()? {
        batch.clear();
        host.feed(reader.pos, &reader.bytes, &reader.marks, &mut batch);
        let learned = learner.learn(&batch, options, before);
        if learned.is_some() {
            return learned;
        }
    }
    None
}
