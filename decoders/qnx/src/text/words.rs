//! Parts of texts.

use spytui_plugin_api::TextWriter;

use super::number;
use crate::record::Words;

/// Whether a byte prints; a line feed does.
pub(crate) fn prints(byte: u8) -> bool {
    (0x20..=0x7E).contains(&byte) || byte == b'\n'
}

/// The text that the first bytes of a message are, word by word: a word with a byte that does not print, or with a NUL,
/// ends it.
pub(crate) fn message(words: Words<'_>, from: usize, count: usize, mut each: impl FnMut(u8)) {
    for word in (from..from + count).filter_map(|at| words.bytes(at)) {
        let text = word.iter().take_while(|&&byte| byte != 0);
        if !text.clone().all(|&byte| prints(byte)) {
            return;
        }
        let len = text.clone().count();
        text.for_each(|&byte| each(byte));
        if len < word.len() {
            return;
        }
    }
}

/// The text of a user event: more than two words, and all bytes before the NUL print.
pub(crate) fn user(words: Words<'_>) -> Option<impl Iterator<Item = u8> + Clone> {
    let text = words.text(0);
    (words.len() > 2 && text.clone().all(prints)).then_some(text)
}

/// Writes `NAME:` or `NAME`, as the table has it.
pub(crate) fn put(line: &mut TextWriter<'_>, text: &str) {
    line.put(text.as_bytes());
}

/// Writes what a companion answers: the id of a command and its result.
#[cold]
pub(crate) fn answer([id, result]: [u32; 2], line: &mut TextWriter<'_>) {
    line.put(b"answer to command ");
    number::decimal(line, id.into());
    line.put(b": ");
    number::decimal(line, result.into());
}

/// Writes bytes, those that do not print too.
pub(crate) fn bytes(line: &mut TextWriter<'_>, text: impl Iterator<Item = u8>) {
    text.for_each(|byte| line.byte(byte));
}

/// Writes all words as `0x…`, with blanks between them.
pub(crate) fn hexadecimal(line: &mut TextWriter<'_>, words: Words<'_>) {
    for (i, word) in (0..words.len()).filter_map(|at| words.word(at)).enumerate() {
        line.put(if i > 0 { b" 0x" } else { b"0x" });
        number::hex_lower(line, word.into(), 8);
    }
}
