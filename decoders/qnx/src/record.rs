//! Parsers that define the formats: an event of the instrumented kernel, a complete event with its fields, the header
//! of a `.kev` file, and records of the classic trace logs.

use std::{borrow::Cow, ops::Range};

use nom::{
    IResult, Parser,
    bytes::complete::{tag, take, take_till, take_until},
    combinator::peek,
    multi::many0,
    sequence::{preceded, terminated},
};
use spytui_decoder_kit::value::{Res, array};
use spytui_plugin_api::RowIn;

use crate::{
    config::{Config, Format},
    layout::{Field, Group, KernelKind, Layout, Sent, Ty},
};

#[derive(Clone, Debug)]
pub(crate) enum Record<'a> {
    Event(Whole<'a>),
    Classic(Format, Classic<'a>),
    /// A note, or bytes outside of records.
    None,
}

/// Parses the bytes of a row; `room` is a buffer for the words of multi-part events. Inlined, because records are too
/// large to return fast.
#[inline(always)]
pub(crate) fn read<'a>(config: &Config, row: &'a RowIn<'a>, room: &'a mut Vec<u8>) -> Record<'a> {
    if !row.row.is_record() {
        return Record::None;
    }
    let raw = row.raw.as_slice();
    match config.classic() {
        Some(format) => match format.read(raw) {
            ReadEvent::Record(record) => Record::Classic(format, record),
            _ => Record::None,
        },
        None => {
            let whole = KernelKind::of(row.row.kind).and_then(|kind| Whole::read(kind, raw, config.big, room));
            whole.map_or(Record::None, Record::Event)
        }
    }
}

pub(crate) const EVENT: usize = 16;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Event {
    pub(crate) header: u32,
    /// Low half of the CPU's time.
    pub(crate) low: u32,
    pub(crate) words: [u32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    Simple,
    Begin,
    Continuation,
    End,
}

impl Event {
    #[inline(always)]
    pub(crate) fn structure(&self) -> Structure {
        match self.header >> 30 {
            0 => Structure::Simple,
            1 => Structure::Begin,
            2 => Structure::Continuation,
            _ => Structure::End,
        }
    }

    #[inline(always)]
    pub(crate) fn cpu(&self) -> u8 {
        (self.header >> 24) as u8 & 63
    }

    #[inline(always)]
    pub(crate) fn key(&self) -> u64 {
        u64::from(self.low) << 32 | u64::from(self.header & 0x3FFF_FFFF)
    }
}

/// Parses an event; `big` = big-endian words.
#[inline(always)]
pub(crate) fn event(input: &[u8], big: bool) -> Res<'_, Event> {
    let from = if big { u32::from_be_bytes } else { u32::from_le_bytes };
    let word = || array.map(from);
    let parts = (word(), word(), word(), word());
    parts.map(|(header, low, first, second)| Event { header, low, words: [first, second] }).parse(input)
}

/// Bytes of header and time in a part, and of its words.
const HEAD: usize = 8;
pub(crate) const WORDS: usize = EVENT - HEAD;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole<'a> {
    pub(crate) kind: KernelKind,
    pub(crate) layout: &'static Layout,
    /// Its first part.
    pub(crate) event: Event,
    pub(crate) payload: &'a [u8],
    big: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum EventContent<'a> {
    /// A kernel call failed with this error; nothing else was sent.
    Failure(u32),
    /// Words of the application, and their text if they are text.
    User(Option<&'a [u8]>),
    Words,
    Fields,
}

#[derive(Clone, Debug)]
pub(crate) struct FieldValue<'a> {
    pub(crate) field: &'static Field,
    pub(crate) value: Value<'a>,
    /// Byte range in the event. May include headers of parts.
    pub(crate) bytes: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// A number of the field's type; signed ones are sign-extended.
    Number(u64),
    Message(&'a [u8]),
    Text(&'a [u8]),
}

/// Whether a byte is printable or a line feed.
fn prints(byte: u8) -> bool {
    (0x20..=0x7E).contains(&byte) || byte == b'\n'
}

/// A text up to its NUL, or up to the end.
fn text(input: &[u8]) -> Res<'_, &[u8]> {
    take_till(|byte| byte == 0).parse(input)
}

/// The text at the start of a message, ended by a NUL or a word with an unprintable byte.
pub(crate) fn text_of_message(words: &[u8]) -> &[u8] {
    let text = text(words).map_or(words, |(_, text)| text);
    let len = text.iter().position(|&byte| !prints(byte)).map_or(text.len(), |at| at / 4 * 4);
    text.get(..len).unwrap_or(text)
}

fn word(big: bool) -> impl Fn(&[u8]) -> Res<'_, u32> {
    let from = if big { u32::from_be_bytes } else { u32::from_le_bytes };
    move |input| array.map(from).parse(input)
}

fn value(ty: Ty, fast: bool, big: bool, input: &[u8]) -> Res<'_, Value<'_>> {
    let long = |(low, high): (u32, u32)| u64::from(high) << 32 | u64::from(low);
    match ty {
        Ty::D32 => word(big).map(|n| Value::Number(i64::from(n as i32) as u64)).parse(input),
        Ty::U32 | Ty::Pid | Ty::X32 | Ty::Ptr32 => word(big).map(|n| Value::Number(n.into())).parse(input),
        Ty::X64 if big => array.map(|bytes| Value::Number(u64::from_be_bytes(bytes))).parse(input),
        Ty::X64 | Ty::Long | Ty::LongHex => (word(big), word(big)).map(long).map(Value::Number).parse(input),
        Ty::Message => take(input.len().clamp(4, if fast { 4 } else { 12 })).map(Value::Message).parse(input),
        Ty::Text => (peek(word(big)), text).map(|(_, text)| Value::Text(text)).parse(input),
    }
}

impl<'a> Whole<'a> {
    #[inline]
    pub(crate) fn new(kind: KernelKind, event: Event, payload: &'a [u8], big: bool) -> Whole<'a> {
        Whole { kind, layout: kind.layout(), event, payload, big }
    }

    /// Parses the event in a row's bytes; `room` is a buffer for the words of multi-part events.
    #[inline]
    fn read(kind: KernelKind, raw: &'a [u8], big: bool, room: &'a mut Vec<u8>) -> Option<Whole<'a>> {
        let (rest, event) = event(raw, big).ok()?;
        if rest.len() < EVENT {
            return Some(Whole::new(kind, event, raw.get(HEAD..EVENT)?, big));
        }
        room.clear();
        raw.chunks_exact(EVENT).for_each(|part| room.extend_from_slice(part.get(HEAD..).unwrap_or_default()));
        Some(Whole::new(kind, event, room, big))
    }

    pub(crate) fn is_short(&self) -> bool {
        self.payload.len() == WORDS
    }

    #[inline]
    pub(crate) fn number(&self) -> u16 {
        self.event.header as u16 & 0x3FF
    }

    #[inline]
    pub(crate) fn call(&self) -> u16 {
        self.number() % crate::layout::CALL_NUMBERS
    }

    /// The priority in a thread state event, which only wide mode contains.
    #[inline]
    pub(crate) fn priority(&self) -> Option<u8> {
        u8::try_from(self.words().nth(2)?).ok()
    }

    pub(crate) fn content(&self) -> EventContent<'a> {
        match (self.layout.group, self.event.words) {
            (Group::Exit, [u32::MAX, error]) => EventContent::Failure(error),
            (Group::User, _) => EventContent::User(self.text().filter(|text| text.iter().all(|&byte| prints(byte)))),
            _ if self.kind.fields().is_empty() => EventContent::Words,
            _ => EventContent::Fields,
        }
    }

    /// The bytes before the NUL in a user event with more than two words.
    fn text(&self) -> Option<&'a [u8]> {
        let (_, text) = text(self.payload).ok().filter(|_| !self.is_short())?;
        Some(text)
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = u32> + 'a {
        words(self.payload, self.big)
    }

    pub(crate) fn words_of(&self, message: &'a [u8]) -> impl Iterator<Item = u32> + 'a {
        words(message, self.big)
    }

    /// Its fields with their values, as far as the payload goes. The kernel may send a short form: a selection of two
    /// words.
    pub(crate) fn fields(&self) -> impl Iterator<Item = FieldValue<'a>> + use<'a> {
        let Whole { kind, layout, payload, big, .. } = *self;
        let fast = self.is_short() && layout.group != Group::System && !kind.is_64();
        let mut rest = payload;
        let sent = kind.fields().iter().filter(move |field| !fast || field.sent == Sent::Always);
        sent.map_while(move |field| {
            let (after, value) = value(field.ty, fast, big, rest).ok()?;
            let start = in_event(payload.len() - rest.len());
            let last = payload.len().checked_sub(after.len() + 1).map_or(0, in_event);
            rest = after;
            Some(FieldValue { field, value, bytes: start..start.max(last + 1) })
        })
    }
}

fn words(bytes: &[u8], big: bool) -> impl Iterator<Item = u32> {
    let from = if big { u32::from_be_bytes } else { u32::from_le_bytes };
    bytes.as_chunks().0.iter().map(move |word| from(*word))
}

fn in_event(at: usize) -> usize {
    at / WORDS * EVENT + HEAD + at % WORDS
}

/// The first and last words of a header.
pub(crate) const BEGIN: &[u8] = b"TRACE_HEADER_BEGIN::";
pub(crate) const END: &[u8] = b"TRACE_HEADER_END::";

/// Prefix of every key, which also ends the previous value.
const PREFIX: &[u8] = b"TRACE_";
const SEPARATOR: &[u8] = b"::";

/// The attributes that the kernel's loggers write; others may be added on their command line.
pub(crate) const ATTRIBUTES: [&str; 19] = [
    "FILE_NAME",
    "DATE",
    "VER_MAJOR",
    "VER_MINOR",
    "LITTLE_ENDIAN",
    "BIG_ENDIAN",
    "MIDDLE_ENDIAN",
    "ENCODING",
    "BOOT_DATE",
    "CYCLES_PER_SEC",
    "CPU_NUM",
    "SYSNAME",
    "NODENAME",
    "SYS_RELEASE",
    "SYS_VERSION",
    "MACHINE",
    "SYSPAGE_LEN",
    "TRACELOGGER_ARGS",
    "NORMALIZEDN",
];

#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes<'a>(pub(crate) Vec<(&'a [u8], &'a [u8])>);

/// Parses a header from its first word to its last.
pub(crate) fn attributes(input: &[u8]) -> Attributes<'_> {
    let header: IResult<&[u8], Vec<_>, ()> = preceded(tag(BEGIN), many0(attribute)).parse(input);
    Attributes(header.map(|(_, list)| list).unwrap_or_default())
}

/// Parses a key without its prefix, and its value.
fn attribute(input: &[u8]) -> IResult<&[u8], (&[u8], &[u8]), ()> {
    let key = preceded(tag(PREFIX), terminated(take_until(SEPARATOR), tag(SEPARATOR)));
    (key, take_until(PREFIX)).parse(input)
}

impl<'a> Attributes<'a> {
    pub(crate) fn get(&self, key: &str) -> Option<&'a [u8]> {
        self.0.iter().find(|(name, _)| *name == key.as_bytes()).map(|attribute| attribute.1)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        std::str::from_utf8(self.get(key)?).ok().map(str::trim)
    }

    /// The decimal number at the start of a value.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        let text = self.text(key)?;
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        text.get(..digits)?.parse().ok()
    }

    pub(crate) fn is_big(&self) -> Option<bool> {
        let little = self.get("LITTLE_ENDIAN").map(|_| false);
        little.or_else(|| self.get("BIG_ENDIAN").map(|_| true))
    }
}

const SECOND: u32 = 1_000_000_000;
/// Maximum upper half of nanoseconds in a QNX 4 record.
const MOST_NANOS: u16 = 15_258;
/// Minimum length of a record, in either format.
const CLASSIC_HEAD: usize = 12;
const MOST_BUFFER: u32 = 65_535;
/// Maximum severity in the data bits of an exception.
const MOST_SEVERITY: u32 = 7;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Classic<'a> {
    pub(crate) len: usize,
    pub(crate) seconds: u32,
    pub(crate) nanos: u32,
    pub(crate) what: EventCode,
    /// Opcode and data bits of Neutrino 1.0.
    pub(crate) opcode: Option<(u8, u32)>,
    /// Its integers have 16 bits.
    pub(crate) small: bool,
    pub(crate) arguments: &'a [u8],
    pub(crate) buffer: &'a [u8],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReadEvent<'a> {
    Record(Classic<'a>),
    /// An empty event of two bytes.
    Null,
    Incomplete,
    Wrong,
}

/// The trace code with which a companion on the target reports losses: major 0xFFFFF, minor 0xFFE in QNX 4, major
/// 0xFFFFFF, minor 0xFE in Neutrino 1.0.
const OVERRUN: u32 = 0xFFFF_FFFE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventCode {
    /// A trace code, with a severity of 0 to 7.
    Code { code: u32, severity: u8 },
    /// An event of the kernel profile, by opcode.
    Profile(u8),
}

impl<'a> Classic<'a> {
    /// The data for a template. Joined only on demand, because a search parses records of up to 64 KiB at every byte.
    pub(crate) fn data(&self) -> Cow<'a, [u8]> {
        match (self.arguments, self.buffer) {
            (all, []) | ([], all) => Cow::Borrowed(all),
            (arguments, buffer) => Cow::Owned([arguments, buffer].concat()),
        }
    }

    /// The words of a companion's record: an event of the kernel profile with this opcode, `N` arguments and nothing
    /// else.
    pub(crate) fn companion<const N: usize>(&self, opcode: u8, big: bool) -> Option<[u32; N]> {
        let is_plain = self.opcode == Some((opcode, 0)) && self.what == EventCode::Profile(opcode);
        let has_all = self.arguments.len() == 4 * N && self.len == CLASSIC_HEAD + 4 * N;
        let mut words = words(self.arguments, big);
        (is_plain && has_all).then(|| std::array::from_fn(|_| words.next().unwrap_or_default()))
    }

    /// What the target lost since its last such record: events in QNX 4, bytes in Neutrino 1.0.
    pub(crate) fn overrun(&self, big: bool) -> Option<u32> {
        let EventCode::Code { code: OVERRUN, .. } = self.what else { return None };
        words(&self.data(), big).next()
    }
}

impl Format {
    pub(crate) fn read(self, input: &[u8]) -> ReadEvent<'_> {
        let read = match self {
            Format::Qnx4 => qnx4(input),
            Format::Nto1 { big, exception } => nto1(input, big, exception),
        };
        match read {
            Ok((_, read)) => read,
            Err(_) => ReadEvent::Incomplete,
        }
    }
}

fn u16(input: &[u8]) -> Res<'_, u16> {
    array.map(u16::from_le_bytes).parse(input)
}

/// QNX 4: little-endian, no padding.
fn qnx4(input: &[u8]) -> Res<'_, ReadEvent<'_>> {
    let (rest, mode) = u16(input)?;
    if mode == 0 {
        return Ok((rest, ReadEvent::Null));
    }
    let len = usize::from(mode & 0x1FF);
    if mode & 0x8600 != 0 || len < CLASSIC_HEAD {
        return Ok((rest, ReadEvent::Wrong));
    }
    let word = || array.map(u32::from_le_bytes);
    let (rest, nanos) = u16(rest)?;
    if nanos > MOST_NANOS {
        return Ok((rest, ReadEvent::Wrong));
    }
    let (rest, (seconds, code)) = (word(), word()).parse(rest)?;
    if code >> 12 == 0 {
        return Ok((rest, ReadEvent::Wrong));
    }
    let (rest, data) = take(len - CLASSIC_HEAD).parse(rest)?;
    let what = EventCode::Code { code, severity: (mode >> 12) as u8 & 7 };
    let (nanos, small) = (u32::from(nanos) << 16, mode & 0x800 != 0);
    Ok((
        rest,
        ReadEvent::Record(Classic { len, seconds, nanos, what, opcode: None, small, arguments: data, buffer: &[] }),
    ))
}

/// Neutrino 1.0: words; the first argument of an exception is its trace code, and a buffer follows the arguments.
fn nto1(input: &[u8], big: bool, exception: u8) -> Res<'_, ReadEvent<'_>> {
    let from = if big { u32::from_be_bytes } else { u32::from_le_bytes };
    let word = || array.map(from);
    let (rest, (event, seconds, nanos)) = (word(), word(), word()).parse(input)?;
    let (has_buffer, count) = (event >> 31 == 1, (event >> 28 & 7) as usize);
    let (dat20, opcode) = (event >> 8 & 0xF_FFFF, event as u8);
    let is_exception = opcode == exception;
    if nanos >= SECOND || is_exception && (count == 0 || dat20 > MOST_SEVERITY) {
        return Ok((rest, ReadEvent::Wrong));
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
        return Ok((rest, ReadEvent::Wrong));
    }
    let size = size as usize;
    let (rest, padded) = take(size.next_multiple_of(4)).parse(rest)?;
    let buffer = padded.get(..size).unwrap_or(&[]);
    let what = match is_exception {
        true => EventCode::Code { code, severity: dat20 as u8 },
        false => EventCode::Profile(opcode),
    };
    let (len, opcode) = (input.len() - rest.len(), Some((opcode, dat20)));
    Ok((rest, ReadEvent::Record(Classic { len, seconds, nanos, what, opcode, small: false, arguments, buffer })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_the_byte_order_of_its_target() {
        let bytes: Vec<u8> = (0x40..0x50).collect();
        let (rest, little) = event(&bytes, false).unwrap();
        assert_eq!((rest.len(), little.header, little.words), (0, 0x4342_4140, [0x4B4A_4948, 0x4F4E_4D4C]));
        let big = event(&bytes, true).unwrap().1;
        assert_eq!((big.header, big.low, big.cpu()), (0x4041_4243, 0x4445_4647, 0));
        assert_eq!((big.structure(), little.structure()), (Structure::Begin, Structure::Begin));
        assert!(event(&bytes[1..], false).is_err());
    }

    #[test]
    fn attributes_stand_back_to_back_in_any_order() {
        let header = b"TRACE_HEADER_BEGIN::TRACE_CPU_NUM::2TRACE_SYS_RELEASE::7.1.0TRACE_BIG_ENDIAN::TRUE\
            TRACE_TRACELOGGER_ARGS::tracelogger -n 3TRACE_NEW::TRACE_HEADER_END::";
        let found = attributes(header);
        assert_eq!(
            (found.number("CPU_NUM"), found.number("SYS_RELEASE"), found.is_big()),
            (Some(2), Some(7), Some(true))
        );
        assert_eq!(found.text("TRACELOGGER_ARGS"), Some("tracelogger -n 3"));
        assert_eq!((found.text("NEW"), found.text("OTHER"), found.0.len()), (Some(""), None, 5));
        assert_eq!(attributes(b"noise").0.len(), 0);
    }
}
