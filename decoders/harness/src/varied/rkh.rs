//! RKH streams with the usual sizes: 4-byte pointers and time stamps, 1-byte signals, as in `gh340-default`.

use std::mem;

use super::draw::{Draw, Keys, little_endian, little_endian_signed};
use crate::wire::{frames, stuff};

const TCFG: u8 = 0xAC;
const SIGNALS: usize = 200;
/// A class of objects: letter in layouts, number of objects, first address, naming event.
const CLASSES: [(char, usize, u32, u8); 7] = [
    ('a', 24, 0x0805_3000, 0xAE),  // active objects
    ('q', 24, 0x0805_4000, 0xB3),  // queues
    ('t', 24, 0x0805_5000, 0xB1),  // timers
    ('m', 4, 0x0805_6000, 0xA6),   // memory pools
    ('n', 12, 0x0805_7000, 0xB4),  // senders that are no active objects
    ('x', 160, 0x0805_8000, 0xAF), // states
    ('f', 160, 0x0804_C000, 0xA8), // functions
];

/// The arguments of an event: an object by its class's letter, `s` signal, `u`, `w`, `d` numbers of one, two and four
/// bytes, `k` kind of action.
fn layout(id: u8) -> &'static str {
    match id {
        0x00 | 0x01 => "muu",
        0x02 => "mu",
        0x20 => "qau",
        0x21 => "qu",
        0x22 | 0x23 => "quu",
        0x24..=0x26 => "q",
        0x40 => "auu",
        0x42 => "asuuuu",
        0x43 | 0x44 => "asnuuuu",
        0x41 | 0x45 | 0x46 => "au",
        0x47 => "qs",
        0x48 | 0x6A => "as",
        0x60 | 0x61 | 0x63..=0x65 | 0x68 => "ax",
        0x62 => "axx",
        0x66 => "auu",
        0x69 | 0x6B..=0x6F => "a",
        0x70 => "kaxf",
        0x71 => "asx",
        0x80 => "ts",
        0x81 => "taww",
        0x82 => "tww",
        0x83 => "tsa",
        0x84 => "t",
        0xA0 | 0xA1 => "",
        0xA2 => "udwu",
        0xA3 => "wsuuuua",
        0xA4 => "suu",
        0xA5 => "suuuua",
        0xA9 => "f",
        0xAA => "fna",
        _ => panic!("no layout for event {id:#x}"),
    }
}

fn size_of_field(field: char) -> usize {
    match field {
        's' | 'u' | 'k' => 1,
        'w' => 2,
        _ => 4,
    }
}

/// Length of an item of a user event after its format byte.
fn size_of_item(format: u8, data: &[u8]) -> usize {
    match format & 15 {
        0 | 1 | 11 => 1,
        2 | 3 => 2,
        7 => data.iter().position(|&b| b == 0).unwrap() + 1,
        8 => 1 + usize::from(data[0]),
        _ => 4,
    }
}

/// A stream of at least `size` bytes with the events of a capture.
pub fn stream(capture: &[u8], seed: u64, size: usize) -> Vec<u8> {
    let frames = frames(capture);
    let (first, rest) = frames.split_first().unwrap();
    assert_eq!(first[0], TCFG, "the capture begins with its configuration");
    let events: Vec<(u8, &[u8])> = rest.iter().map(|f| (f[0], &f[6..f.len() - 1])).collect();
    let mut target = RkhTarget {
        bytes: vec![0x7E],
        frame: Vec::new(),
        nseq: 0,
        draw: Draw::new(seed),
        time: 0,
        objects: CLASSES.map(|(_, count, ..)| Keys::new(count)),
        signals: Keys::new(SIGNALS),
    };
    stuff(first, &mut target.bytes);
    target.names();
    while target.bytes.len() < size {
        target.objects.iter_mut().chain([&mut target.signals]).for_each(|keys| keys.shift(&mut target.draw));
        for (id, args) in &events {
            target.varied(*id, args);
        }
    }
    target.bytes
}

struct RkhTarget {
    bytes: Vec<u8>,
    frame: Vec<u8>,
    nseq: u8,
    draw: Draw,
    time: u32,
    /// The objects of each class.
    objects: [Keys; CLASSES.len()],
    signals: Keys,
}

impl RkhTarget {
    fn names(&mut self) {
        for (class, count, ..) in CLASSES {
            for index in 0..count {
                self.name_object(class, index);
            }
        }
        for signal in 0..SIGNALS {
            self.name_number(0xA7, signal);
        }
        for pool in 0..4 {
            self.name_number(0xB2, pool);
        }
        for event in 0..8 {
            self.name_number(0xAB, event);
        }
    }

    /// Writes another event of the same kind.
    fn varied(&mut self, id: u8, args: &[u8]) {
        match id {
            TCFG => {} // sent once
            0xA6 => self.rename('m'),
            0xA8 => self.rename('f'),
            0xAE => self.rename('a'),
            0xAF | 0xB0 => self.rename('x'),
            0xB1 => self.rename('t'),
            0xB3 => self.rename('q'),
            0xB4 => self.rename('n'),
            0xA7 => self.rename_number(id, SIGNALS),
            0xAB => self.rename_number(id, 8),
            0xB2 => self.rename_number(id, 4),
            0xC0..=0xDF => self.user(id, args),
            _ => self.event(id, args),
        }
    }

    fn event(&mut self, id: u8, given: &[u8]) {
        let (mut args, mut rest) = (Vec::new(), given);
        for field in layout(id).chars() {
            let old;
            (old, rest) = rest.split_at(size_of_field(field));
            match field {
                's' => args.push(self.signals.index(little_endian(old)) as u8),
                'u' => args.push(self.draw.below(4) as u8),
                'w' => args.extend((self.draw.below(600) as u16).to_le_bytes()),
                'd' => args.extend((self.draw.below(60_000) as u32).to_le_bytes()),
                'k' => args.extend(old),
                class => args.extend(self.object(class, old).to_le_bytes()),
            }
        }
        self.frame(id, &args);
    }

    fn user(&mut self, id: u8, given: &[u8]) {
        let (mut args, mut rest) = (Vec::new(), given);
        while let [format, data @ ..] = rest {
            let (value, after) = data.split_at(size_of_item(*format, data));
            args.push(*format);
            self.item(*format, value, &mut args);
            rest = after;
        }
        self.frame(id, &args);
    }

    /// Writes another value of an item.
    fn item(&mut self, format: u8, given: &[u8], out: &mut Vec<u8>) {
        let size = given.len();
        match format & 15 {
            0 | 2 | 4 => {
                out.extend(&self.draw.like_signed(little_endian_signed(given)).to_le_bytes()[..size]);
            }
            1 | 3 | 5 | 6 => out.extend(&self.draw.like(little_endian(given)).to_le_bytes()[..size]),
            7 => {
                out.extend(self.draw.word().bytes());
                out.push(0);
            }
            8 => {
                out.push(given[0]);
                out.extend(self.draw.bytes(size - 1));
            }
            9 => out.extend(self.object('a', given).to_le_bytes()),
            10 => out.extend(self.object('f', given).to_le_bytes()),
            _ => out.push(self.signals.index(little_endian(given)) as u8),
        }
    }

    fn object(&mut self, class: char, given: &[u8]) -> u32 {
        let keys = &mut self.objects[place_of(class)];
        address(class, keys.index(little_endian(given)))
    }

    fn rename(&mut self, class: char) {
        let index = self.objects[place_of(class)].any(&mut self.draw);
        self.name_object(class, index);
    }

    fn name_object(&mut self, class: char, index: usize) {
        let (.., id) = CLASSES[place_of(class)];
        let mut args = Vec::new();
        if class == 'x' {
            let owner = self.objects[place_of('a')].any(&mut self.draw);
            args.extend(address('a', owner).to_le_bytes());
        }
        args.extend(address(class, index).to_le_bytes());
        args.extend(self.draw.name().bytes());
        args.push(0);
        self.frame(id, &args);
    }

    fn rename_number(&mut self, id: u8, count: usize) {
        let number = self.draw.below(count);
        self.name_number(id, number);
    }

    fn name_number(&mut self, id: u8, number: usize) {
        let name = self.draw.name();
        self.frame(id, &[&[number as u8], name.as_bytes(), &[0]].concat());
    }

    fn frame(&mut self, id: u8, args: &[u8]) {
        self.time = self.time.wrapping_add(self.draw.ticks());
        let mut frame = mem::take(&mut self.frame);
        frame.clear();
        frame.extend([id, self.nseq]);
        frame.extend(self.time.to_le_bytes());
        frame.extend_from_slice(args);
        frame.push(frame.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)).wrapping_neg());
        stuff(&frame, &mut self.bytes);
        self.nseq = self.nseq.wrapping_add(1);
        self.frame = frame;
    }
}

fn place_of(class: char) -> usize {
    CLASSES.iter().position(|c| c.0 == class).unwrap_or_else(|| panic!("no field '{class}'"))
}

fn address(class: char, index: usize) -> u32 {
    let (_, _, first, _) = CLASSES[place_of(class)];
    first + 0x18 * index as u32
}
