//! Numbers as text: what all decoders share, and floating point through the standard library's exact digits.

use std::fmt::Write;

pub(crate) use spytui_hdlc::number::*;

use super::line::{Line, Sink};

/// Signed 32-bit decimal in the C format `%08d`.
pub(crate) fn signal<S: Sink>(line: &mut Line<'_, S>, number: u64) {
    signed_filled(line, (number as u32 as i32).into(), 8);
}

/// A double in the C format `%{width}.{decimals}e`.
pub(crate) fn exponent<S: Sink>(line: &mut Line<'_, S>, number: f64, width: usize, decimals: usize) {
    let text = exponent_text(number, decimals);
    blanks(line, width.saturating_sub(text.len));
    line.put(text.text());
}

/// Digits being written; what does not fit is left off.
struct Small {
    bytes: [u8; 64],
    len: usize,
}

impl std::fmt::Write for Small {
    #[inline]
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for &byte in text.as_bytes() {
            self.push(byte);
        }
        Ok(())
    }
}

impl Small {
    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    fn text(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }
}

fn exponent_text(number: f64, decimals: usize) -> Small {
    let mut out = Small { bytes: [0; 64], len: 0 };
    // `Small` takes everything; no width asked for is so large that it would not fit.
    let _ = match number {
        n if n.is_nan() => out.write_str(if n.is_sign_negative() { "-nan" } else { "nan" }),
        n if n.is_infinite() => out.write_str(if n < 0.0 { "-inf" } else { "inf" }),
        n => write!(out, "{n:.decimals$e}"),
    };
    // The library writes `e5` and `e-5` where C writes `e+05` and `e-05`.
    let Some(at) = out.text().iter().rposition(|&b| b == b'e').filter(|_| number.is_finite()) else { return out };
    let mut digits = [0; 3];
    let exponent = out.text().get(at + 1..).unwrap_or(&[]);
    let (sign, exponent) = match exponent {
        [b'-', exponent @ ..] => (b'-', exponent),
        exponent => (b'+', exponent),
    };
    let count = exponent.len().min(3);
    digits.iter_mut().zip(exponent).for_each(|(to, from)| *to = *from);
    out.len = at + 1;
    out.push(sign);
    if count < 2 {
        out.push(b'0');
    }
    digits.iter().take(count).for_each(|&digit| out.push(digit));
    out
}

/// A double in its shortest plain form.
pub(crate) fn plain<S: Sink>(line: &mut Line<'_, S>, number: f64) {
    let size = number.abs();
    let text = match size {
        _ if !number.is_finite() || number == 0.0 || (1e-4..1e15).contains(&size) => format!("{number}"),
        _ => format!("{number:e}"),
    };
    line.put(text.as_bytes());
}

/// A float in its shortest plain form.
pub(crate) fn plain_float<S: Sink>(line: &mut Line<'_, S>, number: f32) {
    let size = number.abs();
    let text = match size {
        _ if !number.is_finite() || number == 0.0 || (1e-4..1e9).contains(&size) => format!("{number}"),
        _ => format!("{number:e}"),
    };
    line.put(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Line<'_, Vec<u8>>)) -> String {
        let mut out = Vec::new();
        let mut line = Line::new(&mut out, usize::MAX);
        write(&mut line);
        line.finish();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn exponents_are_those_of_c() {
        let of = |n: f64, w: usize, d: usize| text(|l| exponent(l, n, w, d));
        assert_eq!(of(0.0, 7, 0), "  0e+00");
        assert_eq!(of(-1.5, 10, 2), " -1.50e+00");
        assert_eq!(of(1e-300, 9, 1), " 1.0e-300");
        assert_eq!(of(f64::NAN.copysign(-1.0), 7, 0), "   -nan");
        assert_eq!(of(f64::INFINITY, 7, 0), "    inf");
        assert_eq!(of(2.5, 7, 0), "  2e+00");
    }
}
