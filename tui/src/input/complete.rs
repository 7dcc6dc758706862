//! Completions of a command line and of a display expression in it, the ghost text after the cursor, and the help.

use spytui_engine::query::{Name, SEVERITIES, field_name};

use super::{
    command::{
        self, ArgKind, ArgumentNames, Choice, CommandSpec, CommandWord, CommandWords, Completions, KnownNames, Need,
        PathLookup, notes, read_range,
    },
    parse::{family, find},
    table::{Keymap, PaneId},
};

const RATES: [&str; 8] = ["auto", "9600", "38400", "57600", "115200", "230400", "460800", "921600"];
const SCHEMES: [(&str, &str); 6] = [
    ("serial:", "a port, as serial:/dev/ttyUSB0?baud=921600"),
    ("tcp:", "a server"),
    ("unix:", "a socket, as QEMU's -serial unix:PATH,server=on"),
    ("listen:", "wait for a client"),
    ("udp:", "datagrams"),
    ("demo:", "a simulated boiler: qs, rkh, tband or qnx"),
];

/// The completions of `line` (without its `:`) with the cursor after `cursor` characters.
pub fn complete(line: &str, cursor: usize, known: &dyn KnownNames) -> Completions {
    let before: Vec<char> = line.chars().take(cursor).collect();
    let mut words = CommandWords::new(&before);
    let first = words.next();
    let Some(first) = first.filter(|word| word.end() < before.len()) else {
        let typed = CommandWords::new(&before).next();
        let from = typed.as_ref().map_or(before.len(), |word| word.column);
        let commands = [command_names(known), known.aliases()].concat();
        return Completions::of(from, &typed.map(|word| word.text).unwrap_or_default(), commands);
    };
    let Ok(name) = family(&first.text, known.commands()) else { return Completions::default() };
    let second = words.next();
    let typing_second = second.as_ref().is_none_or(|word| word.end() == before.len());
    let forms: Vec<&CommandSpec> =
        known.commands().iter().copied().filter(|c| c.first() == name && c.second().is_some()).collect();
    let mut offered = Completions { from: before.len(), ..Completions::default() };
    if typing_second && !forms.is_empty() {
        let typed = second.map(|word| (word.column, word.text)).unwrap_or((before.len(), String::new()));
        let choices = forms.iter().filter_map(|c| Some(Choice::new(c.second()?, c.doc))).collect();
        offered = Completions::of(typed.0, &typed.1, choices);
    }
    let mut words = CommandWords::new(&before);
    match find(&mut words, known.commands()) {
        Ok(command) if command.second().is_none() || !typing_second => {
            let args = argument(command, words, &before, known);
            if offered.items.is_empty() || args.from == offered.from {
                offered.from = args.from;
                offered.items.extend(args.items);
                offered.lookup = args.lookup;
            }
            offered
        }
        _ => offered,
    }
}

/// First words of the commands, without duplicates.
fn command_names(known: &dyn KnownNames) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    for command in known.commands() {
        if choices.last().is_none_or(|last| last.text != command.first()) {
            choices.push(Choice::new(command.first(), command.doc));
        }
    }
    choices
}

fn argument(
    command: &CommandSpec,
    mut words: CommandWords<'_>,
    before: &[char],
    known: &dyn KnownNames,
) -> Completions {
    let mut done: Vec<CommandWord> = Vec::new();
    for arg in command.args {
        if arg.kind.takes_rest() {
            let rest = words.rest();
            let from = rest.as_ref().map_or(before.len(), |word| word.column);
            let text: String = before[from.min(before.len())..].iter().collect();
            return rest_of_line(arg.kind, from, &text, known);
        }
        loop {
            let Some(word) = words.next().filter(|word| word.end() < before.len() || word.open) else {
                let last = CommandWords::new(before).last().filter(|word| word.end() == before.len());
                let nothing = CommandWord { column: before.len(), text: String::new(), length: 0, open: false };
                return one(arg.kind, &last.unwrap_or(nothing), &done, known);
            };
            if word.open || (arg.kind == ArgKind::Range && read_range(&word.text).is_none()) {
                words.back_to(&word);
                if word.open {
                    return one(arg.kind, &word, &done, known);
                }
                break;
            }
            done.push(word);
            if arg.need != Need::Many {
                break;
            }
        }
    }
    Completions::default()
}

fn rest_of_line(kind: ArgKind, from: usize, text: &str, known: &dyn KnownNames) -> Completions {
    if kind == ArgKind::Text {
        return Completions::default();
    }
    if kind == ArgKind::Target {
        let (inside, choices) = known.target_completions(text);
        let typed: String = text.chars().skip(inside).collect();
        return Completions::of(from + inside, &typed, choices);
    }
    if let Some(name) = text.strip_prefix('@').filter(|_| kind == ArgKind::Filter) {
        return Completions::of(from + 1, name, known.names(ArgumentNames::SavedFilters));
    }
    let mut inside = complete_expr(text, known);
    inside.from += from;
    if kind == ArgKind::Filter && text.is_empty() {
        let saved = known.names(ArgumentNames::SavedFilters).into_iter();
        inside.items.extend(saved.map(|choice| Choice::new(format!("@{}", choice.text), choice.help)));
    }
    inside
}

/// Completes an argument of type `kind`, after the words `done`.
fn one(kind: ArgKind, word: &CommandWord, done: &[CommandWord], known: &dyn KnownNames) -> Completions {
    let typed = word.text.as_str();
    let first = done.first().map(|word| word.text.as_str()).unwrap_or_default();
    let all = |choices: Vec<Choice>| Completions::of(word.column, typed, choices);
    let paths = |ports, mut choices: Vec<Choice>| {
        choices.extend(known.names(ArgumentNames::Paths(typed)));
        Completions { lookup: Some(PathLookup { path: typed.to_owned(), ports }), ..all(choices) }
    };
    match kind {
        ArgKind::Protocol => {
            let mut choices = known.names(ArgumentNames::Protocols);
            choices.push(Choice::new("auto", "find out from the bytes"));
            all(choices)
        }
        ArgKind::DecoderOption => assignment(word, known.names(ArgumentNames::Options(first)), |key| {
            known.names(ArgumentNames::OptionValues(first, key))
        }),
        ArgKind::Setting => match done {
            [name] if !name.text.contains('=') => all(known.names(ArgumentNames::Values(first))),
            _ => assignment(word, known.names(ArgumentNames::Settings), |key| known.names(ArgumentNames::Values(key))),
        },
        ArgKind::Link => {
            let schemes = SCHEMES.iter().map(|(scheme, help)| Choice::new(*scheme, *help));
            paths(true, known.names(ArgumentNames::Links).into_iter().chain(schemes).collect())
        }
        ArgKind::Baud => all(RATES.map(|rate| Choice::new(rate, "")).into()),
        ArgKind::Input | ArgKind::Output => paths(false, Vec::new()),
        ArgKind::Written => paths(false, vec![Choice::new("stop", "complete the files that go on")]),
        ArgKind::Recording => paths(false, vec![Choice::new("stop", "stop recording")]),
        ArgKind::FrontEnd => all(command::ON_OFF.map(|word| Choice::new(word, "")).into()),
        ArgKind::Where => all(places(known)),
        ArgKind::Compared => paths(false, places(known)),
        ArgKind::Space => all(known.names(ArgumentNames::Spaces)),
        ArgKind::Key => all(known.names(ArgumentNames::Keys(first))),
        ArgKind::Source => all(known.names(ArgumentNames::Sources)),
        ArgKind::Plugin => all(known.names(ArgumentNames::Plugins)),
        ArgKind::Topic => all(topics(known)),
        ArgKind::Range | ArgKind::Expr | ArgKind::Filter | ArgKind::Search | ArgKind::Trigger => {
            rest_of_line(ArgKind::Expr, word.column, typed, known)
        }
        ArgKind::NewName | ArgKind::Text | ArgKind::Target => Completions::default(),
    }
}

fn assignment(word: &CommandWord, keys: Vec<Choice>, values: impl Fn(&str) -> Vec<Choice>) -> Completions {
    match word.text.split_once('=') {
        Some((key, value)) => Completions::of(word.column + key.chars().count() + 1, value, values(key)),
        None => {
            let keys = keys.into_iter().map(|key| Choice::new(format!("{}=", key.text), key.help));
            Completions::of(word.column, &word.text, keys.collect())
        }
    }
}

fn places(known: &dyn KnownNames) -> Vec<Choice> {
    let words = command::WORDS.iter().map(|(word, _, help)| Choice::new(*word, *help));
    let marks = known.names(ArgumentNames::Marks).into_iter();
    words.chain(marks.map(|mark| Choice::new(format!("'{}", mark.text), mark.help))).collect()
}

fn topics(known: &dyn KnownNames) -> Vec<Choice> {
    let mut topics = command_names(known);
    topics.extend(known.actions().entries.iter().map(|entry| Choice::new(entry.name.as_str(), entry.doc)));
    topics.extend(known.names(ArgumentNames::Kinds));
    topics.extend(notes().map(|(note, reports)| Choice::new(note, reports)));
    topics
}

/// Names of the query language with their meanings.
const NAMES: [(&str, &str); 20] = [
    ("kind:", "kind of record"),
    ("group:", "group of kinds"),
    ("class:", "group of kinds"),
    ("obj:", "entity in any role"),
    ("from:", "who acts"),
    ("to:", "who is acted on"),
    ("sig:", "signal"),
    ("state:", "state"),
    ("core:", "core"),
    ("cpu:", "core"),
    ("task:", "task or thread"),
    ("sev:", "severity, as sev>=warning"),
    ("text:", "text of the row"),
    ("time:", "target time, as time:1ms..2ms; dates as 2026-03-11T09:14..09:15"),
    ("dt", "time since the row before, as dt>10ms"),
    ("host:", "time of arrival"),
    ("n:", "number of the row, as n:100..200"),
    ("pos:", "offset in bytes"),
    ("epoch:", "target epoch"),
    ("mark:", "name of a mark"),
];

/// Completes the last token of `text`.
pub(super) fn complete_expr(text: &str, known: &dyn KnownNames) -> Completions {
    let chars: Vec<char> = text.chars().collect();
    let mut from = token_start(&chars);
    while matches!(chars.get(from), Some('-' | '(')) {
        from += 1;
    }
    let token: String = chars[from..].iter().collect();
    let head = name_length(&token);
    let rest: String = token.chars().skip(head).collect();
    let operator = rest.chars().take_while(|c| matches!(c, ':' | '=' | '!' | '<' | '>' | '~')).count();
    if operator == 0 {
        return Completions::of(from, &token, names(known));
    }
    let name: String = token.chars().take(head).collect();
    let values: String = rest.chars().skip(operator).collect();
    let last = values.rfind(',').map_or(0, |comma| values[..=comma].chars().count());
    let typed: String = values.chars().skip(last).collect();
    Completions::of(from + head + operator + last, typed.trim_start_matches('"'), choices(&name, known))
}

/// Length of a token's leading name in characters; the name may be quoted.
fn name_length(token: &str) -> usize {
    let word = token.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).count();
    let mut rest = token.chars().skip(word);
    if !matches!(token.split_once('"'), Some(("" | "field.", _))) || rest.next() != Some('"') {
        return word;
    }
    rest.position(|c| c == '"').map_or(0, |quoted| word + quoted + 2)
}

/// Start of the last token, which may contain quoted blanks.
fn token_start(chars: &[char]) -> usize {
    let (mut start, mut quoted) = (0, false);
    for (at, c) in chars.iter().enumerate() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => start = at + 1,
            _ => {}
        }
    }
    start
}

fn names(known: &dyn KnownNames) -> Vec<Choice> {
    let fixed = NAMES.iter().map(|(name, help)| Choice::new(*name, *help));
    let field = |choice: Choice| Choice { text: field_name(&choice.text).into_owned(), ..choice };
    fixed.chain(known.names(ArgumentNames::Fields).into_iter().map(field)).collect()
}

fn choices(name: &str, known: &dyn KnownNames) -> Vec<Choice> {
    let found = match Name::named(name) {
        Some(Name::Kind) => known.names(ArgumentNames::Kinds),
        Some(Name::Group) => known.names(ArgumentNames::Groups),
        Some(Name::Obj | Name::From | Name::To) => known.names(ArgumentNames::Objects),
        Some(Name::Sig) => known.names(ArgumentNames::Signals),
        Some(Name::State) => known.names(ArgumentNames::States),
        Some(Name::Task) => known.names(ArgumentNames::Tasks),
        Some(Name::Time) => known.names(ArgumentNames::Dates),
        Some(Name::Mark) => known.names(ArgumentNames::Marks),
        Some(Name::Sev) => SEVERITIES.iter().map(|(word, _)| Choice::new(*word, "")).collect(),
        _ => Vec::new(),
    };
    let quoted = |choice: Choice| Choice { text: quoted(&choice.text), ..choice };
    found.into_iter().map(quoted).collect()
}

/// A name as written as a value.
pub fn quoted(name: &str) -> String {
    let balanced = name.chars().try_fold(0_u32, |depth, c| match c {
        '(' => Some(depth + 1),
        ')' => depth.checked_sub(1),
        _ => Some(depth),
    });
    let special = |c: char| c.is_whitespace() || matches!(c, ',' | '"' | '*' | '?');
    if balanced == Some(0) && !name.is_empty() && !name.contains(special) && !name.contains("..") {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ghost {
    /// Text that → accepts.
    pub take: String,
    /// The missing arguments, and what the command does.
    pub help: String,
}

/// The ghost of `line` with the cursor at its end. `before` = the newest history line that begins like it.
pub fn ghost(line: &str, before: Option<&str>, known: &dyn KnownNames) -> Ghost {
    let remembered = before.and_then(|before| before.strip_prefix(line)).filter(|_| !line.is_empty());
    let take = remembered.map(str::to_owned).unwrap_or_else(|| first(line, known));
    Ghost { take, help: wanted(line, known) }
}

/// The rest of the best completion, if it continues what was typed.
fn first(line: &str, known: &dyn KnownNames) -> String {
    let cursor = line.chars().count();
    let Completions { from, items, .. } = complete(line, cursor, known);
    let typed: String = line.chars().skip(from).collect();
    if typed.is_empty() {
        return String::new();
    }
    let rest = items.first().and_then(|choice| choice.text.strip_prefix(&typed));
    rest.unwrap_or_default().to_owned()
}

/// The remaining arguments, and the description.
fn wanted(line: &str, known: &dyn KnownNames) -> String {
    let chars: Vec<char> = line.chars().collect();
    let mut words = CommandWords::new(&chars);
    let Ok(command) = find(&mut words, known.commands()) else { return String::new() };
    let mut left = command.args;
    for _ in words {
        left = match left {
            [arg, ..] if arg.kind.takes_rest() => &[],
            [arg, ..] if arg.need == super::command::Need::Many => left,
            [_, rest @ ..] => rest,
            [] => break,
        };
    }
    let args: Vec<String> = left.iter().map(super::command::Arg::usage).collect();
    let gap = if args.is_empty() { "" } else { "  " };
    format!("{}{gap}{}", args.join(" "), command.doc)
}

/// A line of help: keys or syntax, and the meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpLine {
    /// Keys or syntax; empty for running text.
    pub left: String,
    pub right: String,
    /// The line is the heading of those below.
    pub heading: bool,
}

impl HelpLine {
    pub fn new(left: impl Into<String>, right: impl Into<String>) -> HelpLine {
        HelpLine { left: left.into(), right: right.into(), heading: false }
    }

    fn heading(text: &str) -> HelpLine {
        HelpLine { left: text.to_owned(), right: String::new(), heading: true }
    }

    /// Lines under a heading, if there are any.
    pub fn under(heading: &str, lines: Vec<HelpLine>) -> Vec<HelpLine> {
        let heading = (!lines.is_empty()).then(|| HelpLine::heading(heading));
        heading.into_iter().chain(lines).collect()
    }
}

/// Units of typed values.
const UNITS: &str = "times in filters and goto; units s ms us ns, t = ticks; without a unit it is ticks";

/// The keys valid now, more lines, the units and the commands, under headings.
pub fn help(pane: PaneId, keys: &Keymap, more: Vec<HelpLine>, commands: &[&'static CommandSpec]) -> Vec<HelpLine> {
    let mut lines = Vec::new();
    let mut heading = "";
    for (keys, entry) in keys.valid_now(pane) {
        if entry.heading != heading {
            heading = entry.heading;
            lines.push(HelpLine::heading(heading));
        }
        lines.push(HelpLine::new(keys, entry.doc));
    }
    lines.extend(more);
    lines.push(HelpLine::heading("Units"));
    lines.push(HelpLine::new("12.5ms 3us 40t", UNITS));
    lines.push(HelpLine::heading("Commands"));
    lines.extend(commands.iter().map(|c| command_line(c)));
    lines
}

/// The lines of `help` that contain the typed text in keys or meaning, ignoring case and without headings.
pub fn narrow(lines: &[HelpLine], typed: &str) -> Vec<HelpLine> {
    if typed.is_empty() {
        return lines.to_vec();
    }
    let typed = typed.to_lowercase();
    let contains = |line: &HelpLine| format!("{} {}", line.left, line.right).to_lowercase().contains(&typed);
    lines.iter().filter(|line| !line.heading && contains(line)).cloned().collect()
}

/// Syntax and description of a command.
pub(super) fn command_line(command: &CommandSpec) -> HelpLine {
    let aliases = command.aliases.iter().map(|alias| format!(" :{alias}")).collect::<String>();
    let also = if aliases.is_empty() { String::new() } else { format!(" (also{aliases})") };
    HelpLine::new(format!(":{}", command.usage()), format!("{}{also}", command.doc))
}

/// Syntax, description and valid arguments of a command. Empty if the line is more than a command's name, or no
/// command: `?` is then a character.
pub fn explain(line: &str, known: &dyn KnownNames) -> Vec<HelpLine> {
    if let Some(meant) = known.alias(line.trim()) {
        return vec![HelpLine::new(format!(":{}", line.trim()), format!("your own command for :{meant}"))];
    }
    let commands = meant(line, known).unwrap_or_default();
    let mut lines: Vec<HelpLine> = commands.iter().map(|command| command_line(command)).collect();
    let plain = commands.iter().find(|command| command.second().is_none() || commands.len() == 1);
    for arg in plain.map_or(&[][..], |command| command.args) {
        let values = match (arg.kind, arg.need) {
            (ArgKind::NewName, Need::May) => "a name; by default the next free number",
            (kind, _) => kind.values(),
        };
        lines.push(HelpLine::new(arg.usage(), values));
    }
    lines
}

/// The commands that a line names, if it contains nothing else.
fn meant(line: &str, known: &dyn KnownNames) -> Option<Vec<&'static CommandSpec>> {
    let letters: Vec<char> = line.chars().collect();
    let mut words = CommandWords::new(&letters);
    let first = family(&words.next()?.text, known.commands()).ok()?;
    let mut commands: Vec<&'static CommandSpec> =
        known.commands().iter().copied().filter(|command| command.first() == first).collect();
    if let Some(second) = words.next() {
        commands.retain(|command| command.second().is_some_and(|form| form.starts_with(&second.text)));
    }
    words.next().is_none().then_some(commands)
}
