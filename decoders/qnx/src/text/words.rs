//! Parts of texts.

use spytui_plugin_api::TextWriter;

use super::number;
use crate::record::Whole;

/// Writes a name as the table has it.
pub(crate) fn put(line: &mut TextWriter<'_>, text: &str) {
    line.put(text.as_bytes());
}

/// Writes the name of a kernel call, or its number.
pub(crate) fn call(whole: &Whole<'_>, line: &mut TextWriter<'_>) {
    match whole.layout.name {
        "" => {
            line.byte(b'?');
            number::decimal(line, whole.call().into());
        }
        name => put(line, name),
    }
}

/// Writes what a companion answers: the id of a command and its result.
#[cold]
pub(crate) fn answer([id, result]: [u32; 2], line: &mut TextWriter<'_>) {
    line.put(b"answer to command ");
    number::decimal(line, id.into());
    line.put(b": ");
    number::decimal(line, result.into());
}

/// Writes words as `0x…` of at least so many digits, with blanks between them.
pub(crate) fn hexadecimal(words: impl Iterator<Item = u32>, digits: usize, line: &mut TextWriter<'_>) {
    for (i, word) in words.enumerate() {
        line.put(if i > 0 { b" 0x" } else { b"0x" });
        number::hex_lower(line, word.into(), digits);
    }
}
