//! Generates streams with every record of the test protocol.

use crate::frame::line;

/// Writes frames of several cores, each with separate sequence numbers.
#[derive(Debug, Clone)]
pub struct Writer {
    /// The stream so far.
    pub bytes: Vec<u8>,
    seq: [u8; 16],
    seed: u64,
    time: u64,
}

impl Writer {
    /// An empty stream; the seed determines its content.
    pub fn new(seed: u64) -> Writer {
        Writer { bytes: Vec::new(), seq: [0; 16], seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, time: 100 }
    }

    /// Writes a frame of a core.
    pub fn frame(&mut self, core: u8, text: &str) -> &mut Writer {
        let seq = &mut self.seq[usize::from(core & 15)];
        self.bytes.extend_from_slice(&line(core, *seq, text));
        *seq = (*seq + 1) & 15;
        self
    }

    /// Writes bytes that are not a frame.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Writer {
        self.bytes.extend_from_slice(bytes);
        self
    }

    fn below(&mut self, n: u64) -> u64 {
        self.seed ^= self.seed >> 12;
        self.seed ^= self.seed << 25;
        self.seed ^= self.seed >> 27;
        (self.seed.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n
    }

    /// Writes a random frame of a random core.
    pub fn any(&mut self) {
        let core = self.below(4) as u8;
        self.time += self.below(9000);
        let (time, obj, n) = (self.time & 0xFFFF, self.below(20), self.below(255));
        match self.below(16) {
            0..=4 => self.frame(core, &format!("S {time:x} {obj:x} {n:x}")),
            5 => self.frame(core, &format!("N 10 {obj:x} object-{n}")),
            6 if n < 64 => self.frame(core, "F 10"),
            6 => self.frame(core, &format!("F 10 {obj:x}")),
            7 => self.frame(core, &format!("B {n:x} {n:02x}{n:02x}")),
            8 => self.frame(core, &format!("P {n:02x}")),
            9 => self.frame(core, &format!("E {n:02x}")),
            10 => self.frame(core, &format!("M {obj:x} {n:x} 3")),
            11 => self.frame(core, &format!("L 1 {n:02x}00")),
            12 => self.frame(core, if n < 128 { "< 1" } else { "> 1" }),
            13 => self.frame(core, &format!("A 1 {:x} 0", n & 15)),
            14 if n < 40 => self.raw(b"boot 1.2\r\n"),
            14 if n < 60 => self.frame(core, &format!("D {n:x}")),
            14 if n < 64 => self.raw(&[0xFF, 0x00, b'\n']),
            14 => self.frame(core, &format!("Q {n:x}")),
            _ if n < 20 => self.frame(core, "Z"),
            _ => self.frame(core, &format!("O width={}", 2 + n % 4)),
        };
    }
}

/// A stream of `frames` frames; the seed determines its content.
pub fn mixed(seed: u64, frames: usize) -> Vec<u8> {
    let mut writer = Writer::new(seed);
    writer.raw(b"toy target ready\n").frame(0, "Z").frame(0, "K 3e8 1").frame(1, "N 11 1 blink");
    for _ in 0..frames {
        writer.any();
    }
    writer.bytes
}
