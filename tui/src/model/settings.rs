use std::collections::BTreeMap;

use spytui_engine::query::Expr;

use super::Model;
use crate::{
    config::{Config, Value},
    input::{Arg, CommandSpec, Given, Keymap},
};

/// A command: its syntax and its function.
pub struct Command {
    /// Words, arguments, help.
    pub spec: CommandSpec,
    pub run: fn(&Given, &mut Model),
}

impl Command {
    /// Without aliases; `doc` is one sentence without a full stop.
    pub const fn new(
        words: &'static [&'static str],
        args: &'static [Arg],
        doc: &'static str,
        run: fn(&Given, &mut Model),
    ) -> Command {
        Command { spec: CommandSpec { words, aliases: &[], args, doc }, run }
    }

    /// Adds other names for the first word.
    pub const fn alias(mut self, aliases: &'static [&'static str]) -> Command {
        self.spec.aliases = aliases;
        self
    }
}

pub struct ModelSettings {
    pub config: Config,
    pub keymap: Keymap,
    pub saved_filters: BTreeMap<String, String>,
    pub(in crate::model) previous_filter: Option<Expr>,
    commands: Vec<&'static Command>,
    specs: Vec<&'static CommandSpec>,
}

impl ModelSettings {
    pub fn new(config: Config, keymap: Keymap, commands: &[&'static Command]) -> ModelSettings {
        let mut saved_filters = BTreeMap::new();
        for (name, value, _) in config.below("filters") {
            if let Value::Text(text) = value {
                saved_filters.insert(name.to_owned(), text.clone());
            }
        }
        let specs = commands.iter().map(|command| &command.spec).collect();
        let commands = commands.to_vec();
        ModelSettings { config, keymap, saved_filters, previous_filter: None, commands, specs }
    }

    /// In the order of the help.
    pub fn command_specs(&self) -> &[&'static CommandSpec] {
        &self.specs
    }

    pub fn command(&self, given: &Given) -> Option<&'static Command> {
        self.commands.iter().copied().find(|command| command.spec.words == given.command.words)
    }
}
