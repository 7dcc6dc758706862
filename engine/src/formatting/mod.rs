//! Gives application records the text that format files and formatters of plugins have for them.
//!
//! Rows are rendered in one place, [`Renderer`]: the decoder renders, then its formatters are asked. They may be
//! exchanged while rows are shown.
//!
//! | module | what is in it |
//! |---|---|
//! | [`in_force`] | the formatters of a decoder |
//! | [`lines`] | lines of format files for a decoder that takes them itself |
//! | `record` | an application record: its ids, payload and fields |
//! | [`renderer`] | renders rows, then asks the formatters |

pub mod in_force;
pub mod lines;
mod record;
pub mod renderer;

pub use in_force::{Formatters, Formatting, PluginFormatter};
pub use renderer::{Renderer, RowTraits};
