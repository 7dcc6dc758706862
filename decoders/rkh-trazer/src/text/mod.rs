//! Rows to text and fields, our own wording: `native` for records, `notes` for other rows, `fields` for details,
//! `names` for keys.

pub(crate) mod fields;
pub(crate) mod names;
pub(crate) mod native;
pub(crate) mod notes;

pub(crate) use spytui_decoder_kit::number;
pub(crate) use spytui_hdlc::frame_bytes;
