//! Renders pieces and data to text, with integers as in `printf`. Text from the target is copied unchanged: any bytes.

use std::io::Write as _;

use super::{Fields, Form, Integer, Layout, Piece, Template};
use crate::{
    data::{Cursor, Data},
    limits,
};

/// Placeholder for a missing integer or field.
const MISSING: &[u8] = b"<?>";

impl Template {
    pub fn render(&self, data: &Data<'_>, fields: &dyn Fields, out: &mut Vec<u8>) {
        let begin = out.len();
        let mut cursor = Cursor::new(data);
        for piece in &self.pieces {
            put_piece(piece, &mut cursor, fields, out);
            if cut(begin, out) {
                return;
            }
        }
        if self.reports_rest && cursor.unread() > 0 {
            out.extend_from_slice(format!(" [+{}]", cursor.unread()).as_bytes());
        }
    }
}

impl Data<'_> {
    /// Appends `data: ` and all bytes in hex, or nothing without bytes: the text of a record without a template.
    pub fn put_without_template(&self, out: &mut Vec<u8>) {
        if !self.bytes.is_empty() {
            out.extend_from_slice(b"data: ");
            put_hex(self.bytes, out);
        }
    }
}

/// Cuts a text that is too long.
fn cut(begin: usize, out: &mut Vec<u8>) -> bool {
    let is_too_long = out.len() - begin > limits::TEXT;
    if is_too_long {
        out.truncate(begin + limits::TEXT);
        out.extend_from_slice("…".as_bytes());
    }
    is_too_long
}

fn put_piece(piece: &Piece, cursor: &mut Cursor<'_>, fields: &dyn Fields, out: &mut Vec<u8>) {
    match piece {
        Piece::Literal(text) => out.extend_from_slice(text.as_bytes()),
        Piece::Integer(integer) => put_integer(integer, cursor, out),
        Piece::Text(layout) => put_text(layout, cursor, out),
        Piece::Bytes(layout) => put_bytes(layout, cursor, out),
        Piece::Skip(size) => {
            if cursor.integer(size.unwrap_or(cursor.int_size())).is_none() {
                out.extend_from_slice(MISSING);
            }
        }
        Piece::Place(at) => cursor.go_to(*at),
        Piece::Field(field) => {
            if !fields.put(field, out) {
                out.extend_from_slice(MISSING);
            }
        }
    }
}

fn put_integer(integer: &Integer, cursor: &mut Cursor<'_>, out: &mut Vec<u8>) {
    let size = integer.size.unwrap_or(cursor.int_size());
    match cursor.integer(size) {
        Some(number) => integer.put(number, size, out),
        None => out.extend_from_slice(MISSING),
    }
}

fn put_text(layout: &Layout, cursor: &mut Cursor<'_>, out: &mut Vec<u8>) {
    let left = cursor.left();
    if left.is_empty() {
        return;
    }
    let nul = |bytes: &[u8]| bytes.iter().position(|byte| *byte == 0);
    let taken = match layout.precision {
        Some(count) => cursor.take(count),
        // Including its NUL.
        None => cursor.take(nul(left).map_or(left.len(), |end| end + 1)),
    };
    let shown = taken.get(..nul(taken).unwrap_or(taken.len())).unwrap_or_default();
    put_padded(&Layout { zeros: false, ..*layout }, b"", shown, out);
}

fn put_bytes(layout: &Layout, cursor: &mut Cursor<'_>, out: &mut Vec<u8>) {
    let taken = cursor.take(layout.precision.unwrap_or(usize::MAX));
    if taken.is_empty() {
        return;
    }
    let mut hex = Vec::with_capacity(3 * taken.len());
    put_hex(taken, &mut hex);
    put_padded(&Layout { zeros: false, ..*layout }, b"", &hex, out);
}

/// Two upper-case digits per byte, separated by blanks.
fn put_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
}

impl Integer {
    /// Appends a number of `size` bytes, read as unsigned.
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
        // Writing to a vector never fails.
        let _ = match self.form {
            Form::Signed => write!(digits, "{}", signed.unsigned_abs()),
            Form::Hex { upper: false } => write!(digits, "{number:x}"),
            Form::Hex { upper: true } => write!(digits, "{number:X}"),
            Form::Octal => write!(digits, "{number:o}"),
            Form::Unsigned | Form::Character => write!(digits, "{number}"),
        };
        self.put_digits(sign, digits, number, out);
    }

    /// Precision is the minimum number of digits; it turns off padding with zeros.
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

/// Appends text, padded to the width of a layout.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Endian, IntWidth, NoFields,
        template::{FieldRef, Syntax, compile},
    };

    fn shown(template: &str, data: &Data<'_>) -> String {
        let mut out = Vec::new();
        compile(template, Syntax::Qnx).unwrap().render(data, &NoFields, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn of(template: &str, bytes: &[u8]) -> String {
        shown(template, &Data::new(bytes))
    }

    #[test]
    fn integers_have_the_width_of_the_record_or_their_own() {
        let bytes = [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];
        assert_eq!(of("%d %u", &bytes), "-2 4294967295");
        assert_eq!(of("%hd %hhu %hhd %ld", &bytes), "-2 255 -1 -1");
        assert_eq!(of("%lld", &bytes), "-2");
        assert_eq!(of("%llx", &bytes), "fffffffffffffffe");
        let two = Data { int_width: IntWidth::Two, endian: Endian::Big, ..Data::new(&[0, 1, 0xFF, 0xFE, 0, 0, 0, 9]) };
        assert_eq!(shown("%d %d %ld", &two), "1 -2 9");
    }

    #[test]
    fn zeros_that_fill_the_last_piece_are_no_data() {
        let sent = |bytes| Data { piece: 8, ..Data::new(bytes) };
        assert_eq!(shown("%s", &sent(b"go\0\0\0\0\0\0")), "go");
        assert_eq!(shown("%s", &sent(b"go\0\0\0\x01\0\0")), "go [+5]");
        assert_eq!(shown("%s", &sent(&[b"go\0\0\0\0\0\0", &[0; 8][..]].concat())), "go [+13]");
        assert_eq!(of("%s", b"go\0\0\0\0\0\0"), "go [+5]");
    }

    #[test]
    fn flags_width_and_precision_are_those_of_printf() {
        let bytes = 42u32.to_le_bytes();
        for (template, text) in [
            ("[%6d]", "[    42]"),
            ("[%-6d]", "[42    ]"),
            ("[%06d]", "[000042]"),
            ("[%-06d]", "[42    ]"),
            ("[%+d]", "[+42]"),
            ("[% d]", "[ 42]"),
            ("[%.4d]", "[0042]"),
            ("[%06.4d]", "[  0042]"),
            ("[%#x]", "[0x2a]"),
            ("[%#08X]", "[0X00002A]"),
            ("[%#o]", "[052]"),
            ("[%c]", "[*]"),
            ("[%-3c]", "[*  ]"),
            ("[%+u]", "[42]"),
            ("%d%%", "42%"),
        ] {
            assert_eq!(of(template, &bytes), text, "{template}");
        }
        assert_eq!(of("[%#x] [%.0d] [%.0d]", &[0; 12]), "[0] [] []");
        assert_eq!(of("%05d", &(-42i32).to_le_bytes()), "-0042");
    }

    #[test]
    fn texts_end_at_a_nul_or_take_what_the_precision_says() {
        assert_eq!(of("%s|%s|%s|", b"ab\0cd"), "ab|cd||");
        assert_eq!(of("%.4s|%.9s|", b"ab\0xcd"), "ab|cd|");
        assert_eq!(of("%5s|%-5s|", b"ab\0cd\0"), "   ab|cd   |");
        assert_eq!(of("%s", b"ab\0c"), "ab [+1]");
    }

    #[test]
    fn bytes_are_in_hex() {
        assert_eq!(of("%.2b|%b|%b|", &[1, 0xAB, 3]), "01 AB|03||");
    }

    #[test]
    fn what_is_missing_and_what_is_left_is_said() {
        assert_eq!(of("%d %hd %d %n %s|%b|", &[1, 0, 0, 0, 2, 0]), "1 2 <?> <?> ||");
        assert_eq!(of("%d %hd", &[1, 0]), "<?> 1");
        assert_eq!(of("%hhd", &[1, 2, 3]), "1 [+2]");
        assert_eq!(of("a", &[1]), "a [+1]");
        assert_eq!(of("%n%hhd", &[1, 0, 0, 0, 2]), "2");
    }

    #[test]
    fn the_cursor_goes_where_it_is_put() {
        assert_eq!(of("%@4%hhd %@0%hhd", &[1, 2, 3, 4, 5]), "5 1");
        assert_eq!(of("%@2%hhd", &[1, 2, 3, 4]), "3 [+1]");
        assert_eq!(of("%@9%hhd %@0%hhd", &[1, 2]), "<?> 1");
    }

    #[test]
    fn without_a_template_all_bytes_are_shown() {
        let mut out = Vec::new();
        Data::new(&[1, 0xFF]).put_without_template(&mut out);
        Data::new(&[]).put_without_template(&mut out);
        assert_eq!(out, b"data: 01 FF");
    }

    #[test]
    fn long_texts_are_cut() {
        let bytes = vec![b'x'; limits::BYTES];
        let text = of(&"%@0%b".repeat(limits::CONVERSIONS / 2), &bytes);
        assert!(text.len() <= limits::TEXT + 3 && text.ends_with('…'));
    }

    struct Numbered;
    impl Fields for Numbered {
        fn put(&self, field: &FieldRef, out: &mut Vec<u8>) -> bool {
            match field {
                FieldRef::Index(index) if *index < 2 => out.push(b'0' + *index as u8),
                FieldRef::Name(name) if name == "temp" => out.extend_from_slice(b"21.5"),
                _ => return false,
            }
            true
        }
    }

    #[test]
    fn record_lines_show_fields() {
        let mut out = Vec::new();
        let template = compile("{temp} C, {1} {{{0}} {9} %hhd", Syntax::Record).unwrap();
        template.render(&Data::new(&[7, 8]), &Numbered, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "21.5 C, 1 {0} <?> 7");
    }
}
