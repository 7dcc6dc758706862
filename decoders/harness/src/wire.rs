//! HDLC-like frames, independent of `spytui-hdlc`, which they test.

/// A frame on the wire: `plain` with flags and escapes escaped, followed by a flag.
pub fn stuffed(plain: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    stuff(plain, &mut wire);
    wire
}

/// Appends a frame to a stream: `plain` with flags and escapes escaped, followed by a flag.
pub fn stuff(plain: &[u8], wire: &mut Vec<u8>) {
    for &byte in plain {
        if matches!(byte, 0x7D | 0x7E) {
            wire.extend([0x7D, byte ^ 0x20]);
        } else {
            wire.push(byte);
        }
    }
    wire.push(0x7E);
}

/// The unescaped non-empty frames of an undamaged stream.
pub fn frames(wire: &[u8]) -> Vec<Vec<u8>> {
    wire.split(|&b| b == 0x7E).filter(|frame| !frame.is_empty()).map(unstuffed).collect()
}

fn unstuffed(frame: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut bytes = frame.iter();
    while let Some(&byte) = bytes.next() {
        if byte == 0x7D {
            plain.push(bytes.next().unwrap() ^ 0x20);
        } else {
            plain.push(byte);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{frames, stuffed};

    #[test]
    fn flags_and_escapes_are_escaped() {
        assert_eq!(stuffed(&[1, 0x7E, 0x7D, 2]), [1, 0x7D, 0x5E, 0x7D, 0x5D, 2, 0x7E]);
        assert_eq!(stuffed(&[]), [0x7E]);
    }

    #[test]
    fn frames_are_read_back() {
        let wire = [stuffed(&[]), stuffed(&[1, 0x7E, 0x7D, 2]), stuffed(&[3])].concat();
        assert_eq!(frames(&wire), [vec![1, 0x7E, 0x7D, 2], vec![3]]);
    }
}
