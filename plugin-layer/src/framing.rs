//! Finds frames: the usual framings and their checksums.

use crc::{CRC_8_SMBUS, CRC_16_IBM_3740, CRC_16_IBM_SDLC, CRC_32_ISO_HDLC, Crc};

use spytui_plugin_api::RowKind;

use crate::Number;

/// What some bytes begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// A whole frame of this length.
    Frame(usize),
    /// A frame of this length with a bad checksum. The next frame may begin inside.
    BadChecksum(usize),
    /// This many bytes before the next frame, which are not a frame for this reason.
    Skip(usize, RowKind),
    /// Not the beginning of a frame.
    Junk,
    /// A frame may begin here; more bytes are needed.
    More,
}

/// Width of the length in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    U8,
    /// Two bytes, low byte first.
    U16,
    /// Two bytes, high byte first.
    U16BigEndian,
}

/// How to find frames. [`crate::Protocol::read`] gets their content without delimiters, stuffing, length and
/// checksum.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    form: Form,
    check: Check,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Own,
    Hdlc,
    Cobs,
    Slip,
    Lines,
    Prefixed { start: &'static [u8], length: Length, plus: usize },
}

const FLAG: u8 = 0x7E;
const SLIP_END: u8 = 0xC0;

impl Framing {
    /// Custom framing: the protocol implements [`crate::Protocol::split`] and reads whole frames.
    pub const OWN: Framing = Framing { form: Form::Own, check: Check::NONE };

    /// Frames end with 7E; 7D is the escape, and the byte after it is XORed with 20 (RFC 1662, section 4).
    pub const fn hdlc(check: Check) -> Framing {
        Framing { form: Form::Hdlc, check }
    }

    /// Frames contain no zeros and end with one (COBS: S. Cheshire and M. Baker, 1999).
    pub const fn cobs(check: Check) -> Framing {
        Framing { form: Form::Cobs, check }
    }

    /// Frames end with C0; DB DC and DB DD stand for C0 and DB (RFC 1055).
    pub const fn slip(check: Check) -> Framing {
        Framing { form: Form::Slip, check }
    }

    /// Frames are lines; trailing carriage returns are dropped.
    pub const fn lines() -> Framing {
        Framing { form: Form::Lines, check: Check::NONE }
    }

    /// Frames begin with `start` and a length; the content is `plus` bytes longer than the length. The checksum covers
    /// everything after `start`.
    pub const fn prefixed(start: &'static [u8], length: Length, plus: usize, check: Check) -> Framing {
        assert!(!start.is_empty(), "a frame begins with something");
        Framing { form: Form::Prefixed { start, length, plus }, check }
    }

    pub const fn check(&self) -> Check {
        self.check
    }

    /// Whether these bytes end with the delimiter.
    pub(super) fn ends(&self, bytes: &[u8]) -> bool {
        self.delimiter().is_some() && bytes.last().copied() == self.delimiter()
    }

    /// The byte that ends every frame, damaged or not.
    pub(super) const fn delimiter(&self) -> Option<u8> {
        match self.form {
            Form::Hdlc => Some(FLAG),
            Form::Cobs => Some(0),
            Form::Slip => Some(SLIP_END),
            Form::Lines => Some(b'\n'),
            Form::Own | Form::Prefixed { .. } => None,
        }
    }

    /// Finds what `bytes` begins with.
    pub fn split(&self, bytes: &[u8]) -> Split {
        match (self.form, self.delimiter()) {
            (Form::Prefixed { start, length, plus }, _) => self.prefixed_at(bytes, start, length, plus),
            (_, Some(delimiter)) => self.delimited_at(bytes, delimiter),
            (..) => Split::Junk,
        }
    }

    fn delimited_at(&self, bytes: &[u8], delimiter: u8) -> Split {
        // Delimiters before a frame are fill.
        let is_fill = |byte: &&u8| **byte == delimiter && !matches!(self.form, Form::Lines);
        let fill = bytes.iter().take_while(is_fill).count();
        let Some(len) = bytes.iter().skip(fill).position(|byte| *byte == delimiter) else { return Split::More };
        let len = fill + len + 1;
        let mut room = Vec::new();
        match bytes.get(..len).and_then(|frame| self.content(frame, &mut room)) {
            Some(_) => Split::Frame(len),
            None => Split::Skip(len, if self.check.bytes() > 0 { RowKind::BAD_CHECK } else { RowKind::BAD_FRAME }),
        }
    }

    fn prefixed_at(&self, bytes: &[u8], start: &[u8], length: Length, plus: usize) -> Split {
        let seen = bytes.len().min(start.len());
        if bytes.get(..seen) != start.get(..seen) {
            return Split::Junk;
        }
        let rest = bytes.get(start.len()..).unwrap_or_default();
        let number = match length {
            Length::U8 => u8::read(rest, false).map(usize::from),
            Length::U16 => u16::read(rest, false).map(usize::from),
            Length::U16BigEndian => u16::read(rest, true).map(usize::from),
        };
        let Some(number) = number else { return Split::More };
        let len = self.head() + number + plus + self.check.bytes();
        match bytes.get(..len) {
            None => Split::More,
            Some(frame) if self.check.strip(&frame[start.len()..]).is_some() => Split::Frame(len),
            Some(_) => Split::BadChecksum(len),
        }
    }

    /// The content of a frame; `None` = damaged. `room` is a buffer for unstuffing.
    pub(super) fn content<'f>(&self, frame: &'f [u8], room: &'f mut Vec<u8>) -> Option<&'f [u8]> {
        room.clear();
        let is_fill = |byte: &&u8| Some(**byte) == self.delimiter();
        let stuffed = || {
            let fill = frame.iter().take_while(is_fill).count();
            frame.get(fill..frame.len().max(1) - 1).unwrap_or_default()
        };
        match self.form {
            Form::Own => return Some(frame),
            Form::Lines => {
                let line = frame.strip_suffix(b"\n").unwrap_or(frame);
                return Some(line.strip_suffix(b"\r").unwrap_or(line));
            }
            Form::Prefixed { start, .. } => {
                return self.check.strip(frame.get(start.len()..)?)?.get(self.head() - start.len()..);
            }
            Form::Hdlc => unescape(stuffed(), 0x7D, |byte| Some(byte ^ 0x20), room)?,
            Form::Slip => unescape(stuffed(), 0xDB, slip_escape, room)?,
            Form::Cobs => uncobs(stuffed(), room)?,
        }
        self.check.strip(room)
    }

    /// Bytes before the content of an unstuffed frame.
    pub(super) const fn head(&self) -> usize {
        match self.form {
            Form::Prefixed { start, length: Length::U8, .. } => start.len() + 1,
            Form::Prefixed { start, .. } => start.len() + 2,
            _ => 0,
        }
    }
}

const fn slip_escape(byte: u8) -> Option<u8> {
    match byte {
        0xDC => Some(SLIP_END),
        0xDD => Some(0xDB),
        _ => None,
    }
}

/// Removes escapes; `None` = an escape is incomplete or invalid.
fn unescape(bytes: &[u8], escape: u8, escaped: impl Fn(u8) -> Option<u8>, out: &mut Vec<u8>) -> Option<()> {
    let mut bytes = bytes.iter();
    while let Some(&byte) = bytes.next() {
        out.push(if byte == escape { escaped(*bytes.next()?)? } else { byte });
    }
    Some(())
}

/// Removes COBS stuffing; `None` = a block exceeds the frame.
fn uncobs(mut bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    while let Some((&code, rest)) = bytes.split_first() {
        let (block, rest) = rest.split_at_checked(usize::from(code).checked_sub(1)?)?;
        out.extend_from_slice(block);
        if code < u8::MAX && !rest.is_empty() {
            out.push(0);
        }
        bytes = rest;
    }
    Some(())
}

static CRC8: Crc<u8> = Crc::<u8>::new(&CRC_8_SMBUS);
static CRC16: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_3740);
static X25: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_SDLC);
static CRC32: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// A checksum at the end of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its size in bytes, at most 4.
    bytes: usize,
    is_big_endian: bool,
    sum: fn(&[u8]) -> u32,
}

impl Check {
    /// No checksum: damage may go unnoticed.
    pub const NONE: Check = Check::new(0, |_| 0);
    /// Sum of the bytes, modulo 256.
    pub const SUM8: Check = Check::new(1, |bytes| bytes.iter().fold(0, |sum, byte| (sum + u32::from(*byte)) & 0xFF));
    /// CRC-8, polynomial 07.
    pub const CRC8: Check = Check::new(1, |bytes| CRC8.checksum(bytes).into());
    /// CRC-16 with polynomial 1021 and initial value FFFF, high byte first; often called CCITT.
    pub const CRC16: Check = Check::new(2, |bytes| CRC16.checksum(bytes).into()).big_endian();
    /// CRC-16 of HDLC and X.25, low byte first.
    pub const X25: Check = Check::new(2, |bytes| X25.checksum(bytes).into());
    /// CRC-32 of Ethernet and zip, low byte first.
    pub const CRC32: Check = Check::new(4, |bytes| CRC32.checksum(bytes));

    /// A custom checksum of at most 4 bytes, low byte first.
    pub const fn new(bytes: usize, sum: fn(&[u8]) -> u32) -> Check {
        assert!(bytes <= 4, "a check sum has at most 4 bytes");
        Check { bytes, is_big_endian: false, sum }
    }

    /// Stores the high byte first.
    pub const fn big_endian(self) -> Check {
        Check { is_big_endian: true, ..self }
    }

    /// Its size in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The checksum of `covered`.
    pub fn of(&self, covered: &[u8]) -> u32 {
        (self.sum)(covered)
    }

    /// Whether `stored` is the checksum of `covered`.
    pub fn fits(&self, covered: &[u8], stored: &[u8]) -> bool {
        let shift = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
        let number = match self.is_big_endian {
            true => stored.iter().fold(0, shift),
            false => stored.iter().rev().fold(0, shift),
        };
        stored.len() == self.bytes && number == self.of(covered)
    }

    /// Removes the checksum at the end of `frame`; `None` if it does not match.
    pub fn strip<'f>(&self, frame: &'f [u8]) -> Option<&'f [u8]> {
        let (covered, stored) = frame.split_at_checked(frame.len().checked_sub(self.bytes)?)?;
        self.fits(covered, stored).then_some(covered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(framing: Framing, frame: &[u8]) -> Option<Vec<u8>> {
        framing.content(frame, &mut Vec::new()).map(<[u8]>::to_vec)
    }

    #[test]
    fn a_delimiter_ends_a_frame_and_more_of_them_are_fill() {
        let hdlc = Framing::hdlc(Check::SUM8);
        let frame = [0x7E, 0x7E, 1, 0x7D, 0x5E, 0x7F, 0x7E];
        assert_eq!(hdlc.split(&frame), Split::Frame(7));
        assert_eq!(content(hdlc, &frame), Some(vec![1, 0x7E]));
        assert_eq!(hdlc.split(&frame[..6]), Split::More);
        assert_eq!(hdlc.split(&[1, 2, 4, 0x7E, 9]), Split::Skip(4, RowKind::BAD_CHECK));
        assert_eq!(hdlc.split(&[1, 0x7D, 0x7E]), Split::Skip(3, RowKind::BAD_CHECK));
        let slip = Framing::slip(Check::NONE);
        assert_eq!(content(slip, &[0xC0, 1, 0xDB, 0xDC, 0xDB, 0xDD, 0xC0]), Some(vec![1, 0xC0, 0xDB]));
        assert_eq!(slip.split(&[1, 0xDB, 1, 0xC0]), Split::Skip(4, RowKind::BAD_FRAME));
    }

    #[test]
    fn zeros_are_put_back_where_cobs_took_them() {
        let cobs = Framing::cobs(Check::NONE);
        assert_eq!(content(cobs, &[3, 0x11, 0x22, 2, 0x33, 0]), Some(vec![0x11, 0x22, 0, 0x33]));
        assert_eq!(content(cobs, &[1, 1, 0]), Some(vec![0]));
        assert_eq!(cobs.split(&[9, 1, 2, 0]), Split::Skip(4, RowKind::BAD_FRAME));
        let long: Vec<u8> = [&[0xFF][..], &[7; 254], &[2, 8, 0]].concat();
        assert_eq!(content(cobs, &long), Some([&[7; 254][..], &[8]].concat()));
    }

    #[test]
    fn an_empty_line_is_a_frame() {
        let lines = Framing::lines();
        assert_eq!(
            (lines.split(b"\nab"), lines.split(b"ab\r\nc"), lines.split(b"ab")),
            (Split::Frame(1), Split::Frame(4), Split::More)
        );
        assert_eq!((content(lines, b"\n"), content(lines, b"ab\r\n")), (Some(vec![]), Some(b"ab".to_vec())));
    }

    #[test]
    fn a_length_says_where_a_frame_ends() {
        let framing = Framing::prefixed(&[0xA5, 0x5A], Length::U8, 1, Check::SUM8);
        let frame = [0xA5, 0x5A, 2, 7, 8, 9, 26];
        assert_eq!((framing.split(&frame), content(framing, &frame)), (Split::Frame(7), Some(vec![7, 8, 9])));
        assert_eq!((0..7).map(|len| framing.split(&frame[..len])).filter(|split| *split == Split::More).count(), 7);
        assert_eq!(framing.split(&[0xA5, 0x5B]), Split::Junk);
        assert_eq!(framing.split(&[0xA5, 0x5A, 0, 7, 8]), Split::BadChecksum(5));
        let wide = Framing::prefixed(&[0x55], Length::U16BigEndian, 0, Check::NONE);
        assert_eq!((wide.split(&[0x55, 0, 1, 9]), content(wide, &[0x55, 0, 1, 9])), (Split::Frame(4), Some(vec![9])));
    }

    #[test]
    fn the_usual_ones_have_their_published_check_values() {
        let sums = [Check::CRC8, Check::CRC16, Check::X25, Check::CRC32];
        let values = sums.map(|check| check.of(b"123456789"));
        assert_eq!(values, [0xF4, 0x29B1, 0x906E, 0xCBF4_3926]);
        assert_eq!(Check::SUM8.of(&[0xFF, 0x03]), 0x02);
    }

    #[test]
    fn only_a_whole_frame_whose_sum_fits_is_stripped() {
        assert_eq!(Check::SUM8.strip(&[1, 2, 3]), Some(&[1, 2][..]));
        assert_eq!(Check::SUM8.strip(&[1, 2, 4]), None);
        assert_eq!(Check::CRC16.strip(&[1]), None);
        assert_eq!(Check::NONE.strip(b"abc"), Some(&b"abc"[..]));
    }
}
