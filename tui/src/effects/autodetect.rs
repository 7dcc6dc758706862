//! Probing the bytes of a source with the decoders.

use std::sync::Arc;

use spytui_engine::{
    decode::pattern,
    io::log::RawLog,
    open::{
        Decoder, Options,
        guess::{SAMPLE, likely, of_target, sample_of},
    },
    trace::session::Decoding,
};

use crate::model::Message;

/// Searches for field sizes that fit the bytes of a target, and with these for the pattern of damage.
pub(super) fn sizes(
    decoding: Arc<Decoding>,
    options: Options,
    logs: Vec<Arc<RawLog>>,
) -> impl FnOnce() -> Message + Send {
    move || {
        let found = of_target(&decoding.decoder, &options, &logs);
        let with = found.as_ref().map_or(&options, |(with, _)| with);
        let of_log = |log: &Arc<RawLog>| pattern(&decoding.decoder, with, &sample_of(log)?);
        let pattern = logs.iter().find_map(of_log);
        Message::Sizes { decoding, found, pattern }
    }
}

/// Probes the newest bytes with all decoders.
pub(super) fn ask(decoding: &Arc<Decoding>, decoders: &[Arc<Decoder>], asked_by_user: bool) -> Message {
    let sample = newest(&decoding.log);
    let found = likely(decoders, &sample);
    Message::Likely { decoding: decoding.clone(), found, empty: sample.is_empty(), asked_by_user }
}

/// The newest bytes, at most [`SAMPLE`].
fn newest(log: &RawLog) -> Vec<u8> {
    let from = log.len().saturating_sub(SAMPLE as u64).max(log.first());
    let mut sample = Vec::new();
    // What cannot be read looks like nothing.
    let _ = log.read_into(from, SAMPLE, &mut sample);
    sample
}
