//! Implements `Decoder`: turns bytes and stream events into rows.

use spytui_plugin_api::{
    Decoder, DecoderOptions, Dict, Fault, Info, Output, Row, RowIn, Source, StreamEvent, TextWriter, Want,
    activity::Activity,
    chunk::StreamEventKind,
    info::Guess,
    row::{RowFlags, RowKind, Severity},
};

use crate::{
    counts::LINE_ERRORS,
    frame::{Broken, Frame, MAX_LINE},
    info::{self, OBJECTS},
    parts::Stretch,
    record, render,
    toy::Toy,
};

impl Decoder for Toy {
    fn info() -> Info {
        info::info()
    }

    fn probe(sample: &[u8], _: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        out.extend(record::guess(sample));
    }

    fn open(opts: &DecoderOptions<'_>, _: &Source) -> Result<Toy, Fault> {
        let reference = info::REFERENCE.get(opts)?;
        let width_set = info::WIDTH.given(opts)?;
        if reference && width_set.is_some() {
            return Err(Fault::new(
                "the reference tool has no width: leave one of the options reference and width out",
            ));
        }
        Ok(Toy::new(width_set, reference, info::NAMES.get(opts)?))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.begin(out);
        for (at, &byte) in (pos..).zip(bytes) {
            self.pos = at;
            self.byte(at, byte, out);
        }
        self.pos = pos + bytes.len() as u64;
        self.counts.report(out);
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        self.begin(out);
        self.pos = self.pos.max(event.pos);
        match event.kind {
            StreamEventKind::END => {
                self.cut_off(RowKind::TAIL, out);
                self.give_up_all(out);
            }
            StreamEventKind::LINK_DOWN | StreamEventKind::HOST_LOSS => {
                self.cut_off(RowKind::BAD_FRAME, out);
                self.cores.iter_mut().for_each(|core| core.seq = None);
            }
            StreamEventKind::OPTIONS => self.options(text, out),
            StreamEventKind::LINE_ERROR => self.counts.add(LINE_ERRORS, 1),
            _ => {}
        }
        self.counts.report(out);
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        render::row(cfg, row, dict, want, out);
    }

    fn label(_: &[u8], _: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        render::label(activity, dict, out);
    }
}

impl Toy {
    /// Reports the configuration and the names from the file, before the first row.
    fn begin(&mut self, out: &mut Output<'_>) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        self.configure(self.width_set.unwrap_or(4), out);
        for line in self.names.split(|&b| b == b'\n') {
            let mut words = line.splitn(2, |&b| b == b' ');
            if let (Some(key), Some(name)) = (words.next().and_then(crate::frame::hex), words.next()) {
                out.name(OBJECTS, key, 0, name);
            }
        }
    }

    fn options(&mut self, text: &[u8], out: &mut Output<'_>) {
        let widths = text.split(|&b| b == b'\n').filter_map(|o| o.strip_prefix(b"width="));
        if let Some(width) = widths.filter_map(crate::frame::hex).next_back() {
            self.configure(width as u8, out);
        }
    }

    fn byte(&mut self, at: u64, byte: u8, out: &mut Output<'_>) {
        if byte == b'$' && !self.line.is_empty() {
            self.cut_off(RowKind::BAD_FRAME, out);
        }
        if self.line.is_empty() {
            self.start = at;
        }
        self.line.push(byte);
        if byte == b'\n' {
            self.whole_line(out);
        } else if self.line.len() == MAX_LINE {
            self.cut_off(RowKind::TOO_LONG, out);
        }
    }

    fn whole_line(&mut self, out: &mut Output<'_>) {
        if self.line.first() != Some(&b'$') {
            return self.cut_off(RowKind::CONSOLE, out);
        }
        let line = std::mem::take(&mut self.line);
        let at: Stretch = (self.start, line.len() as u32);
        match Frame::parse(&line) {
            Ok(frame) => record::frame(self, &frame, at, out),
            Err(Broken::Check) => self.damaged(RowKind::BAD_CHECK, at, out),
            Err(Broken::Short) => self.damaged(RowKind::TOO_SHORT, at, out),
            Err(Broken::Form) => self.damaged(RowKind::BAD_FRAME, at, out),
        }
    }

    /// Adds a row for bytes that are not a frame: text as console row, an incomplete frame as `kind`, the rest as
    /// skipped.
    fn cut_off(&mut self, kind: RowKind, out: &mut Output<'_>) {
        let line = std::mem::take(&mut self.line);
        let at: Stretch = (self.start, line.len() as u32);
        let printable = line.iter().all(|b| matches!(b, b' '..=b'~' | b'\t' | b'\r' | b'\n'));
        match line.first() {
            None => {}
            Some(b'$') => self.damaged(kind, at, out),
            Some(_) if printable => {
                out.row(Row { severity: Severity::INFO, ..self.note(RowKind::CONSOLE, at, RowFlags::empty()) })
            }
            Some(_) => self.damaged(RowKind::RESYNC, at, out),
        }
    }

    fn damaged(&mut self, kind: RowKind, at: Stretch, out: &mut Output<'_>) {
        out.row(Row { severity: Severity::ERROR, ..self.note(kind, at, RowFlags::SKIPPED) });
    }

    fn give_up_all(&mut self, out: &mut Output<'_>) {
        let parts = self.parts.take_all();
        self.give_up(&parts, self.pos, out);
    }
}
