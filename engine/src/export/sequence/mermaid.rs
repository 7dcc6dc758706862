//! Mermaid: a line a step. Texts are names of a target, so everything that has a meaning in Mermaid is written as
//! a number.

use std::fmt::Write as _;

use crate::analysis::sequence::How;

pub(super) const HEAD: &str = "sequenceDiagram\n";

pub(super) fn lifeline(number: usize, name: &str) -> String {
    format!("    participant p{number} as {}\n", text(name))
}

pub(super) fn message((from, to): (usize, usize), how: How, failed: bool, what: &str) -> String {
    let arrow = match how {
        _ if failed => "-x",
        How::Posted | How::PostedInFront | How::Sent => "-)",
        How::Called | How::Element(_) => "->>",
        How::Replied => "-->>",
    };
    format!("    p{from}{arrow}p{to}: {}\n", text(what))
}

pub(super) fn mark(on: usize, what: &str) -> String {
    format!("    Note over p{on}: {}\n", text(what))
}

/// Through nothing there is nothing to draw.
pub(super) fn across(lifelines: Option<(usize, usize)>, what: &str) -> String {
    match lifelines {
        Some((first, last)) if first == last => mark(first, what),
        Some((first, last)) => format!("    Note over p{first},p{last}: {}\n", text(what)),
        None => comment(what),
    }
}

/// Braces would begin a directive.
pub(super) fn comment(what: &str) -> String {
    let plain = what.chars().map(|c| if c.is_control() || matches!(c, '{' | '}') { ' ' } else { c });
    format!("    %% {}\n", plain.collect::<String>())
}

/// A name or text as Mermaid shows it. An empty one would be a mistake.
fn text(what: &str) -> String {
    let mut out = String::with_capacity(what.len());
    for c in what.chars() {
        match c {
            '#' | ';' | ':' | '%' | '<' | '>' | '"' | '\\' | '&' | '`' | '{' | '}' | '$' => {
                // Writing to a string never fails.
                let _ = write!(out, "#{};", u32::from(c));
            }
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => out.push(' '),
            c => out.push(c),
        }
    }
    if out.trim().is_empty() { "#8211;".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_is_written_as_a_number() {
        assert_eq!(text("A(b)_c-d+e,f.g[1]"), "A(b)_c-d+e,f.g[1]");
        assert_eq!(text("a;b#c:d\ne"), "a#59;b#35;c#58;d e");
        assert_eq!(text("%%{x}<br>\"&\\`$"), "#37;#37;#123;x#125;#60;br#62;#34;#38;#92;#96;#36;");
        assert_eq!((text(""), text(" \t")), ("#8211;".into(), "#8211;".into()));
        assert_eq!(comment("a\n{b}"), "    %% a  b \n");
    }

    #[test]
    fn arrows_say_how() {
        let arrow = |how, failed| message((1, 2), how, failed, "x");
        assert_eq!(arrow(How::Posted, false), "    p1-)p2: x\n");
        assert_eq!(arrow(How::Posted, true), "    p1-xp2: x\n");
        assert_eq!(arrow(How::Called, false), "    p1->>p2: x\n");
        assert_eq!(arrow(How::Replied, false), "    p1-->>p2: x\n");
        assert_eq!(across(Some((3, 5)), "lost"), "    Note over p3,p5: lost\n");
        assert_eq!(across(Some((3, 3)), "lost"), "    Note over p3: lost\n");
    }
}
