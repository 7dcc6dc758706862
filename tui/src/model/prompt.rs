//! The last line: command line, help, messages, or otherwise keys for what is on the screen.

use std::time::Instant;

use spytui_engine::{
    device::{
        command::CommandError,
        line::{ADVISE, TargetLine},
    },
    export::findings::severity_word,
    open::Decoder,
    present::{
        RowRole,
        clock::{date_text, grouped},
        sanitise,
        words::wire_id,
    },
    query::{Expr, Vocabulary},
    store::dictionary::{self, DictionaryName},
};
use spytui_plugin_api::{
    Info,
    info::{Class, KindInfo, OptKind},
    row::{RowFlags, Severity},
};

use super::{
    Model, filter, jump,
    links::list_word,
    list::{ListEntry, RowMark},
    panes::ActionOffer,
    screen::TICK_RATE,
    target,
};
use crate::{
    app_log::LogLine,
    config::{setting_named, values_of},
    input::{
        self, Action, ActionCatalog, ArgumentNames, Choice, CommandSpec, HelpLine, Hint, History, JumpTarget, KeyPress,
        KnownNames, LineEditor, PaneId, PathLookup, PromptKind, RECORDS, help, narrow,
    },
    term::{width, wrap},
    trigger::TriggerRule,
};

/// Width of keys and syntax before their meaning in the help.
pub const HELP_KEYS: usize = 16;
/// Minimum width for two columns of help.
const TWO_COLUMNS: u16 = 100;
pub const SHOWN: usize = 6;

#[derive(Default)]
pub struct Prompt {
    pub line: Option<CommandLine>,
    pub help: Option<Help>,
    /// Result of the last lookup for the line.
    pub looked_up: Option<LookedUp>,
    pub pressed: Vec<KeyPress>,
    pub notice: Option<Notice>,
    pub(in crate::model) said_by_link: Option<String>,
    pub history: History,
    /// A key was pressed, so messages shown once are gone.
    pub touched: bool,
    pub last_key: Option<Instant>,
    pub question: Option<PromptQuestion>,
    /// The line that ran last, until the next key: errors now belong to it.
    pub just_run: Option<(PromptKind, String)>,
    pub interrupted: Option<Instant>,
    /// The newest lines of the program's log.
    pub log: Vec<LogLine>,
}

/// A question in the last line. While open, keys are only answers.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptQuestion {
    text: String,
    /// The possible answers as text.
    words: String,
    /// Everything received can be saved before quitting.
    pub can_save: bool,
    /// Why a key was no answer.
    pub ignored: Option<String>,
    /// Set once it is answered with yes; otherwise the program quits.
    pub confirms: Option<(TriggerRule, Expr)>,
}

impl PromptQuestion {
    /// A question with its answers as text; `can_save` = everything received can be saved first. Esc
    /// cancels it.
    pub fn new(text: impl Into<String>, words: impl Into<String>, can_save: bool) -> PromptQuestion {
        PromptQuestion { text: text.into(), words: words.into(), can_save, ignored: None, confirms: None }
    }

    pub fn line(&self) -> String {
        let ignored = self.ignored.as_ref().map(|why| format!("{why}; ")).unwrap_or_default();
        format!("{ignored}{} {} · Esc stays", self.text, self.words)
    }
}

const LOG_LINES: usize = 1_000;

impl Prompt {
    /// Takes new lines of the program's log.
    pub fn add_log(&mut self, lines: Vec<LogLine>) {
        self.log.extend(lines);
        let over = self.log.len().saturating_sub(LOG_LINES);
        self.log.drain(..over);
    }

    pub fn open(&mut self, kind: PromptKind, text: &str) -> &mut CommandLine {
        self.notice = None;
        self.looked_up = None;
        self.line.insert(CommandLine { editor: LineEditor::new(kind, text), ..CommandLine::default() })
    }
}

/// Files and serial ports that begin like a word of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedUp {
    pub query: PathLookup,
    pub paths: Vec<Choice>,
    pub ports: Vec<Choice>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Help {
    pub top: usize,
    pub filter: String,
    /// The title and lines of another page than that of the keys.
    pub page: Option<(String, Vec<HelpLine>)>,
}

impl Help {
    /// Help about a kind of records, or what contains a word.
    pub fn about(info: &Info, word: String) -> Help {
        let page = kind_page(info, &word).or_else(|| note_page(&word));
        Help { filter: if page.is_some() { String::new() } else { word }, page, ..Help::default() }
    }
}

/// A message in the last line, or feedback above it on an unfinished line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    pub error: bool,
}

impl Notice {
    /// A message, or a description of the line.
    pub fn said(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), error: false }
    }

    pub fn mistake(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), error: true }
    }
}

/// A line being typed: command, search, filter or note.
#[derive(Default)]
pub struct CommandLine {
    pub editor: LineEditor,
    pub preview: Notice,
    /// Suggested rest of the line, and help.
    pub ghost: input::Ghost,
    /// Completions, one of which may be chosen.
    pub completions: Vec<Choice>,
    /// Why Enter did not run the line, until it changes.
    pub refused: Option<String>,
    /// The line whose question Enter answers, until the line changes.
    pub asked: Option<String>,
    pub question: String,
    /// Explanation of the command from `?`, until the next key.
    pub explained: Vec<HelpLine>,
    /// The line for the target as filled in by a key.
    pub filled: Option<String>,
    /// It was opened as a list with its first completion chosen, and nothing was typed yet.
    pub is_list: bool,
    /// Preview, ghost and completions are outdated.
    pub is_behind: bool,
}

impl CommandLine {
    pub fn chosen(&self) -> Option<usize> {
        self.editor.choices().map(|(_, at)| at)
    }

    /// The visible part of the text in `room` columns, and the cursor in it.
    pub fn shown(&self, room: usize) -> (String, usize) {
        let (text, cursor) = (self.editor.text(), self.editor.cursor());
        let before: String = text.chars().take(cursor).collect();
        // Long lines are shown around the cursor.
        let skip = (width(&before) + 1).saturating_sub(room.max(1));
        (text.chars().skip(skip).collect(), cursor - skip.min(cursor))
    }
}

/// Number of columns of the help on a screen of this width.
pub fn help_columns(model: &Model) -> u16 {
    let is_page = model.prompt.help.as_ref().is_some_and(|help| help.page.is_some());
    if model.screen.size.0 >= TWO_COLUMNS && !is_page { 2 } else { 1 }
}

/// Meanings of a decoder's group tags. Groups that share a tag are one line.
fn groups(info: &Info) -> Vec<HelpLine> {
    let mut lines: Vec<HelpLine> = Vec::new();
    for group in info.groups.iter().filter(|group| !group.tag.is_empty() && !group.title.is_empty()) {
        match lines.iter_mut().find(|line| line.left == *group.tag) {
            Some(line) => line.right.push_str(&format!(", {}", group.title)),
            None => lines.push(HelpLine::new(group.tag.as_str(), group.title.as_str())),
        }
    }
    lines
}

/// The lines of the help page after filtering, each with a left and a right part.
pub fn help_lines(model: &Model) -> Vec<HelpLine> {
    let page = model.prompt.help.as_ref().and_then(|help| help.page.as_ref());
    let all = match page {
        Some((_, lines)) => lines.clone(),
        None => {
            let front = model.panes.front();
            let signs = model.panes.get(front).map_or("", |pane| pane.keys().signs).split("; ");
            let signs = signs.filter_map(|sign| sign.split_once(": ")).map(|(sign, means)| HelpLine::new(sign, means));
            let groups = groups(&model.list.decoding().decoder.info);
            let more = [HelpLine::under("Signs", signs.collect()), HelpLine::under("Groups of records", groups)];
            help(front, &model.settings.keymap, more.concat(), &model.settings.command_specs)
        }
    };
    let typed = model.prompt.help.as_ref().map_or("", |help| help.filter.as_str());
    let width_of_all = model.screen.size.0;
    let room = (width_of_all / help_columns(model)).saturating_sub(HELP_KEYS as u16 + 3);
    // Long syntax has its own line.
    let is_alone = |line: &HelpLine| line.heading || line.right.is_empty() || width(&line.left) > HELP_KEYS;
    narrow(&all, typed).iter().flat_map(|line| in_lines(line, usize::from(room.max(1)), is_alone(line))).collect()
}

/// What the decoder says about a kind, by its word or its name in the protocol.
fn kind_page(info: &Info, word: &str) -> Option<(String, Vec<HelpLine>)> {
    let is_meant = |kind: &&KindInfo| [kind.tag(), &kind.name].iter().any(|own| own.eq_ignore_ascii_case(word));
    let kind = info.kinds.iter().find(is_meant).filter(|kind| !kind.name.is_empty())?;
    let space = |id| info.space(id).map(|space| space.title.to_string()).unwrap_or_default();
    let severity = if kind.severity > Severity::NORMAL { severity_word(kind.severity) } else { "" };
    let title = info.groups.iter().find(|group| group.id == kind.group).map(|group| group.title.to_string());
    let meaning = |name: &str| info.meaning(name).unwrap_or_default().to_owned();
    let lines = [
        ("meaning", meaning(&kind.name)),
        ("number", wire_id(info, kind.first).to_string()),
        ("group", title.unwrap_or_default()),
        ("usually", severity.to_owned()),
        ("object", space(kind.obj_space)),
        ("filter", format!("kind:{}", kind.tag())),
    ];
    let lines = lines.into_iter().filter(|(_, text)| !text.is_empty());
    let lines = lines.map(|(name, text)| HelpLine::new(name, text));
    let fields = kind.fields.iter().map(|field| HelpLine::new(field.as_str(), meaning(&format!(".{field}"))));
    Some((kind.name.to_string(), lines.chain(HelpLine::under("Fields", fields.collect())).collect()))
}

/// What a row that is no record reports, by its word in `jsonl`.
fn note_page(word: &str) -> Option<(String, Vec<HelpLine>)> {
    let (note, reports) = input::notes().find(|(note, _)| note.eq_ignore_ascii_case(word))?;
    Some((note.to_owned(), vec![HelpLine::new("reports", reports)]))
}

/// A help line wrapped to `room` for the right part. `is_alone` = the left part has its own line.
pub fn in_lines(line: &HelpLine, room: usize, is_alone: bool) -> Vec<HelpLine> {
    let parts = is_alone.then_some("").into_iter().chain(wrap(&line.right, room));
    let lefts = std::iter::once(line.left.as_str()).chain(std::iter::repeat(""));
    let lines = parts.zip(lefts).map(|(right, left)| HelpLine { heading: line.heading, ..HelpLine::new(left, right) });
    lines.collect()
}

/// Shown while following the newest row, whatever it is: a line that changed with each row would flicker.
const FOLLOWING: &[Hint] = &[
    Hint(&[Action::Command], "command"),
    Hint(&[Action::Search], "find"),
    Hint(&[Action::LossNext], "losses"),
    Hint(&[Action::Cause], "why"),
    Hint(&[Action::Hold], "hold"),
    Hint(&[Action::ShowPane(PaneId("counters"))], "counters"),
    Hint(&[Action::Help], "all keys"),
];
const RECORD: &[Hint] = &[
    Hint(&[Action::Cause], "why"),
    Hint(&[Action::Effect], "then"),
    Hint(&[Action::HideKind], "hide"),
    Hint(&[Action::OnlyKind], "only"),
    Hint(&[Action::ObjectNext], "next of object"),
    Hint(&[Action::Mark], "mark"),
    Hint(&[Action::Follow], "newest"),
];
const LOSS: &[Hint] = &[
    Hint(&[Action::Effect], "after"),
    Hint(&[Action::Open], "details"),
    Hint(&[Action::ShowPane(PaneId("counters"))], "counters"),
    Hint(&[Action::Advise], "advice"),
];
const ERROR: &[Hint] = &[
    Hint(&[Action::ErrorNext, Action::ErrorPrevious], "errors"),
    Hint(&[Action::Cause], "why"),
    Hint(&[Action::HideKind], "hide"),
    Hint(&[Action::Mark], "mark"),
    Hint(&[Action::Follow], "newest"),
];
const RESET: &[Hint] = &[
    Hint(&[Action::WarningNext, Action::WarningPrevious], "warnings and resets"),
    Hint(&[Action::ShowPane(PaneId("target"))], "target"),
    Hint(&[Action::Follow], "newest"),
];
const DICTIONARY: &[Hint] = &[
    Hint(&[Action::Open], "unfold"),
    Hint(&[Action::ShowPane(PaneId("dictionary"))], "dictionary"),
    Hint(&[Action::Follow], "newest"),
];

/// Updates the line, once per frame.
pub fn refresh(model: &mut Model) {
    model.screen.hint = if model.settings.config.on("ui.hints") { line(model) } else { String::new() };
}

fn line(model: &mut Model) -> String {
    if model.prompt.help.is_some() {
        return String::new();
    }
    let front = model.panes.front();
    if front != RECORDS {
        let own = model.panes.get(front).map_or(&[][..], |pane| pane.keys().hints);
        let back = format!(" · {}", keys(model, 0, &[Hint(&[Action::ShowPane(RECORDS)], "records")]));
        return keys(model, width(&back), own) + &back;
    }
    if !model.prompt.touched && has_ticks(model) {
        return "times are ticks; :set ticks-per-second 1000000 makes them seconds".to_owned();
    }
    if model.list.page.follow {
        return keys(model, 0, FOLLOWING);
    }
    let Some(entry) = model.list.cursor_entry().cloned() else { return keys(model, 0, FOLLOWING) };
    let (about, hints) = of_row(model, &entry);
    let losses = if about == "a loss" { losses(model) } else { String::new() };
    let on = if about.is_empty() { String::new() } else { format!("on {about}: ") };
    let begin = on + &losses;
    format!("{begin}{}", keys(model, width(&begin), hints))
}

/// Whether times are ticks because nobody specified their rate.
fn has_ticks(model: &Model) -> bool {
    let info = &model.list.decoding().decoder.info;
    let clock = model.list.rows.clock();
    let is_one = !model.list.rows.is_joint;
    is_one
        && info.option(TICK_RATE).is_some()
        && !clock.known()
        && model.list.page.entries.iter().any(|e| e.time.is_some())
}

/// What a row is, if that matters, and the keys for it.
fn of_row(model: &Model, entry: &ListEntry) -> (&'static str, &'static [Hint]) {
    let flags = model.list.rows.shape(entry.first).map(|shape| shape.row.flags).unwrap_or_default();
    match entry.line.role {
        RowRole::Loss => ("a loss", LOSS),
        RowRole::Note if entry.folds_names() => ("", DICTIONARY),
        RowRole::Event if flags.contains(RowFlags::EPOCH) => ("a reset", RESET),
        RowRole::Event | RowRole::Note | RowRole::Console => ("", RESET),
        RowRole::Record if entry.line.severity >= Severity::ERROR => ("an error", ERROR),
        RowRole::Record => ("", RECORD),
    }
}

/// `x X losses 2/2 · `
fn losses(model: &mut Model) -> String {
    let about = (model.list.page.cursor, model.list.rows.rows_of(|shape| shape.row.kind.is_loss()));
    let known = model.screen.loss_place.filter(|(of, _)| *of == about);
    let (_, place) = known.unwrap_or_else(|| (about, jump::place(model, about.0, JumpTarget::Loss)));
    model.screen.loss_place = Some((about, place));
    let keys = keys(model, 0, &[Hint(&[Action::LossNext, Action::LossPrevious], "losses")]);
    match place {
        Some((place, total)) => format!("{keys} {}/{} · ", grouped(place), grouped(total)),
        None => format!("{keys} · "),
    }
}

/// `x X losses · c why`, as many as fit beside `taken` columns; actions without keys are omitted.
fn keys(model: &Model, taken: usize, hints: &[Hint]) -> String {
    let (keymap, front) = (&model.settings.keymap, model.panes.front());
    let key = |action: &Action| keymap.keys(front, *action).into_iter().next();
    let room = usize::from(model.screen.size.0).saturating_sub(2 + taken);
    let mut line = String::new();
    for Hint(actions, words) in hints {
        // The first key of a sequence: it offers the others.
        let first = |keys: String| keys.split(' ').next().map(str::to_owned);
        let keys: Vec<String> = actions.iter().filter_map(key).filter_map(first).collect();
        let offer = actions.first().filter(|_| front != RECORDS).and_then(|action| own_offer(model, *action));
        let words = match &offer {
            Some(ActionOffer::Nothing) => continue,
            Some(ActionOffer::Words(words)) if **actions == [Action::Open] => words.as_str(),
            _ => *words,
        };
        let hint = format!("{}{} {words}", if line.is_empty() { "" } else { " · " }, keys.join(" "));
        if !keys.is_empty() && width(&line) + width(&hint) <= room {
            line.push_str(&hint);
        }
    }
    line
}

/// What the pane in front offers for an action.
fn own_offer(model: &Model, action: Action) -> Option<ActionOffer> {
    Some(model.panes.get(model.panes.front())?.offer(action, model))
}

/// Length of `2026-03-11T09:14`.
const MINUTE: usize = 16;
/// Maximum number of names offered from the dictionary.
const MOST: usize = 2_000;

/// Settings of the program with short names in `:set`; every setting also has its full name.
pub const OWN: [&str; 5] = ["dtr", "rts", "theme", "mouse", "short-names"];

impl KnownNames for Model {
    fn commands(&self) -> &[&'static CommandSpec] {
        &self.settings.command_specs
    }

    fn actions(&self) -> &ActionCatalog {
        &self.settings.keymap.catalog
    }

    fn names(&self, names: ArgumentNames<'_>) -> Vec<Choice> {
        let info = &self.list.decoding().decoder.info;
        match names {
            ArgumentNames::Protocols => self.decoders(|d| format!("{} ({})", d.info.title, d.origin)),
            ArgumentNames::Protocol => vec![Choice::new(info.id.as_str(), "")],
            ArgumentNames::Options(proto) => self.options(proto),
            ArgumentNames::OptionValues(proto, option) => self.values(proto, option),
            ArgumentNames::Settings => self.settings(),
            ArgumentNames::Values(name) => match setting_named(name) {
                _ if info.option(name).is_some() => self.values(&info.id, name),
                Some(full) if full == "ui.theme" => crate::term::Theme::names().map(|n| Choice::new(n, "")).collect(),
                Some(full) => values_of(&full).into_iter().map(|word| Choice::new(word, "")).collect(),
                None => Vec::new(),
            },
            ArgumentNames::SavedFilters => {
                let text = |name: &str| self.settings.config.text(&format!("filters.{name}"));
                self.settings.config.below("filters").map(|(name, ..)| Choice::new(name, text(name))).collect()
            }
            ArgumentNames::Marks => self.list.marks.iter().map(|(n, m)| Choice::new(n, self.about_mark(m))).collect(),
            ArgumentNames::Spaces => {
                info.spaces.iter().map(|s| Choice::new(s.name.as_str(), s.title.as_str())).collect()
            }
            ArgumentNames::Keys(space) => self.keys(space),
            ArgumentNames::Plugins => {
                let listed = self.links.registry.listed();
                let mut plugins: Vec<Choice> = listed
                    .iter()
                    .map(|listed| Choice::new(&listed.name, format!("{} ({})", listed.what, listed.origin)))
                    .collect();
                let names = self.links.registry.file_names();
                plugins.extend(names.into_iter().map(|name| Choice::new(name, "file of a plugin")));
                plugins
            }
            ArgumentNames::Sources => {
                let lists = self.links.lists();
                lists.iter().map(|list| Choice::new(list_word(&self.links, list), self.links.list_name(list))).collect()
            }
            ArgumentNames::Links => self.prompt.looked_up.as_ref().map_or_else(Vec::new, |found| found.ports.clone()),
            ArgumentNames::Paths(typed) => match &self.prompt.looked_up {
                Some(found) if found.query.path == typed => found.paths.clone(),
                _ => Vec::new(),
            },
            ArgumentNames::Kinds => {
                let words = self.words_of_formatters().kinds;
                let kinds = info.kinds.iter().map(|k| Choice::new(k.tag(), k.name.as_str()));
                kinds.chain(words.into_iter().map(|word| Choice::new(word, "formatter"))).collect()
            }
            ArgumentNames::Groups => {
                info.groups.iter().map(|g| Choice::new(g.name.as_str(), g.title.as_str())).collect()
            }
            ArgumentNames::Objects => self.of_class(|c| {
                !matches!(c, Class::SIGNAL | Class::STATE | Class::FUNCTION | Class::ENUM | Class::OTHER)
            }),
            ArgumentNames::Signals => self.of_class(|c| c == Class::SIGNAL),
            ArgumentNames::States => self.of_class(|c| matches!(c, Class::STATE | Class::FUNCTION)),
            ArgumentNames::Tasks => self.of_class(|c| matches!(c, Class::TASK | Class::PROCESS)),
            ArgumentNames::Dates => self.date().into_iter().collect(),
            ArgumentNames::Fields => {
                let mut fields = Vocabulary::of(info).fields.unwrap_or_default();
                fields.sort_unstable();
                fields.dedup();
                let words = self.words_of_formatters().fields.unwrap_or_default();
                let fields = fields.into_iter().map(|f| Choice::new(f, "field"));
                fields.chain(words.into_iter().map(|word| Choice::new(word, "field of a formatter"))).collect()
            }
        }
    }

    fn vocabulary(&self) -> Vocabulary {
        filter::vocabulary(self)
    }

    fn target(&self, line: &str) -> Result<Option<TargetLine>, CommandError> {
        target::read(self, line).map(Some)
    }

    fn target_completions(&self, line: &str) -> (usize, Vec<Choice>) {
        let (from, mut choices) = target::completions(self, line);
        if !line.trim_start().contains(char::is_whitespace) {
            choices.push(Choice::new(ADVISE, target::HELP));
        }
        (from, choices)
    }

    fn alias(&self, name: &str) -> Option<String> {
        Some(self.settings.config.text(&format!("alias.{name}")).to_owned()).filter(|text| !text.is_empty())
    }

    fn aliases(&self) -> Vec<Choice> {
        self.settings.config.below("alias").map(|(name, value, _)| Choice::new(name, value.to_string())).collect()
    }
}

impl Model {
    /// Kind words and fields from formatters.
    fn words_of_formatters(&self) -> Vocabulary {
        let mut words = Vocabulary::with_fields::<String>([]);
        self.list.decoding().decoder.formatting.add_words(&mut words);
        words
    }

    fn date(&self) -> Option<Choice> {
        let time = self.list.cursor_entry()?.time?;
        let date = date_text(self.list.rows.clock().unix_ns(time)?)?;
        let minute = date.get(..MINUTE)?.replace(' ', "T");
        Some(Choice::new(minute, "the cursor row; a range as ..09:15 behind it"))
    }

    /// The record of a mark, and its note.
    fn about_mark(&self, mark: &RowMark) -> String {
        let row = self.list.row_at(mark.position);
        let record = row.and_then(|row| self.list.rows.number(row)).unwrap_or_default();
        format!("{record:<8} {}", mark.note).trim_end().to_owned()
    }

    fn decoders(&self, help: impl Fn(&Decoder) -> String) -> Vec<Choice> {
        self.links.registry.decoders.iter().map(|d| Choice::new(d.info.id.as_str(), help(d))).collect()
    }

    fn options(&self, proto: &str) -> Vec<Choice> {
        let Ok(decoder) = self.links.registry.find(proto) else { return Vec::new() };
        decoder.info.options.iter().map(|o| Choice::new(o.key.as_str(), o.help.as_str())).collect()
    }

    fn values(&self, proto: &str, option: &str) -> Vec<Choice> {
        let Ok(decoder) = self.links.registry.find(proto) else { return Vec::new() };
        match decoder.info.option(option) {
            Some(spec) if !spec.choices.is_empty() => {
                spec.choices.iter().map(|c| Choice::new(c.as_str(), "")).collect()
            }
            Some(spec) if spec.ty == OptKind::BOOL => ["0", "1"].map(|w| Choice::new(w, "")).into(),
            _ => Vec::new(),
        }
    }

    fn settings(&self) -> Vec<Choice> {
        let decoding = self.list.decoding();
        let options = decoding.decoder.info.options.iter().map(|option| {
            let unset = match decoding.options.get(&option.key) {
                Some(_) => format!("; {}= unsets it", option.key),
                None => String::new(),
            };
            Choice::new(option.key.as_str(), format!("{}{unset}", option.help))
        });
        let own = OWN.map(|name| Choice::new(name, "of the app"));
        let all = self.settings.config.all();
        let all = all.map(|(name, value, origin)| Choice::new(name, format!("{value} ({origin})")));
        options.chain(own).chain(all).collect()
    }

    fn keys(&self, space: &str) -> Vec<Choice> {
        let info = &self.list.decoding().decoder.info;
        let Some(id) = info.spaces.iter().find(|s| s.name == space).map(|s| s.id) else { return Vec::new() };
        let states = self.list.rows.read_all();
        let named = states.iter().flat_map(|state| state.dictionary.iter()).filter(|e| e.0 == id);
        let name =
            |names: &[DictionaryName]| names.last().and_then(|n| n.text.as_deref()).map(sanitise).unwrap_or_default();
        let mut words: Vec<(u64, String)> = named.take(MOST).map(|(_, key, _, names)| (key, name(names))).collect();
        if states.len() > 1 {
            words.sort_unstable();
            words.dedup();
        }
        words.into_iter().map(|(key, name)| Choice::new(format!("0x{key:X}"), name)).collect()
    }

    /// Names of entities of some class, as shown in lists.
    fn of_class(&self, fits: impl Fn(Class) -> bool) -> Vec<Choice> {
        let info = &self.list.decoding().decoder.info;
        let mut words = Vec::new();
        for state in self.list.rows.read_all() {
            for (space, _, _, names) in state.dictionary.iter().take(MOST) {
                let Some(spec) = info.space(space).filter(|s| fits(s.class)) else { continue };
                if let Some(last) = dictionary::newest(names) {
                    words.push((sanitise(state.dictionary.short(space, last)), spec.title.to_string()));
                }
            }
        }
        words.sort_unstable();
        words.dedup();
        words.into_iter().map(|(word, title)| Choice::new(word, title)).collect()
    }
}
