//! Lines that are clearly no data: prompts, headings, lines of a log.

/// A line that is shorter needs more that is foreign.
const SHORT: usize = 8;
/// Letters of a word that is no damaged data.
const SHORTEST_WORD: usize = 3;

/// Whether a line is no data, rather than damaged data.
pub(super) fn is_banner(line: &str) -> bool {
    if line.split_whitespace().next().is_some_and(is_command) {
        return true;
    }
    let count = line.chars().filter(|c| !c.is_whitespace()).count();
    let foreign: usize = line.split_whitespace().map(foreign).sum();
    if count >= SHORT { foreign * 3 >= count } else { foreign * 2 > count }
}

/// Whether a line that begins with this word is a command, with or without a prompt: no data begins so.
fn is_command(word: &str) -> bool {
    let is_prompt = word.ends_with(['>', '$', '#', '%']) && !word.starts_with(['<', '|']);
    is_prompt || word == "(gdb)" || word == "(lldb)" || (word.len() >= SHORTEST_WORD && is_word(word))
}

/// Whether these are letters, and not all of them digits.
fn is_word(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && word.chars().any(|c| !c.is_ascii_hexdigit())
}

/// How many characters of a word are not of a dump. A word of letters is foreign as a whole.
fn foreign(word: &str) -> usize {
    let letters = word.trim_matches(|c: char| c.is_ascii_punctuation());
    if is_word(letters) || letters.is_empty() {
        return word.chars().count();
    }
    word.chars().filter(|c| !c.is_ascii_hexdigit() && !"x:,;".contains(*c)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_data_is_no_banner() {
        let banners = [
            "--- BEGIN OF TRACE BUFFER ---",
            "====== end of buffer ======",
            "Trace buffer begins",
            "-----",
            "###",
            "(gdb)",
            "(gdb) x/512bx qs_buf",
            "> mdw 0x20000400 128",
            "mdw 0x20000400 128",
            "=> md 20000400 80",
            "ready",
            "J-Link>",
            "Cannot access memory at address 0x20000600",
        ];
        for banner in banners {
            assert!(is_banner(banner), "{banner}");
        }
        let data = [
            "01 0g fe",
            "01 00 fe 7e 02 40 ff de 0",
            "00000010: 00zz 0c01 0119 cf7e 033d 0010 0020 414f  .......~.=... AO",
            "0x4020 <qs_buf>:\t0x01\t0x00\t0xfz\t0x7e",
            "123",
        ];
        for line in data {
            assert!(!is_banner(line), "{line}");
        }
    }
}
