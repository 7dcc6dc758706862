//! Integers as `printf` writes them.

use std::io::Write as _;

use super::{Form, Integer, Layout};

impl Integer {
    /// Appends a number that was read as unsigned from `size` bytes.
    pub(super) fn put(&self, number: u64, size: usize, out: &mut Vec<u8>) {
        let unused = 64 - 8 * size.clamp(1, 8) as u32;
        let signed = (number << unused) as i64 >> unused;
        let value = if self.form == Form::Signed { i128::from(signed) } else { i128::from(number) };
        let text = self.texts.as_ref().and_then(|wanted| match wanted.texts.get(&value) {
            Some(text) => Some(format!("{text}({value})")),
            None => Some(value.to_string()).filter(|_| !wanted.keeps_form),
        });
        match text {
            Some(text) => put_padded(&Layout { zeros: false, ..self.layout }, b"", text.as_bytes(), out),
            None if self.form == Form::Character => {
                put_padded(&Layout { zeros: false, ..self.layout }, b"", &[number as u8], out);
            }
            None => self.put_number(number, signed, out),
        }
    }

    fn put_number(&self, number: u64, signed: i64, out: &mut Vec<u8>) {
        let mut digits = Vec::with_capacity(24);
        let sign: &[u8] = match self.form {
            Form::Signed if signed < 0 => b"-",
            Form::Signed if self.layout.plus => b"+",
            Form::Signed if self.layout.blank => b" ",
            Form::Hex { upper: false } if self.layout.prefix && number != 0 => b"0x",
            Form::Hex { upper: true } if self.layout.prefix && number != 0 => b"0X",
            _ => b"",
        };
        // Writing to a vector does not fail.
        let _ = match self.form {
            Form::Signed => write!(digits, "{}", signed.unsigned_abs()),
            Form::Hex { upper: false } => write!(digits, "{number:x}"),
            Form::Hex { upper: true } => write!(digits, "{number:X}"),
            Form::Octal => write!(digits, "{number:o}"),
            Form::Unsigned | Form::Character => write!(digits, "{number}"),
        };
        self.put_digits(sign, digits, number, out);
    }

    /// Precision is the least number of digits; it switches filling with zeros off.
    fn put_digits(&self, sign: &[u8], mut digits: Vec<u8>, number: u64, out: &mut Vec<u8>) {
        if self.layout.precision == Some(0) && number == 0 {
            digits.clear();
        }
        let missing = self.layout.precision.unwrap_or_default().saturating_sub(digits.len());
        digits.splice(..0, std::iter::repeat_n(b'0', missing));
        if self.form == Form::Octal && self.layout.prefix && digits.first() != Some(&b'0') {
            digits.insert(0, b'0');
        }
        let zeros = self.layout.zeros && self.layout.precision.is_none();
        put_padded(&Layout { zeros, ..self.layout }, sign, &digits, out);
    }
}

/// Appends a text filled up to the width of a layout.
pub(super) fn put_padded(layout: &Layout, sign: &[u8], text: &[u8], out: &mut Vec<u8>) {
    let missing = layout.width.saturating_sub(sign.len() + text.len());
    let fill = |out: &mut Vec<u8>, byte| out.resize(out.len() + missing, byte);
    if !layout.left && !layout.zeros {
        fill(out, b' ');
    }
    out.extend_from_slice(sign);
    if !layout.left && layout.zeros {
        fill(out, b'0');
    }
    out.extend_from_slice(text);
    if layout.left {
        fill(out, b' ');
    }
}
