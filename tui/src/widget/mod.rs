//! Drawing tools for views and panes: styles, glyphs, rules and text in the cells of a ratatui buffer.

mod look;
mod paint;
mod rule;

pub use look::Look;
pub use paint::Paint;
pub use rule::Rule;
