//! The commands as typed.

mod arguments;
mod line;

use spytui_engine::query::Vocabulary;

use super::COMMANDS;
use crate::{
    input::{ActionCatalog, ArgumentNames, Choice, CommandSpec, KnownNames},
    pane,
};

/// A program that knows some names.
struct Program {
    words: fn(ArgumentNames<'_>) -> &'static [&'static str],
    vocabulary: Vocabulary,
    commands: Vec<&'static CommandSpec>,
    actions: ActionCatalog,
}

impl Program {
    fn new(words: fn(ArgumentNames<'_>) -> &'static [&'static str], vocabulary: Vocabulary) -> Program {
        let commands = COMMANDS.iter().map(|command| &command.spec).collect();
        Program { words, vocabulary, commands, actions: ActionCatalog::new(&pane::keys()) }
    }

    /// A program that knows no names.
    fn unknown() -> Program {
        Program::new(|_| &[], Vocabulary::open())
    }
}

impl KnownNames for Program {
    fn commands(&self) -> &[&'static CommandSpec] {
        &self.commands
    }

    fn actions(&self) -> &ActionCatalog {
        &self.actions
    }

    fn names(&self, names: ArgumentNames<'_>) -> Vec<Choice> {
        (self.words)(names).iter().map(|word| Choice::new(*word, "")).collect()
    }

    fn vocabulary(&self) -> Vocabulary {
        self.vocabulary.clone()
    }

    fn alias(&self, name: &str) -> Option<String> {
        (name == "quiet").then(|| "filter -kind:Tick".to_owned())
    }
}
