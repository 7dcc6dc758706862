//! A test protocol, `toy`, that uses everything the plugin contract has and that no single real protocol needs at
//! once: records in pieces, late rows, cores, several rows from one frame, learnt options, names that come and go,
//! guesses, labels, application records.
//!
//! A frame is a line `$LSX args*CC`: core and sequence number (one hexadecimal digit each), a letter, arguments,
//! and the XOR of everything between `$` and `*`. Lines that begin otherwise are console text.
//!
//! | module | what is in it |
//! |---|---|
//! | [`frame`] | one line: check, take apart, write |
//! | [`info`] | what the decoder tells about itself |
//! | [`decode`] | the trait `Decoder`; bytes and stream events to rows |
//! | [`toy`] | the state of the decoder |
//! | [`record`] | frames to rows |
//! | [`parts`] | records in pieces: open parts, given up when they become too many |
//! | [`counts`] | counters, told when they change |
//! | [`render`] | rows to text and fields |
//! | [`stream`] | a seeded stream with all of it |
//! | [`panics`] | a second decoder, which panics where it is told to |

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

/// What the plugin exports, and what a program links in.
#[must_use]
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("toy", decoders: [decoder::<toy::Toy>()])
}
