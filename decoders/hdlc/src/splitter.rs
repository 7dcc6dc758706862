//! A stream split at its flags: stretches with their sums, and what has not ended yet.

use crate::{
    run::{Run, Runs, sum},
    stuffing::{ESCAPE, FLAG},
};

/// Most flags in a row that wait for what follows.
pub const MOST_IDLE: usize = 1024;

/// A stretch between flags, with the flags in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch<'a> {
    /// Absolute position of the first byte.
    pub pos: u64,
    /// The bytes: idle flags, the stuffed frame, its flag.
    pub raw: &'a [u8],
    /// Idle flags at the beginning of `raw`.
    pub lead: usize,
    /// Whether `raw` ends with its flag. Without: more may follow.
    pub ended: bool,
    /// Sum of the stuffed bytes between the flags.
    pub sum: u8,
    /// Whether an escape is among them.
    pub escaped: bool,
}

impl<'a> Stretch<'a> {
    /// A stretch with its sum.
    pub fn new(pos: u64, raw: &'a [u8], lead: usize, ended: bool) -> Stretch<'a> {
        let stretch = Stretch { pos, raw, lead, ended, sum: 0, escaped: false };
        let body = stretch.body();
        Stretch { sum: sum(body), escaped: memchr::memchr(ESCAPE, body).is_some(), ..stretch }
    }

    /// The stuffed bytes between the flags.
    #[inline]
    pub fn body(&self) -> &'a [u8] {
        let end = self.raw.len() - usize::from(self.ended);
        self.raw.get(self.lead..end).unwrap_or(&[])
    }
}

/// Who gets the stretches.
pub trait Receiver {
    /// Gets a stretch and says how many of its bytes are dealt with. Of one that ended that is all of them, or all
    /// but the flag, which then stands in front of the next.
    fn stretch(&mut self, stretch: Stretch<'_>) -> usize;
}

/// Splits a stream at its flags, keeping what has not ended yet.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    held: Vec<u8>,
    /// Idle flags at the beginning of `held`.
    lead: usize,
}

impl Splitter {
    /// Bytes kept.
    pub fn pending(&self) -> usize {
        self.held.len()
    }

    /// Feeds bytes at an absolute position.
    #[inline]
    pub fn feed<R: Receiver>(&mut self, pos: u64, bytes: &[u8], receiver: &mut R) {
        let mut rest = bytes;
        if !self.held.is_empty() {
            rest = self.feed_held(pos, bytes, receiver);
        }
        let pos = pos + (bytes.len() - rest.len()) as u64;
        let (mut start, mut body) = (0, 0);
        for Run { len, sum, escaped, ended } in Runs::new(rest) {
            if !ended {
                break;
            }
            let (end, lead) = (body + len + 1, body - start);
            if len == 0 && lead < MOST_IDLE {
                body = end;
                continue;
            }
            let Some(raw) = rest.get(start..end) else { break };
            start += receiver.stretch(Stretch { pos: pos + start as u64, raw, lead, ended: true, sum, escaped });
            body = end;
        }
        let left = rest.get(start..).unwrap_or(&[]);
        if !left.is_empty() {
            self.held.extend_from_slice(left);
            self.lead = body - start;
            self.offer(pos + start as u64, receiver);
        }
    }

    /// Completes what is held, up to its flag; the bytes behind it.
    fn feed_held<'b, R: Receiver>(&mut self, pos: u64, bytes: &'b [u8], receiver: &mut R) -> &'b [u8] {
        let mut rest = bytes;
        while let [first, tail @ ..] = rest {
            if !(self.held.len() == self.lead && *first == FLAG && self.lead < MOST_IDLE) {
                break;
            }
            self.held.push(FLAG);
            self.lead += 1;
            rest = tail;
        }
        let at = pos + (bytes.len() - rest.len()) as u64 - self.held.len() as u64;
        match memchr::memchr(FLAG, rest) {
            Some(end) => {
                let (own, behind) = rest.split_at(end + 1);
                self.held.extend_from_slice(own);
                let held = std::mem::take(&mut self.held);
                let done = receiver.stretch(Stretch::new(at, &held, self.lead, true));
                let flag_left = done < held.len();
                self.held = held;
                self.held.clear();
                self.lead = 0;
                if flag_left { rest.get(end..).unwrap_or(behind) } else { behind }
            }
            None => {
                self.held.extend_from_slice(rest);
                self.offer(at, receiver);
                &[]
            }
        }
    }

    /// Shows the receiver what is held, so that text and overlong runs don't wait for a flag.
    fn offer<R: Receiver>(&mut self, pos: u64, receiver: &mut R) {
        let stretch = Stretch { pos, raw: &self.held, lead: self.lead, ended: false, sum: 0, escaped: false };
        let done = receiver.stretch(stretch).min(self.held.len());
        if done > 0 {
            self.held.drain(..done);
            self.lead = 0;
        }
    }

    /// Gives up what is held.
    pub fn take(&mut self) -> (Vec<u8>, usize) {
        (std::mem::take(&mut self.held), std::mem::take(&mut self.lead))
    }
}
