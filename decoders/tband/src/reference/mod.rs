//! All that reproduces the reference tool byte for byte: how it reads a stream (`receiver`), and what it prints
//! (`text`, `json`, `cause`). Only `decoder` imports it.

mod cause;
mod json;
mod receiver;
mod text;

pub(crate) use cause::cause;
pub(crate) use receiver::Receiver;
pub(crate) use text::{note, record};
