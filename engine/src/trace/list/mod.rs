//! Stored rows as one list that is merged, rendered, filtered and searched.
//!
//! | module | what is in it |
//! |---|---|
//! | [`row_list`] | rows of one or several sources, by list number, in merge order |
//! | [`row_renderer`] | renders stored rows, with plugins on another thread |
//! | [`filter`] | which rows a view shows |
//! | `incident` | what led to a failure at a row |
//! | `occurrences` | the rows that show a finding, one after the other |
//! | [`walk`] | analyses of all rows in order: statistics, findings, objects at any row and over time |

pub mod filter;
mod incident;
mod occurrences;
pub mod row_list;
pub mod row_renderer;
pub mod walk;

pub use filter::Filter;
pub use occurrences::Occurrences;
pub use row_list::{Bookmark, Direction, ListGrowth, OrderedDrop, RowList, find_shape, place_of_shape};
pub use row_renderer::{RenderRequest, RowRenderer};
pub use walk::{FindingWalk, ObjectChange, ObjectHistory, StatisticsWalk, TimelineHistory, Walking};
