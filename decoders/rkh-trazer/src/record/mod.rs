//! The content of an un-stuffed frame: header and arguments (`parts`), fields of an event, items of a user event. nom
//! parsers over complete input; they define the format. `base` makes the row of a valid frame.

mod base;
mod parts;

pub(crate) use base::Base;
pub(crate) use parts::FrameParts;

use nom::{
    Parser,
    bytes::complete::take,
    number::complete::{le_i8, le_i16, le_i32, le_u8, le_u16, le_u32},
};
use spytui_decoder_kit::value::{Res, text, uint};

use crate::{
    config::Config,
    layout::{Layout, MAX_FIELDS, Ty, Values},
};

/// How well the arguments of a frame fit its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Exact,
    /// Bytes are missing.
    Short,
    /// Number of bytes left over.
    Surplus(usize),
    /// It has its length, but contradicts itself.
    Wrong,
}

/// Parses the arguments of an event, field by field.
pub(crate) fn read<'a>(layout: &Layout, config: &Config, args: &'a [u8]) -> (Values<'a>, Fit) {
    let mut values = Values { numbers: [0; MAX_FIELDS], bytes: &[], whole: 0 };
    let mut rest = args;
    for (place, field) in values.numbers.iter_mut().zip(layout.fields) {
        let read = match field.ty {
            Ty::Str => text.map(Read::Bytes).parse(rest),
            Ty::Rest => nom::combinator::rest.map(Read::Bytes).parse(rest),
            ty => uint(rest, config.size(ty)).map(|(rest, number)| (rest, Read::Number(number))),
        };
        let Ok((next, value)) = read else { return (values, Fit::Short) };
        match value {
            Read::Number(number) => *place = number,
            Read::Bytes(bytes) => values.bytes = bytes,
        }
        values.whole += 1;
        rest = next;
    }
    (values, if rest.is_empty() { Fit::Exact } else { Fit::Surplus(rest.len()) })
}

/// The value of a field.
enum Read<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The value of an item of a user event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Signed(i64),
    Unsigned(u64),
    Hex(u64),
    Text(&'a [u8]),
    Memory(&'a [u8]),
    Object(u64),
    Function(u64),
    Signal(u64),
}

/// An item of a user event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Item<'a> {
    /// Low nibble of the format byte.
    pub(crate) ty: u8,
    /// High nibble of the format byte.
    pub(crate) width: u8,
    pub(crate) value: Value<'a>,
}

/// Type of an unsigned item of 32 bits.
const UI32: u8 = 5;

/// Number of item types.
pub(crate) const ITEM_TYPES: u8 = 12;

/// Parses an item with its format byte. Unknown types and missing bytes are errors.
pub(crate) fn item<'a>(input: &'a [u8], config: &Config) -> Res<'a, Item<'a>> {
    let (input, format) = le_u8(input)?;
    let (ty, width) = (format & 15, format >> 4);
    let (input, value) = match ty {
        0 => le_i8.map(|n| Value::Signed(n.into())).parse(input),
        1 => le_u8.map(|n| Value::Unsigned(n.into())).parse(input),
        2 => le_i16.map(|n| Value::Signed(n.into())).parse(input),
        3 => le_u16.map(|n| Value::Unsigned(n.into())).parse(input),
        4 => le_i32.map(|n| Value::Signed(n.into())).parse(input),
        5 => le_u32.map(|n| Value::Unsigned(n.into())).parse(input),
        6 => le_u32.map(|n| Value::Hex(n.into())).parse(input),
        7 => text.map(Value::Text).parse(input),
        8 => {
            let (input, count) = le_u8(input)?;
            take(count).map(Value::Memory).parse(input)
        }
        9 => uint(input, config.size(Ty::Sym)).map(|(rest, key)| (rest, Value::Object(key))),
        10 => uint(input, config.size(Ty::Fun)).map(|(rest, key)| (rest, Value::Function(key))),
        11 => uint(input, config.size(Ty::Sig)).map(|(rest, sig)| (rest, Value::Signal(sig))),
        _ => Err(nom::Err::Error(())),
    }?;
    Ok((input, Item { ty, width, value }))
}

/// The total in a user event: the item with this number, or the only one. It has 32 bits; fewer would wrap around unseen.
pub(crate) fn total(args: &[u8], config: &Config, element: Option<usize>) -> Option<u32> {
    let mut rest = args;
    for _ in 0..element.unwrap_or(0) {
        rest = item(rest, config).ok()?.0;
    }
    match item(rest, config).ok()? {
        (after, Item { value: Value::Unsigned(number), ty: UI32, .. }) if element.is_some() || after.is_empty() => {
            u32::try_from(number).ok()
        }
        (_, Item { value: Value::Hex(number), .. }) if element.is_some() => u32::try_from(number).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TABLE;

    #[test]
    fn a_text_may_stand_before_a_number() {
        let assert = TABLE.iter().find(|l| l.name == "ASSERT").unwrap();
        let (values, fit) = read(assert, &Config::default(), b"main.c\0\x2A\x01");
        assert_eq!((values.bytes, values.number(1), fit), (&b"main.c"[..], 0x12A, Fit::Exact));
        let (values, fit) = read(assert, &Config::default(), b"main.c");
        assert_eq!((values.whole, fit), (0, Fit::Short));
    }

    #[test]
    fn items_of_every_type() {
        let bytes = b"\x20\xFF\x11\xC8\x02\x01\x80\x03\x01\x80\x94\xFE\xFF\xFF\xFF\x05\x01\0\0\0\x86\x01\0\x7D\x7E\
            \x07hi\0\x08\x02\xAA\xBB\x09\x44\x33\x22\x11\x0A\x01\0\0\0\x0B\x07";
        let (mut rest, mut found) = (&bytes[..], Vec::new());
        while let Ok((next, item)) = item(rest, &Config::default()) {
            found.push((item.ty, item.width, item.value));
            rest = next;
        }
        assert!(rest.is_empty());
        assert_eq!(found.len(), 12);
        assert_eq!(found[0], (0, 2, Value::Signed(-1)));
        assert_eq!(found[4], (4, 9, Value::Signed(-2)));
        assert_eq!(found[8], (8, 0, Value::Memory(&[0xAA, 0xBB])));
        assert_eq!(found[9], (9, 0, Value::Object(0x1122_3344)));
        assert!(item(b"\x0C\0\0\0", &Config::default()).is_err(), "there is no type 12");
    }
}
