//! Text in pieces to bytes: looks at the first lines, chooses a reader, hands it line after line.

use std::io::{self, Read};

use super::{
    array::Array,
    banner::is_banner,
    base64::Base64,
    can::Can,
    csv::Csv,
    digits::shown,
    dump::{DumpReader, Layout},
    form::{TextError, TextForm, TextSink},
    intel_hex::IntelHex,
    line_reader::{LineReader, Taken},
    lines::{LONGEST, Line, Lines},
    s_record::SRecord,
    unicode::Characters,
};

/// Each further line is looked at up to this number, then whenever there are twice as many.
const EACH: usize = 8;
/// Lines that are quoted.
const QUOTED: usize = 3;

/// Incremental decoder.
#[derive(Debug)]
pub struct TextDecoder {
    form: TextForm,
    characters: Characters,
    lines: Lines,
    reader: Option<Box<dyn LineReader>>,
    /// Lines that no reader has read yet.
    begun: Vec<Line>,
    begun_len: usize,
    line: u64,
    left_out: LeftOut,
    /// Characters of lines of data.
    data: usize,
}

/// Lines that are no data.
#[derive(Debug, Default)]
struct LeftOut {
    count: u64,
    characters: usize,
    quoted: Vec<String>,
}

impl LeftOut {
    fn add(&mut self, line: &Line) {
        self.count += 1;
        self.characters += line.text.len();
        if self.quoted.len() < QUOTED {
            self.quoted.push(format!("{} {}", line.number, shown(&line.text)));
        }
    }

    fn remark(&self) -> Option<String> {
        let (first, lines) = (self.quoted.join(", "), if self.count == 1 { "line" } else { "lines" });
        let more = if self.count > QUOTED as u64 { ", …" } else { "" };
        (self.count > 0).then(|| format!("{} {lines} without data left out: {first}{more}", self.count))
    }
}

impl TextDecoder {
    /// A decoder at the start of a text.
    pub fn new(form: TextForm) -> TextDecoder {
        TextDecoder {
            form,
            characters: Characters::default(),
            lines: Lines::default(),
            reader: None,
            begun: Vec::new(),
            begun_len: 0,
            line: 1,
            left_out: LeftOut::default(),
            data: 0,
        }
    }

    /// Decodes a piece of text.
    ///
    /// # Errors
    /// A line that can't be read.
    pub fn feed(&mut self, text: &[u8], out: &mut dyn TextSink) -> Result<(), TextError> {
        let text = self.characters.feed(text);
        self.take(&text, out)
    }

    /// Ends the text.
    ///
    /// # Errors
    /// It ends within something, or has no data.
    pub fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), TextError> {
        let rest = self.characters.finish();
        self.take(&rest, out)?;
        if let Some(line) = self.lines.finish() {
            self.line(line, out)?;
        }
        self.choose(true, out)?;
        let end = self.reader.as_mut().map_or(Ok(()), |reader| reader.finish(out));
        end.map_err(|what| TextError { line: self.line, what })?;
        self.left_out.remark().into_iter().for_each(|text| out.remark(text));
        match self.data {
            0 if self.left_out.count > 0 => Err(TextError { line: self.line, what: "no line has data".to_owned() }),
            _ => Ok(()),
        }
    }

    /// How many characters the lines of data have, and those that were left out.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.data, self.left_out.characters)
    }

    fn take(&mut self, mut text: &[u8], out: &mut dyn TextSink) -> Result<(), TextError> {
        while let Some(line) = self.lines.next(&mut text) {
            self.line(line, out)?;
        }
        Ok(())
    }

    fn line(&mut self, line: Line, out: &mut dyn TextSink) -> Result<(), TextError> {
        if line.text.trim().is_empty() {
            return Ok(());
        }
        if self.reader.is_some() {
            return self.read(&line, out);
        }
        self.begun_len += line.text.len();
        self.begun.push(line);
        let (count, is_full) = (self.begun.len(), self.begun_len >= LONGEST / 2);
        if is_full || count <= EACH || count.is_power_of_two() {
            self.choose(is_full, out)?;
        }
        Ok(())
    }

    fn read(&mut self, line: &Line, out: &mut dyn TextSink) -> Result<(), TextError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        self.line = line.number;
        match reader.line(line, out).map_err(|what| TextError { line: line.number, what })? {
            Taken::Data => self.data += line.text.len(),
            Taken::LeftOut => self.left_out.add(line),
        }
        Ok(())
    }

    /// Chooses the reader of the lines so far; with `all` there is no waiting for more.
    fn choose(&mut self, all: bool, out: &mut dyn TextSink) -> Result<(), TextError> {
        if self.reader.is_some() || self.begun.is_empty() {
            return Ok(());
        }
        let Some(reader) = reader_of(self.form, &self.begun, all) else {
            return if all { Err(unknown(self.form, &self.begun)) } else { Ok(()) };
        };
        let name = reader.name();
        name.words.into_iter().for_each(|words| out.remark(format!("{}: {words}", name.what)));
        self.reader = Some(reader);
        std::mem::take(&mut self.begun).iter().try_for_each(|line| self.read(line, out))
    }
}

/// The reader of some lines; `None` if more are needed, or none knows them.
fn reader_of(form: TextForm, lines: &[Line], all: bool) -> Option<Box<dyn LineReader>> {
    fn boxed<R: LineReader + 'static>(reader: R) -> Box<dyn LineReader> {
        Box::new(reader)
    }
    if form == TextForm::Base64 {
        return Base64::of(lines, all).map(boxed);
    }
    let known =
        IntelHex::of(lines).map(boxed).or_else(|| SRecord::of(lines).map(boxed)).or_else(|| Can::of(lines).map(boxed));
    if known.is_some() {
        return known;
    }
    if let Some(csv) = Csv::of(lines, all) {
        return csv.map(boxed);
    }
    if let Some(array) = Array::of(lines, all, form.order()) {
        return array.map(boxed);
    }
    Layout::of(lines, all, form.order()).map(|layout| boxed(DumpReader::new(layout)))
}

/// The error for lines that no reader knows.
fn unknown(form: TextForm, lines: &[Line]) -> TextError {
    let what = if form == TextForm::Base64 { "base64" } else { "a hex dump or another form of hexadecimal data" };
    let first = lines.iter().find(|line| !is_banner(&line.text)).or(lines.first());
    let (line, text) = first.map_or((1, ""), |line| (line.number, line.text.as_str()));
    TextError { line, what: format!("not {what}: {}", shown(text)) }
}

/// The first `most` bytes that a text stands for.
///
/// # Errors
/// It can't be read, or is wrong before that.
pub fn beginning(mut text: impl Read, form: TextForm, most: usize) -> io::Result<Vec<u8>> {
    let (mut decoder, mut piece, mut bytes) = (TextDecoder::new(form), [0; 1 << 14], Vec::new());
    while bytes.len() < most {
        let len = text.read(&mut piece)?;
        let decoded = match len {
            0 => decoder.finish(&mut bytes),
            _ => decoder.feed(piece.get(..len).unwrap_or_default(), &mut bytes),
        };
        decoded.map_err(io::Error::other)?;
        if len == 0 {
            break;
        }
    }
    bytes.truncate(most);
    Ok(bytes)
}
