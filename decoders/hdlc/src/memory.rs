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

    fn text(write: impl FnOnce(&mut Line<'_, Vec<u8>>)) -> String {
        let mut out = Vec::new();
        let mut line = Line::new(&mut out, usize::MAX);
        write(&mut line);
        line.finish();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn items_are_numbers_and_bytes_are_counted() {
        assert_eq!(text(|line| items(2, &[1, 2, 0xAB, 0xCD, 5], line)), "0201 CDAB 05");
        assert_eq!(text(|line| length(&[1, 0xFF], line)), "2 B: 01 FF");
        assert_eq!(text(|line| length(&[], line)), "0 B");
    }
}
