//! A whole event, of one part or several, and the values of its fields.

use std::ops::Range;

use nom::{
    Parser,
    bytes::complete::{take, take_till},
    combinator::peek,
};
use spytui_decoder_kit::value::{Res, array};

use super::event::{EVENT, Event};
use crate::layout::{Field, Group, Kind, Layout, Sent, Ty};

/// Bytes of header and time in a part of an event, and of its words.
const HEAD: usize = 8;
pub(crate) const WORDS: usize = EVENT - HEAD;

/// A whole event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole<'a> {
    pub(crate) kind: Kind,
    pub(crate) layout: &'static Layout,
    /// Its first part.
    pub(crate) event: Event,
    /// The words of all parts.
    pub(crate) payload: &'a [u8],
    big: bool,
}

/// What the words of an event are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content<'a> {
    /// A kernel call failed with this error; nothing else is sent.
    Failure(u32),
    /// Words of the application; the text that they are, if they are one.
    User(Option<&'a [u8]>),
    /// Words whose meaning is not known.
    Words,
    /// Those of its layout.
    Fields,
}

/// A field of an event.
#[derive(Clone, Debug)]
pub(crate) struct FieldValue<'a> {
    pub(crate) field: &'static Field,
    pub(crate) value: Value<'a>,
    /// Where it lies in the event. Headers of parts may lie within.
    pub(crate) bytes: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// A number of the field's type; signed ones are extended.
    Number(u64),
    /// The first words of a message.
    Message(&'a [u8]),
    Text(&'a [u8]),
}

/// Whether a byte prints; a line feed does.
fn prints(byte: u8) -> bool {
    (0x20..=0x7E).contains(&byte) || byte == b'\n'
}

/// A text up to its NUL, or all.
fn text(input: &[u8]) -> Res<'_, &[u8]> {
    take_till(|byte| byte == 0).parse(input)
}

/// The text that a message begins with: a word with a byte that does not print ends it, as a NUL does.
pub(crate) fn text_of_message(words: &[u8]) -> &[u8] {
    let text = text(words).map_or(words, |(_, text)| text);
    let len = text.iter().position(|&byte| !prints(byte)).map_or(text.len(), |at| at / 4 * 4);
    text.get(..len).unwrap_or(text)
}

fn word(big: bool) -> impl Fn(&[u8]) -> Res<'_, u32> {
    let from = if big { u32::from_be_bytes } else { u32::from_le_bytes };
    move |input| array.map(from).parse(input)
}

/// Parses the value of a field.
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
    pub(crate) fn new(kind: Kind, event: Event, payload: &'a [u8], big: bool) -> Whole<'a> {
        Whole { kind, layout: kind.layout(), event, payload, big }
    }

    /// The event in the bytes of a row; `room` takes the words of one with several parts.
    #[inline]
    pub(super) fn read(kind: Kind, raw: &'a [u8], big: bool, room: &'a mut Vec<u8>) -> Option<Whole<'a>> {
        let (rest, event) = super::event(raw, big).ok()?;
        if rest.len() < EVENT {
            return Some(Whole::new(kind, event, raw.get(HEAD..EVENT)?, big));
        }
        room.clear();
        raw.chunks_exact(EVENT).for_each(|part| room.extend_from_slice(part.get(HEAD..).unwrap_or_default()));
        Some(Whole::new(kind, event, room, big))
    }

    /// Whether it has two words only.
    pub(crate) fn is_short(&self) -> bool {
        self.payload.len() == WORDS
    }

    /// Number of the event in its class.
    #[inline]
    pub(crate) fn number(&self) -> u16 {
        self.event.header as u16 & 0x3FF
    }

    /// Number of the kernel call.
    #[inline]
    pub(crate) fn call(&self) -> u16 {
        self.number() % crate::layout::CALL_NUMBERS
    }

    /// The priority in an event of a thread's state, which has it in wide mode.
    #[inline]
    pub(crate) fn priority(&self) -> Option<u8> {
        u8::try_from(self.words().nth(2)?).ok()
    }

    /// What its words are.
    pub(crate) fn content(&self) -> Content<'a> {
        match (self.layout.group, self.event.words) {
            (Group::Exit, [u32::MAX, error]) => Content::Failure(error),
            (Group::User, _) => Content::User(self.text().filter(|text| text.iter().all(|&byte| prints(byte)))),
            _ if self.kind.fields().is_empty() => Content::Words,
            _ => Content::Fields,
        }
    }

    /// The bytes before the NUL of a user event that has more than two words.
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

    /// Its fields with their values, as far as the payload goes. The kernel may send a short form: two words, chosen from
    /// those of the event.
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

pub(super) fn words(bytes: &[u8], big: bool) -> impl Iterator<Item = u32> {
    let from = if big { u32::from_be_bytes } else { u32::from_le_bytes };
    bytes.as_chunks().0.iter().map(move |word| from(*word))
}

/// Where a byte of the payload lies in the event.
fn in_event(at: usize) -> usize {
    at / WORDS * EVENT + HEAD + at % WORDS
}
