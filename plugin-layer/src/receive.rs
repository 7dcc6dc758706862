//! A protocol's decoder: splits bytes into frames, handles what lies between them, and finds the next frame.

use spytui_plugin_api::{
    Decoder, DecoderOptions, DecoderRef, Dict, Fault, Info, Output, RowFlags, RowIn, RowKind, Source, StreamEvent,
    TextWriter, Want, batch::Batch, info::Guess,
};

use crate::{Protocol, Split, clock::COUNTER_BITS, describe, protocol::MAX_JUNK, render, stream::Stream};

/// The function table of a protocol's decoder.
pub const fn decoder<P: Protocol>() -> DecoderRef {
    spytui_plugin_api::decoder::<Receiver<P>>()
}

/// Evidence of a frame without a checksum, in bits.
const UNCHECKED_BITS: u32 = 1;

struct Receiver<P> {
    /// Bytes that are in no row yet.
    held: Vec<u8>,
    /// How many of them, from the start, don't begin a frame.
    junk: usize,
    /// No frame yet since the stream began, or since damage that may hide the next start.
    is_lost: bool,
    /// No row yet.
    is_first: bool,
    stream: Stream<P>,
}

impl<P> Clone for Receiver<P> {
    fn clone(&self) -> Self {
        let Receiver { held, junk, is_lost, is_first, stream } = self;
        Receiver { held: held.clone(), junk: *junk, is_lost: *is_lost, is_first: *is_first, stream: stream.clone() }
    }
}

/// Progress within some bytes.
struct Progress {
    /// End of the bytes in rows.
    done: usize,
    /// End of the bytes that don't begin a frame.
    at: usize,
}

impl<P: Protocol> Decoder for Receiver<P> {
    fn info() -> Info {
        describe::info::<P>()
    }

    /// Counts frames of known kinds whose fields fit.
    fn probe(sample: &[u8], _: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        let mut batch = Batch::default();
        let mut receiver = Receiver::<P>::new(&Source::default(), None);
        receiver.bytes(0, sample, &mut Output::new(&mut batch, false));
        let is_bad = |flags: RowFlags| flags.intersects(RowFlags::UNKNOWN | RowFlags::MALFORMED);
        let good = batch.rows.iter().filter(|row| row.is_record() && !is_bad(row.flags));
        let (count, bytes) = good.fold((0_u32, 0_u64), |(n, sum), row| (n.saturating_add(1), sum + u64::from(row.len)));
        if count > 0 {
            out.push(Guess {
                evidence_bits: count.saturating_mul(P::CHECK_BITS.max(UNCHECKED_BITS)),
                explained: u16::try_from(bytes * 1000 / sample.len().max(1) as u64).unwrap_or(1000),
                options: "".into(),
                why: format!("{count} good frames").into(),
            });
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Self, Fault> {
        Ok(Receiver::new(source, COUNTER_BITS.given(opts)?))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        if self.held.is_empty() {
            let used = self.scan(pos, bytes, out);
            self.held.extend_from_slice(&bytes[used..]);
            return;
        }
        let start = pos.saturating_sub(self.held.len() as u64);
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let used = self.scan(start, &held, out);
        held.drain(..used);
        self.held = held;
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], out: &mut Output<'_>) {
        if let Some(kind) = event.kind.left_over() {
            self.give_up(event.pos, kind, out);
            self.is_lost = true;
        }
        self.stream.event(event);
    }

    fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        render::row::<P>(row, dict, want, out);
    }
}

impl<P: Protocol> Receiver<P> {
    fn new(source: &Source, counter_bits: Option<u32>) -> Receiver<P> {
        let stream = Stream::new(source, counter_bits);
        Receiver { held: Vec::new(), junk: 0, is_lost: true, is_first: true, stream }
    }

    /// Adds rows for all complete frames in the bytes at `pos`; returns the number of bytes in rows.
    fn scan(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) -> usize {
        let mut place = Progress { done: 0, at: self.junk };
        while let Some(rest) = bytes.get(place.at..).filter(|rest| !rest.is_empty()) {
            let window = &rest[..rest.len().min(P::MAX_FRAME)];
            let is_full = window.len() == P::MAX_FRAME;
            match within(P::split(window), window.len()) {
                Split::More if !is_full => break,
                split => self.step(pos, bytes, split, &mut place, out),
            }
        }
        self.junk = place.at - place.done;
        place.done
    }

    fn step(&mut self, pos: u64, bytes: &[u8], split: Split, place: &mut Progress, out: &mut Output<'_>) {
        let start = place.at;
        match split {
            Split::Frame(len) => {
                self.skip(pos, &bytes[..start], place.done, out);
                (self.is_lost, self.is_first) = (false, false);
                self.stream.frame(pos + start as u64, &bytes[start..start + len], out);
                (place.at, place.done) = (start + len, start + len);
                return;
            }
            Split::Skip(len, kind) if !self.is_lost => {
                return self.damaged(pos, &bytes[..start + len], kind, place, out);
            }
            Split::BadChecksum(len) if !self.is_lost => {
                let begins = |at: &usize| P::split(&bytes[start + at..start + len]) != Split::Junk;
                let len = (1..len).find(begins).unwrap_or(len);
                self.damaged(pos, &bytes[..start + len], RowKind::BAD_CHECK, place, out);
                self.is_lost = true;
                return;
            }
            Split::Skip(len, _) => place.at += len,
            // Too long: another frame may begin at the next byte, unless a delimiter marks it.
            Split::More if P::FRAMING.is_delimited() => place.at += P::MAX_FRAME,
            Split::More | Split::Junk | Split::BadChecksum(_) => place.at += 1,
        }
        self.is_lost = true;
        while place.at - place.done >= MAX_JUNK {
            self.skip(pos, &bytes[..place.done + MAX_JUNK], place.done, out);
            place.done += MAX_JUNK;
        }
    }

    /// Adds rows for the damaged frame at the end of `bytes`.
    fn damaged(&mut self, pos: u64, bytes: &[u8], kind: RowKind, place: &mut Progress, out: &mut Output<'_>) {
        self.stream.damaged((pos + place.at as u64, &bytes[place.at..]), kind, true, out);
        (place.at, place.done) = (bytes.len(), bytes.len());
    }

    /// Adds rows for the bytes from `start` on, which don't begin a frame.
    fn skip(&mut self, pos: u64, bytes: &[u8], start: usize, out: &mut Output<'_>) {
        if start < bytes.len() {
            let kind = if std::mem::take(&mut self.is_first) { RowKind::PARTIAL } else { RowKind::RESYNC };
            self.stream.damaged((pos + start as u64, &bytes[start..]), kind, false, out);
        }
    }

    /// Adds rows for held bytes at an event at position `end`.
    fn give_up(&mut self, end: u64, kind: RowKind, out: &mut Output<'_>) {
        let mut held = std::mem::take(&mut self.held);
        let pos = end.saturating_sub(held.len() as u64);
        let mut start = pos;
        // An apparent frame start may have hidden other frames.
        while !held.is_empty() && !P::FRAMING.is_delimited() && self.hides_a_frame(&held) {
            self.junk += 1;
            self.is_lost = true;
            let used = self.scan(start, &held, out);
            held.drain(..used);
            start += used as u64;
        }
        let junk = std::mem::take(&mut self.junk);
        self.skip(start, &held[..junk], 0, out);
        if held.len() > junk {
            self.is_first = false;
            self.stream.damaged((start + junk as u64, &held[junk..]), kind, false, out);
        }
    }

    /// Whether a frame follows the first byte after the junk.
    fn hides_a_frame(&self, held: &[u8]) -> bool {
        (self.junk + 1..held.len()).any(|at| {
            let window = &held[at..held.len().min(at + P::MAX_FRAME)];
            matches!(within(P::split(window), window.len()), Split::Frame(_))
        })
    }
}

/// Validates what a protocol's `split` returns for `len` bytes.
fn within(split: Split, len: usize) -> Split {
    match split {
        Split::Frame(n) | Split::BadChecksum(n) | Split::Skip(n, _) if n == 0 || n > len => Split::Junk,
        Split::Skip(n, kind) if !kind.is_note() || kind.is_of_host() => Split::BadChecksum(n),
        split => split,
    }
}
