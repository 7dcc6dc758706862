//! A first version of a format file: one line for each kind of application record that occurs.

use std::{collections::HashMap, fmt::Write as _, io};

use spytui_plugin_api::Want;

use crate::{
    present::{clock::grouped, sanitise_text},
    row::{
        RowView,
        view::{REST, RecordShape},
    },
    trace::stream::Sink,
};

/// Maximum number of lines; noise may bring many kinds.
const MOST: usize = 1000;
/// Maximum length of an example text, in characters.
const MOST_TEXT: usize = 80;

#[derive(Debug)]
pub struct StartingLines {
    protocol: String,
    kinds: Vec<Kind>,
    /// Index of each kind, by name.
    known: HashMap<String, usize>,
    more: u64,
}

/// Records of one line.
#[derive(Debug)]
struct Kind {
    shape: RecordShape,
    count: u64,
    text: String,
}

impl StartingLines {
    pub fn new(protocol: &str) -> StartingLines {
        StartingLines { protocol: protocol.to_owned(), kinds: Vec::new(), known: HashMap::new(), more: 0 }
    }

    pub fn text(&self, from: &str) -> String {
        let mut text = format!("# Application records of {}, one line each.\n", plain(from));
        text.push_str(HELP);
        if self.kinds.is_empty() {
            text.push_str("#\n# None occurs.\n");
        }
        let mut kinds: Vec<&Kind> = self.kinds.iter().collect();
        kinds.sort_by(|one, other| one.shape.id.cmp(&other.shape.id));
        for kind in kinds {
            // Writing to a string does not fail.
            let _ = writeln!(text, "\n{}\n{}", comment(kind), line(&self.protocol, &kind.shape));
        }
        if self.more > 0 {
            let _ = writeln!(text, "\n# Records of more than {MOST} kinds occur; {} have no line.", grouped(self.more));
        }
        text
    }
}

const HELP: &str = "\
# Give the fields names, scales, units and words: rpm:u16*0.1\"rpm\"  mode:u8{mode}; _:u8 is not shown. Behind them may
# stand state(mode) value(rpm) span(begin,NAME) span(end,NAME), before them a text: \"motor at {rpm}\". Words are
# words mode 0 off 1 run 7 fault!error
# bits flags 0 brake 1 hot!warning
";

impl Sink for StartingLines {
    fn want(&self) -> Want {
        Want::TEXT | Want::FIELDS | Want::PAYLOAD
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        let Some(shape) = RecordShape::of(item) else { return Ok(()) };
        if let Some(kind) = self.known.get(&shape.called).and_then(|at| self.kinds.get_mut(*at)) {
            kind.count += 1;
            kind.shape.types = common(&kind.shape.types, &shape.types);
        } else if self.kinds.len() < MOST {
            self.known.insert(shape.called.clone(), self.kinds.len());
            let text = plain(&String::from_utf8_lossy(item.rendered.text));
            self.kinds.push(Kind { shape, count: 1, text });
        } else {
            self.more += 1;
        }
        Ok(())
    }
}

/// The fields that both shapes share; the rest is left as bytes.
fn common(one: &[String], other: &[String]) -> Vec<String> {
    // A text may have no bytes.
    let is_text = |types: &[String]| matches!(types, [only] if only == "str");
    if let ([], text) | (text, []) = (one, other)
        && is_text(text)
    {
        return text.to_vec();
    }
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let mut types: Vec<String> = one.iter().take(same).cloned().collect();
    if same < one.len() || same < other.len() {
        types.push(REST.to_owned());
    }
    types
}

/// `# USER+2, 32 records, the first: 0 -7`
fn comment(kind: &Kind) -> String {
    let Kind { shape, count, text } = kind;
    let records = if *count == 1 { "record" } else { "records" };
    format!("# {}, {} {records}, the first is \"{text}\"", plain(&shape.id), grouped(*count))
}

fn line(protocol: &str, shape: &RecordShape) -> String {
    let mut line = format!("record {protocol} {}", word(&shape.called));
    for (number, ty) in shape.types.iter().enumerate() {
        // A field that is not shown has a name.
        let _ = match ty.starts_with('_') {
            true => write!(line, " {ty}"),
            false => write!(line, " f{number}:{ty}"),
        };
    }
    if shape.types.is_empty() {
        line.push_str(" f0:bytes");
    }
    line
}

fn word(name: &str) -> String {
    let is_bare =
        !name.is_empty() && !name.starts_with('#') && !name.ends_with('\\') && !name.contains([' ', '\t', '"']);
    if is_bare { name.to_owned() } else { format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")) }
}

/// Text as a single-line comment.
fn plain(text: &str) -> String {
    let text = sanitise_text(text);
    match text.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_records_is_left_as_bytes() {
        let types = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(common(&types(&["u8", "str"]), &types(&["u8", "str"])), types(&["u8", "str"]));
        assert_eq!(common(&types(&["u8", "u16"]), &types(&["u8", "i16", "u8"])), types(&["u8", "bytes"]));
        assert_eq!(common(&types(&["u8", "bytes"]), &types(&["u8"])), types(&["u8", "bytes"]));
        assert_eq!(common(&types(&[]), &types(&["u8"])), types(&["bytes"]));
        assert_eq!(common(&types(&["str"]), &types(&[])), types(&["str"]));
    }

    #[test]
    fn names_that_are_no_bare_words_stand_in_quotes() {
        assert_eq!(
            ["MOTOR", "a b", "a\"b", "#1", "a\\"].map(word),
            ["MOTOR", "\"a b\"", "\"a\\\"b\"", "\"#1\"", "\"a\\\\\""]
        );
    }
}
