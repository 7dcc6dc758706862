//! Guesses whether a sample is a trace, and its mode.

use crate::common::{CAPTURES, decoder, file};
use spytui_decoder_harness::encode::tband::Stream;
use spytui_plugin_api::info::Guess;
use spytui_plugin_host::kit::Random;

fn guesses(sample: &[u8]) -> Vec<Guess> {
    decoder().probe(sample, &[]).unwrap().to_vec()
}

#[test]
fn captures_are_traces_and_need_no_options() {
    for (name, mode) in CAPTURES.iter().filter(|c| !c.0.starts_with("edge")) {
        let guess = guesses(&file(&format!("{name}.bin"))).remove(0);
        let enough = if *name == "damaged_boiler_noise" { 700 } else { 900 };
        assert!(guess.explained > enough && guess.evidence_bits > 250, "{name}: {guess:?}");
        assert_eq!(guess.options, "", "{name}");
        assert_eq!(guess.why.contains("FreeRTOS"), *mode == "free-rtos", "{name}: {guess:?}");
    }
}

#[test]
fn a_stray_event_of_freertos_makes_no_such_target() {
    let mut s = Stream::default();
    for i in 0..300 {
        s.event(0x04, 10 * i, &[1], b"");
        if i % 100 == 50 {
            s.run(i, 1);
        }
    }
    assert_eq!(guesses(&s.bytes)[0].options, "mode=bare-metal\n");
    let mut s = Stream::default();
    for i in 0..300 {
        s.event(0x04, 10 * i, &[1], b"");
        if i % 100 == 50 {
            s.run(10 * i + 3, 1);
        }
    }
    assert_eq!(guesses(&s.bytes)[0].options, "");
}

#[test]
fn a_core_without_a_time_speaks_neither_for_nor_against_a_trace() {
    let mut s = Stream::default();
    for i in 0..100 {
        s.core(0, i % 2).event(0x04, 10 * i + 5, &[1], b"");
    }
    s.core(0, 0).run(2_000, 1).core(0, 1).event(0x04, 2_001, &[1], b"");
    let guess = guesses(&s.bytes).remove(0);
    assert_eq!((guess.options.as_str(), guess.explained), ("", 1000));
    assert_eq!(guess.why, "204 events of a FreeRTOS target, 102 of 102 stamps in order");
}

#[test]
fn noise_and_text_are_no_traces() {
    let mut random = Random::new(3);
    let explained = |sample: &[u8]| guesses(sample).first().map_or(0, |g| g.explained);
    assert!(explained(&random.bytes(100_000)) < 50);
    assert_eq!(explained(b"hello ~ world\n".repeat(1000).as_slice()), 0);
    assert_eq!(explained(&[0; 1000]), 0);
    assert_eq!(explained(b""), 0);
}

/// Text of a crash at the end of a cut-off frame does not count against a trace.
#[test]
fn a_trace_with_the_text_of_a_crash_is_a_trace() {
    let text = b"\r\n*** HARD FAULT ***\r\nPC=0x08001234 LR=0x08000F31\r\ntask pump, stack overflow\r\n".repeat(20);
    let clean = file("boiler_basic.bin");
    let explained = |at: usize| guesses(&[&clean[..at], &text, &clean[at..]].concat())[0].explained;
    let half = clean.len() / 2;
    assert!((half..half + 20).all(|at| explained(at) > 950));
}
