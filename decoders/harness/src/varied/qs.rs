//! QS streams of a target with 8-byte pointers and 2-byte signals and event sizes, as in `oven-734`.

use std::mem;

use super::{
    draw::{Draw, Keys, little_endian, little_endian_signed},
    qs_sizes::{QsSizes, element_len, layout},
};
use crate::wire::{frames, stuff};

const OBJECTS: usize = 240;
const FUNCTIONS: usize = 480;
/// Number of signals shared by all objects; each active object has one more.
const COMMON_SIGNALS: usize = 96;
const FIRST_OWN_SIGNAL: usize = 1000;
/// One in this many objects and functions is unnamed.
const UNNAMED: usize = 16;

/// A stream of at least `size` bytes with the records of a capture.
pub fn stream(capture: &[u8], seed: u64, size: usize) -> Vec<u8> {
    let frames = frames(capture);
    let records: Vec<(u8, &[u8])> = frames.iter().map(|f| (f[1], &f[2..f.len() - 1])).collect();
    let mut target = QsTarget {
        bytes: Vec::with_capacity(size + capture.len()),
        frame: Vec::new(),
        seq: 0,
        draw: Draw::new(seed),
        time: 0,
        ticks: 0,
        enums: Default::default(),
        objects: Keys::new(OBJECTS),
        functions: Keys::new(FUNCTIONS),
        signals: Keys::new(COMMON_SIGNALS),
    };
    target.start(&records);
    while target.bytes.len() < size {
        for keys in [&mut target.objects, &mut target.functions, &mut target.signals] {
            keys.shift(&mut target.draw);
        }
        for (id, payload) in &records {
            target.varied(*id, payload);
        }
    }
    target.bytes
}

struct QsTarget {
    bytes: Vec<u8>,
    frame: Vec<u8>,
    seq: u8,
    draw: Draw,
    time: u32,
    ticks: u32,
    /// Values in each enumeration group.
    enums: [Vec<u8>; 8],
    objects: Keys,
    functions: Keys,
    signals: Keys,
}

impl QsTarget {
    /// Writes the records sent first; names of user records and enumerations are taken from the capture.
    fn start(&mut self, records: &[(u8, &[u8])]) {
        for &(id, payload) in records.iter().filter(|(id, _)| matches!(id, 0 | 54 | 63 | 64)) {
            if let (54, [value, group, ..]) = (id, payload) {
                self.enums[usize::from(group & 7)].push(*value);
            }
            self.record(id, payload);
        }
        for index in (0..OBJECTS).filter(|i| i % UNNAMED != 0) {
            self.name_object(index);
            if active(index) {
                self.name_signal(FIRST_OWN_SIGNAL + index, object(index));
            }
        }
        for index in (0..FUNCTIONS).filter(|i| i % UNNAMED != 0) {
            self.name_function(index);
        }
        for signal in 0..COMMON_SIGNALS {
            self.name_signal(signal, 0);
        }
        self.record(70, &[]);
    }

    /// Writes another record of the same kind.
    fn varied(&mut self, id: u8, payload: &[u8]) {
        match id {
            0 | 54 | 63 | 64 | 70 => {} // sent once
            60 => {
                let signal = self.signals.any(&mut self.draw);
                self.name_signal(signal, 0);
            }
            61 => {
                let index = self.objects.any(&mut self.draw);
                self.name_object(index);
            }
            62 => {
                let index = self.functions.any(&mut self.draw);
                self.name_function(index);
            }
            100.. => self.user(id, payload),
            _ => self.predefined(id, payload),
        }
    }

    fn predefined(&mut self, id: u8, given: &[u8]) {
        let layout = layout(id);
        // Records without a time stamp differ only in their keys.
        let any = !layout.starts_with('t');
        let scope = self.scope(layout, given);
        let (mut payload, mut rest) = (Vec::new(), given);
        for field in layout.chars() {
            let old;
            (old, rest) = rest.split_at(QsSizes::CAPTURED.of(field));
            let old = little_endian(old);
            match field {
                't' => self.stamp(&mut payload),
                'o' | 'x' if any => payload.extend(object(self.objects.any(&mut self.draw)).to_le_bytes()),
                'o' | 'x' => payload.extend(object(self.objects.index(old)).to_le_bytes()),
                'f' if any => payload.extend(function(self.functions.any(&mut self.draw)).to_le_bytes()),
                'f' => payload.extend(function(self.functions.index(old)).to_le_bytes()),
                's' => payload.extend(self.signal(old, scope).to_le_bytes()),
                'e' => payload.extend((self.draw.below(200) as u16).to_le_bytes()),
                'q' => payload.push(self.draw.below(32) as u8),
                'p' => payload.extend((self.draw.below(400) as u16).to_le_bytes()),
                'c' => payload.extend((self.draw.below(5000) as u32).to_le_bytes()),
                'u' => payload.push(self.draw.below(8) as u8),
                'r' => payload.push(self.draw.below(2) as u8),
                _ => payload.extend(self.tick().to_le_bytes()),
            }
        }
        self.record(id, &payload);
    }

    /// The object that is the signal's scope.
    fn scope(&mut self, layout: &str, given: &[u8]) -> Option<usize> {
        let at = layout.find('o')?;
        let begin: usize = layout[..at].chars().map(|field| QsSizes::CAPTURED.of(field)).sum();
        Some(self.objects.index(little_endian(&given[begin..begin + 8])))
    }

    /// A signal; every fourth one of an active object belongs only to it.
    fn signal(&mut self, given: u64, scope: Option<usize>) -> u16 {
        let signal = match (self.signals.index(given), scope) {
            (signal, Some(object)) if signal.is_multiple_of(4) && active(object) => FIRST_OWN_SIGNAL + object,
            (signal, _) => signal,
        };
        signal as u16
    }

    fn user(&mut self, id: u8, given: &[u8]) {
        let mut payload = Vec::new();
        self.stamp(&mut payload);
        let mut rest = &given[4..];
        while let [format, data @ ..] = rest {
            let (value, after) = data.split_at(element_len(*format, data));
            payload.push(*format);
            self.element(*format, value, &mut payload);
            rest = after;
        }
        self.record(id, &payload);
    }

    /// Writes another value of an element.
    fn element(&mut self, format: u8, given: &[u8], out: &mut Vec<u8>) {
        let size = given.len();
        match format & 15 {
            0 if format >= 0x80 => out.push(self.enumerator(usize::from(format >> 4) - 8)),
            0 | 2 | 4 | 13 => {
                out.extend(&self.draw.like_signed(little_endian_signed(given)).to_le_bytes()[..size]);
            }
            1 | 3 | 5 | 14 | 15 => out.extend(&self.draw.like(little_endian(given)).to_le_bytes()[..size]),
            6 => out.extend(self.draw.like_f32(little_endian(given) as u32).to_le_bytes()),
            7 => out.extend(self.draw.like_f64(little_endian(given)).to_le_bytes()),
            8 => {
                out.extend(self.draw.word().bytes());
                out.push(0);
            }
            9 => {
                out.push(given[0]);
                out.extend(self.draw.bytes(size - 1));
            }
            10 => {
                let index = self.objects.index(little_endian(&given[2..]));
                out.extend(self.signal(little_endian(&given[..2]), Some(index)).to_le_bytes());
                out.extend(object(index).to_le_bytes());
            }
            11 => out.extend(object(self.objects.index(little_endian(given))).to_le_bytes()),
            _ => out.extend(function(self.functions.index(little_endian(given))).to_le_bytes()),
        }
    }

    /// A value from an enumeration group, named if the group has names.
    fn enumerator(&mut self, group: usize) -> u8 {
        match self.enums[group].as_slice() {
            [] => self.draw.below(200) as u8,
            values => self.draw.one_of(values),
        }
    }

    fn stamp(&mut self, out: &mut Vec<u8>) {
        self.time = self.time.wrapping_add(self.draw.ticks());
        out.extend(self.time.to_le_bytes());
    }

    fn tick(&mut self) -> u32 {
        self.ticks += 1;
        self.ticks
    }

    fn name_object(&mut self, index: usize) {
        let name = self.draw.name();
        let name = if active(index) { format!("AO(l_{name})") } else { format!("l_{name}.item") };
        self.record(61, &[&object(index).to_le_bytes(), name.as_bytes(), &[0]].concat());
    }

    fn name_function(&mut self, index: usize) {
        let name = format!("Fn_{}", self.draw.name());
        self.record(62, &[&function(index).to_le_bytes(), name.as_bytes(), &[0]].concat());
    }

    fn name_signal(&mut self, signal: usize, object: u64) {
        let name = format!("{}_SIG", self.draw.name().to_uppercase());
        self.record(60, &[&(signal as u16).to_le_bytes()[..], &object.to_le_bytes(), name.as_bytes(), &[0]].concat());
    }

    fn record(&mut self, id: u8, payload: &[u8]) {
        self.seq = self.seq.wrapping_add(1);
        let mut frame = mem::take(&mut self.frame);
        frame.clear();
        frame.extend([self.seq, id]);
        frame.extend_from_slice(payload);
        frame.push(!frame.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)));
        stuff(&frame, &mut self.bytes);
        self.frame = frame;
    }
}

/// Every third object is active.
fn active(index: usize) -> bool {
    index.is_multiple_of(3)
}

fn object(index: usize) -> u64 {
    0x41_1000 + 0x40 * index as u64
}

fn function(index: usize) -> u64 {
    0x40_1000 + 0x2B * index as u64
}
