//! Rows as text for other programs and for people.
//!
//! | module | what is in it |
//! |---|---|
//! | [`text`] | `reference` and `native` |
//! | [`jsonl`] | one JSON object a line, the same for every protocol |
//! | [`csv`] | a header and one line a row |
//! | [`perfetto`] | a trace for the Perfetto viewer |
//! | [`json`] | writing JSON by hand |
//! | [`stats`] | the counters as one object, and in words |
//! | [`subject`] | a rendered row as the display language sees it |

pub mod csv;
pub mod json;
pub mod jsonl;
pub mod perfetto;
pub mod stats;
pub mod subject;
pub mod text;

pub use csv::Csv;
pub use jsonl::Jsonl;
pub use text::{Native, Reference};
