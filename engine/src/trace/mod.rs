//! Rows of a trace in order: stored or streamed.
//!
//! | module | what is in it |
//! |---|---|
//! | [`session`] | decodes a source into a store |
//! | [`order`] | merge order of several sources of a target |
//! | [`list`] | stored rows as one list: merge, render, filter, find |
//! | [`stream`] | decodes and renders without a store |

pub mod list;
pub mod order;
pub mod session;
pub mod stream;
