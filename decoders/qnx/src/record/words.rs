//! The payload of an event as words, and the values of its fields.

use super::event::EVENT;
use crate::layout::{Field, Group, Kind, Sent, Ty};

/// Bytes of header and time in a part of an event.
const HEAD: usize = 8;

/// The payload in the bytes of a row: two words in each part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    raw: &'a [u8],
    big: bool,
}

/// The value of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// A number of the field's type; signed ones are extended.
    Number(u64),
    /// So many words from this one on.
    Words(usize, usize),
    /// A text from this word on.
    Text(usize),
}

impl<'a> Words<'a> {
    pub(crate) fn new(raw: &'a [u8], big: bool) -> Words<'a> {
        Words { raw, big }
    }

    /// Number of words.
    #[inline]
    pub(crate) fn len(self) -> usize {
        self.raw.len() / EVENT * 2
    }

    /// The bytes of a word.
    #[inline]
    pub(crate) fn bytes(self, at: usize) -> Option<[u8; 4]> {
        let start = at / 2 * EVENT + HEAD + at % 2 * 4;
        self.raw.get(start..)?.first_chunk().copied()
    }

    /// A word.
    #[inline]
    pub(crate) fn word(self, at: usize) -> Option<u32> {
        let bytes = self.bytes(at)?;
        Some(if self.big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    /// The bytes of a text from a word on, without its NUL.
    pub(crate) fn text(self, from: usize) -> impl Iterator<Item = u8> + Clone + 'a {
        (from..self.len()).filter_map(move |at| self.bytes(at)).flatten().take_while(|&byte| byte != 0)
    }

    /// Whether the kernel sent the short form: two words, chosen from those of the event.
    pub(crate) fn is_fast(self, kind: Kind) -> bool {
        self.len() == 2 && kind.layout().group != Group::System && !kind.is_64()
    }

    /// The fields of an event with their values, as far as the payload goes.
    pub(crate) fn values(self, kind: Kind) -> impl Iterator<Item = (&'static Field, Value)> + 'a {
        let fast = self.is_fast(kind);
        let sent = kind.fields().iter().filter(move |field| !fast || field.sent == Sent::Always);
        let mut at = 0;
        sent.map_while(move |field| {
            let value = self.value(field, at, fast)?;
            at += field.words(fast);
            Some((field, value))
        })
    }

    fn value(self, field: &Field, at: usize, fast: bool) -> Option<Value> {
        let word = self.word(at)?;
        let long = |low: u32, high: u32| Value::Number(u64::from(high) << 32 | u64::from(low));
        Some(match field.ty {
            Ty::D32 => Value::Number(i64::from(word as i32) as u64),
            Ty::U32 | Ty::Pid | Ty::X32 | Ty::Ptr32 => Value::Number(word.into()),
            Ty::X64 if self.big => long(self.word(at + 1)?, word),
            Ty::X64 | Ty::Long | Ty::LongHex => long(word, self.word(at + 1)?),
            Ty::Message => Value::Words(at, field.words(fast).min(self.len() - at)),
            Ty::Text => Value::Text(at),
        })
    }

    /// Whether the event is a kernel call's failure: then the second word says why, and nothing else is sent.
    #[inline]
    pub(crate) fn is_failure(self, group: Group) -> bool {
        group == Group::Exit && self.word(0) == Some(u32::MAX)
    }
}
