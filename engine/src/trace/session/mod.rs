//! A session decodes one source into a store.
//!
//! | module | what is in it |
//! |---|---|
//! | `leavable` | a thread that is left behind if a decoder does not return |
//! | [`thread`] | the session's thread: decode, follow, switch |
//! | [`decoding`] | the result of a decoding: rows, names, counters |
//! | [`decode_loop`] | advances a decoding |
//! | [`activity_reader`] | rows with their activities, decoded again |
//! | [`losses`] | the latest losses |
//! | `tap` | the rows decoded last, with their activities |
//! | [`news`] | what concerns commands: answers and resets |

pub mod activity_reader;
pub mod decode_loop;
pub mod decoding;
mod leavable;
pub mod losses;
pub mod news;
mod tap;
pub mod thread;

pub use decoding::{Decoding, KindSums};
pub use thread::{CurrentDecoding, Session, SessionOptions};
