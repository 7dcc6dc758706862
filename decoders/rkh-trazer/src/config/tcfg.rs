//! The configuration record of the target, TCFG. From 2.4.4 on it comes without sequence number and time stamp and
//! tells everything; the older layouts stand behind a header that only they themselves explain.

use std::ops::RangeInclusive;

use super::{Key, SPECS, Settings, dotted};
use crate::layout::Era;

/// What a configuration record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tcfg {
    /// 0 = it has none.
    pub(crate) version: u16,
    pub(crate) flags: u32,
    /// Ticks per second; 0 = not told.
    pub(crate) hz: u16,
    pub(crate) max_pools: u8,
    /// Sizes and switches.
    pub(crate) settings: Settings,
    /// Bytes in front of the record's own, with the id.
    pub(crate) header: usize,
}

/// Bits of the flags.
const SENDER: u32 = 1;
const QUEUE_LWM: u32 = 1 << 11;
const POOL_LWM: u32 = 1 << 12;
const NSEQ: u32 = 1 << 15;
const TSTAMP: u32 = 1 << 16;
const CHECKSUM: u32 = 1 << 17;
/// Bits that no target sets.
const UNUSED: u32 = !(CHECKSUM * 2 - 1);

/// Length without checksum.
const LENGTH: usize = 14;

impl Tcfg {
    /// Ids that such a record may have.
    pub(crate) const IDS: RangeInclusive<u8> = 0xAC..=0xAE;

    /// Takes a frame for what it says it is, whatever was known before. `version` = that of the target as far as
    /// known.
    pub(crate) fn find(frame: &[u8], version: Option<u16>) -> Option<Tcfg> {
        match frame {
            [0xAC..=0xAE, ..] if matches!(frame.len(), LENGTH | 15) => {
                Tcfg::parse(frame).or_else(|| Tcfg::find_old(frame, version))
            }
            [0xAD, ..] => Tcfg::find_old(frame, version),
            _ => None,
        }
    }

    /// The layout from 2.4.4 on.
    fn parse(frame: &[u8]) -> Option<Tcfg> {
        let (record, check) = frame.split_at_checked(LENGTH)?;
        let &[id, v0, v1, f0, f1, f2, f3, sig_ts, ptr_ntimer, nblock_nelem, esize, bsize_pools, hz0, hz1] = record
        else {
            return None;
        };
        let (version, flags) = (u16::from_le_bytes([v0, v1]), u32::from_le_bytes([f0, f1, f2, f3]));
        let legal = version_fits(id, version) && flags & UNUSED == 0 && esize >> 4 == 0;
        let checked = match check {
            [] => flags & CHECKSUM == 0,
            _ => flags & CHECKSUM != 0 && spytui_hdlc::sum(frame) == 0,
        };
        let settings = sizes([sig_ts, ptr_ntimer, nblock_nelem, esize << 4, bsize_pools])?
            .with(Key::Version, version)
            .with(Key::Sender, on(flags, SENDER))
            .with(Key::QueueLwm, on(flags, QUEUE_LWM))
            .with(Key::PoolLwm, on(flags, POOL_LWM))
            .with(Key::Nseq, on(flags, NSEQ))
            .with(Key::Tstamp, on(flags, TSTAMP))
            .with(Key::Checksum, on(flags, CHECKSUM));
        let hz = u16::from_le_bytes([hz0, hz1]);
        let tcfg = Tcfg { version, flags, hz, max_pools: bsize_pools & 15, settings, header: 1 };
        (legal && checked).then_some(tcfg)
    }

    /// The layouts of 2.3 to 2.4.3. Such a record must agree with its own length, header and sum.
    fn find_old(frame: &[u8], version: Option<u16>) -> Option<Tcfg> {
        if version.is_some_and(|v| Era::of(v) > Era::R243) || frame.first() != Some(&0xAD) {
            return None;
        }
        (1..=6).flat_map(|header| [(header, true), (header, false)]).find_map(|(header, check)| {
            let body = frame.get(header..frame.len().checked_sub(usize::from(check))?)?;
            let tcfg = match body {
                [v0, v1, f0, f1, sizes @ .., bsize_pools] if sizes.len() == 5 => {
                    let version = u16::from_le_bytes([*v0, *v1]);
                    let flags = u16::from_le_bytes([*f0, *f1]);
                    if version != 0x2403 || flags >> 13 != 0 {
                        return None;
                    }
                    Tcfg::old(sizes, *bsize_pools, version, flags.into(), header)?
                }
                // No block size there: records of 2.3 and 2.4 have none.
                sizes => Tcfg::old(sizes, 0x10, 0, 0, header)?,
            };
            let s = &tcfg.settings;
            let stamp = if s.on(Key::Tstamp) { usize::from(s.get(Key::Timestamp)) } else { 0 };
            let agrees = header == 1 + usize::from(s.on(Key::Nseq)) + stamp && check == s.on(Key::Checksum);
            (agrees && (!check || spytui_hdlc::sum(frame) == 0)).then_some(tcfg)
        })
    }

    fn old(bytes: &[u8], bsize_pools: u8, version: u16, flags: u32, header: usize) -> Option<Tcfg> {
        let &[sig_ts, ptr_ntimer, nblock_nelem, esize_nseq, chk_ts] = bytes else { return None };
        let switch = |nibble: u8| (nibble <= 1).then_some(u16::from(nibble));
        let settings = sizes([sig_ts, ptr_ntimer, nblock_nelem, esize_nseq, bsize_pools])?
            .with(Key::Version, if version == 0 { 0x2300 } else { version })
            .with(Key::Sender, on(flags, SENDER))
            .with(Key::QueueLwm, on(flags, QUEUE_LWM))
            .with(Key::PoolLwm, on(flags, POOL_LWM))
            .with(Key::Nseq, switch(esize_nseq & 15)?)
            .with(Key::Checksum, switch(chk_ts >> 4)?)
            .with(Key::Tstamp, switch(chk_ts & 15)?);
        Some(Tcfg { version, flags, hz: 0, max_pools: bsize_pools & 15, settings, header })
    }

    /// The version as the target writes it; of 2.3 and 2.4 nothing but that.
    pub(crate) fn dotted(&self) -> String {
        if self.version == 0 { "2.3".into() } else { dotted(self.version) }
    }
}

fn on(flags: u32, bit: u32) -> u16 {
    u16::from(flags & bit != 0)
}

/// Digits, not hexadecimals, and a version that has this id.
fn version_fits(id: u8, version: u16) -> bool {
    let digits = (0..4).all(|i| version >> (4 * i) & 15 <= 9);
    digits && (0x2404..0x4000).contains(&version) && Era::of(version).tcfg() == id
}

/// Sizes by nibbles: signal, time stamp; pointer, timer ticks; blocks, elements; event size, –; block size, –.
fn sizes(bytes: [u8; 5]) -> Option<Settings> {
    let mut settings = Settings::default();
    let [sig_ts, ptr_ntimer, nblock_nelem, esize, bsize] = bytes;
    for (key, nibble) in [
        (Key::Signal, sig_ts >> 4),
        (Key::Timestamp, sig_ts & 15),
        (Key::Pointer, ptr_ntimer >> 4),
        (Key::Ntimer, ptr_ntimer & 15),
        (Key::Nblock, nblock_nelem >> 4),
        (Key::Nelem, nblock_nelem & 15),
        (Key::Esize, esize >> 4),
        (Key::Bsize, bsize >> 4),
    ] {
        let spec = SPECS.iter().find(|s| s.key == key)?;
        settings.set(key, Some(u16::from(nibble)).filter(|n| spec.legal(*n))?);
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
        let values = SPECS.map(|s| tcfg.settings.get(s.key));
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
