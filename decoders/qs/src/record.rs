//! Parsers of an unstuffed frame: nom parsers over complete input, which define the format. Independent of framing, names
//! and text. Also plans for fixed-length records: offsets of fields in a frame, compiled from the table once per
//! configuration and record id. Receiving and text use them for such records; the parsers read all others.

pub(crate) use crate::layout::PAYLOAD;
pub(crate) use spytui_decoder_kit::value::uint;

use nom::{IResult, Parser, bytes::complete::take, combinator::rest, number::complete::le_u8};
use spytui_decoder_kit::{
    Element, ElementFormat, Elements, PlanTable, PlanWord, Read, Value,
    value::{Res, array, text},
};
use spytui_plugin_api::{
    RowKind,
    row::{RowFlags, Severity},
};

use crate::{
    config::{Config, SIZES, Sizes, Style},
    layout::{self, Group, Layout, MAX_FIELDS, NO_FIELD, RecordSubject, Ty, Values, id},
};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Record<'a> {
    Predefined(&'static Layout, Values<'a>),
    /// A predefined record of a different length: values of its complete fields, and the remaining bytes.
    Misfit {
        layout: &'static Layout,
        values: Values<'a>,
        rest: &'a [u8],
    },
    /// The target info; `None` if its length is wrong.
    Info(Option<TargetInfo>),
    Application,
    /// An id that this version lacks, or an answer about an unknown kind of object.
    Unknown,
}

impl<'a> Record<'a> {
    /// Parses a frame with this id and payload, using the plan of its id if that fits. Inlined, because records are too
    /// large to return fast.
    #[inline(always)]
    pub(crate) fn read(
        config: &Config,
        plan: Option<&Plan>,
        frame: &'a [u8],
        (id, payload): (u8, &'a [u8]),
    ) -> Record<'a> {
        match plan.and_then(|plan| Some((plan, plan.fixed(frame)?))) {
            Some((plan, layout)) => Record::Predefined(layout, plan.fixed.values(frame)),
            None => Record::parse(config, id, payload),
        }
    }

    #[inline(never)]
    pub(crate) fn parse(config: &Config, id: u8, payload: &'a [u8]) -> Record<'a> {
        let (version, style) = (config.version, config.style);
        let layout = match id {
            _ if id >= layout::user_base(version, style) => return Record::Application,
            id::INFO => return Record::Info(TargetInfo::parse(payload, style)),
            id::QUERY => query_kind(config, payload).and_then(|kind| layout::query(kind, version, style)),
            _ => layout::layout(id, version, style),
        };
        let Some(layout) = layout else { return Record::Unknown };
        match fields(layout, &config.sizes, payload) {
            ([], values) if !values.are_short(layout.fields.len()) => Record::Predefined(layout, values),
            (rest, values) => Record::Misfit { layout, values, rest },
        }
    }
}

/// Parses the fields of a predefined record as far as the payload goes; also returns the rest of the payload.
pub(crate) fn fields<'a>(layout: &Layout, sizes: &Sizes, payload: &'a [u8]) -> (&'a [u8], Values<'a>) {
    Values::parse(layout.fields, (PAYLOAD, payload), |ty, before, input| match (ty, ty.size(sizes), before) {
        (_, Some(size), _) => {
            let (rest, bytes) = take(size).parse(input)?;
            Ok((rest, Read::Number(uint(bytes, size)?.1)))
        }
        (Ty::Items, _, [.., size, count]) => take((size * count) as usize).map(Read::Bytes).parse(input),
        _ => text.map(Read::Bytes).parse(input),
    })
}

/// Parses all fields; `None` if bytes are missing or left over.
#[inline]
pub(crate) fn exact<'a>(layout: &Layout, sizes: &Sizes, payload: &'a [u8]) -> Option<Values<'a>> {
    let (rest, values) = fields(layout, sizes, payload);
    (rest.is_empty() && !values.are_short(layout.fields.len())).then_some(values)
}

/// The kind of object in a QS_QUERY_DATA; `None` if missing.
pub(crate) fn query_kind(config: &Config, payload: &[u8]) -> Option<u8> {
    payload.get(usize::from(config.sizes.time)).copied()
}

const U32: u8 = 5;
/// Types of other elements of at least 32 bits.
const U64: u8 = 14;
const HEX32: u8 = 15;

impl ElementFormat for Config {
    /// In native style before 7.2, there are no enumerations, and any width is legal.
    #[inline]
    fn element<'a>(&self, input: &'a [u8]) -> Res<'a, Element<'a>> {
        let (rest, found) = element(input, &self.sizes)?;
        match found.value {
            Value::Enum { value, .. } if self.style == Style::Native && self.version < 720 => {
                Ok((rest, Element { value: Value::Signed((value as i8).into()), ..found }))
            }
            _ => Ok((rest, found)),
        }
    }
}

#[inline(always)]
pub(crate) fn element<'a>(input: &'a [u8], sizes: &Sizes) -> Res<'a, Element<'a>> {
    let (input, [format]) = array(input)?;
    let (ty, width) = (format & 15, format >> 4);
    let (input, value) = match ty {
        0 if width >= 8 => array.map(|[value]| Value::Enum { group: width - 8, value }).parse(input),
        0 => array.map(i8::from_le_bytes).map(|n| Value::Signed(n.into())).parse(input),
        1 => array.map(u8::from_le_bytes).map(|n| Value::Unsigned(n.into())).parse(input),
        2 => array.map(i16::from_le_bytes).map(|n| Value::Signed(n.into())).parse(input),
        3 => array.map(u16::from_le_bytes).map(|n| Value::Unsigned(n.into())).parse(input),
        4 => array.map(i32::from_le_bytes).map(|n| Value::Signed(n.into())).parse(input),
        5 | 15 => array.map(u32::from_le_bytes).map(|n| Value::Unsigned(n.into())).parse(input),
        6 => array.map(f32::from_le_bytes).map(Value::Float).parse(input),
        7 => array.map(f64::from_le_bytes).map(Value::Double).parse(input),
        8 => text.map(Value::Text).parse(input),
        9 => memory(input),
        10 => signal(input, sizes),
        11 => uint(input, sizes.obj).map(|(rest, key)| (rest, Value::Object(key))),
        12 => uint(input, sizes.fun).map(|(rest, key)| (rest, Value::Function(key))),
        13 => array.map(i64::from_le_bytes).map(Value::Signed).parse(input),
        _ => array.map(u64::from_le_bytes).map(Value::Unsigned).parse(input),
    }?;
    Ok((input, Element { ty, width, value }))
}

fn memory(input: &[u8]) -> Res<'_, Value<'_>> {
    let (input, [count]) = array(input)?;
    take(count).map(Value::Memory).parse(input)
}

fn signal<'a>(input: &'a [u8], sizes: &Sizes) -> Res<'a, Value<'a>> {
    let (input, (sig, obj)) = (|i| uint(i, sizes.sig), |i| uint(i, sizes.obj)).parse(input)?;
    Ok((input, Value::Signal { sig, obj }))
}

/// The time stamp and the elements of an application record; `None` if the payload ends within the time stamp.
pub(crate) fn elements<'a, 'c>(payload: &'a [u8], config: &'c Config) -> Option<(u64, Elements<'a, 'c, Config>)> {
    let (rest, time) = uint(payload, config.sizes.time).ok()?;
    Some((time, Elements::new(rest, config)))
}

/// The total in an application record.
pub(crate) fn total(payload: &[u8], config: &Config, element: Option<usize>) -> Option<u32> {
    let (_, elements) = elements(payload, config)?;
    elements.total(element, &[U32, HEX32, U64]).filter(|_| whole(payload, config))
}

/// Whether all elements of an application record are complete.
pub(crate) fn whole(payload: &[u8], config: &Config) -> bool {
    elements(payload, config).is_some_and(|(_, elements)| elements.are_whole())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TargetInfo {
    /// Sent when the target starts.
    pub(crate) reset: bool,
    pub(crate) version: u16,
    /// YYMMDD of the framework; 0 in the layout before 8.
    pub(crate) date: u32,
    /// 1 = C, 2 = C++; 0 in the layout before 8.
    pub(crate) framework: u8,
    pub(crate) big_endian: bool,
    pub(crate) sizes: Sizes,
    pub(crate) max_active: u8,
    pub(crate) max_pools: u8,
    pub(crate) max_rates: u8,
    /// Second, minute, hour, day, month, year − 2000.
    pub(crate) build: [u8; 6],
}

impl TargetInfo {
    /// Parses a payload in a layout supported by this style; `None` if its length is wrong.
    pub(crate) fn parse(payload: &[u8], style: Style) -> Option<TargetInfo> {
        let new = style != Style::Qspy734 && payload.first()? & 3 == 2;
        let (left, info) = match (new, payload.len()) {
            (true, 18) => new_layout(payload).ok()?,
            (false, 16) => old_layout(payload, style).ok()?,
            (true, 16) if style == Style::Native => old_layout(payload, style).ok()?,
            _ => return None,
        };
        left.is_empty().then_some(info)
    }

    /// Whether it is plausible: legal sizes, a valid date, a possible version.
    pub(crate) fn plausible(&self) -> bool {
        let [second, minute, hour, day, month, year] = self.build;
        let date = second < 60 && minute < 60 && hour < 24 && day < 32 && month < 13 && year < 100;
        date && (400..1000).contains(&self.version) && SIZES.iter().all(|s| s.legal(s.get(self.sizes)))
    }

    pub(crate) fn build_id(&self) -> String {
        build_id(self.build)
    }
}

/// A build time as `yymmdd_hhmmss`.
pub(crate) fn build_id([second, minute, hour, day, month, year]: [u8; 6]) -> String {
    format!("{year:02}{month:02}{day:02}_{hour:02}{minute:02}{second:02}")
}

fn old_layout(input: &[u8], style: Style) -> IResult<&[u8], TargetInfo, ()> {
    let (input, (flags, word)) = (le_u8, |i| uint(i, 2)).parse(input)?;
    let (input, common) = common(input)?;
    let (version, big_endian) = ((word & 0x7FFF) as u16, word & 0x8000 != 0);
    // The 8.1.3 host only checks bit 0.
    let reset = flags & if style == Style::Qspy813 { 1 } else { 0xFF } != 0;
    Ok((input, TargetInfo { reset, version, big_endian, ..common }))
}

fn new_layout(input: &[u8]) -> IResult<&[u8], TargetInfo, ()> {
    let (input, (flags, word)) = (le_u8, |i| uint(i, 4)).parse(input)?;
    let (input, common) = common(input)?;
    let number = !(word as u32);
    let info = TargetInfo {
        reset: flags & 0x40 != 0,
        big_endian: flags & 0x80 != 0,
        framework: flags >> 2 & 3,
        version: (number % 10_000) as u16,
        date: number / 10_000,
        ..common
    };
    Ok((input, info))
}

/// The 13 bytes at the end of both layouts.
fn common(input: &[u8]) -> IResult<&[u8], TargetInfo, ()> {
    let (input, (nibbles, limits, build)) = (take(5usize), take(2usize), rest).parse(input)?;
    let nibble = |byte: usize, high: bool| nibbles.get(byte).map_or(0, |b: &u8| if high { b >> 4 } else { b & 15 });
    let sizes = Sizes {
        sig: nibble(0, false),
        evt: nibble(0, true),
        que: nibble(1, false),
        tev: nibble(1, true),
        blk: nibble(2, false),
        ctr: nibble(2, true),
        obj: nibble(3, false),
        fun: nibble(3, true),
        time: nibble(4, false),
    };
    let byte = |i: usize| limits.get(i).copied().unwrap_or(0);
    let info = TargetInfo {
        sizes,
        max_active: byte(0),
        max_pools: byte(1) & 15,
        max_rates: byte(1) >> 4,
        build: build.try_into().unwrap_or_default(),
        ..TargetInfo::default()
    };
    Ok((&input[input.len()..], info))
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) layout: Option<&'static Layout>,
    /// Offsets of its fields, if their sizes are fixed.
    pub(crate) fixed: spytui_decoder_kit::Plan<MAX_FIELDS>,
    /// Whether the record only makes a row.
    plain: bool,
    pub(crate) stamp: PlanWord,
    pub(crate) obj: PlanWord,
    pub(crate) sig: PlanWord,
    /// Free entries in a queue or pool.
    pub(crate) free: PlanWord,
    pub(crate) kind: RowKind,
    /// Row flags common to all records with the id.
    pub(crate) flags: RowFlags,
    pub(crate) group: u8,
    pub(crate) severity: Severity,
}

/// Number of bytes around a payload: sequence number, id, checksum.
const AROUND: usize = 3;

const UNKNOWN: Plan = Plan {
    layout: None,
    fixed: spytui_decoder_kit::Plan::NONE,
    plain: false,
    stamp: PlanWord::NONE,
    obj: PlanWord::NONE,
    sig: PlanWord::NONE,
    free: PlanWord::NONE,
    kind: RowKind(0),
    flags: RowFlags::empty(),
    group: Group::Other as u8,
    severity: Severity::INFO,
};

pub(crate) type BlockPlans = spytui_decoder_kit::BlockPlans<Config, Plan>;

impl Plan {
    #[inline(never)]
    pub(crate) fn new(id: u8, config: &Config) -> Plan {
        let base = layout::user_base(config.version, config.style);
        if id >= base {
            let each = if base == layout::USER_BASE { 5 } else { 10 };
            return Plan {
                flags: RowFlags::TIME_OWN | RowFlags::APPLICATION | RowFlags::HAS_ITEM,
                group: Group::User as u8 + ((id - base) / each).min(4),
                severity: Severity::NORMAL,
                ..UNKNOWN
            };
        }
        layout::layout(id, config.version, config.style)
            .map_or(UNKNOWN, |layout| Plan::of_layout(layout, &config.sizes))
    }

    fn of_layout(layout: &'static Layout, sizes: &Sizes) -> Plan {
        let has = |yes: bool, flags: RowFlags| if yes { flags } else { RowFlags::empty() };
        let mut plan = Plan {
            layout: Some(layout),
            flags: has(layout.stamped() && sizes.time > 0, RowFlags::TIME_OWN)
                | has(layout.subject != RecordSubject::None, RowFlags::HAS_OBJECT)
                | has(layout.sig != NO_FIELD, RowFlags::HAS_ITEM)
                | has(layout.group == Group::Dict, RowFlags::NAMING),
            group: layout.group as u8,
            severity: layout.severity,
            ..UNKNOWN
        };
        if layout.fixed && !matches!(layout.id, id::EMPTY | id::INFO | id::QUERY | id::PEEK) {
            plan.fix(layout, sizes);
        }
        plan
    }

    /// Computes the offsets of the fields, all of which have a fixed size.
    fn fix(&mut self, layout: &Layout, sizes: &Sizes) {
        let sizes = layout.fields.iter().map(|field| field.ty.size(sizes).unwrap_or(0));
        self.fixed = spytui_decoder_kit::Plan::new(PAYLOAD, sizes, AROUND - PAYLOAD);
        self.plain = !matches!(layout.group, Group::Dict | Group::Answer | Group::Info);
        self.stamp = if layout.stamped() { self.fixed.word(0) } else { PlanWord::NONE };
        self.obj = self.fixed.word(layout.obj);
        self.sig = self.fixed.word(layout.sig);
        self.free = self.fixed.word(layout.place("free"));
    }

    /// Whether a payload has the right length; `None` if the record's length varies.
    pub(crate) fn fits_payload(&self, payload: &[u8]) -> Option<bool> {
        self.fixed.frame_len().map(|len| len == payload.len() + AROUND)
    }

    /// The layout, if the frame has the right length.
    #[inline]
    pub(crate) fn fixed(&self, frame: &[u8]) -> Option<&'static Layout> {
        self.layout.filter(|_| self.fixed.fits(frame))
    }

    /// Whether a frame has the right length and only makes a row.
    #[inline]
    pub(crate) fn is_plain(&self, frame: &[u8]) -> bool {
        self.plain && self.fixed.fits(frame)
    }
}

/// The plans for all ids under a configuration, with the kinds of their rows.
pub(crate) fn plans(config: &Config) -> PlanTable<Plan> {
    let kind = |id| RowKind(layout::kind_of(id, config.version, config.style));
    PlanTable::new(|id| Plan { kind: kind(id), ..Plan::new(id, config) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::Style,
        layout::{OLD, TABLE},
    };

    #[test]
    fn the_plans_read_what_the_parsers_read() {
        let bytes: Vec<u8> = (0..64u8).map(|b| b.wrapping_mul(37).wrapping_add(11)).collect();
        let sizes = [
            Sizes::default(),
            Sizes { time: 2, obj: 8, fun: 8, sig: 4, evt: 4, que: 4, ctr: 4, blk: 4, tev: 2 },
            Sizes { time: 1, obj: 2, fun: 1, sig: 1, evt: 1, que: 2, ctr: 1, blk: 1, tev: 1 },
        ];
        let styles = [Style::Native, Style::Qspy734, Style::Qspy813];
        let mut compared = 0;
        for (sizes, style) in sizes.iter().flat_map(|sizes| styles.map(|style| (sizes, style))) {
            for version in [500, 550, 580, 620, 660, 690, 710, 712, 720, 800, 819] {
                let plans = plans(&Config { sizes: *sizes, version, ..Config::of_style(style) });
                for (id, len) in (0..=u8::MAX).flat_map(|id| (3..48).map(move |len| (id, len))) {
                    let plan = plans.of(id);
                    let (frame, payload) = (&bytes[..len], &bytes[2..len - 1]);
                    let Some(layout) = plan.layout.filter(|_| plan.fits_payload(payload).is_some()) else { continue };
                    let parsed = exact(layout, sizes, payload);
                    assert_eq!(plan.fixed.fits(frame), parsed.is_some(), "{} of {len} bytes", layout.name);
                    let Some(parsed) = parsed else { continue };
                    assert_eq!(usize::from(parsed.count), layout.fields.len(), "{}", layout.name);
                    let read = plan.fixed.values(frame);
                    assert_eq!((read.numbers, read.ends), (parsed.numbers, parsed.ends), "{}", layout.name);
                    let each = (0..=u8::MAX).map(|field| plan.fixed.number(field, frame));
                    assert!(each.eq((0..=u8::MAX).map(|field| parsed.number(field))), "{}", layout.name);
                    assert_eq!(plan.obj.read(frame), parsed.number(layout.obj), "{}", layout.name);
                    assert_eq!(plan.sig.read(frame), parsed.number(layout.sig), "{}", layout.name);
                    compared += 1;
                }
            }
        }
        assert!(compared > TABLE.len() + OLD.len(), "{compared}");
    }

    #[test]
    fn fields_are_read_as_far_as_the_payload_reaches() {
        let layout = TABLE.iter().find(|l| l.id == crate::layout::id::OBJ_DICT).unwrap();
        let sizes = Sizes { obj: 2, ..Sizes::default() };
        let of = |payload: &'static [u8]| {
            let (rest, values) = fields(layout, &sizes, payload);
            (values.count, values.numbers[0], values.bytes, rest)
        };
        assert_eq!(of(b"\x01\x02ab\0c"), (2, 0x201, b"ab".as_slice(), b"c".as_slice()));
        assert_eq!(of(b"\x01\x02ab"), (1, 0x201, b"".as_slice(), b"ab".as_slice()));
        assert_eq!(of(b"\x01"), (0, 0, b"".as_slice(), b"\x01".as_slice()));
    }
}
