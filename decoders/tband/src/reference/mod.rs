//! Everything that reproduces the reference tool byte for byte: its receiver and its output (`text`, `json`, `cause`).
//! Only `decoder` imports it.

mod cause;
mod json;
mod receiver;
mod text;

pub(crate) use cause::cause;
pub(crate) use receiver::{Reference, begin};
pub(crate) use text::{note, record, short};
