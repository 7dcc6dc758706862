//! The lines of a script, from a file or from stdin as they arrive: parses each line, or reports its error.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use spytui_engine::{
    export::statistics::StatisticsRequest,
    query::{Expr, NumberLiteral, Vocabulary, parse as parse_expr},
    unreadable,
};

use crate::{
    cli::failure::{Failure, safe},
    commands::COMMANDS,
    config::Config,
    input::{
        ActionCatalog, Arg, ArgKind, ArgumentNames, Choice, CommandLineError, CommandSpec, FilterArg, Given,
        KnownNames, parse,
    },
    pane,
    term::width,
};

/// Maximum number of stdin lines read ahead.
const AHEAD: usize = 64;
/// Maximum length of a line without its end, bytes.
const LONGEST: usize = 64 << 10;
/// Some editors begin a text with it.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScriptLine {
    /// Line number, from 1.
    pub(super) number: usize,
    /// Its text, or why it can't be read; nothing after such a line is run.
    pub(super) text: Result<String, String>,
}

#[derive(Debug)]
pub(super) struct Script {
    pub(super) name: String,
    /// All lines of a file.
    known: VecDeque<(usize, String)>,
    stdin: Option<Receiver<ScriptLine>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextLine {
    Line(ScriptLine),
    NotYet,
    End,
}

impl Script {
    /// Opens a file, or stdin (`-`).
    pub(super) fn open(path: &Path) -> Result<Script, Failure> {
        if path.as_os_str() == "-" {
            let stdin = of_stdin().map_err(|e| Failure::usage(format!("--exec -: {e}")))?;
            return Ok(Script { name: "stdin".to_owned(), known: VecDeque::new(), stdin: Some(stdin) });
        }
        let file = File::open(path);
        let file = file.map_err(|error| Failure::usage(format!("--exec {}", unreadable(path, &error))))?;
        Script::of(path.display().to_string(), BufReader::new(file))
    }

    /// Reads the lines of the file `name`.
    pub(super) fn of(name: String, file: impl BufRead) -> Result<Script, Failure> {
        let read = |ScriptLine { number, text }: ScriptLine| match text {
            Ok(text) => Ok((number, text)),
            Err(why) => Err(Failure::usage(format!("--exec {name}:{number}: {why}"))),
        };
        let known = Lines::new(file).map(read).collect::<Result<_, Failure>>()?;
        Ok(Script { name, known, stdin: None })
    }

    /// Checks the known lines for errors. `reads_only` = why nothing can be sent.
    pub(super) fn check(&self, words: &ScriptWords, reads_only: Option<&str>) -> Result<(), String> {
        for (number, text) in &self.known {
            let step = read(text, words).and_then(|step| match (step, reads_only) {
                (Some(ScriptStep::Target { .. }), Some(why)) => Err(ScriptProblem::of_run(why)),
                _ => Ok(()),
            });
            step.map_err(|problem| problem.in_line(&format!("{}:{number}", self.name), text))?;
        }
        Ok(())
    }

    /// The next line; waits for it up to `patience`.
    pub(super) fn next(&mut self, patience: Duration) -> NextLine {
        if let Some((number, text)) = self.known.pop_front() {
            return NextLine::Line(ScriptLine { number, text: Ok(text) });
        }
        match self.stdin.as_ref().map(|lines| lines.recv_timeout(patience)) {
            Some(Ok(line)) => NextLine::Line(line),
            Some(Err(RecvTimeoutError::Timeout)) => NextLine::NotYet,
            Some(Err(RecvTimeoutError::Disconnected)) | None => NextLine::End,
        }
    }
}

/// Reads on a thread, because a read can't be interrupted.
fn of_stdin() -> io::Result<Receiver<ScriptLine>> {
    let (send, lines) = bounded(AHEAD);
    std::thread::Builder::new().name("script".to_owned()).spawn(move || {
        for line in Lines::new(io::stdin().lock()) {
            if send.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}

/// The lines of a reader; an unreadable line is the last one.
struct Lines<R> {
    reader: Option<R>,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: R) -> Lines<R> {
        Lines { reader: Some(reader), number: 0 }
    }

    /// The text of the next line; `None` at the end.
    fn read(&mut self) -> Result<Option<String>, String> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let mut bytes = Vec::new();
        // The line, a two-byte line end, and one byte to detect excess.
        let most = LONGEST as u64 + 3;
        reader.take(most).read_until(b'\n', &mut bytes).map_err(|error| error.to_string())?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > LONGEST {
            return Err(format!("the line is longer than {} kB", LONGEST >> 10));
        }
        let text =
            std::str::from_utf8(line).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to() + 1))?;
        let text = if self.number == 1 { text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text) } else { text };
        Ok(Some(text.to_owned()))
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = ScriptLine;

    fn next(&mut self) -> Option<ScriptLine> {
        self.number += 1;
        let text = self.read().transpose();
        if !matches!(text, Some(Ok(_))) {
            self.reader = None;
        }
        text.map(|text| ScriptLine { number: self.number, text })
    }
}

/// How long a row is expected if the line does not say.
const WITHIN: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ScriptStep {
    /// Send a command to the target; `line` is without `target`, and `column` is where it begins, unless it comes from
    /// an alias. `link` counts from 0.
    Target {
        link: usize,
        line: String,
        column: Option<usize>,
    },
    Wait(Duration),
    Expect {
        link: usize,
        expr: Expr,
        within: Duration,
    },
    Findings,
    /// Print the rows that pass; `None` = the filter from before.
    Filter(Option<Expr>),
    /// Print statistics of the rows received.
    Statistics {
        link: usize,
        wanted: StatisticsRequest,
    },
    Quit,
}

/// Parses a line; `None` if it is blank or a comment.
pub(super) fn read(text: &str, words: &ScriptWords) -> Result<Option<ScriptStep>, ScriptProblem> {
    let is_before = |c: char| c == ':' || c.is_whitespace();
    let line = text.trim_start_matches(is_before);
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let before = text.chars().count() - line.chars().count();
    let found = step(line, words).map_err(|problem| problem.placed(|column| before + column))?;
    Ok(Some(match found {
        ScriptStep::Target { link, line, column } => {
            ScriptStep::Target { link, line, column: column.map(|column| before + column) }
        }
        found => found,
    }))
}

fn step(line: &str, words: &ScriptWords) -> Result<ScriptStep, ScriptProblem> {
    let first = line.split_whitespace().next().unwrap_or_default();
    if words.needs_screen(first) {
        return Err(needs_screen(first));
    }
    let given =
        parse(line, words).map_err(|error: CommandLineError| ScriptProblem::at(error.column, error.to_string()))?;
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
    // Columns inside the expansion of an alias don't exist in the typed line.
    let inside = |problem: ScriptProblem| problem.placed(|own| column.map_or(0, |before| before + own));
    match given.command.words {
        // On the screen this shows a pane.
        ["target"] if rest.is_empty() => {
            Err(ScriptProblem::at(line.chars().count(), "COMMAND … is missing: target COMMAND …".to_owned()))
        }
        ["target"] => Ok(ScriptStep::Target { link, line: rest.to_owned(), column }),
        ["wait"] => time(rest).map(ScriptStep::Wait).map_err(inside),
        ["expect"] => expect(link, rest, words).map_err(inside),
        ["findings"] => Ok(ScriptStep::Findings),
        ["filter"] => filter(&given, words),
        // `[MEASURES] [by COLUMNS] [sort COLUMN]`
        ["statistics"] => match StatisticsRequest::parse(rest) {
            Ok(wanted) => Ok(ScriptStep::Statistics { link, wanted }),
            Err((column, error)) => Err(inside(ScriptProblem::at(column, error))),
        },
        _ => Ok(ScriptStep::Quit),
    }
}

fn needs_screen(command: &str) -> ScriptProblem {
    ScriptProblem::at(0, format!("{command} needs the screen; without one there are {ALL}"))
}

fn filter(given: &Given, words: &ScriptWords) -> Result<ScriptStep, ScriptProblem> {
    Ok(ScriptStep::Filter(match given.filter(0, words) {
        FilterArg::Clear => Some(Expr::everything()),
        FilterArg::Previous => None,
        FilterArg::Expr(expr) => Some(expr),
        FilterArg::Saved(name) => {
            let expr = expression(words.config.text(&format!("filters.{name}")), words);
            Some(expr.map_err(|problem| ScriptProblem::at(0, format!("@{name}: {problem}")))?)
        }
    }))
}

fn expression(text: &str, words: &ScriptWords) -> Result<Expr, ScriptProblem> {
    parse_expr(text, &words.vocabulary()).map_err(|error| ScriptProblem::at(error.column, error.to_string()))
}

/// The link in `#2 REST`, from 0, and the rest; without a number, the first link.
fn link(text: &str, links: usize) -> Result<(usize, &str), ScriptProblem> {
    let Some(rest) = text.strip_prefix('#') else { return Ok((0, text)) };
    let (number, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match number.parse::<usize>() {
        Ok(number) if (1..=links).contains(&number) => Ok((number - 1, rest.trim_start())),
        _ if links == 1 => Err(ScriptProblem::at(0, format!("\"#{number}\": there is one link, #1"))),
        _ => Err(ScriptProblem::at(0, format!("\"#{number}\": there are the links #1 to #{links}"))),
    }
}

/// `EXPR [within TIME]`.
fn expect(link: usize, text: &str, words: &ScriptWords) -> Result<ScriptStep, ScriptProblem> {
    let plain = || Ok(ScriptStep::Expect { link, expr: expression(text, words)?, within: WITHIN });
    let Some((head, last)) = text.rsplit_once(char::is_whitespace) else { return plain() };
    let head = head.trim_end();
    let (expr, word) = head.rsplit_once(char::is_whitespace).unwrap_or(("", head));
    if word != "within" {
        return plain();
    }
    if expr.trim().is_empty() {
        return Err(ScriptProblem::at(0, "an expression is missing: expect EXPR [within TIME]"));
    }
    let column = text.chars().count() - last.chars().count();
    let within = time(last).map_err(|problem| ScriptProblem::at(column, problem.message))?;
    Ok(ScriptStep::Expect { link, expr: expression(expr, words)?, within })
}

/// `2s`, `500ms`.
fn time(text: &str) -> Result<Duration, ScriptProblem> {
    let ns = NumberLiteral::read(text).and_then(|number| number.nanoseconds()).and_then(|ns| u64::try_from(ns).ok());
    let ns = ns.ok_or_else(|| ScriptProblem::at(0, format!("not a time: {text}; use 2s or 500ms")))?;
    Ok(Duration::from_nanos(ns))
}

pub(in crate::cli) const OWN: [&CommandSpec; 4] = [
    &CommandSpec { words: &["wait"], aliases: &[], args: &[Arg::must("TIME", ArgKind::Text)], doc: "let time pass" },
    &CommandSpec {
        words: &["expect"],
        aliases: &[],
        args: &[Arg::must("EXPR [within TIME]", ArgKind::Text)],
        doc: "wait for a row since the line before began",
    },
    &CommandSpec {
        words: &["statistics"],
        aliases: &[],
        args: &[Arg::may("[MEASURES] [by COLUMNS] [sort COLUMN]", ArgKind::Text)],
        doc: "print rates, times and levels so far",
    },
    &CommandSpec { words: &["findings"], aliases: &[], args: &[], doc: "print what an expert would spot so far" },
];

/// Commands of the app that make sense without a screen.
const OF_THE_APP: [&[&str]; 3] = [&["target"], &["filter"], &["q"]];

pub(super) const ALL: &str = "target, wait, expect, findings, statistics, filter and q";

/// The names that lines are checked against.
pub(super) struct ScriptWords {
    commands: Vec<&'static CommandSpec>,
    actions: ActionCatalog,
    vocabulary: Vocabulary,
    config: Config,
    /// Number of links that lines may name.
    pub(super) links: usize,
}

impl ScriptWords {
    pub(super) fn new(vocabulary: Vocabulary, config: &Config, links: usize) -> ScriptWords {
        let of_app = COMMANDS.iter().map(|command| &command.spec);
        let commands = OWN.into_iter().chain(of_app).collect();
        let actions = ActionCatalog::new(&pane::keys());
        ScriptWords { commands, actions, vocabulary, config: config.clone(), links }
    }

    /// Whether all commands that begin with this word need a screen.
    fn needs_screen(&self, word: &str) -> bool {
        let is_called = |spec: &&&CommandSpec| spec.words.first() == Some(&word) || spec.aliases.contains(&word);
        let mut called = self.commands.iter().filter(is_called).peekable();
        called.peek().is_some() && called.all(|spec| !is_of_scripts(spec))
    }
}

fn is_of_scripts(spec: &CommandSpec) -> bool {
    OWN.iter().any(|own| own.words == spec.words) || OF_THE_APP.contains(&spec.words)
}

impl KnownNames for ScriptWords {
    fn commands(&self) -> &[&'static CommandSpec] {
        &self.commands
    }

    fn actions(&self) -> &ActionCatalog {
        &self.actions
    }

    fn names(&self, names: ArgumentNames<'_>) -> Vec<Choice> {
        match names {
            ArgumentNames::SavedFilters => {
                self.config.below("filters").map(|(name, ..)| Choice::new(name, "")).collect()
            }
            _ => Vec::new(),
        }
    }

    fn vocabulary(&self) -> Vocabulary {
        self.vocabulary.clone()
    }

    fn alias(&self, name: &str) -> Option<String> {
        let text = self.config.text(&format!("alias.{name}"));
        (!text.is_empty()).then(|| text.to_owned())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct ScriptProblem {
    /// Column of the error; `None` if the line is valid but failed when run.
    pub(super) column: Option<usize>,
    pub(super) message: String,
}

impl ScriptProblem {
    pub(super) fn at(column: usize, message: impl Into<String>) -> ScriptProblem {
        ScriptProblem { column: Some(column), message: message.into() }
    }

    /// A valid line failed.
    pub(super) fn of_run(message: impl Into<String>) -> ScriptProblem {
        ScriptProblem { column: None, message: message.into() }
    }

    /// The error with its column mapped to another line.
    pub(super) fn placed(self, place: impl Fn(usize) -> usize) -> ScriptProblem {
        ScriptProblem { column: self.column.map(place), ..self }
    }

    /// The message with its place: `run.txt:3:8: no "SN" …`, and the line with the error marked below.
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

/// Characters of a line shown on each side of an error.
const SHOWN: usize = 160;

/// The part of a line around a column, as lines may have 64 kB, and the column in it.
fn part_around(line: &str, column: usize) -> (String, usize) {
    let (first, all) = (column.saturating_sub(SHOWN), line.chars().count());
    let part: String = line.chars().skip(first).take(column - first + SHOWN).collect();
    let (before, after) = (if first > 0 { "…" } else { "" }, if column + SHOWN < all { "…" } else { "" });
    (format!("{before}{part}{after}"), column - first + before.chars().count())
}

/// Why the script stopped before its last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stopped {
    Asked,
    Failed(ScriptProblem),
    NoLink(String),
}

impl Stopped {
    pub(super) fn map(self, problem: impl FnOnce(ScriptProblem) -> ScriptProblem) -> Stopped {
        match self {
            Stopped::Failed(own) => Stopped::Failed(problem(own)),
            other => other,
        }
    }

    /// Prefixes the problem with what was being done.
    pub(super) fn at(self, what: &str) -> Stopped {
        self.map(|problem| ScriptProblem::of_run(format!("{what}: {problem}")))
    }
}

impl From<ScriptProblem> for Stopped {
    fn from(problem: ScriptProblem) -> Stopped {
        Stopped::Failed(problem)
    }
}

#[cfg(test)]
mod tests {
    use spytui_engine::query::Vocabulary;

    use super::*;
    use crate::config::{Config, Trust};

    fn read_lines(bytes: &[u8]) -> Vec<Result<String, (usize, String)>> {
        Lines::new(bytes).map(|line| line.text.map_err(|why| (line.number, why))).collect()
    }

    #[test]
    fn a_line_that_can_not_be_read_ends_the_lines_with_its_number() {
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(
            read_lines("\u{FEFF}wait 1s\r\n\n \u{FEFF}q".as_bytes()),
            [text("wait 1s"), text(""), text(" \u{FEFF}q")]
        );
        assert_eq!(read_lines(b"a\nb\xFF\nc"), [text("a"), Err((2, "byte 2 is not UTF-8".to_owned()))]);
        let longest = "x".repeat(LONGEST);
        assert_eq!(read_lines(format!("{longest}\r\n{longest}").as_bytes()), [text(&longest), text(&longest)]);
        assert_eq!(
            read_lines(format!("{longest}x\n").as_bytes()),
            [Err((1, "the line is longer than 64 kB".to_owned()))]
        );
        // Nothing more is read from an endless line.
        let mut endless = Lines::new(BufReader::new(io::repeat(0)));
        assert!(endless.next().is_some_and(|line| line.text.is_err()) && endless.next().is_none());
    }

    fn words() -> ScriptWords {
        let mut config = Config::built_in();
        let text = "[filters]\ncalm = \"-kind:Tick\"\n[alias]\nquiet = \"target filter -SM\"\n";
        config.overlay("test.toml", text, Trust::Own).expect("configuration");
        ScriptWords::new(Vocabulary::with_fields(["free"]), &config, 2)
    }

    fn step_of(line: &str) -> ScriptStep {
        read(line, &words()).expect(line).expect(line)
    }

    fn target(line: &str, column: usize) -> ScriptStep {
        ScriptStep::Target { link: 0, line: line.to_owned(), column: Some(column) }
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
        let second = ScriptStep::Target { link: 1, line: "filter -SM".to_owned(), column: Some(10) };
        assert_eq!(step_of("target #2 filter -SM"), second);
        assert!(matches!(step_of("expect #2 kind:Tran"), ScriptStep::Expect { link: 1, .. }));
        assert!(matches!(step_of("expect kind:Tran"), ScriptStep::Expect { link: 0, .. }));
        assert_eq!(wrong("target #3 info"), "7: \"#3\": there are the links #1 to #2");
        assert_eq!(wrong("target #x info"), "7: \"#x\": there are the links #1 to #2");
    }

    #[test]
    fn lines_are_those_of_the_app() {
        assert_eq!(step_of("target filter -SM"), target("filter -SM", 7));
        assert_eq!(step_of(" :target  reset! "), target("reset!", 10));
        assert_eq!(step_of("t info"), target("info", 2));
        assert_eq!(step_of("quiet"), ScriptStep::Target { link: 0, line: "filter -SM".into(), column: None });
        assert_eq!((step_of("q"), step_of(":quit")), (ScriptStep::Quit, ScriptStep::Quit));
        let filter = |line| match step_of(line) {
            ScriptStep::Filter(expr) => expr.map(|expr| expr.to_string()),
            other => panic!("{other:?}"),
        };
        assert_eq!(filter("filter kind:Tran"), Some("kind:Tran".into()));
        assert_eq!(filter("f @calm"), Some("-kind:Tick".into()));
        assert_eq!((filter("filter"), filter("filter -")), (Some(Expr::everything().to_string()), None));
    }

    #[test]
    fn a_row_is_expected_for_some_time() {
        let of = |line| match step_of(line) {
            ScriptStep::Expect { expr, within, .. } => (expr.to_string(), within.as_millis()),
            other => panic!("{other:?}"),
        };
        assert_eq!(of("expect kind:Tran"), ("kind:Tran".into(), 5000));
        assert_eq!(of("expect kind:Tran to:motor  within  1.5s"), ("kind:Tran to:motor".into(), 1500));
        assert_eq!(of("expect \"within 2s\"").1, 5000);
        assert_eq!(step_of("wait 200ms"), ScriptStep::Wait(Duration::from_millis(200)));
    }

    #[test]
    fn mistakes_have_their_column() {
        assert_eq!(wrong(":targt info"), "1: unknown command \"targt\"; did you mean \"target\"?");
        assert_eq!(wrong("target"), "6: COMMAND … is missing: target COMMAND …");
        assert_eq!(wrong("wait 2"), "5: not a time: 2; use 2s or 500ms");
        assert_eq!(wrong("expect kind:Tran within soon"), "24: not a time: soon; use 2s or 500ms");
        assert_eq!(wrong("expect within 2s"), "7: an expression is missing: expect EXPR [within TIME]");
        assert_eq!(wrong("  expect fre<2"), "9: unknown field \"fre\"; as plain text write \"fre<2\"; nearest: free");
        assert_eq!(wrong("q now"), "2: \"now\" is unexpected: q takes no argument");
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

    #[test]
    fn a_mistake_is_marked_in_its_line() {
        let text = ScriptProblem::at(8, "no such word").in_line("run.txt:3", "target\tfoo");
        assert_eq!(text, "run.txt:3:9: no such word\n  target\tfoo\n        \t ^");
        // Aligned with the escaped text, which may be wider than the original.
        let text = ScriptProblem::at(8, "no such word").in_line("run.txt:3", "\x1b[m\t溫度 \u{9b}foo");
        assert_eq!(text, "run.txt:3:9: no such word\n  \\x1b[m\t溫度 \\u{9b}foo\n        \t           ^");
        let text = ScriptProblem::of_run("no answer").in_line("run.txt:3", " target info ");
        assert_eq!(text, "run.txt:3: target info: no answer");
    }

    #[test]
    fn of_a_long_line_the_part_with_the_mistake_is_shown() {
        let line = format!("target raw {}x{}", "1 ".repeat(5_000), "2 ".repeat(5_000));
        let shown = ScriptProblem::at(10_011, "no number").in_line("a.txt:1", &line);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "a.txt:1:10012: no number");
        assert!(lines[1].starts_with("  …1 1 ") && lines[1].ends_with('…') && width(lines[1]) < 330, "{shown}");
        assert_eq!(lines[1].find('x').map(|at| width(&lines[1][..at])), lines[2].find('^'));
        assert!(ScriptProblem::of_run("no answer").in_line("a.txt:1", &line).len() < 200);
        assert_eq!(ScriptProblem::of_run("no answer").in_line("a.txt:1", " q "), "a.txt:1: q: no answer");
    }
}
