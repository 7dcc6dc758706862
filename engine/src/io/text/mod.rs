//! Bytes that come as text: what debuggers, dump tools, monitors and logic analysers print, and base64.
//!
//! | module | what is in it |
//! |---|---|
//! | `decoder` | text in pieces to bytes: looks at the first lines, chooses a reader, hands it line after line |
//! | `form`, `line_reader` | what is asked for, what comes out; what a reader of lines does |
//! | `unicode`, `lines` | characters to lines of bounded length; byte order marks, UTF-16 |
//! | `dump` | lines of hexadecimal digits, with and without addresses, stamps and characters beside them |
//! | `array`, `array_items` | arrays of C and gdb, lists of numbers |
//! | `intel_hex`, `s_record` | records with check sums |
//! | `csv`, `can` | tables of logic analysers; what candump prints |
//! | `base64` | base64, also in lines of a log |
//! | `addresses`, `digits` | gaps and repeated lines; digits to bytes |
//! | `banner`, `prefix` | lines that are no data; what stands before it |
//! | `recognise` | whether a file is such a text |

mod addresses;
mod array;
mod array_items;
mod banner;
mod base64;
mod can;
mod csv;
mod decoder;
mod digits;
mod dump;
mod form;
mod intel_hex;
mod line_reader;
mod lines;
mod prefix;
mod recognise;
mod s_record;
#[cfg(test)]
mod tests;
mod unicode;

pub use decoder::{TextDecoder, beginning};
pub use form::{TextError, TextForm, TextSink};
pub use recognise::{recognise, text_hint};
