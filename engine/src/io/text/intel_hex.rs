//! Intel HEX: records `:LLAAAATT…CC`.

use super::{
    addresses::{Address, Addresses},
    digits::{Order, hex_bytes, shown},
    form::TextSink,
    line_reader::{LineReader, ReaderName, Taken, left_out},
    lines::Line,
};

/// Reads records of Intel HEX.
#[derive(Debug)]
pub(super) struct IntelHex {
    addresses: Addresses,
    /// What record addresses are counted from.
    base: u64,
    /// The end record came.
    ended: bool,
}

impl IntelHex {
    /// A reader, if a line is a record.
    pub(super) fn of(lines: &[Line]) -> Option<IntelHex> {
        let is_any = lines.iter().any(|line| bytes_of(line.text.trim()).is_some_and(|bytes| is_complete(&bytes)));
        is_any.then(|| IntelHex { addresses: Addresses::new(vec![16]), base: 0, ended: false })
    }
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    hex_bytes(text.strip_prefix(':')?, Order::Written)
}

fn is_complete(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|len| usize::from(*len) + 5 == bytes.len())
}

impl LineReader for IntelHex {
    fn line(&mut self, line: &Line, out: &mut dyn TextSink) -> Result<Taken, String> {
        let text = line.text.trim();
        if !text.starts_with(':') {
            return left_out(text, "no record of Intel HEX");
        }
        let bytes = bytes_of(text).filter(|bytes| is_complete(bytes));
        let wrong = |what: &str| format!("{what}: {}", shown(text));
        let Some([_, high, low, kind, data @ .., _]) = bytes.as_deref() else {
            return Err(wrong("a record of another length than it says"));
        };
        if bytes.iter().flatten().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) != 0 {
            return Err(wrong("the check sum is wrong"));
        }
        match (kind, data) {
            (0, []) => {}
            (0, _) => {
                let at = self.base + u64::from(u16::from_be_bytes([*high, *low]));
                self.addresses.line(Address::known(at), data.to_vec(), line.number, out)?;
            }
            (1, _) => self.ended = true,
            (2, [high, low]) => self.base = u64::from(u16::from_be_bytes([*high, *low])) << 4,
            (4, [high, low]) => self.base = u64::from(u16::from_be_bytes([*high, *low])) << 16,
            // Where the program starts.
            (3 | 5, _) => {}
            _ => return Err(wrong("a record of an unknown type")),
        }
        Ok(Taken::Data)
    }

    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        self.addresses.finish_records(self.ended, "the end record of Intel HEX", out)
    }

    fn name(&self) -> ReaderName {
        ReaderName::plain("Intel HEX")
    }
}
