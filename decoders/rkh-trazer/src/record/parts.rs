//! Header and arguments of an un-stuffed frame.

use nom::{
    Parser,
    bytes::complete::take,
    combinator::{all_consuming, cond},
    number::complete::le_u8,
};
use spytui_decoder_kit::value::{Res, uint};

use crate::config::Config;

/// The parts of a frame, without the checksum, which is verified by the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameParts<'a> {
    pub(crate) id: u8,
    /// Sequence number, if the target sends one.
    pub(crate) nseq: Option<u8>,
    /// Time stamp; 0 if the target sends none.
    pub(crate) stamp: u64,
    pub(crate) args: &'a [u8],
}

impl<'a> FrameParts<'a> {
    /// Splits a frame; `None` if it is too short.
    #[inline]
    pub(crate) fn of(frame: &'a [u8], config: &Config) -> Option<FrameParts<'a>> {
        let args = frame.len().checked_sub(config.header() + config.trailer())?;
        Some(parts(frame, config, args).ok()?.1)
    }
}

#[inline]
fn parts<'a>(frame: &'a [u8], config: &Config, args: usize) -> Res<'a, FrameParts<'a>> {
    let stamp = |input| uint(input, config.stamp);
    let parts = (le_u8, cond(config.nseq, le_u8), stamp, take(args), take(config.trailer()));
    all_consuming(parts).map(|(id, nseq, stamp, args, _)| FrameParts { id, nseq, stamp, args }).parse(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Key, Settings, Style};

    #[test]
    fn a_header_is_as_long_as_the_configuration_says() {
        let frame = [160, 7, 1, 2, 3, 4, 9, 0xFF];
        let of = |settings: Settings| FrameParts::of(&frame, &settings.config(Style::Native)).unwrap();
        let all = of(Settings::default());
        assert_eq!((all.id, all.nseq, all.stamp, all.args), (160, Some(7), 0x0403_0201, &[9][..]));
        let bare = Settings::default().with(Key::Nseq, 0).with(Key::Tstamp, 0).with(Key::Checksum, 0);
        let bare = of(bare);
        assert_eq!((bare.nseq, bare.stamp, bare.args), (None, 0, &frame[1..]));
        assert_eq!(FrameParts::of(&frame[..6], &Config::default()), None);
    }
}
