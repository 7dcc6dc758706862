//! Parsers of an event, which define the format: nom, driven by the table of events. Also the rows common to both
//! receivers.

use nom::{Err, Finish, IResult};
use spytui_plugin_api::{
    AttachmentId, Output, Row,
    row::{RowFlags, RowKind, Severity},
};

use crate::{
    frame::{self, END},
    layout::{self, Field, Layout, MAX_FIELDS, QUEUE_KINDS, Role, Second, Ty, private_flag},
};

const NUMBERS: usize = 2;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) layout: &'static Layout,
    /// 0 without a time stamp.
    pub(crate) stamp: u64,
    /// Its numeric fields in wire order; signed ones as bits.
    pub(crate) numbers: [u64; NUMBERS],
    /// Start of each field in the event, and the end of the last one.
    pub(crate) offsets: [u32; MAX_FIELDS + 1],
    /// Its text; may be invalid UTF-8.
    pub(crate) text: &'a [u8],
    pub(crate) given: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FrameFault {
    Empty,
    /// A code byte points past the end.
    Cobs,
    NoId,
    UnknownId(u8),
    Stamp(VarintError),
    /// A field that is incomplete, too long, or invalid.
    Field(&'static Field),
    Loose(&'static Layout),
    /// Invalid UTF-8: offset and length of the invalid sequence; `None` = incomplete. Otherwise, the event is complete.
    Text(usize, Option<usize>),
}

/// Parses the event in a frame, with or without its end, or returns why there is none; `rtos` = accept FreeRTOS events.
/// `room` is a buffer. Inlined, because records are too large to return fast.
#[inline(always)]
pub(crate) fn read<'a>(frame: &'a [u8], rtos: bool, room: &'a mut Vec<u8>) -> Result<Record<'a>, FrameFault> {
    // A body never begins with a zero.
    if matches!(frame, [] | [END, ..]) {
        return Err(FrameFault::Empty);
    }
    let body = frame.strip_suffix(&[END]).unwrap_or(frame);
    parse(frame::decode(body, room).ok_or(FrameFault::Cobs)?, rtos)
}

#[inline(always)]
pub(crate) fn parse(bytes: &[u8], rtos: bool) -> Result<Record<'_>, FrameFault> {
    let (&id, rest) = bytes.split_first().ok_or(FrameFault::NoId)?;
    let layout = layout::layout(id).filter(|layout| rtos || !layout.rtos).ok_or(FrameFault::UnknownId(id))?;
    parse_as(layout, rest)
}

#[inline(always)]
fn parse_as<'a>(layout: &'static Layout, bytes: &'a [u8]) -> Result<Record<'a>, FrameFault> {
    let mut rest = bytes;
    let mut record =
        Record { layout, stamp: 0, numbers: [0; NUMBERS], offsets: [0; MAX_FIELDS + 1], text: b"", given: 0 };
    if layout.timed {
        (rest, record.stamp) = u64(rest).finish().map_err(FrameFault::Stamp)?;
    }
    let offset = |rest: &[u8]| (1 + bytes.len() - rest.len()) as u32;
    record.offsets[0] = offset(rest);
    for (i, field) in layout.fields.iter().enumerate() {
        if rest.is_empty() && i >= layout.required {
            break;
        }
        if field.ty == Ty::Text {
            record.text = std::mem::take(&mut rest);
        } else {
            let (after, number) = value(field.ty, rest).map_err(|_| FrameFault::Field(field))?;
            if let Some(place) = record.numbers.get_mut(i) {
                *place = number;
            }
            rest = after;
        }
        record.given = i + 1;
        record.offsets[i + 1] = offset(rest);
    }
    if rest.is_empty() { Ok(record) } else { Err(FrameFault::Loose(layout)) }
}

impl Record<'_> {
    /// Whether it is a core event without a time: at the start of a recording, its time is 0.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        self.layout.role == Role::Core && self.stamp == 0
    }

    #[inline]
    pub(crate) fn is_broken(&self) -> bool {
        !self.text.is_ascii() && self.text_fault().is_some()
    }

    #[inline]
    pub(crate) fn text_fault(&self) -> Option<FrameFault> {
        let fault = std::str::from_utf8(self.text).err()?;
        Some(FrameFault::Text(fault.valid_up_to(), fault.error_len()))
    }
}

/// Parses a queue kind, if valid.
#[inline]
fn value(ty: Ty, input: &[u8]) -> IResult<&[u8], u64, VarintError> {
    match ty {
        Ty::U32 | Ty::Key(_) => u32(input),
        Ty::U64 => u64(input),
        Ty::S64 => s64(input).map(|(rest, n)| (rest, n as u64)),
        Ty::QueueKind => match input {
            [kind, rest @ ..] if usize::from(*kind) < QUEUE_KINDS.len() => Ok((rest, (*kind).into())),
            _ => Err(Err::Error(VarintError::Missing)),
        },
        Ty::Text => Ok((b"", 0)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarintError {
    Missing,
    /// The last byte has the top bit set.
    Unterminated,
    TooLong,
}

type Parsed<'a, T> = IResult<&'a [u8], T, VarintError>;

struct Longest {
    bytes: usize,
    /// Maximum last byte of this encoding.
    last: u8,
}

const LONGEST_32: Longest = Longest { bytes: 5, last: 0x0F };
const LONGEST_64: Longest = Longest { bytes: 10, last: 0x01 };

#[inline]
pub(crate) fn u32(input: &[u8]) -> Parsed<'_, u64> {
    number(input, &LONGEST_32)
}

#[inline]
pub(crate) fn u64(input: &[u8]) -> Parsed<'_, u64> {
    number(input, &LONGEST_64)
}

/// Parses a signed 64-bit number: the sign in the lowest bit, then the magnitude; minus zero is the minimum.
#[inline]
pub(crate) fn s64(input: &[u8]) -> Parsed<'_, i64> {
    let (rest, bits) = u64(input)?;
    Ok((rest, sign(bits)))
}

#[inline]
pub(crate) fn sign(bits: u64) -> i64 {
    let magnitude = (bits >> 1) as i64;
    match (bits & 1, magnitude) {
        (0, magnitude) => magnitude,
        (_, 0) => i64::MIN,
        (_, magnitude) => -magnitude,
    }
}

/// Parses bytes with the top bit set, then one without.
#[inline]
fn number<'a>(input: &'a [u8], longest: &Longest) -> Parsed<'a, u64> {
    // Most numbers are a single byte.
    if let [byte @ 0..0x80, rest @ ..] = input {
        return Ok((rest, u64::from(*byte)));
    }
    let mut number = 0;
    for (i, &byte) in input.iter().take(longest.bytes).enumerate() {
        number |= u64::from(byte & 0x7F) << (7 * i);
        if byte < 0x80 {
            let fits = i + 1 < longest.bytes || byte <= longest.last;
            let rest = input.get(i + 1..).filter(|_| fits);
            return rest.map(|rest| (rest, number)).ok_or(Err::Error(VarintError::TooLong));
        }
    }
    Err(Err::Error(match input.len() {
        0 => VarintError::Missing,
        len if len < longest.bytes => VarintError::Unterminated,
        _ => VarintError::TooLong,
    }))
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CoreTime {
    pub(crate) core: u16,
    pub(crate) time: u64,
}

impl CoreTime {
    /// The row of an event, without an object.
    #[inline(always)]
    pub(crate) fn record(&self, record: &Record<'_>, pos: u64, len: usize) -> Row {
        let layout = record.layout;
        let (item, mut flags) = match layout.second {
            Second::Nothing => (0, RowFlags::empty()),
            Second::First => (record.numbers[0], RowFlags::HAS_ITEM),
            Second::Code => {
                let code = record.numbers[0] | u64::from(layout.is_local()) << 32;
                (code, RowFlags::HAS_ITEM | RowFlags::APPLICATION)
            }
        };
        // A core switch is configuration, not an event of the core.
        let is_naming =
            matches!(layout.role, Role::Core | Role::Name | Role::IdleTask | Role::TimerTask | Role::QueueKind);
        flags.set(RowFlags::NAMING, is_naming);
        Row {
            pos,
            time: self.time,
            obj: 0,
            item,
            len: len as u32,
            flags,
            kind: RowKind(layout.id.into()),
            cfg: 0,
            core: self.core,
            severity: Severity::NORMAL,
            group: layout.group as u8,
        }
    }

    /// Completes a note with what all rows of the stream share.
    pub(crate) fn note(&self, note: Row) -> Row {
        Row { time: self.time, core: self.core, ..note }
    }

    /// A row for frames without a record; adds its attachments. The reason follows from its bytes. `first` = no frame
    /// before them.
    pub(crate) fn bad_frames(&self, bad: BadFrames, first: bool, out: &mut Output<'_>) -> Row {
        if bad.frames() != 1 {
            out.attachment(AttachmentId::FRAMES, bad.frames(), 0);
        }
        let mut row = self.note(Row::skipped(RowKind::BAD_FRAME, bad.pos, bad.len));
        if bad.are_empty {
            row.severity = Severity::WARNING;
        }
        row.flags |= RowFlags::MALFORMED;
        if first {
            row.flags |= private_flag::FIRST;
        }
        row
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BadFrames {
    pub(crate) pos: u64,
    pub(crate) len: usize,
    /// They are only ends of frames.
    pub(crate) are_empty: bool,
}

impl BadFrames {
    pub(crate) fn frames(&self) -> u64 {
        if self.are_empty { self.len as u64 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(required: usize) -> &'static Layout {
        const FIELDS: &[Field] = &[Field { name: "a", ty: Ty::U32 }, Field { name: "b", ty: Ty::U32 }];
        let known = layout::layout(0x04).unwrap();
        Box::leak(Box::new(Layout { fields: FIELDS, required, ..*known }))
    }

    #[test]
    fn the_last_fields_may_be_left_out_where_a_layout_says_so() {
        let with = |required: usize, bytes: &'static [u8]| {
            let event = parse_as(later(required), bytes).map_err(|c| format!("{c:?}"));
            event.map(|event| (event.numbers, event.given))
        };
        assert_eq!(with(1, &[9, 5]), Ok(([5, 0], 1)));
        assert_eq!(with(1, &[9, 5, 6]), Ok(([5, 6], 2)));
        assert_eq!(with(0, &[9]), Ok(([0, 0], 0)));
        assert!(with(2, &[9, 5]).is_err() && with(1, &[9]).is_err() && with(1, &[9, 5, 6, 7]).is_err());
        assert!(with(1, &[9, 5, 0x80]).is_err());
    }

    #[test]
    fn a_text_takes_the_rest() {
        let event = parse(&[0x07, 1, 2, 0, b'x', 0], false).unwrap();
        assert_eq!((event.stamp, event.numbers[0], event.text), (1, 2, &b"\0x\0"[..]));
        assert_eq!(parse(&[0x07, 1, 2], false).unwrap().text, b"");
    }

    #[test]
    fn a_mode_knows_its_ids() {
        assert!(parse(&[0x54, 1, 2], true).is_ok());
        assert!(matches!(parse(&[0x54, 1, 2], false), Err(FrameFault::UnknownId(0x54))));
        assert!(matches!(parse(&[0x80], true), Err(FrameFault::UnknownId(0x80))));
        assert!(matches!(parse(&[], true), Err(FrameFault::NoId)));
    }

    fn got<T>(parsed: Parsed<'_, T>) -> Result<T, VarintError> {
        match parsed {
            Ok((rest, value)) => {
                assert_eq!(rest, b"");
                Ok(value)
            }
            Err(Err::Error(broken) | Err::Failure(broken)) => Err(broken),
            Err(Err::Incomplete(_)) => Err(VarintError::Missing),
        }
    }

    const FF: u8 = 0xFF;

    #[test]
    fn greatest_numbers_fit_and_greater_ones_do_not() {
        assert_eq!(got(u32(&[FF, FF, FF, FF, 0x0F])), Ok(u32::MAX.into()));
        assert_eq!(got(u32(&[FF, FF, FF, FF, 0x10])), Err(VarintError::TooLong));
        assert_eq!(got(u32(&[FF, FF, FF, FF, FF, 1])), Err(VarintError::TooLong));
        let most = [FF; 9];
        assert_eq!(got(u64(&[&most[..], &[1]].concat())), Ok(u64::MAX));
        assert_eq!(got(u64(&[&most[..], &[2]].concat())), Err(VarintError::TooLong));
        assert_eq!(got(u64(&[&most[..], &[0x81, 0]].concat())), Err(VarintError::TooLong));
    }

    #[test]
    fn what_is_cut_is_said() {
        assert_eq!(got(u32(&[])), Err(VarintError::Missing));
        assert_eq!(got(u32(&[0x80])), Err(VarintError::Unterminated));
        assert_eq!(got(u64(&[FF; 9])), Err(VarintError::Unterminated));
    }

    #[test]
    fn longer_forms_than_needed_are_legal() {
        assert_eq!(got(u32(&[0x80, 0])), Ok(0));
        assert_eq!(got(u32(&[0x85, 0x80, 0x80, 0])), Ok(5));
        assert_eq!(got(u64(&[0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0])), Ok(1));
        assert_eq!(got(s64(&[0x81, 0])), Ok(i64::MIN));
    }

    #[test]
    fn signs_are_in_the_lowest_bit() {
        for (bytes, value) in [(&[0][..], 0), (&[2], 1), (&[3], -1), (&[4], 2), (&[5], -2), (&[1], i64::MIN)] {
            assert_eq!(got(s64(bytes)), Ok(value));
        }
        let most = [FF; 8];
        assert_eq!(got(s64(&[&[0xFE][..], &most, &[1]].concat())), Ok(i64::MAX));
        assert_eq!(got(s64(&[&[FF][..], &most, &[1]].concat())), Ok(i64::MIN + 1));
    }
}
