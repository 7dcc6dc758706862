//! Bytes that come as text: what debuggers, dump tools, monitors and logic analysers print, and base64.
//!
//! | module | what is in it |
//! |---|---|
//! | `decoder` | text in pieces to bytes: looks at the first lines, chooses a reader, hands it line after line |
//! | `lines` | what all readers have in common: lines of bounded length, digits, lines that are no data, gaps and repeated lines |
//! | `dump` | lines of hexadecimal digits, with and without addresses, stamps and characters beside them |
//! | `array` | arrays of C and gdb, lists of numbers |
//! | `hex_records` | records with check sums |
//! | `csv` | tables of logic analysers; what candump prints |
//! | `base64` | base64, also in lines of a log |

mod array;
mod base64;
mod csv;
mod decoder;
mod dump;
mod hex_records;
mod lines;
#[cfg(test)]
mod tests;

pub use decoder::{TextDecoder, beginning, recognise, text_hint};
pub use lines::{TextError, TextForm, TextSink};
