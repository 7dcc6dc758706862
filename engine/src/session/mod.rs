//! A session: one source, from its log through a decoder into the store.
//!
//! | module | what is in it |
//! |---|---|
//! | [`thread`] | the session's thread: follow, decode, switch |
//! | [`decoding`] | one decoding: rows, names, counters |
//! | [`decode_loop`] | advances a decoding |

pub mod decode_loop;
pub mod decoding;
pub mod thread;

pub use decoding::Decoding;
pub use thread::{Session, SessionOptions};
