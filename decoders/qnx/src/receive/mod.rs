//! Receiving: bytes to rows. This file keeps bytes that are not in a row yet, and detects the profile; `kev` reads
//! events of the instrumented kernel, `classic` records of the other two profiles, `shared` is common to both.

mod classic;
mod kev;
mod shared;

use spytui_plugin_api::{Output, RowKind, StreamEvent, StreamEventKind};

use crate::{
    config::{Format, Options, Profile},
    probe::{self, SAMPLE},
};
use classic::ClassicLog;
use kev::Kev;

/// How a stream ends, at least for now: the row kind of remaining bytes. `None` = more may follow.
type Ending = Option<RowKind>;

#[derive(Clone, Debug)]
enum Reader {
    /// Waits for enough bytes to detect it.
    Undecided,
    Kev(Box<Kev>),
    Classic(Box<ClassicLog>),
}

#[derive(Clone, Debug)]
pub(crate) struct Stream {
    options: Options,
    reader: Reader,
    /// Bytes that are not in a row yet, and their position.
    rest: Vec<u8>,
    rest_pos: u64,
}

impl Stream {
    pub(crate) fn new(options: Options) -> Stream {
        Stream { options, reader: Reader::Undecided, rest: Vec::new(), rest_pos: 0 }
    }

    pub(crate) fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        if self.rest.is_empty() {
            let used = self.take(pos, bytes, None, out);
            self.rest.extend_from_slice(bytes.get(used..).unwrap_or(&[]));
            self.rest_pos = pos + used as u64;
            return;
        }
        self.rest.extend_from_slice(bytes);
        self.go_on(None, out);
    }

    pub(crate) fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        match event.kind {
            StreamEventKind::OPTIONS => self.options(event.pos, text, out),
            kind => self.end(event.pos, kind.left_over(), out),
        }
    }

    fn options(&mut self, pos: u64, text: &[u8], out: &mut Output<'_>) {
        if !self.options.change_formats(text) {
            return;
        }
        match &mut self.reader {
            Reader::Undecided => {}
            Reader::Kev(kev) => kev.change_formats(&self.options, pos, out),
            Reader::Classic(log) => log.change_formats(&self.options, pos, out),
        }
    }

    fn end(&mut self, pos: u64, ending: Ending, out: &mut Output<'_>) {
        if ending.is_none() {
            return;
        }
        if self.rest.is_empty() {
            self.rest_pos = pos;
        }
        self.go_on(ending, out);
    }

    fn go_on(&mut self, ending: Ending, out: &mut Output<'_>) {
        let mut rest = std::mem::take(&mut self.rest);
        let used = self.take(self.rest_pos, &rest, ending, out);
        rest.drain(..used.min(rest.len()));
        self.rest_pos += used as u64;
        self.rest = rest;
    }

    /// Adds rows for the first bytes; returns their number.
    fn take(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> usize {
        if matches!(self.reader, Reader::Undecided) && !self.decide(pos, bytes, ending, out) {
            return 0;
        }
        match &mut self.reader {
            Reader::Undecided => 0,
            Reader::Kev(kev) => kev.take(pos, bytes, ending, out),
            Reader::Classic(log) => log.take(pos, bytes, ending, out),
        }
    }

    /// Detects the profile; returns `false` if more bytes are needed.
    fn decide(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> bool {
        let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
        let complete = sample.len() == SAMPLE || ending.is_some();
        let Some(found) = probe::find(sample, complete, &self.options) else { return false };
        if bytes.is_empty() && ending != Some(RowKind::TAIL) {
            return false;
        }
        let big = found.big.or(self.options.big);
        let release = found.release.or(self.options.release);
        let Options { exception, .. } = self.options;
        let mut log = |format| Reader::Classic(Box::new(ClassicLog::new(&self.options, format, pos, out)));
        self.reader = match found.profile {
            Profile::Qnx4 => log(Format::Qnx4),
            Profile::Nto1 => log(Format::Nto1 { big: big.unwrap_or(false), exception }),
            Profile::Kev => Reader::Kev(Box::new(Kev::new(Options { big, release, ..self.options.clone() }, pos, out))),
        };
        true
    }
}
