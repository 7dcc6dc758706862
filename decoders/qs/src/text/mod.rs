//! Rows to text. `line` collects and counts characters and `frame_bytes` un-stuffs (both shared with the decoders of
//! other HDLC-like streams), `kinds` knows where fields lie, `again` which text came before, `number` and `float` write
//! numbers without allocation, `reference` and `application` are the host's text byte for byte, `native` ours, `fields`
//! the details.

pub(crate) mod again;
mod application;
pub(crate) mod cursor;
pub(crate) mod fields;
pub(crate) mod float;
pub(crate) mod kinds;
pub(crate) mod names;
pub(crate) mod native;
pub(crate) mod notes;
pub(crate) mod number;
pub(crate) mod reference;

pub(crate) use spytui_decoder_kit::line;
pub(crate) use spytui_hdlc::frame_bytes;
