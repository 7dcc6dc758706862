//! Rendered rows, with everything a view, filter or export may use.
//!
//! Rows are rendered in one place, [`Renderer`]: by the decoder, then by the formatters of its application records.
//! Formatters may be replaced while rows are shown.
//!
//! | module | what is in it |
//! |---|---|
//! | [`renderer`] | renders rows with decoder and formatters |
//! | [`in_force`] | formatters of a decoder, and format lines that it reads itself |
//! | [`planned`] | fields that are read as planned, without rendering |
//! | [`record`] | application records, which formatters match them, and with what effect during decoding |
//! | [`typed`] | fields of a record by its layout, and their tracks |
//! | [`view`] | a rendered row: columns, bytes, shape of its record |
//! | [`filter`] | which rows pass, decided before rendering where possible |
//! | [`subject`] | a row as subject of a filter expression; why one matches nothing |

pub mod filter;
pub mod in_force;
pub mod planned;
pub mod record;
pub mod renderer;
pub mod subject;
pub mod typed;
pub mod view;

pub use filter::RowFilter;
pub use in_force::{Formatters, Formatting, PluginFormatter};
pub use planned::{PlannedRow, RowPlans};
pub use record::{Configurations, RecordEffects, gather};
pub use renderer::{RenderFaults, Renderer, RowTraits, Severities};
pub use subject::why_nothing_matches;
pub use view::{GivenText, RowView};
