//! A session decodes one source into a store.
//!
//! | module | what is in it |
//! |---|---|
//! | [`thread`] | the session's thread: decode, follow, switch |
//! | [`decoding`] | the result of a decoding: rows, names, counters; rows decoded again, with their activities |
//! | [`news`] | answers, resets, losses and activities of recently decoded rows |

pub mod decoding;
pub mod news;
pub mod thread;

pub use decoding::{Decoding, KindSums};
pub use thread::{CurrentDecoding, Session, SessionOptions};
