//! The records of the classic trace logs: QNX 4 and Neutrino 1.0.

use std::borrow::Cow;

use nom::{Parser, bytes::complete::take};
use spytui_decoder_kit::value::{Res, array};

use super::words;
use crate::config::Format;

/// Nanoseconds of a second.
const SECOND: u32 = 1_000_000_000;
/// Highest high half of nanoseconds in a record of QNX 4.
const MOST_NANOS: u16 = 15_258;
/// Shortest record, of either format.
const HEAD: usize = 12;
/// Longest buffer of Neutrino 1.0.
const MOST_BUFFER: u32 = 65_535;
/// Greatest severity in the data bits of an exception.
const MOST_SEVERITY: u32 = 7;

/// A record of a classic trace log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Classic<'a> {
    /// Length in bytes.
    pub(crate) len: usize,
    pub(crate) seconds: u32,
    pub(crate) nanos: u32,
    pub(crate) what: What,
    /// Opcode and data bits of Neutrino 1.0.
    pub(crate) opcode: Option<(u8, u32)>,
    /// Its integers have 16 bits.
    pub(crate) small: bool,
    /// Arguments, and the buffer after them.
    pub(crate) arguments: &'a [u8],
    pub(crate) buffer: &'a [u8],
}

/// What the bytes of a classic trace log begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Read<'a> {
    Record(Classic<'a>),
    /// An event without content, of two bytes.
    Null,
    /// The record goes on behind the last byte.
    Incomplete,
    /// No record.
    Wrong,
}

/// The trace code by which a companion on the target reports what was lost: major 0xFFFFF, minor 0xFFE of QNX 4, major
/// 0xFFFFFF, minor 0xFE of Neutrino 1.0.
const OVERRUN: u32 = 0xFFFF_FFFE;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A trace code, with a severity of 0 to 7.
    Code { code: u32, severity: u8 },
    /// An event of the kernel profile, by its opcode.
    Profile(u8),
}

impl<'a> Classic<'a> {
    /// What a template sees. Joined only here: a search reads a record at every byte, each of up to 64 KiB.
    pub(crate) fn data(&self) -> Cow<'a, [u8]> {
        match (self.arguments, self.buffer) {
            (all, []) | ([], all) => Cow::Borrowed(all),
            (arguments, buffer) => Cow::Owned([arguments, buffer].concat()),
        }
    }

    /// The words of a companion's record: an event of the kernel profile with this opcode, so many arguments and nothing
    /// else.
    pub(crate) fn companion<const N: usize>(&self, opcode: u8, big: bool) -> Option<[u32; N]> {
        let is_plain = self.opcode == Some((opcode, 0)) && self.what == What::Profile(opcode);
        let has_all = self.arguments.len() == 4 * N && self.len == HEAD + 4 * N;
        let mut words = words(self.arguments, big);
        (is_plain && has_all).then(|| std::array::from_fn(|_| words.next().unwrap_or_default()))
    }

    /// What the target lost since the record like this one before it: events of QNX 4, bytes of Neutrino 1.0.
    pub(crate) fn overrun(&self, big: bool) -> Option<u32> {
        let What::Code { code: OVERRUN, .. } = self.what else { return None };
        words(&self.data(), big).next()
    }
}

impl Format {
    /// Reads what the bytes begin with.
    pub(crate) fn read(self, input: &[u8]) -> Read<'_> {
        let read = match self {
            Format::Qnx4 => qnx4(input),
            Format::Nto1 { big, exception } => nto1(input, big, exception),
        };
        match read {
            Ok((_, read)) => read,
            Err(_) => Read::Incomplete,
        }
    }
}

fn u16(input: &[u8]) -> Res<'_, u16> {
    array.map(u16::from_le_bytes).parse(input)
}

/// QNX 4: little-endian, no padding.
fn qnx4(input: &[u8]) -> Res<'_, Read<'_>> {
    let (rest, mode) = u16(input)?;
    if mode == 0 {
        return Ok((rest, Read::Null));
    }
    let len = usize::from(mode & 0x1FF);
    if mode & 0x8600 != 0 || len < HEAD {
        return Ok((rest, Read::Wrong));
    }
    let word = || array.map(u32::from_le_bytes);
    let (rest, nanos) = u16(rest)?;
    if nanos > MOST_NANOS {
        return Ok((rest, Read::Wrong));
    }
    let (rest, (seconds, code)) = (word(), word()).parse(rest)?;
    if code >> 12 == 0 {
        return Ok((rest, Read::Wrong));
    }
    let (rest, data) = take(len - HEAD).parse(rest)?;
    let what = What::Code { code, severity: (mode >> 12) as u8 & 7 };
    let (nanos, small) = (u32::from(nanos) << 16, mode & 0x800 != 0);
    Ok((rest, Read::Record(Classic { len, seconds, nanos, what, opcode: None, small, arguments: data, buffer: &[] })))
}

/// Neutrino 1.0: words; an exception has its trace code as first argument, and a buffer follows the arguments.
fn nto1(input: &[u8], big: bool, exception: u8) -> Res<'_, Read<'_>> {
    let from = if big { u32::from_be_bytes } else { u32::from_le_bytes };
    let word = || array.map(from);
    let (rest, (event, seconds, nanos)) = (word(), word(), word()).parse(input)?;
    let (has_buffer, count) = (event >> 31 == 1, (event >> 28 & 7) as usize);
    let (dat20, opcode) = (event >> 8 & 0xF_FFFF, event as u8);
    let is_exception = opcode == exception;
    if nanos >= SECOND || is_exception && (count == 0 || dat20 > MOST_SEVERITY) {
        return Ok((rest, Read::Wrong));
    }
    let (rest, arguments) = take(4 * count).parse(rest)?;
    let (code, arguments) = if is_exception {
        let (arguments, code) = word().parse(arguments)?;
        (code, arguments)
    } else {
        (0, arguments)
    };
    let (rest, size) = if has_buffer { word().parse(rest)? } else { (rest, 0) };
    if size > MOST_BUFFER {
        return Ok((rest, Read::Wrong));
    }
    let size = size as usize;
    let (rest, padded) = take(size.next_multiple_of(4)).parse(rest)?;
    let buffer = padded.get(..size).unwrap_or(&[]);
    let what = match is_exception {
        true => What::Code { code, severity: dat20 as u8 },
        false => What::Profile(opcode),
    };
    let (len, opcode) = (input.len() - rest.len(), Some((opcode, dat20)));
    Ok((rest, Read::Record(Classic { len, seconds, nanos, what, opcode, small: false, arguments, buffer })))
}
