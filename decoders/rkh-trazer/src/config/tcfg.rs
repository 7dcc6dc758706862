//! The target's configuration record, TCFG. Since 2.4.4, it has no sequence number or time stamp and contains all
//! settings; older layouts have a header whose length only follows from the record itself.

use std::ops::RangeInclusive;

use nom::{
    Parser,
    combinator::{all_consuming, cond, verify},
    number::complete::{le_u8, le_u16, le_u32},
};
use spytui_decoder_kit::value::Res;

use super::{Key, SPECS, Settings, dotted};
use crate::layout::Era;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tcfg {
    /// 0 = not in the record.
    pub(crate) version: u16,
    pub(crate) flags: u32,
    /// Ticks per second; 0 = unknown.
    pub(crate) hz: u16,
    pub(crate) max_pools: u8,
    pub(crate) settings: Settings,
    /// Length of the header, including the id.
    pub(crate) header: usize,
}

const SENDER: u32 = 1;
const QUEUE_LWM: u32 = 1 << 11;
const POOL_LWM: u32 = 1 << 12;
const NSEQ: u32 = 1 << 15;
const TSTAMP: u32 = 1 << 16;
const CHECKSUM: u32 = 1 << 17;
/// What the target is built to trace and filter: names, and flag bits.
const TRACED: [(&str, u32); 12] = [
    ("all", 1 << 3),
    ("mp", 1 << 4),
    ("que", 1 << 5),
    ("sma", 1 << 6),
    ("tmr", 1 << 7),
    ("sm", 1 << 8),
    ("fwk", 1 << 9),
    ("assert", 1 << 10),
    ("user", 1 << 2),
    ("filter", 1 << 1),
    ("sma-filter", 1 << 13),
    ("signal-filter", 1 << 14),
];
const UNUSED: u32 = !(CHECKSUM * 2 - 1);

const LENGTH: usize = 14;
const LENGTH_CHECKED: usize = LENGTH + 1;
/// The only version with a special layout, and the length of that layout without header and checksum.
const VERSION_243: u16 = 0x2403;
const OLD_LENGTH: usize = 10;

impl Tcfg {
    pub(crate) const IDS: RangeInclusive<u8> = 0xAC..=0xAE;

    /// Parses a frame as a configuration record, regardless of the current configuration. `version` is the target's, if
    /// known.
    pub(crate) fn find(frame: &[u8], version: Option<u16>) -> Option<Tcfg> {
        match frame {
            [0xAC..=0xAE, ..] if matches!(frame.len(), LENGTH | LENGTH_CHECKED) => {
                Tcfg::parse(frame).or_else(|| Tcfg::find_old(frame, version))
            }
            [0xAD, ..] => Tcfg::find_old(frame, version),
            _ => None,
        }
    }

    /// Parses it like the reference host, which ignores bytes after the record.
    pub(crate) fn of_host(frame: &[u8]) -> Option<Tcfg> {
        let surplus = || Tcfg::parse(frame).filter(|_| frame.len() > LENGTH_CHECKED);
        Tcfg::find(frame, None).or_else(surplus)
    }

    /// Number of bytes in a frame beyond what its flags announce, in the layout since 2.4.4.
    pub(crate) fn surplus(frame: &[u8]) -> isize {
        let checked = present(frame).is_ok_and(|(_, record)| record.flags & CHECKSUM != 0);
        let announced = if checked { LENGTH_CHECKED } else { LENGTH };
        frame.len() as isize - announced as isize
    }

    pub(crate) fn is_known(&self) -> bool {
        matches!(self.version, 0 | 0x2300..=0x24FF | 0x3000..=0x34FF)
    }

    fn parse(frame: &[u8]) -> Option<Tcfg> {
        let (check, record) = present(frame).ok()?;
        let checked = match check {
            [] => record.flags & CHECKSUM == 0,
            [_] => record.flags & CHECKSUM != 0 && spytui_hdlc::sum(frame) == 0,
            _ => record.flags & CHECKSUM == 0 || spytui_hdlc::sum(frame) == 0,
        };
        let legal = version_fits(record.id, record.version) && record.flags & UNUSED == 0;
        if !legal || !checked {
            return None;
        }
        let CurrentTcfg { version, flags, hz, pools, .. } = record;
        let settings = sizes(record.sizes)?
            .with(Key::Version, version)
            .with_built_in(flags)
            .with(Key::Nseq, on(flags, NSEQ))
            .with(Key::Tstamp, on(flags, TSTAMP))
            .with(Key::Checksum, on(flags, CHECKSUM));
        Some(Tcfg { version, flags, hz, max_pools: pools, settings, header: 1 })
    }

    /// Parses the layouts of 2.3 to 2.4.3. The record must match its own length, header and checksum.
    fn find_old(frame: &[u8], version: Option<u16>) -> Option<Tcfg> {
        if version.is_some_and(|v| Era::of(v) > Era::R243) || frame.first() != Some(&0xAD) {
            return None;
        }
        (1..=6).flat_map(|header| [(header, true), (header, false)]).find_map(|(header, check)| {
            let body = frame.get(header..frame.len().checked_sub(usize::from(check))?)?;
            let tcfg = Tcfg { header, ..all_consuming(old).parse(body).ok()?.1 };
            let s = &tcfg.settings;
            let stamp = if s.on(Key::Tstamp) { usize::from(s.get(Key::Timestamp)) } else { 0 };
            let agrees = header == 1 + usize::from(s.on(Key::Nseq)) + stamp && check == s.on(Key::Checksum);
            (agrees && (!check || spytui_hdlc::sum(frame) == 0)).then_some(tcfg)
        })
    }

    /// Which groups and filters are built in, by name; empty for 2.3 and 2.4, which don't send it.
    pub(crate) fn traced(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let sent = self.version != 0;
        let is_on = |flags: u32, bit: u32| flags & bit != 0;
        let flags = self.flags;
        TRACED.iter().filter(move |_| sent).map(move |(name, bit)| (*name, is_on(flags, *bit)))
    }

    /// The dotted version; `2.3` for 2.3 and 2.4, which don't send it.
    pub(crate) fn dotted(&self) -> String {
        if self.version == 0 { "2.3".into() } else { dotted(self.version) }
    }
}

impl Settings {
    /// Applies the flags common to all layouts.
    fn with_built_in(self, flags: u32) -> Settings {
        let [sender, queue_lwm, pool_lwm] = [SENDER, QUEUE_LWM, POOL_LWM].map(|bit| on(flags, bit));
        self.with(Key::Sender, sender).with(Key::QueueLwm, queue_lwm).with(Key::PoolLwm, pool_lwm)
    }
}

fn on(flags: u32, bit: u32) -> u16 {
    u16::from(flags & bit != 0)
}

/// Whether a version has decimal digits and matches the id.
fn version_fits(id: u8, version: u16) -> bool {
    let digits = (0..4).all(|i| version >> (4 * i) & 15 <= 9);
    digits && (0x2404..=0x9999).contains(&version) && Era::of(version).tcfg() == id
}

const SIZES: [Key; 8] =
    [Key::Signal, Key::Timestamp, Key::Pointer, Key::Ntimer, Key::Nblock, Key::Nelem, Key::Esize, Key::Bsize];

struct CurrentTcfg {
    id: u8,
    version: u16,
    flags: u32,
    sizes: [u8; 8],
    pools: u8,
    hz: u16,
}

fn present(input: &[u8]) -> Res<'_, CurrentTcfg> {
    let (input, (id, version, flags)) = (le_u8, le_u16, le_u32).parse(input)?;
    let (input, (signal, timestamp)) = nibbles(input)?;
    let (input, (pointer, ntimer)) = nibbles(input)?;
    let (input, (nblock, nelem)) = nibbles(input)?;
    let (input, (_, esize)) = verify(nibbles, |(unused, _)| *unused == 0).parse(input)?;
    let (input, (bsize, pools)) = nibbles(input)?;
    let (input, hz) = le_u16(input)?;
    let sizes = [signal, timestamp, pointer, ntimer, nblock, nelem, esize, bsize];
    Ok((input, CurrentTcfg { id, version, flags, sizes, pools, hz }))
}

/// Parses the layouts of 2.3 to 2.4.3, after their header.
fn old(input: &[u8]) -> Res<'_, Tcfg> {
    const ILLEGAL: nom::Err<()> = nom::Err::Error(());
    let is_243 = input.len() == OLD_LENGTH;
    // 2.3 and 2.4 don't send version and flags.
    let (input, sent) =
        cond(is_243, (verify(le_u16, |v| *v == VERSION_243), verify(le_u16, |f| f >> 13 == 0))).parse(input)?;
    let (version, flags) = sent.map_or((0, 0), |(version, flags)| (version, u32::from(flags)));
    let (input, (signal, timestamp)) = nibbles(input)?;
    let (input, (pointer, ntimer)) = nibbles(input)?;
    let (input, (nblock, nelem)) = nibbles(input)?;
    let (input, (esize, nseq)) = nibbles(input)?;
    let (input, (checksum, tstamp)) = nibbles(input)?;
    // Records of 2.3 and 2.4 lack the block size.
    let (input, pool) = cond(is_243, nibbles).parse(input)?;
    let (bsize, max_pools) = pool.unwrap_or((1, 0));
    let switch = |nibble: u8| if nibble <= 1 { Ok(u16::from(nibble)) } else { Err(ILLEGAL) };
    let settings = sizes([signal, timestamp, pointer, ntimer, nblock, nelem, esize, bsize])
        .ok_or(ILLEGAL)?
        .with(Key::Version, if version == 0 { 0x2300 } else { version })
        .with_built_in(flags)
        .with(Key::Nseq, switch(nseq)?)
        .with(Key::Checksum, switch(checksum)?)
        .with(Key::Tstamp, switch(tstamp)?);
    Ok((input, Tcfg { version, flags, hz: 0, max_pools, settings, header: 0 }))
}

fn nibbles(input: &[u8]) -> Res<'_, (u8, u8)> {
    le_u8.map(|byte| (byte >> 4, byte & 15)).parse(input)
}

/// Settings with these sizes; `None` if any is illegal.
fn sizes(sizes: [u8; 8]) -> Option<Settings> {
    let mut settings = Settings::default();
    for (key, size) in SIZES.into_iter().zip(sizes) {
        let spec = SPECS.iter().find(|s| s.key == key)?;
        settings.set(key, Some(u16::from(size)).filter(|size| spec.legal(*size))?);
    }
    Some(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: [u8; 15] =
        [0xAC, 0x00, 0x34, 0x0F, 0xFE, 0x03, 0x00, 0x14, 0x42, 0x11, 0x02, 0x14, 0xE8, 0x03, 0xA8];

    #[test]
    fn the_example_is_read() {
        let tcfg = Tcfg::find(&EXAMPLE, None).unwrap();
        assert_eq!((tcfg.dotted().as_str(), tcfg.hz, tcfg.max_pools, tcfg.flags), ("3.4.00", 1000, 4, 261_647));
        let values = SPECS.each_ref().map(|s| tcfg.settings.get(s.key));
        assert_eq!(values, [0x3400, 1, 4, 4, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn what_contradicts_itself_is_none() {
        for place in 0..EXAMPLE.len() {
            let mut frame = EXAMPLE;
            frame[place] ^= 0x80;
            assert_eq!(Tcfg::find(&frame, None), None, "byte {place}");
        }
        assert_eq!(Tcfg::find(&EXAMPLE[..14], None), None, "a checksum is announced");
        let mut bare = EXAMPLE;
        bare[5] &= 1;
        assert!(Tcfg::find(&bare[..14], None).is_some());
        assert_eq!(Tcfg::find(&bare, None), None, "no checksum is announced");
    }

    #[test]
    fn the_announced_pointer_may_be_1() {
        let mut frame = EXAMPLE;
        (frame[8], frame[14]) = (0x12, 0xA8 + 0x30);
        let tcfg = Tcfg::find(&frame, None).unwrap();
        assert_eq!((tcfg.settings.get(Key::Pointer), tcfg.settings.pointer()), (1, 4));
    }

    #[test]
    fn the_id_goes_with_the_version() {
        for (id, version, legal) in [
            (0xAE, 0x2406, true),
            (0xAE, 0x2405, true),
            (0xAD, 0x2404, true),
            (0xAC, 0x2406, false),
            (0xAE, 0x3400, false),
        ] {
            let mut frame = EXAMPLE;
            frame[0] = id;
            [frame[1], frame[2]] = u16::to_le_bytes(version);
            frame[14] = 0;
            frame[14] = spytui_hdlc::sum(&frame).wrapping_neg();
            assert_eq!(Tcfg::find(&frame, None).is_some(), legal, "{id:x} {version:x}");
        }
    }

    fn sealed(mut frame: Vec<u8>) -> Vec<u8> {
        frame.push(spytui_hdlc::sum(&frame).wrapping_neg());
        frame
    }

    #[test]
    fn old_layouts_explain_their_own_header() {
        let r243 = sealed(vec![0xAD, 7, 1, 2, 0x03, 0x24, 0x01, 0x18, 0x12, 0x42, 0x11, 0x21, 0x11, 0x24]);
        let tcfg = Tcfg::find(&r243, None).unwrap();
        assert_eq!((tcfg.header, tcfg.dotted().as_str(), tcfg.settings.get(Key::Bsize)), (4, "2.4.03", 2));
        let r23 = sealed(vec![0xAD, 7, 1, 2, 3, 4, 0x14, 0x42, 0x11, 0x21, 0x11]);
        let tcfg = Tcfg::find(&r23, None).unwrap();
        assert_eq!((tcfg.header, tcfg.version, tcfg.settings.get(Key::Ntimer)), (6, 0, 2));
        assert_eq!(Tcfg::find(&r23, Some(0x3400)), None, "of a 3.x target that is another record");
        let plain = [0xAD, 0x14, 0x42, 0x11, 0x20, 0x00];
        assert_eq!(Tcfg::find(&plain, None).map(|t| t.header), Some(1));
    }
}
