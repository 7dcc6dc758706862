//! Bytes given as text: output of debuggers, dump tools, monitors and logic analysers, and base64.
//!
//! | module | what is in it |
//! |---|---|
//! | `decoder` | converts text in pieces to bytes: examines the first lines and chooses a reader |
//! | `lines` | shared by all readers: lines of bounded length, digits, banners, gaps and repeated lines |
//! | `dump` | lines of hexadecimal digits, with or without addresses, time stamps and characters |
//! | `array` | arrays of C and gdb, lists of numbers |
//! | `hex_records` | records with checksums |
//! | `csv` | tables of logic analysers; output of candump |
//! | `base64` | base64, also in log lines |

mod array;
mod base64;
mod csv;
mod decoder;
mod dump;
mod hex_records;
mod lines;
#[cfg(test)]
mod tests;

pub use decoder::{TextDecoder, recognise, text_hint};
pub(crate) use lines::{ByteOrder, hex_bytes};
pub use lines::{TextError, TextForm, TextSink};
