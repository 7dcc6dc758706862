//! The usual frames without a copy, or with one: what `frame::cobs` defines, for frames without a full block.

use spytui_decoder_kit::line::copy;

use crate::frame::cobs;

/// Longest body without a full block.
const SIMPLE: usize = 254;
const SMALL: usize = 64;

/// Room for an event that holds zeros, so that the usual one needs no allocation.
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

/// The event in a frame's body; `None` where a code byte points past it.
#[inline]
pub(crate) fn decode<'a>(body: &'a [u8], room: &'a mut Room) -> Option<&'a [u8]> {
    let (&code, event) = body.split_first()?;
    // Most events hold no zero: one block, which is the event.
    if usize::from(code) == body.len() {
        return Some(event);
    }
    if body.len() <= SIMPLE {
        return with_zeros(body, event, room);
    }
    room.large = cobs::decode(body)?;
    Some(&room.large)
}

/// A body too short for a full block: its code bytes become zeros where they are.
#[inline]
fn with_zeros<'a>(body: &[u8], event: &[u8], room: &'a mut Room) -> Option<&'a [u8]> {
    if room.small.len() < event.len() {
        room.large.resize(event.len(), 0);
    }
    let place = if room.small.len() < event.len() { &mut room.large[..] } else { &mut room.small[..] };
    let place = place.get_mut(..event.len())?;
    copy(place, event);
    let mut next = 0;
    while let Some(&code) = body.get(next) {
        next += usize::from(code);
        // A code byte lies in `body` one further than its zero in the event.
        match place.get_mut(next.wrapping_sub(1)) {
            Some(zero) if code != 0 => *zero = 0,
            _ => break,
        }
    }
    (next == body.len()).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

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
