//! Parsers of an unstuffed frame: header and arguments, fields of an event, elements of a user event. nom parsers over
//! complete input, which define the format. Also plans for fixed-length events, compiled from the table; a property
//! test compares them with the parsers.

use nom::{
    Parser,
    combinator::rest,
    multi::length_data,
    number::complete::{le_i8, le_i16, le_i32, le_u8, le_u16, le_u32},
};
use spytui_decoder_kit::{
    Element, ElementFormat, Read, Value,
    value::{Res, text, uint},
};

use crate::{
    config::Config,
    layout::{self, Era, Layout, MAX_FIELDS, Role, Ty, UNIT_TEST, USER, Values},
};

/// An unstuffed frame, at least as long as a header, except for the configuration record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordFrame<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) record: Record<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Record<'a> {
    Event(&'static Layout, Values<'a>),
    /// An event with arguments of a different length: values of its complete fields, and the remaining bytes.
    Misfit {
        layout: &'static Layout,
        values: Values<'a>,
        rest: &'a [u8],
    },
    Tcfg(&'static Layout),
    User,
    Unknown,
}

impl<'a> RecordFrame<'a> {
    /// Parses a frame, using the plan of its id if that fits; `None` if it is shorter than a header. Inlined, because
    /// frames are too large to return fast.
    #[inline(always)]
    pub(crate) fn read(config: &Config, plan: Option<&Plan>, bytes: &'a [u8]) -> Option<RecordFrame<'a>> {
        let id = *bytes.first()?;
        let layout = plan.map_or_else(|| layout::layout(id, config.era), |plan| plan.layout);
        let record = match (layout, plan.filter(|plan| plan.fixed.fits(bytes))) {
            (Some(layout), Some(plan)) => Record::Event(layout, plan.fixed.values(bytes)),
            _ => Record::parse(layout, config, bytes)?,
        };
        Some(RecordFrame { bytes, record })
    }

    pub(crate) fn id(&self) -> u8 {
        self.bytes.first().copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn nseq(&self, config: &Config) -> Option<u8> {
        self.bytes.get(1).copied().filter(|_| config.nseq && self.has_header(config))
    }

    #[inline]
    pub(crate) fn stamp(&self, config: &Config) -> Option<u64> {
        let stamp = self.bytes.get(1 + usize::from(config.nseq)..)?;
        let has_stamp = config.stamp > 0 && self.has_header(config);
        if has_stamp { Some(uint(stamp, config.stamp).ok()?.1) } else { None }
    }

    /// Since 2.4.4, the configuration record never has a sequence number or time stamp.
    fn has_header(&self, config: &Config) -> bool {
        config.era < Era::R244 || !matches!(self.record, Record::Tcfg(_))
    }

    #[inline]
    pub(crate) fn args(&self, config: &Config) -> &'a [u8] {
        args_of(self.bytes, config).unwrap_or(&[])
    }

    /// Its layout; `None` for user events and unknown ones.
    #[inline]
    pub(crate) fn layout(&self) -> Option<&'static Layout> {
        match self.record {
            Record::Event(layout, _) | Record::Misfit { layout, .. } | Record::Tcfg(layout) => Some(layout),
            Record::User | Record::Unknown => None,
        }
    }

    #[inline]
    pub(crate) fn values(&self) -> Option<&Values<'a>> {
        match &self.record {
            Record::Event(_, values) | Record::Misfit { values, .. } => Some(values),
            _ => None,
        }
    }
}

impl<'a> Record<'a> {
    #[inline(never)]
    fn parse(layout: Option<&'static Layout>, config: &Config, bytes: &'a [u8]) -> Option<Record<'a>> {
        if let Some(layout) = layout.filter(|layout| layout.role == Role::Tcfg) {
            return Some(Record::Tcfg(layout));
        }
        let args = args_of(bytes, config)?;
        Some(match layout {
            Some(layout) => match fields(layout, config, args) {
                ([], values) if !values.are_short(layout.fields.len()) => Record::Event(layout, values),
                (rest, values) => Record::Misfit { layout, values, rest },
            },
            None if bytes.first().is_some_and(|id| (USER..UNIT_TEST).contains(id)) => Record::User,
            None => Record::Unknown,
        })
    }
}

/// The arguments of a frame, without the checksum, which the framing verifies; `None` if it is too short.
#[inline]
fn args_of<'a>(frame: &'a [u8], config: &Config) -> Option<&'a [u8]> {
    frame.get(config.header()..frame.len().checked_sub(config.trailer())?)
}

/// How well the arguments of a frame fit its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Exact,
    Short,
    Surplus(usize),
    /// It has the right length, but contradicts itself.
    Wrong,
}

/// Parses the fields of an event as far as its arguments go; also returns the rest of the arguments.
pub(crate) fn fields<'a>(layout: &Layout, config: &Config, args: &'a [u8]) -> (&'a [u8], Values<'a>) {
    Values::parse(layout.fields, (config.header(), args), |ty, _, input| match ty {
        Ty::Str => text.map(Read::Bytes).parse(input),
        Ty::Rest => rest.map(Read::Bytes).parse(input),
        ty => uint(input, config.size(ty)).map(|(rest, number)| (rest, Read::Number(number))),
    })
}

/// Length of an event's complete frames; `None` = variable.
pub(crate) fn length(layout: &Layout, config: &Config) -> Option<usize> {
    let args: usize = layout.fields.iter().map(|field| usize::from(config.size(field.ty))).sum();
    layout.fixed.then_some(config.header() + args + config.trailer())
}

pub(crate) const UI32: u8 = 5;
/// A number shown in hexadecimal.
pub(crate) const X32: u8 = 6;

pub(crate) const ELEMENT_TYPES: u8 = 12;

impl ElementFormat for Config {
    fn element<'a>(&self, input: &'a [u8]) -> Res<'a, Element<'a>> {
        let (input, format) = le_u8(input)?;
        let (ty, width) = (format & 15, format >> 4);
        let (input, value) = match ty {
            0 => le_i8.map(|n| Value::Signed(n.into())).parse(input),
            1 => le_u8.map(|n| Value::Unsigned(n.into())).parse(input),
            2 => le_i16.map(|n| Value::Signed(n.into())).parse(input),
            3 => le_u16.map(|n| Value::Unsigned(n.into())).parse(input),
            4 => le_i32.map(|n| Value::Signed(n.into())).parse(input),
            UI32 | X32 => le_u32.map(|n| Value::Unsigned(n.into())).parse(input),
            7 => text.map(Value::Text).parse(input),
            8 => length_data(le_u8).map(Value::Memory).parse(input),
            9 => uint(input, self.size(Ty::Sym)).map(|(rest, key)| (rest, Value::Object(key))),
            10 => uint(input, self.size(Ty::Fun)).map(|(rest, key)| (rest, Value::Function(key))),
            11 => uint(input, self.size(Ty::Sig)).map(|(rest, sig)| (rest, Value::Signal { sig, obj: 0 })),
            _ => Err(nom::Err::Error(())),
        }?;
        Ok((input, Element { ty, width, value }))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// `None` for user events and unknown ids.
    pub(crate) layout: Option<&'static Layout>,
    pub(crate) fixed: spytui_decoder_kit::Plan<MAX_FIELDS>,
}

pub(crate) type BlockPlans = spytui_decoder_kit::BlockPlans<Config, Plan>;

impl Plan {
    pub(crate) fn new(id: u8, config: &Config) -> Plan {
        let layout = layout::layout(id, config.era);
        let fixed = |layout: &&Layout| layout.fixed;
        let plan = layout.filter(fixed).map(|layout| {
            let sizes = layout.fields.iter().map(|field| config.size(field.ty));
            spytui_decoder_kit::Plan::new(config.header(), sizes, config.trailer())
        });
        Plan { layout, fixed: plan.unwrap_or(spytui_decoder_kit::Plan::NONE) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spytui_decoder_kit::Elements;

    use super::{Record, RecordFrame, *};
    use crate::{
        config::{Key, Settings, TextStyle},
        layout::TABLE,
    };

    #[test]
    fn a_header_is_as_long_as_the_configuration_says() {
        let frame = [100, 7, 1, 2, 3, 4, 9, 8, 7, 6, 5, 0xFF];
        let of = |settings: Settings| {
            let config = settings.config(TextStyle::Native);
            let read = RecordFrame::read(&config, None, &frame).unwrap();
            (read.nseq(&config), read.stamp(&config), read.args(&config))
        };
        assert_eq!(of(Settings::default()), (Some(7), Some(0x0403_0201), &[9, 8, 7, 6, 5][..]));
        let bare = Settings::default().with(Key::Nseq, 0).with(Key::Tstamp, 0).with(Key::Checksum, 0);
        assert_eq!(of(bare), (None, None, &frame[1..]));
        assert!(RecordFrame::read(&Config::default(), None, &frame[..6]).is_none());
    }

    #[test]
    fn fields_have_the_sizes_of_the_configuration() {
        let frame = [100, 7, 1, 2, 3, 4, 9, 8, 7, 6, 5, 4, 3, 2, 0xFF];
        let config = Settings::default().config(TextStyle::Native);
        let read = RecordFrame::read(&config, None, &frame).unwrap();
        let Record::Event(layout, values) = read.record else { panic!("{read:?}") };
        assert_eq!((layout.name, values.number(0), values.number(1)), ("ENSTATE", 0x0607_0809, 0x0203_0405));
        assert_eq!((values.ends[..2].to_vec(), length(layout, &config)), (vec![10, 14], Some(frame.len())));
        let narrow = Settings::default().with(Key::Pointer, 2).config(TextStyle::Native);
        assert!(matches!(
            RecordFrame::read(&narrow, None, &frame).unwrap().record,
            Record::Misfit { rest: [5, 4, 3, 2], .. }
        ));
    }

    #[test]
    fn a_text_may_stand_before_a_number() {
        let assert = TABLE.iter().find(|l| l.name == "ASSERT").unwrap();
        let (rest, values) = fields(assert, &Config::default(), b"main.c\0\x2A\x01");
        assert!(rest.is_empty());
        assert_eq!((values.bytes, values.number(1)), (&b"main.c"[..], 0x12A));
        assert_eq!(values.ends[..2], [13, 15]);
        let (rest, values) = fields(assert, &Config::default(), b"main.c");
        assert_eq!((values.count, rest), (0, &b"main.c"[..]));
    }

    #[test]
    fn items_of_every_type() {
        let bytes = b"\x20\xFF\x11\xC8\x02\x01\x80\x03\x01\x80\x94\xFE\xFF\xFF\xFF\x05\x01\0\0\0\x86\x01\0\x7D\x7E\
            \x07hi\0\x08\x02\xAA\xBB\x09\x44\x33\x22\x11\x0A\x01\0\0\0\x0B\x07";
        let config = Config::default();
        let mut elements = Elements::new(bytes, &config);
        let found: Vec<_> = elements.by_ref().map(|found| (found.ty, found.width, found.value)).collect();
        assert!(elements.rest.is_empty());
        assert_eq!(found.len(), 12);
        assert_eq!(found[0], (0, 2, Value::Signed(-1)));
        assert_eq!(found[4], (4, 9, Value::Signed(-2)));
        assert_eq!(found[8], (8, 0, Value::Memory(&[0xAA, 0xBB])));
        assert_eq!(found[9], (9, 0, Value::Object(0x1122_3344)));
        assert!(config.element(b"\x0C\0\0\0").is_err(), "there is no type 12");
    }

    fn settings() -> impl Strategy<Value = Settings> {
        let size = || prop::sample::select(vec![1u16, 2, 4]);
        let switch = || 0u16..2;
        let version = prop::sample::select(vec![0x2300u16, 0x2403, 0x2404, 0x2406, 0x3400]);
        let pointer = || prop::sample::select(vec![1u16, 2, 4, 8]);
        let sizes = (size(), size(), size(), size(), size(), size(), size());
        let switches = (switch(), switch(), switch(), switch(), switch(), switch());
        (version, pointer(), pointer(), sizes, switches).prop_map(|(version, pointer, function, sizes, switches)| {
            Settings::default()
                .with(Key::Version, version)
                .with(Key::Pointer, pointer)
                .with(Key::Function, function)
                .with(Key::Signal, sizes.0)
                .with(Key::Timestamp, sizes.1)
                .with(Key::Ntimer, sizes.2)
                .with(Key::Nblock, sizes.3)
                .with(Key::Nelem, sizes.4)
                .with(Key::Esize, sizes.5)
                .with(Key::Bsize, sizes.6)
                .with(Key::Sender, switches.0)
                .with(Key::QueueLwm, switches.1)
                .with(Key::PoolLwm, switches.2)
                .with(Key::Nseq, switches.3)
                .with(Key::Checksum, switches.4)
                .with(Key::Tstamp, switches.5)
        })
    }

    proptest! {
        #[test]
        fn plans_read_what_the_definition_reads(
            settings in settings(),
            id in any::<u8>(),
            bytes in prop::collection::vec(any::<u8>(), 64),
            surplus in 0usize..3,
        ) {
            let config = settings.config(TextStyle::Native);
            let plan = Plan::new(id, &config);
            let Some(len) = plan.fixed.frame_len() else { return Ok(()) };
            let mut frame = bytes;
            frame.truncate(len + surplus);
            frame[0] = id;
            let parsed = RecordFrame::read(&config, None, &frame).unwrap();
            prop_assert_eq!(plan.fixed.fits(&frame), matches!(parsed.record, Record::Event(..)));
            if plan.fixed.fits(&frame) {
                let (read, parsed) = (plan.fixed.values(&frame), parsed.values().unwrap());
                prop_assert_eq!((read.numbers, read.ends, read.count), (parsed.numbers, parsed.ends, parsed.count));
            }
        }
    }
}
