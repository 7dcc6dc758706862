//! QNX: events of the instrumented kernel (`.kev`), and the trace logs of QNX 4 and Neutrino 1.0. `PROTOCOL.md`
//! describes the formats.
//!
//! | module | what is in it |
//! |---|---|
//! | `frame` | what may be an event, events that come in parts |
//! | `record` | parsers of an event and of a header, the words of a payload |
//! | `layout` | the table of events: names, words, what they do |
//! | `config` | options, and the blob that rendering gets |
//! | `names` | dictionary: processes and threads |
//! | `probe` | detection: profile and byte order |
//! | `receive` | bytes to rows |
//! | `reference` | the reference tool's text, byte for byte |
//! | `text` | rows to text and fields |
//! | `decoder` | the decoder as the plugin contract defines it, and its description |
//! | `command` | the way back: commands to lines for a companion |

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

pub use command::QnxEncoder;
pub use decoder::Qnx;

use spytui_plugin_api::LibraryRef;

/// The library of this decoder.
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_qnx", decoders: [spytui_plugin_api::decoder_and_encoder::<Qnx, QnxEncoder>()])
}
