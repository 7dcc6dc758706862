//! Stored rows as one list that is merged, rendered, filtered and searched.
//!
//! | module | what is in it |
//! |---|---|
//! | [`row_list`] | rows of one or several sources, by list number |
//! | [`index`] | merge order of several sources |
//! | [`row_renderer`] | renders stored rows, with plugins on another thread |
//! | [`filter`] | which rows a view shows |
//! | [`object_history`] | objects at any row, and over time |
//! | [`walk`] | analyses of all rows in order: statistics, findings |

pub mod filter;
pub mod index;
pub mod object_history;
pub mod row_list;
pub mod row_renderer;
pub mod walk;

pub use filter::Filter;
pub use index::{Growth, OrderedDrop};
pub use object_history::{ObjectHistory, TimelineHistory};
pub use row_list::{Bookmark, Direction, RowList, find_shape, place_of_shape};
pub use row_renderer::{RenderRequest, RowRenderer};
pub use walk::{FindingWalk, StatisticsWalk, Walking};
