//! QS, the software tracing of the QP real-time frameworks: target to host, QP 5 to 8.1. `PROTOCOL.md` describes the
//! format.
//!
//! | module | what is in it |
//! |---|---|
//! | `frame` | limits of the framing, where a frame lies |
//! | `record` | parsers of one un-stuffed frame, and the row of a record |
//! | `layout` | the table of records: ids, names, fields, texts, versions |
//! | `config` | sizes and version, target info, the blob that rendering gets |
//! | `names` | dictionary records and dictionary files |
//! | `probe` | detection: whether a sample is QS, and with which sizes |
//! | `receive` | bytes to rows, native |
//! | `reference` | the reference host, byte for byte: receiver and text |
//! | `text` | rows to text and fields |
//! | `fast` | plans for records of fixed length |
//! | `command` | the way back: commands to frames |
//! | `decoder` | the decoder as the plugin contract defines it, and its description |

mod command;
mod config;
mod decoder;
mod fast;
mod frame;
mod layout;
mod names;
mod probe;
mod receive;
mod record;
mod reference;
mod text;

pub use command::QsEncoder;
pub use decoder::Qs;

use spytui_plugin_api::LibraryRef;

/// The library of this decoder.
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_qs", decoders: [spytui_plugin_api::decoder_and_encoder::<Qs, QsEncoder>()])
}
