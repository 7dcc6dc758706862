//! The un-stuffed frame of a row, from its raw bytes.

use crate::stuffing::{FLAG, unstuff};

/// A reusable buffer for un-stuffing.
#[derive(Clone, Debug, Default)]
pub struct Room(Vec<u8>);

impl Room {
    /// The un-stuffed bytes of `body`; `None` if its last byte is an escape.
    pub fn whole(&mut self, body: &[u8]) -> Option<&[u8]> {
        self.0.clear();
        unstuff(body, &mut self.0).then_some(&self.0)
    }
}

/// The un-stuffed frame in `raw`, checksum included, flags excluded. `escaped` = it contains escapes.
#[inline]
pub fn frame<'a>(raw: &'a [u8], escaped: bool, room: &'a mut Room) -> &'a [u8] {
    let body = body(raw);
    if !escaped {
        return body;
    }
    room.0.clear();
    unstuff(body, &mut room.0);
    &room.0
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
