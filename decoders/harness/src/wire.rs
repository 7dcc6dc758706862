//! Frames of HDLC-like streams. Written apart from `spytui-hdlc`, whose reading they test.

/// A frame on the wire: `plain` with flags and escapes in it escaped, and the flag behind it.
#[must_use]
pub fn stuffed(plain: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    for &byte in plain {
        if matches!(byte, 0x7D | 0x7E) {
            wire.extend([0x7D, byte ^ 0x20]);
        } else {
            wire.push(byte);
        }
    }
    wire.push(0x7E);
    wire
}

#[cfg(test)]
mod tests {
    use super::stuffed;

    #[test]
    fn flags_and_escapes_are_escaped() {
        assert_eq!(stuffed(&[1, 0x7E, 0x7D, 2]), [1, 0x7D, 0x5E, 0x7D, 0x5D, 2, 0x7E]);
        assert_eq!(stuffed(&[]), [0x7E]);
    }
}
