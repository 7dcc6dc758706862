//! Everything that reproduces the reference host byte for byte: its receiver, its pairing of posts and gets (`posts`),
//! its name table (`names`) and its output (`text`, `config_lines`). Only `decoder` imports it.

mod config_lines;
mod names;
mod posts;
mod receiver;
mod text;

pub(crate) use receiver::{Reference, begin};
pub(crate) use text::{note, record};
