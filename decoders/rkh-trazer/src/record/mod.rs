//! The arguments of one un-stuffed frame as values: nom parsers over complete input. `base` makes the row of a record.

mod base;

pub(crate) use base::Base;

use nom::{
    Parser,
    bytes::complete::take,
    number::complete::{le_i8, le_i16, le_i32, le_u8, le_u16, le_u32},
};
use spytui_decoder_kit::value::{Res, text, uint};

use crate::{
    config::Config,
    layout::{Layout, MAX_FIELDS, Ty},
};

/// How the arguments of a frame go with its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Exact,
    /// Bytes are missing.
    Short,
    /// So many bytes are left over.
    Surplus(usize),
}

/// The values of an event, in the order of its layout. Those that the bytes don't reach are 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    numbers: [u64; MAX_FIELDS],
    /// Text or rest, of the one field that is one.
    pub(crate) bytes: &'a [u8],
    /// Fields that the bytes reach.
    pub(crate) whole: u8,
}

impl Values<'_> {
    /// The number of a field; 0 where there is none.
    #[inline]
    pub(crate) fn number(&self, field: u8) -> u64 {
        self.numbers.get(usize::from(field)).copied().unwrap_or(0)
    }
}

/// Reads the arguments of an event.
#[inline]
pub(crate) fn read<'a>(layout: &Layout, config: &Config, args: &'a [u8]) -> (Values<'a>, Fit) {
    read_frame(layout, config, args, 0, args.len())
}

/// Reads the arguments of an event that lie at a place in a frame.
#[inline]
pub(crate) fn read_frame<'a>(
    layout: &Layout,
    config: &Config,
    frame: &'a [u8],
    start: usize,
    end: usize,
) -> (Values<'a>, Fit) {
    let mut values = Values { numbers: [0; MAX_FIELDS], bytes: &[], whole: layout.fields.len() as u8 };
    let left = if layout.fixed() { fixed(layout, config, frame, start, end, &mut values) } else { None };
    match left {
        Some(0) => (values, Fit::Exact),
        Some(left) => (values, Fit::Surplus(left)),
        None => slow(layout, config, frame.get(start..end).unwrap_or(&[])),
    }
}

/// Fields that all have a size, without a branch for each: rendering lives on it. The bytes left over; `None` = the
/// arguments end too early, or the frame is too short for this.
#[inline]
fn fixed(
    layout: &Layout,
    config: &Config,
    frame: &[u8],
    start: usize,
    end: usize,
    into: &mut Values<'_>,
) -> Option<usize> {
    const MASKS: [u64; 16] = [0, 0xFF, 0xFFFF, 0, 0xFFFF_FFFF, 0, 0, 0, u64::MAX, 0, 0, 0, 0, 0, 0, 0];
    let last = frame.len().checked_sub(8)?;
    let mut at = start;
    for (place, field) in into.numbers.iter_mut().zip(layout.fields) {
        // The word that begins here, or the last one of the frame.
        let from = at.min(last);
        let word = u64::from_le_bytes(*frame.get(from..)?.first_chunk()?);
        let size = usize::from(config.size(field.ty) & 15);
        *place = (word >> (((at - from) * 8) & 63)) & MASKS[size];
        at += size;
    }
    end.checked_sub(at)
}

/// The same for texts, for short arguments, and for those that end too early.
fn slow<'a>(layout: &Layout, config: &Config, args: &'a [u8]) -> (Values<'a>, Fit) {
    let mut values = Values { numbers: [0; MAX_FIELDS], bytes: &[], whole: 0 };
    let mut rest = args;
    for (place, field) in values.numbers.iter_mut().zip(layout.fields) {
        let read = match field.ty {
            Ty::Str => text(rest).map(|(rest, text)| {
                values.bytes = text;
                (rest, 0)
            }),
            Ty::Rest => {
                values.bytes = rest;
                Ok((&[][..], 0))
            }
            ty => uint(rest, config.size(ty)),
        };
        let Ok((next, number)) = read else { return (values, Fit::Short) };
        (rest, *place) = (next, number);
        values.whole += 1;
    }
    (values, if rest.is_empty() { Fit::Exact } else { Fit::Surplus(rest.len()) })
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

/// One item with its format byte. A type that does not exist is an error, as missing bytes are.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Key, Settings, Style},
        layout::{OLD, TABLE},
    };

    #[test]
    fn the_quick_way_reads_what_the_parsers_read() {
        let bytes: Vec<u8> = (0..64u8).map(|b| b.wrapping_mul(37).wrapping_add(11)).collect();
        let wide = Settings::default().with(Key::Sender, 1).with(Key::QueueLwm, 1).with(Key::PoolLwm, 1);
        let all = [Settings::default(), wide, wide.with(Key::Pointer, 8).with(Key::Signal, 4).with(Key::Nelem, 2)];
        let layouts = TABLE.iter().chain(OLD.iter().filter_map(|o| o.layout.as_ref()));
        for layout in layouts {
            for config in all.map(|s| s.config(Style::Native)) {
                for len in 0..bytes.len() - 7 {
                    let (quick, fit) = read_frame(layout, &config, &bytes, 7, 7 + len);
                    let (plain, expected) = slow(layout, &config, &bytes[7..7 + len]);
                    assert_eq!(
                        (fit, quick.whole, quick.numbers),
                        (expected, plain.whole, plain.numbers),
                        "{}",
                        layout.id
                    );
                }
            }
        }
    }

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
