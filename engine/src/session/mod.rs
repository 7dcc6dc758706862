//! A session: one source, from its log through a decoder into rows.
//!
//! | module | what is in it |
//! |---|---|
//! | [`live`] | the session's thread: follow, decode, switch |
//! | [`decoded`] | one decoding: rows, names, counters |
//! | [`runner`] | brings a decoding forward |
//! | [`learn`] | options that the target tells late |
//! | [`reader`] | a log in chunks with their marks |
//! | [`feeder`] | an instance with its marks, the host's own rows, and faults contained |
//! | `cover` | which bytes are in rows, and whether a feed kept the rules |
//! | [`span`] | which rows belong together: the gutter of the list |
//! | [`items`] | rows out of the store, rendered |
//! | [`filter`] | which rows a view shows |
//! | [`mod@find`] | the next row that fits |

mod cover;
pub mod decoded;
pub mod feeder;
pub mod filter;
pub mod find;
pub mod items;
pub mod learn;
pub mod live;
pub mod reader;
pub mod runner;
pub mod span;

pub use decoded::Decoded;
pub use filter::Filter;
pub use find::{Direction, find, find_shape};
pub use items::{Ask, Renderer};
pub use live::{Session, SessionOptions};
