//! A line to what it asks for.

use std::time::Duration;

use spytui_engine::{
    export::statistics::Wanted,
    query::{Expr, Number, parse as parse_expr},
};

use super::{
    problem::Problem,
    words::{ALL, ScriptWords, is_of_scripts},
};
use crate::input::{CommandError, FilterArg, Given, KnownNames, parse};

/// How long a row is expected if the line does not say.
const WITHIN: Duration = Duration::from_secs(5);

/// What a line asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Send a command to the target; `line` is without `target`, and begins behind so many characters if it is not that
    /// of an alias. `link` counts from 0.
    Target { link: usize, line: String, column: Option<usize> },
    /// Let time pass.
    Wait(Duration),
    /// Wait for a row.
    Expect { link: usize, expr: Expr, within: Duration },
    /// Print what an expert would spot.
    Findings,
    /// Print the rows that pass; `None` = as before.
    Filter(Option<Expr>),
    /// Print statistics of the rows that have come.
    Statistics { link: usize, wanted: Wanted },
    /// End.
    Quit,
}

/// Reads a line; `None` if it is blank or a comment.
///
/// # Errors
/// The first mistake.
pub(super) fn read(text: &str, words: &ScriptWords) -> Result<Option<Step>, Problem> {
    let is_before = |c: char| c == ':' || c.is_whitespace();
    let line = text.trim_start_matches(is_before);
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let before = text.chars().count() - line.chars().count();
    let found = step(line, words).map_err(|problem| problem.placed(|column| before + column))?;
    Ok(Some(match found {
        Step::Target { link, line, column } => {
            Step::Target { link, line, column: column.map(|column| before + column) }
        }
        found => found,
    }))
}

fn step(line: &str, words: &ScriptWords) -> Result<Step, Problem> {
    let first = line.split_whitespace().next().unwrap_or_default();
    if words.needs_screen(first) {
        return Err(needs_screen(first));
    }
    let given = parse(line, words).map_err(|error: CommandError| Problem::at(error.column, error.to_string()))?;
    if !is_of_scripts(given.command) {
        return Err(needs_screen(&given.command.name()));
    }
    let column = given.arguments(line).next().map(|(column, _)| column);
    let text = given.text(0).unwrap_or_default();
    let takes_link = matches!(given.command.words, ["target"] | ["expect"] | ["statistics"]);
    let (link, rest) = if takes_link { link(text, words.links) } else { Ok((0, text)) }
        .map_err(|problem| problem.placed(|own| column.map_or(0, |before| before + own)))?;
    let skipped = text.chars().count() - rest.chars().count();
    let column = column.map(|column| column + skipped);
    // Columns in the text of an alias mean nothing in the line.
    let inside = |problem: Problem| problem.placed(|own| column.map_or(0, |before| before + own));
    match given.command.words {
        // On the screen that shows a pane.
        ["target"] if rest.is_empty() => {
            Err(Problem::at(line.chars().count(), "COMMAND … is missing: target COMMAND …".to_owned()))
        }
        ["target"] => Ok(Step::Target { link, line: rest.to_owned(), column }),
        ["wait"] => time(rest).map(Step::Wait).map_err(inside),
        ["expect"] => expect(link, rest, words).map_err(inside),
        ["findings"] => Ok(Step::Findings),
        ["filter"] => filter(&given, words),
        ["statistics"] => statistics(link, rest).map_err(inside),
        _ => Ok(Step::Quit),
    }
}

fn needs_screen(command: &str) -> Problem {
    Problem::at(0, format!("{command} needs the screen; without one there are {ALL}"))
}

fn filter(given: &Given, words: &ScriptWords) -> Result<Step, Problem> {
    Ok(Step::Filter(match given.filter(0, words) {
        FilterArg::Clear => Some(Expr::everything()),
        FilterArg::Previous => None,
        FilterArg::Expr(expr) => Some(expr),
        FilterArg::Saved(name) => {
            let expr = expression(words.saved_filter(&name), words);
            Some(expr.map_err(|problem| Problem::at(0, format!("@{name}: {problem}")))?)
        }
    }))
}

fn expression(text: &str, words: &ScriptWords) -> Result<Expr, Problem> {
    parse_expr(text, &words.vocabulary()).map_err(|error| Problem::at(error.column, error.to_string()))
}

/// The link of `#2 REST`, from 0, and the rest; without a number it is the first one.
fn link(text: &str, links: usize) -> Result<(usize, &str), Problem> {
    let Some(rest) = text.strip_prefix('#') else { return Ok((0, text)) };
    let (number, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match number.parse::<usize>() {
        Ok(number) if (1..=links).contains(&number) => Ok((number - 1, rest.trim_start())),
        _ if links == 1 => Err(Problem::at(0, format!("\"#{number}\": there is one link, #1"))),
        _ => Err(Problem::at(0, format!("\"#{number}\": there are the links #1 to #{links}"))),
    }
}

/// `[MEASURES] [by COLUMNS] [sort COLUMN]`.
fn statistics(link: usize, text: &str) -> Result<Step, Problem> {
    let wanted = Wanted::parse(text).map_err(|(column, error)| Problem::at(column, error))?;
    Ok(Step::Statistics { link, wanted })
}

/// `EXPR [within TIME]`.
fn expect(link: usize, text: &str, words: &ScriptWords) -> Result<Step, Problem> {
    let plain = || Ok(Step::Expect { link, expr: expression(text, words)?, within: WITHIN });
    let Some((head, last)) = text.rsplit_once(char::is_whitespace) else { return plain() };
    let head = head.trim_end();
    let (expr, word) = head.rsplit_once(char::is_whitespace).unwrap_or(("", head));
    if word != "within" {
        return plain();
    }
    if expr.trim().is_empty() {
        return Err(Problem::at(0, "an expression is missing: expect EXPR [within TIME]"));
    }
    let column = text.chars().count() - last.chars().count();
    let within = time(last).map_err(|problem| Problem::at(column, problem.message))?;
    Ok(Step::Expect { link, expr: expression(expr, words)?, within })
}

/// `2s`, `500ms`.
fn time(text: &str) -> Result<Duration, Problem> {
    let ns = Number::read(text).and_then(|number| number.nanoseconds()).and_then(|ns| u64::try_from(ns).ok());
    let ns = ns.ok_or_else(|| Problem::at(0, format!("not a time: {text}; use 2s or 500ms")))?;
    Ok(Duration::from_nanos(ns))
}

#[cfg(test)]
mod tests {
    use spytui_engine::query::Vocabulary;

    use super::*;
    use crate::{
        cli::settings::Settings,
        config::{Config, Folders, Trust},
        input::Keymap,
        pane,
    };

    fn words() -> ScriptWords {
        let mut config = Config::built_in();
        let text = "[filters]\ncalm = \"-kind:Tick\"\n[alias]\nquiet = \"target filter -SM\"\n";
        config.overlay("test.toml", text, Trust::Own).expect("configuration");
        let settings = Settings { config, keymap: Keymap::built_in(&pane::keys()), folders: Folders::default() };
        ScriptWords::new(Vocabulary::with_fields(["free"]), &settings, 2)
    }

    fn step_of(line: &str) -> Step {
        read(line, &words()).expect(line).expect(line)
    }

    fn target(line: &str, column: usize) -> Step {
        Step::Target { link: 0, line: line.to_owned(), column: Some(column) }
    }

    fn wrong(line: &str) -> String {
        let problem = read(line, &words()).expect_err(line);
        format!("{}: {problem}", problem.column.expect(line))
    }

    #[test]
    fn blank_lines_and_comments_ask_for_nothing() {
        for line in ["", "   ", "# target reset!", "  # x", ":", " : # y"] {
            assert_eq!(read(line, &words()), Ok(None), "{line}");
        }
    }

    #[test]
    fn a_number_names_the_link() {
        let second = Step::Target { link: 1, line: "filter -SM".to_owned(), column: Some(10) };
        assert_eq!(step_of("target #2 filter -SM"), second);
        assert!(matches!(step_of("expect #2 kind:Tran"), Step::Expect { link: 1, .. }));
        assert!(matches!(step_of("expect kind:Tran"), Step::Expect { link: 0, .. }));
        assert_eq!(wrong("target #3 info"), "7: \"#3\": there are the links #1 to #2");
        assert_eq!(wrong("target #x info"), "7: \"#x\": there are the links #1 to #2");
    }

    #[test]
    fn lines_are_those_of_the_app() {
        assert_eq!(step_of("target filter -SM"), target("filter -SM", 7));
        assert_eq!(step_of(" :target  reset! "), target("reset!", 10));
        assert_eq!(step_of("t info"), target("info", 2));
        assert_eq!(step_of("quiet"), Step::Target { link: 0, line: "filter -SM".into(), column: None });
        assert_eq!((step_of("q"), step_of(":quit")), (Step::Quit, Step::Quit));
        let filter = |line| match step_of(line) {
            Step::Filter(expr) => expr.map(|expr| expr.to_string()),
            other => panic!("{other:?}"),
        };
        assert_eq!(filter("filter kind:Tran"), Some("kind:Tran".into()));
        assert_eq!(filter("f @calm"), Some("-kind:Tick".into()));
        assert_eq!((filter("filter"), filter("filter -")), (Some(Expr::everything().to_string()), None));
    }

    #[test]
    fn a_row_is_expected_for_some_time() {
        let of = |line| match step_of(line) {
            Step::Expect { expr, within, .. } => (expr.to_string(), within.as_millis()),
            other => panic!("{other:?}"),
        };
        assert_eq!(of("expect kind:Tran"), ("kind:Tran".into(), 5000));
        assert_eq!(of("expect kind:Tran to:motor  within  1.5s"), ("kind:Tran to:motor".into(), 1500));
        assert_eq!(of("expect \"within 2s\"").1, 5000);
        assert_eq!(step_of("wait 200ms"), Step::Wait(Duration::from_millis(200)));
    }

    #[test]
    fn mistakes_have_their_column() {
        assert_eq!(wrong(":targt info"), "1: unknown command \"targt\"; did you mean \"target\"?");
        assert_eq!(wrong("target"), "6: COMMAND … is missing: target COMMAND …");
        assert_eq!(wrong("wait 2"), "5: not a time: 2; use 2s or 500ms");
        assert_eq!(wrong("expect kind:Tran within soon"), "24: not a time: soon; use 2s or 500ms");
        assert_eq!(wrong("expect within 2s"), "7: an expression is missing: expect EXPR [within TIME]");
        assert_eq!(wrong("  expect fre<2"), "9: unknown field \"fre\"; as plain text write \"fre<2\"; nearest: free");
        assert_eq!(wrong("q now"), "2: \"now\" is too much: q takes no argument");
    }

    #[test]
    fn what_needs_a_screen_is_refused_by_name() {
        for (line, name) in [
            ("goto first", "goto"),
            ("set", "set"),
            ("filter why", "filter why"),
            (":open x.bin", "open"),
            ("w x.txt", "w"),
            ("dict load", "dict"),
        ] {
            let text = wrong(line);
            let expected = format!("{name} needs the screen; without one there are {ALL}");
            assert!(text.ends_with(&expected), "{text}");
        }
    }
}
