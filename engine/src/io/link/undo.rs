//! Takes back what something on the way did to the bytes of a stream, where that can be taken back exactly.

/// What was done to the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// Each LF became CR LF.
    CrLf,
    /// Each byte from 0x80 on became the two bytes of UTF-8 of the character with its number.
    Utf8,
}

/// Restores the bytes of a stream.
#[derive(Debug)]
pub struct Restorer {
    undo: Undo,
    /// A byte that what follows it decides about.
    held: Option<u8>,
    /// Bytes taken.
    taken: u64,
}

impl Restorer {
    /// At the start of a stream.
    pub fn new(undo: Undo) -> Restorer {
        Restorer { undo, held: None, taken: 0 }
    }

    /// Restores `bytes` and appends them to `out`.
    ///
    /// # Errors
    /// They were not changed in that way: what they were can't be known.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        for &byte in bytes {
            match (self.undo, self.held.take()) {
                (Undo::CrLf, None) if byte == b'\r' => self.held = Some(byte),
                (Undo::CrLf, Some(before)) if byte != b'\n' => {
                    out.push(before);
                    match byte {
                        b'\r' => self.held = Some(byte),
                        _ => out.push(byte),
                    }
                }
                (Undo::CrLf, _) => out.push(byte),
                (Undo::Utf8, None) if matches!(byte, 0xC2 | 0xC3) => self.held = Some(byte),
                (Undo::Utf8, None) if byte < 0x80 => out.push(byte),
                (Undo::Utf8, Some(first)) if matches!(byte, 0x80..=0xBF) => out.push(first << 6 | byte & 0x3F),
                (Undo::Utf8, _) => {
                    let at = self.taken;
                    return Err(format!(
                        "byte 0x{byte:02X} at @{at:#x} is not of a byte as UTF-8; without --undo utf8?"
                    ));
                }
            }
            self.taken += 1;
        }
        Ok(())
    }

    /// Ends the stream.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend(self.held.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restored(undo: Undo, bytes: &[u8], size: usize) -> Result<Vec<u8>, String> {
        let (mut restorer, mut out) = (Restorer::new(undo), Vec::new());
        bytes.chunks(size).try_for_each(|piece| restorer.feed(piece, &mut out))?;
        restorer.finish(&mut out);
        Ok(out)
    }

    #[test]
    fn every_sequence_of_bytes_comes_back() {
        let all: Vec<u8> = (0..=255).flat_map(|byte| [byte, b'\r', b'\n', 255 - byte, b'\r', b'\r']).collect();
        let with_cr: Vec<u8> =
            all.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
        let utf8: Vec<u8> = all.iter().map(|&b| char::from(b)).collect::<String>().into_bytes();
        for size in [1, 3, usize::MAX] {
            assert_eq!(restored(Undo::CrLf, &with_cr, size).as_deref(), Ok(&all[..]));
            assert_eq!(restored(Undo::Utf8, &utf8, size).as_deref(), Ok(&all[..]));
        }
    }

    #[test]
    fn bytes_that_are_not_of_utf8_are_an_error_with_their_place() {
        let error = restored(Undo::Utf8, b"ab\xC3\xA9\xE9", 2).unwrap_err();
        assert_eq!(error, "byte 0xE9 at @0x4 is not of a byte as UTF-8; without --undo utf8?");
    }
}
