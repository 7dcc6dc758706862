//! The words of an array, without comments.

/// A part of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Word(String),
    /// `<repeats 12 times>`: the number before it comes this often.
    Repeats(u64),
    /// `...`: gdb prints no more.
    Cut,
    /// A brace, opening or closing.
    Brace,
}

/// Characters of the words about repeats.
const LONGEST_REPEAT: usize = 48;

/// Splits lines into items.
#[derive(Debug, Default)]
pub(super) struct Items {
    is_comment: bool,
    depth: usize,
}

impl Items {
    /// Whether a brace is open.
    pub(super) fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// The items of a line, each with the number of braces around it.
    pub(super) fn line(&mut self, line: &str) -> Vec<(Item, usize)> {
        let mut items = Vec::new();
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            if self.is_comment {
                let end = rest.find("*/").map(|at| at + 2);
                self.is_comment = end.is_none();
                rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
            } else if rest.starts_with("//") {
                break;
            } else if rest.starts_with("/*") {
                self.is_comment = true;
                rest = rest.get(2..).unwrap_or_default();
            } else {
                let (item, len) = self.item(rest, c);
                items.extend(item.map(|item| (item, self.depth)));
                rest = rest.get(len..).unwrap_or_default();
            }
        }
        items
    }

    /// The first item, and how long it is.
    fn item(&mut self, rest: &str, c: char) -> (Option<Item>, usize) {
        let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '[' | ']' | '(' | ')' | '\'' | '"');
        match c {
            c if is_between(c) => (None, c.len_utf8()),
            '{' => {
                self.depth += 1;
                (Some(Item::Brace), 1)
            }
            '}' => {
                self.depth = self.depth.saturating_sub(1);
                (Some(Item::Brace), 1)
            }
            '<' if repeats(rest).is_some() => {
                let (times, len) = repeats(rest).unwrap_or_default();
                (Some(Item::Repeats(times)), len)
            }
            _ if rest.starts_with("...") => (Some(Item::Cut), 3),
            _ => {
                let ends = |(at, c): (usize, char)| is_between(c) || matches!(c, '{' | '}') || (at > 0 && c == '<');
                let end = rest.char_indices().find(|place| ends(*place)).map_or(rest.len(), |(at, _)| at);
                let word = rest.get(..end).unwrap_or_default();
                let end = ["...", "//", "/*"].iter().filter_map(|stop| word.find(stop)).fold(end, usize::min);
                (word.get(..end).map(|word| Item::Word(word.to_owned())), end.max(1))
            }
        }
    }
}

/// The number in `<repeats 12 times>`, and how long that is.
fn repeats(rest: &str) -> Option<(u64, usize)> {
    let near = rest.char_indices().nth(LONGEST_REPEAT).and_then(|(at, _)| rest.get(..at)).unwrap_or(rest);
    let (inside, _) = near.strip_prefix('<')?.split_once('>')?;
    let mut words = inside.split_whitespace();
    let times = words.next().filter(|word| *word == "repeats").and_then(|_| words.next())?.parse().ok()?;
    Some((times, inside.len() + 2))
}
