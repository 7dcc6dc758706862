//! Stored rows as one list: merged, rendered, filtered, searched.
//!
//! | module | what is in it |
//! |---|---|
//! | [`row_list`] | the rows of one or several sources, by number in the list |
//! | [`index`] | merge order of several sources |
//! | [`row_renderer`] | renders stored rows |
//! | `stored`, `log_window` | rows of a list, located and locked; their bytes |
//! | [`filter`] | which rows a view shows |
//! | [`object_history`] | what every object was doing at a row |
//! | [`walk`] | what is made of all rows, one after the other: statistics, findings |
//! | `aside` | renders them on another thread where plugins may never return |
//! | `row_feed` | rows with their activities, in order |
//! | [`timeline_history`] | what every object did over time |
//! | [`mod@worded`] | things in words, with the names that rows have |
//! | [`mod@find`] | finds the next matching row |

mod aside;
pub mod filter;
pub mod find;
pub mod index;
mod log_window;
pub mod object_history;
mod row_feed;
pub mod row_list;
pub mod row_renderer;
mod stored;
pub mod timeline_history;
pub mod walk;
pub mod worded;

pub use filter::Filter;
pub use find::{Direction, find_shape, place_of_shape};
pub use index::{Growth, OrderedDrop};
pub use object_history::ObjectHistory;
pub use row_list::{Bookmark, RowList};
pub use row_renderer::{RenderRequest, RowRenderer};
pub use timeline_history::TimelineHistory;
pub use walk::{FindingWalk, StatisticsWalk, Walking};
