//! A bundled capture replayed at its own pace, in a loop, with a little seeded damage so that the counters move.

mod damage;
mod schedule;

use std::time::Duration;

use spytui_engine::{io::link::InProcessTarget, open::Registry};

use damage::Damage;
use schedule::Schedule;

/// Captures that can be replayed, by protocol.
const CAPTURES: [(&str, &[u8]); 4] = [
    ("qs", include_bytes!("../../../assets/demo/qs.bin")),
    ("rkh", include_bytes!("../../../assets/demo/rkh.bin")),
    ("tband", include_bytes!("../../../assets/demo/tband.bin")),
    ("qnx", include_bytes!("../../../assets/demo/qnx.kev")),
];

/// Seed of the damage: every demo run is the same.
const SEED: u64 = 2026;
/// Pieces are as long as a reader would get them at once.
const STEP: Duration = Duration::from_millis(10);

/// The protocols that have a capture.
pub(super) fn protocols() -> impl Iterator<Item = &'static str> {
    CAPTURES.iter().map(|capture| capture.0)
}

/// The capture of a protocol.
///
/// # Errors
/// There is none; the text names those there are.
pub(super) fn capture_of(proto: &str) -> Result<&'static [u8], String> {
    let known: Vec<&str> = protocols().collect();
    let capture = CAPTURES.iter().find(|c| c.0 == proto).map(|c| c.1);
    capture.ok_or_else(|| format!("--demo {proto}: no such demo; available: {}", known.join(" ")))
}

/// A capture that is being replayed.
#[derive(Debug)]
pub(super) struct Replay {
    capture: &'static [u8],
    schedule: Schedule,
    damage: Damage,
    /// Time since the round began.
    elapsed: Duration,
    /// The piece that is due next.
    piece: usize,
}

impl Replay {
    /// Begins with the first piece.
    ///
    /// # Errors
    /// There is no capture for this protocol, or no decoder.
    pub(super) fn start(proto: &str, registry: &Registry) -> Result<Replay, String> {
        let capture = capture_of(proto)?;
        let decoder = registry.find(proto).map_err(|e| e.to_string())?;
        let schedule = Schedule::of(capture, &decoder, STEP);
        Ok(Replay { capture, schedule, damage: Damage::new(SEED), elapsed: Duration::ZERO, piece: 0 })
    }
}

impl InProcessTarget for Replay {
    fn up_text(&self) -> String {
        "demo: a bundled capture, in a loop, with damage".to_owned()
    }

    fn step_time(&self) -> Duration {
        STEP
    }

    fn step(&mut self) {
        self.elapsed += STEP;
        if self.elapsed >= self.schedule.length() {
            self.elapsed -= self.schedule.length();
            self.piece = 0;
        }
    }

    fn read(&mut self, to: &mut Vec<u8>) {
        while let Some((range, due)) = self.schedule.piece(self.piece)
            && due <= self.elapsed
        {
            to.extend(self.damage.apply(self.capture.get(range).unwrap_or_default()));
            self.piece += 1;
        }
    }

    fn can_feed(&self) -> bool {
        false
    }

    fn feed(&mut self, _: &[u8]) {}
}

#[cfg(test)]
#[cfg(feature = "decoders")]
mod tests {
    use spytui_engine::open::Origin;

    use super::*;

    #[test]
    fn a_capture_is_replayed_again_and_again() {
        let mut registry = Registry::new();
        for plugin in [
            spytui_decoder_qs::plugin(),
            spytui_decoder_rkh::plugin(),
            spytui_decoder_tband::plugin(),
            spytui_decoder_qnx::plugin(),
        ] {
            registry.add(plugin, &Origin::BuiltIn).unwrap();
        }
        for (proto, capture) in CAPTURES {
            let mut replay = Replay::start(proto, &registry).unwrap();
            let round = replay.schedule.length();
            let mut bytes = Vec::new();
            let (mut time, mut most) = (Duration::ZERO, 0);
            while time < round * 3 {
                let before = bytes.len();
                replay.read(&mut bytes);
                most = most.max(bytes.len() - before);
                replay.step();
                time += STEP;
            }
            let whole = capture.len() * 3;
            assert!(bytes.len() <= whole && bytes.len() > whole * 9 / 10, "{proto}: {} of {whole}", bytes.len());
            // The events of the QNX capture are of a few milliseconds.
            assert!(proto == "qnx" || most < capture.len() / 10, "{proto}: {most} bytes at once");
        }
        assert!(Replay::start("qx", &registry).is_err());
    }
}
