//! Lines to bytes.

use super::{
    super::{
        addresses::{Address, Addresses, REPEATS_WHAT},
        digits::{Order, after_0x, hex_bytes, is_hex, shown},
        form::TextSink,
        line_reader::{LineReader, ReaderName, Taken, left_out},
        lines::Line,
        prefix::shape,
    },
    layout::{Layout, scan_line},
    scan::{Mark, Scan},
    tokens::tokens,
};

/// Reads lines of one layout.
#[derive(Debug)]
pub(in super::super) struct DumpReader {
    layout: Layout,
    addresses: Addresses,
}

impl DumpReader {
    pub(in super::super) fn new(layout: Layout) -> DumpReader {
        DumpReader { addresses: Addresses::new(layout.bases.clone()), layout }
    }

    /// The address that a line of nothing else has: the end of a dump.
    fn last_address(&self, text: &str) -> Option<Address> {
        self.layout.mark?;
        let bare = text.strip_suffix(':').unwrap_or(text);
        Address::new(after_0x(bare).unwrap_or(bare)).filter(|_| bare.len() > 2)
    }

    /// Address and words of a line; `None` if it has another layout.
    fn parts(&self, line: &Line) -> Option<(Option<Address>, Vec<String>)> {
        let Scan { at, mut words, .. } = scan_line(line, self.layout.mark.is_some()).filter(|scan| {
            let goes_on = line.goes_on && self.layout.mark.is_none();
            goes_on || self.layout.is_of(scan) || self.has_long_address(scan)
        })?;
        let address = match (at, self.layout.mark) {
            (Some(at), _) => Address::new(at.digits),
            (None, Some(_)) => Address::new(&words.remove(0)),
            (None, None) => None,
        };
        Some((address, words))
    }

    /// Whether the first word is an address that has become as long as the words behind it.
    fn has_long_address(&self, scan: &Scan<'_>) -> bool {
        let has_no_mark = self.layout.mark == Some(Mark::Blank) && scan.at.is_none();
        has_no_mark && scan.words.len() > 1 && shape(scan.prefix) == self.layout.prefix
    }

    fn bytes(&self, words: &[String]) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        for word in words {
            let octal = self.layout.is_octal.then(|| u16::from_str_radix(word, 8).ok());
            let of_word = match octal {
                Some(value) => value.map(|value| match self.layout.order {
                    Order::Little => value.to_le_bytes().to_vec(),
                    Order::Written => value.to_be_bytes().to_vec(),
                }),
                None => hex_bytes(word, self.layout.order),
            };
            bytes.extend(of_word.ok_or_else(|| format!("{} is no number of this base", shown(word)))?);
        }
        Ok(bytes)
    }

    /// A line that is not of this layout.
    fn other(&self, text: &str) -> Result<Taken, String> {
        if let Some(odd) = tokens(text).iter().find(|token| is_odd(token.text)) {
            let wrong = format!("a digit without its other half in {}", shown(odd.text));
            return left_out(self.behind_prefix(text), &wrong);
        }
        let begins_with_address = self.layout.mark.is_some_and(|mark| mark != Mark::Blank)
            && self.layout.prefix.is_empty()
            && text.split_once([':', '=', '<']).is_some_and(|(at, _)| is_hex(after_0x(at.trim()).unwrap_or(at.trim())));
        if begins_with_address {
            return Err(format!("no data behind this address: {}", shown(text)));
        }
        left_out(self.behind_prefix(text), "not of the form of the lines before it")
    }

    /// A line without what stands before the data of others.
    fn behind_prefix<'a>(&self, text: &'a str) -> &'a str {
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).take(MOST_PREFIX);
        let is_prefix = |end: &usize| text.get(..*end).is_some_and(|start| shape(start) == self.layout.prefix);
        let end = if self.layout.prefix.is_empty() { None } else { ends.filter(is_prefix).last() };
        end.and_then(|end| text.get(end..)).unwrap_or(text)
    }
}

/// Characters of a prefix that are looked at.
const MOST_PREFIX: usize = 120;

fn is_odd(word: &str) -> bool {
    let digits = after_0x(word).unwrap_or(word);
    is_hex(digits) && digits.len() % 2 == 1
}

impl LineReader for DumpReader {
    fn line(&mut self, line: &Line, out: &mut dyn TextSink) -> Result<Taken, String> {
        let text = line.text.trim();
        if text.is_empty() {
            return Ok(Taken::Data);
        }
        if text == "*" {
            self.layout.mark.ok_or(REPEATS_WHAT)?;
            return self.addresses.repeat().map(|()| Taken::Data);
        }
        if let Some(address) = self.last_address(text) {
            self.addresses.line(address, Vec::new(), line.number, out)?;
            return Ok(Taken::Data);
        }
        let Some((address, words)) = self.parts(line) else { return self.other(text) };
        let bytes = self.bytes(&words)?;
        match address {
            Some(address) => self.addresses.line(address, bytes, line.number, out)?,
            None => out.bytes(&bytes),
        }
        Ok(Taken::Data)
    }

    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        self.addresses.finish(out)
    }

    fn name(&self) -> ReaderName {
        ReaderName { what: "a hex dump", words: self.layout.words.clone() }
    }
}
