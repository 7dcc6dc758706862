//! What the tests, fuzz targets and benches of the decoders share. Nothing of it gets into the program.
//!
//! | module | what is in it |
//! |---|---|
//! | `decode` | a stream decoded and shown: rows, texts, names |
//! | `captures` | files beside the tests, texts compared |
//! | `conform` | the rules of the plugin contract on captures |
//! | `corpus` | fuzz targets on their committed corpus |
//! | `fuzzing` | what fuzz targets do with their input |
//! | `protocol` | tests that `PROTOCOL.md` names |
//! | `properties` | damage and sums, for property tests (feature `properties`) |
//! | `benches` | feeding, rendering and quick names, for benches (feature `benches`) |
//! | `varied` | streams in which no record repeats, for benches |
//! | `wire` | frames of HDLC-like streams, made without the decoders' own code |
//!
//! All of it panics where something is not as it must be: that is how a test fails. [`shortcuts`] makes the few
//! functions that need to know which decoder is meant, and where its crate lies.

#![allow(clippy::unwrap_used)] // A panic fails the test, which is meant.

#[cfg(feature = "benches")]
pub mod benches;
mod captures;
mod conform;
mod corpus;
mod decode;
pub mod fuzzing;
#[cfg(feature = "properties")]
pub mod properties;
mod protocol;
pub mod varied;
mod wire;

pub use captures::{file, same};
pub use conform::conform_captures;
pub use corpus::replay;
pub use decode::{Options, decode, extra_of, lines, lost, name_of, names, notes, rows};
pub use protocol::named_tests_exist;
pub use spytui_plugin_api;
pub use wire::{frames, stuff, stuffed};

/// Defines, for the decoder of a type, what its tests call most: `decoder`, `file`, `decode`, `text`, `rows` and
/// `notes`.
#[macro_export]
macro_rules! shortcuts {
    ($decoder:ty) => {
        /// The decoder through its tables.
        pub(crate) fn decoder() -> $crate::spytui_plugin_api::DecoderRef {
            $crate::spytui_plugin_api::decoder::<$decoder>()
        }

        /// A file among the captures.
        pub(crate) fn file(name: &str) -> Vec<u8> {
            $crate::file(env!("CARGO_MANIFEST_DIR"), name)
        }

        /// Decodes a stream in chunks of `size`.
        pub(crate) fn decode(
            bytes: &[u8],
            opts: &$crate::Options<'_>,
            size: usize,
        ) -> $crate::spytui_plugin_api::kit::Host {
            $crate::decode(decoder(), bytes, opts, size)
        }

        /// Text of a stream as the reference tool writes it.
        pub(crate) fn text(bytes: &[u8], opts: &$crate::Options<'_>, size: usize) -> Vec<u8> {
            decode(bytes, opts, size).text(bytes).unwrap()
        }

        /// Rows with their texts.
        pub(crate) fn rows(bytes: &[u8], opts: &$crate::Options<'_>) -> Vec<($crate::spytui_plugin_api::Row, String)> {
            $crate::rows(decoder(), bytes, opts)
        }

        /// The rows that are no records: kind and text.
        pub(crate) fn notes(bytes: &[u8], opts: &$crate::Options<'_>) -> Vec<(u16, String)> {
            $crate::notes(decoder(), bytes, opts)
        }
    };
}
