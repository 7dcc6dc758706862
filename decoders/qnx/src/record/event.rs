//! The event of the instrumented kernel: four words.

use nom::Parser;
use spytui_decoder_kit::value::{Res, array};

/// Length of an event in bytes.
pub(crate) const EVENT: usize = 16;

/// An event, or a part of one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Event {
    pub(crate) header: u32,
    /// Low half of the CPU's time.
    pub(crate) low: u32,
    /// Two words of payload.
    pub(crate) words: [u32; 2],
}

/// What part of a whole event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    Simple,
    Begin,
    Continuation,
    End,
}

impl Event {
    #[inline(always)]
    pub(crate) fn structure(&self) -> Structure {
        match self.header >> 30 {
            0 => Structure::Simple,
            1 => Structure::Begin,
            2 => Structure::Continuation,
            _ => Structure::End,
        }
    }

    #[inline(always)]
    pub(crate) fn cpu(&self) -> u8 {
        (self.header >> 24) as u8 & 63
    }

    /// What the parts of an event have in common.
    #[inline(always)]
    pub(crate) fn key(&self) -> u64 {
        u64::from(self.low) << 32 | u64::from(self.header & 0x3FFF_FFFF)
    }
}

/// Parses an event; `big` = the first byte of a word is the most significant.
#[inline(always)]
pub(crate) fn event(input: &[u8], big: bool) -> Res<'_, Event> {
    let from = if big { u32::from_be_bytes } else { u32::from_le_bytes };
    let word = || array.map(from);
    let parts = (word(), word(), word(), word());
    parts.map(|(header, low, first, second)| Event { header, low, words: [first, second] }).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_the_byte_order_of_its_target() {
        let bytes: Vec<u8> = (0x40..0x50).collect();
        let (rest, little) = event(&bytes, false).unwrap();
        assert_eq!((rest.len(), little.header, little.words), (0, 0x4342_4140, [0x4B4A_4948, 0x4F4E_4D4C]));
        let big = event(&bytes, true).unwrap().1;
        assert_eq!((big.header, big.low, big.cpu()), (0x4041_4243, 0x4445_4647, 0));
        assert_eq!((big.structure(), little.structure()), (Structure::Begin, Structure::Begin));
        assert!(event(&bytes[1..], false).is_err());
    }
}
