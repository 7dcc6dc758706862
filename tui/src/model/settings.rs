//! Configuration, keys, commands and saved filters.

use std::collections::BTreeMap;

use spytui_engine::query::Expr;

use super::Model;
use crate::{
    action::{Choice, CommandError, CommandSpec, Given, Keymap},
    config::{Config, Value},
};

/// A command of the command line: how it is written, and what it does.
pub struct Command {
    /// How it is written.
    pub spec: CommandSpec,
    /// Carries it out.
    pub run: fn(&Given, &mut Model) -> Result<(), CommandError>,
}

/// What the outside world is asked while a line is typed.
pub trait Lookup {
    /// Files and folders whose path begins like this.
    fn paths(&self, typed: &str) -> Vec<Choice>;

    /// Serial ports.
    fn ports(&self) -> Vec<Choice>;
}

/// What was configured, and what can be typed.
pub struct ModelSettings {
    /// The settings in force.
    pub config: Config,
    /// Keys and what they mean.
    pub keymap: Keymap,
    /// Filters kept under names.
    pub saved_filters: BTreeMap<String, String>,
    /// The filter before this one.
    pub previous_filter: Option<Expr>,
    /// Answers what is not in the model.
    pub lookup: Box<dyn Lookup>,
    commands: Vec<&'static Command>,
    specs: Vec<&'static CommandSpec>,
}

impl ModelSettings {
    /// As configured, with these commands.
    #[must_use]
    pub fn new(
        config: Config,
        keymap: Keymap,
        commands: &[&'static Command],
        lookup: Box<dyn Lookup>,
    ) -> ModelSettings {
        let mut saved_filters = BTreeMap::new();
        for (name, value, _) in config.below("filters") {
            if let Value::Text(text) = value {
                saved_filters.insert(name.to_owned(), text.clone());
            }
        }
        let specs = commands.iter().map(|command| &command.spec).collect();
        let commands = commands.to_vec();
        ModelSettings { config, keymap, saved_filters, previous_filter: None, lookup, commands, specs }
    }

    /// How the commands are written, in the order of the help.
    #[must_use]
    pub fn command_specs(&self) -> &[&'static CommandSpec] {
        &self.specs
    }

    /// The command that was given.
    #[must_use]
    pub fn command(&self, given: &Given) -> Option<&'static Command> {
        self.commands.iter().copied().find(|command| command.spec.words == given.command.words)
    }
}
