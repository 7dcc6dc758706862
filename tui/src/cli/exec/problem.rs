//! Where a script ended, and why.

use std::fmt;

use crate::{cli::failure::safe, term::width};

/// What is wrong in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Characters before the mistake; `None` = the line is right, but what it asks for did not happen.
    pub(super) column: Option<usize>,
    pub(super) message: String,
}

impl Problem {
    /// A mistake behind so many characters.
    pub(super) fn at(column: usize, message: impl Into<String>) -> Problem {
        Problem { column: Some(column), message: message.into() }
    }

    /// Something did not happen.
    pub(super) fn of_run(message: impl Into<String>) -> Problem {
        Problem { column: None, message: message.into() }
    }

    /// The same with its column in another line.
    pub(super) fn placed(self, place: impl Fn(usize) -> usize) -> Problem {
        Problem { column: self.column.map(place), ..self }
    }

    /// The message with its place: `run.txt:3:8: no "SN" …`, and the line with the mistake marked below.
    pub(super) fn in_line(&self, place: &str, line: &str) -> String {
        match self.column {
            Some(column) => {
                let (line, at) = part_around(line, column);
                let before: String = line.chars().take(at).collect();
                let blanks: Vec<String> = safe(&before).split('\t').map(|part| " ".repeat(width(part))).collect();
                format!("{place}:{}: {}\n  {}\n  {}^", column + 1, self.message, safe(&line), blanks.join("\t"))
            }
            None => format!("{place}: {}: {}", part_around(line.trim(), 0).0, self.message),
        }
    }
}

/// Characters of a line that are shown on each side of a mistake.
const SHOWN: usize = 160;

/// The part of a line around a column, as a line may have 64 kB; and the column in it.
fn part_around(line: &str, column: usize) -> (String, usize) {
    let (first, all) = (column.saturating_sub(SHOWN), line.chars().count());
    let part: String = line.chars().skip(first).take(column - first + SHOWN).collect();
    let (before, after) = (if first > 0 { "…" } else { "" }, if column + SHOWN < all { "…" } else { "" });
    (format!("{before}{part}{after}"), column - first + before.chars().count())
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Why the lines end before the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stopped {
    /// Somebody wants the program to end.
    Asked,
    /// A line failed.
    Failed(Problem),
    /// The link did not come up.
    NoLink(String),
}

impl Stopped {
    /// With another problem in place of its own.
    pub(super) fn map(self, problem: impl FnOnce(Problem) -> Problem) -> Stopped {
        match self {
            Stopped::Failed(own) => Stopped::Failed(problem(own)),
            other => other,
        }
    }

    /// With what was done before its problem.
    pub(super) fn at(self, what: &str) -> Stopped {
        self.map(|problem| Problem::of_run(format!("{what}: {problem}")))
    }
}

impl From<Problem> for Stopped {
    fn from(problem: Problem) -> Stopped {
        Stopped::Failed(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_marked_in_its_line() {
        let text = Problem::at(8, "no such word").in_line("run.txt:3", "target\tfoo");
        assert_eq!(text, "run.txt:3:9: no such word\n  target\tfoo\n        \t ^");
        // Under what is shown, which may be wider than what was written.
        let text = Problem::at(8, "no such word").in_line("run.txt:3", "\x1b[m\t溫度 \u{9b}foo");
        assert_eq!(text, "run.txt:3:9: no such word\n  \\x1b[m\t溫度 \\u{9b}foo\n        \t           ^");
        let text = Problem::of_run("no answer").in_line("run.txt:3", " target info ");
        assert_eq!(text, "run.txt:3: target info: no answer");
    }

    #[test]
    fn of_a_long_line_the_part_with_the_mistake_is_shown() {
        let line = format!("target raw {}x{}", "1 ".repeat(5_000), "2 ".repeat(5_000));
        let shown = Problem::at(10_011, "no number").in_line("a.txt:1", &line);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "a.txt:1:10012: no number");
        assert!(lines[1].starts_with("  …1 1 ") && lines[1].ends_with('…') && width(lines[1]) < 330, "{shown}");
        assert_eq!(lines[1].find('x').map(|at| width(&lines[1][..at])), lines[2].find('^'));
        assert!(Problem::of_run("no answer").in_line("a.txt:1", &line).len() < 200);
        assert_eq!(Problem::of_run("no answer").in_line("a.txt:1", " q "), "a.txt:1: q: no answer");
    }
}
