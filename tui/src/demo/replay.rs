//! Replays a bundled capture in a loop at its own pace.

use std::time::Duration;

use spytui_engine::{
    io::log::{LogOptions, RawLog},
    open::{Options, Registry},
    trace::playback::{PlayPlan, Playback},
};

/// Captures that can be replayed, by protocol.
const CAPTURES: [(&str, &[u8]); 4] = [
    ("qs", include_bytes!("../../assets/demo/qs.bin")),
    ("rkh", include_bytes!("../../assets/demo/rkh.bin")),
    ("tband", include_bytes!("../../assets/demo/tband.bin")),
    ("qnx", include_bytes!("../../assets/demo/qnx.kev")),
];

pub(super) fn protocols() -> impl Iterator<Item = &'static str> {
    CAPTURES.iter().map(|capture| capture.0)
}

/// The capture of a protocol. Errors: there is none; the text names the available ones.
pub(super) fn capture_of(proto: &str) -> Result<&'static [u8], String> {
    let known: Vec<&str> = protocols().collect();
    let capture = CAPTURES.iter().find(|c| c.0 == proto).map(|c| c.1);
    capture.ok_or_else(|| format!("--demo {proto}: no such demo; available: {}", known.join(" ")))
}

/// Longest pause; a demo must not be silent for minutes.
const LONGEST: Duration = Duration::from_millis(700);

/// Starts with the first records. Errors: there is no capture for this protocol, or no decoder.
pub(super) fn start(proto: &str, options: &[&str], registry: &Registry) -> Result<Playback, String> {
    let capture = capture_of(proto)?;
    let decoder = registry.find(proto)?;
    let options = Options::parse(&decoder.info, options).map_err(|error| error.to_string())?;
    let log = RawLog::new(&LogOptions { spool: None, ..LogOptions::default() });
    log.append(capture, 0);
    log.end(0);
    let plan = PlayPlan { looped: true, longest_pause: LONGEST, ..PlayPlan::default() };
    Playback::new(log, Some((decoder, options)), plan)
}

#[cfg(test)]
mod tests {
    use spytui_engine::io::{link::InProcessTarget as _, log::kind};

    use super::*;

    #[cfg(feature = "decoders")]
    #[test]
    fn a_capture_is_replayed_again_and_again() {
        let mut registry = Registry::new();
        for plugin in [
            spytui_decoder_qs::plugin(),
            spytui_decoder_rkh::plugin(),
            spytui_decoder_tband::plugin(),
            spytui_decoder_qnx::plugin(),
        ] {
            registry.add(plugin, &spytui_engine::open::Origin::BuiltIn).unwrap();
        }
        for (proto, capture) in CAPTURES {
            let mut replay = start(proto, super::super::options(proto), &registry).unwrap();
            let (mut bytes, mut most, mut rounds) = (Vec::new(), 0, 1);
            while rounds <= 3 {
                let before = bytes.len();
                replay.read(&mut bytes);
                most = most.max(bytes.len() - before);
                let events: Vec<u16> = std::iter::from_fn(|| replay.event()).map(|event| event.kind).collect();
                rounds += events.iter().filter(|kind| **kind == kind::LINK_DOWN).count();
                replay.step();
            }
            assert!(bytes == capture.repeat(3), "{proto}: {} bytes", bytes.len());
            // The events of the QNX capture span a few milliseconds.
            assert!(proto == "qnx" || most < capture.len() / 10, "{proto}: {most} bytes at once");
        }
        assert!(start("qx", &[], &registry).is_err());
    }
}
