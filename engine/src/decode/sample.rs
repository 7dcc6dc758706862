//! Decodes the start of a log to learn options that the target reports late, for consumers that read the log only once.

use std::sync::Arc;

use spytui_plugin_api::{
    Batch, Source,
    info::{prop, space},
};

use super::{
    instance_host::InstanceHost,
    learned_options::{LearnedOptions, OptionLearner},
};
use crate::{
    io::log::{Cursor, LogReader, RawLog},
    open::{Decoder, Options, guess::SAMPLE},
};

/// Options learned from the start of a log. It is decoded again with each option learned.
pub fn learn_from_beginning(decoder: &Decoder, options: &Options, log: &Arc<RawLog>) -> LearnedOptions {
    let mut learned = LearnedOptions::default();
    while let Some(more) = pass(decoder, options, log, &learned) {
        learned = more;
    }
    learned
}

/// Whether the start of a log leaves nothing to be guessed: the target reports its version before any record but one that
/// marks the start, or the decoder is certain.
pub fn is_known_at_start(decoder: &Decoder, options: &Options, log: &Arc<RawLog>) -> bool {
    let first = log.first();
    let Ok(instance) = decoder.open(options, &Source::default()) else { return false };
    let mut host = InstanceHost::new(instance, &decoder.info, first).without_activities();
    let (mut reader, mut batch) = (LogReader::new(log.clone(), Cursor { pos: first, event: 0 }), Batch::default());
    let Ok(true) = reader.next(first + SAMPLE as u64) else { return false };
    // What an instance says before its first byte comes from its options.
    host.feed(reader.pos, &[], &reader.events, &mut batch);
    batch.clear();
    host.feed(reader.pos, &reader.bytes, &[], &mut batch);
    let reported = |key| batch.dict.iter().find(|event| event.space == space::PROPS && event.key == key);
    if reported(prop::CERTAIN).is_some() {
        return true;
    }
    let Some(reported) = reported(prop::VERSION) else { return false };
    batch.rows.iter().take(reported.at as usize).filter(|row| row.is_record()).count() <= 1
}

fn pass(decoder: &Decoder, options: &Options, log: &Arc<RawLog>, before: &LearnedOptions) -> Option<LearnedOptions> {
    let first = log.first();
    // Errors are reported when the whole log is read.
    let instance = decoder.open(options, &Source::default()).ok()?;
    let mut host = InstanceHost::new(instance, &decoder.info, first).without_activities().with_learned(before);
    let mut reader = LogReader::new(log.clone(), Cursor { pos: first, event: 0 });
    let (mut batch, mut learner) = (Batch::default(), OptionLearner::new(first));
    while reader.next(first + SAMPLE as u64).ok()? {
        batch.clear();
        host.feed(reader.pos, &reader.bytes, &reader.events, &mut batch);
        let learned = learner.learn(&batch, options, before);
        if learned.is_some() {
            return learned;
        }
    }
    None
}
