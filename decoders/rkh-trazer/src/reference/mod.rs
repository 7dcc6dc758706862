//! Reproduces the reference host byte for byte: its receiver, its output and its name tables (`text`). Only `decoder`
//! imports it.

mod receiver;
mod text;

pub(crate) use receiver::{Reference, begin};
pub(crate) use text::{note, record};
