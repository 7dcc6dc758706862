//! Changes of switches that are not sent yet.

use spytui_engine::device::control::TargetStatus;

use super::line::{Place, SwitchLine};

#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    place: Place,
    /// Switch on.
    on: bool,
    /// The word of the switch.
    word: String,
    /// The command that it is part of.
    command: String,
    /// How many switches it is about.
    size: u64,
}

impl Change {
    /// `-SM`
    fn signed(&self) -> String {
        format!("{}{}", if self.on { '+' } else { '-' }, self.word)
    }
}

/// All changes, in the order in which they are sent: a single switch may differ from its group.
#[derive(Debug, Default)]
pub(super) struct Staged {
    changes: Vec<Change>,
    /// The newest command that was looked at.
    seen: u32,
}

impl Staged {
    /// The change of a switch.
    pub(super) fn at(&self, place: Place) -> Option<bool> {
        self.changes.iter().find(|change| change.place == place).map(|change| change.on)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.changes.clear();
    }

    /// Stages the next of the changes that make sense, and after the last one none.
    pub(super) fn turn(&mut self, line: &SwitchLine) {
        let next = match self.at(line.place.alone()) {
            None => line.changes.first(),
            Some(now) => line.changes.iter().skip_while(|change| **change != now).nth(1),
        };
        self.changes.retain(|change| change.place != line.place.alone());
        if let Some(&on) = next {
            let (word, command) = (line.word.clone(), line.command.clone());
            self.changes.push(Change { place: line.place.alone(), on, word, command, size: line.size });
            self.changes.sort_by_key(|change| std::cmp::Reverse(change.size));
        }
    }

    /// The command line for the changes of a command, otherwise of the first one that has any.
    pub(super) fn line(&self, command: Option<u16>) -> Option<String> {
        let first = self.changes.iter().find(|change| Some(change.place.command) == command);
        let command = &first.or(self.changes.first())?.command;
        Some(format!("target {command} {}", self.words(command)))
    }

    fn words(&self, command: &str) -> String {
        let own = self.changes.iter().filter(|change| change.command == command);
        own.map(Change::signed).collect::<Vec<_>>().join(" ")
    }

    /// All of them in words: `filter -SM +U0 · local -EP`.
    pub(super) fn text(&self) -> String {
        let mut commands: Vec<&str> = self.changes.iter().map(|change| change.command.as_str()).collect();
        commands.sort_unstable();
        commands.dedup();
        commands.iter().map(|command| format!("{command} {}", self.words(command))).collect::<Vec<_>>().join(" · ")
    }

    /// Forgets what stands in commands that were sent since the last look.
    pub(super) fn forget_sent(&mut self, target: &TargetStatus) {
        for sent in target.commands.iter().filter(|command| command.number > self.seen) {
            let words: Vec<&str> = sent.line.split_whitespace().skip(1).collect();
            let is_sent = |change: &Change| sent.name == change.command && words.contains(&change.signed().as_str());
            self.changes.retain(|change| !is_sent(change));
        }
        self.seen = target.commands.last().map_or(self.seen, |last| last.number);
    }
}
