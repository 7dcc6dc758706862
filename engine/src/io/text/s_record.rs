//! S-records: `S1LLAAAA…CC`.

use super::{
    addresses::{Address, Addresses},
    digits::{Order, hex_bytes, shown},
    form::TextSink,
    line_reader::{LineReader, ReaderName, Taken, left_out},
    lines::Line,
};

/// Reads S-records.
#[derive(Debug)]
pub(super) struct SRecord {
    addresses: Addresses,
    /// Data records so far.
    count: u64,
    /// The end record came.
    ended: bool,
}

impl SRecord {
    /// A reader, if a line is a record.
    pub(super) fn of(lines: &[Line]) -> Option<SRecord> {
        let is_any = lines.iter().any(|line| record(line.text.trim()).is_some());
        is_any.then(|| SRecord { addresses: Addresses::new(vec![16]), count: 0, ended: false })
    }
}

/// Type and bytes of a record of the right length.
fn record(text: &str) -> Option<(char, Vec<u8>)> {
    let mut characters = text.strip_prefix('S')?.chars();
    let kind = characters.next().filter(char::is_ascii_digit)?;
    let bytes = hex_bytes(characters.as_str(), Order::Written)?;
    let is_complete = bytes.first().is_some_and(|len| usize::from(*len) + 1 == bytes.len() && *len >= 3);
    is_complete.then_some((kind, bytes))
}

impl LineReader for SRecord {
    fn line(&mut self, line: &Line, out: &mut dyn TextSink) -> Result<Taken, String> {
        let text = line.text.trim();
        let wrong = |what: &str| format!("{what}: {}", shown(text));
        let Some((kind, bytes)) = record(text) else {
            let begins = text.starts_with('S') && text.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
            return if begins {
                Err(wrong("an S-record of another length than it says"))
            } else {
                left_out(text, "no S-record")
            };
        };
        if bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) != 0xFF {
            return Err(wrong("the check sum is wrong"));
        }
        let body = bytes.get(1..bytes.len() - 1).unwrap_or_default();
        let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        match kind {
            '1'..='3' => {
                let width = kind as usize - '0' as usize + 1;
                let (at, data) = body.split_at_checked(width).ok_or_else(|| wrong("an S-record without an address"))?;
                self.count += 1;
                if !data.is_empty() {
                    self.addresses.line(Address::known(number(at)), data.to_vec(), line.number, out)?;
                }
            }
            '5' | '6' if number(body) != self.count => {
                return Err(wrong(&format!("{} data records came, this says {}", self.count, number(body))));
            }
            '7'..='9' => self.ended = true,
            '0' | '5' | '6' => {}
            _ => return Err(wrong("an S-record of an unknown type")),
        }
        Ok(Taken::Data)
    }

    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        self.addresses.finish_records(self.ended, "the last S-record, S7, S8 or S9,", out)
    }

    fn name(&self) -> ReaderName {
        ReaderName::plain("S-records")
    }
}
