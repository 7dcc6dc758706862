//! Rendered rows, with everything a view, filter or export may use.
//!
//! Rows are rendered in one place, [`Renderer`]: the decoder renders, then the formatters of its application records are
//! asked. They may be exchanged while rows are shown.
//!
//! | module | what is in it |
//! |---|---|
//! | [`renderer`] | renders rows, then asks the formatters |
//! | [`in_force`] | the formatters of a decoder, and lines of format files that it takes itself |
//! | `record` | application records: which formatters may know them, what their decoder and plugins say of them |
//! | [`typed`] | the fields that the layout of a line gives a record, and the tracks that they are of |
//! | [`effects`] | what formatters make of records while they are decoded: severity and activities |
//! | [`view`] | a rendered row: columns, bytes, shape of its record |
//! | [`filter`] | which rows pass, decided before rendering where possible |
//! | [`subject`] | a row as the subject of a filter expression; why one matches nothing |

pub mod effects;
pub mod filter;
pub mod in_force;
mod record;
pub mod renderer;
pub mod subject;
pub mod typed;
pub mod view;

pub use effects::Effects;
pub use filter::RowFilter;
pub use in_force::{Formatters, Formatting, PluginFormatter};
pub use renderer::{RenderFaults, Renderer, RowTraits, Severities};
pub use subject::why_nothing_matches;
pub use view::{GivenText, RowView, gather};
