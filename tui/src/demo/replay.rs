//! Replays a bundled capture in a loop at its own pace, with a little seeded damage so that the counters change.

use std::time::Duration;

use spytui_engine::{
    io::{
        link::{InProcessTarget, LinkState},
        log::{LogEvent, LogOptions, RawLog},
    },
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

/// Seed of the damage: every demo run is the same.
const SEED: u64 = 2026;

pub(super) fn protocols() -> impl Iterator<Item = &'static str> {
    CAPTURES.iter().map(|capture| capture.0)
}

/// The capture of a protocol. Errors: there is none; the text names the available ones.
pub(super) fn capture_of(proto: &str) -> Result<&'static [u8], String> {
    let known: Vec<&str> = protocols().collect();
    let capture = CAPTURES.iter().find(|c| c.0 == proto).map(|c| c.1);
    capture.ok_or_else(|| format!("--demo {proto}: no such demo; available: {}", known.join(" ")))
}

#[derive(Debug)]
pub(super) struct DemoReplay {
    playback: Playback,
    damage: Damage,
}

impl DemoReplay {
    /// Starts with the first records. Errors: there is no capture for this protocol, or no decoder.
    pub(super) fn start(proto: &str, options: &[&str], registry: &Registry) -> Result<DemoReplay, String> {
        let capture = capture_of(proto)?;
        let decoder = registry.find(proto)?;
        let options = Options::parse(&decoder.info, options).map_err(|error| error.to_string())?;
        let log = RawLog::new(&LogOptions { spool: None, ..LogOptions::default() });
        log.append(capture, 0);
        log.end(0);
        let plan = PlayPlan { looped: true, longest_pause: LONGEST, ..PlayPlan::default() };
        let playback = Playback::new(log, Some((decoder, options)), plan)?;
        Ok(DemoReplay { playback, damage: Damage::new(SEED) })
    }
}

impl InProcessTarget for DemoReplay {
    fn up_text(&self) -> String {
        "demo: a bundled capture, in a loop, with damage".to_owned()
    }

    fn step_time(&self) -> Duration {
        self.playback.step_time()
    }

    fn step(&mut self) {
        self.playback.step();
    }

    fn read(&mut self, to: &mut Vec<u8>) {
        let mut piece = Vec::new();
        self.playback.read(&mut piece);
        to.extend(self.damage.apply(&piece));
    }

    fn event(&mut self) -> Option<LogEvent> {
        self.playback.event()
    }

    fn end(&self) -> Option<LinkState> {
        self.playback.end()
    }
}

/// Average number of bytes between damages.
const EVERY: u64 = 9_000;

#[derive(Debug)]
struct Damage {
    random: u64,
    next: u64,
}

impl Damage {
    fn new(seed: u64) -> Damage {
        let mut damage = Damage { random: seed | 1, next: 0 };
        damage.next = damage.distance();
        damage
    }

    fn number(&mut self) -> u64 {
        // xorshift64*
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn distance(&mut self) -> u64 {
        EVERY / 2 + self.number() % EVERY
    }

    fn apply(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut bytes = piece.to_vec();
        let len = piece.len() as u64;
        if self.next >= len {
            self.next -= len;
            return bytes;
        }
        let at = self.next as usize;
        if self.number().is_multiple_of(3) {
            let lost = (self.number() % 120) as usize;
            bytes.drain(at..(at + lost).min(piece.len()));
        } else if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << (self.random % 8);
        }
        self.next = self.distance();
        bytes
    }
}

/// Longest pause; a demo must not be silent for minutes.
const LONGEST: Duration = Duration::from_millis(700);

#[cfg(test)]
mod tests {
    use spytui_engine::io::log::kind;

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
            let mut replay = DemoReplay::start(proto, super::super::options(proto), &registry).unwrap();
            let (mut bytes, mut most, mut rounds) = (Vec::new(), 0, 1);
            while rounds <= 3 {
                let before = bytes.len();
                replay.read(&mut bytes);
                most = most.max(bytes.len() - before);
                let events: Vec<u16> = std::iter::from_fn(|| replay.event()).map(|event| event.kind).collect();
                rounds += events.iter().filter(|kind| **kind == kind::LINK_DOWN).count();
                replay.step();
            }
            let whole = capture.len() * 3;
            assert!(bytes.len() <= whole && bytes.len() > whole * 9 / 10, "{proto}: {} of {whole}", bytes.len());
            // The events of the QNX capture span a few milliseconds.
            assert!(proto == "qnx" || most < capture.len() / 10, "{proto}: {most} bytes at once");
        }
        assert!(DemoReplay::start("qx", &[], &registry).is_err());
    }

    #[test]
    fn damage_is_small_and_the_same_each_time() {
        let run = || {
            let mut damage = Damage::new(7);
            (0..1000).flat_map(|_| damage.apply(&[0x55; 100])).collect::<Vec<u8>>()
        };
        let first = run();
        assert_eq!(first, run());
        assert!(first.len() > 99_000 && first.len() < 100_000, "{} bytes", first.len());
        assert!(first.iter().any(|&b| b != 0x55));
    }
}
