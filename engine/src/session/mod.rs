//! A session: one source, from its log through a decoder into rows.
//!
//! | module | what is in it |
//! |---|---|
//! | [`span`] | which rows belong together: the gutter of the list |

pub mod span;
