//! The descriptors of a format: `%`, size, sign, count, form, label.

use std::fmt::Write as _;

use nom::{
    IResult, Parser,
    bytes::complete::{tag, take_till},
    character::complete::{digit1, one_of},
    combinator::{map, map_res, opt},
    multi::many1,
    sequence::preceded,
};

use crate::limits;

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
            let _ = write!(one, "{{{name}}}");
        }
        let all = vec![one.as_str(); self.count].join(" ");
        let all = if self.count > 1 { format!("[{all}]") } else { all };
        let label = self.label.replace('%', "%%");
        if label.is_empty() { all } else { format!("{label} {all}") }
    }
}

/// The descriptors of a format.
pub(super) fn values(format: &str) -> Result<Vec<Value>, String> {
    const FORM: &str = "%SIZE s|u COUNT [d|x|o|c] LABEL";
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
    let count = map_res(digit1, str::parse);
    let label = map(take_till(|char| char == '%'), str::trim);
    let parts = (one_of("1248"), one_of("su"), count, opt(one_of("dxoc")), label);
    map(preceded(tag("%"), parts), |(size, sign, count, form, label)| Parsed {
        size,
        is_signed: sign == 's',
        count,
        form,
        label,
    })
    .parse(text)
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
