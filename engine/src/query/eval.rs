//! Evaluates an expression.
//!
//! The result is yes, no, or `None` for "undecided by these properties". Cheap properties are queried first, so that a
//! row is rendered only if necessary.

use std::cmp::Ordering;

use super::{Expr, Fact, Name, Needs, Num, Number, Op, Pattern, Property, Quantity, Subject, Test, Value};

impl Expr {
    /// Whether the row matches. A test of a property that the row lacks is false, its negation true.
    pub fn matches<S: Subject + ?Sized>(&self, row: &S) -> bool {
        if !self.needs().intersects(Needs::RENDERING) {
            return self.decide(row, Needs::ALL).unwrap_or(false);
        }
        let cheap = self.decide(row, Needs::COLUMNS);
        let known = || if self.is_decided_by_words() { Needs::ALL | Needs::KIND_IS_NO_WORD } else { Needs::ALL };
        cheap.or_else(|| self.decide(row, known())).unwrap_or(false)
    }

    /// Whether each word decides it where the word is found: then none was found where it is undecided.
    pub fn is_decided_by_words(&self) -> bool {
        self.words_give(true) || self.words_give(false)
    }

    /// Whether this is the result wherever one of its words is found.
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

    /// The result from the properties in `known` alone; `None` if they do not decide it.
    pub fn decide<S: Subject + ?Sized>(&self, row: &S, known: Needs) -> Option<bool> {
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

/// `and` is decided by the first no, `or` by the first yes; otherwise any undecided part leaves it undecided.
fn join<S: Subject + ?Sized>(parts: &[Expr], row: &S, known: Needs, decisive: bool) -> Option<bool> {
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

/// A word is found in the text, or is a name of the kind: the list may show a kind by a shorter word. The kind alone may
/// decide.
fn word<S: Subject + ?Sized>(pattern: &Pattern, row: &S, known: Needs) -> Option<bool> {
    let asks_kind = known.contains(Needs::KIND) && !known.contains(Needs::KIND_IS_NO_WORD);
    if asks_kind && row.names(Name::Kind, &mut |kind| pattern.is_all_of(kind.text)) {
        return Some(true);
    }
    let decides = known.contains(Needs::TEXT | Needs::KIND);
    decides.then(|| row.text(&mut |text| pattern.matches(text)))
}

/// Takes the candidates of a test, until one is found.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(Fact<'_>) -> bool;

impl Test {
    /// Whether a name or value is one that the test is about; of "not equal", one that must not be there.
    pub fn is_about(&self, fact: Fact<'_>) -> bool {
        let Test::Compare(_, op, values) = self else { return false };
        let op = if *op == Op::Ne { Op::Eq } else { *op };
        values.iter().any(|value| compare(op, value, fact))
    }

    /// Its result: `any` = there was a candidate, `found` = it is about one.
    pub fn outcome(&self, any: bool, found: bool) -> bool {
        // "Not equal" requires at least one candidate, and none of them equal.
        let is_negated = matches!(self, Test::Compare(_, Op::Ne, _));
        if is_negated { any && !found } else { found }
    }

    /// Its result, if `ask` passes each candidate on until the test is about it.
    pub(crate) fn of_each(&self, ask: impl FnOnce(Ask<'_>) -> bool) -> bool {
        let mut any = false;
        let found = ask(&mut |fact| {
            any = true;
            self.is_about(fact)
        });
        self.outcome(any, found)
    }

    fn passes<S: Subject + ?Sized>(&self, row: &S) -> bool {
        match self {
            Test::Word(pattern) => word(pattern, row, Needs::ALL) == Some(true),
            Test::Regex(pattern) => row.text(&mut |text| pattern.matches(text)),
            Test::Compare(Property::Field(field), ..) => self.of_each(|ask| row.field(field, ask)),
            Test::Compare(Property::Name(name), ..) => named(row, self, *name),
        }
    }
}

fn named<S: Subject + ?Sized>(row: &S, test: &Test, name: Name) -> bool {
    match name {
        Name::Sev => test.of_each(|ask| ask(Fact::key("", row.severity().0.into()))),
        Name::Text => test.of_each(|ask| row.text(&mut |text| ask(Fact::text(text)))),
        name if name.is_number() => {
            let Quantity { plain, ns, unix } = row.number(name);
            let fact = Fact { text: "", num: plain.map(Num::Int), ns, unix };
            test.of_each(|ask| (plain.is_some() || ns.is_some()) && ask(fact))
        }
        name if name.is_role() => row.role(name, test),
        name => test.of_each(|ask| row.names(name, ask)),
    }
}

fn compare(op: Op, value: &Value, fact: Fact<'_>) -> bool {
    match value {
        Value::Text(pattern) => pattern.matches(fact.text),
        Value::Number(number) => {
            let order = number.order(&fact);
            order.is_some_and(|order| admits(op, order)) || (!op.orders() && number.to_string() == fact.text)
        }
        Value::Severity(rank) => {
            matches!(fact.num, Some(Num::Int(own)) if admits(op, own.cmp(&i128::from(*rank))))
        }
        Value::Range(from, to) => {
            let side = |number: &Option<Number>, op| match number {
                Some(number) => number.order(&fact).is_some_and(|order| admits(op, order)),
                None => fact.num.is_some() || fact.ns.is_some(),
            };
            side(from, Op::Ge) && side(to, Op::Le)
        }
    }
}

fn admits(op: Op, order: Ordering) -> bool {
    match op {
        Op::In | Op::Eq | Op::Like => order.is_eq(),
        Op::Ne => order.is_ne(),
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        Op::Ge => order.is_ge(),
    }
}
