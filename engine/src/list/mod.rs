//! Stored rows as one list: ordered, rendered, filtered, searched.
//!
//! | module | what is in it |
//! |---|---|
//! | [`row_list`] | the rows of one source or of several, by their number in the list |
//! | [`index`] | the order of the stored rows of several sources |
//! | [`row_renderer`] | renders stored rows |
//! | [`filter`] | which rows a view shows |
//! | [`mod@find`] | the next row that matches |

pub mod filter;
pub mod find;
pub mod index;
pub mod row_list;
pub mod row_renderer;

pub use filter::Filter;
pub use find::{Direction, find, find_shape};
pub use index::Growth;
pub use row_list::{RowList, RowSource};
pub use row_renderer::{RenderRequest, RowRenderer};
