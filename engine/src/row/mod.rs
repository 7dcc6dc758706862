//! Rendered rows, with everything a view, filter or export may use.
//!
//! Rows are rendered in one place, [`Renderer`]: the decoder renders, then the formatters of its application records are
//! asked. They may be exchanged while rows are shown.
//!
//! | module | what is in it |
//! |---|---|
//! | [`renderer`] | renders rows, then asks the formatters |
//! | [`faults`] | rows that a plugin failed to render |
//! | [`in_force`] | the formatters of a decoder |
//! | [`lines`] | lines of format files for a decoder that takes them itself |
//! | `names_of` | names as some of the rows of a block see them |
//! | `candidates` | the application records that formatters may know |
//! | `decoded` | application records as their decoder renders them |
//! | `record` | an application record: its ids, payload and fields |
//! | `shape` | what an application record looks like |
//! | `by_plugin` | what a plugin says of an application record |
//! | `record_set` | which records formatters are for |
//! | `typed` | the fields that the layout of a line gives a record |
//! | `typed_text` | their text |
//! | [`tracks`] | what their states, values and spans are of |
//! | [`effects`] | what formatters make of records while they are decoded: severity and activities |
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
mod by_plugin;
pub mod bytes;
mod candidates;
mod classes;
pub mod columns;
mod decoded;
pub mod effects;
pub mod faults;
pub mod filter;
pub mod given;
pub mod in_force;
pub mod known_names;
pub mod lines;
mod names_of;
mod record;
mod record_set;
pub mod renderer;
pub(crate) mod shape;
pub mod subject;
pub mod tracks;
mod typed;
mod typed_text;
mod verdicts;
pub mod view;

pub use bytes::gather;
pub use effects::Effects;
pub use faults::RenderFaults;
pub use filter::RowFilter;
pub use given::GivenText;
pub use in_force::{Formatters, Formatting, PluginFormatter};
pub use known_names::why_nothing_matches;
pub use renderer::{Renderer, RowTraits, Severities};
pub use view::RowView;
