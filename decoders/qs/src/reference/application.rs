//! The reference host's text of application records, byte for byte, and its error lines for any payload that is too
//! short or too long.

use spytui_decoder_kit::{Element, Elements, Value};
use spytui_plugin_api::{TextWriter, row::RowFlags};

use crate::{
    config::Config,
    layout, record,
    text::{Context, number},
};

/// Writes an application record. `check` = the byte after the payload.
pub(super) fn record(ctx: &Context<'_, '_>, id: u8, payload: &[u8], check: u8, line: &mut TextWriter<'_>) {
    if ctx.row.row.flags.intersects(RowFlags::MALFORMED) {
        broken(ctx, id, payload, check, line);
    } else if let Some((time, mut all)) = record::elements(payload, &ctx.config) {
        head(ctx, id, time, line);
        elements(ctx, &mut all, &mut 0, line);
        line.end_line();
    }
}

/// Writes the elements, up to the first incomplete one.
#[inline]
fn elements(
    ctx: &Context<'_, '_>,
    elements: &mut Elements<'_, '_, Config>,
    signals: &mut u16,
    line: &mut TextWriter<'_>,
) {
    for found in elements {
        line.byte(b' ');
        element(ctx, &found, signals, line);
    }
}

fn head(ctx: &Context<'_, '_>, id: u8, time: u64, line: &mut TextWriter<'_>) {
    number::stamp(line, time);
    match ctx.record_name(id) {
        Some(name) => line.put(name),
        None => {
            line.put(b"USER+");
            let base = layout::user_base(ctx.config.version, ctx.config.style);
            number::zero_filled(line, id.saturating_sub(base).into(), 3);
        }
    }
}

#[inline(always)]
fn element(ctx: &Context<'_, '_>, element: &Element<'_>, signals: &mut u16, line: &mut TextWriter<'_>) {
    match element.value {
        Value::Memory(bytes) => bytes.iter().for_each(|&b| number::blank_byte(line, b)),
        Value::Signal { sig, obj } => {
            ctx.signal(line, sig, obj, *signals);
            *signals += 1;
            if obj != 0 {
                line.put(b",Obj=");
                ctx.object(line, obj);
            }
        }
        Value::Object(key) => ctx.object(line, key),
        Value::Function(key) => ctx.function(line, key),
        Value::Enum { group, value } => match ctx.enumeration(group, value) {
            Some(name) => line.put(name),
            None => number::zero_filled(line, value.into(), 3),
        },
        _ => plain(element, line),
    }
}

/// Writes an element that needs no names.
#[inline(always)]
pub(super) fn plain(element: &Element<'_>, line: &mut TextWriter<'_>) {
    let width = usize::from(element.width);
    match element.value {
        Value::Signed(n) if element.ty == 13 => number::signed(line, n, if width == 9 { 0 } else { 2 * (width + 1) }),
        Value::Signed(n) => number::signed(line, n, width),
        Value::Unsigned(n) => unsigned(line, element.ty, n, width),
        Value::Float(n) => float(line, n.into(), width),
        Value::Double(n) => float(line, n, width),
        Value::Text(b"") => line.put(b"''"),
        Value::Text(text) => line.put(text),
        _ => {}
    }
}

fn unsigned(line: &mut TextWriter<'_>, ty: u8, n: u64, width: usize) {
    match (ty, width) {
        (15, _) => number::prefixed_hex(line, n, width),
        (1 | 3 | 5, 15) => {
            number::prefixed_hex(line, n, usize::from(ty).next_power_of_two() * if ty == 1 { 2 } else { 1 });
        }
        (14, 15) => {
            line.put(b"0x");
            number::hex_blank(line, n, 16);
        }
        (14, _) => number::unsigned(line, n, 2 * (width + 1)),
        _ => number::unsigned(line, n, width),
    }
}

/// Writes a double in the C format `%e`.
fn float(line: &mut TextWriter<'_>, number: f64, decimals: usize) {
    let mut text = match (number.is_nan(), number.is_sign_negative()) {
        (true, true) => "-nan".to_owned(),
        (true, false) => "nan".to_owned(),
        _ => format!("{number:.decimals$e}"),
    };
    // The library writes `e5` and `e-5`, C writes `e+05` and `e-05`.
    if let Some(exponent) = text.find('e').map(|e| e + 1) {
        let sign = usize::from(text[exponent..].starts_with('-'));
        if text.len() - exponent - sign < 2 {
            text.insert(exponent + sign, '0');
        }
        if sign == 0 {
            text.insert(exponent, '+');
        }
    }
    number::blanks(line, if decimals == 0 { 7 } else { decimals + 8 }.saturating_sub(text.len()));
    line.put(text.as_bytes());
}

/// Writes an application record whose elements do not fit: the host's error lines, and its output for the rest.
fn broken(ctx: &Context<'_, '_>, id: u8, payload: &[u8], check: u8, line: &mut TextWriter<'_>) {
    let Some((time, mut all)) = record::elements(payload, &ctx.config) else {
        Misread::new(payload, check).field(FormatKind::Unsigned(ctx.config.sizes.time), line);
        head(ctx, id, 0, line);
        return line.end_line();
    };
    let mut signals = 0;
    let mut text = TextWriter::text_of(|text| {
        head(ctx, id, time, text);
        elements(ctx, &mut all, &mut signals, text);
    });
    if let [format, data @ ..] = all.rest {
        text.push(b' ');
        incomplete(ctx, (*format, data, check), &mut text, &mut signals, line);
    }
    line.put(&text);
    line.end_line();
}

/// Writes an element with missing bytes, which the host reads as zeros. An error line replaces the text so far.
fn incomplete(
    ctx: &Context<'_, '_>,
    (format, data, check): (u8, &[u8], u8),
    text: &mut Vec<u8>,
    signals: &mut u16,
    line: &mut TextWriter<'_>,
) {
    let sizes = &ctx.config.sizes;
    let zeros = [0; 16];
    let of_zeros = [&[format][..], &zeros].concat();
    let Ok((behind, zero)) = record::element(&of_zeros, sizes) else { return };
    let (mut misread, size) = (Misread::new(data, check), (zeros.len() - behind.len()) as u8);
    let kinds = match zero.value {
        Value::Text(_) => [Some(FormatKind::Text), None],
        Value::Memory(_) => [Some(FormatKind::Memory(1)), None],
        Value::Signal { .. } => [Some(FormatKind::Unsigned(sizes.sig)), Some(FormatKind::Unsigned(sizes.obj))],
        Value::Signed(_) => [Some(FormatKind::Signed(size)), None],
        _ => [Some(FormatKind::Unsigned(size)), None],
    };
    kinds.into_iter().flatten().for_each(|kind| misread.field(kind, line));
    // Bytes read are followed by zeros; without an error, the host took the checksum for payload.
    let read = data.strip_suffix(misread.rest).unwrap_or(data);
    let behind: &[u8] = if misread.complaint.is_some() { &zeros } else { &[check] };
    let whole = [&[format], read, behind].concat();
    if let Some(complaint) = misread.complaint {
        *text = complaint;
        if kinds[0] == Some(FormatKind::Text) {
            return;
        }
    }
    if let Ok((_, found)) = record::element(&whole, sizes) {
        text.extend(TextWriter::text_of(|own| element(ctx, &found, signals, own)));
    }
}

pub(crate) const ERROR: &[u8] = b"   <COMMS> ERROR    ";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatKind {
    /// A number, by size in bytes.
    Unsigned(u8),
    Signed(u8),
    Text,
    /// A count and that many items of this size, which the host does not include in its length check.
    Memory(u8),
}

/// The bytes that the host has not read yet.
pub(crate) struct Misread<'f> {
    pub(crate) rest: &'f [u8],
    check: u8,
    /// Number of bytes left as the host counts: −1 after an error, so that everything after it fails, too.
    pub(crate) left: i64,
    /// Text of the last error, which stays in the host's line buffer.
    pub(crate) complaint: Option<Vec<u8>>,
}

impl<'f> Misread<'f> {
    pub(crate) fn new(payload: &'f [u8], check: u8) -> Misread<'f> {
        Misread { rest: payload, check, left: payload.len() as i64, complaint: None }
    }

    /// Reads a field; writes an error line if bytes are missing.
    pub(crate) fn field(&mut self, kind: FormatKind, line: &mut TextWriter<'_>) {
        let first = self.rest.first().copied().unwrap_or(self.check);
        let left = self.left;
        let len = match kind {
            FormatKind::Unsigned(size) | FormatKind::Signed(size) => Some(i64::from(size)).filter(|size| left >= *size),
            FormatKind::Text if first == 0 => Some(1),
            FormatKind::Text => self.rest.iter().position(|&b| b == 0).filter(|_| left >= 0).map(|end| end as i64 + 1),
            FormatKind::Memory(size) => {
                Some(1 + i64::from(first) * i64::from(size)).filter(|_| left > 0 && i64::from(first) <= left)
            }
        };
        match len {
            Some(len) => {
                self.rest = self.rest.get(len as usize..).unwrap_or(&[]);
                self.left -= len;
            }
            None => self.complain(kind, line),
        }
    }

    fn complain(&mut self, kind: FormatKind, line: &mut TextWriter<'_>) {
        let (missing, what) = match kind {
            FormatKind::Unsigned(size) => (i64::from(size) - self.left, format!("uint{}_t ", 8 * u32::from(size))),
            FormatKind::Signed(size) => (i64::from(size) - self.left, format!("int{}_t ", 8 * u32::from(size))),
            FormatKind::Text => (self.left, "string".to_owned()),
            FormatKind::Memory(_) => (self.left, "memory-dump".to_owned()),
        };
        let complaint = TextWriter::text_of(|text| {
            text.put(ERROR);
            number::signed(text, missing, 0);
            text.put(b" more bytes needed for ");
            text.put(what.as_bytes());
        });
        line.put(&complaint);
        line.end_line();
        self.complaint = Some(complaint);
        self.left = -1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_c() {
        let cases = [
            (0.0, 0, "  0e+00"),
            (2.5, 0, "  2e+00"),
            (-1.5, 2, " -1.50e+00"),
            (1e-300, 1, " 1.0e-300"),
            (f64::NAN.copysign(-1.0), 0, "   -nan"),
            (f64::INFINITY, 0, "    inf"),
        ];
        for (number, decimals, text) in cases {
            let own = TextWriter::text_of(|line| float(line, number, decimals));
            assert_eq!(String::from_utf8_lossy(&own), text);
        }
    }
}
