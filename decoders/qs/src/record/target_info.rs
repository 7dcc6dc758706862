//! QS_TARGET_INFO: what the target reports about itself.

use nom::{IResult, Parser, bytes::complete::take, combinator::rest, number::complete::le_u8};

use super::uint;
use crate::config::{SIZES, Sizes, Style};

/// The content of QS_TARGET_INFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TargetInfo {
    /// Sent at target start.
    pub(crate) reset: bool,
    pub(crate) version: u16,
    /// YYMMDD of the framework; 0 in the layout before 8.
    pub(crate) date: u32,
    /// 1 C, 2 C++; 0 in the layout before 8.
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
    /// Parses a payload in a layout known to this style; `None` if its length is wrong.
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

    /// Build time as `yymmdd_hhmmss`.
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
    // The 8.1.3 host looks at bit 0 alone.
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

/// The 13 bytes that both layouts end with.
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
        reset: false,
        version: 0,
        date: 0,
        framework: 0,
        big_endian: false,
        sizes,
        max_active: byte(0),
        max_pools: byte(1) & 15,
        max_rates: byte(1) >> 4,
        build: build.try_into().unwrap_or([0; 6]),
    };
    Ok((&input[input.len()..], info))
}
