//! Numbers and bytes as they are typed.

/// A number, decimal or 0x.
pub(super) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        // `from_str` would take a sign.
        None if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        None => None,
    }
}

/// What a word of bytes may be, for messages.
pub(super) const BYTES: &str =
    "bytes are 0 to 255, u16:500 (u8 u16 u32 u64 i8 i16 i32 i64 f32 f64), hex:00ff, \"text\"";

/// The bytes of a word, little-endian.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let Some((kind, value)) = text.split_once(':') else {
        return number(text).and_then(|n| u8::try_from(n).ok()).map(|byte| vec![byte]);
    };
    let unsigned = |size: usize| {
        let n = number(value)?;
        (size == 8 || n >> (8 * size) == 0).then(|| n.to_le_bytes()[..size].to_vec())
    };
    let signed = |size: usize| {
        let n = match value.strip_prefix('-') {
            Some(value) => 0_i64.checked_sub_unsigned(number(value)?)?,
            None => i64::try_from(number(value)?).ok()?,
        };
        let half = 1_i128 << (8 * size - 1);
        (-half..half).contains(&n.into()).then(|| n.to_le_bytes()[..size].to_vec())
    };
    match kind {
        "u8" => unsigned(1),
        "u16" => unsigned(2),
        "u32" => unsigned(4),
        "u64" => unsigned(8),
        "i8" => signed(1),
        "i16" => signed(2),
        "i32" => signed(4),
        "i64" => signed(8),
        "f32" => value.parse::<f32>().ok().map(|n| n.to_le_bytes().to_vec()),
        "f64" => value.parse::<f64>().ok().map(|n| n.to_le_bytes().to_vec()),
        "hex" => hex(value),
        _ => None,
    }
}

/// Bytes of an even number of hexadecimal digits.
pub(super) fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_sign_and_must_fit() {
        assert_eq!(number("0xff"), Some(255));
        for wrong in ["", "+1", "-1", "1x", "0x", "18446744073709551616"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn bytes_are_little_endian() {
        assert_eq!(bytes("7"), Some(vec![7]));
        assert_eq!(bytes("u16:0x1234"), Some(vec![0x34, 0x12]));
        assert_eq!(bytes("i16:-2"), Some(vec![0xFE, 0xFF]));
        assert_eq!(bytes("i64:-9223372036854775808"), Some(vec![0, 0, 0, 0, 0, 0, 0, 0x80]));
        assert_eq!(bytes("f32:1"), Some(vec![0, 0, 0x80, 0x3F]));
        assert_eq!(bytes("hex:00aB"), Some(vec![0, 0xAB]));
        for wrong in ["256", "u8:256", "i8:128", "i8:-129", "hex:0", "hex:xy", "f32:x", "q:1", ""] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
