//! Reproduces the reference host byte for byte: its framing and receiver (`receiver`), its dictionaries (`names`) and
//! its output: `text` and `application` for records, `float` for values. Only `decoder` imports it.

mod application;
mod float;
mod names;
mod receiver;
mod text;

pub(crate) use receiver::Reference;
pub(crate) use text::{Block, note, record};
