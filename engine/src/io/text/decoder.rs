//! Converts text in pieces to bytes. The first lines determine how it is read. The same readers recognise such files.

use std::{fs::File, io::Read, path::Path};

use super::{
    array::Array,
    base64::Base64,
    csv::{Can, Csv},
    dump::{DumpLayout, DumpReader},
    hex_records::{IntelHex, SRecord},
    lines::{LONGEST, LineReader, TakenLine, TextError, TextForm, TextLine, TextLines, TextSink, is_banner, shown},
};

/// Number of lines examined one by one; after that, whenever their number doubles.
const EACH: usize = 8;
const QUOTED: usize = 3;

#[derive(Debug, Default)]
pub struct TextDecoder {
    form: TextForm,
    characters: Characters,
    lines: TextLines,
    reader: Option<Box<dyn LineReader>>,
    /// Lines not read by a reader yet.
    begun: Vec<TextLine>,
    begun_len: usize,
    line: u64,
    left_out: LeftOut,
    /// Number of characters in data lines.
    data: usize,
}

#[derive(Debug, Default)]
struct LeftOut {
    count: u64,
    characters: usize,
    quoted: Vec<String>,
}

impl LeftOut {
    fn add(&mut self, line: &TextLine) {
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
    pub fn new(form: TextForm) -> TextDecoder {
        TextDecoder { form, line: 1, ..TextDecoder::default() }
    }

    pub fn feed(&mut self, text: &[u8], out: &mut dyn TextSink) -> Result<(), TextError> {
        let text = self.characters.feed(text);
        self.take(&text, out)
    }

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

    fn take(&mut self, mut text: &[u8], out: &mut dyn TextSink) -> Result<(), TextError> {
        while let Some(line) = self.lines.next(&mut text) {
            self.line(line, out)?;
        }
        Ok(())
    }

    fn line(&mut self, line: TextLine, out: &mut dyn TextSink) -> Result<(), TextError> {
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

    fn read(&mut self, line: &TextLine, out: &mut dyn TextSink) -> Result<(), TextError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        self.line = line.number;
        match reader.line(line, out).map_err(|what| TextError { line: line.number, what })? {
            TakenLine::Data => self.data += line.text.len(),
            TakenLine::LeftOut => self.left_out.add(line),
        }
        Ok(())
    }

    /// Chooses a reader for the lines so far; with `all`, no more lines will follow.
    fn choose(&mut self, all: bool, out: &mut dyn TextSink) -> Result<(), TextError> {
        if self.reader.is_some() || self.begun.is_empty() {
            return Ok(());
        }
        let Some(reader) = reader_of(self.form, &self.begun, all) else {
            return if all { Err(unknown(self.form, &self.begun)) } else { Ok(()) };
        };
        reader.words().into_iter().for_each(|words| out.remark(format!("{}: {words}", reader.name())));
        self.reader = Some(reader);
        std::mem::take(&mut self.begun).iter().try_for_each(|line| self.read(line, out))
    }
}

/// The reader for some lines; `None` if more are needed, or none fits.
fn reader_of(form: TextForm, lines: &[TextLine], all: bool) -> Option<Box<dyn LineReader>> {
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
    DumpLayout::of(lines, all, form.order()).map(|layout| boxed(DumpReader::new(layout)))
}

fn unknown(form: TextForm, lines: &[TextLine]) -> TextError {
    let what = if form == TextForm::Base64 { "base64" } else { "a hex dump or another form of hexadecimal data" };
    let first = lines.iter().find(|line| !is_banner(&line.text)).or(lines.first());
    let (line, text) = first.map_or((1, ""), |line| (line.number, line.text.as_str()));
    TextError { line, what: format!("not {what}: {}", shown(text)) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Bytes,
    Little,
    Big,
}

/// Converts encoded text in pieces to UTF-8; other bytes are kept.
#[derive(Debug, Default)]
pub(super) struct Characters {
    encoding: Option<Encoding>,
    /// At most three bytes that can't be decoded yet.
    begun: Vec<u8>,
}

/// The UTF-8 byte order mark.
const MARK: &[u8] = b"\xEF\xBB\xBF";

impl Characters {
    pub(super) fn feed(&mut self, piece: &[u8]) -> Vec<u8> {
        self.begun.extend_from_slice(piece);
        if self.encoding.is_none() && self.begun.len() < MARK.len() { Vec::new() } else { self.decode(false) }
    }

    pub(super) fn finish(&mut self) -> Vec<u8> {
        let mut out = self.decode(true);
        // Half of a UTF-16 unit.
        out.append(&mut self.begun);
        out
    }

    fn decode(&mut self, is_end: bool) -> Vec<u8> {
        let encoding = self.encoding.unwrap_or_else(|| self.recognise());
        self.encoding = Some(encoding);
        let unit = match encoding {
            Encoding::Bytes => return std::mem::take(&mut self.begun),
            Encoding::Little => u16::from_le_bytes,
            Encoding::Big => u16::from_be_bytes,
        };
        let (mut pairs, _) = self.begun.as_chunks::<2>();
        // The other half of a character may follow in the next piece.
        if let Some((last, before)) = pairs.split_last()
            && !is_end
            && matches!(unit(*last), 0xD800..0xDC00)
        {
            pairs = before;
        }
        let decoded = 2 * pairs.len();
        let text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
            .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        self.begun.drain(..decoded);
        text.into_bytes()
    }

    /// Recognises the encoding by its byte order mark, or by the zeros of ASCII in UTF-16, and removes the mark.
    fn recognise(&mut self) -> Encoding {
        let (encoding, mark) = match self.begun.as_slice() {
            [0xEF, 0xBB, 0xBF, ..] => (Encoding::Bytes, MARK.len()),
            [0xFF, 0xFE, ..] => (Encoding::Little, 2),
            [0xFE, 0xFF, ..] => (Encoding::Big, 2),
            [first, 0, third, ..] if *first != 0 && *third != 0 => (Encoding::Little, 0),
            [0, second, 0, ..] if *second != 0 => (Encoding::Big, 0),
            _ => (Encoding::Bytes, 0),
        };
        self.begun.drain(..mark);
        encoding
    }
}

/// Bytes of a file that are examined.
const LOOKED_AT: usize = 32 << 10;
/// Minimum number of bytes that a text must decode to.
const FEWEST: usize = 16;
/// The minimum for base64, which words may resemble.
const FEWEST_OF_BASE64: usize = 48;

/// What the named file is that begins with `sample`, and how to read it; `None` if it is not text that encodes bytes.
pub fn recognise(name: &str, sample: &[u8]) -> Option<String> {
    let hint = |what: &str, input: &str| format!("{name} is {what}: --input {input} reads the bytes it encodes");
    let sample = sample.get(..LOOKED_AT).unwrap_or(sample);
    let mut characters = Characters::default();
    let mut text = characters.feed(sample);
    text.extend(characters.finish());
    if !is_text(&text) {
        return None;
    }
    if decoded(sample, TextForm::Hex, FEWEST).is_some() {
        return Some(hint("a hex dump", "hex"));
    }
    let bytes = decoded(sample, TextForm::Base64, FEWEST_OF_BASE64)?;
    (!is_text(&bytes)).then(|| hint("base64", "base64"))
}

/// Advice for a file that is text encoding bytes; `None` for any other file.
pub fn text_hint(path: &Path) -> Option<String> {
    let mut sample = Vec::new();
    // A named pipe would wait for its writer.
    let file = path.is_file().then(|| File::open(path).ok())??;
    file.take(LOOKED_AT as u64).read_to_end(&mut sample).ok()?;
    recognise(&path.display().to_string(), &sample)
}

fn decoded(sample: &[u8], form: TextForm, fewest: usize) -> Option<Vec<u8>> {
    let (mut decoder, mut bytes) = (TextDecoder::new(form), Vec::new());
    // A truncated sample is no error; damage is reported when the text is read.
    let _ = decoder.feed(sample, &mut bytes);
    if sample.len() < LOOKED_AT || bytes.len() < fewest {
        let _ = decoder.finish(&mut bytes);
    }
    (bytes.len() >= fewest && decoder.data > decoder.left_out.characters).then_some(bytes)
}

fn is_text(bytes: &[u8]) -> bool {
    let printable = bytes.iter().filter(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()).count();
    !bytes.is_empty() && printable * 20 > bytes.len() * 19
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], size: usize) -> String {
        let mut characters = Characters::default();
        let mut out: Vec<u8> = bytes.chunks(size).flat_map(|piece| characters.feed(piece)).collect();
        out.extend(characters.finish());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn marks_and_utf_16_are_taken_off_in_any_pieces() {
        let utf16 = |unit: fn(u16) -> [u8; 2], text: &str| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        for size in [1, 2, 3, 100] {
            assert_eq!(decoded("\u{FEFF}01 äé".as_bytes(), size), "01 äé");
            assert_eq!(decoded(b"01", size), "01");
            assert_eq!(decoded(b"", size), "");
            for text in ["01 fe\r\n", "\u{FEFF}01 fe\r\n"] {
                assert_eq!(decoded(&utf16(u16::to_le_bytes, text), size), "01 fe\r\n");
                assert_eq!(decoded(&utf16(u16::to_be_bytes, text), size), "01 fe\r\n");
            }
        }
    }
}
