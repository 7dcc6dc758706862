//! Traces of streams of the test protocol, damaged and from several sources, and of logs that grow during the export.

#![allow(clippy::unwrap_used)]

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, atomic::AtomicBool},
};

use proptest::prelude::*;
use prost::Message;
use spytui_engine::{
    export::{
        capture::Inputs,
        perfetto::{
            export,
            proto::{EventType, Trace},
        },
    },
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options, Origin, Registry},
};
use spytui_plugin_api::Source;
use spytui_plugin_host::kit::Random;
use spytui_testing_decoder::stream::mixed;

fn toy() -> Arc<Decoder> {
    let mut registry = Registry::new();
    registry.add(spytui_testing_decoder::plugin(), &Origin::BuiltIn).unwrap();
    registry.find("toy").unwrap()
}

fn log(bytes: &[u8], ends: bool) -> Arc<RawLog> {
    let log = RawLog::new(&LogOptions::default());
    log.append(bytes, 1);
    if ends {
        log.end(1);
    }
    log
}

fn traced(logs: &[Arc<RawLog>]) -> Vec<u8> {
    let (decoder, options) = (toy(), Options::default());
    let sources: Vec<Source> = (0..logs.len() as u16).map(|index| Source { index, core: index }).collect();
    let inputs = Inputs { decoder: &decoder, options: &options, sources: &sources, logs };
    let mut out = Vec::new();
    let exported = export(&inputs, &mut out, &AtomicBool::new(false)).unwrap();
    let trace = Trace::decode(out.as_slice()).unwrap();
    assert_eq!(exported.tracks + exported.events, trace.packet.len() as u64);
    assert_eq!(exported.fault, None);
    out
}

/// Each track is described once, before any event on it, and below a described parent. No slice ends before it begins,
/// even if time goes back.
fn is_sound(bytes: &[u8]) {
    let mut known = HashSet::new();
    let mut open: HashMap<u64, Vec<u64>> = HashMap::new();
    for packet in Trace::decode(bytes).unwrap().packet {
        if let Some(track) = &packet.track_descriptor {
            assert!(track.parent_uuid.is_none_or(|p| known.contains(&p)) && known.insert(track.uuid()));
        } else if let Some(event) = &packet.track_event {
            assert!(known.contains(&event.track_uuid()) && packet.timestamp.is_some());
            assert!(i64::try_from(packet.timestamp()).is_ok());
            let begun = open.entry(event.track_uuid()).or_default();
            match event.r#type() {
                EventType::SliceBegin => begun.push(packet.timestamp()),
                EventType::SliceEnd => assert!(begun.pop().is_none_or(|begin| begin <= packet.timestamp())),
                _ => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_stream_gives_a_sound_trace(seed: u64, frames in 0_usize..200, edits in 0_usize..40, sources in 1_usize..4) {
        let mut random = Random::new(seed);
        let stream = |i: u64| mixed(seed ^ i, frames);
        let logs: Vec<_> = (0..sources as u64).map(|i| log(&random.damage(&stream(i), edits), true)).collect();
        is_sound(&traced(&logs));
    }
}

#[test]
fn a_log_that_goes_on_is_exported_as_far_as_it_is() {
    let bytes = mixed(7, 300);
    let open = traced(&[log(&bytes, false)]);
    assert!(open.len() > 1000 && open == traced(&[log(&bytes, true)]));
}

#[test]
fn it_stops_when_asked() {
    let (decoder, options) = (toy(), Options::default());
    let (sources, logs) = ([Source::default()], [log(&mixed(7, 30), true)]);
    let inputs = Inputs { decoder: &decoder, options: &options, sources: &sources, logs: &logs };
    let stopped = export(&inputs, Vec::new(), &AtomicBool::new(true)).unwrap_err();
    assert_eq!(stopped.to_string(), "stopped");
}
