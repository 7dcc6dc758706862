//! The record in an un-stuffed frame: header and arguments (`parts`), fields of an event, items of a user event. nom
//! parsers over complete input; they define the format.

mod parts;

pub(crate) use parts::FrameParts;

use nom::{
    Parser,
    bytes::complete::take,
    number::complete::{le_i8, le_i16, le_i32, le_u8, le_u16, le_u32},
};
use spytui_decoder_kit::value::{Res, text, uint};

use crate::{
    config::Config,
    fast::Plan,
    layout::{Layout, Role, Ty, UNIT_TEST, USER, Values},
};

/// A record, by what its id says of its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Record<'a> {
    Event(&'static Layout, Values<'a>),
    /// An event whose arguments are of another length: the values of complete fields, and the bytes after them.
    Misfit {
        layout: &'static Layout,
        values: Values<'a>,
        args: &'a [u8],
        rest: &'a [u8],
    },
    /// The target's configuration.
    Tcfg(&'static Layout),
    /// Arguments of a user event.
    User(&'a [u8]),
    /// Arguments of an event that is unknown in this era.
    Unknown(&'a [u8]),
}

impl<'a> Record<'a> {
    /// Reads a frame, by the plan of its id if that fits; `None` if it is shorter than a header.
    #[inline]
    pub(crate) fn read(plan: &Plan, config: &Config, frame: &'a [u8]) -> Option<Record<'a>> {
        match plan.fixed(frame) {
            Some(layout) => Some(Record::Event(layout, plan.values(layout, frame))),
            None => Record::parse(plan.layout, config, frame),
        }
    }

    /// Parses a frame.
    #[inline(never)]
    pub(crate) fn parse(layout: Option<&'static Layout>, config: &Config, frame: &'a [u8]) -> Option<Record<'a>> {
        if let Some(layout) = layout.filter(|layout| layout.role == Role::Tcfg) {
            return Some(Record::Tcfg(layout));
        }
        let FrameParts { id, args, .. } = FrameParts::of(frame, config)?;
        Some(match layout {
            Some(layout) => match fields(layout, config, args) {
                ([], values) if !values.are_short(layout) => Record::Event(layout, values),
                (rest, values) => Record::Misfit { layout, values, args, rest },
            },
            None if (USER..UNIT_TEST).contains(&id) => Record::User(args),
            None => Record::Unknown(args),
        })
    }

    /// The values of an event, as far as they are complete.
    #[inline]
    pub(crate) fn values(self) -> Values<'a> {
        match self {
            Record::Event(_, values) | Record::Misfit { values, .. } => values,
            _ => Values::default(),
        }
    }
}

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

/// Parses the fields of an event as far as its arguments reach; returns the rest of the arguments, too.
pub(crate) fn fields<'a>(layout: &Layout, config: &Config, args: &'a [u8]) -> (&'a [u8], Values<'a>) {
    let mut values = Values::default();
    let mut rest = args;
    let places = values.numbers.iter_mut().zip(&mut values.ends);
    for ((number, end), field) in places.zip(layout.fields) {
        let read = match field.ty {
            Ty::Str => text.map(Read::Bytes).parse(rest),
            Ty::Rest => nom::combinator::rest.map(Read::Bytes).parse(rest),
            ty => uint(rest, config.size(ty)).map(|(rest, number)| (rest, Read::Number(number))),
        };
        let Ok((next, value)) = read else { break };
        match value {
            Read::Number(value) => *number = value,
            Read::Bytes(bytes) => values.bytes = bytes,
        }
        rest = next;
        *end = (config.header() + args.len() - rest.len()) as u32;
        values.whole += 1;
    }
    (rest, values)
}

/// Parses all fields, with nothing after them.
pub(crate) fn exact<'a>(layout: &Layout, config: &Config, args: &'a [u8]) -> Option<Values<'a>> {
    let (rest, values) = fields(layout, config, args);
    (rest.is_empty() && !values.are_short(layout)).then_some(values)
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
fn item<'a>(input: &'a [u8], config: &Config) -> Res<'a, Item<'a>> {
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

/// The items of a user event, up to the first incomplete one.
pub(crate) struct Items<'a, 'c> {
    config: &'c Config,
    /// The arguments after the items so far.
    pub(crate) rest: &'a [u8],
}

impl<'a, 'c> Items<'a, 'c> {
    pub(crate) fn new(args: &'a [u8], config: &'c Config) -> Items<'a, 'c> {
        Items { config, rest: args }
    }
}

impl<'a> Iterator for Items<'a, '_> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let (rest, found) = item(self.rest, self.config).ok()?;
        self.rest = rest;
        Some(found)
    }
}

/// The total in a user event: the item with this number, or the only one. It has 32 bits; fewer would wrap around unseen.
pub(crate) fn total(args: &[u8], config: &Config, element: Option<usize>) -> Option<u32> {
    let mut items = Items::new(args, config);
    match items.nth(element.unwrap_or(0))? {
        Item { value: Value::Unsigned(number), ty: UI32, .. } if element.is_some() || items.rest.is_empty() => {
            u32::try_from(number).ok()
        }
        Item { value: Value::Hex(number), .. } if element.is_some() => u32::try_from(number).ok(),
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
        let values = exact(assert, &Config::default(), b"main.c\0\x2A\x01").unwrap();
        assert_eq!((values.bytes, values.number(1)), (&b"main.c"[..], 0x12A));
        assert_eq!(values.ends[..2], [13, 15]);
        let (rest, values) = fields(assert, &Config::default(), b"main.c");
        assert_eq!((values.whole, rest), (0, &b"main.c"[..]));
    }

    #[test]
    fn items_of_every_type() {
        let bytes = b"\x20\xFF\x11\xC8\x02\x01\x80\x03\x01\x80\x94\xFE\xFF\xFF\xFF\x05\x01\0\0\0\x86\x01\0\x7D\x7E\
            \x07hi\0\x08\x02\xAA\xBB\x09\x44\x33\x22\x11\x0A\x01\0\0\0\x0B\x07";
        let config = Config::default();
        let mut items = Items::new(bytes, &config);
        let found: Vec<_> = items.by_ref().map(|item| (item.ty, item.width, item.value)).collect();
        assert!(items.rest.is_empty());
        assert_eq!(found.len(), 12);
        assert_eq!(found[0], (0, 2, Value::Signed(-1)));
        assert_eq!(found[4], (4, 9, Value::Signed(-2)));
        assert_eq!(found[8], (8, 0, Value::Memory(&[0xAA, 0xBB])));
        assert_eq!(found[9], (9, 0, Value::Object(0x1122_3344)));
        assert!(item(b"\x0C\0\0\0", &Config::default()).is_err(), "there is no type 12");
    }
}
