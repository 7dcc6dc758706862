//! The rules of the plugin API, on captures, damaged copies and noise.

use crate::common::{decoder, reference};
use spytui_decoder_harness::conform_captures;
use spytui_decoder_harness::encode::tband::Stream;
use spytui_plugin_host::kit::{Sample, conform};

/// Bytes used of each capture, which is decoded dozens of times.
const MOST: usize = 6_000;

fn prove(names: &[&str], opts: &[(&str, &[u8])]) {
    conform_captures(decoder(), env!("CARGO_MANIFEST_DIR"), names, MOST, opts);
}

#[test]
fn native() {
    prove(&["edge_frames_freertos", "boiler_two_core.c0", "brew_late"], &[]);
}

#[test]
fn native_of_damaged_streams() {
    prove(&["damaged_boiler_noise", "damaged_brew_gaps", "damaged_boiler_flips"], &[("mode", b"bare-metal")]);
}

#[test]
fn with_short_frames() {
    prove(&["boiler_long_text", "damaged_boiler_noise"], &[("max-frame", b"16"), ("resolution", b"10")]);
}

#[test]
fn as_the_reference_tool() {
    prove(&["edge_frames_baremetal", "damaged_boiler_noise"], &reference("bare-metal"));
}

#[test]
fn restarts_and_several_cores() {
    let mut s = Stream::default();
    for life in 0..4u64 {
        s.core(0, 0).resolution(10 + life).core(0, 1).meta(0x03, &[1], b"adc").core(0, 0);
        for i in 1..20 {
            s.core(i * 3, i % 3).run(i * 3, i).event(0x07, i * 3, &[i], b"x").dropped(i * 3, i / 4);
            s.raw(&vec![0; (i % 4) as usize]);
        }
    }
    let mut starts = Stream::default();
    for life in 0..6u64 {
        starts
            .core(0, 0)
            .resolution(10)
            .meta(0x03, &[1], b"adc")
            .core(0, 1)
            .meta(0x7A, &[1, 0], b"step")
            .core(0, life % 2);
        starts.run(100 * (life % 3), life).dropped(250, life).core(0, 0).raw(&[0, 9][..(life % 3) as usize]);
    }
    let samples = [("restarts", &s), ("starts", &starts)];
    conform(decoder(), &samples.map(|(name, s)| Sample { name, opts: vec![], bytes: &s.bytes }));
}
