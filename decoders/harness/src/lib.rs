//! Shared parts of the decoders' tests, fuzz targets and benches; not part of the program.
//!
//! | module | what is in it |
//! |---|---|
//! | `decode` | decodes a stream: rows, texts, names |
//! | `captures` | loads captures, compares texts |
//! | `conform` | runs the conformance kit on captures |
//! | `corpus` | runs fuzz targets on their committed corpus |
//! | `encode` | encoders of streams |
//! | `fuzzing` | code of fuzz targets |
//! | `order` | reordered, repeated and lost frames |
//! | `planned` | compares planned fields with rendered ones |
//! | `protocol` | checks that tests named in `PROTOCOL.md` exist |
//! | `properties` | damage, for property tests (feature `properties`) |
//! | `benches` | decoding, rendering and fast name lookup, for benches (feature `benches`) |
//! | `varied` | streams in which no record repeats, for benches |
//! | `wire` | frames of HDLC-like streams, independent of the decoders |
//!
//! Functions panic if a check fails. [`shortcuts`] defines the functions that need the decoder and its crate.

#![allow(clippy::unwrap_used)] // A panic fails the test, as intended.

#[cfg(feature = "benches")]
pub mod benches;
mod captures;
mod conform;
mod corpus;
mod decode;
pub mod encode;
pub mod fuzzing;
pub mod order;
pub mod planned;
#[cfg(feature = "properties")]
pub mod properties;
mod protocol;
pub mod varied;
mod wire;

pub use captures::{file, same};
pub use conform::conform_captures;
pub use corpus::replay;
pub use decode::{Options, attachment_of, decode, lines, lost, name_of, names, notes, rows};
pub use protocol::named_tests_exist;
pub use spytui_plugin_api;
pub use spytui_plugin_host;
pub use wire::{frames, stuff, stuffed};

/// Defines the test functions common to all decoders: `decoder`, `file`, `decode`, `text`, `rows` and `notes`.
#[macro_export]
macro_rules! shortcuts {
    ($decoder:ty, $encoder:ty) => {
        pub(crate) fn decoder() -> $crate::spytui_plugin_api::DecoderRef {
            $crate::spytui_plugin_api::decoder_and_encoder::<$decoder, $encoder>()
        }

        /// The content of a capture.
        pub(crate) fn file(name: &str) -> Vec<u8> {
            $crate::file(env!("CARGO_MANIFEST_DIR"), name)
        }

        /// Decodes a stream in chunks of `size`.
        pub(crate) fn decode(
            bytes: &[u8],
            opts: &$crate::Options<'_>,
            size: usize,
        ) -> $crate::spytui_plugin_host::kit::Host {
            $crate::decode(decoder(), bytes, opts, size)
        }

        /// Text of a whole stream.
        pub(crate) fn text(bytes: &[u8], opts: &$crate::Options<'_>, size: usize) -> Vec<u8> {
            decode(bytes, opts, size).text(bytes).unwrap()
        }

        /// Rows with their texts.
        pub(crate) fn rows(bytes: &[u8], opts: &$crate::Options<'_>) -> Vec<($crate::spytui_plugin_api::Row, String)> {
            $crate::rows(decoder(), bytes, opts)
        }

        /// Kind and text of the notes.
        pub(crate) fn notes(bytes: &[u8], opts: &$crate::Options<'_>) -> Vec<(u16, String)> {
            $crate::notes(decoder(), bytes, opts)
        }
    };
}
