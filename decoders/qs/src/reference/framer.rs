//! The reference host's receiver.

use spytui_hdlc::{ESCAPE, FLAG, FLIP, PUT, Run, copy_masked, frame_bytes::Room, sum};
use spytui_plugin_api::text::copy_short;

use crate::frame::{GOOD_SUM, SHORTEST};

/// The result of received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Good,
    BadSum,
    TooShort,
    /// The byte that did not fit; whether it was escaped.
    TooLong {
        escaped: bool,
    },
}

/// Size of the reference host's record buffer.
pub(crate) const HOST_ROOM: usize = 512;

/// The reference host's receiver: collects un-stuffed bytes in a buffer that is never cleared.
#[derive(Clone, Debug)]
pub(crate) struct Framer {
    pub(crate) buffer: [u8; HOST_ROOM],
    /// Length of the current frame in `buffer`.
    pub(crate) len: usize,
    sum: u8,
    escape: bool,
    escaped: bool,
    /// Buffer for un-stuffing.
    room: Room,
}

impl Default for Framer {
    fn default() -> Self {
        let (buffer, room) = ([0; HOST_ROOM], Room::default());
        Framer { buffer, len: 0, sum: 0, escape: false, escaped: false, room }
    }
}

impl Framer {
    /// Discards the current frame, as at a new connection.
    pub(crate) fn restart(&mut self) {
        (self.len, self.sum, self.escape, self.escaped) = (0, 0, false, false);
    }

    /// Takes bytes, which begin with `run`, up to the next event; returns the event and the number of bytes consumed.
    /// After
    /// `Good` and `TooShort`, the frame is `buffer[..len]` until `restart` is called, which must follow every event.
    #[inline]
    pub(crate) fn feed(&mut self, bytes: &[u8], run: Run) -> (Option<Event>, usize) {
        if run.escaped && run.ended && self.len == 0 && !self.escape && self.take_stuffed(bytes, run) {
            return (Some(self.flag()), run.len + 1);
        }
        let place = self.buffer.get_mut(self.len..self.len + run.len);
        let (Some(place), Some(plain), false) = (place, bytes.get(..run.len), run.escaped || self.escape) else {
            return self.feed_slowly(bytes);
        };
        copy_short(place, plain);
        self.len += run.len;
        self.sum = self.sum.wrapping_add(run.sum);
        if run.ended { (Some(self.flag()), run.len + 1) } else { (None, run.len) }
    }

    /// The first run, if it is a valid frame without escapes and nothing is pending. It is also copied to the buffer,
    /// like in the host, and needs no `restart`.
    #[inline(always)]
    pub(crate) fn plain<'b>(&mut self, bytes: &'b [u8], run: Run) -> Option<&'b [u8]> {
        let good = run.sum == GOOD_SUM && run.ended && !run.escaped && run.len >= SHORTEST;
        if !good || self.len > 0 || self.escape {
            return None;
        }
        let frame = bytes.get(..run.len)?;
        match (self.buffer.first_chunk_mut(), bytes.first_chunk()) {
            (Some(place), Some(bytes)) if run.len <= PUT => copy_masked(place, bytes, run.len),
            _ => copy_short(self.buffer.get_mut(..run.len)?, frame),
        }
        Some(frame)
    }

    /// Makes the plain frame the current one.
    pub(crate) fn resume(&mut self, len: usize) {
        (self.len, self.sum) = (len, GOOD_SUM);
    }

    /// Takes a whole frame with escapes; `false` if it is incomplete or too long.
    fn take_stuffed(&mut self, bytes: &[u8], run: Run) -> bool {
        let body = bytes.get(..run.len).filter(|body| body.len() <= HOST_ROOM);
        let Some(frame) = body.and_then(|body| self.room.whole(body)) else { return false };
        let Some(place) = self.buffer.get_mut(..frame.len()) else { return false };
        copy_short(place, frame);
        (self.len, self.escaped, self.sum) = (frame.len(), true, sum(frame));
        true
    }

    /// The same run by run, for escapes and overlong frames.
    fn feed_slowly(&mut self, bytes: &[u8]) -> (Option<Event>, usize) {
        let mut rest = bytes;
        loop {
            let run = match self.escape {
                true => 0,
                false => memchr::memchr2(FLAG, ESCAPE, rest).unwrap_or(rest.len()),
            };
            let (plain, behind) = rest.split_at(run);
            if let Some(fits) = self.append_run(plain) {
                let taken = bytes.len() - rest.len() + fits;
                return (Some(Event::TooLong { escaped: false }), taken);
            }
            let [special, tail @ ..] = behind else { return (None, bytes.len()) };
            rest = tail;
            let event = self.special(*special);
            if event.is_some() {
                return (event, bytes.len() - rest.len());
            }
        }
    }

    /// Appends bytes that are neither flag nor escape; returns the number consumed if not all fit.
    #[inline]
    fn append_run(&mut self, run: &[u8]) -> Option<usize> {
        match self.buffer.get_mut(self.len..self.len + run.len()) {
            Some(place) => {
                copy_short(place, run);
                self.len += run.len();
                self.sum = self.sum.wrapping_add(sum(run));
                None
            }
            None => {
                let (fits, _) = run.split_at(HOST_ROOM - self.len);
                self.append_run(fits);
                Some(fits.len() + 1)
            }
        }
    }

    /// Takes a flag, an escape, or the byte after an escape.
    #[inline]
    fn special(&mut self, byte: u8) -> Option<Event> {
        if std::mem::take(&mut self.escape) {
            return self.append_escaped(byte ^ FLIP);
        }
        match byte {
            ESCAPE => {
                (self.escape, self.escaped) = (true, true);
                None
            }
            _ => Some(self.flag()),
        }
    }

    #[inline]
    fn flag(&self) -> Event {
        match self.sum {
            GOOD_SUM if self.len < SHORTEST => Event::TooShort,
            GOOD_SUM => Event::Good,
            _ => Event::BadSum,
        }
    }

    fn append_escaped(&mut self, byte: u8) -> Option<Event> {
        let Some(place) = self.buffer.get_mut(self.len) else { return Some(Event::TooLong { escaped: true }) };
        *place = byte;
        self.len += 1;
        self.sum = self.sum.wrapping_add(byte);
        None
    }

    /// The current frame.
    pub(crate) fn frame(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or(&[])
    }

    /// Whether the current frame contained escapes.
    pub(crate) fn escaped(&self) -> bool {
        self.escaped
    }

    /// Stale bytes in the buffer after the current frame.
    pub(crate) fn stale(&self) -> &[u8] {
        self.buffer.get(self.len..).unwrap_or(&[])
    }

    /// The byte in place of the record id, of this frame or an earlier one.
    pub(crate) fn id(&self) -> u8 {
        self.buffer.get(1).copied().unwrap_or(0)
    }
}
