//! Framing: where frames begin and end, un-stuffing, the check sum. Two state machines without any knowledge of
//! records: `Splitter` for our own reading, `Host` for what the reference host does byte by byte.

use crate::text::line::copy;

/// Ends a frame.
pub(crate) const FLAG: u8 = 0x7E;
/// The next byte is XORed with 0x20.
pub(crate) const ESCAPE: u8 = 0x7D;
/// What an escaped byte is XORed with.
pub(crate) const FLIP: u8 = 0x20;
/// Sum of all bytes of a good frame, its check value included.
pub(crate) const GOOD_SUM: u8 = 0xFF;
/// Sequence number, record id, check value.
pub(crate) const SHORTEST: usize = 3;
/// Longest run of bytes without a flag that is collected: longer ones are skipped in pieces of this size.
pub(crate) const LONGEST: usize = 64 * 1024;
/// Most flags in a row that wait for what follows.
pub(crate) const MOST_IDLE: usize = 1024;

/// Hands every un-stuffed byte of `body` to `push`. An escape at the very end gives nothing.
pub(crate) fn unstuff_into(body: &[u8], mut push: impl FnMut(u8)) {
    let mut rest = body;
    while let Some(at) = memchr::memchr(ESCAPE, rest) {
        let (plain, escaped) = rest.split_at(at);
        plain.iter().for_each(|&b| push(b));
        match escaped {
            [_, byte, tail @ ..] => {
                push(byte ^ FLIP);
                rest = tail;
            }
            _ => return,
        }
    }
    rest.iter().for_each(|&b| push(b));
}

/// Adds the un-stuffed bytes of `body` to `frame`.
pub(crate) fn unstuff(body: &[u8], frame: &mut Vec<u8>) {
    let mut rest = body;
    while let Some(at) = memchr::memchr(ESCAPE, rest) {
        let (plain, escaped) = rest.split_at(at);
        frame.extend_from_slice(plain);
        match escaped {
            [_, byte, tail @ ..] => {
                frame.push(byte ^ FLIP);
                rest = tail;
            }
            _ => return,
        }
    }
    frame.extend_from_slice(rest);
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = ONES << 7;

/// High bits of the bytes of `word` that equal `byte`. The lowest one is exact.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    let differs = word ^ (ONES * byte as u64);
    differs.wrapping_sub(ONES) & !differs & HIGHS
}

/// Sum of the eight bytes of a word.
#[inline]
fn sum_of(word: u64) -> u64 {
    const LANES: u64 = 0x00FF_00FF_00FF_00FF;
    ((word & LANES) + (word >> 8 & LANES)).wrapping_mul(0x0001_0001_0001_0001) >> 48
}

/// What a run of bytes up to a flag, or to its end, holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) len: usize,
    pub(crate) sum: u8,
    /// An escape is among the bytes.
    pub(crate) escaped: bool,
    /// A flag follows.
    pub(crate) ended: bool,
}

/// Length and sum of the bytes before the next flag, eight at a time.
#[inline]
pub(crate) fn run(bytes: &[u8]) -> Run {
    let (words, tail) = bytes.as_chunks::<8>();
    let (mut sum, mut escaped) = (0u64, 0u64);
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let flags = equal(word, FLAG);
        let escapes = equal(word, ESCAPE);
        if flags != 0 {
            let before = (flags & flags.wrapping_neg()) - 1;
            // The bits below the flag's high bit, less the seven of the flag itself.
            let before = before >> 7;
            sum += sum_of(word & before);
            escaped |= escapes & before;
            let len = i * 8 + flags.trailing_zeros() as usize / 8;
            return Run { len, sum: sum as u8, escaped: escaped != 0, ended: true };
        }
        sum += sum_of(word);
        escaped |= escapes;
    }
    let len = tail.iter().position(|&b| b == FLAG).unwrap_or(tail.len());
    for &byte in tail.iter().take(len) {
        sum += u64::from(byte);
        escaped |= u64::from(byte == ESCAPE);
    }
    Run { len: words.len() * 8 + len, sum: sum as u8, escaped: escaped != 0, ended: len < tail.len() }
}

/// Sum of the bytes, and whether an escape is among them. There must be no flag among them.
#[inline]
pub(crate) fn scan(body: &[u8]) -> (u8, bool) {
    let run = run(body);
    (run.sum, run.escaped)
}

/// Sum of any bytes.
pub(crate) fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, &b| sum.wrapping_add(b))
}

/// A stretch between flags, with the flags in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch<'a> {
    /// Absolute position of the first byte.
    pub(crate) pos: u64,
    pub(crate) raw: &'a [u8],
    /// Idle flags at the beginning of `raw`.
    pub(crate) lead: usize,
    /// Whether `raw` ends with its flag. Without: more may follow.
    pub(crate) ended: bool,
    /// Sum of the stuffed bytes between the flags.
    pub(crate) sum: u8,
    /// Whether an escape is among them.
    pub(crate) escaped: bool,
}

impl<'a> Stretch<'a> {
    /// A stretch with its sum.
    pub(crate) fn new(pos: u64, raw: &'a [u8], lead: usize, ended: bool) -> Stretch<'a> {
        let stretch = Stretch { pos, raw, lead, ended, sum: 0, escaped: false };
        let (sum, escaped) = scan(stretch.body());
        Stretch { sum, escaped, ..stretch }
    }

    /// The stuffed bytes between the flags.
    #[inline]
    pub(crate) fn body(&self) -> &'a [u8] {
        let end = self.raw.len() - usize::from(self.ended);
        self.raw.get(self.lead..end).unwrap_or(&[])
    }
}

/// Who gets the stretches.
pub(crate) trait Receiver {
    /// Gets a stretch and says how many of its bytes are dealt with. Of one that ended that is all of them, or all
    /// but the flag, which then stands in front of the next.
    fn stretch(&mut self, stretch: Stretch<'_>) -> usize;
}

/// Splits a stream at its flags, keeping what has not ended yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Splitter {
    held: Vec<u8>,
    /// Idle flags at the beginning of `held`.
    lead: usize,
}

impl Splitter {
    /// Bytes kept.
    pub(crate) fn pending(&self) -> usize {
        self.held.len()
    }

    /// Feeds bytes at an absolute position.
    #[inline]
    pub(crate) fn feed<R: Receiver>(&mut self, pos: u64, bytes: &[u8], receiver: &mut R) {
        let mut rest = bytes;
        if !self.held.is_empty() {
            rest = self.feed_held(pos, bytes, receiver);
        }
        let pos = pos + (bytes.len() - rest.len()) as u64;
        let (mut start, mut body) = (0, 0);
        while let Some(Run { len, sum, escaped, ended: true }) = rest.get(body..).map(run) {
            if len == 0 && body - start < MOST_IDLE {
                body += 1;
                continue;
            }
            let (end, lead) = (body + len + 1, body - start);
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
    pub(crate) fn take(&mut self) -> (Vec<u8>, usize) {
        (std::mem::take(&mut self.held), std::mem::take(&mut self.lead))
    }
}

/// What the reference host makes of a run of bytes.
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

/// Room of the reference host's record buffer.
pub(crate) const HOST_ROOM: usize = 512;

/// The reference host's receiver: collects un-stuffed bytes in one buffer that is never wiped.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) buffer: [u8; HOST_ROOM],
    /// Bytes of the present frame in `buffer`.
    pub(crate) len: usize,
    sum: u8,
    escape: bool,
    escaped: bool,
}

impl Default for Host {
    fn default() -> Self {
        Host { buffer: [0; HOST_ROOM], len: 0, sum: 0, escape: false, escaped: false }
    }
}

impl Host {
    /// Forgets the present frame, as a new connection does.
    pub(crate) fn restart(&mut self) {
        (self.len, self.sum, self.escape, self.escaped) = (0, 0, false, false);
    }

    /// Takes bytes up to the next event; the event and the number of bytes taken. After `Good` and `TooShort` the
    /// frame is `buffer[..len]` until `restart` is called, which must follow every event.
    #[inline]
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> (Option<Event>, usize) {
        let run = run(bytes);
        let place = self.buffer.get_mut(self.len..self.len + run.len);
        let (Some(place), Some(plain), false) = (place, bytes.get(..run.len), run.escaped || self.escape) else {
            return self.feed_slowly(bytes);
        };
        copy(place, plain);
        self.len += run.len;
        self.sum = self.sum.wrapping_add(run.sum);
        if run.ended { (Some(self.flag()), run.len + 1) } else { (None, bytes.len()) }
    }

    /// The same run by run, for escapes and for more bytes than there is room for.
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

    /// Appends bytes that are neither flag nor escape; the number taken if they don't all fit.
    #[inline]
    fn append_run(&mut self, run: &[u8]) -> Option<usize> {
        match self.buffer.get_mut(self.len..self.len + run.len()) {
            Some(place) => {
                copy(place, run);
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

    /// A flag, an escape, or the byte behind an escape.
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

    /// The present frame.
    pub(crate) fn frame(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or(&[])
    }

    /// Whether escapes were among the bytes of the present frame.
    pub(crate) fn escaped(&self) -> bool {
        self.escaped
    }

    /// What the buffer holds behind the present frame.
    pub(crate) fn stale(&self) -> &[u8] {
        self.buffer.get(self.len..).unwrap_or(&[])
    }

    /// What stands where a record id belongs, of this frame or an earlier one.
    pub(crate) fn id(&self) -> u8 {
        self.buffer.get(1).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_what_a_simple_loop_finds() {
        let mut seed = 1u32;
        for round in 0..2000 {
            let bytes: Vec<u8> = (0..round % 90)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if seed >> 28 == 0 { 0x7C + (seed >> 20 & 3) as u8 } else { (seed >> 16) as u8 }
                })
                .collect();
            let len = bytes.iter().position(|&b| b == FLAG).unwrap_or(bytes.len());
            let body = &bytes[..len];
            let expected = Run { len, sum: sum(body), escaped: body.contains(&ESCAPE), ended: len < bytes.len() };
            assert_eq!(run(&bytes), expected, "{bytes:x?}");
        }
    }

    #[test]
    fn long_runs_do_not_overflow() {
        let bytes = vec![0xFF; 100_000];
        assert_eq!(run(&bytes).sum, sum(&bytes));
    }
}
