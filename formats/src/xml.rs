//! Translates XML files with formats of user events to lines of a `.fmt` file.
//!
//! ```xml
//! <datakey format="%4u1x flags %1s0 name">
//!   <event class="6" id="22"/>
//!   <enum name="flags" value="1" string="on"/>
//! </datakey>
//! ```
//!
//! A descriptor is `%`, the size of a value, `s` or `u`, a count, and a form `d`, `x`, `o` or `c`; then its label; `%x`
//! alone has 4 bytes. Size 1 with count 0 and no form is a text up to a NUL. An enum belongs to the label with its
//! name. Label and value are joined by a blank, descriptors by two; several values are enclosed in `[ ]`.

use std::{collections::BTreeMap, fmt::Write as _};

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{tag, take_till},
    character::complete::{digit1, one_of},
    combinator::{map, map_res, not, opt, verify},
    multi::many1,
    sequence::{preceded, terminated},
};
use roxmltree::{Document, Node, ParsingOptions};

use crate::{limits, words::number};

const USER_CLASS: i128 = 6;

#[derive(Debug, Default)]
pub(crate) struct Translated {
    /// Line and column in the file, and the line of a `.fmt` file.
    pub(crate) lines: Vec<(u32, u32, String)>,
    pub(crate) faults: Vec<(u32, u32, String)>,
}

pub(crate) fn translate(text: &[u8]) -> Translated {
    let fault = |line, column, message: &str| Translated {
        lines: Vec::new(),
        faults: vec![(line, column, message.to_owned())], //
    };
    let Ok(text) = std::str::from_utf8(text) else { return fault(1, 1, "not UTF-8") };
    if let Some((at, message)) = too_much(text) {
        let (line, column) = Places::new(text, vec![at]).of(at);
        return fault(line, column, &message);
    }
    // Without a DTD, no entity can expand.
    let options = ParsingOptions { nodes_limit: limits::XML_NODES, ..ParsingOptions::default() };
    match Document::parse_with_options(text, options) {
        Ok(document) => Keys::read(&document).placed(text),
        Err(error) => fault(error.pos().row, error.pos().col, &without_position(&error)),
    }
}

/// Finds where a file exceeds a limit of something that takes the XML reader quadratic time.
fn too_much(text: &str) -> Option<(usize, String)> {
    if let Some((at, _)) = text.match_indices("xmlns").nth(limits::XML_NAMESPACES) {
        return Some((at, format!("more than {} namespaces", limits::XML_NAMESPACES)));
    }
    let (mut begin, mut attributes) = (0, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'>' => (begin, attributes) = (at, 0),
            b'=' => attributes += 1,
            _ => {}
        }
        if attributes > limits::XML_ATTRIBUTES {
            return Some((begin, format!("more than {} attributes", limits::XML_ATTRIBUTES)));
        }
    }
    None
}

/// The reader's message without the position, which the caller adds.
fn without_position(error: &roxmltree::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at ").map_or(message.clone(), |(before, _)| before.to_owned())
}

/// Contents of all keys of a document, with byte offsets in the file.
#[derive(Debug, Default)]
struct Keys {
    lines: Vec<(usize, String)>,
    faults: Vec<(usize, String)>,
    len: usize,
}

impl Keys {
    fn read(document: &Document<'_>) -> Keys {
        let mut keys = Keys::default();
        let mut nodes = document.descendants().filter(|node| node.has_tag_name("datakey")).peekable();
        if nodes.peek().is_none() {
            keys.faults.push((0, "there is no <datakey format=\"...\">".to_owned()));
        }
        for node in nodes {
            if let Err((at, message)) = keys.key(&node) {
                keys.faults.push((at.range().start, message));
            }
            // A long label may repeat for many events.
            if keys.len > limits::ALL_FILES {
                let message = "the lines for the events are too long; the rest of the file is not read";
                keys.faults.push((node.range().start, message.to_owned()));
                break;
            }
        }
        keys
    }

    /// Adds a key's events and the enums of its values.
    fn key<'a, 'i>(&mut self, key: &Node<'a, 'i>) -> Result<(), (Node<'a, 'i>, String)> {
        let format = key.attribute("format").ok_or((*key, "the attribute format is missing".to_owned()))?;
        let values = values(format).map_err(|message| (*key, message))?;
        refuse_unread(key)?;
        let offset = offset(key)?;
        let events = children(key, "event").map(|event| Ok((event, event_number(&event)?)));
        let events: Vec<_> = events.collect::<Result<_, _>>()?;
        let &(_, first) = events.first().ok_or((*key, "an <event class=\"6\" id=\"...\"/> is missing".to_owned()))?;
        let enums = enums(key, &values)?;
        for (value, texts) in &enums {
            let pairs: String = texts.iter().map(|(value, text)| format!(" {value} {}", quoted(text))).collect();
            self.line(key, format!("enum {}{pairs}", enum_name(first, *value)));
        }
        let named = |value: usize| enums.contains_key(&value).then(|| enum_name(first, value));
        let shown = values.iter().enumerate().map(|(index, value)| value.template(named(index)));
        let place = if offset > 0 { format!("%@{offset}") } else { String::new() };
        let template = quoted(&(place + &shown.collect::<Vec<_>>().join("  ")));
        for (event, number) in events {
            self.line(&event, format!("user {number} {number} {template}"));
            if self.len > limits::ALL_FILES {
                break;
            }
        }
        Ok(())
    }

    fn line(&mut self, node: &Node<'_, '_>, line: String) {
        self.len += line.len();
        self.lines.push((node.range().start, line));
    }

    fn placed(self, text: &str) -> Translated {
        let places = Places::new(text, self.lines.iter().chain(&self.faults).map(|(at, _)| *at).collect());
        let placed = |(at, text): (usize, String)| {
            let (line, column) = places.of(at);
            (line, column, text)
        };
        Translated {
            lines: self.lines.into_iter().map(placed).collect(),
            faults: self.faults.into_iter().map(placed).collect(),
        }
    }
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

fn offset<'a, 'i>(key: &Node<'a, 'i>) -> Result<usize, (Node<'a, 'i>, String)> {
    let Some(text) = key.attribute("offset") else { return Ok(0) };
    let offset = number(text.trim()).and_then(|number| usize::try_from(number).ok());
    let message = || (*key, format!("the attribute offset must be a number from 0 to {}", limits::BYTES));
    offset.filter(|offset| *offset <= limits::BYTES).ok_or_else(message)
}

/// Rejects unsupported parts that select other values.
fn refuse_unread<'a, 'i>(key: &Node<'a, 'i>) -> Result<(), (Node<'a, 'i>, String)> {
    if key.has_attribute("wide_offset") {
        return Err((*key, "wide_offset is not read: user events are not sent in wide mode; use offset".to_owned()));
    }
    match key.children().find(|child| child.has_tag_name("bitmask") || child.has_tag_name("condition")) {
        Some(child) => Err((child, format!("<{}> is not read: leave it out to see all bits", child.tag_name().name()))),
        None => Ok(()),
    }
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

/// Labels may be any text, so enums are named after the event and the value's index.
fn enum_name(event: i128, value: usize) -> String {
    format!("user{event}.{value}")
}

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

/// Default size of a value.
const SIZE: char = '4';

#[derive(Debug, PartialEq, Eq)]
struct Value {
    conversion: String,
    count: usize,
    is_text: bool,
    label: String,
}

impl Value {
    fn template(&self, texts: Option<String>) -> String {
        let mut one = format!("%{}", self.conversion);
        if let Some(name) = texts {
            // Writing to a string never fails.
            let _ = write!(one, "{{{name}?}}");
        }
        let all = vec![one.as_str(); self.count].join(" ");
        let all = if self.count > 1 { format!("[{all}]") } else { all };
        let label = self.label.replace('%', "%%");
        if label.is_empty() { all } else { format!("{label} {all}") }
    }
}

fn values(format: &str) -> Result<Vec<Value>, String> {
    const FORM: &str = "%[SIZE s|u COUNT][d|x|o|c] LABEL";
    let parsed: IResult<&str, Vec<Parsed<'_>>> = many1(descriptor).parse(format.trim_start());
    let (rest, parsed) = parsed.map_err(|_| format!("the format must begin with a descriptor: {FORM}"))?;
    if !rest.is_empty() {
        let shown: String = rest.chars().take(32).collect();
        return Err(format!("{shown:?} is not a descriptor: {FORM}"));
    }
    if parsed.iter().map(|parsed| parsed.count.max(1)).fold(0, usize::saturating_add) > limits::CONVERSIONS {
        return Err(format!("more than {} values", limits::CONVERSIONS));
    }
    parsed.into_iter().map(Parsed::value).collect()
}

struct Parsed<'a> {
    size: char,
    is_signed: bool,
    count: usize,
    form: Option<char>,
    label: &'a str,
}

fn descriptor(text: &str) -> IResult<&str, Parsed<'_>> {
    let label = || map(take_till(|char| char == '%'), str::trim);
    // A count that is too large is not a label.
    let count = terminated(opt(map_res(digit1, str::parse)), not(digit1));
    let whole = (opt(one_of("1248")), one_of("su"), count, opt(one_of("dxoc")), label());
    // A text needs a size, because `%s` alone may have been meant as one.
    let whole = verify(whole, |(size, _, count, form, _)| size.is_some() || count.is_some() || form.is_some());
    let short = map((opt(one_of("1248")), one_of("dxoc"), label()), |(size, form, label)| {
        (size, if form == 'd' { 's' } else { 'u' }, None, Some(form), label)
    });
    let all = map(alt((whole, short)), |(size, sign, count, form, label)| Parsed {
        size: size.unwrap_or(SIZE),
        is_signed: sign == 's',
        count: count.unwrap_or(1),
        form,
        label,
    });
    preceded(tag("%"), all).parse(text)
}

impl Parsed<'_> {
    fn value(self) -> Result<Value, String> {
        let is_text = (self.size, self.count, self.form) == ('1', 0, None);
        if self.count == 0 && !is_text {
            return Err("the count 0 means a text: size 1, without d, x, o or c".to_owned());
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

/// Lines and columns of byte offsets, found in one pass through the text.
struct Places {
    /// Byte offsets in order, with their places.
    of_bytes: Vec<(usize, (u32, u32))>,
}

impl Places {
    fn new(text: &str, mut bytes: Vec<usize>) -> Places {
        bytes.sort_unstable();
        let (mut before, mut place) = (0, (1, 1));
        let mut of_bytes = Vec::with_capacity(bytes.len());
        for at in bytes {
            for char in text.get(before..at).unwrap_or_default().chars() {
                place = if char == '\n' { (place.0 + 1, 1) } else { (place.0, place.1 + 1) };
            }
            before = at;
            of_bytes.push((at, place));
        }
        Places { of_bytes }
    }

    /// Line and column of one of the offsets; columns count characters.
    fn of(&self, at: usize) -> (u32, u32) {
        let found = self.of_bytes.binary_search_by_key(&at, |(byte, _)| *byte);
        found.ok().and_then(|index| self.of_bytes.get(index)).map_or((1, 1), |(_, place)| *place)
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
            ("%x value", "value %lx"),
            ("%4u1x a %d b", "a %lx  b %ld"),
            ("%4u a %4ux b %2sd c", "a %lu  b %lx  c %hd"),
            ("%2x a %u3 b %s1d c %u2c", "a %hx  b [%lu %lu %lu]  c %ld  [%lc %lc]"),
        ] {
            assert_eq!(lines(&key(format)), [format!("user 22 22 \"{template}\"")], "{format}");
        }
    }

    #[test]
    fn an_offset_is_where_the_first_value_begins() {
        let with = |attributes: &str| {
            format!("<datakey format='%4u1x a %4u1 b' {attributes}><event class='6' id='10'/></datakey>")
        };
        let at_4 = [r#"user 10 10 "%@4a %lx  b %lu""#];
        assert_eq!(lines(&with("offset='4' show_masked_value='false'")), at_4);
        assert_eq!(lines(&with("offset='0'")), [r#"user 10 10 "a %lx  b %lu""#]);
        for offset in ["-1", "x", "65537"] {
            assert!(fault(&with(&format!("offset='{offset}'"))).2.contains("the attribute offset must be"), "{offset}");
        }
    }

    #[test]
    fn what_is_not_read_is_refused_by_its_name() {
        let key = |attributes: &str, inside: &str| {
            format!("<datakey format='%4u1x a'{attributes}>\n<event class='6' id='10'/>\n{inside}</datakey>")
        };
        for (text, line, name) in [
            (key(" wide_offset='8'", ""), 1, "wide_offset"),
            (key("", "<bitmask name='a' mask='0xff'/>"), 3, "<bitmask>"),
            (key("", "<condition name='a' value='1'/>"), 3, "<condition>"),
        ] {
            let fault = fault(&text);
            assert!(fault.0 == line && fault.2.starts_with(&format!("{name} is not read")), "{fault:?}");
            assert_eq!(translate(text.as_bytes()).lines, []);
        }
    }

    #[test]
    fn enums_belong_to_a_label() {
        let text = "<datakey format='%4u1 a %1u1x my state'><event class='6' id='5'/>\
                    <enum name='my state' value='1' string='on &quot;1&quot;'/><enum name='my state' value='0' string='off'/></datakey>";
        assert_eq!(
            lines(text),
            [r#"enum user5.1 1 "on \"1\"" 0 "off""#, r#"user 5 5 "a %lu  my state %hhx{user5.1?}""#]
        );
    }

    #[test]
    fn faults_name_their_place() {
        assert_eq!(fault("<a>\n <b></a>").0, 2);
        assert_eq!(fault("<a/>"), (1, 1, "there is no <datakey format=\"...\">".to_owned()));
        for (format, message) in [
            ("x", "the format must begin with a descriptor: %[SIZE s|u COUNT][d|x|o|c] LABEL"),
            ("%4u1 a %3u1 b", "\"%3u1 b\" is not a descriptor: %[SIZE s|u COUNT][d|x|o|c] LABEL"),
            ("%4u0 a", "the count 0 means a text: size 1, without d, x, o or c"),
            ("%4u257 a", "more than 256 values"),
            ("%4u99999999999999999999 a", "the format must begin with a descriptor: %[SIZE s|u COUNT][d|x|o|c] LABEL"),
        ] {
            assert_eq!(fault(&format!("<x>\n {}</x>", key(format))), (2, 2, message.to_owned()));
        }
        let text = "<datakey format='%4u1 a'>\n<event class='5' id='5'/></datakey>";
        assert_eq!(fault(text), (2, 1, "only events of class 6 (user events) have formats".to_owned()));
        let text = "<datakey format='%4u1 a'><event class='6' id='5'/><enum name='b' value='1' string='x'/></datakey>";
        assert_eq!(fault(text).2, "no number of the format is labelled \"b\"");
    }

    #[test]
    fn places_are_lines_and_columns() {
        let places = Places::new("ä<b>\nc", vec![6, 2, 5]);
        assert_eq!([5, 6, 2].map(|at| places.of(at)), [(1, 5), (2, 1), (1, 2)]);
    }

    #[test]
    fn an_enum_may_have_many_values() {
        let values: String = (0..5000).map(|value| format!("<enum name='v' value='{value}' string='s'/>")).collect();
        let text = format!("<datakey format='%4u1d v'><event class='6' id='1'/>{values}</datakey>");
        let mut loader = crate::Loader::new();
        loader.add_xml(text.as_bytes());
        assert_eq!(loader.finish().faults, []);
    }

    #[test]
    fn what_the_reader_takes_the_square_of_the_time_for_is_bounded() {
        let many = |count: usize, of: &str| (0..count).map(|i| format!(" {of}{i}='u'")).collect::<String>();
        assert!(
            translate(format!("<a{}/>", many(limits::XML_ATTRIBUTES, "a")).as_bytes()).faults[0].2.contains("datakey")
        );
        let fault = |text: &str| translate(text.as_bytes()).faults.swap_remove(0);
        let reported = fault(&format!("\n<x/>\n<a{}/>", many(limits::XML_ATTRIBUTES + 1, "a")));
        assert_eq!(reported, (3, 1, "more than 256 attributes".to_owned()));
        let nested: String = (0..100).map(|i| format!("<a xmlns:a{i}='u'>")).collect();
        assert_eq!(fault(&nested).2, "more than 64 namespaces");
        // Labels of 200 kB, each of a hundred events.
        let events = "<event class='6' id='1'/>".repeat(100);
        let key = format!("<datakey format='%4u1d {}'>{events}</datakey>", "v".repeat(200_000));
        let translated = translate(key.as_bytes());
        assert!(translated.lines.iter().map(|(.., line)| line.len()).sum::<usize>() < limits::ALL_FILES + limits::LINE);
        assert!(translated.faults[0].2.starts_with("the lines for the events are too long"));
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
