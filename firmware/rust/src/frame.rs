//! One frame: number, record id and payload, stuffed, with a checksum and an end flag.

use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

const FLAG: u8 = 0x7E;
const ESCAPE: u8 = 0x7D;
const FLIP: u8 = 0x20;

/// A record that is being written to the ring, see [`crate::Element`].
#[derive(Debug)]
pub struct Frame<'a> {
    ring: &'a [AtomicU8],
    at: usize,
    room: usize,
    sum: u8,
    fits: bool,
}

fn is_special(byte: u8) -> bool {
    byte == FLAG || byte == ESCAPE
}

impl<'a> Frame<'a> {
    /// Begins at the offset `at` of a ring, whose size is a power of two and which has `room` free bytes.
    pub(crate) fn new(ring: &'a [AtomicU8], at: usize, room: usize) -> Self {
        Frame { ring, at, room, sum: 0, fits: true }
    }

    /// Appends bytes of the payload.
    #[inline(never)]
    pub(crate) fn put(&mut self, mut bytes: &[u8]) {
        loop {
            let plain = self.put_plain(bytes);
            let Some((&byte, rest)) = bytes.get(plain..).and_then(<[u8]>::split_first) else { return };
            self.put_byte(byte);
            bytes = rest;
        }
    }

    /// Appends a byte of any kind.
    #[inline(never)]
    fn put_byte(&mut self, byte: u8) {
        self.sum = self.sum.wrapping_add(byte);
        if is_special(byte) {
            self.put_raw(ESCAPE);
            self.put_raw(byte ^ FLIP);
        } else {
            self.put_raw(byte);
        }
    }

    /// Appends bytes up to one that is stuffed, to the end of the ring's memory or of its room; returns how many.
    fn put_plain(&mut self, bytes: &[u8]) -> usize {
        let room = self.ring.get(self.at..).unwrap_or_default();
        let most = room.len().min(self.room).min(bytes.len());
        let (room, bytes) = (room.get(..most).unwrap_or_default(), bytes.get(..most).unwrap_or_default());
        let mut sum = self.sum;
        let mut count = 0;
        for (to, &byte) in room.iter().zip(bytes) {
            if is_special(byte) {
                break;
            }
            to.store(byte, Relaxed);
            sum = sum.wrapping_add(byte);
            count += 1;
        }
        self.sum = sum;
        self.at = (self.at + count) & (self.ring.len() - 1);
        self.room -= count;
        count
    }

    /// Appends an element of a user record: its format, then bytes. A width is 0 to 15.
    pub(crate) fn put_element(&mut self, kind: u8, width: u8, bytes: &[u8]) {
        self.put_byte(kind | width << 4);
        self.put(bytes);
    }

    /// Ends the frame; returns the offset after it, or `None` if it did not fit.
    pub(crate) fn end(&mut self) -> Option<usize> {
        self.put_byte(!self.sum);
        self.put_raw(FLAG);
        self.fits.then_some(self.at)
    }

    fn put_raw(&mut self, byte: u8) {
        if self.room == 0 {
            self.fits = false;
        } else if let Some(to) = self.ring.get(self.at) {
            to.store(byte, Relaxed);
            self.at = (self.at + 1) & (self.ring.len() - 1);
            self.room -= 1;
        }
    }
}
