//! Hex dumps.

use spytui_plugin_api::TextWriter;

use crate::number;

/// Writes items of `size` bytes each, least significant byte first.
pub fn items(size: u64, bytes: &[u8], line: &mut TextWriter<'_>) {
    for (i, item) in bytes.chunks(size.clamp(1, 8) as usize).enumerate() {
        if i > 0 {
            line.byte(b' ');
        }
        item.iter().rev().for_each(|&b| number::byte(line, b));
    }
}

/// Writes single bytes.
pub fn bytes(bytes: &[u8], line: &mut TextWriter<'_>) {
    items(1, bytes, line);
}

/// Writes the number of bytes, then the bytes.
pub fn length(payload: &[u8], line: &mut TextWriter<'_>) {
    number::decimal(line, payload.len() as u64);
    line.put(b" B");
    if !payload.is_empty() {
        line.put(b": ");
        bytes(payload, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_numbers_and_bytes_are_counted() {
        let out = TextWriter::text_of(|line| {
            items(2, &[1, 2, 0xAB, 0xCD, 5], line);
            line.put(b", ");
            length(&[1, 0xFF], line);
            line.put(b", ");
            length(&[], line);
        });
        assert_eq!(out, b"0201 CDAB 05, 2 B: 01 FF, 0 B");
    }
}
