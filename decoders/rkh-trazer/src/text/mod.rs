//! Rows to text. `line`, `number` and `frame_bytes` are shared with the decoders of other HDLC-like streams;
//! `reference` is the host's text byte for byte, `native` ours, `notes` that of rows that are no records, `fields` the
//! details.

pub(crate) mod fields;
pub(crate) mod names;
pub(crate) mod native;
pub(crate) mod notes;
pub(crate) mod reference;

pub(crate) use spytui_decoder_kit::{line, number};
pub(crate) use spytui_hdlc::frame_bytes;
