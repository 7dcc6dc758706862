//! Bytes of a command.

use spytui_hdlc::{FLAG, stuff};

use crate::op::Op;

/// Version of the commands.
pub(crate) const VERSION: u8 = 1;
/// Longest payload.
pub(crate) const LONGEST: usize = 64;
/// What a reset begins with, so that noise does not look like one.
pub(crate) const GUARD: &[u8] = b"RST!";

/// CRC-16/CCITT-FALSE.
fn crc(bytes: &[u8]) -> u16 {
    let bit = |crc: u16, _: u32| if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
    bytes.iter().fold(0xFFFF, |crc, &byte| (0..8).fold(crc ^ u16::from(byte) << 8, bit))
}

/// A frame with its flags. The first flag ends what noise left in the target's receiver.
pub(crate) fn frame(op: Op, seq: u8, payload: &[u8]) -> Vec<u8> {
    let mut plain = vec![VERSION << 5 | op.0 & 31, seq];
    plain.extend_from_slice(payload);
    plain.extend_from_slice(&crc(&plain).to_le_bytes());
    let mut wire = vec![FLAG];
    stuff(&plain, &mut wire);
    wire
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crc_has_its_check_value() {
        assert_eq!(crc(b"123456789"), 0x29B1);
    }

    #[test]
    fn frames_are_those_of_the_description() {
        assert_eq!(frame(Op::PING, 1, &[]), [0x7E, 0x20, 0x01, 0xC8, 0x0B, 0x7E]);
        assert_eq!(frame(Op::GROUP, 1, &[2, 0]), [0x7E, 0x21, 0x01, 0x02, 0x00, 0x68, 0x94, 0x7E]);
    }

    #[test]
    fn flags_and_escapes_are_replaced() {
        let bytes = frame(Op::USER, 0x7E, &[0x7D, 0x7E]);
        assert_eq!(bytes[..8], [0x7E, 0x28, 0x7D, 0x5E, 0x7D, 0x5D, 0x7D, 0x5E]);
        assert_eq!(bytes.iter().filter(|byte| **byte == FLAG).count(), 2);
    }
}
