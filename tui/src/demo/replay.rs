//! Replays a bundled capture in a loop at its own pace, with a little seeded damage so that the counters change.

use std::{io, time::Duration};

use spytui_engine::{
    io::link::InProcessTarget,
    open::{Options, Registry},
    row::RowView,
    trace::stream::{Pipeline, Sink},
};
use spytui_plugin_api::{chunk::MAX_CHUNK, row::RowFlags};

/// Captures that can be replayed, by protocol.
const CAPTURES: [(&str, &[u8]); 4] = [
    ("qs", include_bytes!("../../assets/demo/qs.bin")),
    ("rkh", include_bytes!("../../assets/demo/rkh.bin")),
    ("tband", include_bytes!("../../assets/demo/tband.bin")),
    ("qnx", include_bytes!("../../assets/demo/qnx.kev")),
];

/// Seed of the damage: every demo run is the same.
const SEED: u64 = 2026;
/// Length of pieces, like those that a reader would receive.
const STEP: Duration = Duration::from_millis(10);

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
    capture: &'static [u8],
    /// End of each piece in the capture, and when it is due.
    ends: Vec<(usize, Duration)>,
    damage: Damage,
    /// Time since the round began.
    elapsed: Duration,
    piece: usize,
}

impl DemoReplay {
    /// Starts with the first piece. Errors: there is no capture for this protocol, or no decoder.
    pub(super) fn start(proto: &str, registry: &Registry) -> Result<DemoReplay, String> {
        let capture = capture_of(proto)?;
        let decoder = registry.find(proto)?;
        let mut times = Times::default();
        if let Ok(mut pipeline) = Pipeline::single(&decoder, &Options::default()) {
            // Writing to memory does not fail.
            let _ = pipeline.feed_all(capture, MAX_CHUNK, &mut times);
        }
        let (ends, damage) = (times.ends(capture.len()), Damage::new(SEED));
        Ok(DemoReplay { capture, ends, damage, elapsed: Duration::ZERO, piece: 0 })
    }

    /// Duration of a round, with the pause after it.
    fn round(&self) -> Duration {
        self.ends.last().map_or(REST, |end| end.1 + REST)
    }
}

impl InProcessTarget for DemoReplay {
    fn up_text(&self) -> String {
        "demo: a bundled capture, in a loop, with damage".to_owned()
    }

    fn step_time(&self) -> Duration {
        STEP
    }

    fn step(&mut self) {
        self.elapsed += STEP;
        if self.elapsed >= self.round() {
            self.elapsed -= self.round();
            self.piece = 0;
        }
    }

    fn read(&mut self, to: &mut Vec<u8>) {
        while let Some(&(end, due)) = self.ends.get(self.piece)
            && due <= self.elapsed
        {
            let start = self.piece.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |before| before.0);
            to.extend(self.damage.apply(self.capture.get(start..end).unwrap_or_default()));
            self.piece += 1;
        }
    }

    fn can_feed(&self) -> bool {
        false
    }

    fn feed(&mut self, _: &[u8]) {}
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

/// Duration of a tick if the capture does not define it: the bundled targets count microseconds.
const TICK_NS: u64 = 1_000;
/// Longest pause; a demo must not be silent for minutes.
const LONGEST: Duration = Duration::from_millis(700);
/// Pause between two rounds.
const REST: Duration = Duration::from_secs(1);

/// End and time of each row with a time stamp.
#[derive(Default)]
struct Times(Vec<(usize, u64)>);

impl Sink for Times {
    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        if item.row.has(RowFlags::TIME_OWN) {
            let ns = item.ns().unwrap_or(item.row.time.saturating_mul(TICK_NS));
            self.0.push(((item.row.pos + u64::from(item.row.len)) as usize, ns));
        }
        Ok(())
    }
}

impl Times {
    /// Ends of pieces of at least [`STEP`] in a capture of `len` bytes, and when they are due.
    fn ends(&self, len: usize) -> Vec<(usize, Duration)> {
        let (mut due, mut ends) = (Duration::ZERO, Vec::new());
        for pair in self.0.windows(2) {
            let step = Duration::from_nanos(pair[1].1.saturating_sub(pair[0].1)).min(LONGEST);
            if ends.last().is_none_or(|e: &(usize, Duration)| due + step >= e.1 + STEP) {
                ends.push((pair[0].0, due));
            }
            due += step;
        }
        ends.push((len, due));
        ends
    }
}

#[cfg(test)]
mod tests {
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
            let mut replay = DemoReplay::start(proto, &registry).unwrap();
            let round = replay.round();
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
            // The events of the QNX capture span a few milliseconds.
            assert!(proto == "qnx" || most < capture.len() / 10, "{proto}: {most} bytes at once");
        }
        assert!(DemoReplay::start("qx", &registry).is_err());
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
