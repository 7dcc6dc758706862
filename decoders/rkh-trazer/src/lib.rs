//! RKH, the trace stream of the RKH framework's targets, 2.3 to 3.4. `PROTOCOL.md` tells the format in our words.
//!
//! | module | what is in it |
//! |---|---|
//! | `layout` | the table of events: ids, names, fields, texts, versions |
//! | `config` | sizes and switches, the blob that rendering gets |
//! | `cfg_file` | configuration files |
//! | `tcfg` | the target's own configuration record |
//! | `record` | parsers of one un-stuffed frame |
//! | `names` | dictionaries |
//! | `symbols` | names from another stream |
//! | `activity` | what records mean |
//! | `receive` | bytes to rows |
//! | `text` | rows to text and fields |
//! | `describe` | what the decoder tells about itself |
//! | `probe` | whether a sample is RKH, and with which sizes |
//! | `decoder` | the decoder as the plugin contract has it |

mod activity;
mod cfg_file;
mod config;
mod decoder;
mod describe;
mod layout;
mod names;
mod probe;
mod receive;
mod record;
mod symbols;
mod tcfg;
mod text;

pub use decoder::Rkh;

use spytui_plugin_api::LibraryRef;

/// The library of this decoder.
#[must_use]
pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_rkh", decoders: [spytui_plugin_api::decoder::<Rkh>()])
}
