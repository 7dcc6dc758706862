//! The tab line: panes by key, and where help is. While a command is typed it is the preview.

use super::paint::Paint;
use crate::{
    app::{App, Pane},
    term::{Role, wrap},
};

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let Some(y) = app.layout.tabs else { return };
    let width = app.size.0;
    if let Some(typing) = &app.typing {
        let (text, error) = &typing.preview;
        let role = if *error { Role::Error } else { Role::Help };
        // A long one takes the line above too, where no completion needs it.
        let lines = wrap(text, usize::from(width.saturating_sub(2)));
        let shown = if typing.completions.is_empty() { lines.len().min(2) } else { 1 };
        for (i, line) in lines.into_iter().take(shown).enumerate() {
            let y = (y + 1 + i as u16).saturating_sub(shown as u16);
            paint.blank(y, width);
            paint.text(1, y, width.saturating_sub(2), line, role);
        }
        return;
    }
    let mut x = 0;
    for (pane, key, title) in Pane::ALL {
        let role = if pane == app.pane { Role::ActiveTab } else { Role::Plain };
        x = paint.text(x, y, width, &format!("{key} {title}"), role) + 2;
    }
    let lists = app.lists().len();
    if lists > 1 {
        paint.text(x, y, width, &format!("source {} of {lists}", app.list_shown() + 1), Role::Help);
    }
    let help = "? keys";
    paint.text(width.saturating_sub(help.len() as u16 + 1), y, width, help, Role::Help);
}
