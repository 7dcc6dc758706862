//! Everything that reproduces the reference tool byte for byte: its text. Only `decoder` imports it.

mod head;
mod text;

pub(crate) use head::note;
pub(crate) use text::record;
