//! A stream on its way to a reader: split at its flags, with its marks; what both ways of reading do alike.

use spytui_decoder_kit::Clock;
use spytui_plugin_api::{Output, RowKind, StreamEvent, StreamEventKind};

use crate::{Receiver, Splitter, Stretch};

/// Who reads the stretches of a stream and makes its rows.
pub trait Reads {
    /// Before anything else: tells the configuration that it begins with.
    fn open(&mut self, out: &mut Output<'_>);

    /// Gets a stretch and says how many of its bytes are dealt with, as [`Receiver::stretch`].
    fn stretch(&mut self, stretch: Stretch<'_>, out: &mut Output<'_>) -> usize;

    /// Puts what has not ended into a row of this kind; nothing may be held.
    fn give_up(&mut self, kind: RowKind, held: Stretch<'_>, out: &mut Output<'_>);

    /// Kind of the row for what is pending when a mark comes; `None` = the mark does not end it.
    fn breaks(&self, event: StreamEventKind) -> Option<RowKind> {
        match event {
            StreamEventKind::LINK_UP | StreamEventKind::LINK_DOWN | StreamEventKind::HOST_LOSS => Some(RowKind::RESYNC),
            StreamEventKind::END => Some(RowKind::TAIL),
            _ => None,
        }
    }

    /// What a mark means beside that, and beside the clock. `text` goes with it.
    fn event(&mut self, kind: StreamEventKind, text: &[u8], out: &mut Output<'_>);

    /// Its clock.
    fn clock_mut(&mut self) -> &mut Clock;
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
    pub fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.open(out);
        self.splitter.feed(pos, bytes, &mut Feed { reader: &mut self.reader, out });
    }

    /// Takes a mark with its text.
    pub fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        self.open(out);
        if event.kind == StreamEventKind::TIME {
            self.reader.clock_mut().host_time(event);
        }
        if let Some(kind) = self.reader.breaks(event.kind) {
            let (held, lead) = self.splitter.take();
            let pos = event.pos.saturating_sub(held.len() as u64);
            let held = Stretch { pos, raw: &held, lead, ended: false, sum: 0, escaped: false };
            self.reader.give_up(kind, held, out);
        }
        self.reader.event(event.kind, text, out);
    }

    fn open(&mut self, out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.opened, true) {
            self.reader.open(out);
        }
    }
}

/// A reader with the place where its rows go.
struct Feed<'r, 'o, 'b, R> {
    reader: &'r mut R,
    out: &'o mut Output<'b>,
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
    }

    impl Reads for Notes {
        fn open(&mut self, _: &mut Output<'_>) {
            self.told.push("open".into());
        }

        fn stretch(&mut self, stretch: Stretch<'_>, _: &mut Output<'_>) -> usize {
            if !stretch.ended {
                return 0;
            }
            self.told.push(format!("{} {:?}", stretch.pos, stretch.body()));
            stretch.raw.len()
        }

        fn give_up(&mut self, kind: RowKind, held: Stretch<'_>, _: &mut Output<'_>) {
            self.told.push(format!("{kind:?} {} {:?} {}", held.pos, held.body(), held.lead));
        }

        fn event(&mut self, kind: StreamEventKind, _: &[u8], _: &mut Output<'_>) {
            self.told.push(format!("event {kind:?}"));
        }

        fn clock_mut(&mut self) -> &mut Clock {
            &mut self.clock
        }
    }

    #[test]
    fn what_is_pending_is_given_up_before_the_mark_that_ends_it() {
        let mut batch = Batch::default();
        let mut out = Output::new(&mut batch, false);
        let mut intake = Intake::new(Notes::default());
        intake.bytes(0, b"\x01\x7E\x7E\x02", &mut out);
        assert_eq!(intake.pending(), 2);
        intake.event(
            &StreamEvent { kind: StreamEventKind::LINE_ERROR, pos: 4, ..StreamEvent::default() },
            b"",
            &mut out,
        );
        intake.bytes(4, b"\x03", &mut out);
        intake.event(&StreamEvent { kind: StreamEventKind::END, pos: 5, ..StreamEvent::default() }, b"", &mut out);
        let tail = "TAIL 2 [2, 3] 1";
        assert_eq!(intake.reader.told, ["open", "0 [1]", "event LINE_ERROR", tail, "event END"]);
        assert_eq!(intake.pending(), 0);
    }
}
