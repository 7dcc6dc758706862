//! An event's fields out of its bytes, or the reason why it is none.

use nom::{Err, IResult};

use crate::{
    layout::{self, Field, Layout, TABLE, Ty},
    names::QUEUE_KINDS,
    number::{self, Broken},
};

/// Most fields of an event that are numbers.
const NUMBERS: usize = 2;

/// An event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    pub(crate) layout: &'static Layout,
    /// 0 where it has none.
    pub(crate) stamp: u64,
    /// Its fields that are numbers, in wire order; signed ones as their bits.
    pub(crate) numbers: [u64; NUMBERS],
    /// Its text, of any encoding.
    pub(crate) text: &'a [u8],
    /// Fields that are there.
    pub(crate) given: usize,
}

/// Why a frame holds no event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cause {
    /// Nothing between two frame ends.
    Empty,
    /// A code byte points past the end.
    Cobs,
    /// No byte for the id.
    NoId,
    UnknownId(u8),
    Stamp(Broken),
    /// A field that is cut, too long, or not one of its kind.
    Field(&'static Field),
    /// Bytes behind the last field.
    Loose(&'static Layout),
    /// A text that is no UTF-8: where, and the length of the bad sequence; `None` = it is cut. The event is whole.
    Text(usize, Option<usize>),
}

/// The event in `bytes`, of a FreeRTOS target or of a bare-metal one.
#[inline]
pub(crate) fn parse(bytes: &[u8], rtos: bool) -> Result<Event<'_>, Cause> {
    let mut event = Event::blank();
    event.read(bytes, rtos)?;
    Ok(event)
}

impl<'a> Event<'a> {
    /// An event to be read.
    #[inline]
    pub(crate) fn blank() -> Event<'a> {
        Event { layout: &TABLE[0], stamp: 0, numbers: [0; NUMBERS], text: b"", given: 0 }
    }

    /// Reads the event in `bytes` in place: an event is too large to be handed around.
    #[inline]
    pub(crate) fn read(&mut self, bytes: &'a [u8], rtos: bool) -> Result<(), Cause> {
        let (&id, rest) = bytes.split_first().ok_or(Cause::NoId)?;
        let layout = layout::layout(id).filter(|l| rtos || !l.rtos).ok_or(Cause::UnknownId(id))?;
        self.read_as(layout, rest)
    }

    /// The event behind its id.
    #[inline]
    fn read_as(&mut self, layout: &'static Layout, bytes: &'a [u8]) -> Result<(), Cause> {
        self.layout = layout;
        let mut rest = bytes;
        if layout.timed {
            (rest, self.stamp) = number::u64(rest).map_err(|e| Cause::Stamp(broken(e)))?;
        }
        for (i, field) in layout.fields.iter().enumerate() {
            if field.ty == Ty::Text {
                (self.text, rest, self.given) = (rest, b"", i + 1);
                break;
            }
            if rest.is_empty() && i >= layout.required {
                break;
            }
            let (after, number) = value(field.ty, rest).map_err(|_| Cause::Field(field))?;
            if let Some(place) = self.numbers.get_mut(i) {
                *place = number;
            }
            (rest, self.given) = (after, i + 1);
        }
        if rest.is_empty() { Ok(()) } else { Err(Cause::Loose(layout)) }
    }

    /// Whether it tells a core and no time: a start of recording says 0, whatever the time is.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        self.layout.id == layout::id::CORE && self.stamp == 0
    }

    /// Whether its text is as it should be; else where it is not.
    #[inline]
    pub(crate) fn text_fault(&self) -> Option<Cause> {
        let fault = std::str::from_utf8(self.text).err()?;
        Some(Cause::Text(fault.valid_up_to(), fault.error_len()))
    }
}

/// One number; of a kind that exists.
#[inline]
pub(crate) fn value(ty: Ty, input: &[u8]) -> IResult<&[u8], u64, Broken> {
    match ty {
        Ty::U32 => number::u32(input),
        Ty::U64 => number::u64(input),
        Ty::S64 => number::s64(input).map(|(rest, n)| (rest, n as u64)),
        Ty::QueueKind => match input {
            [kind, rest @ ..] if usize::from(*kind) < QUEUE_KINDS.len() => Ok((rest, (*kind).into())),
            _ => Err(Err::Error(Broken::Missing)),
        },
        Ty::Text => Ok((b"", 0)),
    }
}

fn broken(error: Err<Broken>) -> Broken {
    match error {
        Err::Error(broken) | Err::Failure(broken) => broken,
        Err::Incomplete(_) => Broken::Unterminated,
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
            let mut event = Event::blank();
            let read = event.read_as(later(required), bytes).map_err(|c| format!("{c:?}"));
            read.map(|()| (event.numbers, event.given))
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
