//! Fields of QS records, and records of targets with other field sizes.

use crate::wire::{frames, stuff};

/// A target's field sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct QsSizes {
    /// Time stamp.
    pub time: usize,
    /// Pointer to an object.
    pub object: usize,
    /// Pointer to a function.
    pub function: usize,
    /// Signal.
    pub signal: usize,
    /// Size of an event.
    pub event: usize,
    /// Queue counter.
    pub queue: usize,
    /// Pool counter.
    pub pool: usize,
    /// Time-event counter.
    pub timer: usize,
}

impl QsSizes {
    /// Sizes in the captures that are converted.
    pub const CAPTURED: QsSizes =
        QsSizes { time: 4, object: 8, function: 8, signal: 2, event: 2, queue: 1, pool: 2, timer: 4 };

    pub(super) fn of(&self, field: char) -> usize {
        match field {
            'o' | 'x' => self.object,
            'f' => self.function,
            't' => self.time,
            'c' | 'n' => self.timer,
            's' => self.signal,
            'e' => self.event,
            'p' => self.pool,
            'q' => self.queue,
            'u' | 'r' => 1,
            _ => panic!("no field '{field}'"),
        }
    }

    /// Converts a capture's records after the names to these sizes.
    pub fn late(&self, capture: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let all = frames(capture);
        for frame in all.iter().filter(|frame| !matches!(frame[1], 0 | 54 | 60..=64 | 70)) {
            let (head, payload) = (&frame[..2], &frame[2..frame.len() - 1]);
            let mut sent = head.to_vec();
            if frame[1] >= 100 {
                self.user(payload, &mut sent)
            } else {
                self.fields(layout(frame[1]), payload, &mut sent)
            }
            sent.push(!sent.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)));
            stuff(&sent, &mut bytes);
        }
        bytes
    }

    fn fields(&self, layout: &str, mut rest: &[u8], out: &mut Vec<u8>) {
        for field in layout.chars() {
            let value;
            (value, rest) = rest.split_at(Self::CAPTURED.of(field));
            resize(value, self.of(field), out);
        }
    }

    fn user(&self, payload: &[u8], out: &mut Vec<u8>) {
        let (stamp, mut rest) = payload.split_at(Self::CAPTURED.time);
        resize(stamp, self.time, out);
        while let [format, data @ ..] = rest {
            let (value, after) = data.split_at(element_len(*format, data));
            out.push(*format);
            match format & 15 {
                10 => self.fields("so", value, out),
                11 => self.fields("o", value, out),
                12 => self.fields("f", value, out),
                _ => out.extend(value),
            }
            rest = after;
        }
    }
}

/// Truncates or extends a value to `len` bytes.
fn resize(value: &[u8], len: usize, out: &mut Vec<u8>) {
    out.extend(value.iter().copied().chain(std::iter::repeat(0)).take(len));
}

/// The fields of a predefined record. As in the protocol's description: `t` time, `o` object, `f` function, `s` signal,
/// `e` event size, `q` queue counter, `p` pool counter, `c` time-event counter. Also: `x` object that is not the
/// signal's scope, `u` small one-byte number, `r` tick rate, `n` tick count.
pub(super) fn layout(id: u8) -> &'static str {
    match id {
        1 | 2 => "of",
        3 => "off",
        4 => "tof",
        5 | 7 | 8 => "tsof",
        6 => "tsoff",
        10 => "toxsuu",
        12 | 13 => "tso",
        14 | 45 => "txsouuqq",
        15 | 19 | 20 => "tsouuqq",
        16 | 21 => "tsouuq",
        17 | 22 => "tsouu",
        18 => "tox",
        24 | 47 => "topp",
        25 => "top",
        26 => "txsuu",
        27 | 29 | 30 | 38 => "tsuu",
        28 => "tes",
        31 => "nr",
        32 | 35 => "txoccr",
        33 => "xor",
        34 => "txor",
        37 => "txsor",
        _ => panic!("no layout for record {id}"),
    }
}

/// Length of an element of a user record after its format byte.
pub(super) fn element_len(format: u8, data: &[u8]) -> usize {
    match format & 15 {
        0 | 1 => 1,
        2 | 3 => 2,
        4..=6 | 15 => 4,
        7 | 11..=14 => 8,
        8 => data.iter().position(|&b| b == 0).unwrap() + 1,
        9 => 1 + usize::from(data[0]),
        _ => 10, // a signal and an object
    }
}
