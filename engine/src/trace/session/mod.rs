//! A session decodes one source into a store.
//!
//! | module | what is in it |
//! |---|---|
//! | [`thread`] | the session's thread: decode, follow, switch |
//! | [`decoding`] | the result of a decoding: rows, names, counters |
//! | [`decode_loop`] | advances a decoding |
//! | [`losses`] | the latest losses |
//! | [`news`] | what concerns commands: answers and resets |

pub mod decode_loop;
pub mod decoding;
pub mod losses;
pub mod news;
pub mod thread;

pub use decoding::{Decoding, KindSums};
pub use thread::{CurrentDecoding, Session, SessionOptions};
