//! The parser of the filter language.
//!
//! ```text
//! expr  = all { "or" all }            all  = term { ["and"] term }     blank = and
//! term  = ["-" | "not"] ( "(" expr ")" | test )
//! test  = word | "/" regex "/" | name ":" value { "," value } | name op value
//! name  = word | "field." word | quoted            the name of a field may stand in quotes, and has to if it has blanks
//! op    = "=" "!=" "<" "<=" ">" ">=" "~"          value = quoted | glob | number [unit] | date | A ".." B
//! ```

use super::{
    Expr, Number, NumberUnit, Op, Pattern, Property, QueryError, SEVERITIES, Test, TickRate, Value, Vocabulary,
    name::{FIELD, Name},
    number,
    pattern::Case,
    scan::{ExprHead, Scan},
    severity_named,
};
use crate::nearest::nearest;

/// Maximum nesting of groups and negations.
const DEEPEST: usize = 60;

/// Parses an expression; blank text matches every row. Returns the first error, with its column and, for an unknown
/// word, the nearest known one.
pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Expr, QueryError> {
    let mut parser = Parser { scan: Scan::new(text), vocabulary };
    parser.scan.skip_blanks();
    if parser.scan.peek().is_none() {
        return Ok(Expr::everything());
    }
    let expr = parser.expr(0)?;
    match parser.scan.peek() {
        Some(_) => Err(parser.wrong("this ) closes nothing; a name with parentheses that do not match needs quotes")),
        None => Ok(expr),
    }
}

struct Parser<'a> {
    scan: Scan,
    vocabulary: &'a Vocabulary,
}

impl Parser<'_> {
    fn wrong(&self, message: &str) -> QueryError {
        QueryError::new(self.scan.at, message)
    }

    fn expr(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut parts = vec![self.all(depth)?];
        while self.scan.keyword("or") {
            parts.push(self.all(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Any(parts) })
    }

    fn all(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut parts = vec![self.term(depth)?];
        loop {
            self.scan.skip_blanks();
            let start = self.scan.at;
            if self.scan.keyword("or") {
                self.scan.rewind(start);
                break;
            }
            let needs_term = self.scan.keyword("and");
            if !needs_term && matches!(self.scan.peek(), None | Some(')')) {
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
        self.scan.skip_blanks();
        if self.scan.take('-') {
            if self.scan.peek().is_none_or(char::is_whitespace) {
                return Err(self.wrong("- needs a test right after it"));
            }
            return Ok(Expr::Not(Box::new(self.term(depth + 1)?)));
        }
        if self.scan.keyword("not") {
            return Ok(Expr::Not(Box::new(self.term(depth + 1)?)));
        }
        if self.scan.take('(') { self.group(depth) } else { self.test().map(Expr::Test) }
    }

    fn group(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let open = self.scan.at - 1;
        let inner = self.expr(depth + 1)?;
        self.scan.skip_blanks();
        if !self.scan.take(')') {
            return Err(QueryError::new(open, "the closing ) is missing"));
        }
        Ok(inner)
    }

    fn test(&mut self) -> Result<Test, QueryError> {
        let column = self.scan.at;
        let at = |message| QueryError::new(column, message);
        if let Some(head) = self.scan.head(self.vocabulary.fields()) {
            return self.comparison(head);
        }
        match self.scan.peek() {
            None => return Err(at("a test is missing at the end".to_owned())),
            Some(')') => return Err(at("a test is missing before )".to_owned())),
            Some('"') => {
                let text = self.scan.quoted()?;
                self.scan.ended()?;
                return Pattern::quoted(&text, false, Case::Smart).map(Test::Word).map_err(at);
            }
            Some('/') => {
                let text = self.scan.slashed()?;
                self.scan.ended()?;
                return Pattern::regex(&text).map(Test::Regex).map_err(at);
            }
            _ => {}
        }
        if let Some(op) = self.scan.stray_operator() {
            return Err(at(format!("{} needs a name before it and a value after it, without blanks", op.sign())));
        }
        match self.scan.bare(false) {
            word if word == "and" || word == "or" => Err(at(format!("a test is missing before {word}"))),
            word => Pattern::glob(&word, false, Case::Smart).map(Test::Word).map_err(at),
        }
    }

    fn comparison(&mut self, head: ExprHead) -> Result<Test, QueryError> {
        let subject = self.subject(&head)?;
        subject.allows(head.op).map_err(|message| QueryError::new(head.column, message))?;
        let mut values = vec![self.value(&head, &subject)?];
        while head.op == Op::In && self.scan.take(',') {
            values.push(self.value(&head, &subject)?);
        }
        self.scan.ended()?;
        Ok(Test::Compare(subject, head.op, values))
    }

    fn subject(&mut self, head: &ExprHead) -> Result<Property, QueryError> {
        if let Some(name) = Name::named(&head.name).filter(|_| !head.is_quoted) {
            return Ok(Property::Name(name));
        }
        let field = head.name.strip_prefix(FIELD).filter(|_| !head.is_quoted).unwrap_or(&head.name);
        if !field.is_empty() && self.vocabulary.knows_field(field) {
            return Ok(Property::Field(field.to_owned()));
        }
        let sign = head.op.sign();
        let word = format!("{}{sign}{}", head.name, self.scan.bare(false)).replace('"', "\\\"");
        if let Some((_, decoder)) = self.vocabulary.elsewhere.iter().find(|(name, _)| name == field) {
            let message = format!("no field \"{field}\" here, only in {decoder}; as plain text write \"{word}\"");
            return Err(QueryError::new(head.column, message));
        }
        let known = self.vocabulary.fields();
        let names = Name::spellings().map(|word| -> &str { word });
        let message = format!("unknown field \"{}\"; as plain text write \"{word}\"", head.name);
        Err(QueryError::new(head.column, message).near(nearest(field, names.chain(known))))
    }

    fn value(&mut self, head: &ExprHead, subject: &Property) -> Result<Value, QueryError> {
        let column = self.scan.at;
        let at = |message| QueryError::new(column, message);
        let quoted = self.scan.peek() == Some('"');
        let text = if quoted { self.scan.quoted()? } else { self.scan.bare(head.op == Op::In) };
        if text.is_empty() && !quoted {
            return Err(at(format!("a value is missing after {}{}", head.name, head.op.sign())));
        }
        if head.op == Op::Like {
            return Pattern::regex(&text).map(Value::Text).map_err(at);
        }
        if !quoted && let Some(value) = subject.number(head.op, &text) {
            return value.and_then(|value| subject.check(head.op, value, &self.vocabulary.rate)).map_err(at);
        }
        if let Property::Name(Name::Sev) = subject {
            return severity_named(&text).map(Value::Severity).ok_or_else(|| unknown_severity(column, &text));
        }
        subject.takes_text(head.op, &text).map_err(at)?;
        let whole = !(matches!(subject, Property::Name(Name::Text)) && head.op == Op::In);
        let pattern = if quoted {
            Pattern::quoted(&text, whole, Case::Exact)
        } else {
            Pattern::glob(&text, whole, subject.case())
        };
        pattern.map(Value::Text).map_err(at)
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

impl Property {
    fn word(&self) -> &str {
        match self {
            Property::Name(name) => name.word(),
            Property::Field(field) => field,
        }
    }

    fn case(&self) -> Case {
        match self {
            Property::Name(name) if name.is_called() => Case::Same,
            _ => Case::Smart,
        }
    }

    fn allows(&self, op: Op) -> Result<(), String> {
        let Property::Name(name) = self else { return Ok(()) };
        let word = name.word();
        match op {
            Op::Like if name.is_number() || *name == Name::Sev => Err(format!("{word} is a number, ~ is for text")),
            op if op.orders() && name.is_text() => Err(format!("{word} is text, it has no order")),
            _ => Ok(()),
        }
    }

    /// Parses `text` as a number, date or range, if the left-hand side accepts one.
    fn number(&self, op: Op, text: &str) -> Option<Result<Value, String>> {
        if let Property::Name(name) = self
            && name.is_text()
        {
            return None;
        }
        let names_things = matches!(self, Property::Name(name) if !name.is_number());
        let read = |text: &str| Number::read(text).filter(|n| !names_things || n.unit == NumberUnit::Plain);
        if let Some(number) = read(text) {
            return Some(Ok(Value::Number(number)));
        }
        if let Property::Name(Name::Time) = self
            && let Some(date) = number::read(text, op)
        {
            return Some(date);
        }
        let (from, to) = text.split_once("..")?;
        let side = |text: &str| if text.is_empty() { Some(None) } else { read(text).map(Some) };
        let (from, to) = (side(from)?, side(to)?);
        (from.is_some() || to.is_some()).then_some(Ok(Value::Range(from, to)))
    }

    fn check(&self, op: Op, value: Value, rate: &TickRate) -> Result<Value, String> {
        let numbers: Vec<&Number> = match &value {
            Value::Number(number) => vec![number],
            Value::Range(from, to) => from.iter().chain(to).collect(),
            Value::Text(_) | Value::Severity(_) => Vec::new(),
        };
        if op.orders() && matches!(value, Value::Range(..)) {
            return Err(format!("{} takes one number, no range", op.sign()));
        }
        if let Value::Range(Some(from), Some(to)) = &value
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
        let Property::Name(name) = self else { return Ok(()) };
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
    fn check_ticks(&self, number: &Number, rate: &TickRate) -> Result<(), String> {
        let Property::Name(name @ (Name::Time | Name::Dt)) = self else { return Ok(()) };
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

    fn takes_text(&self, op: Op, text: &str) -> Result<(), String> {
        match self {
            Property::Name(name) if name.is_number() => Err(format!("{} needs a number, not {text}", self.word())),
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
    let pattern = Pattern::quoted(text, false, Case::Smart).map_err(|message| QueryError::new(0, message))?;
    Ok(Expr::Test(Test::Word(pattern)))
}

/// Parses a search pattern for lines that are not rows: a regular expression between slashes, or literal text.
pub fn plain(text: &str) -> Result<Pattern, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QueryError::new(0, "nothing to search for"));
    }
    let regex = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|regex| !regex.is_empty());
    let pattern = regex.map_or_else(|| Pattern::quoted(text, false, Case::Smart), Pattern::regex);
    pattern.map_err(|message| QueryError::new(0, message))
}

fn is_expression(text: &str, vocabulary: &Vocabulary) -> bool {
    let mut scan = Scan::new(text);
    loop {
        scan.skip_blanks();
        while scan.take('-') || scan.take('(') {}
        let head = scan.head(vocabulary.fields());
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
