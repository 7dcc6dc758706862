//! Rendered rows, with everything a view, filter or export may use.
//!
//! Rows are rendered in one place, [`Renderer`]: the decoder renders, then the formatters of its application records are
//! asked. They may be exchanged while rows are shown.
//!
//! | module | what is in it |
//! |---|---|
//! | [`renderer`] | renders rows, then asks the formatters |
//! | [`in_force`] | the formatters of a decoder |
//! | [`lines`] | lines of format files for a decoder that takes them itself |
//! | `record` | an application record: its ids, payload and fields |
//! | [`view`] | a rendered row |
//! | [`columns`] | the columns of a row |
//! | [`bytes`] | the bytes of a row |
//! | [`given`] | word and text of a row that do not come from its decoder |
//! | [`filter`] | which rows pass, decided before rendering where possible |
//! | `asked` | the fields that an expression is about |
//! | `classes` | verdicts on rows of which everything that counts is the same |
//! | `verdicts` | what tests of entities say of each of them |
//! | [`subject`] | a row as the subject of a filter expression |
//! | [`known_names`] | why a filter matches nothing |

mod asked;
pub mod bytes;
mod classes;
pub mod columns;
pub mod filter;
pub mod given;
pub mod in_force;
pub mod known_names;
pub mod lines;
mod record;
pub mod renderer;
pub mod subject;
mod verdicts;
pub mod view;

pub use bytes::gather;
pub use filter::RowFilter;
pub use given::GivenText;
pub use in_force::{Formatters, Formatting, PluginFormatter};
pub use known_names::why_nothing_matches;
pub use renderer::{Renderer, RowTraits};
pub use view::RowView;
