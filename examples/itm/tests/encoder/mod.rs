//! Writes packets like a target.

#![allow(dead_code, missing_docs, unreachable_pub)]

/// Synchronisation.
pub const SYNC: [u8; 6] = [0, 0, 0, 0, 0, 0x80];
/// Lost packets.
pub const OVERFLOW: [u8; 1] = [0x70];
/// Functions of exceptions.
pub const ENTERED: u16 = 1;
pub const EXITED: u16 = 2;
pub const RETURNED: u16 = 3;

/// A payload with seven bits per byte.
fn long(mut bits: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bits > 0x7F {
        bytes.push(bits as u8 | 0x80);
        bits >>= 7;
    }
    bytes.push(bits as u8);
    bytes
}

/// A local time stamp, in the short form if possible.
pub fn local(delta: u32, delayed: u8) -> Vec<u8> {
    match delta {
        1..=6 if delayed == 0 => vec![(delta as u8) << 4],
        _ => [vec![0xC0 | delayed << 4], long(delta.into())].concat(),
    }
}

/// The low bits of a global time stamp; `flags`: bit 0 = the clock changed, bit 1 = the high bits changed.
pub fn global_low(ticks: u32, flags: u8) -> Vec<u8> {
    [vec![0x94], long(u64::from(ticks & 0x3FF_FFFF) | u64::from(flags & 3) << 26)].concat()
}

/// The high bits of a global time stamp.
pub fn global_high(bits: u64) -> Vec<u8> {
    [vec![0xB4], long(bits)].concat()
}

/// The page of the ports that follow.
pub fn page(page: u8) -> Vec<u8> {
    vec![0x08 | (page & 7) << 4]
}

fn source(id: u8, hardware: u8, payload: &[u8]) -> Vec<u8> {
    let size = match payload.len() {
        1 => 1,
        2 => 2,
        _ => 3,
    };
    [&[id << 3 | hardware << 2 | size], payload].concat()
}

/// A value that software writes to a port.
pub fn software(port: u8, payload: &[u8]) -> Vec<u8> {
    source(port, 0, payload)
}

/// Text on a port, one character per packet.
pub fn text(port: u8, text: &str) -> Vec<u8> {
    text.bytes().flat_map(|byte| software(port, &[byte])).collect()
}

/// A packet of the DWT.
pub fn hardware(id: u8, payload: &[u8]) -> Vec<u8> {
    source(id, 1, payload)
}

/// An exception.
pub fn exception(number: u16, function: u16) -> Vec<u8> {
    hardware(1, &(number | function << 12).to_le_bytes())
}

/// A sample of the program counter.
pub fn pc(pc: u32) -> Vec<u8> {
    hardware(2, &pc.to_le_bytes())
}

/// A session of this many rounds: text, values, nested exceptions, samples, time stamps.
pub fn session(rounds: u32) -> Vec<u8> {
    let mut bytes = SYNC.to_vec();
    for round in 0..rounds {
        bytes.extend(text(0, &format!("round {round}\n")));
        bytes.extend(local(900, 0));
        for packet in [
            exception(15, ENTERED),
            exception(16 + 7, ENTERED),
            software(1, &round.to_le_bytes()),
            exception(16 + 7, EXITED),
            exception(15, RETURNED),
            exception(15, EXITED),
            exception(0, RETURNED),
        ] {
            bytes.extend(packet);
            bytes.extend(local(if round % 2 == 0 { 5 } else { 40 }, 0));
        }
        bytes.extend([pc(0x0800_1234), hardware(2, &[0]), hardware(17, &[7, round as u8])].concat());
        bytes.extend(local(3_000, 2));
        match round % 8 {
            3 => bytes.extend([&OVERFLOW[..], &local(20, 0)].concat()),
            5 => bytes.extend([&SYNC[..], &global_low(round * 4_000, 0), &global_high(1)].concat()),
            _ => {}
        }
    }
    bytes
}
