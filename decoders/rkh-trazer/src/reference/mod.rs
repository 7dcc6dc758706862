//! All that reproduces the reference host byte for byte: how it reads a stream (`receiver`), pairs posts and gets
//! (`posts`), keeps names (`names`), and what it prints (`text`, `config_lines`). Only `decoder` imports it.

mod config_lines;
mod names;
mod posts;
mod receiver;
mod text;

pub(crate) use receiver::{Reference, begin};
pub(crate) use text::{note, record};
