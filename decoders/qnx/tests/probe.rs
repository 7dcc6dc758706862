//! Detects the profile of a sample.

use crate::common::{decoder, file};
use spytui_decoder_harness::encode::qnx::{Trace, class};
use spytui_plugin_host::kit::Random;

/// Reasons of the guesses. They suggest no options, because a stream detects its profile by itself.
fn guesses(sample: &[u8]) -> Vec<String> {
    let guesses = decoder().probe(sample, &[]).expect("no fault");
    assert!(guesses.iter().all(|guess| guess.options.is_empty()));
    guesses.iter().map(|guess| guess.why.trim_start_matches(char::is_numeric).trim_start().to_owned()).collect()
}

#[test]
fn a_header_says_what_it_is() {
    for name in crate::common::KEV {
        let guessed = guesses(&file(&format!("{name}.kev")));
        assert_eq!(guessed.len(), 1);
        assert!(guessed[0].contains("header"), "{guessed:?}");
    }
}

#[test]
fn events_say_what_they_are() {
    assert_eq!(guesses(&file("qnx71-wide64.kev")[2_001..]), ["events of the instrumented kernel, little-endian"]);
    assert_eq!(guesses(&file("wide-be.kev")[1_300..]), ["events of the instrumented kernel, big-endian"]);
}

#[test]
fn events_show_release_8() {
    let mut trace = Trace::default();
    for i in 0..100 {
        trace.low += 10;
        // A state that release 7 lacks.
        trace.event(class::THREAD, if i % 20 == 19 { 60 } else { 2 }, &[1, 1]);
    }
    assert_eq!(guesses(&trace.bytes), ["events of the instrumented kernel, little-endian, release 8"]);
}

#[test]
fn a_damaged_sample_is_explained_on_both_sides() {
    let mut bytes = file("qnx71-wide64.kev")[2_001..6_001].to_vec();
    bytes[1_000..1_016].fill(0x55);
    let guesses = decoder().probe(&bytes, &[]).expect("no fault");
    assert!(guesses[0].explained > 950, "{guesses:?}");
}

#[test]
fn classic_logs_are_distinguished() {
    assert_eq!(guesses(&file("classic-qnx4.log")), ["records of a trace log of QNX 4"]);
    assert_eq!(guesses(&file("classic-nto1.bin")), ["records of a trace log of Neutrino 1.0, little-endian"]);
}

/// Bytes of a trace port in 16-byte frames, as the formatter writes them: every third frame is from another source.
fn in_frames(data: &[u8]) -> Vec<u8> {
    let frame = |(at, data): (usize, &[u8])| {
        let mut frame = [0; 16];
        frame[0] = if at % 3 == 0 { 0x01 } else { 0x03 };
        frame[1..=data.len()].copy_from_slice(data);
        frame
    };
    data.chunks(14).enumerate().flat_map(frame).collect()
}

#[test]
fn text_and_the_frames_of_a_trace_port_are_nothing() {
    let line = |at: u32| format!("{:010} Disp===> Obj=AO_pump,Sig=GO_SIG,State=Pump_idle\n", 1_000 + 10 * at);
    let lines: String = (0..100).map(line).collect();
    let hex: String = (0..2_000u32).map(|at| format!("0x{:02X}, ", (at * 37) & 0xFF)).collect();
    let wide: Vec<u8> = hex.bytes().flat_map(|byte| [byte, 0]).collect();
    let samples = [in_frames(&[0; 6_000]), lines.into_bytes(), hex.into_bytes(), wide];
    assert_eq!(samples.map(|sample| guesses(&sample)), [const { Vec::<String>::new() }; 4]);
}

#[test]
fn noise_is_nothing() {
    assert!(guesses(&Random::new(3).bytes(20_000)).is_empty());
    assert!(guesses(&[0; 5_000]).is_empty());
    assert!(guesses(&[]).is_empty());
}
