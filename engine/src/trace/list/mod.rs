//! Stored rows as one list: merged, rendered, filtered, searched.
//!
//! | module | what is in it |
//! |---|---|
//! | [`row_list`] | the rows of one or several sources, by number in the list |
//! | [`index`] | merge order of several sources |
//! | [`row_renderer`] | renders stored rows |
//! | `stored`, `log_window` | rows of a list, located and locked; their bytes |
//! | [`filter`] | which rows a view shows |
//! | [`mod@find`] | finds the next matching row |

pub mod filter;
pub mod find;
pub mod index;
mod log_window;
pub mod row_list;
pub mod row_renderer;
mod stored;

pub use filter::Filter;
pub use find::{Direction, find_shape, place_of_shape};
pub use index::{Growth, OrderedDrop};
pub use row_list::{Bookmark, RowList};
pub use row_renderer::{RenderRequest, RowRenderer};
