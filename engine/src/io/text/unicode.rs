//! Byte order marks and UTF-16.

/// How characters are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Bytes,
    Little,
    Big,
}

/// Text in pieces to bytes that are UTF-8, or whatever stood there.
#[derive(Debug, Default)]
pub(super) struct Characters {
    encoding: Option<Encoding>,
    /// What can't be decided or decoded yet: at most three bytes.
    begun: Vec<u8>,
}

/// The UTF-8 byte order mark.
const MARK: &[u8] = b"\xEF\xBB\xBF";

impl Characters {
    /// Decodes a piece.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Vec<u8> {
        self.begun.extend_from_slice(piece);
        if self.encoding.is_none() && self.begun.len() < MARK.len() {
            return Vec::new();
        }
        self.decode()
    }

    /// What is left at the end.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let mut out = self.decode();
        // Half of a unit of UTF-16.
        out.append(&mut self.begun);
        out
    }

    fn decode(&mut self) -> Vec<u8> {
        let encoding = match self.encoding {
            Some(encoding) => encoding,
            None => self.recognise(),
        };
        self.encoding = Some(encoding);
        let unit = match encoding {
            Encoding::Bytes => return std::mem::take(&mut self.begun),
            Encoding::Little => u16::from_le_bytes,
            Encoding::Big => u16::from_be_bytes,
        };
        let (pairs, rest) = self.begun.as_chunks::<2>();
        let text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
            .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        self.begun = rest.to_vec();
        text.into_bytes()
    }

    /// Recognises the encoding by its mark, or by the zeros of ASCII in UTF-16, and takes the mark off.
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
