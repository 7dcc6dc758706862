//! The parser of the filter language.
//!
//! ```text
//! expr  = all { "or" all }            all  = term { ["and"] term }     blank = and
//! term  = ["-" | "not"] ( "(" expr ")" | test )
//! test  = word | "/" regex "/" | name ":" value { "," value } | name op value
//! name  = word | "field." word | quoted            the name of a field may stand in quotes, and has to if it has blanks
//! op    = "=" "!=" "<" "<=" ">" ">=" "~"          value = quoted | glob | number [unit] | date | A ".." B
//! ```
//!
//! A token ends at white space or at a closing parenthesis that it did not open. Quotes and slashes are special only at
//! the start of a token or value.

use super::{
    Comparison, Expr, Name, NumberLiteral, NumberUnit, QueryProperty, SEVERITIES, Test, TestValue, TextPattern,
    TickRate, Vocabulary,
    ast::{FIELD, SIGNS, is_plain, severity_named},
    number,
    pattern::Case,
};
use crate::nearest::nearest;

/// Maximum nesting of groups and negations.
const DEEPEST: usize = 60;

/// Parses an expression; blank text matches every row. Returns the first error, with its column and, for an unknown
/// word, the nearest known one.
pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Expr, QueryError> {
    let mut parser = Parser::new(text, vocabulary);
    parser.skip_blanks();
    if parser.peek().is_none() {
        return Ok(Expr::everything());
    }
    let expr = parser.expr(0)?;
    match parser.peek() {
        Some(_) => Err(parser.wrong("this ) closes nothing; a name with parentheses that do not match needs quotes")),
        None => Ok(expr),
    }
}

struct Parser<'a> {
    chars: Vec<char>,
    /// Index of the next character.
    at: usize,
    vocabulary: &'a Vocabulary,
}

impl Parser<'_> {
    fn wrong(&self, message: &str) -> QueryError {
        QueryError::new(self.at, message)
    }

    fn expr(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut parts = vec![self.all(depth)?];
        while self.keyword("or") {
            parts.push(self.all(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Any(parts) })
    }

    fn all(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut parts = vec![self.term(depth)?];
        loop {
            self.skip_blanks();
            let start = self.at;
            if self.keyword("or") {
                self.at = start;
                break;
            }
            let needs_term = self.keyword("and");
            if !needs_term && matches!(self.peek(), None | Some(')')) {
                break;
            }
            parts.push(self.term(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::All(parts) })
    }

    fn term(&mut self, depth: usize) -> Result<Expr, QueryError> {
        if depth > DEEPEST {
            return Err(self.wrong("too many groups inside each other"));
        }
        self.skip_blanks();
        if self.take('-') {
            if self.peek().is_none_or(char::is_whitespace) {
                return Err(self.wrong("- needs a test right after it"));
            }
            return Ok(Expr::Not(Box::new(self.term(depth + 1)?)));
        }
        if self.keyword("not") {
            return Ok(Expr::Not(Box::new(self.term(depth + 1)?)));
        }
        let open = self.at;
        if !self.take('(') {
            return self.test().map(Expr::Test);
        }
        let inner = self.expr(depth + 1)?;
        self.skip_blanks();
        if !self.take(')') {
            return Err(QueryError::new(open, "the closing ) is missing"));
        }
        Ok(inner)
    }

    fn test(&mut self) -> Result<Test, QueryError> {
        let column = self.at;
        let at = |message| QueryError::new(column, message);
        if let Some(head) = self.head() {
            return self.comparison(head);
        }
        match self.peek() {
            None => return Err(at("a test is missing at the end".to_owned())),
            Some(')') => return Err(at("a test is missing before )".to_owned())),
            Some('"') => {
                let text = self.quoted()?;
                self.ended()?;
                return TextPattern::quoted(&text, false, Case::Smart).map(Test::Word).map_err(at);
            }
            Some('/') => {
                let text = self.slashed()?;
                self.ended()?;
                return TextPattern::regex(&text).map(Test::Regex).map_err(at);
            }
            _ => {}
        }
        if let Some((op, _)) = self.chars.get(self.at..).and_then(operator) {
            return Err(at(format!("{} needs a name before it and a value after it, without blanks", op.sign())));
        }
        match self.bare(false) {
            word if word == "and" || word == "or" => Err(at(format!("a test is missing before {word}"))),
            word => TextPattern::glob(&word, false, Case::Smart).map(Test::Word).map_err(at),
        }
    }

    fn comparison(&mut self, head: ExprHead) -> Result<Test, QueryError> {
        let subject = self.subject(&head)?;
        subject.allows(head.op).map_err(|message| QueryError::new(head.column, message))?;
        let mut values = vec![self.value(&head, &subject)?];
        while head.op == Comparison::In && self.take(',') {
            values.push(self.value(&head, &subject)?);
        }
        self.ended()?;
        Ok(Test::Compare(subject, head.op, values))
    }

    fn subject(&mut self, head: &ExprHead) -> Result<QueryProperty, QueryError> {
        if let Some(name) = Name::named(&head.name).filter(|_| !head.is_quoted) {
            return Ok(QueryProperty::Name(name));
        }
        let field = head.name.strip_prefix(FIELD).filter(|_| !head.is_quoted).unwrap_or(&head.name);
        if !field.is_empty() && self.vocabulary.knows_field(field) {
            return Ok(QueryProperty::Field(field.to_owned()));
        }
        let sign = head.op.sign();
        let word = format!("{}{sign}{}", head.name, self.bare(false)).replace('"', "\\\"");
        if let Some((_, decoder)) = self.vocabulary.elsewhere.iter().find(|(name, _)| name == field) {
            let message = format!("no field \"{field}\" here, only in {decoder}; as plain text write \"{word}\"");
            return Err(QueryError::new(head.column, message));
        }
        let known = self.vocabulary.fields();
        let names = Name::spellings().map(|word| -> &str { word });
        let message = format!("unknown field \"{}\"; as plain text write \"{word}\"", head.name);
        Err(QueryError::new(head.column, message).near(nearest(field, names.chain(known))))
    }

    fn value(&mut self, head: &ExprHead, subject: &QueryProperty) -> Result<TestValue, QueryError> {
        let column = self.at;
        let at = |message| QueryError::new(column, message);
        let quoted = self.peek() == Some('"');
        let text = if quoted { self.quoted()? } else { self.bare(head.op == Comparison::In) };
        if text.is_empty() && !quoted {
            return Err(at(format!("a value is missing after {}{}", head.name, head.op.sign())));
        }
        if head.op == Comparison::Like {
            return TextPattern::regex(&text).map(TestValue::Text).map_err(at);
        }
        if !quoted && let Some(value) = subject.number(head.op, &text) {
            return value.and_then(|value| subject.check(head.op, value, &self.vocabulary.rate)).map_err(at);
        }
        if let QueryProperty::Name(Name::Sev) = subject {
            return severity_named(&text).map(TestValue::Number).ok_or_else(|| unknown_severity(column, &text));
        }
        subject.takes_text(head.op, &text).map_err(at)?;
        let whole = !(matches!(subject, QueryProperty::Name(Name::Text)) && head.op == Comparison::In);
        let pattern = if quoted {
            TextPattern::quoted(&text, whole, Case::Exact)
        } else {
            TextPattern::glob(&text, whole, subject.case())
        };
        pattern.map(TestValue::Text).map_err(at)
    }
}

fn unknown_severity(column: usize, text: &str) -> QueryError {
    let unknown = format!("unknown severity \"{text}\"");
    let words = SEVERITIES.map(|(word, _)| word);
    match (nearest(text, words), words.split_last()) {
        (None, Some((last, others))) => {
            QueryError::new(column, format!("{unknown}; rows have {} or {last}", others.join(", ")))
        }
        (word, _) => QueryError::new(column, unknown).near(word),
    }
}

impl QueryProperty {
    fn case(&self) -> Case {
        match self {
            QueryProperty::Name(name) if name.thing().is_some() => Case::Same,
            _ => Case::Smart,
        }
    }

    fn allows(&self, op: Comparison) -> Result<(), String> {
        let QueryProperty::Name(name) = self else { return Ok(()) };
        let word = name.word();
        match op {
            Comparison::Like if name.is_number() || *name == Name::Sev => {
                Err(format!("{word} is a number, ~ is for text"))
            }
            op if op.orders() && name.is_text() => Err(format!("{word} is text, it has no order")),
            _ => Ok(()),
        }
    }

    /// Parses `text` as a number, date or range, if the left-hand side accepts one.
    fn number(&self, op: Comparison, text: &str) -> Option<Result<TestValue, String>> {
        if let QueryProperty::Name(name) = self
            && name.is_text()
        {
            return None;
        }
        let names_things = matches!(self, QueryProperty::Name(name) if !name.is_number());
        let read = |text: &str| NumberLiteral::read(text).filter(|n| !names_things || n.unit == NumberUnit::Plain);
        if let Some(number) = read(text) {
            return Some(Ok(TestValue::Number(number)));
        }
        if let QueryProperty::Name(Name::Time) = self
            && let Some(date) = number::read(text, op)
        {
            return Some(date);
        }
        let (from, to) = text.split_once("..")?;
        let side = |text: &str| if text.is_empty() { Some(None) } else { read(text).map(Some) };
        let (from, to) = (side(from)?, side(to)?);
        (from.is_some() || to.is_some()).then_some(Ok(TestValue::Range(from, to)))
    }

    fn check(&self, op: Comparison, value: TestValue, rate: &TickRate) -> Result<TestValue, String> {
        let numbers: Vec<&NumberLiteral> = match &value {
            TestValue::Number(number) => vec![number],
            TestValue::Range(from, to) => from.iter().chain(to).collect(),
            TestValue::Text(_) => Vec::new(),
        };
        if op.orders() && matches!(value, TestValue::Range(..)) {
            return Err(format!("{} takes one number, no range", op.sign()));
        }
        if let TestValue::Range(Some(from), Some(to)) = &value
            && from.is_time()
            && from.exceeds(to) == Some(true)
        {
            return Err(format!("{from} to {to} is empty: the end is before the start"));
        }
        for number in numbers {
            self.check_unit(number.unit)?;
            self.check_ticks(number, rate)?;
        }
        Ok(value)
    }

    fn check_unit(&self, unit: NumberUnit) -> Result<(), String> {
        let QueryProperty::Name(name) = self else { return Ok(()) };
        let word = name.word();
        match unit {
            NumberUnit::Time(_) | NumberUnit::Date(_) | NumberUnit::Ticks if !name.is_time() => {
                Err(format!("{word} is not a time"))
            }
            NumberUnit::Bytes if *name != Name::Pos => Err(format!("{word} is not counted in bytes")),
            NumberUnit::Plain | NumberUnit::Ticks if *name == Name::Host => {
                Err(format!("{word} needs a unit: ns us ms s"))
            }
            _ => Ok(()),
        }
    }

    /// Target times are ticks; without a rate, time units make no sense.
    fn check_ticks(&self, number: &NumberLiteral, rate: &TickRate) -> Result<(), String> {
        let QueryProperty::Name(name @ (Name::Time | Name::Dt)) = self else { return Ok(()) };
        match (number.unit, rate) {
            (NumberUnit::Date(_), TickRate::Undated | TickRate::Unknown(_)) => {
                Err(format!("{number}: times have no date here, they count from the start of the target or trace"))
            }
            (NumberUnit::Time(_), TickRate::Unknown(next_step)) => {
                Err(format!("{} has no units here, the rate of the ticks is unknown: {next_step}", name.word()))
            }
            (NumberUnit::Plain, TickRate::Open | TickRate::Undated) if number.has_fraction() => {
                Err(format!("{number} has no unit, and ticks are whole: write {number}s, or ms us ns"))
            }
            (NumberUnit::Plain | NumberUnit::Ticks, _) if number.has_fraction() => {
                Err(format!("{number}: ticks are whole numbers"))
            }
            _ => Ok(()),
        }
    }

    fn takes_text(&self, op: Comparison, text: &str) -> Result<(), String> {
        match self {
            QueryProperty::Name(name) if name.is_number() => Err(format!("{} needs a number, not {text}", name.word())),
            _ if op.orders() => Err(format!("{} needs a number, not {text}", op.sign())),
            _ => Ok(()),
        }
    }
}

/// Parses a search pattern. Text without tests, quotes or slashes is literal, including spaces.
pub fn search(text: &str, vocabulary: &Vocabulary) -> Result<Expr, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QueryError::new(0, "nothing to search for"));
    }
    if is_expression(text, vocabulary) {
        return parse(text, vocabulary);
    }
    let pattern = TextPattern::quoted(text, false, Case::Smart).map_err(|message| QueryError::new(0, message))?;
    Ok(Expr::Test(Test::Word(pattern)))
}

/// Parses a search pattern for lines that are not rows: a regular expression between slashes, or literal text.
pub fn plain(text: &str) -> Result<TextPattern, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QueryError::new(0, "nothing to search for"));
    }
    let regex = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|regex| !regex.is_empty());
    let pattern = regex.map_or_else(|| TextPattern::quoted(text, false, Case::Smart), TextPattern::regex);
    pattern.map_err(|message| QueryError::new(0, message))
}

fn is_expression(text: &str, vocabulary: &Vocabulary) -> bool {
    let mut scan = Parser::new(text, vocabulary);
    loop {
        scan.skip_blanks();
        while scan.take('-') || scan.take('(') {}
        let head = scan.head();
        let closed = match scan.peek() {
            _ if head.is_some() => head.is_some_and(|head| head.is_quoted || known(&head.name, vocabulary)),
            None => return false,
            Some('"') => scan.quoted().is_ok(),
            Some('/') => scan.slashed().is_ok() && scan.ended().is_ok(),
            Some(_) => false,
        };
        if closed {
            return true;
        }
        scan.bare(false);
        scan.take(')');
    }
}

fn known(word: &str, vocabulary: &Vocabulary) -> bool {
    let field = vocabulary.fields().any(|known| known == word);
    field || word.starts_with(FIELD) || Name::named(word).is_some()
}

struct ExprHead {
    name: String,
    /// It was quoted, so it is the name of a field.
    is_quoted: bool,
    op: Comparison,
    column: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &str, vocabulary: &'a Vocabulary) -> Parser<'a> {
        Parser { chars: text.chars().collect(), at: 0, vocabulary }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Consumes `c` if it is next.
    fn take(&mut self, c: char) -> bool {
        let there = self.peek() == Some(c);
        self.at += usize::from(there);
        there
    }

    /// Consumes the keyword if it is the whole next token.
    fn keyword(&mut self, word: &str) -> bool {
        let start = self.at;
        let there = !matches!(self.peek(), Some('"' | '/')) && self.bare(false) == word;
        if !there {
            self.at = start;
        }
        there
    }

    /// Consumes the rest of a token, possibly empty.
    fn bare(&mut self, ends_at_comma: bool) -> String {
        let mut depth = 0_usize;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            match c {
                '(' => depth += 1,
                ')' if depth == 0 => break,
                ')' => depth -= 1,
                ',' if ends_at_comma && depth == 0 => break,
                c if c.is_whitespace() => break,
                _ => {}
            }
            text.push(c);
            self.at += 1;
        }
        text
    }

    /// Consumes quoted text, from its opening quote. A backslash escapes a quote or backslash.
    fn quoted(&mut self) -> Result<String, QueryError> {
        self.delimited('"', &['"', '\\'], "the closing quote is missing")
    }

    /// Consumes a pattern between slashes, from the first one. A backslash escapes a slash.
    fn slashed(&mut self) -> Result<String, QueryError> {
        self.delimited('/', &['/'], "the closing / is missing; text that starts with / needs quotes")
    }

    fn delimited(&mut self, end: char, kept: &[char], missing: &str) -> Result<String, QueryError> {
        let column = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == end {
                return Ok(text);
            }
            match self.peek() {
                Some(next) if c == '\\' => {
                    self.at += 1;
                    if !kept.contains(&next) {
                        text.push(c);
                    }
                    text.push(next);
                }
                _ => text.push(c),
            }
        }
        Err(QueryError::new(column, missing))
    }

    /// Fails unless the token ends here.
    fn ended(&self) -> Result<(), QueryError> {
        match self.peek() {
            None | Some(')') => Ok(()),
            Some(c) if c.is_whitespace() => Ok(()),
            Some(_) => Err(QueryError::new(self.at, "a blank is missing here")),
        }
    }

    /// Consumes a name and an operator if both are next, otherwise nothing. A name may be quoted. Unquoted `a::b` and
    /// `a->b` are words, unless they are among the fields.
    fn head(&mut self) -> Option<ExprHead> {
        if let Some(head) = self.quoted_head() {
            return Some(head);
        }
        let column = self.at;
        let rest = self.chars.get(column..)?;
        let length = rest.iter().take_while(|c| is_plain(**c)).count();
        let name: String = rest[..length].iter().collect();
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        let Some((op, width)) = operator(&rest[length..]) else { return self.special_head() };
        self.at += length + width;
        Some(ExprHead { name, is_quoted: false, op, column })
    }

    /// `"info->pid"` or `field."info->pid"` with its operator.
    fn quoted_head(&mut self) -> Option<ExprHead> {
        let column = self.at;
        let prefix = FIELD.chars().count();
        if self.chars.get(column..)?.iter().take(prefix).copied().eq(FIELD.chars()) {
            self.at += prefix;
        }
        let name = if self.peek() == Some('"') { self.quoted().ok() } else { None };
        let op = name.as_ref().and_then(|_| operator(self.chars.get(self.at..)?));
        let (Some(name), Some((op, width))) = (name, op) else {
            self.at = column;
            return None;
        };
        self.at += width;
        Some(ExprHead { name, is_quoted: true, op, column })
    }

    /// A field whose name is more than a word, with its operator.
    fn special_head(&mut self) -> Option<ExprHead> {
        let column = self.at;
        let rest = self.chars.get(column..)?;
        let fits = |name: &str| {
            let special = !name.chars().all(is_plain) && !name.contains(char::is_whitespace);
            let length = name.chars().count();
            let begins = special && rest.len() > length && rest.iter().copied().zip(name.chars()).all(|(a, b)| a == b);
            let (op, width) = if begins { operator(&rest[length..])? } else { return None };
            Some((length + width, name.to_owned(), op))
        };
        let (length, name, op) = self.vocabulary.fields().filter_map(fits).max_by_key(|found| found.0)?;
        self.at += length;
        Some(ExprHead { name, is_quoted: true, op, column })
    }
}

/// The comparison that these characters begin with, and its length; `::` is not a comparison.
fn operator(rest: &[char]) -> Option<(Comparison, usize)> {
    let begins = |sign: &str| rest.iter().copied().take(sign.len()).eq(sign.chars());
    let found = SIGNS.iter().find(|(sign, _)| begins(sign) && !begins("::"));
    found.map(|(sign, comparison)| (*comparison, sign.len()))
}

/// An error in an expression. Its text is one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", self.hint())]
pub struct QueryError {
    /// In characters, from 0.
    pub column: usize,
    /// The error and what to write instead.
    pub message: String,
    pub nearest: Option<String>,
}

impl QueryError {
    fn new(column: usize, message: impl Into<String>) -> Self {
        QueryError { column, message: message.into(), nearest: None }
    }

    fn near(mut self, word: Option<&str>) -> Self {
        self.nearest = word.map(str::to_owned);
        self
    }

    fn hint(&self) -> String {
        self.nearest.as_ref().map(|word| format!("; nearest: {word}")).unwrap_or_default()
    }
}
