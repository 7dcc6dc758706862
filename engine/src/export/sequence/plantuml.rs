//! PlantUML: a line a step. Texts are names of a target, so everything that has a meaning in PlantUML is written as
//! a number.

use std::fmt::Write as _;

use crate::analysis::sequence::How;

pub(super) const HEAD: &str = "@startuml\nhide footbox\n";
pub(super) const TAIL: &str = "@enduml\n";

pub(super) fn lifeline(number: usize, name: &str) -> String {
    format!("participant \"{}\" as p{number}\n", text(name))
}

pub(super) fn message((from, to): (usize, usize), how: How, failed: bool, what: &str) -> String {
    let arrow = match how {
        _ if failed => "->x",
        How::Posted | How::PostedInFront | How::Sent => "->>",
        How::Called | How::Element(_) => "->",
        How::Replied => "-->",
    };
    format!("p{from} {arrow} p{to} : {}\n", text(what))
}

/// Other shapes of notes can't be drawn as text.
pub(super) fn mark(on: usize, what: &str) -> String {
    format!("note over p{on} : {}\n", text(what))
}

pub(super) fn across(is_reset: bool, what: &str) -> String {
    if is_reset { format!("== {} ==\n", text(what)) } else { format!("... {} ...\n", text(what)) }
}

pub(super) fn comment(what: &str) -> String {
    let plain = what.chars().map(|c| if c.is_control() { ' ' } else { c });
    format!("' {}\n", plain.collect::<String>())
}

/// A name or text as PlantUML shows it. Signs that have a meaning when they are doubled are left alone when they are not.
fn text(what: &str) -> String {
    let mut out = String::with_capacity(what.len());
    let mut before = ' ';
    for c in what.chars() {
        let is_doubled = c == before && matches!(c, '*' | '/' | '_' | '-' | '.' | '=' | '#');
        match c {
            '"' | '<' | '>' | '\\' | '~' | '&' | '%' | '$' | '\'' | '|' | '[' | ']' | '{' | '}' | ';' | '!' | '@' => {
                push_number(&mut out, c);
            }
            c if is_doubled => push_number(&mut out, c),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => out.push(' '),
            c => out.push(c),
        }
        before = c;
    }
    if out.trim().is_empty() { "<U+2013>".to_owned() } else { out }
}

fn push_number(out: &mut String, c: char) {
    // Writing to a string never fails.
    let _ = write!(out, "<U+{:04X}>", u32::from(c));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_is_written_as_a_number() {
        assert_eq!(text("AO(l_door).x:1 a-b/c"), "AO(l_door).x:1 a-b/c");
        assert_eq!(text("a\"b\\n<b>"), "a<U+0022>b<U+005C>n<U+003C>b<U+003E>");
        assert_eq!(text("a__b**c//d\r\n'e"), "a_<U+005F>b*<U+002A>c/<U+002F>d  <U+0027>e");
        assert_eq!(text("%date() $x"), "<U+0025>date() <U+0024>x");
        assert_eq!(text("\n"), "<U+2013>");
    }

    #[test]
    fn arrows_and_notes_say_what_they_are() {
        let arrow = |how, failed| message((1, 2), how, failed, "x");
        assert_eq!(arrow(How::Posted, false), "p1 ->> p2 : x\n");
        assert_eq!(arrow(How::Posted, true), "p1 ->x p2 : x\n");
        assert_eq!(arrow(How::Called, false), "p1 -> p2 : x\n");
        assert_eq!(arrow(How::Replied, false), "p1 --> p2 : x\n");
        assert_eq!(mark(1, "A ignored"), "note over p1 : A ignored\n");
        assert_eq!([across(true, "reset"), across(false, "lost")], ["== reset ==\n", "... lost ...\n"]);
    }
}
