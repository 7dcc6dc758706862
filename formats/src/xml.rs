//! XML files with formats of user events, as lines of a `.fmt` file.
//!
//! ```xml
//! <datakey format="%4u1x flags %1s0 name">
//!   <event class="6" id="22"/>
//!   <enum name="flags" value="1" string="on"/>
//! </datakey>
//! ```
//!
//! A descriptor is `%`, the size of a value, `s` or `u`, how many there are, and a form `d`, `x`, `o` or `c`; then its
//! label. One of size 1 with the count 0 and no form is a text up to a NUL. An enum belongs to the label that is its
//! name. Label and value are joined by a blank, descriptors by two; several values stand in `[ ]`.

use std::{collections::BTreeMap, fmt::Write as _};

use nom::{
    IResult, Parser,
    bytes::complete::{tag, take_till},
    character::complete::{digit1, one_of},
    combinator::{map, map_res, opt},
    multi::many1,
    sequence::preceded,
};
use roxmltree::{Document, Node, ParsingOptions};

use crate::{limits, words::number};

/// The class of user events.
const USER_CLASS: i128 = 6;

/// An XML file as lines.
#[derive(Debug, Default)]
pub(crate) struct Translated {
    /// Line and column in the file, and the line of a `.fmt` file.
    pub(crate) lines: Vec<(u32, u32, String)>,
    /// Line, column and message.
    pub(crate) faults: Vec<(u32, u32, String)>,
}

pub(crate) fn translate(text: &[u8]) -> Translated {
    let mut translated = Translated::default();
    let Ok(text) = std::str::from_utf8(text) else {
        translated.faults.push((1, 1, "this is not UTF-8".to_owned()));
        return translated;
    };
    // Without a DTD there are no entities that grow.
    let options = ParsingOptions { nodes_limit: limits::XML_NODES, ..ParsingOptions::default() };
    match Document::parse_with_options(text, options) {
        Ok(document) => translated.document(&document),
        Err(error) => {
            let at = error.pos();
            translated.faults.push((at.row, at.col, without_position(&error)));
        }
    }
    translated
}

/// The message of the reader, which ends in the place that we tell ourselves.
fn without_position(error: &roxmltree::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at ").map_or(message.clone(), |(before, _)| before.to_owned())
}

impl Translated {
    fn document(&mut self, document: &Document<'_>) {
        let keys: Vec<Node<'_, '_>> = document.descendants().filter(|node| node.has_tag_name("datakey")).collect();
        if keys.is_empty() {
            self.faults.push((1, 1, "there is no <datakey format=\"...\">".to_owned()));
        }
        for key in keys {
            if let Err((at, message)) = self.key(&key) {
                self.fault(&at, message);
            }
        }
    }

    fn fault(&mut self, node: &Node<'_, '_>, message: String) {
        let at = position(node);
        self.faults.push((at.0, at.1, message));
    }

    /// The events of a key, and the enums of its values.
    fn key<'a, 'i>(&mut self, key: &Node<'a, 'i>) -> Result<(), (Node<'a, 'i>, String)> {
        let format = key.attribute("format").ok_or((*key, "the attribute format is missing".to_owned()))?;
        let values = values(format).map_err(|message| (*key, message))?;
        let events = children(key, "event").map(|event| Ok((event, event_number(&event)?)));
        let events: Vec<_> = events.collect::<Result<_, _>>()?;
        let &(_, first) = events.first().ok_or((*key, "an <event class=\"6\" id=\"...\"/> is missing".to_owned()))?;
        let enums = enums(key, &values)?;
        for (value, texts) in &enums {
            let pairs: String = texts.iter().map(|(value, text)| format!(" {value} {}", quoted(text))).collect();
            self.line(key, format!("enum {}{pairs}", enum_name(first, *value)));
        }
        let named = |value: usize| enums.contains_key(&value).then(|| enum_name(first, value));
        let shown: Vec<String> = values.iter().enumerate().map(|(index, value)| value.template(named(index))).collect();
        let template = quoted(&shown.join("  "));
        for (event, number) in events {
            self.line(&event, format!("user {number} {number} {template}"));
        }
        Ok(())
    }

    fn line(&mut self, node: &Node<'_, '_>, line: String) {
        let (row, column) = position(node);
        self.lines.push((row, column, line));
    }
}

fn position(node: &Node<'_, '_>) -> (u32, u32) {
    let at = node.document().text_pos_at(node.range().start);
    (at.row, at.col)
}

fn children<'a, 'i>(node: &Node<'a, 'i>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.has_tag_name(tag))
}

fn event_number<'a, 'i>(event: &Node<'a, 'i>) -> Result<i128, (Node<'a, 'i>, String)> {
    let attribute = |name: &str| {
        let number = event.attribute(name).and_then(|text| number(text.trim()));
        number.ok_or_else(|| (*event, format!("the attribute {name} must be a number")))
    };
    if attribute("class")? != USER_CLASS {
        return Err((*event, "only events of class 6 (user events) have formats".to_owned()));
    }
    attribute("id")
}

/// Texts of numbers, by the index of their value.
type Enums = BTreeMap<usize, Vec<(i128, String)>>;

fn enums<'a, 'i>(key: &Node<'a, 'i>, values: &[Value]) -> Result<Enums, (Node<'a, 'i>, String)> {
    let mut enums = Enums::new();
    for node in children(key, "enum") {
        let attribute =
            |name: &str| node.attribute(name).ok_or_else(|| (node, format!("the attribute {name} is missing")));
        let label = attribute("name")?.trim();
        let value = values.iter().position(|value| value.label == label && !value.is_text);
        let value = value.ok_or_else(|| (node, format!("no number of the format is labelled {label:?}")))?;
        let number = number(attribute("value")?.trim());
        let number = number.ok_or_else(|| (node, "the attribute value must be a number".to_owned()))?;
        enums.entry(value).or_default().push((number, attribute("string")?.to_owned()));
    }
    Ok(enums)
}

/// Labels may be any text, so enums are called after the event and the index of their value.
fn enum_name(event: i128, value: usize) -> String {
    format!("user{event}.{value}")
}

/// A string of a `.fmt` file.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' | '\r' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

/// A descriptor with its label.
#[derive(Debug, PartialEq, Eq)]
struct Value {
    /// Conversion of one value.
    conversion: String,
    count: usize,
    is_text: bool,
    label: String,
}

impl Value {
    /// Label and conversions.
    fn template(&self, texts: Option<String>) -> String {
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

fn values(format: &str) -> Result<Vec<Value>, String> {
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
        let form = match self.form {
            Some('d') | None => {
                if self.is_signed {
                    'd'
                } else {
                    'u'
                }
            }
            Some(form) => form,
        };
        let conversion = if is_text { "s".to_owned() } else { format!("{size}{form}") };
        Ok(Value { conversion, count: self.count.max(1), is_text, label: self.label.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let translated = translate(text.as_bytes());
        assert_eq!(translated.faults, []);
        translated.lines.into_iter().map(|(_, _, line)| line).collect()
    }

    fn fault(text: &str) -> (u32, u32, String) {
        translate(text.as_bytes()).faults.swap_remove(0)
    }

    fn key(format: &str) -> String {
        format!("<datakey format='{format}'><event class='6' id='22'/></datakey>")
    }

    #[test]
    fn a_key_is_a_template_of_its_events() {
        let text = "<?xml version='1.0'?>\n<eventdefinitions>\n<datakey format=\"%4u1x myvalue %1s0 mystring\">\
                    <event class=\"6\" id=\"22\"/><event class='6' id='0x17'/></datakey></eventdefinitions>";
        assert_eq!(
            lines(text),
            [r#"user 22 22 "myvalue %lx  mystring %s""#, r#"user 23 23 "myvalue %lx  mystring %s""#]
        );
    }

    #[test]
    fn descriptors_are_conversions() {
        for (format, template) in [
            ("%1s1 a %2u1 b %4s1d c %8u1o d", "a %hhd  b %hu  c %ld  d %llo"),
            ("%1u3c letters", "letters [%hhc %hhc %hhc]"),
            ("%2u2x", "[%hx %hx]"),
            ("%1s0", "%s"),
            ("%4u1d load  {x} ", "load  {x} %lu"),
        ] {
            assert_eq!(lines(&key(format)), [format!("user 22 22 \"{template}\"")], "{format}");
        }
    }

    #[test]
    fn enums_belong_to_a_label() {
        let text = "<datakey format='%4u1 a %1u1x my state'><event class='6' id='5'/>\
                    <enum name='my state' value='1' string='on &quot;1&quot;'/><enum name='my state' value='0' string='off'/></datakey>";
        assert_eq!(
            lines(text),
            [r#"enum user5.1 1 "on \"1\"" 0 "off""#, r#"user 5 5 "a %lu  my state %hhx{user5.1}""#]
        );
    }

    #[test]
    fn faults_tell_their_place() {
        assert_eq!(fault("<a>\n <b></a>").0, 2);
        assert_eq!(fault("<a/>"), (1, 1, "there is no <datakey format=\"...\">".to_owned()));
        for (format, message) in [
            ("x", "the format must begin with a descriptor: %SIZE s|u COUNT [d|x|o|c] LABEL"),
            ("%4u1 a %3u1 b", "\"%3u1 b\" is no descriptor: %SIZE s|u COUNT [d|x|o|c] LABEL"),
            ("%4u0 a", "the count 0 stands for a text: size 1, without d, x, o or c"),
            ("%4u257 a", "more than 256 values"),
            ("%4u99999999999999999999 a", "the format must begin with a descriptor: %SIZE s|u COUNT [d|x|o|c] LABEL"),
        ] {
            assert_eq!(fault(&format!("<x>\n {}</x>", key(format))), (2, 2, message.to_owned()));
        }
        let text = "<datakey format='%4u1 a'>\n<event class='5' id='5'/></datakey>";
        assert_eq!(fault(text), (2, 1, "only events of class 6 (user events) have formats".to_owned()));
        let text = "<datakey format='%4u1 a'><event class='6' id='5'/><enum name='b' value='1' string='x'/></datakey>";
        assert_eq!(fault(text).2, "no number of the format is labelled \"b\"");
    }

    #[test]
    fn hostile_files_end_in_a_message() {
        for text in ["<a>".repeat(1 << 17), "<a/>".repeat(1 << 17), format!("<a>{}</a>", "<b/>".repeat(1 << 18))] {
            assert_ne!(translate(text.as_bytes()).faults, []);
        }
        let laughs = "<!DOCTYPE a [<!ENTITY b \"ha\">]><a>&b;</a>";
        assert_ne!(translate(laughs.as_bytes()).faults, []);
    }
}
