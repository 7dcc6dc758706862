//! Intel HEX and Motorola S-records: records with addresses and checksums.

use super::lines::{Addresses, ByteOrder, LineReader, TakenLine, TextLine, TextSink, hex_bytes, left_out, shown};

#[derive(Debug)]
pub(super) struct IntelHex {
    addresses: Addresses,
    /// Base of record addresses.
    base: u64,
    ended: bool,
}

impl IntelHex {
    pub(super) fn of(lines: &[TextLine]) -> Option<IntelHex> {
        let is_any = lines.iter().any(|line| bytes_of(line.text.trim()).is_some_and(|bytes| is_complete(&bytes)));
        is_any.then(|| IntelHex { addresses: Addresses::new(vec![16]), base: 0, ended: false })
    }
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    hex_bytes(text.strip_prefix(':')?, ByteOrder::Written)
}

fn is_complete(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|len| usize::from(*len) + 5 == bytes.len())
}

impl LineReader for IntelHex {
    fn line(&mut self, line: &TextLine, out: &mut dyn TextSink) -> Result<TakenLine, String> {
        let text = line.text.trim();
        if !text.starts_with(':') {
            return left_out(text, "not an Intel HEX record");
        }
        let bytes = bytes_of(text).filter(|bytes| is_complete(bytes));
        let wrong = |what: &str| format!("{what}: {}", shown(text));
        let Some([_, high, low, kind, data @ .., _]) = bytes.as_deref() else {
            return Err(wrong("the record's length does not match its length byte"));
        };
        if bytes.iter().flatten().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) != 0 {
            return Err(wrong("the checksum is wrong"));
        }
        match (kind, data) {
            (0, []) => {}
            (0, _) => {
                let at = self.base + u64::from(u16::from_be_bytes([*high, *low]));
                self.addresses.line(format!("{at:x}"), data.to_vec(), line.number, out)?;
            }
            (1, _) => self.ended = true,
            (2, [high, low]) => self.base = u64::from(u16::from_be_bytes([*high, *low])) << 4,
            (4, [high, low]) => self.base = u64::from(u16::from_be_bytes([*high, *low])) << 16,
            // The start address of the program.
            (3 | 5, _) => {}
            _ => return Err(wrong("a record of an unknown type")),
        }
        Ok(TakenLine::Data)
    }

    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        self.addresses.finish_records(self.ended, "the end record of Intel HEX", out)
    }

    fn name(&self) -> &'static str {
        "Intel HEX"
    }
}

#[derive(Debug)]
pub(super) struct SRecord {
    addresses: Addresses,
    count: u64,
    ended: bool,
}

impl SRecord {
    pub(super) fn of(lines: &[TextLine]) -> Option<SRecord> {
        let is_any = lines.iter().any(|line| record(line.text.trim()).is_some());
        is_any.then(|| SRecord { addresses: Addresses::new(vec![16]), count: 0, ended: false })
    }
}

/// Type and bytes of a record of the right length.
fn record(text: &str) -> Option<(char, Vec<u8>)> {
    let mut characters = text.strip_prefix('S')?.chars();
    let kind = characters.next().filter(char::is_ascii_digit)?;
    let bytes = hex_bytes(characters.as_str(), ByteOrder::Written)?;
    let is_complete = bytes.first().is_some_and(|len| usize::from(*len) + 1 == bytes.len() && *len >= 3);
    is_complete.then_some((kind, bytes))
}

impl LineReader for SRecord {
    fn line(&mut self, line: &TextLine, out: &mut dyn TextSink) -> Result<TakenLine, String> {
        let text = line.text.trim();
        let wrong = |what: &str| format!("{what}: {}", shown(text));
        let Some((kind, bytes)) = record(text) else {
            let begins = text.starts_with('S') && text.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
            return if begins {
                Err(wrong("the record's length does not match its length byte"))
            } else {
                left_out(text, "no S-record")
            };
        };
        if bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) != 0xFF {
            return Err(wrong("the checksum is wrong"));
        }
        let body = bytes.get(1..bytes.len() - 1).unwrap_or_default();
        let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        match kind {
            '1'..='3' => {
                let width = kind as usize - '0' as usize + 1;
                let (at, data) = body.split_at_checked(width).ok_or_else(|| wrong("an S-record without an address"))?;
                self.count += 1;
                if !data.is_empty() {
                    self.addresses.line(format!("{:x}", number(at)), data.to_vec(), line.number, out)?;
                }
            }
            '5' | '6' if number(body) != self.count => {
                return Err(wrong(&format!("read {} data records, but this record says {}", self.count, number(body))));
            }
            '7'..='9' => self.ended = true,
            '0' | '5' | '6' => {}
            _ => return Err(wrong("an S-record of an unknown type")),
        }
        Ok(TakenLine::Data)
    }

    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        self.addresses.finish_records(self.ended, "the last S-record, S7, S8 or S9,", out)
    }

    fn name(&self) -> &'static str {
        "S-records"
    }
}
