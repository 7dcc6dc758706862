//! QS, the software tracing of the QP real-time frameworks: target to host, QP 5 to 8.1. `PROTOCOL.md` tells the
//! format in our words.
//!
//! | module | what is in it |
//! |---|---|
//! | `frame` | framing: flags, escapes, check sum; ours and the reference host's |
//! | `layout` | the table of records: ids, names, fields, texts, versions |
//! | `config` | sizes and version, target info, the blob that rendering gets |
//! | `record` | parsers of one un-stuffed frame |
//! | `place` | where a field lies in a payload |
//! | `names` | dictionaries, and the reference host's limits |
//! | `dic` | dictionary files |
//! | `activity` | what records mean |
//! | `receive` | bytes to rows |
//! | `text` | rows to text and fields |
//! | `describe` | what the decoder tells about itself |
//! | `probe` | whether a sample is QS, and with which sizes |
//! | `decoder` | the decoder as the plugin contract has it |

mod activity;
mod config;
mod decoder;
mod describe;
mod dic;
mod frame;
mod layout;
mod names;
mod place;
mod probe;
mod receive;
mod record;
mod text;

pub use decoder::Qs;

use spytui_plugin_api::LibraryRef;

/// The library of this decoder.
#[must_use]
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_qs", decoders: [spytui_plugin_api::decoder::<Qs>()])
}
