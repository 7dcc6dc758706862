//! Tonbandgerät: traces of bare-metal and FreeRTOS targets, from target to host. `PROTOCOL.md` describes the format.
//!
//! | module | what is in it |
//! |---|---|
//! | `frame` | splits a stream at frame ends, decodes the event in a frame |
//! | `record` | parsers of an event, the row of an event |
//! | `layout` | the table of events: ids, names, fields, activities |
//! | `config` | options, and the blob passed to rendering |
//! | `names` | dictionary: names from metadata |
//! | `probe` | detects a trace in a sample, and its mode |
//! | `receive` | bytes to rows, native |
//! | `reference` | the reference tool, byte for byte: receiver and text |
//! | `text` | rows to text and fields |
//! | `command` | encodes commands to the target, answers |
//! | `decoder` | implements `Decoder`, with its description |

mod command;
mod config;
mod decoder;
mod frame;
mod layout;
mod names;
mod probe;
mod receive;
mod record;
mod reference;
mod text;

pub use command::TbandEncoder;
pub use decoder::Tband;

use spytui_plugin_api::LibraryRef;

pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_tband", decoders: [spytui_plugin_api::decoder_and_encoder::<Tband, TbandEncoder>()])
}
