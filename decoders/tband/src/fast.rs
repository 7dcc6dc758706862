//! A fast reader for common events, driven by the table of events: no full COBS block, no long numbers. Everything else
//! is left to the parsers in `record` and `frame::cobs`, which also give the cause of damage. Property tests compare
//! both.

use spytui_plugin_api::text::copy_short;

use crate::{
    frame::cobs,
    layout::{self, QUEUE_KINDS, Ty},
    record::{Cause, Record, varint::sign},
};

/// Maximum length of a body without a full block.
const SIMPLE: usize = 254;
const SMALL: usize = 64;

/// Buffer for an event with zeros, so that a common one needs no allocation.
#[derive(Debug)]
pub(crate) struct Room {
    small: [u8; SMALL],
    large: Vec<u8>,
}

impl Room {
    #[inline]
    pub(crate) fn new() -> Room {
        Room { small: [0; SMALL], large: Vec::new() }
    }
}

/// Decodes the event in a frame's body; `None` if a code byte points past its end.
#[inline]
pub(crate) fn decode<'a>(body: &'a [u8], room: &'a mut Room) -> Option<&'a [u8]> {
    let (&code, event) = body.split_first()?;
    // Most events have no zeros: the event is a single block.
    if usize::from(code) == body.len() {
        return Some(event);
    }
    if body.len() <= SIMPLE {
        return with_zeros(body, event, room);
    }
    room.large = cobs::decode(body)?;
    Some(&room.large)
}

/// Decodes a body that is too short for a full block: its code bytes become zeros in place.
#[inline]
fn with_zeros<'a>(body: &[u8], event: &[u8], room: &'a mut Room) -> Option<&'a [u8]> {
    if room.small.len() < event.len() {
        room.large.resize(event.len(), 0);
    }
    let place = if room.small.len() < event.len() { &mut room.large[..] } else { &mut room.small[..] };
    let place = place.get_mut(..event.len())?;
    copy_short(place, event);
    let mut next = 0;
    while let Some(&code) = body.get(next) {
        next += usize::from(code);
        // The index of a code byte in `body` is greater by one than that of its zero in the event.
        match place.get_mut(next.wrapping_sub(1)) {
            Some(zero) if code != 0 => *zero = 0,
            _ => break,
        }
    }
    (next == body.len()).then_some(place)
}

/// Maximum length of a number that always fits its type.
const SHORT_32: usize = 4;
const SHORT_64: usize = 9;

/// Reads an event in place; `rtos` = accept FreeRTOS events.
#[inline]
pub(crate) fn read<'a>(record: &mut Record<'a>, bytes: &'a [u8], rtos: bool) -> Result<(), Cause> {
    match usual(record, bytes, rtos) {
        Some(()) => Ok(()),
        None => by_definition(record, bytes, rtos),
    }
}

#[cold]
fn by_definition<'a>(record: &mut Record<'a>, bytes: &'a [u8], rtos: bool) -> Result<(), Cause> {
    *record = Record::blank();
    record.read(bytes, rtos)
}

/// `None` = left to the parsers.
#[inline]
fn usual<'a>(record: &mut Record<'a>, bytes: &'a [u8], rtos: bool) -> Option<()> {
    let (&id, mut rest) = bytes.split_first()?;
    let layout = layout::layout(id).filter(|layout| rtos || !layout.rtos)?;
    record.layout = layout;
    if layout.timed {
        (record.stamp, rest) = number(rest, SHORT_64)?;
    }
    let offset = |rest: &[u8]| (bytes.len() - rest.len()) as u32;
    record.offsets[0] = offset(rest);
    for (i, field) in layout.fields.iter().enumerate() {
        let value;
        match field.ty {
            Ty::Text => {
                record.text = rest;
                rest = b"";
                record.offsets[i + 1] = offset(rest);
                continue;
            }
            Ty::U32 => (value, rest) = number(rest, SHORT_32)?,
            Ty::U64 => (value, rest) = number(rest, SHORT_64)?,
            Ty::S64 => {
                let (bits, after) = number(rest, SHORT_64)?;
                value = sign(bits) as u64;
                rest = after;
            }
            Ty::QueueKind => {
                let (&kind, after) = rest.split_first()?;
                value = kind.into();
                rest = after;
                if usize::from(kind) >= QUEUE_KINDS.len() {
                    return None;
                }
            }
        }
        record.offsets[i + 1] = offset(rest);
        if let Some(place) = record.numbers.get_mut(i) {
            *place = value;
        }
    }
    record.given = layout.fields.len();
    rest.is_empty().then_some(())
}

/// A number of at most `most` bytes, and the rest.
#[inline]
fn number(bytes: &[u8], most: usize) -> Option<(u64, &[u8])> {
    match bytes {
        [one @ ..0x80, rest @ ..] => Some(((*one).into(), rest)),
        [low, high @ ..0x80, rest @ ..] => Some((u64::from(low & 0x7F) | u64::from(*high) << 7, rest)),
        _ => longer(bytes, most),
    }
}

#[inline]
fn longer(bytes: &[u8], most: usize) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (i, &byte) in bytes.iter().take(most).enumerate() {
        number |= u64::from(byte & 0x7F) << (7 * i);
        if byte < 0x80 {
            return Some((number, bytes.get(i + 1..).unwrap_or(&[])));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes like those of varints, of all lengths.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![any::<u8>(), 0x80u8..=0xFF, Just(0u8), Just(0x0F), Just(1)];
        prop::collection::vec(byte, 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn events_are_read_as_defined(id in 0u8..0x82, rest in bytes(), rtos in any::<bool>()) {
            let event = [&[id][..], &rest].concat();
            let (mut quick, mut defined) = (Record::blank(), Record::blank());
            let results = (read(&mut quick, &event, rtos), defined.read(&event, rtos));
            prop_assert_eq!(format!("{:?}", results.0), format!("{:?}", results.1));
            if results.0.is_ok() {
                prop_assert_eq!(format!("{quick:?}"), format!("{defined:?}"));
            }
        }
    }

    #[test]
    fn frames_are_decoded_as_defined() {
        let mut seed = 5u32;
        for len in 1..=SIMPLE {
            let body: Vec<u8> = (0..len)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    1 + (seed >> 24) as u8 % 4
                })
                .collect();
            for end in 1..=body.len() {
                let fast = decode(&body[..end], &mut Room::new()).map(<[u8]>::to_vec);
                assert_eq!(fast, cobs::decode(&body[..end]));
            }
        }
    }
}
