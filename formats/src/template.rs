//! Templates: compiled once with nom, rendered often, with integers as in `printf`. Text from the target is copied
//! unchanged: any bytes.

use std::{collections::HashMap, io::Write as _, sync::Arc};

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::tag,
    character::complete::{anychar, char, digit0, digit1, one_of},
    combinator::{opt, value},
    multi::fold_many0,
    sequence::preceded,
};

use crate::{
    data::{Data, DataCursor},
    limits,
    words::Wrong,
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
    /// Whether to append ` [+K]`, the number of bytes not reached.
    reports_rest: bool,
}

pub(crate) type Enum = HashMap<i128, String>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Integer(Integer),
    Text(Layout),
    /// `%b` and the number of bytes.
    Bytes(Layout),
    /// `%n` and the size in bytes.
    Skip(Option<usize>),
    Place(usize),
    Field(FieldRef),
}

/// Layout of a `printf` conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Layout {
    /// `-`: align left.
    left: bool,
    /// `0`: pad with zeros.
    zeros: bool,
    /// `#`: prefix with the base.
    prefix: bool,
    /// `+`: always show the sign.
    plus: bool,
    /// Blank: show a blank instead of `+`.
    blank: bool,
    width: usize,
    precision: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Integer {
    layout: Layout,
    /// Size in bytes; `None` = the record's integer size.
    size: Option<usize>,
    form: Form,
    texts: Option<EnumRef>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Signed,
    Unsigned,
    Hex { upper: bool },
    Octal,
    Character,
}

/// An enum's name, and its texts once resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EnumRef {
    name: String,
    texts: Arc<Enum>,
    /// Values without a text keep the form of the conversion.
    keeps_form: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldRef {
    Index(usize),
    Name(String),
}

/// Appends the text of a field; returns `false` if it does not exist.
pub type Fields<'f> = dyn Fn(&FieldRef, &mut Vec<u8>) -> bool + 'f;

impl Template {
    pub(crate) fn uses_fields(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Field(_)))
    }

    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field(FieldRef::Name(name)) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether it contains exactly one integer, with any text around it.
    pub(crate) fn is_one_integer(&self) -> bool {
        let mut others = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_)));
        matches!((others.next(), others.next()), (Some(Piece::Integer(_)), None))
    }

    /// Whether its conversions read this element as something other than an unsigned integer of 4 or 8 bytes; `false`
    /// if fields or `%@` make it uncertain which conversion reads it.
    pub(crate) fn shows_no_total(&self, element: usize) -> bool {
        let is_wide = |size: &Option<usize>| size.is_none_or(|size| size >= 4);
        let mut read = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_)));
        if read.clone().any(|piece| matches!(piece, Piece::Field(_) | Piece::Place(_))) {
            return false;
        }
        match read.nth(element) {
            Some(Piece::Integer(Integer { size, form, .. })) => {
                !is_wide(size) || matches!(form, Form::Signed | Form::Character)
            }
            Some(Piece::Skip(size)) => !is_wide(size),
            Some(_) => true,
            None => false,
        }
    }

    pub(crate) fn conversions(&self) -> usize {
        self.pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_))).count()
    }

    /// Removes ` [+K]` at its end.
    pub(crate) fn silent(self) -> Template {
        Template { reports_rest: false, ..self }
    }

    /// Looks up its enums; fails at the first unknown one.
    pub(crate) fn resolve(&mut self, enums: &HashMap<String, Arc<Enum>>) -> Result<(), String> {
        for piece in &mut self.pieces {
            if let Piece::Integer(Integer { texts: Some(wanted), .. }) = piece {
                wanted.keeps_form = !enums.contains_key(&wanted.name);
                let name = wanted.name.strip_suffix('?').filter(|_| wanted.keeps_form).unwrap_or(&wanted.name);
                wanted.texts = enums.get(name).cloned().ok_or_else(|| format!("no enum {name}"))?;
            }
        }
        Ok(())
    }

    pub fn render(&self, data: &Data<'_>, fields: &Fields<'_>, out: &mut Vec<u8>) {
        let begin = out.len();
        let mut cursor = DataCursor::new(data);
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Braces are text, except for an enum after an integer.
    Qnx,
    /// Supports `{N}`, `{NAME}` and `{{`.
    Record,
}

/// Compiles a template; offsets of errors are those in it. Its enums are resolved later.
pub(crate) fn compile(text: &str, syntax: Syntax) -> Result<Template, Wrong> {
    let mut pieces = Pieces::default();
    let mut rest = text;
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        rest = piece(rest, syntax, &mut pieces).map_err(|message| Wrong::new(at, message))?;
        if pieces.conversions > limits::CONVERSIONS {
            return Err(Wrong::new(at, format!("more than {} conversions", limits::CONVERSIONS)));
        }
    }
    let template = Template { pieces: pieces.list, reports_rest: false };
    Ok(Template { reports_rest: !template.uses_fields(), ..template })
}

#[derive(Default)]
struct Pieces {
    list: Vec<Piece>,
    conversions: usize,
    /// The previous piece is a conversion that reads data.
    behind_conversion: bool,
}

impl Pieces {
    fn literal(&mut self, text: &str) {
        self.behind_conversion = false;
        match self.list.last_mut() {
            Some(Piece::Literal(before)) => before.push_str(text),
            _ => self.list.push(Piece::Literal(text.to_owned())),
        }
    }

    fn conversion(&mut self, piece: Piece) {
        self.conversions += 1;
        self.behind_conversion = !matches!(piece, Piece::Field(_) | Piece::Place(_));
        self.list.push(piece);
    }
}

/// Parses a piece; returns the rest of the text.
fn piece<'a>(text: &'a str, syntax: Syntax, pieces: &mut Pieces) -> Result<&'a str, String> {
    if let Some(rest) = text.strip_prefix("%%") {
        pieces.literal("%");
        return Ok(rest);
    }
    if let Some(spec) = text.strip_prefix('%') {
        let (rest, conversion) = conversion(spec)?;
        pieces.conversion(conversion);
        return Ok(rest);
    }
    if let (Syntax::Record, Some(inside)) = (syntax, text.strip_prefix('{')) {
        return brace(inside, pieces);
    }
    let end = text.char_indices().skip(1).find(|(_, char)| matches!(char, '%' | '{'));
    let (literal, rest) = text.split_at(end.map_or(text.len(), |(end, _)| end));
    pieces.literal(literal);
    Ok(rest)
}

/// Parses what follows `{`: another `{`, `N}` or `NAME}`.
fn brace<'a>(inside: &'a str, pieces: &mut Pieces) -> Result<&'a str, String> {
    if let Some(rest) = inside.strip_prefix('{') {
        pieces.literal("{");
        return Ok(rest);
    }
    if pieces.behind_conversion {
        return Err("an enum may only follow an integer; put a blank before a field, or write {{".to_owned());
    }
    let (name, rest) = inside.split_once('}').ok_or("missing } after {; write {{ for a brace")?;
    if name.is_empty() || name.contains('{') {
        return Err("a field must be {N} or {NAME}; write {{ for a brace".to_owned());
    }
    let is_index = name.bytes().all(|byte| byte.is_ascii_digit());
    let field = match name.parse() {
        Ok(index) if is_index => FieldRef::Index(index),
        _ => FieldRef::Name(name.to_owned()),
    };
    pieces.conversion(Piece::Field(field));
    Ok(rest)
}

/// Parses what follows `%`.
fn conversion(spec: &str) -> Result<(&str, Piece), String> {
    if let Some(place) = spec.strip_prefix('@') {
        let (rest, digits) = parsed(digit1(place)).ok_or("%@ needs a byte number")?;
        let place = number(digits).filter(|place| *place <= limits::BYTES);
        let place = place.ok_or_else(|| format!("%@ goes at most to byte {}", limits::BYTES))?;
        return Ok((rest, Piece::Place(place)));
    }
    let (rest, (flags, width, precision, size)) = parsed(head(spec)).ok_or("unfinished conversion")?;
    let tall = || "width or precision is too large".to_owned();
    let precision = precision.map(|digits| number(digits).ok_or_else(tall)).transpose()?;
    let layout = Layout { width: number(width).ok_or_else(tall)?, precision, ..flags };
    let (rest, letter) = parsed(anychar(rest)).ok_or("unfinished conversion; write %% for a percent sign")?;
    let is_integer = matches!(letter, 'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c');
    let longest = if is_integer { limits::WIDTH } else { limits::BYTES };
    if layout.width > limits::WIDTH || layout.precision.is_some_and(|precision| precision > longest) {
        return Err(format!("width above {} or precision above {longest}", limits::WIDTH));
    }
    let form = match letter {
        'd' | 'i' => Form::Signed,
        'u' => Form::Unsigned,
        'x' | 'X' => Form::Hex { upper: letter == 'X' },
        'o' => Form::Octal,
        'c' => Form::Character,
        'n' => return Ok((rest, Piece::Skip(size))),
        's' | 'b' if size.is_some() => return Err(format!("%{letter} has no size")),
        's' => return Ok((rest, Piece::Text(layout))),
        'b' => return Ok((rest, Piece::Bytes(layout))),
        _ => return Err(format!("unknown conversion %{letter}; known are d i u x X o c s b n @ %")),
    };
    let (after, texts) = enum_of(rest)?;
    Ok((after, Piece::Integer(Integer { layout, size, form, texts })))
}

/// Parses the `{NAME}` of an enum, if there is one.
fn enum_of(text: &str) -> Result<(&str, Option<EnumRef>), String> {
    let Some(inside) = text.strip_prefix('{').filter(|inside| !inside.starts_with('{')) else {
        return Ok((text, None));
    };
    let (name, rest) = inside.split_once('}').ok_or("missing } after the name of the enum")?;
    if name.is_empty() {
        return Err("the enum after the conversion has no name".to_owned());
    }
    Ok((rest, Some(EnumRef { name: name.to_owned(), texts: <_>::default(), keeps_form: false })))
}

/// Flags, digits of width and precision, size.
type Head<'a> = (Layout, &'a str, Option<&'a str>, Option<usize>);

fn head(spec: &str) -> IResult<&str, Head<'_>> {
    let precision = opt(preceded(char('.'), digit0));
    let size = opt(alt((
        value(1, tag("hh")),
        value(2, tag("h")),
        value(8, tag("ll")),
        value(4, tag("l")), //
    )));
    // `0` is a flag, so a width begins with another digit.
    (flags, digit0, precision, size).parse(spec)
}

fn flags(spec: &str) -> IResult<&str, Layout> {
    fold_many0(one_of("-0#+ "), Layout::default, |flags, flag| match flag {
        '-' => Layout { left: true, ..flags },
        '0' => Layout { zeros: true, ..flags },
        '#' => Layout { prefix: true, ..flags },
        '+' => Layout { plus: true, ..flags },
        _ => Layout { blank: true, ..flags },
    })
    .parse(spec)
}

/// Converts digits to a number; no digits are 0.
fn number(digits: &str) -> Option<usize> {
    if digits.is_empty() { Some(0) } else { digits.parse().ok() }
}

/// Drops the error, which only says where the parser stopped.
fn parsed<T>(result: IResult<&str, T>) -> Option<(&str, T)> {
    result.ok()
}

/// Placeholder for a missing integer or field.
const MISSING: &[u8] = b"<?>";

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

fn put_piece(piece: &Piece, cursor: &mut DataCursor<'_>, fields: &Fields<'_>, out: &mut Vec<u8>) {
    match piece {
        Piece::Literal(text) => out.extend_from_slice(text.as_bytes()),
        Piece::Integer(integer) => put_integer(integer, cursor, out),
        Piece::Text(layout) => put_text(layout, cursor, out),
        Piece::Bytes(layout) => put_bytes(layout, cursor, out),
        Piece::Skip(size) => {
            if cursor.integer(size.unwrap_or(cursor.data.int_size)).is_none() {
                out.extend_from_slice(MISSING);
            }
        }
        Piece::Place(at) => cursor.go_to(*at),
        Piece::Field(field) => {
            if !fields(field, out) {
                out.extend_from_slice(MISSING);
            }
        }
    }
}

fn put_integer(integer: &Integer, cursor: &mut DataCursor<'_>, out: &mut Vec<u8>) {
    let size = integer.size.unwrap_or(cursor.data.int_size);
    match cursor.integer(size) {
        Some(number) => integer.put(number, size, out),
        None => out.extend_from_slice(MISSING),
    }
}

fn put_text(layout: &Layout, cursor: &mut DataCursor<'_>, out: &mut Vec<u8>) {
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

fn put_bytes(layout: &Layout, cursor: &mut DataCursor<'_>, out: &mut Vec<u8>) {
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
    pub(crate) fn put(&self, number: u64, size: usize, out: &mut Vec<u8>) {
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
fn put_padded(layout: &Layout, sign: &[u8], text: &[u8], out: &mut Vec<u8>) {
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
    use crate::template::{FieldRef, Syntax, compile};

    fn wrong(text: &str, syntax: Syntax) -> (usize, String) {
        let mistake = compile(text, syntax).unwrap_err();
        (mistake.offset, mistake.message)
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        for (text, at, message) in [
            ("ab %q", 3, "unknown conversion %q; known are d i u x X o c s b n @ %"),
            ("%", 0, "unfinished conversion; write %% for a percent sign"),
            ("%d %-", 3, "unfinished conversion; write %% for a percent sign"),
            ("%ls", 0, "%s has no size"),
            ("%513d", 0, "width above 512 or precision above 512"),
            ("%.65537s", 0, "width above 512 or precision above 65536"),
            ("%99999999999999999999999d", 0, "width or precision is too large"),
            ("%@", 0, "%@ needs a byte number"),
            ("%@65537", 0, "%@ goes at most to byte 65536"),
            ("%d{x", 0, "missing } after the name of the enum"),
            ("%d{}", 0, "the enum after the conversion has no name"),
        ] {
            for syntax in [Syntax::Qnx, Syntax::Record] {
                assert_eq!(wrong(text, syntax), (at, message.to_owned()), "{text}");
            }
        }
    }

    #[test]
    fn fields_are_part_of_record_lines_only() {
        assert_eq!(
            wrong("%s{0}", Syntax::Record),
            (2, "an enum may only follow an integer; put a blank before a field, or write {{".to_owned())
        );
        assert_eq!(wrong("a{0", Syntax::Record), (1, "missing } after {; write {{ for a brace".to_owned()));
        assert_eq!(wrong("{}", Syntax::Record), (0, "a field must be {N} or {NAME}; write {{ for a brace".to_owned()));
        assert_eq!(compile("{0} %s{1}{{", Syntax::Qnx).unwrap().pieces.len(), 3);
        assert!(compile("{0} {temp} %@3{1}", Syntax::Record).unwrap().uses_fields());
        assert!(!compile("{{0} %d{{", Syntax::Record).unwrap().uses_fields());
    }

    #[test]
    fn conversions_are_counted() {
        assert!(compile(&"%d".repeat(limits::CONVERSIONS), Syntax::Qnx).is_ok());
        assert_eq!(wrong(&"%d".repeat(limits::CONVERSIONS + 1), Syntax::Qnx).1, "more than 256 conversions");
    }

    fn shown(template: &str, data: &Data<'_>) -> String {
        let mut out = Vec::new();
        compile(template, Syntax::Qnx).unwrap().render(data, &|_, _| false, &mut out);
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
        let two = Data { int_size: 2, is_big_endian: true, ..Data::new(&[0, 1, 0xFF, 0xFE, 0, 0, 0, 9]) };
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

    fn numbered(field: &FieldRef, out: &mut Vec<u8>) -> bool {
        match field {
            FieldRef::Index(index) if *index < 2 => out.push(b'0' + *index as u8),
            FieldRef::Name(name) if name == "temp" => out.extend_from_slice(b"21.5"),
            _ => return false,
        }
        true
    }

    #[test]
    fn record_lines_show_fields() {
        let mut out = Vec::new();
        let template = compile("{temp} C, {1} {{{0}} {9} %hhd", Syntax::Record).unwrap();
        template.render(&Data::new(&[7, 8]), &numbered, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "21.5 C, 1 {0} <?> 7");
    }
}
