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
                let before: String = line.chars().take(column).collect();
                let blanks: Vec<String> = safe(&before).split('\t').map(|part| " ".repeat(width(part))).collect();
                format!("{place}:{}: {}\n  {}\n  {}^", column + 1, self.message, safe(line), blanks.join("\t"))
            }
            None => format!("{place}: {}: {}", line.trim(), self.message),
        }
    }
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
}

/// How a run ended, other than with its last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// Somebody wanted it.
    Asked,
    /// The message about what failed, with its place.
    Failed(String),
    /// The link did not come up.
    NoLink(String),
}

impl Stopped {
    /// With the problem in words.
    pub(super) fn ending(self, words: impl FnOnce(Problem) -> String) -> Ending {
        match self {
            Stopped::Asked => Ending::Asked,
            Stopped::Failed(problem) => Ending::Failed(words(problem)),
        }
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
}
