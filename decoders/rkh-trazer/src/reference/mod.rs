//! Everything that reproduces the reference host byte for byte: its receiver, its name table (`names`) and its output (`text`).
//! Only `decoder` imports it.

mod names;
mod receiver;
mod text;

pub(crate) use receiver::{Reference, begin};
pub(crate) use text::{note, record};
