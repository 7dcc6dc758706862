//! One line of the test protocol.

/// Maximum length of a line, including its line end.
pub const MAX_LINE: usize = 160;

/// A parsed frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Core, 0 to 15.
    pub core: u8,
    /// Sequence number, 0 to 15.
    pub seq: u8,
    /// Kind of record.
    pub letter: u8,
    /// Everything between letter and checksum.
    pub args: &'a [u8],
}

/// Why a line is not a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// Shorter than the shortest frame.
    Short,
    /// The checksum is wrong.
    Check,
    /// Anything else.
    Form,
}

/// XOR of all bytes.
pub fn check(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, b| sum ^ b)
}

/// Everything between `$` and `*` of a line.
pub fn body(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let end = line.len().saturating_sub(3);
    line.get(1..end).unwrap_or_default()
}

impl<'a> Frame<'a> {
    /// Parses a line from `$` to its line end.
    ///
    /// # Errors
    /// Why it is not a frame.
    pub fn parse(line: &'a [u8]) -> Result<Frame<'a>, Broken> {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if text.len() < b"$00X*00".len() {
            return Err(Broken::Short);
        }
        let (front, sum) = text.split_at(text.len() - 3);
        let sum = sum.strip_prefix(b"*").and_then(hex).ok_or(Broken::Form)?;
        let body = front.strip_prefix(b"$").ok_or(Broken::Form)?;
        if u64::from(check(body)) != sum {
            return Err(Broken::Check);
        }
        let &[core, seq, letter, ref args @ ..] = body else { return Err(Broken::Short) };
        let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8).ok_or(Broken::Form);
        Ok(Frame { core: digit(core)?, seq: digit(seq)?, letter, args })
    }

    /// The words of the arguments.
    pub fn words(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.args.split(|&b| b == b' ').filter(|w| !w.is_empty())
    }

    /// The n-th word as a hexadecimal number.
    pub fn number(&self, n: usize) -> Option<u64> {
        self.words().nth(n).and_then(hex)
    }
}

/// A hexadecimal number.
pub fn hex(text: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
}

/// Bytes from pairs of hexadecimal digits, up to the first other character.
pub fn unhex(text: &[u8]) -> impl Iterator<Item = u8> {
    text.chunks_exact(2).map_while(hex).map(|n| n as u8)
}

/// Writes a frame.
pub fn line(core: u8, seq: u8, text: &str) -> Vec<u8> {
    let body = format!("{:x}{:x}{text}", core & 15, seq & 15);
    format!("${body}*{:02x}\n", check(body.as_bytes())).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_frame_reads_back() {
        let line = line(3, 15, "S 1f 20");
        let frame = Frame::parse(&line).expect("a frame");
        assert_eq!((frame.core, frame.seq, frame.letter), (3, 15, b'S'));
        assert_eq!((frame.number(0), frame.number(1), frame.number(2)), (Some(0x1f), Some(0x20), None));
        assert_eq!(body(&line), b"3fS 1f 20");
    }

    #[test]
    fn a_broken_line_says_why() {
        assert_eq!(Frame::parse(b"$*0\n"), Err(Broken::Short));
        assert_eq!(Frame::parse(b"$00S 1*ff\n"), Err(Broken::Check));
        assert_eq!(Frame::parse(b"$00S 1 ff\n"), Err(Broken::Form));
    }
}
