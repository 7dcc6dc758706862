//! RKH, the trace stream of the RKH framework's targets, 2.3 to 3.4. `PROTOCOL.md` describes the format.
//!
//! | module | what is in it |
//! |---|---|
//! | `frame` | where a frame lies, runs that are too long to be one |
//! | `record` | parsers of the arguments, and the row of a record |
//! | `layout` | the table of events: ids, names, fields, texts, versions |
//! | `config` | sizes and switches, configuration files, the target's configuration record |
//! | `names` | dictionaries |
//! | `probe` | detection: whether a sample is RKH, and with which sizes |
//! | `receive` | bytes to rows, our own reading |
//! | `reference` | the reference host, byte for byte: receiver and text |
//! | `text` | rows to text and fields |
//! | `command` | the way back: commands to frames, answers |
//! | `decoder` | the decoder as the plugin contract defines it, and its description |

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

pub use command::RkhEncoder;
pub use decoder::Rkh;

use spytui_plugin_api::LibraryRef;

/// The library of this decoder.
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_rkh", decoders: [spytui_plugin_api::decoder_and_encoder::<Rkh, RkhEncoder>()])
}
