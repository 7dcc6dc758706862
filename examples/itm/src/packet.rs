//! Parses a packet. The format is described in `PROTOCOL.md`.

/// Longest packet except for synchronisation: a global time stamp of 48 bits or more.
pub const MAX_PACKET: usize = 7;

/// Minimum number of zero bytes before the last byte of a synchronisation packet.
pub const SYNC_ZEROS: usize = 5;

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Synchronisation: at least 47 zero bits, then a one.
    Sync,
    /// The target lost packets.
    Overflow,
    /// Ticks since the previous local time stamp.
    Local {
        /// Ticks.
        delta: u32,
        /// Timing relative to the preceding packets: bit 0 = the stamp was delayed, bit 1 = the packets were.
        delayed: u8,
    },
    /// The low bits of a global time stamp.
    GlobalLow {
        /// Bits 25:0, or fewer if fewer were sent.
        ticks: u32,
        /// The high bits have changed.
        wrapped: bool,
        /// The clock has changed.
        clock_changed: bool,
    },
    /// Bits 26 and up of a global time stamp.
    GlobalHigh(u64),
    /// The page of the stimulus ports that follow.
    Page(u8),
    /// Another extension packet.
    Extension(u32),
    /// What software wrote to a stimulus port.
    Software {
        /// Port within the page, 0–31.
        port: u8,
        /// 1, 2 or 4 bytes.
        size: u8,
        /// The value.
        value: u32,
    },
    /// Counters that wrapped, one bit each.
    Events(u8),
    /// An exception was entered, left, or returned to.
    Exception {
        /// Number of the exception; 0 = thread mode.
        number: u16,
        /// What happened.
        action: Action,
    },
    /// Program counter; `None` = the processor sleeps.
    PcSample(Option<u32>),
    /// Address of the instruction that a comparator matched.
    DataPc {
        /// Number of the comparator, 0–3.
        comparator: u8,
        /// The address.
        pc: u32,
    },
    /// Low half of the address that a comparator matched.
    DataAddress {
        /// Number of the comparator, 0–3.
        comparator: u8,
        /// Bits 15:0.
        address: u16,
    },
    /// The value read or written where a comparator matched.
    Data {
        /// Number of the comparator, 0–3.
        comparator: u8,
        /// Whether it was written.
        is_write: bool,
        /// 1, 2 or 4 bytes.
        size: u8,
        /// The value.
        value: u32,
    },
}

/// The characters in a multi-byte packet, without zero padding; `None` = it is not text.
pub fn characters(payload: &[u8]) -> Option<&[u8]> {
    let len = payload.iter().rposition(|byte| *byte != 0)? + 1;
    let characters = payload.get(..len)?;
    characters.iter().all(|byte| matches!(byte, 9..=13 | 0x1B | 0x20..=0x7E | 0x80..)).then_some(characters)
}

/// What happened to an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It was entered.
    Entered,
    /// It was left.
    Exited,
    /// The processor returned to it.
    Returned,
}

/// Result of parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// A packet and its length in bytes.
    Packet(Packet, usize),
    /// Part of a packet.
    More,
    /// Not a packet: a reserved header, or content that no target sends.
    Bad,
}

/// Parses the packet at the start of `bytes`. Zeros already reported as noise may be omitted.
pub fn parse(bytes: &[u8]) -> Parsed {
    let Some((&header, rest)) = bytes.split_first() else { return Parsed::More };
    match header {
        0 => sync(bytes),
        0x70 => Parsed::Packet(Packet::Overflow, 1),
        _ if header & 0x03 != 0 => source(header, rest),
        _ if header & 0x8F == 0 => Parsed::Packet(Packet::Local { delta: u32::from(header >> 4), delayed: 0 }, 1),
        _ if header & 0xCF == 0xC0 => long(rest, 4, |delta| {
            u32::try_from(delta).ok().map(|delta| Packet::Local { delta, delayed: header >> 4 & 3 })
        }),
        0x94 => long(rest, 4, |bits| Some(global_low(bits))),
        0xB4 => long(rest, 6, |bits| Some(Packet::GlobalHigh(bits))),
        _ if header & 0x0B == 0x08 => extension(header, rest),
        _ => Parsed::Bad,
    }
}

fn sync(bytes: &[u8]) -> Parsed {
    match bytes.iter().position(|byte| *byte != 0) {
        None => Parsed::More,
        Some(zeros) if zeros >= SYNC_ZEROS && bytes.get(zeros) == Some(&0x80) => {
            Parsed::Packet(Packet::Sync, zeros + 1)
        }
        Some(_) => Parsed::Bad,
    }
}

/// A payload of at most `max` bytes with seven bits each; bit 7 is set in all but the last.
fn long(rest: &[u8], max: usize, packet: impl FnOnce(u64) -> Option<Packet>) -> Parsed {
    let mut bits = 0;
    for (at, byte) in rest.iter().take(max).enumerate() {
        bits |= u64::from(byte & 0x7F) << (7 * at);
        if byte & 0x80 == 0 {
            return packet(bits).map_or(Parsed::Bad, |packet| Parsed::Packet(packet, at + 2));
        }
    }
    if rest.len() < max { Parsed::More } else { Parsed::Bad }
}

fn global_low(bits: u64) -> Packet {
    Packet::GlobalLow {
        ticks: (bits & 0x3FF_FFFF) as u32,
        clock_changed: bits >> 26 & 1 != 0,
        wrapped: bits >> 27 & 1 != 0,
    }
}

fn extension(header: u8, rest: &[u8]) -> Parsed {
    let (low, is_of_ports) = (u32::from(header >> 4 & 7), header & 4 == 0);
    if header & 0x80 == 0 {
        let packet = if is_of_ports { Packet::Page(low as u8) } else { Packet::Extension(low) };
        return Parsed::Packet(packet, 1);
    }
    long(rest, 4, |bits| u32::try_from(bits << 3 | u64::from(low)).ok().map(Packet::Extension))
}

fn source(header: u8, rest: &[u8]) -> Parsed {
    let size = [0_u8, 1, 2, 4][usize::from(header & 3)];
    let id = header >> 3;
    let is_software = header & 4 == 0;
    if !is_software && !is_hardware(id, size) {
        return Parsed::Bad;
    }
    let Some(payload) = rest.get(..usize::from(size)) else { return Parsed::More };
    let value = payload.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
    let packet = if is_software { Some(Packet::Software { port: id, size, value }) } else { hardware(id, size, value) };
    packet.map_or(Parsed::Bad, |packet| Parsed::Packet(packet, 1 + payload.len()))
}

/// Whether the DWT sends packets with this id and size.
fn is_hardware(id: u8, size: u8) -> bool {
    match id {
        0 => size == 1,
        1 => size == 2,
        2 => size != 2,
        8..=15 if id & 1 == 0 => size == 4,
        8..=15 => size == 2,
        16..=23 => true,
        _ => false,
    }
}

fn hardware(id: u8, size: u8, value: u32) -> Option<Packet> {
    let comparator = id >> 1 & 3;
    Some(match id {
        0 => Packet::Events(value as u8),
        1 => Packet::Exception {
            number: (value & 0x1FF) as u16,
            action: match value >> 12 & 3 {
                1 => Action::Entered,
                2 => Action::Exited,
                3 => Action::Returned,
                _ => return None,
            },
        },
        2 if size == 4 => Packet::PcSample(Some(value)),
        2 if value == 0 => Packet::PcSample(None),
        8..=15 if id & 1 == 0 => Packet::DataPc { comparator, pc: value },
        8..=15 => Packet::DataAddress { comparator, address: value as u16 },
        16..=23 => Packet::Data { comparator, is_write: id & 1 != 0, size, value },
        _ => return None,
    })
}
