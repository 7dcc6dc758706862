//! Styles and glyphs.

use ratatui::{style::Style, text::Span};

use crate::term::{Glyphs, Role, Theme};

/// Styles and glyphs in use.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Styles.
    pub theme: Theme,
    pub glyphs: Glyphs,
}

impl Look {
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Text of a role, in the glyphs of the terminal.
    pub fn span(&self, text: &str, role: Role) -> Span<'static> {
        Span::styled(self.glyphs.spell(text).into_owned(), self.style(role))
    }
}
