//! A trigger as the user writes it: an expression, then what is done when a row matches.

use std::{collections::VecDeque, fmt, time::Duration};

use spytui_engine::{io::log::format::seconds_text, query::NumberLiteral};

/// What is done when a row matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriggerAction {
    /// Ring the bell of the terminal.
    Bell,
    /// Mark the row.
    Mark,
    /// Hold the list.
    Hold,
    /// Keep the bytes from some seconds before until this long after.
    Record(Duration),
    /// Run a shell command, which finds the row in its environment.
    Run(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerRule {
    /// In the filter language.
    pub expr: String,
    pub action: TriggerAction,
}

/// How long is recorded if nothing else is said.
const USUAL: Duration = Duration::from_secs(10);

impl TriggerRule {
    /// Parses `EXPR ACTION`. The action begins with the first word that is one and ends the line as one; in quotes, words
    /// belong to the expression. Errors: there is no action, or nothing before it.
    pub fn parse(text: &str) -> Result<TriggerRule, String> {
        let starts = words(text);
        let found = starts.iter().find_map(|&start| Some((start, action(text.get(start..)?)?)));
        let (start, action) = found.ok_or_else(|| {
            format!("{}: which action? EXPR, then bell, mark, hold, record 10s or run COMMAND", text.trim())
        })?;
        let expr = text.get(..start).unwrap_or_default().trim().to_owned();
        if expr.is_empty() {
            return Err(format!("{action}: for which rows? As in kind:Ignored {action}"));
        }
        let mut back = expr.split_whitespace().rev();
        if let (Some(last), Some(before)) = (back.next(), back.next())
            && self::action(last).is_some()
            && !matches!(before, "or" | "and" | "not")
        {
            return Err(format!(
                "{last} {action}: set a trigger for each action; in quotes, \"{last}\" is a text to look for"
            ));
        }
        Ok(TriggerRule { expr, action })
    }

    /// Whether it needs a screen.
    pub fn needs_screen(&self) -> bool {
        matches!(self.action, TriggerAction::Mark | TriggerAction::Hold)
    }
}

/// Starts of the words outside of quotes.
fn words(text: &str) -> Vec<usize> {
    let (mut starts, mut is_quoted, mut before) = (Vec::new(), false, ' ');
    for (at, c) in text.char_indices() {
        if !is_quoted && before.is_whitespace() && !c.is_whitespace() {
            starts.push(at);
        }
        is_quoted ^= c == '"';
        before = c;
    }
    starts
}

fn action(text: &str) -> Option<TriggerAction> {
    let (word, rest) = text.trim_end().split_once(char::is_whitespace).unwrap_or((text.trim_end(), ""));
    match (word, rest.trim()) {
        ("bell", "") => Some(TriggerAction::Bell),
        ("mark", "") => Some(TriggerAction::Mark),
        ("hold", "") => Some(TriggerAction::Hold),
        ("record", "") => Some(TriggerAction::Record(USUAL)),
        ("record", time) => seconds(time).map(TriggerAction::Record),
        ("run", command) if !command.is_empty() => Some(TriggerAction::Run(command.to_owned())),
        _ => None,
    }
}

/// `10s`, `500ms`, up to an hour.
fn seconds(text: &str) -> Option<Duration> {
    let ns = NumberLiteral::read(text)?.nanoseconds()?;
    let time = Duration::from_nanos(u64::try_from(ns).ok()?);
    (time <= Duration::from_secs(3600)).then_some(time)
}

impl fmt::Display for TriggerAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TriggerAction::Bell => f.write_str("bell"),
            TriggerAction::Mark => f.write_str("mark"),
            TriggerAction::Hold => f.write_str("hold"),
            TriggerAction::Record(time) => write!(f, "record {}", seconds_text(*time).replace(' ', "")),
            TriggerAction::Run(command) => write!(f, "run {command}"),
        }
    }
}

impl fmt::Display for TriggerRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.expr, self.action)
    }
}

/// What happened since the last look.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct TriggerNews {
    /// Rows that matched.
    pub hits: u64,
    /// Of these, how many came while the action of an earlier one was under way.
    pub skipped: u64,
    /// Positions of the latest rows.
    pub at: VecDeque<u64>,
    /// Messages, with whether something failed.
    pub said: Vec<(bool, String)>,
}

impl TriggerNews {
    pub fn is_empty(&self) -> bool {
        self.hits == 0 && self.said.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_ends_the_line() {
        let rule = |text: &str| TriggerRule::parse(text).map(|rule| (rule.expr, rule.action));
        let is = |expr: &str, action| Ok((expr.to_owned(), action));
        assert_eq!(rule("kind:Tran to:motor bell"), is("kind:Tran to:motor", TriggerAction::Bell));
        assert_eq!(
            rule("sev>=error record 500ms"),
            is("sev>=error", TriggerAction::Record(Duration::from_millis(500)))
        );
        assert_eq!(rule("sev>=error record"), is("sev>=error", TriggerAction::Record(USUAL)));
        assert_eq!(rule("mark or hold mark"), is("mark or hold", TriggerAction::Mark));
        assert_eq!(rule(r#"kind:Tran "bell" mark"#), is(r#"kind:Tran "bell""#, TriggerAction::Mark));
        assert_eq!(rule(r#""run x" run sh x.sh bell"#), is(r#""run x""#, TriggerAction::Run("sh x.sh bell".into())));
        for (text, part) in [
            ("kind:Tran", "which action?"),
            ("kind:Tran record 2weeks", "which action?"),
            ("kind:Tran run", "which action?"),
            ("bell", "for which rows?"),
            ("kind:Tran to:motor bell mark", "bell mark: set a trigger for each action"),
        ] {
            let error = rule(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
