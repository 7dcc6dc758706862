//! QS targets with every size of pointers and signals: random commands are sent as typed.

use spytui_plugin_api::Frames;
use spytui_plugin_host::kit::Random;

use super::target::Target;

/// Sizes of a target's object pointers, function pointers and signals.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    object: u8,
    function: u8,
    signal: u8,
}

/// A frame before byte stuffing (fact: `PROTOCOL.md` §1).
pub(crate) fn framed(seq: u8, id: u8, payload: &[u8]) -> Vec<u8> {
    let mut plain = vec![seq, id];
    plain.extend_from_slice(payload);
    plain.push(!plain.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
    plain
}

pub(crate) fn stuffed(plain: &[u8]) -> Vec<u8> {
    let escape = |byte: &u8| match byte {
        0x7D | 0x7E => vec![0x7D, byte ^ 0x20],
        _ => vec![*byte],
    };
    plain.iter().flat_map(escape).chain([0x7E]).collect()
}

/// Sent frames converted back to sequence number, id and payload.
fn unstuffed(frames: &Frames) -> Vec<(u8, u8, Vec<u8>)> {
    let back = |bytes: &[u8]| {
        let (&end, body) = bytes.split_last().unwrap();
        assert!(end == 0x7E && !body.contains(&0x7E), "one flag, at the end: {bytes:02x?}");
        let mut plain = Vec::new();
        let mut bytes = body.iter();
        while let Some(&byte) = bytes.next() {
            plain.push(if byte == 0x7D { bytes.next().unwrap() ^ 0x20 } else { byte });
        }
        assert_eq!(plain.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)), 0xFF, "check sum of {plain:02x?}");
        plain.pop();
        (plain[0], plain[1], plain[2..].to_vec())
    };
    frames.frames.iter().map(|frame| back(frame.bytes.of(&frames.bytes))).collect()
}

/// A target that has reported its sizes (fact: `PROTOCOL.md` §2).
fn target(sizes: Sizes) -> Target {
    let Sizes { object, function, signal } = sizes;
    let version = 734_u16.to_le_bytes();
    let info = [
        0xFF,
        version[0],
        version[1],
        0x40 | signal,
        0x21,
        0x22,
        function << 4 | object,
        4,
        8,
        0x11,
        0,
        0,
        0,
        1,
        1,
        26,
    ];
    let stream: Vec<u8> = [stuffed(&framed(1, 0, &[])), stuffed(&framed(2, 64, &info))].concat();
    Target::of("qs", &stream)
}

fn bytes(value: u64, size: u8) -> Vec<u8> {
    value.to_le_bytes()[..usize::from(size)].to_vec()
}

/// A value that fits into `size` bytes, often with bytes that must be escaped.
fn value(size: u8, random: &mut Random) -> u64 {
    let most = u64::MAX >> (64 - 8 * u32::from(size));
    match random.below(4) {
        0 => 0x7E7D_7E7D_7E7D_7E7D & most,
        1 => most,
        _ => random.number() & most,
    }
}

/// A line, and its expected frames.
fn exchange(sizes: Sizes, random: &mut Random) -> (String, Vec<(u8, Vec<u8>)>) {
    // The target of 7.3.4 has no event pools.
    const KINDS: [&str; 7] = ["sm", "ao", "mp", "eq", "te", "ap", "sm+ao"];
    const TO: [(&str, u8); 4] = [("publish", 0), ("current", 253), ("init", 254), ("dispatch", 255)];
    let one = |id: u8, payload: Vec<u8>| vec![(id, payload)];
    let object = value(sizes.object, random).max(1);
    let (byte, word) = (random.below(256) as u8, value(4, random));
    let size = [1_u8, 2, 4][random.below(3)];
    let (offset, item, count) = (value(2, random), value(size, random), 1 + random.below(255) as u8);
    let memory = |count: u8| [bytes(offset, 2), vec![size, count]].concat();
    match random.below(12) {
        0 => ("info".to_owned(), one(0, vec![])),
        1 => (format!("tick {byte}"), one(3, vec![byte])),
        2 => {
            let kind = random.below(KINDS.len());
            let payload = [vec![kind as u8], bytes(object, sizes.object)].concat();
            (format!("current {} {object:#x}", KINDS[kind]), one(13, payload))
        }
        3 => {
            let function = value(sizes.function, random);
            let payload = [bytes(word, 4), bytes(function, sizes.function)].concat();
            (format!("test probe {function} {word:#x}"), one(9, payload))
        }
        4 => {
            let (to, signal) = (TO[random.below(4)], value(sizes.signal, random));
            let payload = [vec![to.1], bytes(signal, sizes.signal), vec![3, 0, 0x7D, byte, 0x7E]].concat();
            (format!("event {} {signal} 0x7d {byte} hex:7E", to.0), one(16, payload))
        }
        5 => {
            let (priority, signal) = (1 + random.below(64) as u8, value(sizes.signal, random));
            let payload = [vec![priority], bytes(signal, sizes.signal), vec![0, 0]].concat();
            (format!("event {priority} {signal:#X}"), one(16, payload))
        }
        6 => (format!("peek {offset} {size} {count}"), one(4, memory(count))),
        7 => {
            let items: Vec<u64> = (0..count).map(|_| value(size, random)).collect();
            let typed: Vec<String> = items.iter().map(u64::to_string).collect();
            let payload = items.iter().fold(memory(count), |all, item| [all, bytes(*item, size)].concat());
            (format!("poke {offset:#x} {size} {}", typed.join(" ")), one(5, payload))
        }
        8 => {
            let payload = [memory(count), bytes(item, size)].concat();
            (format!("fill {offset} {size} {count} {item}"), one(6, payload))
        }
        9 => {
            let payload = [vec![byte], bytes(word, 4), bytes(7, 4), bytes(0, 4)].concat();
            (format!("command {byte} {word} 7"), one(1, payload))
        }
        10 => {
            let other = object ^ 1;
            let frame = |remove: u8, object: u64| (12, [vec![remove], bytes(object, sizes.object)].concat());
            let frames = if other == 0 { vec![frame(1, object)] } else { vec![frame(1, object), frame(0, other)] };
            let also = if other == 0 { String::new() } else { format!(" +obj:{other}") };
            (format!("local -obj:{object:#x}{also}"), frames)
        }
        _ => {
            let raw = random.bytes(1 + size as usize);
            let digits: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
            (format!("raw {byte} {digits}"), one(byte, raw))
        }
    }
}

#[test]
fn random_commands_decode_back_in_every_size() {
    let mut random = Random::new(14);
    for object in [1, 2, 4, 8] {
        for function in [1, 2, 4, 8] {
            for signal in [1, 2, 4] {
                let sizes = Sizes { object, function, signal };
                let mut target = target(sizes);
                let mut seq = 0_u8;
                for _ in 0..60 {
                    let (line, expected) = exchange(sizes, &mut random);
                    let sent = target.send(&line).unwrap_or_else(|error| panic!("{sizes:?} {line}: {error}"));
                    let expected: Vec<(u8, u8, Vec<u8>)> = expected
                        .into_iter()
                        .map(|(id, payload)| {
                            seq = seq.wrapping_add(1);
                            (seq, id, payload)
                        })
                        .collect();
                    assert_eq!(unstuffed(&sent), expected, "{sizes:?} {line}");
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_with_its_column() {
    let mut target = target(Sizes { object: 2, function: 1, signal: 1 });
    for (line, refusal) in [
        ("current ao 0x10000", "11: at most 0xffff: the target has 2 bytes for it"),
        ("test probe 256 1", "11: at most 0xff: the target has 1 bytes for it"),
        ("event publish 256", "14: at most 0xff: the target has 1 bytes for it"),
        ("event 3  0x100 1", "9: at most 0xff: the target has 1 bytes for it"),
        ("local +obj:0x10000", "6: at most 0xffff: the target has 2 bytes for it"),
        ("local +obj:5..9", "6: objects are given one by one"),
        ("local +obj:0", "6: there is no object at address 0"),
    ] {
        let error = target.send(line).unwrap_err();
        assert!(error.starts_with(refusal), "{line}: {error}");
    }
    assert_eq!(unstuffed(&target.send("info").unwrap())[0].0, 1, "a refused line has no number");
}
