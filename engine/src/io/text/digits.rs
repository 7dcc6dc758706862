//! Digits to bytes.

/// Order of the bytes of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As the digits stand.
    Written,
    /// Least significant byte first.
    Little,
}

/// The bytes that an even number of hexadecimal digits stands for; `None` if there are others.
pub(super) fn hex_bytes(digits: &str, order: Order) -> Option<Vec<u8>> {
    let (pairs, odd) = digits.as_bytes().as_chunks::<2>();
    let mut bytes =
        pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect::<Option<Vec<u8>>>()?;
    if order == Order::Little {
        bytes.reverse();
    }
    odd.is_empty().then_some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// Whether these are hexadecimal digits, at least one.
pub(super) fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The hexadecimal digits behind `0x`.
pub(super) fn after_0x(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).filter(|digits| is_hex(digits))
}

/// Text for a message: not too long, and nothing that a terminal obeys.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let text = text.trim();
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}
