//! Compiles templates with nom.

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{tag, take_while},
    character::complete::{anychar, char, digit0, digit1, one_of},
    combinator::{map, opt, recognize, value},
    multi::fold_many0,
    sequence::preceded,
};

use super::{EnumRef, FieldRef, Form, Integer, Layout, Piece, Template};
use crate::limits;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// Byte offset in the template.
    pub(crate) at: usize,
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Braces are text, except for an enum after an integer.
    Qnx,
    /// Supports `{N}`, `{NAME}` and `{{`.
    Record,
}

/// Compiles a template. Its enums are resolved later.
pub(crate) fn compile(text: &str, syntax: Syntax) -> Result<Template, Mistake> {
    let mut pieces = Pieces::default();
    let mut rest = text;
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        rest = piece(rest, at, syntax, &mut pieces).map_err(|message| Mistake { at, message })?;
        if pieces.conversions > limits::CONVERSIONS {
            let message = format!("more than {} conversions", limits::CONVERSIONS);
            return Err(Mistake { at, message });
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
fn piece<'a>(text: &'a str, at: usize, syntax: Syntax, pieces: &mut Pieces) -> Result<&'a str, String> {
    if let Some(rest) = text.strip_prefix("%%") {
        pieces.literal("%");
        return Ok(rest);
    }
    if let Some(spec) = text.strip_prefix('%') {
        let (rest, conversion) = conversion(spec, at + 1)?;
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

/// Parses what follows the `%` before byte `at`.
fn conversion(spec: &str, at: usize) -> Result<(&str, Piece), String> {
    if let Some(place) = spec.strip_prefix('@') {
        let (rest, digits) = parsed(digit1(place)).ok_or("%@ needs a byte number")?;
        let place = number(digits).filter(|place| *place <= limits::BYTES);
        let place = place.ok_or_else(|| format!("%@ goes at most to byte {}", limits::BYTES))?;
        return Ok((rest, Piece::Place(place)));
    }
    let (rest, (layout, size)) = parsed(head(spec)).ok_or("unfinished conversion")?;
    let layout = layout?;
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
    let (after, texts) = enum_of(rest, at + spec.len() - rest.len())?;
    Ok((after, Piece::Integer(Integer { layout, size, form, texts })))
}

/// Parses the `{NAME}` of an enum, if there is one.
fn enum_of(text: &str, at: usize) -> Result<(&str, Option<EnumRef>), String> {
    let Some(inside) = text.strip_prefix('{').filter(|inside| !inside.starts_with('{')) else {
        return Ok((text, None));
    };
    let (name, rest) = inside.split_once('}').ok_or("missing } after the name of the enum")?;
    if name.is_empty() {
        return Err("the enum after the conversion has no name".to_owned());
    }
    Ok((rest, Some(EnumRef { name: name.to_owned(), at, texts: <_>::default(), keeps_form: false })))
}

type Head = (Result<Layout, String>, Option<usize>);

fn head(spec: &str) -> IResult<&str, Head> {
    let precision = opt(preceded(char('.'), digit0));
    let size = opt(alt((
        value(1, tag("hh")),
        value(2, tag("h")),
        value(8, tag("ll")),
        value(4, tag("l")), //
    )));
    // `0` is a flag, so a width begins with another digit.
    let width = recognize(take_while(|char: char| char.is_ascii_digit()));
    map((flags, width, precision, size), |(flags, width, precision, size)| {
        let layout = || -> Result<Layout, String> {
            let tall = || "width or precision is too large".to_owned();
            let precision = precision.map(|digits| number(digits).ok_or_else(tall)).transpose()?;
            Ok(Layout { width: number(width).ok_or_else(tall)?, precision, ..flags })
        };
        (layout(), size)
    })
    .parse(spec)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str, syntax: Syntax) -> (usize, String) {
        let mistake = compile(text, syntax).unwrap_err();
        (mistake.at, mistake.message)
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
}
