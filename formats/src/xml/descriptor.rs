//! The descriptors of a format: `%`, size, sign, count, form, label. Published examples leave out all but the form, as
//! `%x value`.

use std::fmt::Write as _;

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{tag, take_till},
    character::complete::{digit1, one_of},
    combinator::{map, map_res, not, opt, verify},
    multi::many1,
    sequence::{preceded, terminated},
};

use crate::limits;

/// Size of a value that has none in its descriptor.
const SIZE: char = '4';

/// A descriptor with its label.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// Conversion of one value.
    conversion: String,
    count: usize,
    pub(super) is_text: bool,
    pub(super) label: String,
}

impl Value {
    /// Label and conversions.
    pub(super) fn template(&self, texts: Option<String>) -> String {
        let mut one = format!("%{}", self.conversion);
        if let Some(name) = texts {
            // Writing to a string does not fail.
            let _ = write!(one, "{{{name}?}}");
        }
        let all = vec![one.as_str(); self.count].join(" ");
        let all = if self.count > 1 { format!("[{all}]") } else { all };
        let label = self.label.replace('%', "%%");
        if label.is_empty() { all } else { format!("{label} {all}") }
    }
}

/// The descriptors of a format.
pub(super) fn values(format: &str) -> Result<Vec<Value>, String> {
    const FORM: &str = "%[SIZE s|u COUNT][d|x|o|c] LABEL";
    let parsed: IResult<&str, Vec<Parsed<'_>>> = many1(descriptor).parse(format.trim_start());
    let (rest, parsed) = parsed.map_err(|_| format!("the format must begin with a descriptor: {FORM}"))?;
    if !rest.is_empty() {
        let shown: String = rest.chars().take(32).collect();
        return Err(format!("{shown:?} is no descriptor: {FORM}"));
    }
    if parsed.iter().map(|parsed| parsed.count.max(1)).fold(0, usize::saturating_add) > limits::CONVERSIONS {
        return Err(format!("more than {} values", limits::CONVERSIONS));
    }
    parsed.into_iter().map(Parsed::value).collect()
}

/// A descriptor as it stands.
struct Parsed<'a> {
    size: char,
    is_signed: bool,
    count: usize,
    form: Option<char>,
    label: &'a str,
}

fn descriptor(text: &str) -> IResult<&str, Parsed<'_>> {
    let label = || map(take_till(|char| char == '%'), str::trim);
    // A count that is too great is no label.
    let count = terminated(opt(map_res(digit1, str::parse)), not(digit1));
    let whole = (opt(one_of("1248")), one_of("su"), count, opt(one_of("dxoc")), label());
    // A text has a size: `%s` alone may be meant as one.
    let whole = verify(whole, |(size, _, count, form, _)| size.is_some() || count.is_some() || form.is_some());
    let whole = map(whole, |(size, sign, count, form, label)| Parsed {
        size: size.unwrap_or(SIZE),
        is_signed: sign == 's',
        count: count.unwrap_or(1),
        form,
        label,
    });
    let short = map((opt(one_of("1248")), one_of("dxoc"), label()), |(size, form, label)| Parsed {
        size: size.unwrap_or(SIZE),
        is_signed: form == 'd',
        count: 1,
        form: Some(form),
        label,
    });
    preceded(tag("%"), alt((whole, short))).parse(text)
}

impl Parsed<'_> {
    fn value(self) -> Result<Value, String> {
        let is_text = (self.size, self.count, self.form) == ('1', 0, None);
        if self.count == 0 && !is_text {
            return Err("the count 0 stands for a text: size 1, without d, x, o or c".to_owned());
        }
        let size = match self.size {
            '1' => "hh",
            '2' => "h",
            '4' => "l",
            _ => "ll",
        };
        let decimal = if self.is_signed { 'd' } else { 'u' };
        let form = self.form.filter(|form| *form != 'd').unwrap_or(decimal);
        let conversion = if is_text { "s".to_owned() } else { format!("{size}{form}") };
        Ok(Value { conversion, count: self.count.max(1), is_text, label: self.label.to_owned() })
    }
}
