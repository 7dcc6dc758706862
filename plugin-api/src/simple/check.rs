//! Check sums of frames.

use crc::{CRC_8_SMBUS, CRC_16_IBM_3740, CRC_16_IBM_SDLC, CRC_16_MODBUS, CRC_32_ISO_HDLC, Crc};

/// A check sum at the end of a frame.
///
/// ```
/// use spytui_plugin_api::simple::Check;
///
/// assert!(Check::CRC8.fits(b"123456789", &[0xF4]));
/// assert!(Check::CRC16.fits(b"123456789", &[0x29, 0xB1]));
/// assert!(Check::CRC32.fits(b"123456789", &0xCBF4_3926_u32.to_le_bytes()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its size in bytes, at most 4.
    bytes: usize,
    is_big_endian: bool,
    sum: fn(&[u8]) -> u32,
}

impl Check {
    /// None: damage may go unnoticed.
    pub const NONE: Check = Check::new(0, |_| 0);
    /// Sum of the bytes, modulo 256.
    pub const SUM8: Check = Check::new(1, |bytes| bytes.iter().fold(0, |sum, byte| (sum + u32::from(*byte)) & 0xFF));
    /// Exclusive or of the bytes.
    pub const XOR8: Check = Check::new(1, |bytes| bytes.iter().fold(0, |sum, byte| sum ^ u32::from(*byte)));
    /// CRC-8, polynomial 07.
    pub const CRC8: Check = Check::new(1, |bytes| {
        static CRC: Crc<u8> = Crc::<u8>::new(&CRC_8_SMBUS);
        CRC.checksum(bytes).into()
    });
    /// CRC-16 with polynomial 1021, begun with FFFF, high byte first: what many call CCITT.
    pub const CRC16: Check = Check::new(2, |bytes| {
        static CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_3740);
        CRC.checksum(bytes).into()
    })
    .big_endian();
    /// CRC-16 of HDLC and X.25, low byte first.
    pub const X25: Check = Check::new(2, |bytes| {
        static CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_SDLC);
        CRC.checksum(bytes).into()
    });
    /// CRC-16 of Modbus, low byte first.
    pub const MODBUS: Check = Check::new(2, |bytes| {
        static CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_MODBUS);
        CRC.checksum(bytes).into()
    });
    /// CRC-32 of Ethernet and zip, low byte first.
    pub const CRC32: Check = Check::new(4, |bytes| {
        static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
        CRC.checksum(bytes)
    });

    /// A check sum of one's own, of at most 4 bytes, low byte first.
    pub const fn new(bytes: usize, sum: fn(&[u8]) -> u32) -> Check {
        assert!(bytes <= 4, "a check sum has at most 4 bytes");
        Check { bytes, is_big_endian: false, sum }
    }

    /// The same with its high byte first.
    #[must_use]
    pub const fn big_endian(self) -> Check {
        Check { is_big_endian: true, ..self }
    }

    /// Its size in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The check sum of `covered`.
    pub fn of(&self, covered: &[u8]) -> u32 {
        (self.sum)(covered)
    }

    /// Whether `stored` is the check sum of `covered`.
    pub fn fits(&self, covered: &[u8], stored: &[u8]) -> bool {
        let shift = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
        let number = match self.is_big_endian {
            true => stored.iter().fold(0, shift),
            false => stored.iter().rev().fold(0, shift),
        };
        stored.len() == self.bytes && number == self.of(covered)
    }

    /// What `frame` covers with the check sum at its end, if that fits.
    pub fn strip<'f>(&self, frame: &'f [u8]) -> Option<&'f [u8]> {
        let (covered, stored) = frame.split_at_checked(frame.len().checked_sub(self.bytes)?)?;
        self.fits(covered, stored).then_some(covered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_ones_have_their_published_check_values() {
        let sums = [Check::CRC8, Check::CRC16, Check::X25, Check::MODBUS, Check::CRC32];
        let values = sums.map(|check| check.of(b"123456789"));
        assert_eq!(values, [0xF4, 0x29B1, 0x906E, 0x4B37, 0xCBF4_3926]);
        assert_eq!([Check::SUM8, Check::XOR8].map(|check| check.of(&[0xFF, 0x03])), [0x02, 0xFC]);
    }

    #[test]
    fn only_a_whole_frame_whose_sum_fits_is_stripped() {
        assert_eq!(Check::SUM8.strip(&[1, 2, 3]), Some(&[1, 2][..]));
        assert_eq!(Check::SUM8.strip(&[1, 2, 4]), None);
        assert_eq!(Check::CRC16.strip(&[1]), None);
        assert_eq!(Check::NONE.strip(b"abc"), Some(&b"abc"[..]));
    }
}
