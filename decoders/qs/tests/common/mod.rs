//! Captures, handmade frames, and shortcuts for decoding both.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_decoder_harness::stuffed;

spytui_decoder_harness::shortcuts!(spytui_decoder_qs::Qs, spytui_decoder_qs::QsEncoder);

/// A frame on the wire.
pub(crate) fn frame(seq: u8, id: u8, payload: &[u8]) -> Vec<u8> {
    let mut plain = vec![seq, id];
    plain.extend_from_slice(payload);
    plain.push(!plain.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)));
    stuffed(&plain)
}

/// A stream of frames with consecutive sequence numbers.
pub(crate) struct Stream {
    pub(crate) bytes: Vec<u8>,
    pub(crate) seq: u8,
}

impl Stream {
    /// Starts like a target: QS_EMPTY, then info with reset, with default sizes.
    pub(crate) fn start() -> Stream {
        Stream::of_version(734)
    }

    /// Starts like a target of a given version.
    pub(crate) fn of_version(version: u16) -> Stream {
        let mut stream = Stream { bytes: Vec::new(), seq: 1 };
        stream.add(0, &[]);
        stream.add(64, &info(0xFF, version, 4));
        stream
    }

    pub(crate) fn empty() -> Stream {
        Stream { bytes: Vec::new(), seq: 1 }
    }

    pub(crate) fn add(&mut self, id: u8, payload: &[u8]) -> &mut Stream {
        self.bytes.extend(frame(self.seq, id, payload));
        self.seq = self.seq.wrapping_add(1);
        self
    }

    /// Adds QF_TICK or another record without keys: `id` 39, stamp and nesting.
    pub(crate) fn stamp(&mut self, time: u32) -> &mut Stream {
        let [a, b, c, d] = time.to_le_bytes();
        self.add(39, &[a, b, c, d, 1])
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Stream {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Skips records.
    pub(crate) fn lose(&mut self, records: u8) -> &mut Stream {
        self.seq = self.seq.wrapping_add(records);
        self
    }
}

/// Target info in the layout before 8: sig 2, evt 2, que 1, tev 4, blk 2, ctr 2, stamp 4.
pub(crate) fn info(reset: u8, version: u16, pointer: u8) -> Vec<u8> {
    let [low, high] = version.to_le_bytes();
    let pointers = pointer << 4 | pointer;
    vec![reset, low, high, 0x22, 0x41, 0x22, pointers, 0x04, 32, 0x23, 9, 30, 14, 20, 11, 26]
}
