//! The parsed expression, its text form and its evaluation; the properties that it tests.

use std::{borrow::Cow, cmp::Ordering, fmt};

use super::{NumberLiteral, NumberUnit, TextPattern};

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// True if all parts are; without parts, always true.
    All(Vec<Expr>),
    /// True if any part is.
    Any(Vec<Expr>),
    Not(Box<Expr>),
    Test(Test),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// A word or quoted text anywhere in the text of the row.
    Word(TextPattern),
    /// A regular expression on the text of the row.
    Regex(TextPattern),
    /// A property compared with operands; several only for [`Comparison::In`].
    Compare(QueryProperty, Comparison, Vec<TestValue>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum QueryProperty {
    /// A property that every protocol has.
    Name(Name),
    /// A field of the record.
    Field(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `:` equal to one of the values.
    In,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `~` matches a regular expression.
    Like,
}

/// The comparisons as written; one that another begins with comes after it.
pub(super) const SIGNS: [(&str, Comparison); 8] = [
    (":", Comparison::In),
    ("=", Comparison::Eq),
    ("!=", Comparison::Ne),
    ("<=", Comparison::Le),
    ("<", Comparison::Lt),
    (">=", Comparison::Ge),
    (">", Comparison::Gt),
    ("~", Comparison::Like),
];

#[derive(Debug, Clone, PartialEq)]
pub enum TestValue {
    /// A glob, quoted text, or a regular expression.
    Text(TextPattern),
    /// A number, or the rank of a severity word; also matches a name written as this number.
    Number(NumberLiteral),
    /// Range with inclusive ends, which may be open.
    Range(Option<NumberLiteral>, Option<NumberLiteral>),
}

impl TestValue {
    pub(super) fn pattern(&self) -> Option<&TextPattern> {
        match self {
            TestValue::Text(pattern) => Some(pattern),
            _ => None,
        }
    }
}

impl Comparison {
    pub fn sign(self) -> &'static str {
        SIGNS.iter().find(|(_, comparison)| *comparison == self).map_or("", |(sign, _)| sign)
    }

    pub(super) fn orders(self) -> bool {
        matches!(self, Comparison::Lt | Comparison::Le | Comparison::Gt | Comparison::Ge)
    }
}

impl Default for Expr {
    fn default() -> Expr {
        Expr::everything()
    }
}

impl Expr {
    pub fn everything() -> Expr {
        Expr::All(Vec::new())
    }

    pub fn is_everything(&self) -> bool {
        matches!(self, Expr::All(parts) if parts.is_empty())
    }

    pub fn nothing() -> Expr {
        Expr::Any(Vec::new())
    }

    pub fn tests(&self) -> Vec<&Test> {
        match self {
            Expr::All(parts) | Expr::Any(parts) => parts.iter().flat_map(Expr::tests).collect(),
            Expr::Not(inner) => inner.tests(),
            Expr::Test(test) => vec![test],
        }
    }

    /// Patterns found in the text of a matching row, for highlighting.
    pub fn patterns(&self) -> Vec<&TextPattern> {
        match self {
            Expr::All(parts) | Expr::Any(parts) => parts.iter().flat_map(Expr::patterns).collect(),
            Expr::Not(_) | Expr::Test(Test::Compare(_, Comparison::Ne, _)) => Vec::new(),
            Expr::Test(Test::Word(pattern) | Test::Regex(pattern)) => vec![pattern],
            Expr::Test(Test::Compare(_, _, values)) => values.iter().filter_map(TestValue::pattern).collect(),
        }
    }

    /// Whether it compares ticks of the target with times.
    pub fn compares_times(&self) -> bool {
        let is_time = |value: &TestValue| match value {
            TestValue::Number(number) => number.is_time(),
            TestValue::Range(from, to) => from.iter().chain(to).any(NumberLiteral::is_time),
            TestValue::Text(_) => false,
        };
        self.tests().into_iter().any(|test| match test {
            Test::Compare(QueryProperty::Name(Name::Time | Name::Dt), _, values) => values.iter().any(is_time),
            _ => false,
        })
    }

    /// The remaining expression when some tests are known to be false.
    pub fn without(&self, is_false: &impl Fn(&Test) -> bool) -> Expr {
        match self {
            Expr::Test(test) if is_false(test) => Expr::nothing(),
            Expr::Test(_) => self.clone(),
            Expr::Not(inner) => match inner.without(is_false) {
                inner if inner == Expr::nothing() => Expr::everything(),
                inner if inner.is_everything() => Expr::nothing(),
                inner => Expr::Not(Box::new(inner)),
            },
            Expr::All(parts) => {
                let parts: Vec<Expr> = parts.iter().map(|part| part.without(is_false)).collect();
                if parts.contains(&Expr::nothing()) { Expr::nothing() } else { Expr::All(parts) }
            }
            Expr::Any(parts) => {
                let parts: Vec<Expr> = parts.iter().map(|part| part.without(is_false)).collect();
                if parts.iter().any(Expr::is_everything) { Expr::everything() } else { Expr::Any(parts) }
            }
        }
    }

    pub fn and(self, term: Expr) -> Expr {
        let mut parts = match self {
            Expr::All(parts) => parts,
            other => vec![other],
        };
        parts.push(term);
        if parts.len() == 1 { parts.remove(0) } else { Expr::All(parts) }
    }

    /// Whether the row matches. A test of a property that the row lacks is false, its negation true.
    pub fn matches<S: QuerySubject + ?Sized>(&self, row: &S) -> bool {
        self.decide(row, Needs::ALL).unwrap_or(false)
    }

    /// Whether finding any of its words decides it: then an undecided row contains none of them.
    pub fn is_decided_by_words(&self) -> bool {
        self.words_give(true) || self.words_give(false)
    }

    /// Whether this is the result as soon as one of its words is found.
    fn words_give(&self, result: bool) -> bool {
        let has_no_word = |parts: &[Expr]| parts.iter().all(|part| part.words_give(true) && part.words_give(false));
        match self {
            Expr::Test(Test::Word(_)) => result,
            Expr::Test(_) => true,
            Expr::Not(inner) => inner.words_give(!result),
            Expr::All(parts) if result => has_no_word(parts),
            Expr::Any(parts) if !result => has_no_word(parts),
            Expr::All(parts) | Expr::Any(parts) => parts.iter().all(|part| part.words_give(result)),
        }
    }

    pub fn needs(&self) -> Needs {
        match self {
            Expr::All(parts) | Expr::Any(parts) => parts.iter().fold(Needs::empty(), |sum, e| sum | e.needs()),
            Expr::Not(inner) => inner.needs(),
            Expr::Test(test) => test.needs(),
        }
    }

    /// The result from the properties in `known` alone; `None` if undecided.
    pub fn decide<S: QuerySubject + ?Sized>(&self, row: &S, known: Needs) -> Option<bool> {
        match self {
            Expr::Test(Test::Word(pattern)) => word(pattern, row, known),
            Expr::Test(test) if known.contains(test.needs()) => Some(test.passes(row)),
            Expr::Test(test) => row.foresee(test),
            Expr::Not(inner) => inner.decide(row, known).map(|yes| !yes),
            Expr::All(parts) => join(parts, row, known, false),
            Expr::Any(parts) => join(parts, row, known, true),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::All(parts) => joined(parts, " ", f),
            Expr::Any(parts) => joined(parts, " or ", f),
            Expr::Not(inner) => {
                f.write_str("-")?;
                operand(inner, f)
            }
            Expr::Test(test) => write!(f, "{test}"),
        }
    }
}

fn joined(parts: &[Expr], between: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(between)?;
        }
        match part {
            // `and` binds closer, so it needs no parentheses inside `or`.
            Expr::All(_) if between != " " => write!(f, "{part}")?,
            _ => operand(part, f)?,
        }
    }
    Ok(())
}

fn operand(expr: &Expr, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if !matches!(expr, Expr::All(_) | Expr::Any(_)) {
        return write!(f, "{expr}");
    }
    let inner = expr.to_string();
    // A token with an open parenthesis would include the one that ends the group.
    let last = inner.rsplit(char::is_whitespace).next().unwrap_or_default();
    let open = last.matches('(').count() != last.matches(')').count();
    write!(f, "({inner}{})", if open { " " } else { "" })
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Test::Word(pattern) => write!(f, "{pattern}"),
            Test::Regex(pattern) => write!(f, "/{}/", pattern.source().replace('/', "\\/")),
            Test::Compare(property, op, values) => {
                let property = match property {
                    QueryProperty::Name(name) => name.word().into(),
                    QueryProperty::Field(field) => field_name(field),
                };
                let values: Vec<String> = values.iter().map(TestValue::to_string).collect();
                write!(f, "{property}{}{}", op.sign(), values.join(","))
            }
        }
    }
}

impl fmt::Display for TestValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestValue::Text(pattern) => pattern.write_value(f),
            TestValue::Number(number) => write!(f, "{number}"),
            TestValue::Range(from, to) => {
                from.iter().try_for_each(|n| write!(f, "{n}"))?;
                f.write_str("..")?;
                to.iter().try_for_each(|n| write!(f, "{n}"))
            }
        }
    }
}

/// Severity words, lowest first, with the rank of a row.
pub const SEVERITIES: [(&str, u8); 5] = [("debug", 0), ("info", 1), ("warning", 2), ("error", 3), ("fatal", 4)];

/// A severity word as its rank; prefixes are accepted (`warn`, `err`).
pub(super) fn severity_named(word: &str) -> Option<NumberLiteral> {
    let word = word.to_lowercase();
    let (name, rank) = SEVERITIES.iter().find(|(name, _)| !word.is_empty() && name.starts_with(&word))?;
    Some(NumberLiteral::new(name, (*rank).into(), NumberUnit::Plain))
}

/// `and` is decided by the first no, `or` by the first yes; otherwise any undecided part leaves it undecided.
fn join<S: QuerySubject + ?Sized>(parts: &[Expr], row: &S, known: Needs, decisive: bool) -> Option<bool> {
    let mut open = false;
    for part in parts {
        match part.decide(row, known) {
            Some(answer) if answer == decisive => return Some(decisive),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!decisive)
}

/// A word matches the text, or a name of the kind, which lists may show by a shorter word. The kind may decide alone.
fn word<S: QuerySubject + ?Sized>(pattern: &TextPattern, row: &S, known: Needs) -> Option<bool> {
    let asks_kind = known.contains(Needs::KIND) && !known.contains(Needs::KIND_IS_NO_WORD);
    if asks_kind && row.names(Name::Kind, &mut |kind| pattern.is_all_of(kind.text)) {
        return Some(true);
    }
    let decides = known.contains(Needs::TEXT | Needs::KIND);
    decides.then(|| row.text(&mut |text| pattern.matches(text)))
}

/// Receives the candidates of a test, until it returns `true`.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(Fact<'_>) -> bool;

impl Test {
    /// The patterns that names are compared with, if the test is about entities in roles and true only if an entity's
    /// name, or key as written, matches one of them.
    pub fn name_patterns(&self) -> Option<Vec<&TextPattern>> {
        let Test::Compare(QueryProperty::Name(name), Comparison::In | Comparison::Eq | Comparison::Like, values) = self
        else {
            return None;
        };
        if name.needs() == Needs::ROLES { values.iter().map(TestValue::pattern).collect() } else { None }
    }

    fn needs(&self) -> Needs {
        match self {
            Test::Word(_) => Needs::TEXT | Needs::KIND,
            Test::Regex(_) => Needs::TEXT,
            Test::Compare(QueryProperty::Name(name), ..) => name.needs(),
            Test::Compare(QueryProperty::Field(_), ..) => Needs::FIELDS,
        }
    }

    /// Whether a name or value is one that the test looks for; for "not equal", one that must be absent.
    pub fn is_about(&self, fact: Fact<'_>) -> bool {
        let Test::Compare(_, op, values) = self else { return false };
        let op = if *op == Comparison::Ne { Comparison::Eq } else { *op };
        values.iter().any(|value| compare(op, value, fact))
    }

    /// Its result: `any` = there was a candidate, `found` = one that it looks for.
    pub fn outcome(&self, any: bool, found: bool) -> bool {
        // "Not equal" requires at least one candidate, and none of them equal.
        let is_negated = matches!(self, Test::Compare(_, Comparison::Ne, _));
        if is_negated { any && !found } else { found }
    }

    /// Its result, if `ask` passes on each candidate until one is found.
    pub(crate) fn of_each(&self, ask: impl FnOnce(Ask<'_>) -> bool) -> bool {
        let mut any = false;
        let found = ask(&mut |fact| {
            any = true;
            self.is_about(fact)
        });
        self.outcome(any, found)
    }

    fn passes<S: QuerySubject + ?Sized>(&self, row: &S) -> bool {
        match self {
            Test::Word(pattern) => word(pattern, row, Needs::ALL) == Some(true),
            Test::Regex(pattern) => row.text(&mut |text| pattern.matches(text)),
            Test::Compare(QueryProperty::Field(field), ..) => self.of_each(|ask| row.field(field, ask)),
            Test::Compare(QueryProperty::Name(name), ..) => named(row, self, *name),
        }
    }
}

fn named<S: QuerySubject + ?Sized>(row: &S, test: &Test, name: Name) -> bool {
    match name {
        Name::Text => test.of_each(|ask| row.text(&mut |text| ask(Fact::text(text)))),
        name if name.is_number() || name == Name::Sev => {
            let fact = row.number(name);
            test.of_each(|ask| (fact.num.is_some() || fact.ns.is_some()) && ask(fact))
        }
        name if name.is_role() => row.role(name, test),
        name => test.of_each(|ask| row.names(name, ask)),
    }
}

fn compare(op: Comparison, value: &TestValue, fact: Fact<'_>) -> bool {
    match value {
        TestValue::Text(pattern) => pattern.matches(fact.text),
        TestValue::Number(number) => {
            let order = number.order(&fact);
            order.is_some_and(|order| admits(op, order)) || (!op.orders() && number.to_string() == fact.text)
        }
        TestValue::Range(from, to) => {
            let side = |number: &Option<NumberLiteral>, op| match number {
                Some(number) => number.order(&fact).is_some_and(|order| admits(op, order)),
                None => fact.num.is_some() || fact.ns.is_some(),
            };
            side(from, Comparison::Ge) && side(to, Comparison::Le)
        }
    }
}

fn admits(op: Comparison, order: Ordering) -> bool {
    match op {
        Comparison::In | Comparison::Eq | Comparison::Like => order.is_eq(),
        Comparison::Ne => order.is_ne(),
        Comparison::Lt => order.is_lt(),
        Comparison::Le => order.is_le(),
        Comparison::Gt => order.is_gt(),
        Comparison::Ge => order.is_ge(),
    }
}

/// A general property of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// Kind of the record, by name or number.
    Kind,
    /// Group of the kind, also called class.
    Group,
    /// Any entity of the row.
    Obj,
    /// The acting entity.
    From,
    /// The entity acted on.
    To,
    Sig,
    /// State entered, left or current.
    State,
    Core,
    Task,
    Sev,
    Text,
    /// Target time.
    Time,
    /// Time since the previous row with a time stamp.
    Dt,
    /// Host time since the source was opened.
    Host,
    N,
    /// Offset of the first byte.
    Pos,
    Epoch,
    /// Name of a bookmark on the row.
    Mark,
}

/// A name with its spellings, of which the first is printed, the properties that decide a test of it, and the sort of
/// thing that it names, if it does.
type NameFacts = (Name, &'static [&'static str], Needs, Option<&'static str>);

/// In the order of their numbers.
const NAMES: [NameFacts; 18] = [
    (Name::Kind, &["kind"], Needs::KIND, Some("kind")),
    (Name::Group, &["group", "class"], Needs::GROUP, Some("group")),
    (Name::Obj, &["obj"], Needs::ROLES, Some("object")),
    (Name::From, &["from"], Needs::ROLES, Some("object")),
    (Name::To, &["to"], Needs::ROLES, Some("object")),
    (Name::Sig, &["sig"], Needs::ROLES, Some("signal")),
    (Name::State, &["state"], Needs::ROLES, Some("state")),
    (Name::Core, &["core", "cpu"], Needs::CORE, None),
    (Name::Task, &["task"], Needs::ROLES, Some("task")),
    (Name::Sev, &["sev"], Needs::SEVERITY, None),
    (Name::Text, &["text"], Needs::TEXT, None),
    (Name::Time, &["time"], Needs::TIME, None),
    (Name::Dt, &["dt"], Needs::DELTA, None),
    (Name::Host, &["host"], Needs::HOST, None),
    (Name::N, &["n"], Needs::NUMBER, None),
    (Name::Pos, &["pos"], Needs::POSITION, None),
    (Name::Epoch, &["epoch"], Needs::EPOCH, None),
    (Name::Mark, &["mark"], Needs::MARK, None),
];

impl Name {
    pub fn named(word: &str) -> Option<Name> {
        NAMES.iter().find(|(_, spellings, ..)| spellings.contains(&word)).map(|(name, ..)| *name)
    }

    pub fn spellings() -> impl Iterator<Item = &'static str> {
        NAMES.iter().flat_map(|(_, spellings, ..)| *spellings).copied()
    }

    pub fn word(self) -> &'static str {
        NAMES[self as usize].1[0]
    }

    /// Whether it is only compared as a number.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Name::Core | Name::Time | Name::Dt | Name::Host | Name::N | Name::Pos | Name::Epoch)
    }

    pub fn is_role(self) -> bool {
        self.needs() == Needs::ROLES
    }

    /// Whether it accepts time units.
    pub(super) fn is_time(self) -> bool {
        matches!(self, Name::Time | Name::Dt | Name::Host)
    }

    /// Whether it has neither order nor number.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Name::Group | Name::Text | Name::Mark)
    }

    /// The sort of thing that it names, if it is a name, so that case does not matter.
    pub(super) fn thing(self) -> Option<&'static str> {
        NAMES[self as usize].3
    }

    /// The properties that decide a test of it.
    pub(super) fn needs(self) -> Needs {
        NAMES[self as usize].2
    }
}

bitflags::bitflags! {
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Needs: u16 {
        const KIND = 1;
        const GROUP = 1 << 1;
        const CORE = 1 << 2;
        const SEVERITY = 1 << 3;
        const TIME = 1 << 4;
        const NUMBER = 1 << 5;
        const POSITION = 1 << 6;
        const EPOCH = 1 << 7;
        /// The previous row with a time stamp.
        const DELTA = 1 << 8;
        const HOST = 1 << 9;
        const MARK = 1 << 10;
        /// Entities by role, with names from the dictionary.
        const ROLES = 1 << 11;
        const FIELDS = 1 << 12;
        const TEXT = 1 << 13;
        const ALL = (1 << 14) - 1;
        /// Known, not needed: no searched word is a name of the row's kind, so none is compared again. See
        /// [`Expr::is_decided_by_words`].
        const KIND_IS_NO_WORD = 1 << 14;

        /// Shared by all rows of one shape.
        const SHAPE = Self::KIND.bits() | Self::GROUP.bits() | Self::CORE.bits() | Self::SEVERITY.bits();
        /// Known before rendering, but not shared by the rows of one shape.
        const OF_ROW = Self::TIME.bits() | Self::NUMBER.bits() | Self::POSITION.bits() | Self::EPOCH.bits()
            | Self::DELTA.bits() | Self::HOST.bits() | Self::MARK.bits();
        /// Known before rendering, except the kind: a record may have a kind word of its own.
        const UNRENDERED = Self::GROUP.bits() | Self::CORE.bits() | Self::SEVERITY.bits() | Self::OF_ROW.bits();
        /// Available from the store's columns.
        const COLUMNS = Self::SHAPE.bits() | Self::TIME.bits() | Self::NUMBER.bits() | Self::POSITION.bits()
            | Self::EPOCH.bits();
    }
}

/// Marks the following name as that of a field.
pub(super) const FIELD: &str = "field.";

/// Whether names with this character need no quotes.
pub(super) fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

/// The name of a field as written in a test.
pub fn field_name(field: &str) -> Cow<'_, str> {
    if field.is_empty() || !field.chars().all(is_plain) {
        return format!("\"{}\"", field.replace('\\', "\\\\").replace('"', "\\\"")).into();
    }
    // The prefix distinguishes fields from general names and from numbers.
    let is_word = field.starts_with(|c: char| c.is_alphabetic() || c == '_') && !field.starts_with(FIELD);
    if is_word && Name::named(field).is_none() { field.into() } else { format!("{FIELD}{field}").into() }
}

/// A name with its key, if any, or a number.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fact<'a> {
    /// The text shown; invalid bytes are already replaced. Empty for numbers.
    pub text: &'a str,
    /// A key, a kind, a field's value, a count, an offset or ticks.
    pub num: Option<Num>,
    /// The value in nanoseconds, for times whose rate is known.
    pub ns: Option<i128>,
    /// Nanoseconds since 1970, for times whose date is known.
    pub unix: Option<i128>,
}

impl<'a> Fact<'a> {
    pub fn text(text: &'a str) -> Self {
        Fact { text, ..Fact::default() }
    }

    pub fn key(text: &'a str, key: u64) -> Self {
        Fact { text, num: Some(Num::Int(key.into())), ..Fact::default() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Num {
    /// A signed or unsigned integer of up to 64 bits.
    Int(i128),
    Float(f64),
    /// A decimal number: its digits, and how many of them are decimals.
    Decimal(i128, u32),
}

/// A row as the subject of an expression. Properties may be expensive, so each is queried only when needed.
///
/// Implementations call `test` with each candidate and return `true` as soon as one passes, otherwise `false`.
pub trait QuerySubject {
    /// Names of the row's kind, group, roles, signals, states, tasks or bookmarks: all names in use, short and full.
    fn names(&self, name: Name, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool;

    /// Whether a test of the entities in this role passes.
    fn role(&self, name: Name, test: &Test) -> bool {
        test.of_each(|ask| self.names(name, ask))
    }

    /// The final result of a test of properties that are not known yet, if it can be foreseen.
    fn foresee(&self, _test: &Test) -> Option<bool> {
        None
    }

    /// Any property that is a number; the delta is to the previous row with a time stamp, hidden rows included. A severity
    /// is its rank.
    fn number(&self, name: Name) -> Fact<'_>;

    fn field(&self, field: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool;

    /// Text of the row as in the list, without time.
    fn text(&self, test: &mut dyn FnMut(&str) -> bool) -> bool;
}
