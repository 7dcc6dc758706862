//! Splits bytes and stream events into packets and noise.

use spytui_plugin_api::{
    Decoder, DecoderOptions, Dict, Fault, Info, NONE, Output, Row, RowIn, RowKind, Severity, Source, StreamEvent,
    TextWriter, Want, info::Guess,
};

use crate::{
    describe::{self, CLOCK, PORT_NAMES, PRESCALER, TEXT, TEXT_WORDS},
    hold::{Hold, What},
    means::Means,
    packet::{Packet, Parsed, characters, parse},
    render,
};

/// Zeros that may begin a synchronisation packet; more are noise.
const MAX_SYNC: usize = 64;
/// Maximum number of noise bytes per row.
const MAX_NOISE: usize = 256;

#[derive(Clone, Debug)]
pub struct Itm {
    means: Means,
    hold: Hold,
    /// Bytes that are not a complete packet yet.
    pending: Vec<u8>,
    /// Position and length of the noise before them.
    noise: (u64, usize),
    /// There has been a packet.
    has_begun: bool,
    /// Page of the stimulus ports.
    page: u8,
    /// Sum of all local time stamps, in ticks.
    now: u64,
    /// Bit mask of the ports with text.
    text: u32,
    /// Multi-byte packets on these ports contain text.
    has_words: bool,
}

impl Decoder for Itm {
    fn info() -> Info {
        describe::info()
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        out.extend(crate::guess::guess(sample, TEXT.get(opts).unwrap_or(1)));
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Itm, Fault> {
        let core = if source.core == NONE { 0 } else { source.core };
        let names = PORT_NAMES.get(opts)?;
        Ok(Itm {
            means: Means::new(core, CLOCK.get(opts)?, PRESCALER.get(opts)?, names),
            hold: Hold::default(),
            pending: Vec::new(),
            noise: (0, 0),
            has_begun: false,
            page: 0,
            now: 0,
            text: TEXT.get(opts)?,
            has_words: TEXT_WORDS.get(opts)?,
        })
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        let mut pending = std::mem::take(&mut self.pending);
        let pos = pos.saturating_sub(pending.len() as u64);
        pending.extend_from_slice(bytes);
        let used = self.scan(pos, &pending, out);
        pending.drain(..used);
        self.pending = pending;
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], out: &mut Output<'_>) {
        let Some(kind) = event.kind.left_over() else { return };
        self.end_noise(out);
        let rest = std::mem::take(&mut self.pending).len();
        if rest > 0 {
            self.hold.push(event.pos.saturating_sub(rest as u64), rest, What::Skipped(kind));
        }
        while let Some(row) = self.hold.take() {
            self.means.row(&row, out);
        }
    }

    fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        render::row(row, dict, want, out);
    }
}

impl Itm {
    /// Parses packets in the bytes at `pos`; returns the number of bytes consumed.
    fn scan(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let window = rest.get(..MAX_SYNC).unwrap_or(rest);
            let here = pos + at as u64;
            match parse(window) {
                Parsed::Packet(packet, len) => {
                    self.end_noise(out);
                    self.begin(here, packet, out);
                    self.packet(here, len, packet, window);
                    at += len;
                }
                Parsed::More if window.len() < MAX_SYNC => break,
                Parsed::More | Parsed::Bad => {
                    self.add_noise(here, out);
                    at += 1;
                }
            }
            self.pass_on(out);
        }
        at
    }

    fn packet(&mut self, pos: u64, len: usize, packet: Packet, raw: &[u8]) {
        match packet {
            Packet::Local { delta, .. } => {
                self.now = self.now.saturating_add(delta.into());
                if !self.hold.stamp(len, self.now) {
                    self.hold.push(pos, 0, What::Packet(packet, 0));
                    self.hold.stamp(len, self.now);
                }
            }
            Packet::Software { port, size, .. } if self.is_text(port, size, raw) => {
                let payload = raw.get(1..len).unwrap_or_default();
                self.hold.characters(pos, len, port, payload);
            }
            _ => {
                match packet {
                    Packet::Page(page) => self.page = page,
                    // The last page packet may have been damage.
                    Packet::Sync => self.page = 0,
                    _ => {}
                }
                self.hold.push(pos, len, What::Packet(packet, self.page));
            }
        }
    }

    fn is_text(&self, port: u8, size: u8, raw: &[u8]) -> bool {
        let payload = || raw.get(1..=usize::from(size)).unwrap_or_default();
        let is_port = self.page == 0 && self.text >> port & 1 != 0;
        is_port && (size == 1 || self.has_words && characters(payload()).is_some())
    }

    /// Warns at the first packet if the stream doesn't begin with synchronisation, because that packet may be wrong.
    fn begin(&mut self, pos: u64, packet: Packet, out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.has_begun, true) && packet != Packet::Sync {
            let hint = Row { severity: Severity::INFO, ..Row::note(RowKind::HINT, pos, 0) };
            self.means.note(hint, out);
        }
    }

    fn add_noise(&mut self, pos: u64, out: &mut Output<'_>) {
        if self.noise.1 == 0 {
            self.noise.0 = pos;
        }
        self.noise.1 += 1;
        if self.noise.1 == MAX_NOISE {
            self.end_noise(out);
        }
    }

    fn end_noise(&mut self, out: &mut Output<'_>) {
        let (pos, len) = std::mem::take(&mut self.noise);
        if len > 0 {
            let kind = if self.has_begun { RowKind::BAD_FRAME } else { RowKind::PARTIAL };
            self.hold.push(pos, len, What::Skipped(kind));
            self.pass_on(out);
        }
    }

    fn pass_on(&mut self, out: &mut Output<'_>) {
        while let Some(row) = self.hold.ready() {
            self.means.row(&row, out);
        }
    }
}
