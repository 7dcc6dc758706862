//! QS, the software tracing of the QP real-time frameworks, from target to host: QP 5 to 8.1. `PROTOCOL.md` describes
//! the format.
//!
//! | module | what is in it |
//! |---|---|
//! | `frame` | limits of the framing, location of a frame |
//! | `record` | parsers of an unstuffed frame, plans for records of fixed length |
//! | `layout` | the table of records: ids, names, fields, texts, versions |
//! | `config` | sizes and version, target info, the blob that rendering gets |
//! | `names` | dictionary records and dictionary files |
//! | `probe` | detects QS in a sample, and its sizes |
//! | `receive` | bytes to rows, native |
//! | `reference` | the reference host, byte for byte: receiver and text |
//! | `text` | rows to text and fields |
//! | `plan` | the fields of rows of fixed length, as data |
//! | `command` | encodes commands to the target |
//! | `front_end` | serves QUTest and QView like the reference host |
//! | `decoder` | implements `Decoder`, with its description |

mod command;
mod config;
mod decoder;
mod frame;
mod front_end;
mod layout;
mod names;
mod plan;
mod probe;
mod receive;
mod record;
mod reference;
mod text;

pub use command::QsEncoder;
pub use decoder::Qs;
pub use front_end::QsFrontEnd;
pub use plan::plans;

use spytui_plugin_api::LibraryRef;

pub fn plugin() -> LibraryRef {
    spytui_plugin_api::library!("spytui_qs", decoders: [spytui_plugin_api::decoder_and_encoder::<Qs, QsEncoder>()])
}
