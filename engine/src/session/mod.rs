//! A session: one source, from its log through a decoder into rows.
//!
//! | module | what is in it |
//! |---|---|
//! | [`span`] | which rows belong together: the gutter of the list |
//! | [`reader`] | a log in chunks with their marks |
//! | [`feeder`] | an instance with its marks, the host's own rows, and faults contained |

pub mod feeder;
pub mod reader;
pub mod span;
