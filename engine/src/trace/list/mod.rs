//! Stored rows as one list: merged, rendered, filtered, searched.
//!
//! | module | what is in it |
//! |---|---|
//! | [`row_list`] | the rows of one or several sources, by number in the list |
//! | [`index`] | merge order of several sources |
//! | [`row_renderer`] | locates, locks and renders stored rows, with plugins on another thread |
//! | [`filter`] | which rows a view shows |
//! | [`object_history`] | what every object was doing at a row, and over time |
//! | [`walk`] | what is made of all rows, one after the other: statistics, findings |

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
