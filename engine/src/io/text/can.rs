//! What candump prints, on the screen and into a log.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{
    digits::{Order, hex_bytes, shown},
    form::TextSink,
    line_reader::{LineReader, ReaderName, Taken, left_out},
    lines::Line,
};

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

/// Reads frames of one identifier.
#[derive(Debug, Default)]
pub(super) struct Can {
    id: Option<String>,
}

impl Can {
    /// A reader, if a line is a frame.
    pub(super) fn of(lines: &[Line]) -> Option<Can> {
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
    fn line(&mut self, line: &Line, out: &mut dyn TextSink) -> Result<Taken, String> {
        let text = line.text.as_str();
        let Some(frame) = frame(text) else { return left_out(text, "no frame of candump") };
        let [id, len, data, rest] = ["id", "len", "data", "rest"].map(|name| part(&frame, name));
        let digits: String = data.chars().filter(char::is_ascii_hexdigit).collect();
        let is_other = rest.starts_with('R') || rest.contains("remote request") || rest.contains("ERRORFRAME");
        if is_other && !matches!(rest, "R" | "T") || (rest == "R" && digits.is_empty()) {
            return Ok(Taken::LeftOut);
        }
        let said = len.parse().ok().filter(|_| !len.is_empty());
        if said.is_some_and(|said: usize| said * 2 != digits.len()) {
            return Err(format!("a frame of another length than it says: {}", shown(text)));
        }
        if !(rest.is_empty() || matches!(rest, "R" | "T") || rest.starts_with('\'')) {
            return Err(format!("this is no data of a frame: {}", shown(rest)));
        }
        let first = self.id.get_or_insert_with(|| id.to_owned());
        if first != id {
            return Err(format!("identifier {id} beside {first}: dump one, as in  candump can0,{first}:7FF"));
        }
        out.bytes(&hex_bytes(&digits, Order::Written).unwrap_or_default());
        Ok(Taken::Data)
    }

    fn finish(&mut self, _out: &mut dyn TextSink) -> Result<(), String> {
        Ok(())
    }

    fn name(&self) -> ReaderName {
        ReaderName::plain("a dump of a CAN bus")
    }
}
