//! The example decoder of ARM's ITM as a plugin: live over TCP, complete and damaged, and as a trace for Perfetto.

use std::{io::Write as _, net::TcpListener, path::PathBuf};

use prost::Message as _;
use spytui_engine::export::perfetto::proto::{EventType, Trace};
use spytui_plugin_host::kit::Random;

use crate::rig::{Stage, folder, program, spytui};

#[path = "../../../examples/itm/tests/encoder/mod.rs"]
mod encoder;

/// The library of the test build.
fn library() -> String {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    let name = format!("{DLL_PREFIX}itm{DLL_SUFFIX}");
    let path: PathBuf = std::env::current_exe().unwrap().parent().unwrap().join(name);
    assert!(path.exists(), "{} was not built", path.display());
    path.display().to_string()
}

/// The program on a link over which the target sends these bytes piece by piece.
fn live(bytes: &[u8]) -> Stage {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let plugin = library();
    let args = ["--plugin", &plugin, "--proto", "itm", "-o", "clock=1000000", "--tcp", &address];
    let stage = spytui(args).start();
    let (mut peer, _) = server.accept().unwrap();
    stage.shows("live");
    bytes.chunks(7).for_each(|piece| peer.write_all(piece).unwrap());
    stage
}

#[test]
fn a_target_is_followed_live_and_its_link_breaks() {
    let mut stage = live(&encoder::session(20));
    stage.shows("round 19");
    stage.shows("link down");
    stage.types("gg");
    stage.shows("SysTick");
    stage.shows("IRQ 7");
    stage.command("filter exception:23");
    stage.shows_not("round");
    stage.shows("IRQ 7");
}

#[test]
fn what_is_damaged_is_reported_and_the_rest_is_shown() {
    let damaged = Random::new(3).damage(&encoder::session(20), 6);
    let end = encoder::text(0, "that was all\n");
    let stage = live(&[&damaged[..], &encoder::SYNC, &end, &encoder::local(5, 0)].concat());
    stage.shows("that was all");
}

#[test]
fn interrupts_are_slices_of_a_perfetto_trace() {
    let folder = folder();
    let [swo, out] = ["swo.bin", "out.pftrace"].map(|name| folder.path().join(name).display().to_string());
    std::fs::write(&swo, encoder::session(20)).unwrap();
    let plugin = library();
    let args = ["export", "perfetto", "--plugin", &plugin, "--proto", "itm", "-o", "clock=1000000", &swo, "-O", &out];
    assert_eq!(program(env!("CARGO_BIN_EXE_spytui"), args).start().code(), 0);
    let trace = Trace::decode(&std::fs::read(out).unwrap()[..]).unwrap();
    let events = || trace.packet.iter().filter_map(|packet| Some((packet.timestamp?, packet.track_event.as_ref()?)));
    let begins = |name: &str| {
        let mine = events().filter(|(_, event)| event.r#type() == EventType::SliceBegin && event.name().contains(name));
        mine.map(|(time, _)| time).collect::<Vec<_>>()
    };
    let (outer, inner) = (begins("SysTick"), begins("IRQ 7"));
    assert_eq!((outer.len(), inner.len()), (20, 20));
    // In microseconds: text after 900, then a packet every 5.
    assert_eq!((outer[0], inner[0]), (905_000, 910_000));
    assert!(outer.iter().zip(&inner).all(|(outer, inner)| outer < inner));
    let ends = events().filter(|(_, event)| event.r#type() == EventType::SliceEnd);
    assert_eq!(ends.count(), 40);
}
