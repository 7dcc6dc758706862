//! Tonbandgerät streams of a FreeRTOS target.

use super::draw::{Draw, Keys};

/// Number of tasks, queues, interrupts and markers.
const TASKS: usize = 24;
const QUEUES: usize = 24;
const INTERRUPTS: usize = 6;
const MARKERS: usize = 12;
/// Maximum number of open interrupts or markers.
const DEEPEST: usize = 4;

/// The fields of an event, after the time stamp (`t`): `T` task, `Q` queue, `I` interrupt, `M` marker, `n` number, `v`
/// signed number, `z` text, `N` new name.
fn layout(id: u8) -> &'static str {
    match id {
        0x01 => "t0",
        0x03 => "IN",
        0x04 | 0x05 => "tI",
        0x06 | 0x0A => "MN",
        0x07 | 0x08 | 0x7B | 0x7C => "tMz",
        0x09 | 0x7D => "tM",
        0x0B | 0x7F => "tMv",
        0x54..=0x58 | 0x5E | 0x62 => "tT",
        0x59 | 0x5A => "tn",
        0x5B..=0x5D => "tTn",
        0x5F => "TN",
        0x63 | 0x6C => "tQ",
        0x64 => "QN",
        0x66..=0x6B | 0x6D..=0x70 => "tQn",
        0x7A | 0x7E => "MTN",
        _ => panic!("no layout for event {id:#x}"),
    }
}

/// A stream of at least `size` bytes with the events of a capture.
pub fn stream(capture: &[u8], seed: u64, size: usize) -> Vec<u8> {
    let events: Vec<Vec<u8>> = capture.split(|&b| b == 0).filter(|f| !f.is_empty()).map(uncobs).collect();
    let mut target = TbandTarget {
        bytes: Vec::with_capacity(size + capture.len()),
        draw: Draw::new(seed),
        time: 0,
        begun: [const { Vec::new() }; 3],
        tasks: Keys::new(TASKS),
        queues: Keys::new(QUEUES),
        interrupts: Keys::new(INTERRUPTS),
        markers: Keys::new(MARKERS),
    };
    target.start();
    while target.bytes.len() < size {
        for keys in [&mut target.tasks, &mut target.queues, &mut target.interrupts, &mut target.markers] {
            keys.shift(&mut target.draw);
        }
        for event in &events {
            target.varied(event);
        }
    }
    target.bytes
}

struct TbandTarget {
    bytes: Vec<u8>,
    draw: Draw,
    time: u64,
    /// Open interrupts and markers, by event kind.
    begun: [Vec<u64>; 3],
    tasks: Keys,
    queues: Keys,
    interrupts: Keys,
    markers: Keys,
}

impl TbandTarget {
    fn start(&mut self) {
        self.frame(&[0x00, 0x00, 0x00]); // core 0
        self.frame(&[0x02, 100]); // nanoseconds a tick
        for (id, count) in [(0x03, INTERRUPTS), (0x06, MARKERS), (0x0A, MARKERS), (0x5F, TASKS), (0x64, QUEUES)] {
            for number in 0..count {
                let name = self.draw.name();
                self.frame(&[&[id, number as u8], name.as_bytes()].concat());
            }
        }
        self.frame(&[0x60, 0, 0]); // the idle task
    }

    /// Writes another event of the same kind.
    fn varied(&mut self, event: &[u8]) {
        match event[0] {
            0x00 | 0x02 | 0x60 | 0x61 | 0x65 => {} // sent once, or said by its kind
            0x04 | 0x05 => self.begin_or_end(0, event, 0x04, 0x05),
            0x08 | 0x09 => self.begin_or_end(1, event, 0x08, 0x09),
            0x7C | 0x7D => self.begin_or_end(2, event, 0x7C, 0x7D),
            id => self.event(id, event, None),
        }
    }

    /// Keeps spans nested: begins one if too few are open, ends one if too many are.
    fn begin_or_end(&mut self, kind: usize, event: &[u8], begin: u8, end: u8) {
        let begun = self.begun[kind].len();
        if begun == 0 || event[0] == begin && begun < DEEPEST {
            let subject = self.draw.below(INTERRUPTS.min(MARKERS)) as u64;
            self.begun[kind].push(subject);
            self.event(begin, event, Some(subject));
        } else {
            let subject = self.begun[kind].pop();
            self.event(end, event, subject);
        }
    }

    fn event(&mut self, id: u8, given: &[u8], subject: Option<u64>) {
        let mut old = Numbers(&given[1..]);
        let mut event = vec![id];
        for field in layout(id).chars() {
            match field {
                't' => {
                    old.next();
                    self.time += u64::from(self.draw.ticks());
                    number(self.time, &mut event);
                }
                'z' => event.extend(format!("{} {}", self.draw.word(), self.draw.word()).bytes()),
                'N' => event.extend(self.draw.name().bytes()),
                _ => {
                    let value = self.value(field, old.next().unwrap_or(0), subject);
                    number(value, &mut event);
                }
            }
        }
        self.frame(&event);
    }

    fn value(&mut self, field: char, old: u64, subject: Option<u64>) -> u64 {
        let keys = match field {
            'T' => &mut self.tasks,
            'Q' => &mut self.queues,
            'I' => &mut self.interrupts,
            'M' => &mut self.markers,
            'n' => return self.draw.like(old) & u64::from(u32::MAX),
            'v' => return self.draw.like(old),
            _ => return 0, // nothing was dropped
        };
        subject.unwrap_or_else(|| keys.index(old) as u64)
    }

    /// Encodes an event without long runs as COBS, zero-terminated.
    fn frame(&mut self, event: &[u8]) {
        for run in event.split(|&b| b == 0) {
            assert!(run.len() < 254, "a run of {} bytes", run.len());
            self.bytes.push(run.len() as u8 + 1);
            self.bytes.extend_from_slice(run);
        }
        self.bytes.push(0);
    }
}

fn uncobs(frame: &[u8]) -> Vec<u8> {
    let (mut event, mut rest) = (Vec::new(), frame);
    while let [code, after @ ..] = rest {
        let (run, next) = after.split_at(usize::from(*code) - 1);
        event.extend_from_slice(run);
        if !next.is_empty() && *code < 0xFF {
            event.push(0);
        }
        rest = next;
    }
    event
}

/// Appends varints.
struct Numbers<'a>(&'a [u8]);

impl Iterator for Numbers<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let len = 1 + self.0.iter().position(|b| b & 0x80 == 0)?;
        let (number, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(number.iter().rev().fold(0, |n, &b| n << 7 | u64::from(b & 0x7F)))
    }
}

fn number(mut n: u64, out: &mut Vec<u8>) {
    while n > 0x7F {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}
