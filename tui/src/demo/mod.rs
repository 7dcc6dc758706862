//! `--demo PROTO`: a target inside this program, no hardware needed. It is the boiler of `firmware/`, with the faults
//! of `--faults`. Builds without it replay a bundled capture instead.
//!
//! | module | what is in it |
//! |---|---|
//! | `boiler` | the boiler |
//! | `replay` | a bundled capture in a loop |

#[cfg_attr(not(feature = "demo-target"), path = "no_boiler.rs")]
mod boiler;
mod replay;

use spytui_engine::{
    io::link::{InProcessTarget, Link, LinkOptions},
    open::Registry,
};

/// Whether this build includes the boiler.
pub const HAS_TARGET: bool = boiler::IS_LIVE;

const NAME: &str = "demo";

/// Prefix of the protocol when a demo is given as a link.
pub const SCHEME: &str = "demo:";

pub fn protocols() -> Vec<&'static str> {
    replay::protocols().collect()
}

/// Checks the demo and its faults. Errors: what is wrong, as a sentence.
pub fn check(proto: &str, faults: Option<&str>) -> Result<(), String> {
    replay::capture_of(proto)?;
    boiler::check(faults)
}

/// Starts the demo of a protocol. Errors: as for [`check`], or the link can't be created.
pub fn open(proto: &str, faults: Option<&str>, registry: &Registry, mut options: LinkOptions) -> Result<Link, String> {
    check(proto, faults)?;
    // Arguments about inputs don't apply to the demo.
    options.input = None;
    let target: Box<dyn InProcessTarget> = match boiler::start(proto, faults)? {
        Some(boiler) => boiler,
        None => Box::new(replay::start(proto, self::options(proto), registry)?),
    };
    Link::run(NAME, target, options)
}

/// Options of the decoder for what the protocol can't report, or what faults may destroy: boiler and capture count
/// microseconds, but with RKH the boiler's units are 20, because its configuration has 16 bits for the rate.
pub fn options(proto: &str) -> &'static [&'static str] {
    match proto {
        "qs" => &["ticks-per-second=1000000"],
        "rkh" if boiler::IS_LIVE => &["ticks-per-second=50000"],
        _ => &[],
    }
}

/// Name and text of the format file of a demo.
pub fn formats(proto: &str) -> Option<(&'static str, &'static str)> {
    boiler::formats(proto)
}

#[cfg(feature = "demo-target")]
#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use std::sync::Arc;

    use spytui_demo_target::{Faults, Proto, STEP, Target};
    use spytui_engine::{
        io::log::{LogOptions, RawLog},
        open::{Options, Origin},
        store::rows::BUDGET,
        trace::session::{Decoding, thread::DecodeLoop},
    };

    use super::*;

    /// Seconds between the first and the last time stamp of a demo that ran for some steps.
    fn seconds_shown(proto: &str, steps: u32) -> f64 {
        let mut registry = Registry::new();
        for plugin in [spytui_decoder_qs::plugin(), spytui_decoder_rkh::plugin()] {
            registry.add(plugin, &Origin::BuiltIn).unwrap();
        }
        let decoder = registry.find(proto).unwrap();
        let given: Vec<String> = options(proto).iter().map(|option| (*option).to_owned()).collect();
        let options = Options::parse(&decoder.info, &given).unwrap();
        let log = RawLog::new(&LogOptions { spool: None, ..LogOptions::default() });
        let decoding = Arc::new(Decoding::new(decoder, options, log.clone(), 0, 0, BUDGET));
        let mut target = Target::new(Proto::named(proto).unwrap(), &Faults::parse("").unwrap(), 1).unwrap();
        let mut bytes = Vec::new();
        for _ in 0..steps {
            target.step();
            target.read(&mut bytes);
        }
        log.append(&bytes, 0);
        let mut decode = DecodeLoop::open(decoding.clone()).unwrap();
        while decode.step().unwrap() {}
        let state = decoding.read();
        let clock = state.context.clock;
        let times = (0..decoding.len()).filter_map(|row| state.rows.row(row).filter(|row| row.has_time()));
        let times: Vec<u64> = times.map(|row| clock.ns(row.time).unwrap()).collect();
        (times.last().unwrap() - times.first().unwrap()) as f64 / 1e9
    }

    #[test]
    fn seconds_of_a_demo_are_as_long_as_those_of_its_target() {
        if !spytui_demo_target::AVAILABLE {
            return;
        }
        const STEPS: u32 = 1_110;
        let ran = (STEP * STEPS).as_secs_f64();
        for proto in ["qs", "rkh"] {
            let shown = seconds_shown(proto, STEPS);
            assert!((shown / ran - 1.0).abs() < 0.05, "{proto}: {shown} s of {ran} s");
        }
    }

    fn until(what: &str, mut done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < Duration::from_secs(20), "waited for {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether bytes contain a QS target info record without reset mark: the answer to a request.
    fn has_answer(bytes: &[u8]) -> bool {
        const INFO: u8 = 64;
        bytes.split(|&byte| byte == 0x7E).any(|frame| matches!(frame, [_, INFO, 0, ..]))
    }

    #[test]
    fn what_is_written_reaches_the_target_and_its_answer_comes_back() {
        if !spytui_demo_target::AVAILABLE {
            return;
        }
        let link = open("qs", None, &Registry::new(), LinkOptions::default()).unwrap();
        let log = link.sources().remove(0).log;
        let received = || {
            let mut bytes = Vec::new();
            log.read_into(0, 1 << 20, &mut bytes).unwrap();
            bytes
        };
        until("the first record", || log.len() > 1000);
        assert!(!has_answer(&received()));
        // The request for target info: sequence number, id, checksum.
        link.sender(0).unwrap().write(&[0x01, 0x00, 0xFE, 0x7E]).unwrap();
        until("the answer", || has_answer(&received()));
        assert_eq!(link.counters().sent, 4);
    }
}
