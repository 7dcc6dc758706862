//! The words that the lines of a script are made of: some of the app's commands, and those that only scripts need.

use spytui_engine::query::Vocabulary;

use crate::{
    cli::settings::Settings,
    commands::COMMANDS,
    config::Config,
    input::{ActionCatalog, Arg, ArgKind, Choice, CommandSpec, KnownNames, Names},
    pane,
};

/// Commands that only scripts have.
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
        doc: "print rates, times and levels of what has come",
    },
    &CommandSpec { words: &["findings"], aliases: &[], args: &[], doc: "print what an expert would spot so far" },
];

/// Commands of the app that make sense without a screen.
const OF_THE_APP: [&[&str]; 3] = [&["target"], &["filter"], &["q"]];

/// What a script may say.
pub(super) const ALL: &str = "target, wait, expect, findings, statistics, filter and q";

/// The names that lines are checked against.
pub(super) struct ScriptWords {
    commands: Vec<&'static CommandSpec>,
    actions: ActionCatalog,
    vocabulary: Vocabulary,
    config: Config,
    /// Links that lines can be for.
    pub(super) links: usize,
}

impl ScriptWords {
    pub(super) fn new(vocabulary: Vocabulary, settings: &Settings, links: usize) -> ScriptWords {
        let of_app = COMMANDS.iter().map(|command| &command.spec);
        let commands = OWN.into_iter().chain(of_app).collect();
        let actions = ActionCatalog::new(&pane::keys());
        ScriptWords { commands, actions, vocabulary, config: settings.config.clone(), links }
    }

    /// The text of a saved filter.
    pub(super) fn saved_filter(&self, name: &str) -> &str {
        self.config.text(&format!("filters.{name}"))
    }

    /// Whether all commands that begin with this very word need a screen.
    pub(super) fn needs_screen(&self, word: &str) -> bool {
        let is_called = |spec: &&&CommandSpec| spec.words.first() == Some(&word) || spec.aliases.contains(&word);
        let mut called = self.commands.iter().filter(is_called).peekable();
        called.peek().is_some() && called.all(|spec| !is_of_scripts(spec))
    }
}

/// Whether a command needs no screen.
pub(super) fn is_of_scripts(spec: &CommandSpec) -> bool {
    OWN.iter().any(|own| own.words == spec.words) || OF_THE_APP.contains(&spec.words)
}

impl KnownNames for ScriptWords {
    fn commands(&self) -> &[&'static CommandSpec] {
        &self.commands
    }

    fn actions(&self) -> &ActionCatalog {
        &self.actions
    }

    fn names(&self, names: Names<'_>) -> Vec<Choice> {
        match names {
            Names::SavedFilters => self.config.below("filters").map(|(name, ..)| Choice::new(name, "")).collect(),
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
