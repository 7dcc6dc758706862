//! Tonbandgerät: traces of bare-metal and FreeRTOS targets, target to host. `PROTOCOL.md` tells the format in our
//! words.
//!
//! | module | what is in it |
//! |---|---|
//! | `cobs` | an event out of its frame |
//! | `number` | numbers of variable length |
//! | `layout` | the table of events: ids, names, fields |
//! | `event` | an event's fields, or why it is none |
//! | `config` | options, and the blob that rendering gets |
//! | `names` | dictionary: spaces, and what metadata says |
//! | `activity` | what events mean |
//! | `receive` | bytes to rows |
//! | `short` | copies of few bytes |
//! | `text` | rows to text and fields |
//! | `describe` | what the decoder tells about itself |
//! | `probe` | whether a sample is a trace, and of which mode |
//! | `decoder` | the decoder as the plugin contract has it |
//! | `encode` | an encoder, for tests and benches |

mod activity;
mod cobs;
mod config;
mod decoder;
mod describe;
#[cfg(any(test, feature = "encode"))]
pub mod encode;
mod event;
mod layout;
mod names;
mod number;
mod probe;
mod receive;
mod short;
mod text;

pub use decoder::Tband;

use spytui_plugin_api::LibraryRef;

/// The library of this decoder.
#[must_use]
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_tband", decoders: [spytui_plugin_api::decoder::<Tband>()])
}
