//! Tables of logic analysers, and output of candump.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::lines::{
    ByteOrder, LineReader, TakenLine, TextLine, TextSink, after_0x, hex_bytes, is_hex, left_out, shown,
};

/// Names of the byte column, best first.
const VALUES: [&str; 7] = ["value", "data", "hex", "payload", "bytes", "byte", "rx"];
/// Names of the column with the row type.
const CLASSES: [&str; 4] = ["ann class", "annotation class", "class", "type"];
const MOST_COLUMNS: usize = 64;

#[derive(Debug)]
pub(super) struct Csv {
    heading: u64,
    separator: char,
    value: usize,
    class: Option<usize>,
    errors: Vec<usize>,
    is_decimal: bool,
    /// Bytes that the analyser marks as faulty.
    faulty: u64,
}

impl Csv {
    /// A reader if a line names columns. Unless these are `all` lines, values must show their base.
    pub(super) fn of(lines: &[TextLine], all: bool) -> Option<Option<Csv>> {
        let (at, mut csv) = lines.iter().enumerate().find_map(|(at, line)| Some((at, Csv::of_heading(line)?)))?;
        let rows: Vec<Vec<String>> = lines
            .iter()
            .skip(at + 1)
            .map(|line| cells(&line.text, csv.separator))
            .filter(|row| csv.is_data(row))
            .collect();
        let values: Vec<&str> = rows.iter().filter_map(|row| row.get(csv.value)).map(String::as_str).collect();
        let is_marked = values.iter().any(|value| value.contains("0x"));
        if !(all || is_marked) {
            return Some(None);
        }
        let is_decimal = |value: &&str| value.bytes().all(|byte| byte.is_ascii_digit());
        csv.is_decimal =
            !values.is_empty() && values.iter().all(is_decimal) && values.iter().any(|value| value.len() != 2);
        Some(Some(csv))
    }

    fn of_heading(line: &TextLine) -> Option<Csv> {
        let separator = [',', ';', '\t'].into_iter().find(|separator| line.text.contains(*separator))?;
        let names: Vec<String> = cells(&line.text, separator).iter().map(|name| name.to_lowercase()).collect();
        let is = |name: &str, wanted: &str| name.split(['[', '(']).next().is_some_and(|name| name.trim() == wanted);
        let column = |wanted: &[&str]| wanted.iter().find_map(|wanted| names.iter().position(|name| is(name, wanted)));
        let value = column(&VALUES)?;
        let is_name = |name: &String| name.chars().any(|c| c.is_alphabetic() && !c.is_ascii_hexdigit());
        if names.len() > MOST_COLUMNS || names.iter().filter(|name| is_name(name)).count() < 2 {
            return None;
        }
        let errors = names.iter().enumerate().filter(|(_, name)| name.contains("error")).map(|(at, _)| at).collect();
        let class = column(&CLASSES);
        Some(Csv { heading: line.number, separator, value, class, errors, is_decimal: false, faulty: 0 })
    }

    /// Whether a row is data; others are start bits, stop bits and the like.
    fn is_data(&self, row: &[String]) -> bool {
        let class = self.class.and_then(|class| row.get(class));
        class.is_none_or(|class| class.to_lowercase().contains("data"))
    }

    fn bytes(&self, value: &str) -> Option<Vec<u8>> {
        // A character may precede it: `A (0x41)`.
        let bare = value.rsplit_once('(').map_or(value, |(_, hex)| hex.trim_end_matches(')'));
        let byte = |word: &str| match after_0x(word) {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None if self.is_decimal => word.parse().ok(),
            None => u8::from_str_radix(word, 16).ok().filter(|_| word.len() == 2 && is_hex(word)),
        };
        bare.split_whitespace().map(byte).collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty())
    }
}

/// The cells of a row; quoted ones may contain separators.
fn cells(row: &str, separator: char) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    for c in row.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c == separator && !is_quoted => cells.push(String::new()),
            c => cells.last_mut().into_iter().for_each(|cell| cell.push(c)),
        }
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

impl LineReader for Csv {
    fn line(&mut self, line: &TextLine, out: &mut dyn TextSink) -> Result<TakenLine, String> {
        if line.number <= self.heading {
            return Ok(if line.number == self.heading { TakenLine::Data } else { TakenLine::LeftOut });
        }
        let row = cells(&line.text, self.separator);
        if row.len() > MOST_COLUMNS {
            return Err(format!("more cells than columns: {}", shown(&line.text)));
        }
        if !self.is_data(&row) {
            return Ok(TakenLine::Data);
        }
        let value = row.get(self.value).map_or("", String::as_str);
        let bytes = self.bytes(value).ok_or_else(|| format!("not a hexadecimal byte: {}", shown(&line.text)))?;
        out.bytes(&bytes);
        let is_error = |cell: &String| !matches!(cell.to_lowercase().as_str(), "" | "0" | "false" | "no");
        self.faulty += u64::from(self.errors.iter().filter_map(|column| row.get(*column)).any(is_error));
        Ok(TakenLine::Data)
    }

    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        if self.faulty > 0 {
            out.remark(format!("{} rows have a parity or framing error: their bytes may be wrong", self.faulty));
        }
        Ok(())
    }

    fn name(&self) -> &'static str {
        "a logic analyser table"
    }
}

/// ` (time)  can0  RX - -  123   [8]  01 00 FE 7E 02 40 FF DE   '...~.@..'`
static SCREEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let before = r"^\s*(?:\([^)]*\)\s+)?\S+\s+(?:(?:RX|TX)\s+\S+\s+\S+\s+)?";
    Regex::new(&format!(
        r"{before}(?P<id>[0-9A-Fa-f]{{3,8}})\s+\[(?P<len>\d+)\](?P<data>(?:\s+[0-9A-Fa-f]{{2}})*)\s*(?P<rest>.*)$"
    ))
    .ok()
});
/// `(1436509052.249713) can0 123#0100FE7E0240FFDE`, with flexible data rate `123##30100FE7E`.
static LOG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*\([^)]*\)\s+\S+\s+(?P<id>[0-9A-Fa-f]{3,8})#(?:#[0-9A-Fa-f])?(?P<data>(?:[0-9A-Fa-f]{2}\.?)*)\s*(?P<rest>.*)$").ok()
});

/// Reads CAN frames of one identifier.
#[derive(Debug, Default)]
pub(super) struct Can {
    id: Option<String>,
}

impl Can {
    pub(super) fn of(lines: &[TextLine]) -> Option<Can> {
        lines.iter().any(|line| frame(&line.text).is_some()).then(Can::default)
    }
}

fn frame(line: &str) -> Option<Captures<'_>> {
    [&SCREEN, &LOG].into_iter().find_map(|form| form.as_ref()?.captures(line))
}

fn part<'a>(frame: &Captures<'a>, name: &str) -> &'a str {
    frame.name(name).map_or("", |part| part.as_str())
}

impl LineReader for Can {
    fn line(&mut self, line: &TextLine, out: &mut dyn TextSink) -> Result<TakenLine, String> {
        let text = line.text.as_str();
        let Some(frame) = frame(text) else { return left_out(text, "not a candump frame") };
        let [id, len, data, rest] = ["id", "len", "data", "rest"].map(|name| part(&frame, name));
        let digits: String = data.chars().filter(char::is_ascii_hexdigit).collect();
        let is_other = rest.starts_with('R') || rest.contains("remote request") || rest.contains("ERRORFRAME");
        if is_other && !matches!(rest, "R" | "T") || (rest == "R" && digits.is_empty()) {
            return Ok(TakenLine::LeftOut);
        }
        let said = len.parse().ok().filter(|_| !len.is_empty());
        if said.is_some_and(|said: usize| said * 2 != digits.len()) {
            return Err(format!("the frame's length does not match its data: {}", shown(text)));
        }
        if !(rest.is_empty() || matches!(rest, "R" | "T") || rest.starts_with('\'')) {
            return Err(format!("not frame data: {}", shown(rest)));
        }
        let first = self.id.get_or_insert_with(|| id.to_owned());
        if first != id {
            return Err(format!("identifier {id} beside {first}: dump one, as in  candump can0,{first}:7FF"));
        }
        out.bytes(&hex_bytes(&digits, ByteOrder::Written).unwrap_or_default());
        Ok(TakenLine::Data)
    }

    fn name(&self) -> &'static str {
        "a CAN bus dump"
    }
}
