//! The bytes of one un-stuffed frame as values: nom parsers over complete input. Nothing here knows of framing,
//! names or text.

mod base;
mod target_info;

pub(crate) use base::Base;
pub(crate) use target_info::TargetInfo;

use nom::{
    Parser,
    bytes::complete::take,
    number::complete::{le_f32, le_f64, le_i8, le_i16, le_i32, le_i64, le_u8, le_u16, le_u32, le_u64},
};
pub(crate) use spytui_decoder_kit::value::uint;
use spytui_decoder_kit::value::{Res, text};

use crate::{
    config::Sizes,
    layout::{Field, Layout, MAX_FIELDS, Ty},
};

/// The values of a predefined record, in the order of its layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a> {
    pub(crate) numbers: [u64; MAX_FIELDS],
    /// Text or items, of the one field that has them.
    pub(crate) bytes: &'a [u8],
}

impl<'a> Values<'a> {
    pub(crate) fn new() -> Values<'a> {
        Values { numbers: [0; MAX_FIELDS], bytes: &[] }
    }

    /// The number of a field; 0 where there is none.
    #[inline]
    pub(crate) fn number(&self, field: u8) -> u64 {
        self.numbers.get(usize::from(field)).copied().unwrap_or(0)
    }
}

/// The fields of a predefined record. What is left over is the caller's affair.
pub(crate) fn values<'a>(layout: &Layout, sizes: &Sizes, payload: &'a [u8]) -> Res<'a, Values<'a>> {
    let mut values = Values::new();
    let mut input = payload;
    for (place, field) in values.numbers.iter_mut().zip(layout.fields) {
        (input, *place) = match field.ty.size(sizes) {
            Some(size) => uint(input, size)?,
            None => break,
        };
    }
    match layout.fields.last() {
        Some(Field { ty: Ty::Text, .. }) => (input, values.bytes) = text(input)?,
        Some(Field { ty: Ty::Items, .. }) => {
            let last = layout.fields.len();
            let number = |back: usize| values.numbers.get(last.wrapping_sub(back)).copied().unwrap_or(0);
            (input, values.bytes) = take(number(2) as usize * number(3) as usize).parse(input)?;
        }
        _ => {}
    }
    Ok((input, values))
}

/// All fields, and nothing behind them.
#[inline]
pub(crate) fn exact<'a>(layout: &Layout, sizes: &Sizes, payload: &'a [u8]) -> Option<Values<'a>> {
    let mut values = Values::new();
    read(layout, sizes, payload, &mut values).then_some(values)
}

/// Reads all fields; whether that is all there is.
#[inline]
pub(crate) fn read<'a>(layout: &Layout, sizes: &Sizes, payload: &'a [u8], into: &mut Values<'a>) -> bool {
    if layout.fixed() {
        return fixed(layout, sizes, payload, into);
    }
    if let Some((Field { ty: Ty::Text, .. }, front)) = layout.fields.split_last() {
        return with_text(front, sizes, payload, into);
    }
    match values(layout, sizes, payload) {
        Ok(([], values)) => {
            *into = values;
            true
        }
        _ => false,
    }
}

/// What `values` does, for fields that all have a size, without a branch for each: rendering lives on it.
#[inline]
fn fixed<'a>(layout: &Layout, sizes: &Sizes, payload: &'a [u8], into: &mut Values<'a>) -> bool {
    const MASKS: [u64; 16] = [0, 0xFF, 0xFFFF, 0, 0xFFFF_FFFF, 0, 0, 0, u64::MAX, 0, 0, 0, 0, 0, 0, 0];
    let sizes = by_type(sizes);
    let size = |field: &Field| usize::from(sizes[field.ty as usize & 15] & 15);
    let Some(last) = payload.last_chunk().map(|w| u64::from_le_bytes(*w)) else {
        // Less than a word.
        return one_by_one(layout.fields, payload, into, size) == Some(&[]);
    };
    let mut rest = payload;
    for (place, field) in into.numbers.iter_mut().zip(layout.fields) {
        // The word that begins here, or the end of the last one of the payload.
        let word = match rest.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => last >> ((64 - rest.len() * 8) & 63),
        };
        let size = size(field);
        *place = word & MASKS[size];
        rest = match rest.get(size..) {
            Some(behind) => behind,
            None => return false,
        };
    }
    rest.is_empty()
}

/// The same for fields with a text behind them: its zero is the last byte, and the only one.
fn with_text<'a>(front: &[Field], sizes: &Sizes, payload: &'a [u8], into: &mut Values<'a>) -> bool {
    let sizes = by_type(sizes);
    let size = |field: &Field| usize::from(sizes[field.ty as usize & 15] & 15);
    match one_by_one(front, payload, into, size).and_then(<[u8]>::split_last) {
        Some((0, text)) if !text.contains(&0) => {
            into.bytes = text;
            true
        }
        _ => false,
    }
}

/// Reads fields of any payload; what is behind them, `None` where it does not reach.
fn one_by_one<'a>(
    fields: &[Field],
    payload: &'a [u8],
    into: &mut Values<'_>,
    size: impl Fn(&Field) -> usize,
) -> Option<&'a [u8]> {
    let mut rest = payload;
    for (place, field) in into.numbers.iter_mut().zip(fields) {
        let (bytes, tail) = rest.split_at_checked(size(field))?;
        *place = bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
        rest = tail;
    }
    Some(rest)
}

/// Sizes by type of field.
#[inline]
fn by_type(s: &Sizes) -> [u8; 16] {
    [s.time, s.obj, s.fun, s.sig, s.evt, s.que, s.ctr, s.tev, 1, 2, 4, 0, 0, 0, 0, 0]
}

/// The value of an element of an application record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Signed(i64),
    Unsigned(u64),
    Float(f32),
    Double(f64),
    Text(&'a [u8]),
    Memory(&'a [u8]),
    Signal { sig: u64, obj: u64 },
    Object(u64),
    Function(u64),
    Enum { group: u8, value: u8 },
}

/// An element of an application record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Element<'a> {
    /// Low nibble of the format byte.
    pub(crate) ty: u8,
    /// High nibble of the format byte.
    pub(crate) width: u8,
    pub(crate) value: Value<'a>,
}

impl Element<'_> {
    /// The element as our own reading has it: before 7.2 there are no enumerations, any width is a width.
    pub(crate) fn of_version(self, version: u16) -> Self {
        match self.value {
            Value::Enum { value, .. } if version < 720 => {
                Element { value: Value::Signed((value as i8).into()), ..self }
            }
            _ => self,
        }
    }
}

/// One element with its format byte.
#[inline(always)]
pub(crate) fn element<'a>(input: &'a [u8], sizes: &Sizes) -> Res<'a, Element<'a>> {
    let (input, format) = le_u8(input)?;
    let (ty, width) = (format & 15, format >> 4);
    let (input, value) = match ty {
        0 if width >= 8 => le_u8.map(|value| Value::Enum { group: width - 8, value }).parse(input),
        0 => le_i8.map(|n| Value::Signed(n.into())).parse(input),
        1 => le_u8.map(|n| Value::Unsigned(n.into())).parse(input),
        2 => le_i16.map(|n| Value::Signed(n.into())).parse(input),
        3 => le_u16.map(|n| Value::Unsigned(n.into())).parse(input),
        4 => le_i32.map(|n| Value::Signed(n.into())).parse(input),
        5 | 15 => le_u32.map(|n| Value::Unsigned(n.into())).parse(input),
        6 => le_f32.map(Value::Float).parse(input),
        7 => le_f64.map(Value::Double).parse(input),
        8 => text.map(Value::Text).parse(input),
        9 => memory(input),
        10 => signal(input, sizes),
        11 => uint(input, sizes.obj).map(|(rest, key)| (rest, Value::Object(key))),
        12 => uint(input, sizes.fun).map(|(rest, key)| (rest, Value::Function(key))),
        13 => le_i64.map(Value::Signed).parse(input),
        _ => le_u64.map(Value::Unsigned).parse(input),
    }?;
    Ok((input, Element { ty, width, value }))
}

fn memory(input: &[u8]) -> Res<'_, Value<'_>> {
    let (input, count) = le_u8(input)?;
    take(count).map(Value::Memory).parse(input)
}

fn signal<'a>(input: &'a [u8], sizes: &Sizes) -> Res<'a, Value<'a>> {
    let (input, (sig, obj)) = (|i| uint(i, sizes.sig), |i| uint(i, sizes.obj)).parse(input)?;
    Ok((input, Value::Signal { sig, obj }))
}

/// Whether an application record holds whole elements only. Every such record is asked when it comes, so this only
/// steps over what `element` would read.
pub(crate) fn whole(payload: &[u8], sizes: &Sizes) -> bool {
    let mut steps = Steps::new(payload, sizes);
    while steps.next().is_some() {}
    steps.rest == Some(&[])
}

/// The signals of an application record, each with its object, up to the first element that is not whole; the
/// reference hosts look the signal of that one up as well, with object 0.
pub(crate) fn signals<'a>(payload: &'a [u8], sizes: &'a Sizes) -> impl Iterator<Item = (u64, u64)> + 'a {
    let mut steps = Steps::new(payload, sizes);
    std::iter::from_fn(move || {
        loop {
            let before = steps.rest?;
            match steps.next() {
                Some((10, data)) => match signal(data, sizes) {
                    Ok((_, Value::Signal { sig, obj })) => return Some((sig, obj)),
                    _ => continue,
                },
                Some(_) => {}
                None => return signal_cut_short(before, sizes),
            }
        }
    })
}

fn signal_cut_short(element: &[u8], sizes: &Sizes) -> Option<(u64, u64)> {
    let (format, data) = element.split_first()?;
    let (_, sig) = uint(data, sizes.sig).ok()?;
    (format & 15 == 10).then_some((sig, 0))
}

/// The whole elements of an application record: type, and the bytes from behind the format byte on.
struct Steps<'a> {
    /// `None` behind an element that is not whole.
    rest: Option<&'a [u8]>,
    /// Lengths by type.
    lengths: [u8; 16],
}

/// Texts and memory tell their lengths.
const REPORTED: u8 = u8::MAX;

/// Length of a text with its zero, or of memory with its number of bytes; more than there is where it is cut.
fn told_len(ty: u8, data: &[u8]) -> usize {
    match ty {
        8 => memchr::memchr(0, data).map_or(usize::MAX, |end| end + 1),
        _ => data.first().map_or(usize::MAX, |&n| usize::from(n) + 1),
    }
}

impl<'a> Steps<'a> {
    #[inline]
    fn new(payload: &'a [u8], sizes: &Sizes) -> Steps<'a> {
        let (sig, obj, fun) = (sizes.sig, sizes.obj, sizes.fun);
        let lengths = [1, 1, 2, 2, 4, 4, 4, 8, REPORTED, REPORTED, sig.saturating_add(obj), obj, fun, 8, 8, 4];
        Steps { rest: payload.get(usize::from(sizes.time)..), lengths }
    }
}

impl<'a> Iterator for Steps<'a> {
    type Item = (u8, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (format, data) = self.rest?.split_first()?;
        let ty = format & 15;
        let len = match self.lengths[usize::from(ty)] {
            REPORTED => told_len(ty, data),
            len => len.into(),
        };
        self.rest = data.get(len..);
        self.rest.map(|_| (ty, data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(payload: &[u8], sizes: &Sizes) -> bool {
        let Ok((mut input, _)) = uint(payload, sizes.time) else { return false };
        while !input.is_empty() {
            match element(input, sizes) {
                Ok((rest, _)) => input = rest,
                Err(_) => return false,
            }
        }
        true
    }

    #[test]
    fn stepping_over_elements_is_reading_them() {
        let sizes = Sizes { obj: 8, sig: 1, ..Sizes::default() };
        let mut seed = 1u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let len = (seed >> 58) as usize;
            let payload: Vec<u8> = (0..len).map(|i| (seed >> (i % 8 * 7)) as u8 & 0x8F).collect();
            assert_eq!(whole(&payload, &sizes), parsed(&payload, &sizes), "{payload:x?}");
        }
    }

    use crate::layout::{OLD, QUERY, QUERY_810, TABLE};

    #[test]
    fn texts_are_read_as_the_parsers_read_them() {
        let sizes = Sizes { time: 2, obj: 8, fun: 4, sig: 1, ..Sizes::default() };
        let with_text = |l: &&Layout| matches!(l.fields.last(), Some(Field { ty: Ty::Text, .. }));
        let (mut seed, mut good) = (3u32, 0);
        for layout in TABLE.iter().chain(OLD.iter().filter_map(|v| v.layout.as_ref())).filter(with_text) {
            for round in 0..3000 {
                let mut byte = || {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if seed >> 29 == 0 { 0 } else { (seed >> 16) as u8 }
                };
                let mut bytes: Vec<u8> = (0..round % 24).map(|_| byte()).collect();
                bytes.extend((round % 3 > 0).then_some(0));
                let slow = match values(layout, &sizes, &bytes) {
                    Ok(([], values)) => Some((values.numbers, values.bytes)),
                    _ => None,
                };
                good += usize::from(slow.is_some());
                assert_eq!(exact(layout, &sizes, &bytes).map(|v| (v.numbers, v.bytes)), slow, "{bytes:x?}");
            }
        }
        assert!(good > 1000, "{good}");
    }

    #[test]
    fn the_quick_way_reads_what_the_parsers_read() {
        let bytes: Vec<u8> = (0..64u8).map(|b| b.wrapping_mul(37).wrapping_add(11)).collect();
        let sizes = [
            Sizes::default(),
            Sizes { time: 2, obj: 8, fun: 8, sig: 4, evt: 4, que: 4, ctr: 4, blk: 4, tev: 2 },
            Sizes { time: 1, obj: 2, fun: 1, sig: 1, evt: 1, que: 2, ctr: 1, blk: 1, tev: 1 },
        ];
        let old = OLD.iter().filter_map(|v| v.layout.as_ref());
        for layout in TABLE.iter().chain(old).chain(&QUERY).chain(&QUERY_810).filter(|l| l.fixed()) {
            for sizes in &sizes {
                for len in 0..bytes.len() {
                    let slow = match values(layout, sizes, &bytes[..len]) {
                        Ok(([], values)) => Some(values.numbers),
                        _ => None,
                    };
                    assert_eq!(exact(layout, sizes, &bytes[..len]).map(|v| v.numbers), slow, "{}", layout.name);
                }
            }
        }
    }
}
