//! COBS: a code byte says where the next one is; what it stands for is a zero, unless it is the greatest or the
//! frame ends.

use crate::short::copy;

/// Ends every frame, and occurs in none.
pub(crate) const END: u8 = 0;
/// A block of 254 bytes without a zero behind it.
const FULL: u8 = 0xFF;
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

/// The event in a frame's body (the bytes before its end); `None` where a code byte points past it.
#[inline]
pub(crate) fn decode<'a>(body: &'a [u8], room: &'a mut Room) -> Option<&'a [u8]> {
    let (&code, event) = body.split_first()?;
    // Most events hold no zero: one block, which is the event.
    if usize::from(code) == body.len() {
        return Some(event);
    }
    if body.len() <= SIMPLE { with_zeros(body, event, room) } else { general(body, room) }
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

fn general<'a>(body: &[u8], room: &'a mut Room) -> Option<&'a [u8]> {
    room.large.clear();
    let mut rest = body;
    while let Some((&code, after)) = rest.split_first() {
        let (block, next) = after.split_at_checked(usize::from(code).checked_sub(1)?)?;
        room.large.extend_from_slice(block);
        if code != FULL && !next.is_empty() {
            room.large.push(0);
        }
        rest = next;
    }
    Some(&room.large)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(body: &[u8]) -> Option<Vec<u8>> {
        decode(body, &mut Room::new()).map(<[u8]>::to_vec)
    }

    fn full(last: &[u8]) -> Vec<u8> {
        [&[FULL][..], &[7; 254], last].concat()
    }

    #[test]
    fn code_bytes_become_zeros() {
        assert_eq!(decoded(&[4, 7, 8, 9]), Some(vec![7, 8, 9]));
        assert_eq!(decoded(&[1]), Some(vec![]));
        assert_eq!(decoded(&[1, 1, 1]), Some(vec![0, 0]));
        assert_eq!(decoded(&[2, 5, 1, 3, 6, 7]), Some(vec![5, 0, 0, 6, 7]));
    }

    #[test]
    fn both_endings_of_a_full_block_are_the_same_event() {
        assert_eq!(decoded(&full(&[])), Some(vec![7; 254]));
        assert_eq!(decoded(&full(&[1])), Some(vec![7; 254]));
        assert_eq!(decoded(&full(&[1, 1])), Some([&[7; 254][..], &[0]].concat()));
        assert_eq!(decoded(&full(&[2, 9])), Some([&[7; 254][..], &[9]].concat()));
    }

    #[test]
    fn a_code_byte_points_into_its_frame() {
        for body in [&[3, 1][..], &[FULL, 1, 2], &[2, 1, 2], &[1, 9, 1], &[2, 1, 5, 1, 1]] {
            assert_eq!(decoded(body), None, "{body:?}");
        }
        assert_eq!(decoded(&full(&[3, 1])), None);
        assert_eq!(decoded(&[]), None);
    }

    #[test]
    fn short_and_general_way_agree() {
        let mut seed = 5u32;
        for len in 1..=SIMPLE {
            let body: Vec<u8> = (0..len)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    1 + (seed >> 24) as u8 % 4
                })
                .collect();
            for end in 1..=body.len() {
                let mut room = Room::new();
                let slow = general(&body[..end], &mut room).map(<[u8]>::to_vec);
                assert_eq!(decoded(&body[..end]), slow);
            }
        }
    }
}
