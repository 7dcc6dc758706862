//! Evaluates an expression.
//!
//! The result is yes, no, or `None` for "undecided by these properties". Cheap properties are queried first, so that a
//! row is rendered only if necessary.

use std::cmp::Ordering;

use super::{Expr, Fact, Name, Needs, Num, Number, Op, Pattern, Quantity, Subject, Test, Value};

impl Expr {
    /// Whether the row matches. A test of a property that the row lacks is false, its negation true.
    pub fn matches<S: Subject + ?Sized>(&self, row: &S) -> bool {
        if !self.needs().rendering() {
            return self.decide(row, Needs::ALL).unwrap_or(false);
        }
        let cheap = self.decide(row, Needs::COLUMNS);
        cheap.or_else(|| self.decide(row, Needs::ALL.and(Needs::KIND_IS_NO_WORD))).unwrap_or(false)
    }

    /// The result from the properties in `known` alone; `None` if they do not decide it.
    pub fn decide<S: Subject + ?Sized>(&self, row: &S, known: Needs) -> Option<bool> {
        match self {
            Expr::Test(Test::Word(pattern)) => word(pattern, row, known),
            Expr::Test(test) => known.contains(test.needs()).then(|| test.passes(row)),
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
    let decides = known.contains(Needs::TEXT.and(Needs::KIND));
    decides.then(|| row.text(&mut |text| pattern.matches(text)))
}

impl Test {
    fn passes<S: Subject + ?Sized>(&self, row: &S) -> bool {
        match self {
            Test::Word(pattern) => word(pattern, row, Needs::ALL) == Some(true),
            Test::Regex(pattern) => row.text(&mut |text| pattern.matches(text)),
            Test::Field { field, op, values } => each(*op, values, &mut |test| row.field(field, test)),
            Test::Name { name, op, values } => named(row, *name, *op, values),
        }
    }
}

fn named<S: Subject + ?Sized>(row: &S, name: Name, op: Op, values: &[Value]) -> bool {
    match name {
        Name::Sev => {
            let fact = Fact::key("", row.severity().0.into());
            each(op, values, &mut |test| test(fact))
        }
        Name::Text => each(op, values, &mut |test| row.text(&mut |text| test(Fact::text(text)))),
        name if name.is_number() => {
            let Quantity { plain, ns, unix } = row.number(name);
            let fact = Fact { text: "", num: plain.map(Num::Int), ns, unix };
            each(op, values, &mut |test| (plain.is_some() || ns.is_some()) && test(fact))
        }
        name => each(op, values, &mut |test| row.names(name, test)),
    }
}

/// A test of one candidate.
type Ask<'a> = &'a mut dyn FnMut(Fact<'_>) -> bool;

/// Compares all candidates passed by `ask`.
fn each(op: Op, values: &[Value], ask: &mut dyn FnMut(Ask<'_>) -> bool) -> bool {
    if op != Op::Ne {
        return ask(&mut |fact| values.iter().any(|value| compare(op, value, fact)));
    }
    // "Not equal" requires at least one candidate, and none of them equal.
    let mut any = false;
    let equal = ask(&mut |fact| {
        any = true;
        values.iter().any(|value| compare(Op::Eq, value, fact))
    });
    any && !equal
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
