//! Rows as text, for other programs and for people.
//!
//! | module | what is in it |
//! |---|---|
//! | [`text`] | `reference` and `native` |
//! | [`jsonl`] | a line with the version, then one JSON object per row, the same keys for every protocol |
//! | [`csv`] | a header and one line per row |
//! | [`perfetto`] | a trace for the Perfetto viewer |
//! | [`service`] | offers a trace to the web page of the viewer |
//! | `called` | what exports call the kind of a row |
//! | [`json`] | JSON writer |
//! | [`stats`] | counters as JSON or text |

mod called;
pub mod csv;
pub mod json;
pub mod jsonl;
pub mod perfetto;
pub mod service;
pub mod stats;
pub mod text;

pub use csv::Csv;
pub use jsonl::Jsonl;
pub use text::{Native, Reference};
