//! A test protocol, `toy`, that uses the whole plugin API: records in pieces, late rows, cores, several rows from one
//! frame, learned options, names added and removed, guesses, labels, application records.
//!
//! A frame is a line `$LSX args*CC`: core and sequence number (one hexadecimal digit each), a letter, arguments, and
//! the XOR of everything between `$` and `*`. All other lines are console text.
//!
//! | module | what is in it |
//! |---|---|
//! | [`frame`] | checks, parses and writes a line |
//! | [`info`] | the decoder's description |
//! | [`decode`] | implements `Decoder`: turns bytes and stream events into rows |
//! | [`toy`] | the state of the decoder |
//! | [`record`] | turns frames into rows |
//! | [`parts`] | records in pieces |
//! | [`counts`] | the decoder's own counters |
//! | [`render`] | turns rows into text and fields |
//! | [`stream`] | generated streams |
//! | [`panics`] | a second decoder, which panics in a given entry |

pub mod counts;
pub mod decode;
pub mod frame;
pub mod info;
pub mod panics;
pub mod parts;
pub mod record;
pub mod render;
pub mod stream;
pub mod toy;

use spytui_plugin_api::{LibraryRef, decoder};

/// The library, exported by the plugin and linked into tests.
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("toy", decoders: [decoder::<toy::Toy>()])
}
