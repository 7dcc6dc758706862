//! Numbers in groups of three digits.

/// `12 345 678`.
pub fn grouped(number: u64) -> String {
    let mut out = Vec::new();
    push_grouped(number, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends the same to `out`.
pub fn push_grouped(number: u64, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let mut rest = buffer.format(number).as_bytes();
    while let Some((group, behind)) = rest.split_at_checked((rest.len() + 2) % 3 + 1) {
        out.extend_from_slice(group);
        if behind.is_empty() {
            break;
        }
        out.push(b' ');
        rest = behind;
    }
}
