//! Rows to text and fields, native: `native` for records, `notes` for other rows, `fields` for details, `names` for
//! keys, `float` for floating point.

pub(crate) mod fields;
mod float;
pub(crate) mod names;
pub(crate) mod native;
pub(crate) mod notes;

pub(crate) use spytui_decoder_kit::number;
pub(crate) use spytui_hdlc::frame_bytes;
