//! QNX: events of the instrumented kernel (`.kev`), and the trace logs of QNX 4 and Neutrino 1.0. `PROTOCOL.md`
//! describes the formats.
//!
//! | module | what is in it |
//! |---|---|
//! | `frame` | checks what may be an event, assembles events sent in parts |
//! | `record` | parsers of events and headers, the words of a payload |
//! | `layout` | the table of events: names, words, effects |
//! | `config` | options, and the blob passed to rendering |
//! | `names` | dictionary: processes and threads |
//! | `probe` | detects profile and byte order |
//! | `receive` | bytes to rows |
//! | `reference` | the reference tool's text, byte for byte |
//! | `text` | rows to text and fields |
//! | `decoder` | implements `Decoder`, with its description |
//! | `command` | encodes commands as lines for a companion |

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

pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_qnx", decoders: [spytui_plugin_api::decoder_and_encoder::<Qnx, QnxEncoder>()])
}
