//! Bytes of the target in hexadecimals.

use crate::{
    line::{Line, Sink},
    number,
};

/// Bytes, as items of `size` bytes each, least byte first.
pub fn items<S: Sink>(size: u64, bytes: &[u8], line: &mut Line<'_, S>) {
    for (i, item) in bytes.chunks(size.clamp(1, 8) as usize).enumerate() {
        if i > 0 {
            line.byte(b' ');
        }
        item.iter().rev().for_each(|&b| number::byte(line, b));
    }
}

/// Bytes one by one.
pub fn bytes<S: Sink>(bytes: &[u8], line: &mut Line<'_, S>) {
    items(1, bytes, line);
}

/// How many bytes, and which.
pub fn length<S: Sink>(payload: &[u8], line: &mut Line<'_, S>) {
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
        let mut out = Vec::new();
        let mut line = Line::new(&mut out, usize::MAX);
        items(2, &[1, 2, 0xAB, 0xCD, 5], &mut line);
        line.put(b", ");
        length(&[1, 0xFF], &mut line);
        line.put(b", ");
        length(&[], &mut line);
        line.finish();
        assert_eq!(out, b"0201 CDAB 05, 2 B: 01 FF, 0 B");
    }
}
