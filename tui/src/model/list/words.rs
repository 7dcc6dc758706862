//! Roles of the words in a row's text: names of signals, states and objects, numbers, texts of the target. They come
//! from the row's fields, so a word is coloured by meaning, not by appearance.

use spytui_engine::{
    present::{RowLine, sanitise, words::key_word},
    row::RowView,
};
use spytui_plugin_api::{Class, Field, NONE, render::Tag};

use crate::term::Role;

/// A part of a text: its end in bytes, and its role.
pub type TextPart = (usize, Role);

/// The parts of the text of a row rendered with its fields.
pub(super) fn parts(item: &RowView<'_>, line: &RowLine) -> Vec<TextPart> {
    let known = known_words(item);
    let short = |(word, role): &(String, Role)| (without_prefix(word, &line.object).to_owned(), *role);
    let states: Vec<_> = known.iter().filter(|(_, role)| *role == Role::State).map(short).collect();
    split(&line.what, &[known, states].concat())
}

/// Makes the text of a row fit into a narrow screen: states without their class or object, as `igniting` for
/// `Boiler::igniting`, and at its begin that something was not done.
pub(super) fn shorten(item: &RowView<'_>, line: &mut RowLine) {
    for (name, _) in known_words(item).iter().filter(|(_, role)| *role == Role::State) {
        line.what = line.what.replace(name, without_prefix(name, &line.object));
    }
    if let Some((before, after)) = line.what.split_once("  not ") {
        let (verdict, rest) = after.split_once("  ").unwrap_or((after, ""));
        line.what = format!("not {verdict}  {before}  {rest}").trim_end().to_owned();
    }
}

/// `igniting` for `Boiler::igniting`, and for `boiler_igniting` of the object `boiler`.
pub fn without_prefix<'a>(state: &'a str, object: &str) -> &'a str {
    let name = state.rsplit("::").next().unwrap_or(state);
    let own = name.get(..object.len()).filter(|begin| begin.eq_ignore_ascii_case(object));
    let rest = own.and_then(|_| name[object.len()..].strip_prefix('_'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// The words of the fields, with their roles. If one name is a prefix of another, the longer one is meant.
fn known_words(item: &RowView<'_>) -> Vec<(String, Role)> {
    let mut known: Vec<(String, Role)> = item.rendered.fields.iter().filter_map(|f| word_of(item, f)).collect();
    known.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    known
}

/// The word of a field in the text, and its role.
fn word_of(item: &RowView<'_>, field: &Field) -> Option<(String, Role)> {
    if field.tag == Tag::TEXT {
        let text = sanitise(field.text.of(item.rendered.blob));
        return (!text.is_empty()).then_some((text, Role::Text));
    }
    if !matches!(field.tag, Tag::KEY | Tag::ENUM | Tag::POINTER) || field.space == NONE {
        return None;
    }
    let space = item.info.space(field.space);
    let role = name_role(space?.class)?;
    let word = match item.names.get(0, field.space, field.num, field.scope) {
        Some(name) => sanitise(name),
        None => key_word(space, field.num),
    };
    (!word.is_empty()).then_some((word, role))
}

/// Whether a row names both the old and the new state.
pub(super) fn changes_state(item: &RowView<'_>) -> bool {
    let is_state = |field: &&Field| {
        let class = item.info.space(field.space).map(|space| space.class);
        matches!(class, Some(Class::STATE | Class::FUNCTION)) && matches!(field.tag, Tag::KEY | Tag::POINTER)
    };
    item.rendered.fields.iter().filter(is_state).count() > 1
}

/// Bookkeeping words of a framework, shown less prominently with their number.
const BOOKKEEPING: [&str; 2] = ["pool", "refs"];

/// The role of names of a class, if they deserve one.
pub fn name_role(class: Class) -> Option<Role> {
    Some(match class {
        Class::SIGNAL => Role::Signal,
        Class::STATE | Class::FUNCTION => Role::State,
        Class::ENUM | Class::OTHER => return None,
        _ => Role::Object,
    })
}

/// Splits a text into known words, numbers and the rest.
fn split(text: &str, known: &[(String, Role)]) -> Vec<TextPart> {
    let mut parts: Vec<TextPart> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (len, role) = match known.iter().find(|(word, _)| is_whole_word(rest, word)) {
            Some((word, role)) => (word.len(), *role),
            None if bookkeeping(rest) > 0 => (bookkeeping(rest), Role::Help),
            None if first.is_ascii_digit() => (run(rest, |c| in_word(c) || c == '.'), Role::Number),
            None if in_word(first) => (run(rest, in_word), Role::Plain),
            None => (first.len_utf8(), Role::Plain),
        };
        at += len;
        match parts.last_mut() {
            Some(last) if last.1 == role => last.0 = at,
            _ => parts.push((at, role)),
        }
    }
    parts
}

/// Length of a leading bookkeeping figure such as `refs 0`; 0 = none.
fn bookkeeping(text: &str) -> usize {
    let figure = BOOKKEEPING.iter().find_map(|word| Some((word, text.strip_prefix(word)?.strip_prefix(' ')?)));
    let Some((word, rest)) = figure.filter(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit())) else {
        return 0;
    };
    word.len() + 1 + run(rest, in_word)
}

/// `true` if the text begins with the whole word.
fn is_whole_word(text: &str, word: &str) -> bool {
    let ends_in_word = word.chars().next_back().is_some_and(in_word);
    text.strip_prefix(word).is_some_and(|rest| !ends_in_word || !rest.starts_with(in_word))
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn run(text: &str, goes_on: impl Fn(char) -> bool) -> usize {
    text.find(|c| !goes_on(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, known: &[(&str, Role)]) -> Vec<(String, Role)> {
        let known: Vec<(String, Role)> = known.iter().map(|(word, role)| ((*word).to_owned(), *role)).collect();
        let mut start = 0;
        let parts = split(text, &known).into_iter().map(|(end, role)| {
            let word = text[start..end].trim().to_owned();
            start = end;
            (word, role)
        });
        parts.filter(|(word, _)| !word.is_empty()).collect()
    }

    fn owned(words: &[(&str, Role)]) -> Vec<(String, Role)> {
        words.iter().map(|(word, role)| ((*word).to_owned(), *role)).collect()
    }

    #[test]
    fn words_have_the_role_of_their_field() {
        let known = [("MOVE_SIG", Role::Signal), ("Door_open", Role::State), ("Door_moving", Role::State)];
        assert_eq!(
            words("MOVE_SIG  Door_open → Door_moving", &known),
            owned(&[
                ("MOVE_SIG", Role::Signal),
                ("Door_open", Role::State),
                ("→", Role::Plain),
                ("Door_moving", Role::State)
            ])
        );
        let known = [("sig 8", Role::Signal), ("door", Role::Object)];
        assert_eq!(
            words("sig 8 ← door  free 6 min 0x1F", &known),
            owned(&[
                ("sig 8", Role::Signal),
                ("←", Role::Plain),
                ("door", Role::Object),
                ("free", Role::Plain),
                ("6", Role::Number),
                ("min", Role::Plain),
                ("0x1F", Role::Number)
            ])
        );
    }

    #[test]
    fn a_state_is_shown_without_its_class_or_object() {
        let of_boiler = |state| without_prefix(state, "boiler");
        assert_eq!(
            ["A::Boiler::burning", "Boiler_burning", "boiler_", "boilers"].map(of_boiler),
            ["burning", "burning", "boiler_", "boilers"]
        );
    }

    #[test]
    fn what_the_framework_counts_for_itself_stands_back() {
        assert_eq!(
            words("free 6 pool 1 refs 2, refs", &[]),
            owned(&[
                ("free", Role::Plain),
                ("6", Role::Number),
                ("pool 1", Role::Help),
                ("refs 2", Role::Help),
                (", refs", Role::Plain)
            ])
        );
    }

    #[test]
    fn a_name_inside_a_word_is_part_of_the_word() {
        let known = [("door", Role::Object), ("sig 1", Role::Signal)];
        assert_eq!(
            words("indoor door2 sig 12", &known),
            owned(&[("indoor door2 sig", Role::Plain), ("12", Role::Number)])
        );
        assert_eq!(words("é日 -3.5e7", &[]), owned(&[("é日 -", Role::Plain), ("3.5e7", Role::Number)]));
        assert!(words("", &known).is_empty());
    }
}
