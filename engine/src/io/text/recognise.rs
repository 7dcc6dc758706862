//! Whether a file is text that stands for bytes.

use std::{fs::File, io::Read, path::Path};

use super::{decoder::TextDecoder, form::TextForm, unicode::Characters};

/// Bytes of a file that are looked at.
const LOOKED_AT: usize = 32 << 10;
/// Bytes that a text must stand for.
const FEWEST: usize = 16;
/// The same of base64, as which words can be read, too.
const FEWEST_OF_BASE64: usize = 48;

/// A form that a file has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// What it is, in words.
    pub what: &'static str,
    /// The value of `--input`.
    pub input: &'static str,
}

impl Recognised {
    /// What the file of this name is, and how it is read.
    pub fn hint(&self, name: &str) -> String {
        let Recognised { what, input } = self;
        format!("{name} is {what}: --input {input} reads the bytes that it stands for")
    }
}

/// The form of a file that begins with `sample`; `None` if it is no such text.
pub fn recognise(sample: &[u8]) -> Option<Recognised> {
    let sample = sample.get(..LOOKED_AT).unwrap_or(sample);
    let mut characters = Characters::default();
    let mut text = characters.feed(sample);
    text.extend(characters.finish());
    if !is_text(&text) {
        return None;
    }
    if decoded(sample, TextForm::Hex, FEWEST).is_some() {
        return Some(Recognised { what: "a hex dump", input: "hex" });
    }
    let bytes = decoded(sample, TextForm::Base64, FEWEST_OF_BASE64)?;
    (!is_text(&bytes)).then_some(Recognised { what: "base64", input: "base64" })
}

/// What to do with a file that is text which stands for bytes; `None` for any other file.
pub fn text_hint(path: &Path) -> Option<String> {
    let mut sample = Vec::new();
    // A named pipe would wait for its writer.
    let file = path.is_file().then(|| File::open(path).ok())??;
    file.take(LOOKED_AT as u64).read_to_end(&mut sample).ok()?;
    recognise(&sample).map(|text| text.hint(&path.display().to_string()))
}

fn decoded(sample: &[u8], form: TextForm, fewest: usize) -> Option<Vec<u8>> {
    let (mut decoder, mut bytes) = (TextDecoder::new(form), Vec::new());
    // What was cut off is no error; damage is said when the text is read.
    let _ = decoder.feed(sample, &mut bytes);
    if sample.len() < LOOKED_AT || bytes.len() < fewest {
        let _ = decoder.finish(&mut bytes);
    }
    let (data, left_out) = decoder.counts();
    (bytes.len() >= fewest && data > left_out).then_some(bytes)
}

fn is_text(bytes: &[u8]) -> bool {
    let printable = bytes.iter().filter(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()).count();
    !bytes.is_empty() && printable * 20 > bytes.len() * 19
}
