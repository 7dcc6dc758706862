//! The un-stuffed frame of a row, from its raw bytes.

use crate::stuffing::{ESCAPE, FLAG, PART, unstuff_whole};

/// A reusable buffer for un-stuffing.
#[derive(Default)]
pub struct Room(Vec<u8>);

impl Room {
    #[inline(never)]
    fn unstuffed(&mut self, body: &[u8]) -> &[u8] {
        if self.0.len() < body.len() + PART {
            self.0.resize(body.len() + PART, 0);
        }
        // An escape at the end adds nothing.
        let len =
            unstuff_whole(body, &mut self.0).or_else(|| unstuff_whole(body.strip_suffix(&[ESCAPE])?, &mut self.0));
        self.0.get(..len.unwrap_or(0)).unwrap_or(&[])
    }
}

/// The un-stuffed frame in `raw`, checksum included, flags excluded. `escaped` = it contains escapes.
#[inline]
pub fn frame<'a>(raw: &'a [u8], escaped: bool, room: &'a mut Room) -> &'a [u8] {
    let body = body(raw);
    if escaped { room.unstuffed(body) } else { body }
}

/// The stuffed bytes between the flags.
#[inline]
pub fn body(raw: &[u8]) -> &[u8] {
    if let [front @ .., FLAG] = raw
        && front.first().is_some_and(|&first| first != FLAG)
    {
        return front;
    }
    let body = raw.strip_suffix(&[FLAG]).unwrap_or(raw);
    match body {
        [FLAG, ..] => {
            let leading_flags = body.iter().take_while(|&&b| b == FLAG).count();
            body.get(leading_flags..).unwrap_or(&[])
        }
        _ => body,
    }
}

#[cfg(test)]
mod tests {
    use crate::stuffing::unstuff;

    use super::*;

    #[test]
    fn both_ways_of_un_stuffing_agree() {
        let mut seed = 9u32;
        for len in 0..400 {
            let body: Vec<u8> = (0..len)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if seed >> 29 == 0 { ESCAPE } else { (seed >> 16) as u8 }
                })
                .collect();
            let (mut slow, mut room) = (Vec::new(), Room::default());
            unstuff(&body, &mut slow);
            assert_eq!(room.unstuffed(&body), slow);
        }
    }
}
