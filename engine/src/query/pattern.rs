//! Text patterns: globs, literal text, regular expressions; all compiled to linear-time regular expressions.
//!
//! [`Case`] decides about case: it never matters in names, matters in other text if the pattern has a capital letter,
//! and always matters in quotes.

use std::fmt;

use regex::{Regex, RegexBuilder};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Glob,
    Quoted,
    Regex,
}

/// Which letters are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// A lower-case pattern matches both cases, a pattern with a capital letter is case-sensitive.
    Smart,
    /// Upper and lower case are equal.
    Same,
    Exact,
}

#[derive(Debug, Clone)]
pub struct TextPattern {
    source: String,
    form: Form,
    anchored: bool,
    regex: Regex,
}

impl PartialEq for TextPattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.form == other.form && self.anchored == other.anchored
    }
}

impl TextPattern {
    /// `*` matches any characters, `?` one. Anchored patterns match the whole text.
    pub(super) fn glob(source: &str, anchored: bool, case: Case) -> Result<TextPattern, String> {
        let body: String = source.chars().map(glob_piece).collect();
        TextPattern::build(source, Form::Glob, anchored, case, &body)
    }

    pub(super) fn quoted(source: &str, anchored: bool, case: Case) -> Result<TextPattern, String> {
        TextPattern::build(source, Form::Quoted, anchored, case, &regex::escape(source))
    }

    /// A regular expression, matching anywhere in the text.
    pub(super) fn regex(source: &str) -> Result<TextPattern, String> {
        TextPattern::build(source, Form::Regex, false, Case::Smart, source)
    }

    fn build(source: &str, form: Form, anchored: bool, case: Case, body: &str) -> Result<TextPattern, String> {
        let text = if anchored { format!("^(?:{body})$") } else { body.to_owned() };
        let both_cases = match case {
            Case::Smart => !source_has_capital(source, form),
            Case::Same => true,
            Case::Exact => false,
        };
        let mut builder = RegexBuilder::new(&text);
        let built = builder.case_insensitive(both_cases).dot_matches_new_line(true).size_limit(1 << 20).build();
        match built {
            Ok(regex) => Ok(TextPattern { source: source.to_owned(), form, anchored, regex }),
            Err(error) => Err(explain(&error)),
        }
    }

    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    pub fn is_all_of(&self, text: &str) -> bool {
        self.find(text) == Some((0, text.len()))
    }

    /// Whether it may match a text that begins with `start` and continues with one or more characters for which
    /// `goes_on` holds. `true` in doubt.
    pub fn may_match(&self, start: &str, goes_on: impl Fn(char) -> bool) -> bool {
        if !self.anchored || self.form == Form::Regex || !self.source.is_ascii() {
            return true;
        }
        let wildcard = if self.form == Form::Glob { self.source.find(['*', '?']) } else { None };
        let own = self.source[..wildcard.unwrap_or(self.source.len())].to_lowercase();
        let start = start.to_lowercase();
        match own.strip_prefix(&start) {
            Some("") => wildcard.is_some(),
            Some(rest) => rest.chars().all(goes_on),
            None => wildcard.is_some() && start.starts_with(&own),
        }
    }

    /// Byte range of the first match in `text`, for highlighting.
    pub fn find(&self, text: &str) -> Option<(usize, usize)> {
        self.regex.find(text).map(|found| (found.start(), found.end()))
    }

    /// Byte ranges to highlight in a line: words if it matches whole texts, such as names.
    pub fn find_all(&self, line: &str) -> Vec<(usize, usize)> {
        if !self.anchored {
            let all = self.regex.find_iter(line).filter(|found| !found.is_empty());
            return all.map(|found| (found.start(), found.end())).collect();
        }
        let mut ranges = Vec::new();
        let mut at = 0;
        for word in line.split(' ') {
            if !word.is_empty() && self.matches(word) {
                ranges.push((at, at + word.len()));
            }
            at += word.len() + 1;
        }
        ranges
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Writes a regular expression as operand of `~`.
    pub(super) fn write_value(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.form == Form::Regex && !bare(&self.source) {
            write_quoted(&self.source, f)
        } else {
            write!(f, "{self}")
        }
    }
}

impl fmt::Display for TextPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form {
            Form::Quoted => write_quoted(&self.source, f),
            Form::Glob | Form::Regex => f.write_str(&self.source),
        }
    }
}

fn glob_piece(c: char) -> String {
    match c {
        '*' => ".*".to_owned(),
        '?' => ".".to_owned(),
        other => regex::escape(other.encode_utf8(&mut [0; 4])),
    }
}

/// Whether the source contains a literal capital letter; the `S` of `\S` does not count.
fn source_has_capital(source: &str, form: Form) -> bool {
    let mut escaped = false;
    source.chars().any(|c| {
        let literal = !(escaped && form == Form::Regex);
        escaped = c == '\\' && !escaped;
        literal && c.is_uppercase()
    })
}

/// The last line of the library's report, which describes the error; earlier lines draw the pattern.
fn explain(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "this pattern is too large".to_owned(),
        other => {
            let report = other.to_string();
            let last = report.lines().last().unwrap_or_default();
            format!("bad pattern: {}", last.trim_start_matches("error: "))
        }
    }
}

/// Whether `text` needs no quotes as a value.
fn bare(text: &str) -> bool {
    let mut depth = 0_i32;
    let closed = text.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0 && !c.is_whitespace()
    });
    closed && !text.is_empty() && !text.starts_with('"')
}

fn write_quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_case_matches_both_cases() {
        let glob = |source| TextPattern::glob(source, true, Case::Smart).unwrap();
        assert!(glob("tran").matches("Tran"));
        assert!(glob("Tran").matches("Tran"));
        assert!(!glob("Tran").matches("TRAN"));
        assert!(glob("temp*").matches("TEMP_SIG"));
        assert!(!glob("temp").matches("TEMP_SIG"));
        assert!(glob("l_?oor").matches("l_door"));
        assert!(glob("AO(l_door)").matches("AO(l_door)"));
    }

    #[test]
    fn case_is_the_same_or_exact_where_that_is_asked_for() {
        let same = |source| TextPattern::glob(source, true, Case::Same).unwrap();
        assert!(same("TRAN").matches("Tran") && same("Temp*").matches("TEMP_SIG") && same("MÜHLE").matches("Mühle"));
        let exact = |source| TextPattern::quoted(source, true, Case::Exact).unwrap();
        assert!(exact("Tmr Svc").matches("Tmr Svc") && !exact("tmr svc").matches("Tmr Svc"));
    }

    #[test]
    fn a_whole_text_may_have_another_length_only_beyond_ascii() {
        let word = |source| TextPattern::glob(source, false, Case::Smart).unwrap();
        assert!(word("tick").is_all_of("TICK") && !word("tick").is_all_of("ticks") && word("t*").is_all_of("ticks"));
        // The Kelvin sign is a K.
        assert!(word("tick").is_all_of("tic\u{212a}"));
        assert!(TextPattern::quoted("a*", false, Case::Exact).unwrap().is_all_of("a*"));
        assert!(!TextPattern::quoted("a*", false, Case::Exact).unwrap().is_all_of("ab"));
        assert!(TextPattern::regex("a+").unwrap().is_all_of("aaa"));
    }

    #[test]
    fn what_a_pattern_may_match_is_known_by_its_beginning() {
        let may = |source: &str, start: &str| {
            TextPattern::glob(source, true, Case::Same).unwrap().may_match(start, |c| c.is_ascii_hexdigit())
        };
        for (source, start, expected) in [
            ("motor", "0x", false),
            ("0x", "0x", false),
            ("0X4a", "0x", true),
            ("0x4g", "0x", false),
            ("0*", "0x", true),
            ("*", "0x", true),
            ("0x*", "0x", true),
            ("m*", "0x", false),
            ("sig 7", "sig ", true),
            ("sig", "sig ", false),
            ("tür", "sig ", true),
        ] {
            assert_eq!(may(source, start), expected, "{source} {start}");
        }
        assert!(TextPattern::regex("motor").unwrap().may_match("0x", |_| true));
        assert!(!TextPattern::quoted("*", true, Case::Exact).unwrap().may_match("0x", |_| true));
    }

    #[test]
    fn classes_are_not_capitals() {
        assert!(TextPattern::regex(r"move\S+sig").unwrap().matches("MOVE_x_SIG"));
        assert!(!TextPattern::regex(r"Move").unwrap().matches("MOVE"));
        assert!(TextPattern::regex("(").unwrap_err().starts_with("bad pattern: unclosed group"));
        assert_eq!(TextPattern::regex(&"a{1000}".repeat(1000)).unwrap_err(), "this pattern is too large");
    }
}
