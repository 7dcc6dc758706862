//! RKH, the trace stream of targets with the RKH framework, 2.3 to 3.4. `PROTOCOL.md` describes the format.
//!
//! | module | what is in it |
//! |---|---|
//! | `frame` | location of a frame, overlong runs |
//! | `record` | parsers of an unstuffed frame |
//! | `layout` | the table of events: ids, names, fields, texts, versions |
//! | `config` | sizes and switches, configuration files, the target's configuration record |
//! | `names` | dictionaries |
//! | `probe` | detects RKH in a sample, and its sizes |
//! | `receive` | bytes to rows, native |
//! | `reference` | the reference host, byte for byte: receiver and text |
//! | `text` | rows to text and fields |
//! | `plan` | the fields of rows of fixed length, as data |
//! | `command` | encodes commands to the target, answers |
//! | `decoder` | implements `Decoder`, with its description |

mod command;
mod config;
mod decoder;
mod frame;
mod layout;
mod names;
mod plan;
mod probe;
mod receive;
mod record;
mod reference;
mod text;

pub use command::RkhEncoder;
pub use decoder::Rkh;
pub use plan::plans;

use spytui_plugin_api::LibraryRef;

pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_rkh", decoders: [spytui_plugin_api::decoder_and_encoder::<Rkh, RkhEncoder>()])
}
