//! Lines of text, as a shell or `printf` of a target sends them: one row each. As any bytes could be text, it never
//! guesses that bytes are for it. It is one file: it has neither records to describe nor a reference host.

use memchr::memchr2;
use spytui_plugin_api::{
    Decoder, DecoderOptions, Dict, Fault, Info, LibraryRef, Output, Row, RowIn, RowKind, Source, StreamEvent,
    TextWriter, Want, decoder,
    info::{GroupInfo, KindInfo},
    library,
};
use spytui_plugin_layer::{Record, show_record};

/// Longest row, in bytes; longer lines are several rows.
const LONGEST: usize = 1024;
const LINE: RowKind = RowKind(1);

pub fn plugin() -> LibraryRef {
    library!("spytui_console", decoders: [decoder::<Console>()])
}

#[derive(Clone)]
struct Console {
    /// The beginning of a line.
    held: Vec<u8>,
    core: u16,
}

impl Decoder for Console {
    fn info() -> Info {
        let line = KindInfo {
            fields: ["text".into(), "zeros".into()].into_iter().collect(),
            ..KindInfo::new(LINE, "LINE", 0)
        };
        Info {
            id: "console".into(),
            title: "Console".into(),
            kinds: [line].into_iter().collect(),
            groups: [GroupInfo::new(0, "LN", "lines")].into_iter().collect(),
            max_pending: LONGEST as u64,
            ..Info::default()
        }
    }

    fn open(_: &DecoderOptions<'_>, source: &Source) -> Result<Self, Fault> {
        Ok(Console { held: Vec::new(), core: source.core })
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        let start = pos.saturating_sub(self.held.len() as u64);
        self.held.extend_from_slice(bytes);
        let mut done = 0;
        while let Some(len) = self.held.get(done..).and_then(line_len) {
            self.line(start + done as u64, len, out);
            done += len;
        }
        self.held.drain(..done);
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], out: &mut Output<'_>) {
        // What follows does not continue the line.
        if event.kind.left_over().is_some() && !self.held.is_empty() {
            self.line(event.pos.saturating_sub(self.held.len() as u64), self.held.len(), out);
            self.held.clear();
        }
    }

    fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let line = row.raw.as_slice();
        show_record((line, false), dict, want, out, |record| show(line, record));
    }
}

impl Console {
    fn line(&self, pos: u64, len: usize, out: &mut Output<'_>) {
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        out.row(Row { pos, len, kind: LINE, core: self.core, ..Row::default() });
    }
}

/// Length of the row that `bytes` begin with, line end included; `None` = more bytes are needed.
fn line_len(bytes: &[u8]) -> Option<usize> {
    let longest = bytes.get(..LONGEST).unwrap_or(bytes);
    match memchr2(b'\r', b'\n', longest) {
        Some(at) if bytes.get(at) == Some(&b'\n') => Some(at + 1),
        // The line feed after a carriage return belongs to it.
        Some(at) => bytes.get(at + 1).map(|next| at + 1 + usize::from(*next == b'\n')),
        None if longest.len() < LONGEST => None,
        None => Some(whole_chars(longest)),
    }
}

/// Length without a last character that is incomplete.
fn whole_chars(text: &[u8]) -> usize {
    match std::str::from_utf8(text) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => text.len(),
    }
}

/// Shows a line without its end. Zeros at its end are no text, but a break looks like one.
fn show(line: &[u8], record: &mut Record<'_>) -> Option<()> {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let shown = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if shown > 0 {
        record.text_of("text", shown)?;
    }
    match text.len() - shown {
        0 => Some(()),
        zeros => record.bytes("zeros", zeros),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spytui_plugin_api::Batch;
    use spytui_plugin_host::kit::{Sample, conform, lines};

    use super::*;

    /// Lengths of the rows of these chunks, and what is pending.
    fn rows(chunks: &[&[u8]]) -> (Vec<u32>, usize) {
        let mut batch = Batch::default();
        let mut console = Console { held: Vec::new(), core: 0 };
        let mut pos = 0;
        for chunk in chunks {
            console.bytes(pos, chunk, &mut Output::new(&mut batch, false));
            pos += chunk.len() as u64;
        }
        let mut end = 0;
        for row in &batch.rows {
            assert_eq!(row.pos, end);
            end += u64::from(row.len);
        }
        (batch.rows.iter().map(|row| row.len).collect(), console.held.len())
    }

    #[test]
    fn any_line_end_ends_a_line_wherever_chunks_end() {
        assert_eq!(rows(&[b"a\nbc\r\nd\re"]), (vec![2, 4, 2], 1));
        assert_eq!(rows(&[b"a\r", b"\nb\r", b"c\n\n"]), (vec![3, 2, 2, 1], 0));
        // Whether a line feed follows is not known yet.
        assert_eq!(rows(&[b"a\r"]), (vec![], 2));
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let euros = "€".repeat(400) + "\n";
        assert_eq!(rows(&[euros.as_bytes()]), (vec![1023, 178], 0));
        assert_eq!(rows(&[&[0x80; 2048]]), (vec![1024, 1024], 0));
    }

    #[test]
    fn lines_read_as_they_were_sent_and_what_is_no_text_is_escaped() {
        let text = lines(decoder::<Console>(), &[], "boot größer\r\n\r\n\x1B[1mok\x07\n\0\0\nsh> ".as_bytes());
        assert_eq!(
            text.unwrap(),
            ["LINE  boot größer", "LINE", r"LINE  \x1b[1mok\x07", "LINE  zeros 00 00", "LINE  sh> "]
        );
    }

    #[test]
    fn the_rules_of_the_plugin_api_hold() {
        let long = [b"x".repeat(1500), b"\r\n".to_vec()].concat();
        let samples = [("shell", &b"sh> help\r\nreset\rled on\n\n\xFF\x00\nsh> "[..]), ("long", &long)];
        conform(decoder::<Console>(), &samples.map(|(name, bytes)| Sample { name, opts: Vec::new(), bytes }));
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference_and_no_byte_is_lost(
            bytes in prop::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), any::<u8>()], 0..3000),
            size in 1_usize..1500,
        ) {
            let whole = rows(&[&bytes]);
            prop_assert_eq!(&rows(&bytes.chunks(size).collect::<Vec<_>>()), &whole);
            prop_assert_eq!(whole.0.iter().sum::<u32>() as usize + whole.1, bytes.len());
        }
    }
}
