//! Whether bytes contain frames: which sets a target apart from noise, before there is a stream.

use std::sync::Arc;

use spytui_plugin_api::{Batch, RowFlags, Source, chunk::MAX_CHUNK};

use super::instance_host::InstanceHost;
use crate::{
    io::log::{LogEvent, kind},
    open::{Decoder, Options, guess::likely},
};

/// Good frames that a sender must have sent: in noise, every 256th piece has a good sum of 8 bits.
const FEWEST: usize = 2;

/// `true` if one of the decoders `tried` finds records in the bytes, several and more than damage, or if they are surely of another one of `all`: with
/// a wrong decoder the target is shown all the same.
pub fn has_frame(tried: &[(Arc<Decoder>, Options)], all: &[Arc<Decoder>], bytes: &[u8]) -> bool {
    let found = tried.iter().any(|(decoder, options)| has_records(decoder, options, bytes));
    found || likely(all, bytes).is_some_and(|likely| likely.sure)
}

fn has_records(decoder: &Decoder, options: &Options, bytes: &[u8]) -> bool {
    let Ok(instance) = decoder.open(options, &Source::default()) else { return true };
    let mut host = InstanceHost::new(instance, &decoder.info, 0).without_activities();
    let mut batch = Batch::default();
    let mut events = vec![LogEvent { pos: 0, host_ns: 0, kind: kind::START, arg: 0, text: Vec::new() }];
    for (at, part) in bytes.chunks(MAX_CHUNK).enumerate() {
        host.feed((at * MAX_CHUNK) as u64, part, &events, &mut batch);
        events.clear();
    }
    let skipped = batch.rows.iter().filter(|row| row.has(RowFlags::SKIPPED)).count();
    let good = batch.rows.iter().filter(|row| row.is_record() && !row.has(RowFlags::SKIPPED)).count();
    // A decoder that fails is no judge.
    host.fault().is_some() || (good >= FEWEST && good > skipped)
}
