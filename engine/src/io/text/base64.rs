//! Base64, including the URL alphabet, in lines of any length and in log lines.

use super::lines::{LineReader, TakenLine, TextLine, TextSink, leading, shape, shown};

/// Minimum length of a banner, unless it has no letter or digit.
const SHORTEST: usize = 8;

#[derive(Debug)]
pub(super) struct Base64 {
    /// Text before the data of a line, without its numbers.
    prefix: String,
    /// Bits of an incomplete group.
    group: Vec<u8>,
    padding: usize,
}

impl Base64 {
    /// A reader if most lines have data after the same prefix. Unless they are `all` lines, it must be beyond doubt.
    pub(super) fn of(lines: &[TextLine], all: bool) -> Option<Base64> {
        let data = lines.iter().filter_map(|line| parts(&line.text));
        let prefix = leading(data.map(|(before, data)| (shape(before), data.len())), all)?;
        Some(Base64 { prefix, group: Vec::new(), padding: 0 })
    }

    /// The data of a line; `None` for a banner.
    fn data<'a>(&self, line: &'a TextLine) -> Option<&'a str> {
        if line.goes_on {
            return Some(&line.text);
        }
        if self.prefix.is_empty() {
            return (!is_banner(&line.text)).then_some(&line.text);
        }
        let (before, data) = line.text.trim_end().rsplit_once(char::is_whitespace)?;
        (shape(before) == self.prefix).then_some(data)
    }

    fn character(&mut self, c: char, out: &mut Vec<u8>) -> Result<(), String> {
        if c == '=' {
            if self.group.len() < 2 {
                return Err("unexpected padding".to_owned());
            }
            self.padding += 1;
        } else {
            let bits = sextet(c).ok_or_else(|| format!("{} is not a base64 character", shown(&c.to_string())))?;
            if self.padding > 0 {
                return Err("a character where padding is expected".to_owned());
            }
            self.group.push(bits);
        }
        if self.group.len() + self.padding == 4 {
            self.end_group(out);
        }
        Ok(())
    }

    /// Decodes a group of two to four characters.
    fn end_group(&mut self, out: &mut Vec<u8>) {
        let bits = (0..4).fold(0, |bits, i| bits << 6 | u32::from(self.group.get(i).copied().unwrap_or(0)));
        let bytes = bits.to_be_bytes();
        out.extend(bytes.iter().skip(1).take(self.group.len().saturating_sub(1)));
        self.group.clear();
        self.padding = 0;
    }
}

impl LineReader for Base64 {
    fn line(&mut self, line: &TextLine, out: &mut dyn TextSink) -> Result<TakenLine, String> {
        let Some(data) = self.data(line) else { return Ok(TakenLine::LeftOut) };
        let mut bytes = Vec::new();
        let characters = data.chars().filter(|c| !c.is_whitespace());
        let result = characters.into_iter().try_for_each(|c| self.character(c, &mut bytes));
        out.bytes(&bytes);
        result.map_err(|wrong| format!("{wrong}: {}", shown(data)))?;
        Ok(TakenLine::Data)
    }

    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        let mut bytes = Vec::new();
        match self.group.len() {
            0 => {}
            1 => return Err("one character too many, or three too few".to_owned()),
            _ => self.end_group(&mut bytes),
        }
        out.bytes(&bytes);
        Ok(())
    }

    fn name(&self) -> &'static str {
        "base64"
    }
}

fn sextet(c: char) -> Option<u8> {
    match c {
        'A'..='Z' => Some(c as u8 - b'A'),
        'a'..='z' => Some(c as u8 - b'a' + 26),
        '0'..='9' => Some(c as u8 - b'0' + 52),
        '+' | '-' => Some(62),
        '/' | '_' => Some(63),
        _ => None,
    }
}

/// The text before the data of a line, and the data.
fn parts(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if !is_banner(line) {
        return Some(("", line));
    }
    let (before, data) = line.rsplit_once(char::is_whitespace)?;
    let is_data = data.trim_end_matches('=').chars().all(|c| sextet(c).is_some());
    (is_data && data.len() >= SHORTEST && !is_banner(data)).then_some((before, data))
}

/// Whether a line is a banner rather than damaged data: at least a third of it is foreign, or it consists of words.
fn is_banner(line: &str) -> bool {
    let line = line.trim();
    let visible = || line.chars().filter(|c| !c.is_whitespace());
    let padding = line.chars().rev().take_while(|c| *c == '=').count().min(2);
    let count = visible().count();
    let foreign = visible().filter(|c| sextet(*c).is_none()).count().saturating_sub(padding);
    let is_uneven = || line.split_whitespace().count() > 1 && line.split_whitespace().any(|word| word.len() % 4 != 0);
    let is_framed = line.starts_with("--") && line.ends_with("--");
    let is_long = count >= SHORTEST || visible().all(|c| c.is_ascii_punctuation());
    is_framed || (is_long && (is_uneven() || (foreign > 0 && foreign * 3 >= count)))
}
