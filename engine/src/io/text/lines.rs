//! Lines of bounded length.

/// Characters of a line that are held. A longer one is read in parts, each up to a separator.
pub(super) const LONGEST: usize = 64 << 10;
/// A digit string without a separator is cut where whole bytes end, in hexadecimal and in base64.
const UNIT: usize = 16;

/// A line, or a part of a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub number: u64,
    /// Without its end.
    pub text: String,
    /// A part of a line that began before.
    pub goes_on: bool,
}

/// Splits text into lines: at LF, CR LF or CR.
#[derive(Debug)]
pub(super) struct Lines {
    number: u64,
    begun: Vec<u8>,
    goes_on: bool,
    after_cr: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Lines { number: 1, begun: Vec::new(), goes_on: false, after_cr: false }
    }
}

impl Lines {
    /// Takes text up to the end of a line, which it returns, and leaves the rest.
    pub(super) fn next(&mut self, text: &mut &[u8]) -> Option<Line> {
        while let Some((&byte, rest)) = text.split_first() {
            *text = rest;
            let is_second = std::mem::replace(&mut self.after_cr, byte == b'\r') && byte == b'\n';
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' => return Some(self.end()),
                _ => {
                    self.begun.push(byte);
                    if self.begun.len() >= LONGEST {
                        return Some(self.part());
                    }
                }
            }
        }
        None
    }

    /// The last line, if it has no end.
    pub(super) fn finish(&mut self) -> Option<Line> {
        (!self.begun.is_empty()).then(|| self.end())
    }

    fn end(&mut self) -> Line {
        let line = self.take(self.begun.len());
        self.number += 1;
        self.goes_on = false;
        line
    }

    fn part(&mut self) -> Line {
        // Commas first: the number of repeats of gdb stands behind a blank.
        let after = |is: fn(&u8) -> bool| self.begun.iter().rposition(is).map(|at| at + 1);
        let end = after(|byte| *byte == b',').or_else(|| after(u8::is_ascii_whitespace));
        let line = self.take(end.unwrap_or(LONGEST / UNIT * UNIT));
        self.goes_on = true;
        line
    }

    fn take(&mut self, len: usize) -> Line {
        let rest = self.begun.split_off(len.min(self.begun.len()));
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.begun, rest)).into_owned();
        Line { number: self.number, text, goes_on: self.goes_on }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut text: &[u8]) -> Vec<(u64, String, bool)> {
        let mut lines = Lines::default();
        let mut all: Vec<Line> = std::iter::from_fn(|| lines.next(&mut text)).collect();
        all.extend(lines.finish());
        all.into_iter().map(|line| (line.number, line.text, line.goes_on)).collect()
    }

    #[test]
    fn every_kind_of_line_end_is_one() {
        let texts = lines(b"a\nb\r\nc\rd\n\ne").into_iter().map(|line| (line.0, line.1)).collect::<Vec<_>>();
        let expected = [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, ""), (6, "e")];
        assert_eq!(texts, expected.map(|(number, text)| (number, text.to_owned())));
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn a_long_line_comes_in_parts() {
        let parts = lines("0x01, ".repeat(30_000).as_bytes());
        assert!(parts.len() > 2 && parts.iter().all(|part| part.0 == 1 && part.1.len() <= LONGEST));
        assert!(parts.iter().all(|part| part.1.trim().ends_with(',')) && !parts[0].2 && parts[1].2);
        let digits = lines("5a".repeat(100_000).as_bytes());
        assert!(digits.iter().all(|part| part.1.len() % 4 == 0));
    }
}
