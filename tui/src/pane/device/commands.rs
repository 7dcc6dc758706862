//! The latest commands with their states, below the switches.

use spytui_engine::{
    device::control::{CommandState, CommandStatus},
    present::sanitise_text,
};

use super::staged::Staged;
use crate::{
    model::{Model, screen::Piece},
    term::{Role, wrap},
};

/// Lines of the pane without which there is no room for commands.
const LEAST: u16 = 9;
/// Column at which a command goes on.
const INDENT: usize = 5;

/// Their lines, wrapped.
#[derive(Debug, Default)]
pub(super) struct CommandLines {
    pub(super) lines: Vec<Piece>,
    /// There is room for a heading and the staged changes.
    pub(super) has_room: bool,
}

impl CommandLines {
    /// The newest ones that fit below the switches, oldest first.
    pub(super) fn new(model: &Model, width: u16, height: u16) -> CommandLines {
        let status = &model.links.first().status.target;
        let most = if height < LEAST { 0 } else { usize::from(height / 4).max(3) };
        let mut lines: Vec<Piece> = Vec::new();
        for command in status.commands.iter().rev() {
            let own = wrapped(command, usize::from(width).saturating_sub(1));
            if lines.len() + own.len() > most {
                break;
            }
            lines.splice(0..0, own);
        }
        CommandLines { lines, has_room: most > 0 }
    }

    /// Lines of the screen for them, with heading and what is staged.
    pub(super) fn height(&self, staged: &Staged) -> usize {
        match self.has_room {
            true => self.lines.len() + 1 + usize::from(!staged.is_empty()),
            false => usize::from(!staged.is_empty()),
        }
    }
}

/// `#5 peek 0 4 1   refused by the target`
fn wrapped(command: &CommandStatus, room: usize) -> Vec<Piece> {
    let (role, sign) = match &command.state {
        CommandState::Queued | CommandState::Sent => (Role::Help, ' '),
        CommandState::Done(_) => (Role::Plain, ' '),
        CommandState::Refused(_) | CommandState::TimedOut(_) | CommandState::Failed(_) => (Role::Error, '!'),
    };
    let text =
        format!("#{} {}   {}", command.number, sanitise_text(&command.line), sanitise_text(command.state.text()));
    let parts = wrap(&text, room.saturating_sub(INDENT).max(INDENT));
    let indent = |at: usize| if at == 0 { sign.to_string() } else { " ".repeat(INDENT) };
    parts.into_iter().enumerate().map(|(at, part)| (format!("{}{part}", indent(at)), role)).collect()
}
