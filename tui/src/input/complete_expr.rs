//! Completions inside a display expression: names, then their values.

use spytui_engine::query::{Name, SEVERITIES, field_name};

use super::names::{Choice, Completions, KnownNames, Names};

/// Names of the query language with their meanings.
const NAMES: [(&str, &str); 20] = [
    ("kind:", "kind of record"),
    ("group:", "group of kinds"),
    ("class:", "group of kinds"),
    ("obj:", "entity in any role"),
    ("from:", "who acts"),
    ("to:", "who is acted on"),
    ("sig:", "signal"),
    ("state:", "state"),
    ("core:", "core"),
    ("cpu:", "core"),
    ("task:", "task or thread"),
    ("sev:", "severity, as sev>=warning"),
    ("text:", "text of the row"),
    ("time:", "target time, as time:1ms..2ms; dates as 2026-03-11T09:14..09:15"),
    ("dt", "time since the row before, as dt>10ms"),
    ("host:", "time of arrival"),
    ("n:", "number of the row, as n:100..200"),
    ("pos:", "offset in bytes"),
    ("epoch:", "target epoch"),
    ("mark:", "name of a mark"),
];

/// Completes the last token of `text`.
pub(super) fn complete_expr(text: &str, known: &dyn KnownNames) -> Completions {
    let chars: Vec<char> = text.chars().collect();
    let mut from = token_start(&chars);
    while matches!(chars.get(from), Some('-' | '(')) {
        from += 1;
    }
    let token: String = chars[from..].iter().collect();
    let head = name_length(&token);
    let rest: String = token.chars().skip(head).collect();
    let operator = rest.chars().take_while(|c| matches!(c, ':' | '=' | '!' | '<' | '>' | '~')).count();
    if operator == 0 {
        return Completions::of(from, &token, names(known));
    }
    let name: String = token.chars().take(head).collect();
    let values: String = rest.chars().skip(operator).collect();
    let last = values.rfind(',').map_or(0, |comma| values[..=comma].chars().count());
    let typed: String = values.chars().skip(last).collect();
    Completions::of(from + head + operator + last, typed.trim_start_matches('"'), choices(&name, known))
}

/// Length of the name that a token begins with, in characters; it may stand in quotes.
fn name_length(token: &str) -> usize {
    let word = token.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).count();
    let mut rest = token.chars().skip(word);
    if !matches!(token.split_once('"'), Some(("" | "field.", _))) || rest.next() != Some('"') {
        return word;
    }
    rest.position(|c| c == '"').map_or(0, |quoted| word + quoted + 2)
}

/// Start of the last token; blanks in quotes do not end it.
fn token_start(chars: &[char]) -> usize {
    let (mut start, mut quoted) = (0, false);
    for (at, c) in chars.iter().enumerate() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => start = at + 1,
            _ => {}
        }
    }
    start
}

fn names(known: &dyn KnownNames) -> Vec<Choice> {
    let fixed = NAMES.iter().map(|(name, help)| Choice::new(*name, *help));
    let field = |choice: Choice| Choice { text: field_name(&choice.text).into_owned(), ..choice };
    fixed.chain(known.names(Names::Fields).into_iter().map(field)).collect()
}

fn choices(name: &str, known: &dyn KnownNames) -> Vec<Choice> {
    let found = match Name::named(name) {
        Some(Name::Kind) => known.names(Names::Kinds),
        Some(Name::Group) => known.names(Names::Groups),
        Some(Name::Obj | Name::From | Name::To) => known.names(Names::Objects),
        Some(Name::Sig) => known.names(Names::Signals),
        Some(Name::State) => known.names(Names::States),
        Some(Name::Task) => known.names(Names::Tasks),
        Some(Name::Time) => known.names(Names::Dates),
        Some(Name::Mark) => known.names(Names::Marks),
        Some(Name::Sev) => SEVERITIES.iter().map(|(word, _)| Choice::new(*word, "")).collect(),
        _ => Vec::new(),
    };
    let quoted = |choice: Choice| Choice { text: quoted(&choice.text), ..choice };
    found.into_iter().map(quoted).collect()
}

/// A name as it has to be written as a value.
pub fn quoted(name: &str) -> String {
    let balanced = name.chars().try_fold(0_u32, |depth, c| match c {
        '(' => Some(depth + 1),
        ')' => depth.checked_sub(1),
        _ => Some(depth),
    });
    let special = |c: char| c.is_whitespace() || matches!(c, ',' | '"' | '*' | '?');
    if balanced == Some(0) && !name.is_empty() && !name.contains(special) && !name.contains("..") {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
