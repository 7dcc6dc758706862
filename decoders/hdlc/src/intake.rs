//! A stream on its way to a reader: split at its flags, with its marks; what both ways of reading do alike.

use spytui_plugin_api::{Mark, Out, batch::count, chunk::mark, row::note};

use crate::{Clock, Counts, Receiver, Splitter, Stretch};

/// Who reads the stretches of a stream and makes its rows.
pub trait Reads {
    /// Before anything else: tells the configuration that it begins with.
    fn open(&mut self, out: &mut Out<'_>);

    /// Gets a stretch and says how many of its bytes are dealt with, as [`Receiver::stretch`].
    fn stretch(&mut self, stretch: Stretch<'_>, out: &mut Out<'_>) -> usize;

    /// Puts what has not ended into a row of this kind; nothing may be held.
    fn give_up(&mut self, kind: u16, held: Stretch<'_>, out: &mut Out<'_>);

    /// Kind of the row for what is pending when a mark comes; `None` = the mark does not end it.
    fn breaks(&self, mark: u16) -> Option<u16> {
        match mark {
            mark::LINK_UP | mark::LINK_DOWN | mark::HOST_LOSS => Some(note::RESYNC),
            mark::END => Some(note::TAIL),
            _ => None,
        }
    }

    /// What a mark means beside that, and beside the clock. `text` goes with it.
    fn mark(&mut self, kind: u16, text: &[u8], out: &mut Out<'_>);

    /// Its clock.
    fn clock_mut(&mut self) -> &mut Clock;

    /// Its counters.
    fn counts_mut(&mut self) -> &mut Counts;
}

/// A reader with what it has not got yet.
#[derive(Clone, Debug)]
pub struct Intake<R> {
    splitter: Splitter,
    reader: R,
    opened: bool,
}

impl<R: Reads> Intake<R> {
    /// Nothing came yet.
    pub fn new(reader: R) -> Intake<R> {
        Intake { splitter: Splitter::default(), reader, opened: false }
    }

    /// Bytes kept.
    pub fn pending(&self) -> u64 {
        self.splitter.pending() as u64
    }

    /// Feeds bytes at an absolute position.
    pub fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Out<'_>) {
        self.open(out);
        self.splitter.feed(pos, bytes, &mut Feed { reader: &mut self.reader, out });
        let counts = self.reader.counts_mut();
        counts.add(count::BYTES, bytes.len() as u64);
        counts.send(out);
    }

    /// Takes a mark with its text.
    pub fn mark(&mut self, mark: &Mark, text: &[u8], out: &mut Out<'_>) {
        self.open(out);
        if mark.kind == mark::TIME {
            self.reader.clock_mut().host_time(mark);
        }
        if let Some(kind) = self.reader.breaks(mark.kind) {
            let (held, lead) = self.splitter.take();
            let pos = mark.pos.saturating_sub(held.len() as u64);
            let held = Stretch { pos, raw: &held, lead, ended: false, sum: 0, escaped: false };
            self.reader.give_up(kind, held, out);
        }
        self.reader.mark(mark.kind, text, out);
        self.reader.counts_mut().send(out);
    }

    fn open(&mut self, out: &mut Out<'_>) {
        if !std::mem::replace(&mut self.opened, true) {
            self.reader.open(out);
        }
    }
}

/// A reader with the place where its rows go.
struct Feed<'r, 'o, 'b, R> {
    reader: &'r mut R,
    out: &'o mut Out<'b>,
}

impl<R: Reads> Receiver for Feed<'_, '_, '_, R> {
    #[inline(always)]
    fn stretch(&mut self, stretch: Stretch<'_>) -> usize {
        self.reader.stretch(stretch, self.out)
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Batch;

    use super::*;

    /// Writes down what it gets; a whole stretch is dealt with.
    #[derive(Default)]
    struct Notes {
        told: Vec<String>,
        clock: Clock,
        counts: Counts,
    }

    impl Reads for Notes {
        fn open(&mut self, _: &mut Out<'_>) {
            self.told.push("open".into());
        }

        fn stretch(&mut self, stretch: Stretch<'_>, _: &mut Out<'_>) -> usize {
            if !stretch.ended {
                return 0;
            }
            self.told.push(format!("{} {:?}", stretch.pos, stretch.body()));
            stretch.raw.len()
        }

        fn give_up(&mut self, kind: u16, held: Stretch<'_>, _: &mut Out<'_>) {
            self.told.push(format!("{kind:X} {} {:?} {}", held.pos, held.body(), held.lead));
        }

        fn mark(&mut self, kind: u16, _: &[u8], _: &mut Out<'_>) {
            self.told.push(format!("mark {kind}"));
        }

        fn clock_mut(&mut self) -> &mut Clock {
            &mut self.clock
        }

        fn counts_mut(&mut self) -> &mut Counts {
            &mut self.counts
        }
    }

    #[test]
    fn what_is_pending_is_given_up_before_the_mark_that_ends_it() {
        let mut batch = Batch::default();
        let mut out = Out::new(&mut batch, 0);
        let mut intake = Intake::new(Notes::default());
        intake.bytes(0, b"\x01\x7E\x7E\x02", &mut out);
        assert_eq!(intake.pending(), 2);
        intake.mark(&Mark { kind: mark::LINE_ERROR, pos: 4, ..Mark::default() }, b"", &mut out);
        intake.bytes(4, b"\x03", &mut out);
        intake.mark(&Mark { kind: mark::END, pos: 5, ..Mark::default() }, b"", &mut out);
        let tail = format!("{:X} 2 [2, 3] 1", note::TAIL);
        assert_eq!(intake.reader.told, ["open", "0 [1]", "mark 9", &tail, "mark 6"]);
        assert_eq!((intake.pending(), intake.reader.counts.get(count::BYTES)), (0, 5));
    }
}
