//! The rules of the plugin API, on captures, damaged copies and noise.

use crate::common::{decoder, file, reference};
use spytui_decoder_harness::encode::qnx::Trace;
use spytui_plugin_host::kit::{Sample, conform};

/// Bytes used of each capture, which is decoded dozens of times.
const MOST: usize = 6_000;

fn prove(names: &[&str], opts: &[(&str, &[u8])]) {
    let files: Vec<_> = names.iter().map(|name| (*name, file(name))).collect();
    let samples: Vec<_> = files
        .iter()
        .map(|(name, bytes)| Sample { name, opts: opts.to_vec(), bytes: &bytes[..bytes.len().min(MOST)] })
        .collect();
    conform(decoder(), &samples);
}

#[test]
fn native() {
    prove(&["fast-2cpu.kev", "wide-be.kev", "qnx71-wide64.kev"], &[]);
}

#[test]
fn native_of_a_damaged_stream() {
    let bytes = file("gaps-damaged.kev");
    conform(decoder(), &[Sample { name: "gaps-damaged", opts: vec![], bytes: &bytes[6_000..] }]);
}

#[test]
fn as_the_reference_tool() {
    prove(&["fast-2cpu.kev", "gaps-damaged.kev"], &reference());
}

#[test]
fn without_a_header() {
    let bytes = file("fast-2cpu.kev");
    let opts: Vec<(&str, &[u8])> =
        vec![("profile", b"kev"), ("release", b"6"), ("cpus", b"2"), ("endian", b"little"), ("cycles-per-sec", b"9")];
    conform(decoder(), &[Sample { name: "joined", opts, bytes: &bytes[3_333..9_000] }]);
}

#[test]
fn several_runs_and_events_in_many_parts() {
    let mut trace = Trace::default();
    for run in 0..4 {
        trace.header(&[("SYS_RELEASE", "6.5.0"), ("CPU_NUM", "2"), ("CYCLES_PER_SEC", "1000")], 100 * run);
        for i in 0..6 {
            trace.at(i % 2, 1000 * i).buffer(7 + 2 * i, 4).time(3 + i).event(6, 3, &[0x4142_4344; 90]);
            trace.part(2, 6, 1, [0; 2]).part(1, 6, 2, [0; 2]).part(3, 6, 9, [0; 2]);
        }
    }
    conform(decoder(), &[Sample { name: "runs", opts: vec![], bytes: &trace.bytes }]);
}
