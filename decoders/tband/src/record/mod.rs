//! The record of an event: nom parsers driven by the table of events, which define the format. `varint` parses numbers,
//! `row` makes rows.

mod row;
pub(crate) mod varint;

pub(crate) use row::{BadFrames, RowContext};
pub(crate) use varint::VarintError;

use nom::{Err, IResult, Parser, combinator::map_opt, number::complete::u8};

use crate::{
    frame::{END, cobs},
    layout::{self, Field, Layout, MAX_FIELDS, QUEUE_KINDS, Role, Ty},
};

/// Maximum number of numeric fields of an event.
const NUMBERS: usize = 2;

/// An event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) layout: &'static Layout,
    /// 0 if it has none.
    pub(crate) stamp: u64,
    /// Its numeric fields in wire order; signed ones as their bits.
    pub(crate) numbers: [u64; NUMBERS],
    /// Where each field begins in the event, and where the last one ends.
    pub(crate) offsets: [u32; MAX_FIELDS + 1],
    /// Its text; may be invalid UTF-8.
    pub(crate) text: &'a [u8],
    /// Number of fields present.
    pub(crate) given: usize,
}

/// Why a frame has no valid event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cause {
    /// Empty frame.
    Empty,
    /// A code byte points past the end.
    Cobs,
    /// No byte for the id.
    NoId,
    UnknownId(u8),
    Stamp(VarintError),
    /// A field that is cut, too long, or not legal.
    Field(&'static Field),
    /// Bytes after the last field.
    Loose(&'static Layout),
    /// Invalid UTF-8: offset and length of the invalid sequence; `None` = cut. The event is complete otherwise.
    Text(usize, Option<usize>),
}

/// Parses the event in a frame, which may have its end, or says why there is none; `rtos` = accept FreeRTOS events.
/// `room` is for its bytes. Inlined, as records are too large to be returned fast.
#[inline(always)]
pub(crate) fn read<'a>(frame: &'a [u8], rtos: bool, room: &'a mut Vec<u8>) -> Result<Record<'a>, Cause> {
    // No body begins with a zero.
    if matches!(frame, [] | [END, ..]) {
        return Err(Cause::Empty);
    }
    let body = frame.strip_suffix(&[END]).unwrap_or(frame);
    parse(cobs::decode(body, room).ok_or(Cause::Cobs)?, rtos)
}

/// Parses an event.
#[inline(always)]
pub(crate) fn parse(bytes: &[u8], rtos: bool) -> Result<Record<'_>, Cause> {
    let (&id, rest) = bytes.split_first().ok_or(Cause::NoId)?;
    let layout = layout::layout(id).filter(|layout| rtos || !layout.rtos).ok_or(Cause::UnknownId(id))?;
    parse_as(layout, rest)
}

/// Parses an event after its id.
#[inline(always)]
fn parse_as<'a>(layout: &'static Layout, bytes: &'a [u8]) -> Result<Record<'a>, Cause> {
    let mut rest = bytes;
    let mut record =
        Record { layout, stamp: 0, numbers: [0; NUMBERS], offsets: [0; MAX_FIELDS + 1], text: b"", given: 0 };
    if layout.timed {
        (rest, record.stamp) = varint::u64(rest).map_err(|error| Cause::Stamp(reason(error)))?;
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
            let (after, number) = value(field.ty, rest).map_err(|_| Cause::Field(field))?;
            if let Some(place) = record.numbers.get_mut(i) {
                *place = number;
            }
            rest = after;
        }
        record.given = i + 1;
        record.offsets[i + 1] = offset(rest);
    }
    if rest.is_empty() { Ok(record) } else { Err(Cause::Loose(layout)) }
}

impl Record<'_> {
    /// Whether it is a core event without a time: at the start of a recording it has time 0.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        self.layout.role == Role::Core && self.stamp == 0
    }

    /// Whether its text is invalid.
    #[inline]
    pub(crate) fn is_broken(&self) -> bool {
        !self.text.is_ascii() && self.text_fault().is_some()
    }

    /// The invalid UTF-8 of its text.
    #[inline]
    pub(crate) fn text_fault(&self) -> Option<Cause> {
        let fault = std::str::from_utf8(self.text).err()?;
        Some(Cause::Text(fault.valid_up_to(), fault.error_len()))
    }
}

/// The kind of a queue, if it exists.
#[inline]
fn value(ty: Ty, input: &[u8]) -> IResult<&[u8], u64, VarintError> {
    match ty {
        Ty::U32 => varint::u32(input),
        Ty::U64 => varint::u64(input),
        Ty::S64 => varint::s64(input).map(|(rest, n)| (rest, n as u64)),
        Ty::QueueKind => {
            map_opt(u8, |kind| (usize::from(kind) < QUEUE_KINDS.len()).then_some(kind.into())).parse(input)
        }
        Ty::Text => Ok((b"", 0)),
    }
}

fn reason(error: Err<VarintError>) -> VarintError {
    match error {
        Err::Error(reason) | Err::Failure(reason) => reason,
        Err::Incomplete(_) => VarintError::Unterminated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::NONE;

    fn later(required: usize) -> &'static Layout {
        const FIELDS: &[Field] =
            &[Field { name: "a", ty: Ty::U32, space: NONE }, Field { name: "b", ty: Ty::U32, space: NONE }];
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
        assert!(matches!(parse(&[0x54, 1, 2], false), Err(Cause::UnknownId(0x54))));
        assert!(matches!(parse(&[0x80], true), Err(Cause::UnknownId(0x80))));
        assert!(matches!(parse(&[], true), Err(Cause::NoId)));
    }
}
