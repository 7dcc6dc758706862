//! Bytes of a serial line with the kernel's error marking (PARMRK). The marks are removed here, so that no byte is
//! dropped silently and each error has a position.

use super::{
    read_loop::InputHandler,
    shared::{Command, Shared},
};
use crate::io::log::{RawLog, host_now, kind, line_error};

/// Minimum distance between two stream events for errors of one kind; all errors are counted.
const MARK_STEP_NS: u64 = 1_000_000;

/// Parses the kernel's error marking: `FF FF` = byte FF, `FF 00 x` = x had an error, `FF 00 00` = break.
#[derive(Debug, Default)]
pub(super) struct Unmark {
    state: Seen,
    out: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Seen {
    #[default]
    Nothing,
    Ff,
    FfZero,
}

/// A line error at an offset of the returned bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flaw {
    pub(super) at: usize,
    pub(super) is_break: bool,
}

impl Unmark {
    /// Returns the received bytes in `raw` and appends the errors.
    pub(super) fn take(&mut self, raw: &[u8], flaws: &mut Vec<Flaw>) -> &[u8] {
        self.out.clear();
        let mut rest = raw;
        while let Some((&byte, tail)) = rest.split_first() {
            match self.state {
                Seen::Nothing => {
                    let clean = memchr::memchr(0xff, rest).unwrap_or(rest.len());
                    let (bytes, tail) = rest.split_at(clean);
                    self.out.extend_from_slice(bytes);
                    if let Some((_, tail)) = tail.split_first() {
                        self.state = Seen::Ff;
                        rest = tail;
                    } else {
                        rest = tail;
                    }
                    continue;
                }
                Seen::Ff => self.after_ff(byte),
                Seen::FfZero => {
                    flaws.push(Flaw { at: self.out.len(), is_break: byte == 0 });
                    self.out.push(byte);
                    self.state = Seen::Nothing;
                }
            }
            rest = tail;
        }
        &self.out
    }

    fn after_ff(&mut self, byte: u8) {
        self.state = Seen::Nothing;
        match byte {
            0 => self.state = Seen::FfZero,
            0xff => self.out.push(0xff),
            other => self.out.extend([0xff, other]), // came before marking was on
        }
    }

    /// Bytes still held back when the line went away.
    pub(super) fn rest(&mut self) -> &'static [u8] {
        match std::mem::take(&mut self.state) {
            Seen::Nothing => &[],
            Seen::Ff => &[0xff],
            Seen::FfZero => &[0xff, 0],
        }
    }
}

/// Appends bytes of a serial line to the log, with stream events for errors.
pub(super) struct LineInput<'a> {
    pub(super) unmark: Unmark,
    pub(super) has_parity: bool,
    pub(super) control: &'a mut dyn FnMut(&Shared, Command),
    last_event: [u64; 2],
}

impl<'a> LineInput<'a> {
    pub(super) fn new(has_parity: bool, control: &'a mut dyn FnMut(&Shared, Command)) -> LineInput<'a> {
        LineInput { unmark: Unmark::default(), has_parity, control, last_event: [0; 2] }
    }

    /// Whether an error gets a stream event.
    fn is_due(&mut self, flaw: Flaw, now: u64) -> bool {
        let last = if flaw.is_break { &mut self.last_event[1] } else { &mut self.last_event[0] };
        let due = now.saturating_sub(*last) >= MARK_STEP_NS;
        if due {
            *last = now;
        }
        due
    }
}

impl InputHandler for LineInput<'_> {
    fn bytes(&mut self, shared: &Shared, log: &RawLog, raw: &[u8]) {
        let mut flaws = Vec::new();
        let mut unmark = std::mem::take(&mut self.unmark);
        let bytes = unmark.take(raw, &mut flaws);
        let now = host_now();
        let mut done = 0;
        for flaw in &flaws {
            if !self.is_due(*flaw, now) {
                continue;
            }
            shared.received(log, bytes.get(done..flaw.at).unwrap_or_default());
            done = flaw.at;
            let what = match (flaw.is_break, self.has_parity) {
                (true, _) => line_error::BREAK,
                (false, true) => line_error::PARITY,
                (false, false) => line_error::FRAMING,
            };
            log.add_event(kind::LINE_ERROR, what, &[], now);
        }
        shared.received(log, bytes.get(done..).unwrap_or_default());
        let breaks = flaws.iter().filter(|flaw| flaw.is_break).count() as u64;
        shared.count(|counters| {
            counters.line_errors += flaws.len() as u64 - breaks;
            counters.breaks += breaks;
        });
        self.unmark = unmark;
    }

    fn command(&mut self, shared: &Shared, command: Command) {
        (self.control)(shared, command);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marked(plain: &[(u8, bool)]) -> Vec<u8> {
        let mut raw = Vec::new();
        for (byte, flawed) in plain {
            match (byte, flawed) {
                (byte, true) => raw.extend([0xff, 0, *byte]),
                (0xff, false) => raw.extend([0xff, 0xff]),
                (byte, false) => raw.push(*byte),
            }
        }
        raw
    }

    #[test]
    fn errors_and_breaks_have_their_place() {
        let mut unmark = Unmark::default();
        let mut flaws = Vec::new();
        let bytes = unmark.take(&[1, 0xff, 0, 2, 0xff, 0xff, 0xff, 0, 0, 3], &mut flaws).to_vec();
        assert_eq!(bytes, [1, 2, 0xff, 0, 3]);
        assert_eq!(flaws, [Flaw { at: 1, is_break: false }, Flaw { at: 3, is_break: true }]);
    }

    #[test]
    fn nothing_held_back_is_lost() {
        let mut unmark = Unmark::default();
        let mut flaws = Vec::new();
        assert_eq!(unmark.take(&[0xff, 7, 0xff], &mut flaws), [0xff, 7]);
        assert_eq!(unmark.rest(), [0xff]);
        assert_eq!(unmark.take(&[8, 0xff, 0], &mut flaws), [8]);
        assert_eq!((unmark.rest(), flaws.len()), (&[0xff, 0][..], 0));
    }

    proptest! {
        #[test]
        fn any_bytes_come_back_in_any_pieces(plain in prop::collection::vec((prop_oneof![Just(0xff), Just(0), any::<u8>()], any::<bool>()), 0..200),
                                             piece in 1usize..20) {
            let mut unmark = Unmark::default();
            let (mut bytes, mut count) = (Vec::new(), 0);
            for raw in marked(&plain).chunks(piece) {
                let mut flaws = Vec::new();
                bytes.extend_from_slice(unmark.take(raw, &mut flaws));
                count += flaws.len();
            }
            let expect: Vec<u8> = plain.iter().map(|(byte, _)| *byte).collect();
            prop_assert_eq!(bytes, expect);
            prop_assert_eq!(count, plain.iter().filter(|(_, flawed)| *flawed).count());
        }
    }
}
