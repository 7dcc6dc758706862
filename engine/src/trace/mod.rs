//! Rows of a trace in order: stored or streamed.
//!
//! | module | what is in it |
//! |---|---|
//! | [`session`] | decodes a source into a store |
//! | [`order`] | merge order of several sources of a target |
//! | [`list`] | stored rows as one list: merge, render, filter, find |
//! | [`stream`] | decodes and renders without a store |
//! | [`playback`] | a log that is played again at its pace |

pub mod list;
pub mod order;
pub mod playback;
pub mod session;
pub mod stream;
