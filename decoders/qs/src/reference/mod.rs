//! Everything that reproduces the reference host byte for byte: its framing (`framer`), its receiver (`receiver`), its
//! dictionaries (`names`) and its output: `text` and `application` for records, `misread` for payloads that do not fit,
//! `notes` for other rows, `keys` and `float` for values. Only `decoder` imports it.

mod application;
mod float;
mod framer;
mod keys;
mod misread;
mod names;
mod notes;
mod receiver;
mod text;

pub(crate) use notes::note;
pub(crate) use receiver::Reference;
pub(crate) use text::{Block, record};
